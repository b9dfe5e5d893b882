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

// end notes the first end: the test itself continues.
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

// TestSample takes the large sample if all tests run, but not with -short.
func TestSample(t *testing.T) {
	short := flag.Lookup("test.short").Value
	defer func(was string) { _ = short.Set(was) }(short.String())
	for _, c := range []struct {
		value, short string
		large        bool
	}{{"", "false", false}, {"", "true", false}, {"all", "true", false}, {"all", "false", true}} {
		t.Setenv(Variable, c.value)
		if err := short.Set(c.short); err != nil {
			t.Fatal(err)
		}
		if Size(2, 9) == 9 != c.large || Takes(1, 2) != c.large || !Takes(2, 2) || Small() == c.large {
			t.Errorf("%+v: got a sample of %d, small: %v", c, Size(2, 9), Small())
		}
	}
}

// TestWaiting checks that an explicit -parallel takes precedence.
func TestWaiting(t *testing.T) {
	f := flag.Lookup("test.parallel")
	old := f.Value.String()
	t.Cleanup(func() { _ = f.Value.Set(old) })
	for set, want := range map[string]string{f.DefValue: "1000", "77": "77"} {
		if err := f.Value.Set(set); err != nil {
			t.Fatal(err)
		}
		Waiting(1000)
		if got := f.Value.String(); got != want {
			t.Errorf("%s: got %s, want %s", set, got, want)
		}
	}
}
