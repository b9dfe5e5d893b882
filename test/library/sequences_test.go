package library

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc"
)

// result runs source and returns its value as a string.
func result(t *testing.T, source string, opts ptc.Options) string {
	t.Helper()
	res, err := ptc.Run(context.Background(), source, opts)
	if err != nil {
		t.Errorf("%s: %v", source, err)
		return ""
	}
	text, err := res.EDN()
	if err != nil {
		t.Errorf("%s: %v", source, err)
	}
	return text
}

// streams walk a sequence that would take 5 MB or more as a whole, several times the memory of the run.
var streams = []struct{ source, want string }{
	{"(reduce + (map inc (range 200000)))", "20000100000"},
	{"(last (map inc (range 200000)))", "200000"},
	{"(let [s (map inc (range 200000))] (count s))", "200000"},
	{"(nth (map inc (range)) 60000)", "60001"},
	{"(some #(when (> % 60000) %) (iterate inc 0))", "60001"},
	{"(reduce + (take-while #(< % 60000) (iterate inc 0)))", "1799970000"},
	{"(first (filter #(> % 60000) (iterate inc 0)))", "60001"},
	{"(first (remove #(< % 60000) (iterate inc 0)))", "60000"},
	{"(first (keep #(when (> % 60000) %) (iterate inc 0)))", "60001"},
	{"(first (drop 60000 (iterate inc 0)))", "60000"},
	{"(first (drop-while #(< % 60000) (iterate inc 0)))", "60000"},
	{"(count (take 2 (distinct (map #(quot % 60000) (iterate inc 0)))))", "2"},
	{"(count (mapcat (fn [x] [x x]) (range 60000)))", "120000"},
	{"(count (partition 2 (range 120000)))", "60000"},
	{"(count (partition-all 7 (map inc (range 140000))))", "20000"},
	{"(count (partition-by even? (range 40000)))", "40000"},
	{"(count (interleave (range 40000) (range 40000)))", "80000"},
	{"(count (interpose 0 (range 60000)))", "119999"},
	{"(count (reductions + (range 60000)))", "60000"},
	{"(count (flatten (map (fn [x] [x [x]]) (range 40000))))", "80000"},
	{"(count (sequence (comp (map inc) (filter even?)) (range 120000)))", "60000"},
	{"(count (take 60000 (cycle (map inc [1 2 3]))))", "60000"},
	{"(count (take 60000 (repeatedly (constantly 1))))", "60000"},
	{"(frequencies (map #(mod % 3) (range 60000)))", "{0 20000, 1 20000, 2 20000}"},
	{"(do (run! identity (map inc (range 100000))) (dorun (map inc (range 100000))))", "nil"},
	{"(loop [s (map inc (range 100000)) n 0] (if (seq s) (recur (rest s) (inc n)) n))", "100000"},
}

// skipLong leaves a test out with -short, as the race detector runs: it takes minutes
// under that, and nothing in it is concurrent.
func skipLong(t *testing.T) {
	if testing.Short() {
		t.Skip("long, with -short")
	}
}

// A sequence that is walked once is never held as a whole.
func TestStreaming(t *testing.T) {
	skipLong(t)
	opts := ptc.Options{Limits: ptc.Limits{Memory: 1 << 20}}
	for _, c := range streams {
		if got := result(t, c.source, opts); got != c.want {
			t.Errorf("%s gives %s, want %s", c.source, got, c.want)
		}
	}
}

// A native, and the steps of a sort that calls the program, begin again after a
// refused charge, to the same effect.
func TestSequencesUnderPressure(t *testing.T) {
	skipLong(t)
	sources := []string{
		"(hash (sort-by - (map #(mod (* % 7919) 4001) (range 4000))))",
		"(hash (sort (fn [a b] (< a b)) (map #(mod (* % 7919) 4001) (range 4000))))",
		"(hash (group-by #(mod % 7) (range 4000)))",
		"(hash (into {} (map (fn [x] [x (str x)]) (range 1500))))",
		"(hash (partition-all 3 (distinct (map #(mod % 700) (range 4000)))))",
		"(hash (frequencies (map #(mod % 500) (range 4000))))",
		"(hash (zipmap (range 1500) (map inc (range))))",
		"(hash (vec (sequence (comp (partition-all 2) cat (map inc)) (range 4000))))",
	}
	for _, src := range sources {
		want := result(t, src, ptc.Options{})
		for memory := int64(512 << 10); memory < 2<<20; memory += 64 << 10 {
			res, err := ptc.Run(context.Background(), src, ptc.Options{Limits: ptc.Limits{Memory: memory}})
			if err != nil {
				continue // too little to hold the result at all
			}
			if got, _ := res.EDN(); got != want {
				t.Errorf("%s in %d bytes gives %s, want %s", src, memory, got, want)
			}
		}
	}
}

// A sort is the same by a builtin comparator and by one of the program, for every
// length around the borders of its runs, and stable.
func TestSort(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 70 {
		keys := make([]int, n)
		var pairs strings.Builder
		for i := range keys {
			keys[i] = rng.IntN(n/2 + 1)
			fmt.Fprintf(&pairs, "[%d %d]", keys[i], i)
		}
		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return keys[a] - keys[b] })
		want := strings.ReplaceAll(fmt.Sprint(order), ",", "")
		for _, sort := range []string{"sort-by first", "sort-by first (fn [a b] (- a b))", "sort-by first (fn [a b] (< a b))",
			"sort (fn [a b] (compare (first a) (first b)))", "sort-by first compare"} {
			if got := result(t, "(mapv second ("+sort+" ["+pairs.String()+"]))", ptc.Options{}); got != want {
				t.Fatalf("%s of %s gives %s, want %s", sort, pairs.String(), got, want)
			}
		}
	}
}
