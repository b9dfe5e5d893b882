package ptc_test

import (
	"context"
	"errors"
	"testing"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
)

// evals runs sources in one session and returns the text of each value, or of the
// error's code.
func evals(t *testing.T, sources ...string) []string {
	t.Helper()
	sess := ptc.NewSession(ptc.Options{})
	var out []string
	for _, src := range sources {
		res, err := sess.Eval(context.Background(), src, ptc.EvalOptions{})
		var e *ptc.Error
		if errors.As(err, &e) {
			out = append(out, string(e.Code))
			continue
		}
		text, err := res.EDN()
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, text)
	}
	return out
}

func TestSession(t *testing.T) {
	for _, c := range []struct {
		name    string
		sources []string
		last    string
	}{
		{"definitions persist", []string{"(def x 1)", "(defn f [y] (+ x y))", "(f 2)"}, "3"},
		{"macros persist", []string{"(defn twice [x] (list 'do x x))", "(defmacro m [x] (twice x))", "(m 7)"}, "7"},
		{"a failed evaluation changes nothing", []string{"(def x 1)", "(def x 2) (/ 1 0)", "x"}, "1"},
		{"a failed definition is unknown", []string{"(def y 2) (/ 1 0)", "y"}, "unknown-name"},
		{"a compile error changes nothing", []string{"(def x 1)", "(def x 2) (foo)", "x"}, "1"},
		{"last values", []string{"1", "2", "3", "[*1 *2 *3]"}, "[3 2 1]"},
		{"last exception", []string{`(throw (ex-info "no" {:a 1}))`, "(ex-data *e)"}, "{:a 1}"},
		{"aliases persist", []string{"(require '[clojure.set :as s])", "(s/union #{1} #{1})"}, "#{1}"},
		{"a namespace stays current", []string{"(ns a.b)", "(def x 1)", "a.b/x"}, "1"},
		{"atoms keep their value", []string{"(def a (atom 0))", "(swap! a inc)", "(swap! a inc)", "@a"}, "2"},
		{"a macro that failed is gone", []string{"(defmacro m [] 1)", "(defmacro m [] 2) (/ 1 0)", "(m)"}, "1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := evals(t, c.sources...)
			if got[len(got)-1] != c.last {
				t.Errorf("got %q, want the last to be %s", got, c.last)
			}
		})
	}
}

func TestSessionKeepsWhatEvalDefines(t *testing.T) {
	s := ptc.NewSession(ptc.Options{})
	for _, step := range []struct{ source, want string }{
		{"(eval '(def q 5))", "#'user/q"},
		{"q", "5"},
		{"(def later 1) later", "1"},
		{"(do (intern *ns* 'w 7) (eval '(do (in-ns 'other) (def y 8))))", "#'other/y"},
		{"[user/w y (ns-name *ns*)]", "[7 8 other]"},
		{"(in-ns 'user) (load-string \"(defn two [x] [x x]) (defmacro twice [x] (cons 'do (two x)))\")", "#'user/twice"},
		{"(macroexpand '(twice 1))", "(do 1 1)"},
		{"(twice (+ 1 2))", "3"},
		{"(eval '(def o 1)) (def o 2) (eval '(def p 3)) (def p 4) (eval '(def p 5)) (defmacro both [] [o p])", "#'user/both"},
		{"[(both) o p]", "[[2 5] 2 5]"}, // macros see the definitions in their order
	} {
		res, err := s.Eval(context.Background(), step.source, ptc.EvalOptions{})
		if err != nil {
			t.Fatalf("%s: %v", step.source, err)
		}
		if got, _ := res.EDN(); got != step.want {
			t.Errorf("%s: got %s, want %s", step.source, got, step.want)
		}
	}
	// The definitions of a failed evaluation are gone, and no other name has their places.
	if _, err := s.Eval(context.Background(), "(eval '(def lost 1)) (/ 1 0)", ptc.EvalOptions{}); err == nil {
		t.Error("no error")
	}
	if _, err := s.Eval(context.Background(), "(declare fresh) fresh", ptc.EvalOptions{}); err == nil {
		t.Error("a declared name has a value")
	}
}

// TestSessionCode requires the code of all evaluations to count: each redefinition keeps the code before it, which is
// large if a macro makes it.
func TestSessionCode(t *testing.T) {
	const most = 16 << 20
	sess := ptc.NewSession(ptc.Options{Limits: ptc.Limits{Memory: most}})
	eval := func(source string) error {
		_, err := sess.Eval(t.Context(), source, ptc.EvalOptions{})
		return err
	}
	for _, source := range []string{`(def kept 1)`, `(def held (atom []))`,
		`(defmacro code [] (cons 'list (repeat 20 (list 'fn '[f x] (cons 'do (repeat 1000 '(f x x)))))))`} {
		if err := eval(source); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	var err error
	for source := `(def g (code))`; err == nil && n < 100; n++ {
		err = eval(source)
	}
	var failure *ptc.Error
	if !errors.As(err, &failure) || failure.Code != diag.MemoryExceeded || n < 3 {
		t.Fatalf("after %d evaluations: %v", n, err)
	}
	if err := eval(`(swap! held conj (code))`); err == nil {
		t.Error("an atom takes code beyond the limit")
	}
	if err := eval(`(inc kept)`); err != nil {
		t.Errorf("an evaluation without large code fails: %v", err)
	}
}
