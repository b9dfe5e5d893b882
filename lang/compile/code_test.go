// This file defines the tests of the code that single expressions become: intrinsics, conditions, divisions of
// doubles, special forms.

package compile

import (
	"strings"
	"testing"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/internal/entry"
)

// codeCases are functions with the operations that they are compiled to.
var codeCases = []struct{ source, want string }{
	{`(fn [a b] (+ a b))`, "Add Return"},
	{`(fn [a b] (+ a b 1))`, "Add AddI Return"},
	{`(fn [a] (+ a 1))`, "AddI Return"},
	{`(fn [a] (- a 1))`, "AddI Return"},
	{`(fn [a] (+ a 40000))`, "Const Add Return"},
	{`(fn [a b] (- a b))`, "Sub Return"},
	{`(fn [a] (- a))`, "Move CallN Return"},
	{`(fn [a b] (* a b))`, "Mul Return"},
	{`(fn [a b] (/ a b))`, "Div Return"},
	{`(fn [a] (/ a 2.0))`, "Const DivDouble Return"},
	{`(fn [a] (inc a))`, "AddI Return"},
	{`(fn [a] (dec a))`, "AddI Return"},
	{`(fn [a b] (quot a b))`, "Quot Return"},
	{`(fn [a b] (rem a b))`, "Rem Return"},
	{`(fn [a b] (mod a b))`, "Mod Return"},
	{`(fn [a b] (< a b))`, "Lt Return"},
	{`(fn [a b c] (< a b c))`, "Move Move Move CallN Return"},
	{`(fn [a b] (<= a b))`, "Le Return"},
	{`(fn [a b] (> a b))`, "Lt Return"},
	{`(fn [a b] (>= a b))`, "Le Return"},
	{`(fn [a b] (= a b))`, "Eq Return"},
	{`(fn [a b] (== a b))`, "NumEq Return"},
	{`(fn [a b] (identical? a b))`, "Same Return"},
	{`(fn [a] (nil? a))`, "IsNil Return"},
	{`(fn [a b] (get a b))`, "Get Return"},
	{`(fn [a] (get a :k))`, "GetK Return"},
	{`(fn [a b] (get a b 1))`, "Move Move Int CallN Return"},
	{`(fn [a b] (nth a b))`, "Nth Return"},
	{`(fn [a b] (nth a b nil))`, "NthOr Return"},
	{`(fn [a b] (cons a b))`, "Cons Return"},
	{`(fn [a b c] (assoc a b c))`, "Assoc Return"},
	{`(fn [a b] (assoc a b 1 2 3))`, "Move Move Int Int Int CallN Return"},
	{`(fn [a] (nth a 1 nil))`, "NthK Return"},
	{`(fn [[a b]] b)`, "NthK NthK Return"},
	{`(fn [a] (zero? a))`, "Test Return"},
	{`(fn [a] (even? a))`, "Test Return"},
	{`(fn [a] (odd? a))`, "Test Return"},
	{`(fn [a] (seq a))`, "Seq Return"},
	{`(fn [a] (first a))`, "First Return"},
	{`(fn [a] (next a))`, "Next Return"},
	{`(fn [a] (rest a))`, "Rest Return"},
	{`(fn [a] (deref a))`, "Deref Return"},
	{`(fn [a b] (apply a b))`, "Move Move Apply Return"},
	{`(fn [a] (.length a))`, "Const Move MethodN Return"},
	{`(fn [a] (.hashCode a))`, "Move CallN Return"},
	{`(fn [a b] (.unheard-of a b))`, "Const Move Move Method Return"},
	{`(fn [a] (some? a))`, "Move CallN Return"},
	{`(fn [a] (pos? a))`, "Move CallN Return"},
	{`(fn [a] (neg? a))`, "Move CallN Return"},
	{`(fn [a b] (not= a b))`, "Move Move CallN Return"},
	{`(fn [a] (not a))`, "Not Return"},
	{`(fn [a b] (if (< a b) 1 2))`, "JNLt Int Return Int Return"},
	{`(fn [a b] (if (<= a b) 1 2))`, "JNLe Int Return Int Return"},
	{`(fn [a b] (if (> a b) 1 2))`, "JNLt Int Return Int Return"},
	{`(fn [a b] (if (>= a b) 1 2))`, "JNLe Int Return Int Return"},
	{`(fn [a b] (if (= a b) 1 2))`, "JNEq Int Return Int Return"},
	{`(fn [a] (if (< a 5) 1 2))`, "JNLtK Int Return Int Return"},
	{`(fn [a] (if (< 5 a) 1 2))`, "JNGtK Int Return Int Return"},
	{`(fn [a] (if (> a 5) 1 2))`, "JNGtK Int Return Int Return"},
	{`(fn [a] (if (= a :k) 1 2))`, "JNEqK Int Return Int Return"},
	{`(fn [a] (if (< a 5.0) 1 2))`, "Const JNLt Int Return Int Return"},
	{`(fn [a] (if (nil? a) 1 2))`, "JNotNil Int Return Int Return"},
	{`(fn [a] (if (some? a) 1 2))`, "JNil Int Return Int Return"},
	{`(fn [a] (if (pos? a) 1 2))`, "JNGtK Int Return Int Return"},
	{`(fn [a] (if (neg? a) 1 2))`, "JNLtK Int Return Int Return"},
	{`(fn [a b] (if (not= a b) 1 2))`, "JEq Int Return Int Return"},
	{`(fn [a] (if (not a) 1 2))`, "JTrue Int Return Int Return"},
	{`(fn [a b] (if (and a b) 1 2))`, "JFalse JFalse Int Return Int Return"},
	{`(fn [a b] (if (or a b) 1 2))`, "JTrue JFalse Int Return Int Return"},
	{`(fn [a] (if (let [b (inc a)] (< b a)) 1 2))`, "AddI Lt JFalse Int Return Int Return"},
	{`(fn [a] (when (not (and (pos? a) (nil? a))) 1))`, "JNGtK JNil Int Return Nil Return"},
	{`(fn [a] (:k a))`, "GetK Return"},
	{`(fn [a] (let [x (double a)] (/ x 0)))`, "Move CallN Int DivDouble Return"},
	{`(fn [a] (/ (Math/sqrt a) 0))`, "Move CallN Int DivDouble Return"},
	{`(fn [a] (/ (Math/abs a) 0))`, "Move CallN Int Div Return"},
	{`(fn [a] (/ (Math/abs 1.0) 0))`, "Const CallN Int DivDouble Return"},
	{`(fn [a] (/ (Math/signum a) 0))`, "Move CallN Int Div Return"},
	{`(fn [a] (/ (clojure.math/signum a) 0))`, "Move CallN Int DivDouble Return"},
	{`(fn [a] (/ (+ a Math/PI) 0))`, "Const Add Int DivDouble Return"},
	{`(fn [^double a] (/ a 0))`, "Int DivDouble Return"},
	{`(fn [a] (/ (if a 1.0 2.0) 0))`, "JFalse Const Jump Const Int DivDouble Return"},
	{`(fn [a] (/ (if a 1.0 2) 0))`, "JFalse Const Jump Int Int Div Return"},
	{`(fn [a b c] (loop [i a] (if (< i b) (recur (inc i)) i)))`, "Move JNLt AddI Loop Return"},
	{`(fn [a] (when a (recur (dec a))))`, "JFalse AddI Loop Nil Return"},
	{`(fn self [a] (self a))`, "Move CallS Return"},
	{`(fn [a] (a 1 2))`, "Move Int Int Call Return"},
	{`(fn [a] (str a 1))`, "Move Int CallN Return"},
	{`(fn [a] (throw a))`, "Throw"},
	{`(fn [a] (lazy-seq a))`, "Closure Lazy Return"},
	{`(fn [a] [a 1])`, "Move Int Vector Return"},
	{`(fn [a] {:k a})`, "Move Record Return"},
	{`(fn [a] #{a 1})`, "Int Move Set Return"},
	{`(fn [a] (fn [] a))`, "Closure Return"},
	{`(fn [a] (try (a) (catch Exception e e)))`, "Move Call Jump Catch JFalse Move Move Jump Throw Move Return"},
	{`(fn [a] (case a 1 :x (2 3) :y :z))`, "JNEqK Const Return JEqK JNEqK Const Return Const Return"},
}

func TestCode(t *testing.T) {
	for _, c := range codeCases {
		if got := show(codeOf(t, c.source)); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.source, got, c.want)
		}
	}
}

// TestIntrinsics: every intrinsic has a case as a value and as a test, and calls no function in one of them.
func TestIntrinsics(t *testing.T) {
	for e := range builtins.All() {
		if e.Intrinsic == entry.NoIntrinsic {
			continue
		}
		if asValue := instruction(e.Intrinsic) != nil; asValue != (e.Intrinsic < entry.IntrinsicSome) {
			t.Errorf("%s: an instruction as a value: %v", e.Name, asValue)
		}
		if e.Private { // programs can't call it: see TestPush
			continue
		}
		direct := false
		for _, c := range codeCases {
			if strings.Contains(c.source, "("+e.Name+" ") {
				direct = direct || !strings.Contains(c.want, "CallN") && !strings.Contains(c.want, "CallK")
			}
		}
		if !direct {
			t.Errorf("%s: no case is compiled to an instruction", e.Name)
		}
	}
}

// TestPush: the prelude fills its chunks without calls.
func TestPush(t *testing.T) {
	if got := show(codeOf(t, "(fn [n xs] (into [] (take n) xs))")); !strings.Contains(got, " Push ") {
		t.Errorf("got %s, want Push", got)
	}
}

// TestSpecials: each special form is the name of one entry, and has a function, unless it is a part of others.
func TestSpecials(t *testing.T) {
	names := make(map[entry.Special][]string)
	for e := range builtins.All() {
		if e.Special != entry.NotSpecial {
			names[e.Special] = append(names[e.Special], e.Name)
		}
	}
	for s := entry.SpecialDef; s <= entry.SpecialReserved; s++ {
		if got, want := specialForm(s) != nil, s < entry.SpecialCatch; got != want {
			t.Errorf("%v has a function: %v", names[s], got)
		}
		if n := len(names[s]); n == 0 || n > 1 && s != entry.SpecialHost && s != entry.SpecialReserved {
			t.Errorf("special form %d has the names %v", s, names[s])
		}
	}
	for c := entry.ConsumerReduce; c <= entry.ConsumerFirst; c++ {
		if consumerOf(c) == nil {
			t.Errorf("consumer %d has no function", c)
		}
	}
}

// TestShadowed: a definition of the program is never an intrinsic, a special form or a stage, whatever its name.
func TestShadowed(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{"(fn [inc a] (inc a))", "Move Move Call Return"},
		{"(defn inc [x] x) (fn [a] (inc a))", "Move CallG Return"},
		{"(defn when [x] x) (fn [a] (when a))", "Move CallG Return"},
		{"(fn [not a] (if (not a) 1 2))", "Move Move Call JFalse Int Return Int Return"},
		{"(ns a (:refer-clojure :exclude [=])) (defn = [x y] x) (fn [a] (if (= a 1) 1 2))", "Move Int CallG JFalse Int Return Int Return"},
		{"(fn [a] (clojure.core/inc a))", "AddI Return"},
	} {
		if got := show(codeOf(t, c.source)); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.source, got, c.want)
		}
	}
}

// TestUnchecked: arithmetic becomes calls of the unchecked functions after the program has said so.
func TestUnchecked(t *testing.T) {
	for _, c := range []struct{ expr, calls string }{
		{"(+ a b)", "unchecked-add"}, {"(+ a b 1)", "unchecked-add"}, {"(- a b)", "unchecked-subtract"}, {"(- a)", "unchecked-negate"},
		{"(* a b)", "unchecked-multiply"}, {"(inc a)", "unchecked-inc"}, {"(dec a)", "unchecked-dec"}, {"(int a)", "unchecked-int"},
		{"(char a)", "unchecked-char"}, {"(short a)", "unchecked-short"}, {"(byte a)", "unchecked-byte"}, {"(float a)", "unchecked-float"},
		{"(+ a)", "+"}, {"(long a)", "long"},
	} {
		got := called(codeOf(t, "(set! *unchecked-math* true) (fn [a b] "+c.expr+")"))
		if got != c.calls {
			t.Errorf("%s calls %s, want %s", c.expr, got, c.calls)
		}
		checked := called(codeOf(t, "(set! *unchecked-math* true) (set! *unchecked-math* false) (fn [a b] "+c.expr+")"))
		if strings.Contains(checked, "unchecked") {
			t.Errorf("%s calls %s when it is checked", c.expr, checked)
		}
	}
}
