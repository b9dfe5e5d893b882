//go:build probe

// This file tests the conversion of data at the border: the values that host data becomes, and the
// data that a result becomes, must be included in an account too.

package memtest

import (
	"context"
	"encoding/json"
	"fmt"
	mathbig "math/big"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// results are programs whose results are of every kind.
var results = []struct{ name, source string }{
	{"shared vectors", `(let [v (vec (repeat 10000 {:a 1}))] (vec (repeat 60 v)))`},
	{"shared maps", `(let [m {:a {:b [1 2 3]} :c "text" "d" 2.5}] (vec (repeat 50000 m)))`},
	{"a large map", `(zipmap (range 30000) (map str (range)))`},
	{"a map of keys of all kinds", `(into {} (mapcat (fn [i] [[i i] [(str "s" i) i] [[i] i] [(keyword (str "k" i)) i]])) (range 4000))`},
	{"deep nesting", `(vec (repeat 300 (nth (iterate vector 1) 400)))`},
	{"long strings with escapes", `(let [s (loop [s "\"\n\\\u2028" n 0] (if (< n 18) (recur (str s s) (inc n)) s))] (vec (repeat 6 s)))`},
	{"long strings", `(let [s (loop [s "xé" n 0] (if (< n 20) (recur (str s s) (inc n)) s))] [s s s])`},
	{"ratios", `(mapv (fn [i] (/ i 7)) (range 30000))`},
	{"large numbers", `(let [n (reduce *' (range 1 2000))] (vec (repeat 2000 n)))`},
	{"decimals", `(mapv (fn [i] (* i 1.5M)) (range 30000))`},
	{"records", `(do (defrecord P [x y]) (mapv (fn [i] (->P i (str i))) (range 20000)))`},
	{"sets with map keys", `(set (map (fn [i] {:i i {:k i} [i]}) (range 10000)))`},
	{"sequences not realised", `(map (fn [i] (map str (range (mod i 20)))) (range 10000))`},
	{"atoms", `(mapv (fn [i] (atom {:i i})) (range 10000))`},
	{"functions", `(mapv (fn [i] (fn [] i)) (range 20000))`},
	{"metadata", `(mapv (fn [i] (with-meta [i] {:i (str i)})) (range 20000))`},
	{"instants and uuids", `(mapv (fn [i] [#inst "2026-01-01" #uuid "00000000-0000-0000-0000-000000000001"]) (range 10000))`},
	{"exceptions", `(mapv (fn [i] (ex-info "failed" {:i i} (ex-info "cause" {}))) (range 5000))`},
	{"sorted", `(into (sorted-map) (map (fn [i] [i {:i i}])) (range 10000))`},
	{"a wide range", `(range 300000)`},
}

// afterRun watches the conversion of a result, which has a different meter from the run.
type afterRun struct {
	base  int64 // live bytes before
	every int64
	next  int64
	sum   int64
	gap   int64 // maximum of live bytes beyond the account
}

func (a *afterRun) watch(m *limits.Meter, n int64) {
	if a.sum += n; a.sum < a.next {
		return
	}
	a.next = a.sum + a.every
	a.check(m.Used())
}

func (a *afterRun) check(used int64) {
	var o oracle
	live := o.heap() - a.base
	if live > used+slackUsed {
		live = min(live, o.heap()-a.base)
	}
	a.gap = max(a.gap, live-used)
}

// counted counts the bytes written.
type counted struct{ n int64 }

func (c *counted) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return len(p), nil
}

func TestAccountKnowsResults(t *testing.T) {
	oneProcessor(t)
	sizes, samples := []int64{16 << 20}, int64(3)
	if *thorough {
		sizes, samples = append(sizes, 64<<20), 8
	}
	for _, memory := range sizes {
		for _, r := range results {
			t.Run(fmt.Sprintf("%s, %d MB", r.name, memory>>20), func(t *testing.T) { resultUnderOracle(t, r.source, memory, samples) })
		}
	}
}

func resultUnderOracle(t *testing.T, source string, memory, samples int64) {
	prog, err := ptc.Compile(context.Background(), "p", source, ptc.Options{Limits: ptc.Limits{
		Memory: memory, ResultBytes: 1 << 40, Timeout: 10 * time.Minute, Steps: 1 << 40}})
	if err != nil {
		t.Fatal(err)
	}
	res, err := prog.Run(context.Background(), quiet)
	if err != nil {
		t.Fatal(err)
	}
	var o oracle
	for name, convert := range map[string]func() (any, error){
		"a Go value": res.Value,
		"EDN":        func() (any, error) { return nil, res.WriteEDN(context.Background(), &counted{}) },
		"JSON":       func() (any, error) { return nil, res.WriteJSON(context.Background(), &counted{}, true) },
	} {
		o.heap()
		a := &afterRun{base: o.heap(), every: memory / samples}
		most := int64(0)
		limits.Probe = func(m *limits.Meter, n int64) {
			most = max(most, m.Used())
			a.watch(m, n)
		}
		x, err := convert()
		limits.Probe = nil
		a.check(most) // including all of the Go value
		runtime.KeepAlive(x)
		if a.gap > slackUsed {
			t.Errorf("%s: %d bytes live beyond the account (%v)", name, a.gap, err)
		}
		if most > memory+256<<10 {
			t.Errorf("%s: %d bytes charged of a run that may hold %d", name, most, memory)
		}
		if code := outcome(err); code != "ok" && (name != "a Go value" || code != "memory-exceeded") &&
			code != "nesting-too-deep" {
			t.Errorf("%s: got %v", name, err)
		}
	}
	runtime.KeepAlive(res)
}

// row is host data that is converted through JSON.
type row struct {
	ID   int               `json:"id"`
	Name string            `json:"name"`
	Tags map[string]string `json:"tags"`
	When time.Time         `json:"when"`
}

func inputs() map[string]any {
	var objects, texts, large []any
	var rows []row
	bigMap, tags := make(map[string]any), make(map[string]string)
	for i := range 20_000 {
		objects = append(objects, map[string]any{"id": i, "name": fmt.Sprint("name ", i), "score": float64(i) / 3})
		texts = append(texts, strings.Repeat("x", i%200))
		large = append(large, new(mathbig.Int).Lsh(mathbig.NewInt(int64(i)+1), 200))
		rows = append(rows, row{i, "n", map[string]string{"a": fmt.Sprint(i)}, time.Unix(int64(i), 0)})
		bigMap[fmt.Sprint("key ", i)] = i
		tags[fmt.Sprint("tag ", i)] = strings.Repeat("y", i%100)
	}
	text, err := json.Marshal(objects)
	if err != nil {
		panic(err)
	}
	return map[string]any{"objects": objects, "texts": texts, "numbers": large, "rows": rows, "a large map": bigMap,
		"JSON":  json.RawMessage(text),
		"bytes": make([]byte, 4<<20), "a row": row{Tags: tags}, "floats": make([]float64, 100_000), "strings": strings.Split(strings.Repeat("word ", 50_000), " ")}
}

func TestAccountKnowsInputs(t *testing.T) {
	oneProcessor(t)
	for name, data := range inputs() {
		for _, memory := range []int64{1 << 20, 64 << 20} {
			prog, err := ptc.Compile(context.Background(), "in.ptc", "(count (str data/x))", ptc.Options{Limits: ptc.Limits{Memory: memory}})
			if err != nil {
				t.Fatal(err)
			}
			in := ptc.RunOptions{Data: map[string]any{"x": data}}
			prog.Run(context.Background(), in) // makes the values that the library makes once
			o := &oracle{every: max(256<<10, memory/64), seed: 1}
			o.heap()
			o.base = o.heap()
			limits.Probe = o.watch
			_, err = prog.Run(context.Background(), in)
			limits.Probe = nil
			runtime.KeepAlive(data)
			if o.gap > slackUsed || o.live > memory+slackCap {
				t.Errorf("%s in %d MB: %d bytes live beyond the account, %d in all (%v)", name, memory>>20, o.gap, o.live, err)
			}
			if code := outcome(err); code != "ok" && (memory > 1<<20 || code != "memory-exceeded") {
				t.Errorf("%s in %d MB: got %v", name, memory>>20, err)
			}
		}
	}
}
