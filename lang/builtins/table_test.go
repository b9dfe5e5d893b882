// This file tests that the entries of the table are complete, and that their facts are consistent.

package builtins

import (
	"slices"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc/lang/internal/entry"
)

// TestEntries: an entry is one thing, has documentation and examples if programs may use it, and parameters that can
// be read.
func TestEntries(t *testing.T) {
	n := 0
	for e := range All() {
		n++
		kinds := 0
		for _, is := range []bool{e.Fn != nil, e.Source != "", e.Macro != nil, e.IsForm(), e.Var} {
			if is {
				kinds++
			}
		}
		if kinds != 1 {
			t.Errorf("%s is %d things", e.Qualified(), kinds)
		}
		if e.NS == "" || e.Name == "" || e.Cost == 0 {
			t.Errorf("%s has no namespace, name or cost", e.Qualified())
		}
		if (e.Macro != nil || e.IsForm()) != (e.Cost == entry.Syntax) {
			t.Errorf("%s: the cost of syntax is that of macros and special forms, and of no others", e.Qualified())
		}
		if !e.Private && (e.Doc == "" || len(e.Examples) == 0) {
			t.Errorf("%s has no documentation or no example", e.Qualified())
		}
		for _, x := range e.Examples {
			if !strings.Contains(x, " => ") && !strings.Contains(x, " !") {
				t.Errorf("%s: an example has no value and no code: %s", e.Qualified(), x)
			}
		}
		if e.Settable && !e.Var || e.Setting != entry.NoSetting && !e.Var {
			t.Errorf("%s is settable, or a setting, and no var", e.Qualified())
		}
	}
	if n < 1400 {
		t.Errorf("%d entries", n)
	}
}

// TestSignatures: the arities of an entry differ, one at most takes any number of arguments, and that is the longest.
func TestSignatures(t *testing.T) {
	for e := range All() {
		if e.Var {
			continue
		}
		counts := make(map[int]bool)
		rests, longest := 0, 0
		for _, s := range e.Signatures() {
			if len(s.Names) != len(s.Kinds) {
				t.Errorf("%s: %d names, %d kinds", e.Qualified(), len(s.Names), len(s.Kinds))
			}
			if s.Rest {
				rests++
				longest = len(s.Names) - 1
			} else if counts[len(s.Names)] {
				t.Errorf("%s has two arities of %d", e.Qualified(), len(s.Names))
			} else {
				counts[len(s.Names)] = true
			}
			for i, name := range s.Names {
				if slices.Contains(s.Names[:i], name) && e.NS != "." { // a method is called on x
					t.Errorf("%s has two parameters named %s", e.Qualified(), name)
				}
			}
		}
		for n := range counts {
			if rests > 0 && n > longest {
				t.Errorf("%s has an arity of %d beside one of any number from %d on", e.Qualified(), n, longest)
			}
		}
		if rests > 1 {
			t.Errorf("%s has %d arities of any number", e.Qualified(), rests)
		}
	}
}

func TestArity(t *testing.T) {
	for _, c := range []struct {
		ns, name    string
		least, most int
		takes       []bool // 0, 1, 2, 3, 4 arguments
	}{
		{"clojure.core", "inc", 1, 1, []bool{false, true, false, false, false}},
		{"clojure.core", "+", 0, -1, []bool{true, true, true, true, true}},
		{"clojure.core", "-", 1, -1, []bool{false, true, true, true, true}},
		{"clojure.core", "map", 1, -1, []bool{false, true, true, true, true}},
		{"clojure.core", "reduce", 2, 3, []bool{false, false, true, true, false}},
		{"clojure.core", "get", 2, 3, []bool{false, false, true, true, false}},
		{"clojure.core", "assoc", 1, -1, nil},
		{"clojure.core", "if", 2, 3, []bool{false, false, true, true, false}},
		{"clojure.core", "let", 1, -1, []bool{false, true, true, true, true}},
		{"clojure.string", "join", 1, 2, []bool{false, true, true, false, false}},
		{"Math", "pow", 2, 2, []bool{false, false, true, false, false}},
	} {
		e := Lookup(c.ns, c.name)
		if least, most := e.Arity(); least != c.least && c.takes != nil || most != c.most {
			t.Errorf("%s takes %d to %d, want %d to %d", e.Qualified(), least, most, c.least, c.most)
		}
		for n, want := range c.takes {
			if got := e.Takes(n); got != want {
				t.Errorf("%s takes %d: %v", e.Qualified(), n, got)
			}
		}
	}
}

// TestFactsAgree: each fact of an entry agrees with its parameters and its other facts.
func TestFactsAgree(t *testing.T) {
	for e := range All() {
		c := e.Calls
		if c.Times == entry.TimesUnknown && (c.First != 0 || c.Last != 0 || c.Least != 0 || c.Parallel) ||
			c.Times != entry.TimesUnknown && c.When == entry.CallsNone {
			t.Errorf("%s tells of calls that it does not make: %+v", e.Qualified(), c)
		}
		if c.Times != entry.TimesUnknown {
			if c.Last < c.First || c.First >= max(c.Least, 1) || !e.Takes(int(c.Least)) {
				t.Errorf("%s: the functions are not among the arguments: %+v", e.Qualified(), c)
			}
			if least, _ := e.Arity(); int(c.Least) < least {
				t.Errorf("%s takes no call with %d arguments", e.Qualified(), c.Least)
			}
		}
		if e.Endless != entry.EndlessNever && !e.Takes(int(e.Endless)-1) {
			t.Errorf("%s takes no call with %d arguments", e.Qualified(), e.Endless-1)
		}
		if e.Doubles != entry.DoubleUnknown && e.Fn == nil || e.Fusion != entry.NotFused && e.Source == "" ||
			e.Makes != entry.MakesUnknown && e.Source == "" {
			t.Errorf("%s is no function, and has facts of one", e.Qualified())
		}
		if (e.Intrinsic != entry.NoIntrinsic || e.Fusion != entry.NotFused || e.Unchecked != "" || e.Bare || e.Special != entry.NotSpecial) && e.NS != entry.CoreNS {
			t.Errorf("%s is not in clojure.core, and the compiler has code of its own for it", e.Qualified())
		}
		if e.Bare && !e.IsForm() {
			t.Errorf("%s is no special form, and syntax-quote leaves it alone", e.Qualified())
		}
		if e.Is(entry.BindsFreely|entry.EndsInBody|entry.Threads|entry.Unevaluated|entry.GuardsBody|entry.TestsInOrder) &&
			e.Macro == nil && !e.IsForm() {
			t.Errorf("%s is no macro and no special form, and has facts of one", e.Qualified())
		}
		if e.Is(entry.TrueAlone) && e.Is(entry.FalseAlone) || e.Is(entry.TrueAlone|entry.FalseAlone) && !e.Takes(1) {
			t.Errorf("%s is not known to be true alone, or false", e.Qualified())
		}
		for _, name := range strings.FieldsFunc(e.Unchecked, func(r rune) bool { return r == '|' }) {
			if Core(name) == nil || Core(name).Private {
				t.Errorf("%s: there is no %s", e.Name, name)
			}
		}
		if e.AsFn != "" && Lookup(e.NS, e.AsFn) == nil {
			t.Errorf("%s: there is no %s", e.Qualified(), e.AsFn)
		}
		if e.Purity != entry.Impure && (e.Is(entry.MakesCells) && e.Fn == nil || e.Is(entry.NeverReturns) || c.Parallel) {
			t.Errorf("%s is known to be pure", e.Qualified())
		}
	}
}

func TestLookup(t *testing.T) {
	for _, c := range []struct{ ns, name, want string }{
		{"clojure.core", "map", "clojure.core/map"}, {"clojure.string", "join", "clojure.string/join"}, {"Math", "abs", "Math/abs"},
		{"clojure.core", "join", ""}, {"clojure.string", "map", ""}, {"", "map", ""},
	} {
		got := ""
		if e := Lookup(c.ns, c.name); e != nil {
			got = e.Qualified()
		}
		if got != c.want {
			t.Errorf("%s/%s is %q, want %q", c.ns, c.name, got, c.want)
		}
	}
	for name, want := range map[string]string{"map": "clojure.core/map", "testing": "clojure.test/testing", "let*": "clojure.core/let*", "nope": ""} {
		got := ""
		if e := Named(name); e != nil {
			got = e.Qualified()
		}
		if got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
