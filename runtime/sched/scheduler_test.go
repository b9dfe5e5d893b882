package sched_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/budget"
	"github.com/ptc-lang/ptc/runtime/sched"
)

// TestRoot: the Scheduler of the main evaluation has no pool until something runs in parallel, and
// is no element.
func TestRoot(t *testing.T) {
	var r sched.Root
	r.Begin(4, sched.NewProcessors(2), nil, nil)
	require.Equal(t, sched.Stats{}, r.Stats())
	r.Wait()
	r.Block()
	r.Unblock()
	require.False(t, r.Poll())
	require.False(t, r.Cancelled())
	require.Equal(t, sched.Stats{}, r.Stats())
	ran := make([]bool, 10)
	require.NoError(t, r.Do(job{"all", func(p sched.Scheduler, i int) verdict {
		ran[i] = true
		return fine
	}}, len(ran)))
	require.NotContains(t, ran, false)
	r.Wait()
	require.EqualValues(t, 10, r.Stats().Completed)
}

// TestNarrow: an evaluation in a part has the slots that are free in both, and restore ends that.
func TestNarrow(t *testing.T) {
	slots := budget.New(8)
	e := sched.New(slots, 1).Root()
	require.Equal(t, 8, e.Free())
	require.Nil(t, e.Narrow(8), "it is as narrow already")
	wider := e.Narrow(4)
	narrower := e.Narrow(2)
	require.Nil(t, e.Narrow(3))
	require.Equal(t, 2, e.Free())
	require.NoError(t, e.Do(job{"inner", func(p sched.Scheduler, i int) verdict {
		require.Equal(t, 1, p.Free())
		return fine
	}}, 1))
	for range 7 {
		slots.TryAcquire()
	}
	require.Equal(t, 1, e.Free(), "no more than all have")
	narrower()
	wider()
	require.Equal(t, 1, e.Free())
	require.NotNil(t, e.Narrow(7))
}
