//go:build probe

// This file defines the oracle of the memory account: at charges all through a run
// the collector finds what is truly live, and the account must have known of it.

package memtest

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc/runtime/limits"
)

const (
	// slackUsed is what may live beyond the account: the machine itself, objects in
	// flight between two charges, the stack of the last mark.
	slackUsed = 64 << 10
	// slackCap is what may live beyond the cap.
	slackCap = 1 << 20
	// sparser is after how many samples the next are taken half as often: a run that
	// makes much garbage is watched to its end, in a time that its user waits for.
	sparser = 64
)

// oracle watches one run.
type oracle struct {
	main    *limits.Meter // of the run; others belong to compilations within it
	base    int64         // bytes that live before the run
	every   int64         // bytes charged between two samples, at most
	next    int64         // charged when the next sample is due
	seed    uint32
	charged int64
	samples int

	used, live int64 // at the sample when most lived
	gap        int64 // the most that lived beyond the account
}

// watch is the probe.
func (o *oracle) watch(m *limits.Meter, n int64) {
	if o.main == nil {
		o.main = m
	}
	if !o.due(n) {
		return
	}
	used := o.main.Used()
	if m != o.main {
		used += m.Used()
	}
	o.sample(used)
}

// due says whether, after a charge of n bytes, a sample is to be taken.
func (o *oracle) due(n int64) bool {
	o.charged += n
	if o.charged < o.next {
		return false
	}
	if o.samples++; o.samples%sparser == 0 {
		o.every *= 2
	}
	// The distance varies, so that a program of steady steps is met in all of them.
	o.seed = o.seed*1664525 + 1013904223
	o.next = o.charged + o.every/2 + int64(o.seed>>8)*(o.every/2)>>24
	return true
}

// sample compares what lives with what the accounts say.
func (o *oracle) sample(used int64) {
	live := o.heap() - o.base
	if live > used+slackUsed { // pools keep what they hold for two collections
		live = min(live, o.heap()-o.base)
	}
	o.gap = max(o.gap, live-used)
	if live > o.live {
		o.used, o.live = used, live
	}
}

// heap gives the bytes that live.
func (o *oracle) heap() int64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}

// Errors that were put in on purpose, and what lived unknown then: dead slots of the
// stack that are not cleared, 4.9 MB under a cap of 1 MB; substrings that share their
// text, 9.0 MB; small vectors that are not charged, 2.6 MB; a mark stack that is kept
// with its entries between marks, 0.2 MB, and under a cap of 64 MB with longer chains in
// "cells filled and dropped" 34.9 MB.
func TestAccountKnowsTheHeap(t *testing.T) {
	// Of each so many programs one is run, all of them under the small caps with
	// -thorough: a collection takes long where much lives.
	sample := map[int64]int{1: 3, 4: 9, 16: 24, 64: 48}
	if *thorough {
		sample = map[int64]int{1: 1, 4: 1, 16: 1, 64: 3}
	}
	for _, size := range []int64{1, 4, 16, 64} {
		t.Run(fmt.Sprintf("%dMB", size), func(t *testing.T) {
			table := fmt.Sprintf("%-34s %9s %9s %8s %8s  %s", "program", "declared", "true", "gap", "samples", "outcome")
			for i, p := range corpus {
				if i%sample[size] != 0 || size > 4 && p.slow {
					continue
				}
				t.Run(p.name, func(t *testing.T) { table += underOracle(t, p, size<<20) })
			}
			t.Log(table)
		})
	}
}

// underOracle runs a program under a cap and the oracle, and gives a row of the table.
func underOracle(t *testing.T, p program, memory int64) string {
	t.Helper()
	// What the library makes once per process is made before.
	compiled(t, p, limits.MinMemory).Run(context.Background(), quiet)
	prog := compiled(t, p, memory)
	o := &oracle{every: memory / 8, seed: 1}
	o.heap()
	o.base = o.heap()
	limits.Probe = o.watch
	_, err := prog.Run(context.Background(), quiet)
	limits.Probe = nil
	runtime.KeepAlive(prog)
	if o.gap > slackUsed {
		t.Errorf("%d bytes live beyond what the account knows", o.gap)
	}
	if o.live > memory+slackCap {
		t.Errorf("%d bytes live under a cap of %d", o.live, memory)
	}
	got := outcome(err)
	if !slices.Contains(strings.Split(p.want, "|"), got) {
		t.Errorf("got %s (%v), want %s", got, err, p.want)
	}
	return fmt.Sprintf("\n%-34s %6d KB %6d KB %8d %8d  %s", p.name, o.used>>10, o.live>>10, o.gap, o.samples, got)
}
