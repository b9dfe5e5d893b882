// This file tests the places of errors: where the error is shown, and which calls of the program led there.

package check

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc"
)

func TestErrorPlaces(t *testing.T) {
	for _, test := range []struct {
		name, source string
		place        string // line:column
		calls        string // the functions of the program that were active
	}{
		{"in a function", "(defn f [x]\n  (let [y 1]\n    (/ y x)))\n(f 0)", "3:5", "user/f"},
		{"deep", "(defn k [n]\n (if (zero? n) (/ 1 0)\n (inc (k (dec n)))))\n(k 2)", "2:16", "user/k user/k user/k"},
		{"in an argument", "[1\n (inc :a)]", "2:7", ""},
		{"arity", "(let [f (fn [x] x)]\n  (f\n 1 2))", "2:3", ""},
		{"builtin", "(nth\n [1] 5)", "1:1", ""},
		{"library function", "(into {}\n  [1 2])", "1:1", ""},
		{"function given to the library", "(update {:a 1} :a\n  (fn [x] (/ x 0)))", "2:11", "user/fn"},
		{"builtin given to the library", "(-> {:a 1}\n  (update :a inc)\n  (update :b inc))", "3:3", ""},
		{"fused pipeline", "(->> [1 2 :a]\n  (map inc)\n  (filter odd?)\n  (reduce +))", "4:3", ""},
		{"key function of sort-by", "(sort-by (fn [x]\n  (/ 1 x)) [1 0])", "2:3", "user/fn"},
		{"comparator of sort", "(sort (fn [a b]\n  (/ 1 0)) [1 0])", "2:3", "user/fn"},
		{"order of sort", "(first\n (sort [1 :a]))", "2:2", ""},
		{"comparator of a sorted map", "(sorted-map-by (fn [a b]\n (/ 1 0)) 1 2 3 4)", "2:2", "user/fn"},
		{"lazy, computed later", "(def s (map (fn [x]\n  (/ 1 x))\n [1 0]))\n(println\n  s)", "2:3", "user/fn"},
		{"lazy, of the library, computed later", "(def s (map inc\n [1 :a]))\n\n(count\n  s)", "4:1", ""},
		{"lazy, computed with the result", "(+ 1 2)\n(interleave [1]\n 5)", "2:1", ""},
		{"lazy in a literal, computed with the result", "(+ 1 2)\n[(interleave [1]\n 5)]", "2:2", ""},
		{"for", "(for [x [1 2]\n      y [0]]\n  (/ x y))", "3:3", "user/fn user/fn"},
		{"delay", "(def d (delay\n   (/ 1 0)))\n\n(deref d)", "2:4", "user/fn"},
		{"macro", "(defmacro boom [x]\n `(/ ~x 0))\n\n(defn g []\n  (boom 1))\n(g)", "5:3", "user/g"},
		{"macro that fails", "(defmacro boom [x]\n (/ 1 0))\n\n(boom 1)", "4:1", ""},
		{"macro whose form fails later", "(defmacro boom [x]\n (map inc [:a]))\n\n(boom 1)", "4:1", ""},
		{"threaded", "(cond-> 1\n true (/ 0))", "2:7", ""},
		{"eval", "(inc 1)\n(inc\n (eval '(do (/ 1 0))))", "3:2", "user/eval"},
		{"eval of text", "(inc\n (eval (read-string \"(do\\n\\n (/ 1 0))\")))", "2:2", "user/eval"},
		{"function that eval made", "(def f (eval '(fn [] (/ 1 0))))\n\n(f)", "3:1", "user/fn"},
		{"eval that does not compile", "(inc\n (eval '(nope)))", "2:2", ""},
		{"toString", "(str (reify Object\n (toString [_] (/ 1 0))))", "2:16", "user/toString reify"},
		{"protocol", "(defprotocol P (m [x]))\n(deftype T [] P (m [_]\n  (/ 1 0)))\n(m (T.))", "3:3", "user/m T"},
		{"multimethod", "(defmulti mm :k)\n(defmethod mm :a [_]\n (/ 1 0))\n(mm {:k :a})", "3:2", "user/mm :a"},
		{"multimethod without method", "(defmulti mm :k)\n\n(mm {:k :b})", "3:1", ""},
		{"thrown in catch", "(try\n (/ 1 0)\n (catch Exception e\n  (throw (ex-info \"w\" {} e))))", "4:3", ""},
		{"through finally", "(try\n (/ 1 0)\n (finally (println 1)))", "2:2", ""},
		{"thrown again", "(try\n (/ 1 0)\n (catch Exception e\n  (throw e)))", "2:2", ""},
		{"fail", "(inc\n (fail \"x\"))", "2:2", ""},
		{"assert", "(defn f [x]\n  (assert (pos? x)))\n(f 0)", "2:3", "user/f"},
		{"destructuring", "(let [[a b] 5]\n a)", "1:8", ""},
		{"case", "(inc (case 5\n 1 1))", "1:6", ""},
		{"method", "(inc\n (.substring \"abc\" 10))", "2:3", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := ptc.Run(context.Background(), test.source, ptc.Options{})
			var e *ptc.Error
			if !errors.As(err, &e) {
				t.Fatalf("got %v", err)
			}
			if got := e.Span.String(); got != "program.ptc:"+test.place {
				t.Errorf("at %s, want %s: %v", got, test.place, e)
			}
			var calls []string
			for _, f := range e.Frames {
				if strings.HasPrefix(f.Function, "user/") {
					calls = append(calls, f.Function)
				}
				if strings.Contains(f.Function, "/%") {
					t.Errorf("the trace names %s", f.Function)
				}
				if f.Function == "top level" && f.Span.IsZero() {
					t.Error("the top level has no place")
				}
			}
			if got := strings.Join(calls, " "); got != test.calls {
				t.Errorf("calls %q, want %q", got, test.calls)
			}
		})
	}
}

// TestWorkerTrace requires the trace of an error in a worker to go on with the calls around
// the operation, without a top level of the worker's own.
func TestWorkerTrace(t *testing.T) {
	_, err := ptc.Run(t.Context(), "(defn f [x]\n (/ 1 x))\n(defn g []\n (pmap f [0]))\n(g)", ptc.Options{})
	var e *ptc.Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v", err)
	}
	var got []string
	for _, f := range e.Frames {
		if !strings.HasPrefix(f.Function, "clojure.core/") {
			got = append(got, f.Function+" "+f.Span.String())
		}
	}
	want := "user/f program.ptc:2:2, user/g program.ptc:4:2, top level program.ptc:5:1"
	if strings.Join(got, ", ") != want {
		t.Errorf("got %s\nwant %s", strings.Join(got, ", "), want)
	}
}

// TestRoundSizes requires a limit to be told as it was given.
func TestRoundSizes(t *testing.T) {
	_, err := ptc.Run(t.Context(), "(vec (range 1000000))", ptc.Options{Limits: ptc.Limits{Memory: 1 << 20}})
	if err == nil || !strings.HasSuffix(err.Error(), "it may hold 1 MB") {
		t.Errorf("got %v", err)
	}
}
