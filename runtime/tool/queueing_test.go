package tool

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// resting is an evaluation that knows whether it rests.
type resting struct {
	TestCaller
	rests bool
}

func (r *resting) Rest() { r.rests = true }
func (r *resting) Wake() { r.rests = false }

// TestQueueing: an evaluation rests exactly while its call waits in the queue, and a call of the tool keeps its place
// until it is settled.
func TestQueueing(t *testing.T) {
	r, u, e := NewRun(RunOptions{}), &use{}, &effect.Execution{}
	caller := &resting{}
	in := &call{Call: effect.Call{Caller: caller}, tool: &Tool{async: true}}
	r.suspend(u, 1)
	left := r.queues(u, in, e)
	require.False(t, caller.rests, "there may be a free place")
	e.Rester.Rest()
	require.True(t, caller.rests)
	r.suspend(u, 1)
	r.suspend(u, -1)
	require.True(t, caller.rests, "another one keeps its place")
	r.suspend(u, -1)
	require.False(t, caller.rests, "the calls before it end by themselves")
	r.suspend(u, 1)
	require.True(t, caller.rests)
	e.Rester.Wake()
	require.False(t, caller.rests, "it may start")
	r.suspend(u, 1)
	require.False(t, caller.rests, "it does not wait any more")
	left()
	require.Empty(t, u.inQueue)

	in.tool = &Tool{}
	e = &effect.Execution{}
	r.queues(u, in, e)()
	require.Nil(t, e.Rester)
}
