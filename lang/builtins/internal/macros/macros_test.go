package macros

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/expand"
	"github.com/ptc-lang/ptc/lang/parser"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// malformed is the value that Fail unwinds with in these tests.
type malformed struct {
	at      value.Value
	message string
}

// newMacroExpansion returns an expansion as a compiler would, with gensyms counted from 1.
func newMacroExpansion(t *testing.T) *expand.Expansion {
	t.Helper()
	l := limits.Default()
	task := &value.Task{}
	task.Start(context.Background(), l.Memory, l.Steps, l.Timeout)
	n := 0
	return &expand.Expansion{
		T:  task,
		NS: "user",
		Gensym: func(prefix string) value.Value {
			n++
			return task.Symbol("", fmt.Sprint(prefix, "__", n))
		},
		Fail: func(at value.Value, format string, args ...any) {
			panic(malformed{at, fmt.Sprintf(format, args...)})
		},
		IsLocal:   func(sym value.Value) bool { return sym.AsSymbol().Name == "local" },
		Resolve:   func(sym value.Value) value.Value { return sym },
		IsMacro:   func(sym value.Value) bool { return sym.AsSymbol().Name == "and" },
		IsDefined: func(value.Value) bool { return false },
		Place:     func(value.Value) string { return "test.ptc:1" },
		Method:    func(string) {},

		MacroNamed: func(string) (value.Value, bool) { return value.Nil, false },
	}
}

func readMacroForm(t *testing.T, x *expand.Expansion, source string) value.Value {
	t.Helper()
	files := &token.FileSet{}
	form, _, _, err := parser.ParseOne(x.T, files.Add("test.ptc", source), 0, parser.Options{Limits: limits.Default()})
	if err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	return form
}

// expandMacro expands a call of a macro once.
func expandMacro(x *expand.Expansion, form value.Value) (out value.Value, failed *malformed) {
	defer func() {
		if r := recover(); r != nil {
			m, ok := r.(malformed)
			if !ok {
				panic(r)
			}
			failed = &m
		}
	}()
	ns, name := "clojure.core", expand.FormItems(form)[0].AsSymbol().Name
	if name == "is" || name == "testing" {
		ns = "clojure.test"
	}
	return macroOf(ns, name)(x, form), nil
}

// macroOf returns the macro of a name.
func macroOf(ns, name string) entry.MacroFunc {
	for _, area := range Entries() {
		for _, e := range area {
			if e.NS == ns && e.Name == name {
				return e.Macro
			}
		}
	}
	panic("no macro " + ns + "/" + name)
}

func TestExpansions(t *testing.T) {
	for _, tt := range []struct{ form, want string }{
		{"(let [a 1 b a] b)", "(let* [a 1 b a] b)"},
		{"(let [[a b] x] a)", "(let* [vec__1 x a (clojure.core/nth vec__1 0 nil) b (clojure.core/nth vec__1 1 nil)] a)"},
		{"(let [[a & r] x] a)", "(let* [vec__1 x seq__2 (clojure.core/seq vec__1) first__3 (clojure.core/first seq__2) " +
			"seq__2 (clojure.core/next seq__2) a first__3 r seq__2] a)"},
		{"(let [{:keys [a] b :x :or {a 1} :as m} y] a)", "(let* [map__1 (clojure.core/%kwargs y) m map__1 b (clojure.core/get map__1 :x) " +
			"a (clojure.core/get map__1 :a 1)] a)"},
		{"(fn f [a] a)", "(fn* f [a] a)"},
		{"(fn ([] 0) ([[a]] a))", "(fn* ([] 0) ([p__1] (let* [a (clojure.core/nth p__1 0 nil)] a)))"},
		{"(loop [i 0] (recur i))", "(loop* [i 0] (recur i))"},
		{"(loop [[a] x i 0] a)", "(loop* [loop__1 x i 0] (let* [a (clojure.core/nth loop__1 0 nil)] a))"},
		{"(loop [[a] x b a] b)", "(let* [loop__1 x a (clojure.core/nth loop__1 0 nil) b a] (loop* [loop__1 loop__1 b b] " +
			"(let* [a (clojure.core/nth loop__1 0 nil)] b)))"},
		{"(cond a 1 b 2 :else 3)", "(if a 1 (if b 2 3))"},
		{"(case local 1 :a (2 3) :b)", "(case* local [(1) :a (2 3) :b] (clojure.core/%no-match local))"},
		{"(case (f) 1 :a :b)", "(let* [case__1 (f)] (case* case__1 [(1) :a] :b))"},
		{"(condp = x 1 :a :b)", "(let* [expr__1 x] (if (= 1 expr__1) :a :b))"},
		{"(-> x (f 1) g)", "(g (f x 1))"},
		{"(->> x (f 1) g)", "(g (f 1 x))"},
		{"(doseq [x xs :when x] (f x))", "(%fold [x xs acc__1 nil] (if x (do (f x) nil) nil))"},
		{"(dotimes [i 3] (f i))", "(loop* [i 0] (if (clojure.core/< i 3) (do (f i) (recur (clojure.core/inc i))) nil))"},
		{"(.. x f (g 1))", "(. (. x f) (g 1))"},
	} {
		x := newMacroExpansion(t)
		out, failed := expandMacro(x, readMacroForm(t, x, tt.form))
		if failed != nil {
			t.Errorf("%s: %s", tt.form, failed.message)
			continue
		}
		got := strings.ReplaceAll(x.T.PrStr(out).AsString().S, "clojure.core/%fold", "%fold")
		if got != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.form, got, tt.want)
		}
	}
}

func TestMalformed(t *testing.T) {
	for _, tt := range []struct{ form, want string }{
		{"(let [a 1 b] b)", "let: bindings come in pairs, got 3 forms: b has no value"},
		{"(let (a 1) a)", "let: got (a 1) (list), want a vector of bindings"},
		{"(let [{:name name} {}] name)", "{name :name}"},
		{"(let [[a & b c] x] a)", "only :as can follow &"},
		{"(fn [a &] a)", "exactly one parameter behind &"},
		{"(defn f)", "defn: want parameters behind the name"},
		{"(cond 1)", "cond requires an even number of forms, got 1"},
		{"(case 1 2 3 2 4)", "Duplicate case test constant: 2"},
		{"(for [x [1] :until x] x)", "Invalid 'for' keyword :until"},
		{"(if-let [a 1 b 2] a)", "if-let: got 4 forms in the binding vector, want exactly 2"},
		{"(defprotocol P (f []))", "must take at least one arg"},
		{"(defrecord R [a a])", "field a is given twice"},
		{"(while)", "while: got 0 forms, want (while test body…)"},
	} {
		x := newMacroExpansion(t)
		_, failed := expandMacro(x, readMacroForm(t, x, tt.form))
		if failed == nil {
			t.Errorf("%s is not refused", tt.form)
		} else if !strings.Contains(failed.message, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.form, failed.message, tt.want)
		}
	}
}

// TestExpansionPlaces checks that the expansion of a form has the place of the form, so that errors point
// at the program.
func TestExpansionPlaces(t *testing.T) {
	x := newMacroExpansion(t)
	const source = "(-> x (f 1) g)"
	out, _ := expandMacro(x, readMacroForm(t, x, source))
	for out.Kind() == value.KindList {
		items := expand.FormItems(out)
		name := items[0].AsSymbol()
		at := strings.Index(source, name.Name)
		if name.Name == "f" {
			at--
		}
		if got := int(expand.FormPos(out)) - 1; got != at {
			t.Errorf("call of %s stands at %d, want %d", name.Name, got, at)
		}
		out = items[1]
	}
}

// TestLongThread checks that a long thread takes no Go stack in the macro.
func TestLongThread(t *testing.T) {
	x := newMacroExpansion(t)
	forms := []value.Value{x.T.Symbol("", "->"), value.Int(0)}
	for range 200_000 {
		forms = append(forms, fnInc)
	}
	out, failed := expandMacro(x, x.T.List(forms...))
	if failed != nil {
		t.Fatal(failed.message)
	}
	depth := 0
	for ; expand.IsList(out); depth++ {
		out = expand.FormItems(out)[1]
	}
	if depth != 200_000 {
		t.Errorf("depth %d", depth)
	}
}
