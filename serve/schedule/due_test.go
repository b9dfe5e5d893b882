package schedule

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/serve/wire"
)

// TestDue checks that the due time of a schedule is updated when its inputs change.
func TestDue(t *testing.T) {
	at := func(h int) time.Time { return time.Date(2030, 1, 1, h, 0, 0, 0, time.UTC) }
	times := func(cron string) *Times {
		all, err := ParseTimes(cron, "UTC")
		require.NoError(t, err)
		return all
	}
	e := &entry{times: times("0 * * * *"), def: definition{Since: at(1)}}
	due := func() time.Time { return e.due(at(1)) }
	require.Equal(t, at(2), due())
	require.Equal(t, at(2), due())
	e.progress.Through = at(2)
	require.Equal(t, at(3), due())
	e.times = times("0 5 * * *")
	require.Equal(t, at(5), due())
	e.def.Paused = true
	require.Zero(t, due())
	e.def.Paused = false
	require.Equal(t, at(5), due())
	e.again = at(9)
	require.Equal(t, at(9), due())
	e.times, e.again = nil, time.Time{}
	require.Zero(t, due())
}

// BenchmarkStartDue measures a check of 10,000 schedules, none of which is due.
func BenchmarkStartDue(b *testing.B) {
	s, now := &Scheduler{all: make(map[wire.ScheduleRef]*entry)}, time.Now()
	for i := range 10_000 {
		all, err := ParseTimes(fmt.Sprintf("%d %d 1 1 *", i%60, i%24), "Europe/Berlin")
		require.NoError(b, err)
		ref := wire.ScheduleRef{Name: fmt.Sprint(i)}
		s.all[ref] = &entry{times: all, def: definition{ScheduleRef: ref, Since: now}}
	}
	for b.Loop() {
		s.startDue(now)
	}
}
