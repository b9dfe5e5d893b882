// This file tests how well operations use the processors. The tests run in a synctest bubble, where
// an element that computes for a duration sleeps without calling Block, and the clock is exact.

package sched_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/sched"
)

// load is the work of an operation: the computing time of element i, and the operation that it then
// starts, if any.
type load struct {
	n      int
	length func(i int) time.Duration
	nested func(i int) *load
}

func (l *load) run(e sched.Scheduler, i int) verdict {
	time.Sleep(l.length(i))
	if l.nested == nil {
		return fine
	}
	if below := l.nested(i); below != nil {
		if err := e.Do(job{"nested", below.run}, below.n); err != nil {
			panic(err)
		}
	}
	return fine
}

func (l *load) total() (sum time.Duration) {
	for i := range l.n {
		sum += l.length(i)
		if l.nested != nil && l.nested(i) != nil {
			sum += l.nested(i).total()
		}
	}
	return sum
}

const short = 20 * time.Microsecond

func same(int) time.Duration { return short }

// long returns durations; the one of element at is a thousand times the others.
func long(at int) func(int) time.Duration {
	return func(i int) time.Duration {
		if i == at {
			return 1000 * short
		}
		return short
	}
}

func TestUseOfProcessors(t *testing.T) {
	const n = 40_000
	counts := []int{1, 2, 4, 8}
	if testing.Short() { // for the race detector
		counts = counts[2:3]
	}
	for _, procs := range counts {
		for name, l := range map[string]*load{
			"equal":                 {n: n, length: same},
			"no work":               {n: n, length: func(i int) time.Duration { return time.Duration(i & 1) }},
			"a long element first":  {n: n, length: long(0)},
			"a long element within": {n: n, length: long(n / 3)},
			"many long elements":    {n: n, length: func(i int) time.Duration { return long(i / 500 * 500)(i) }},
			"ever longer":           {n: n, length: func(i int) time.Duration { return time.Duration(i) * short / 1000 }},
			"quick, then long": {n: n, length: func(i int) time.Duration {
				if i < n-400 {
					return time.Nanosecond
				}
				return 1000 * short
			}},
			"nested in the first of two":  {n: 2, length: same, nested: func(i int) *load { return &load{n: 1 + (1-i)*n, length: same} }},
			"nested in the second of two": {n: 2, length: same, nested: func(i int) *load { return &load{n: 1 + i*n, length: same} }},
			"nested":                      {n: 400, length: same, nested: func(int) *load { return &load{n: 100, length: same} }},
			"nested, all in the last":     {n: 40, length: same, nested: func(i int) *load { return &load{n: 1 + i/39*n, length: same} }},
			"nested, long elements":       {n: 40, length: same, nested: func(i int) *load { return &load{n: 2000, length: long(i)} }},
			"nested thrice": {n: 20, length: same, nested: func(i int) *load {
				return &load{n: i, length: same, nested: func(j int) *load { return &load{n: 20 * j, length: long(j)} }}
			}},
			"one of one of many": {n: 1, length: same, nested: func(int) *load {
				return &load{n: 1, length: same, nested: func(int) *load { return &load{n: n, length: same} }}
			}},
		} {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				do(t, 8*procs, procs, l.n, l.run)
				use := float64(l.total()) / float64(time.Since(began)) / float64(procs)
				t.Logf("%d processors, %s: %.1f%%", procs, name, 100*use)
				require.Greater(t, use, 0.95)
			})
		}
	}
}
