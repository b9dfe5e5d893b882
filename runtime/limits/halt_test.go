package limits_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/limits"
)

// busy performs a fixed sequence of steps, work and looks until the meter unwinds. It returns the
// number of turns and the Stop. If it joined late, its polls come at other places.
func busy(m *limits.Meter, each func(turn int)) (turns int, stop limits.Stop) {
	defer func() { stop = recover().(limits.Stop) }()
	for ; ; turns++ {
		each(turns)
		if m.Fuel--; m.Fuel < 0 {
			m.Poll()
		}
		m.Work(int64(turns*7919) % 300)
		if turns%97 == 0 {
			m.Look()
		}
	}
}

// TestHalt ends a meter by its time, and others at the recorded moment.
func TestHalt(t *testing.T) {
	seen := map[limits.Point]bool{}
	for range 40 {
		var m limits.Meter
		m.Start(context.Background(), 1<<20, 1<<40, time.Hour)
		was := m.Narrow(0, 300*time.Microsecond, 0)
		m.Origin()
		turns, stop := busy(&m, func(int) {})
		m.Widen(was)
		seen[stop.At.At] = true
		for armed := range 2 {
			var again limits.Meter
			again.Start(context.Background(), 1<<20, 1<<40, time.Hour)
			again.Fuel -= 100 // polls at other places
			again.Origin()
			halt := &limits.Halt{Moment: stop.At, Stop: limits.Stop{Bound: limits.BoundTime, Decided: true}}
			got, ended := busy(&again, func(turn int) {
				if turn == min(armed*turns/2, turns) {
					again.HaltAt(halt)
				}
			})
			require.Equal(t, turns, got, "%+v", stop.At)
			assert.True(t, ended.Decided)
		}
	}
	assert.NotEmpty(t, seen)
}

// TestDecided runs scopes whose bounds are exhausted, although they are known to have sufficed.
func TestDecided(t *testing.T) {
	var m limits.Meter
	m.Start(context.Background(), 1<<20, 100_000, time.Hour)
	was := m.Narrow(0, time.Nanosecond, 500)
	m.Decide(true)
	for range 50 {
		m.Work(100)
		m.Look()
	}
	m.Decide(false)
	_, stop := busy(&m, func(int) {})
	assert.Equal(t, limits.BoundTime, stop.Bound)
	m.Widen(was)
	m.Decide(true)
	turns, stop := busy(&m, func(int) {})
	assert.Equal(t, int64(100_000), stop.Limit, "the bound of the run holds")
	assert.Positive(t, turns)

	calls := limits.NewCalls(1, limits.NewCalls(3, nil))
	for range 3 {
		calls.Take(true)
	}
	assert.Panics(t, func() { calls.Take(true) })
}
