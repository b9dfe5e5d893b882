// This file tests that Go values are charged for the memory they take.

package ptc

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/lang/eval"
	"github.com/ptc-lang/ptc/lang/value"
)

// exportedShapes are programs whose results take some 1 to 20 MB as Go values.
func exportedShapes() map[string]string {
	shapes := map[string]string{
		"integers":         `(vec (range 1000 100000))`,
		"small integers":   `(vec (repeat 100000 1))`,
		"floats":           `(mapv (fn [i] (* i 1.5)) (range 50000))`,
		"strings":          `(mapv str (range 50000))`,
		"keywords":         `(vec (repeat 50000 :k))`,
		"qualified names":  `(vec (repeat 50000 :name/space))`,
		"characters":       `(vec (repeat 50000 \é))`,
		"bigints":          `(vec (repeat 20000 123456789012345678901234567890N))`,
		"large bigints":    `(vec (repeat 2000 (reduce *' (range 1 300))))`,
		"ratios":           `(mapv (fn [i] (/ i 7)) (range 1 20000))`,
		"vectors":          `(vec (repeat 40000 [1 2 3]))`,
		"empty":            `(vec (repeat 40000 [[] {} () #{}]))`,
		"lists":            `(vec (repeat 10000 (range 33)))`,
		"nested":           `(vec (repeat 5000 [[[[[1]]]] {:a {:b {:c {}}}}]))`,
		"records":          `(do (defrecord P [x y]) (mapv (fn [i] (->P i (str i))) (range 20000)))`,
		"printed":          `(vec (repeat 20000 #"a pattern"))`,
		"keys of any kind": `(vec (repeat 3000 {[1 2] 1 "a" 2 :b 3 4 5}))`,
	}
	for _, n := range []int{1, 2, 7, 8, 9, 14, 15, 28, 29, 100, 112, 113, 448, 449, 896, 897, 1000, 1792, 1793, 3500,
		7168, 7169, 16000, 16385, 57000, 58000, 100000} {
		source := fmt.Sprintf(`(vec (repeat %d (zipmap (map str (range %d)) (range))))`, max(1, 20000/n), n)
		shapes[fmt.Sprintf("maps of %d", n)] = source
	}
	return shapes
}

// slackExported is the memory that the measurement itself may add.
const slackExported = 32 << 10

func TestGoValuesAreCharged(t *testing.T) {
	testlevel.System(t)
	if testing.Short() {
		t.Skip("collecting large heaps takes long")
	}
	for name, source := range exportedShapes() {
		res, err := Run(context.Background(), source, Options{})
		if err != nil {
			t.Fatal(name, err)
		}
		var x any
		var charged int64
		before := liveHeap()
		a := eval.Afterwards{Limits: Limits{Timeout: time.Hour}, Memory: 1 << 30}
		derr := a.Do(context.Background(), func(t *value.Task) {
			e := exporter{t: t}
			x = e.toGo(res.val)
			charged = t.Used()
		})
		if derr != nil {
			t.Fatal(name, derr)
		}
		live := liveHeap() - before
		runtime.KeepAlive(x)
		runtime.KeepAlive(res)
		if live > charged+slackExported {
			t.Errorf("%s: the Go value takes %d bytes, %d are charged", name, live, charged)
		}
		if charged > 5*live/2+slackExported {
			t.Errorf("%s: the Go value takes %d bytes, and %d are charged, more than 2.5 times as many", name, live, charged)
		}
	}
}

func liveHeap() int64 {
	for range 2 {
		runtime.GC()
	}
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}

// Add adds a call to a plan.
func (p *Plan) Add(c PlannedCall) { p.add(c) }
