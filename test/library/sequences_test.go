package library

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/testlevel"
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

// streams walk a sequence of N elements, or of five times as many. It would take 5 or 50 MB as a whole, several times
// the memory of the run.
var streams = []struct {
	source            string
	n                 int
	want, wantOfLarge string
}{
	{"(reduce + (map inc (range N)))", 200_000, "20000100000", "500000500000"},
	{"(last (map inc (range N)))", 200_000, "200000", "1000000"},
	{"(let [s (map inc (range N))] (count s))", 200_000, "200000", "1000000"},
	{"(nth (map inc (range)) N)", 60_000, "60001", "300001"},
	{"(some #(when (> % N) %) (iterate inc 0))", 60_000, "60001", "300001"},
	{"(reduce + (take-while #(< % N) (iterate inc 0)))", 60_000, "1799970000", "44999850000"},
	{"(first (filter #(> % N) (iterate inc 0)))", 60_000, "60001", "300001"},
	{"(first (remove #(< % N) (iterate inc 0)))", 60_000, "60000", "300000"},
	{"(first (keep #(when (> % N) %) (iterate inc 0)))", 60_000, "60001", "300001"},
	{"(first (drop N (iterate inc 0)))", 60_000, "60000", "300000"},
	{"(first (drop-while #(< % N) (iterate inc 0)))", 60_000, "60000", "300000"},
	{"(count (take 2 (distinct (map #(quot % N) (iterate inc 0)))))", 60_000, "2", "2"},
	{"(count (mapcat (fn [x] [x x]) (range N)))", 60_000, "120000", "600000"},
	{"(count (partition 2 (range N)))", 120_000, "60000", "300000"},
	{"(count (partition-all 7 (map inc (range N))))", 140_000, "20000", "100000"},
	{"(count (partition-by even? (range N)))", 40_000, "40000", "200000"},
	{"(count (interleave (range N) (range N)))", 40_000, "80000", "400000"},
	{"(count (interpose 0 (range N)))", 60_000, "119999", "599999"},
	{"(count (reductions + (range N)))", 60_000, "60000", "300000"},
	{"(count (flatten (map (fn [x] [x [x]]) (range N))))", 40_000, "80000", "400000"},
	{"(count (sequence (comp (map inc) (filter even?)) (range N)))", 120_000, "60000", "300000"},
	{"(count (take N (cycle (map inc [1 2 3]))))", 60_000, "60000", "300000"},
	{"(count (take N (repeatedly (constantly 1))))", 60_000, "60000", "300000"},
	{"(frequencies (map #(mod % 3) (range N)))", 60_000, "{0 20000, 1 20000, 2 20000}", "{0 100000, 1 100000, 2 100000}"},
	{"(do (run! identity (map inc (range N))) (dorun (map inc (range N))))", 100_000, "nil", "nil"},
	{"(loop [s (map inc (range N)) n 0] (if (seq s) (recur (rest s) (inc n)) n))", 100_000, "100000", "500000"},
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
		n, want := c.n, c.want
		if testlevel.All() {
			n, want = 5*n, c.wantOfLarge
		}
		source := strings.ReplaceAll(c.source, "N", fmt.Sprint(n))
		if got := result(t, source, opts); got != want {
			t.Errorf("%s gives %s, want %s", source, got, want)
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
