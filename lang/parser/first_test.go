package parser

import (
	"strings"
	"testing"

	"github.com/ptc-lang/ptc/runtime/limits"
)

func TestFirst(t *testing.T) {
	for _, c := range []struct {
		source string
		found  Found
		end    int
	}{
		{"", Nothing, 0},
		{" ; x\n#_(y) ", Nothing, 11},
		{"1 2", Form, 1},
		{" (a b) c", Form, 6},
		{"::s/x 1", Form, 5},
		{"(a", Unfinished, 2},
		{`"a`, Unfinished, 2},
		{"'", Unfinished, 1},
		{"#_", Unfinished, 2},
		{") 1", Malformed, 3},
		{"(a] ", Malformed, 4},
		{"::nope/x", Malformed, 8},
		{strings.Repeat("[", 1000), Malformed, 1000},
		{`"` + strings.Repeat("long", 1<<18) + `"`, Malformed, 1<<20 + 2},
	} {
		found, end := First(c.source, Options{Aliases: map[string]string{"s": "clojure.set"}, Limits: limits.Limits{Memory: limits.MinMemory}})
		if found != c.found || end != c.end {
			t.Errorf("%.20q: got %d, %d, want %d, %d", c.source, found, end, c.found, c.end)
		}
	}
}
