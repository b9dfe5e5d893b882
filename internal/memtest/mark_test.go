//go:build probe

// This file tests the memory of a mark: the objects waiting in its stack take memory when none is
// left, so the account must have included it.

package memtest

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/ptc-lang/ptc/runtime/limits"
)

// wide are programs whose marks have many waiting objects: some objects of each level of the kept
// data wait until all levels below have been scanned, in any order.
var wide = []program{
	{name: "elements first", source: `(loop [i 0 acc ()] (recur (inc i) (conj acc [i])))`},
	{name: "elements last", source: `(loop [i 0 acc nil] (recur (inc i) (list acc [i])))`},
	{name: "cells", source: `(loop [i 0 acc nil] (recur (inc i) (cons (cons acc nil) (list i))))`},
	{name: "maps, next first", source: `(loop [i 0 acc nil] (recur (inc i) {:next acc :value [i]}))`},
	{name: "maps, next last", source: `(loop [i 0 acc nil] (recur (inc i) {:value [i] :next acc}))`},
	{name: "cells of state", source: `(loop [i 0 acc nil] (recur (inc i) (list (volatile! acc) (volatile! i))))`},
	{name: "wide vectors", source: `(loop [i 0 acc nil] (recur (inc i) (conj (mapv volatile! (range 8000)) acc)))`},
	{name: "wide vectors in front", source: `(loop [i 0 acc nil] (recur (inc i) (into [acc] (map volatile!) (range 8000))))`},
	{name: "functions", source: `(loop [i 0 acc nil] (recur (inc i) (let [v [i]] (fn [] [v acc]))))`},
	{name: "entries", source: `(loop [i 0 acc nil] (recur (inc i) (first (hash-map [acc] [i]))))`},
	{name: "strings", source: `(loop [i 0 acc nil] (recur (inc i) (list acc (str "a" i))))`},
}

func TestStackOfMarkIsCharged(t *testing.T) {
	oneProcessor(t)
	sizes := []int64{4 << 20}
	if *thorough {
		sizes = []int64{1 << 20, 4 << 20, 16 << 20, 64 << 20}
	}
	for _, memory := range sizes {
		table := fmt.Sprintf("%-24s %9s %9s %9s %8s", "program", "cap", "true", "gap", "samples")
		for _, p := range wide {
			t.Run(fmt.Sprintf("%s, %d MB", p.name, memory>>20), func(t *testing.T) { table += duringMarks(t, p, memory) })
		}
		t.Log(table)
	}
}

// duringMarks runs a program until it reaches its cap, takes samples while a nearly full account is
// marked, and returns a row of the table.
func duringMarks(t *testing.T, p program, memory int64) string {
	t.Helper()
	compiled(t, p, limits.MinMemory).Run(context.Background(), quiet)
	prog := compiled(t, p, memory)
	o := &oracle{every: 512}
	o.heap()
	o.base = o.heap()
	limits.ProbeWork = func(m *limits.Meter, n int64) {
		if used := m.Used(); used > memory-memory/8 && o.due(n) {
			o.sample(used)
		}
	}
	_, err := prog.Run(context.Background(), quiet)
	limits.ProbeWork = nil
	runtime.KeepAlive(prog)
	if o.gap > slackUsed {
		t.Errorf("%d bytes live beyond the account", o.gap)
	}
	if got := outcome(err); got != full {
		t.Errorf("got %s (%v), want %s", got, err, full)
	}
	if o.samples == 0 {
		t.Error("no mark was met")
	}
	return fmt.Sprintf("\n%-24s %6d KB %6d KB %9d %8d", p.name, memory>>10, o.live>>10, o.gap, o.samples)
}
