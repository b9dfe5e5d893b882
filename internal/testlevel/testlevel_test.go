package testlevel

import (
	"flag"
	"fmt"
	"testing"
)

// recorder notes how a test ends.
type recorder struct {
	testing.TB
	ended string
}

func (*recorder) Helper() {}

func (r *recorder) Skipf(format string, args ...any) { r.end("skip: "+format, args...) }

func (r *recorder) Fatalf(format string, args ...any) { r.end("fatal: "+format, args...) }

// end notes the first end: the test itself goes on.
func (r *recorder) end(format string, args ...any) {
	if r.ended == "" {
		r.ended = fmt.Sprintf(format, args...)
	}
}

var thorough = flag.Bool("thorough", false, "is set by TestSystem")

func TestSystem(t *testing.T) {
	defer func(was bool) { *thorough = was }(*thorough)
	for _, c := range []struct {
		value    string
		thorough bool
		want     string
	}{
		{"", false, "skip: a system test: PTC_TESTS=all go test ./internal/testlevel"},
		{"", true, ""},
		{"all", false, ""},
		{"al", false, `fatal: PTC_TESTS: got "al", want all, or nothing`},
	} {
		t.Setenv(Variable, c.value)
		*thorough = c.thorough
		r := &recorder{TB: t}
		System(r)
		if r.ended != c.want || All() != (c.want == "") {
			t.Errorf("%+v: got %q, all: %v", c, r.ended, All())
		}
	}
}
