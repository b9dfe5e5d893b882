// This file tests which pipelines become loops, and the known purity of functions that decides it.

package compile

import (
	"testing"

	"github.com/ptc-lang/ptc/lang/internal/entry"
)

// The ways in which a pipeline is compiled.
const (
	written = "as written"
	looped  = "loop"
	leaving = "loop that is left" // where a function fails, or has code of the program run
)

// fusionCases are functions of one pipeline with how it is compiled, and the functions that the code calls: those of
// stages stand there if the stage stays a sequence, or if the loop can be left.
var fusionCases = []struct{ source, how, calls string }{
	{`(fn [xs] (reduce + xs))`, looped, ""},
	{`(fn [xs] (reduce + 0 xs))`, looped, ""},
	{`(fn [xs] (reduce + 0 (map inc xs)))`, leaving, "map"},
	{`(fn [xs] (reduce + (filter odd? (map inc xs))))`, leaving, "filter map odd?"},
	{`(fn [xs f] (reduce + 0 (map f xs)))`, leaving, "%resume map"},
	{`(fn [xs f] (reduce f 0 (map inc xs)))`, looped, "map"},
	{`(fn [xs f] (reduce f 0 (map f xs)))`, looped, "map"},
	{`(fn [xs f g] (reduce + 0 (map f (map g xs))))`, leaving, "%resume map"},
	{`(fn [xs f] (reduce + 0 (map inc (map f xs))))`, leaving, "%resume map"},
	{`(fn [xs f] (reduce + 0 (map f (map inc xs))))`, leaving, "%resume map"},
	{`(fn [xs f] (reduce + 0 (map f (map identity xs))))`, leaving, "%resume identity map"},
	{`(fn [xs] (reduce + 0 (take 3 (map inc xs))))`, looped, "map take"},
	{`(fn [xs] (reduce + 0 (map-indexed + xs)))`, looped, "map-indexed"},
	{`(fn [xs] (into [] (map inc xs)))`, looped, "conj! persistent! transient"},
	{`(fn [xs] (into [] (map inc) xs))`, looped, "conj! persistent! transient"},
	{`(fn [xs f] (into [] (comp (map f) (filter f) (remove f) (keep f)) xs))`, looped, "conj! persistent! transient"},
	{`(fn [xs] (into [] (comp (map inc) (take 3)) xs))`, looped,
		"%bget %box %bset! conj! ensure-reduced persistent! transient"},
	{`(fn [xs] (into [] (comp (map inc) (drop 3)) xs))`, written, "comp drop into map"},
	{`(fn [xs] (transduce (comp (take-while odd?) (map inc)) + 0 xs))`, looped, "odd? reduced"},
	{`(fn [] (transduce (take-while odd?) + 0 (range)))`, looped, "%range odd? reduced"},
	{`(fn [] (reduce + (map inc (range))))`, leaving, "map range"},
	{`(fn [xs] (apply + (map inc xs)))`, leaving, "+ map"},
	{`(fn [xs f] (apply f (map inc xs)))`, written, "map"},
	{`(fn [xs] (apply + xs))`, looped, "+"},
	{`(fn [xs] (apply str (map inc xs)))`, written, "%apply-str map"},
	{`(fn [xs] (apply < (map inc xs)))`, written, "%apply-order map"},
	{`(fn [xs] (apply str xs))`, written, ""},
	{`(fn [xs] (into [] xs))`, written, "into"},
	{`(fn [xs] (into () (map inc xs)))`, written, "into map"},
	{`(fn [xs] (into #{} (map inc xs)))`, leaving, "conj! map persistent! transient"},
	{`(fn [xs] (into {} (map (fn [x] [x x]) xs)))`, looped, "conj! persistent! transient"},
	{`(fn [xs] (transduce (map inc) + xs))`, written, "map transduce"},
	{`(fn [xs] (transduce (map inc) + 0 xs))`, looped, ""},
	{`(fn [xs f] (transduce (map inc) (f) 0 xs))`, written, "map transduce"},
	{`(fn [xs] (mapv inc xs))`, looped, "conj! persistent! transient"},
	{`(fn [xs] (mapv inc (filter odd? xs)))`, leaving, "conj! filter odd? persistent! transient"},
	{`(fn [xs] (mapv + xs xs))`, written, "mapv"},
	{`(fn [xs] (filterv odd? xs))`, looped, "conj! odd? persistent! transient"},
	{`(fn [xs] (vec (map inc xs)))`, looped, "conj! persistent! transient"},
	{`(fn [xs] (vec xs))`, written, "vec"},
	{`(fn [xs] (set (keep :k xs)))`, leaving, "conj! keep persistent! transient"},
	{`(fn [xs] (count (remove nil? xs)))`, looped, ""},
	{`(fn [xs] (count xs))`, written, "count"},
	{`(fn [xs] (map inc (map inc xs)))`, written, "map"},
	{`(fn [xs] (->> xs (map inc) (filter odd?) (reduce +)))`, leaving, "filter map odd?"},
	{`(fn [xs] (first (map inc xs)))`, written, "map"},
	{`(fn [x] (first (drop-while odd? (iterate inc x))))`, written, "odd?"},
	{`(fn [p f x] (first (filter p (iterate f x))))`, written, ""},
	{`(fn [p f x] (first (take-while p (iterate f x))))`, written, "iterate take-while"},
	{`(fn [p f x y] (first (drop-while p (map f (iterate f x)))))`, written, "drop-while iterate map"},
	{`(fn [reduce xs] (reduce + 0 (map inc xs)))`, written, "map"},
}

func TestFusion(t *testing.T) {
	for _, c := range fusionCases {
		p := codeOf(t, c.source)
		how := written
		for _, op := range ops(p) {
			switch {
			case op == OpIterRest:
				how = leaving
			case op == OpIterNext && how == written:
				how = looped
			}
		}
		if got := called(p); how != c.how || got != c.calls {
			t.Errorf("%s\n got %s, calls %s\nwant %s, calls %s", c.source, how, got, c.how, c.calls)
		}
	}
}

// TestUnfused: nothing is fused where that is switched off, in a tree that is noted, and where arithmetic is unchecked.
func TestUnfused(t *testing.T) {
	env := NewEnv()
	env.Unfused = true
	protos, _, err := compileIn(t, env, "(reduce + 0 (map inc [1 2]))")
	if err != nil || called(protos[0]) != "map reduce" {
		t.Errorf("calls %s, error %v", called(protos[0]), err)
	}
	if got := called(codeOf(t, "(set! *unchecked-math* true) (fn [xs] (reduce + 0 (map inc xs)))")); got != "map reduce" {
		t.Errorf("unchecked, it calls %s", got)
	}
}

// TestPurity: the known purity of a function is that of the worst effect of its code.
func TestPurity(t *testing.T) {
	for _, c := range []struct {
		source string
		want   entry.Purity
	}{
		{"(fn [x] x)", entry.Total},
		{"(fn [x] [x 1])", entry.Total},
		{"(fn [x] (if (nil? x) 1 (identity x)))", entry.Total},
		{"(fn [x] (+ x 1))", entry.Pure},
		{"(fn [x] (loop [i 0] (if (< i x) (recur (inc i)) i)))", entry.Pure},
		{"(fn [x] (throw x))", entry.Pure},
		{"(fn [x] {x 1})", entry.Pure},
		{"(fn [x] (:k x))", entry.Reads},
		{"(fn [x] (= x 1))", entry.Reads},
		{"(fn [x] (first x))", entry.Reads},
		{"(fn [x] (count x))", entry.Reads},
		{"(def g 1) (fn [x] g)", entry.Reads},
		{"(fn [x] (x))", entry.Impure},
		{"(fn [x] @x)", entry.Impure},
		{"(fn [x] (println x))", entry.Impure},
		{"(fn [x] (map inc x))", entry.Impure},
		{"(fn [x] (swap! x inc))", entry.Impure},
		{"(fn [x] (try x (catch Exception e e)))", entry.Impure},
		{"(fn [x] (apply + x))", entry.Impure},
		{"(fn [x] (def y x))", entry.Impure},
	} {
		if got := entry.Purity(codeOf(t, c.source).Fn.Purity); got != c.want {
			t.Errorf("%s: purity %d, want %d", c.source, got, c.want)
		}
	}
}
