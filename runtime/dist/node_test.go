// This file tests which nodes join a run, and records that no node of this release writes.

package dist

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
)

// begun returns a log with the header of a run.
func begun(t *testing.T) *Memory {
	log := NewMemory(Faults{})
	h := journal.Header{Run: "RUN", Program: "p.ptc", Source: "1", Seed: 7}
	require.NoError(t, Create(t.Context(), log, h, "here", Policy{Elements: 2, Unit: 1}))
	return log
}

// TestRefusedNodesDoNotLead requires a node that can't take part to leave the lead to others, and to be dead.
func TestRefusedNodesDoNotLead(t *testing.T) {
	log := begun(t)
	err := Run(t.Context(), Options{Log: log, Platform: "elsewhere", Follow: true, Key: make(journal.Key, 32)}, "other",
		nil, func(context.Context, *journal.Journal) error { panic("it does not evaluate") })
	require.ErrorIs(t, err, ErrPlatform)
	require.ErrorContains(t, err, "the run needs replicas of here, this is one of elsewhere")
	require.Equal(t, 3, log.Len(), "it has joined, and has left")

	err = Run(t.Context(), Options{Log: log, Platform: "here"}, "keyless", nil,
		func(context.Context, *journal.Journal) error { panic("it has no journal") })
	require.ErrorContains(t, err, "needs a key")

	n, err := Join(t.Context(), Options{Log: log, Name: "right/1", Platform: "here"}, func() {})
	require.NoError(t, err)
	defer n.Close()
	n.mu.Lock()
	defer n.mu.Unlock()
	for n.st.leader != "right/1" {
		require.NoError(t, n.wait(t.Context()), n.st.leader)
	}
}

// TestOtherPlatformLeads makes a run continue on a node of another platform, as in an upgrade: followers
// with the earlier platform leave the run, and nodes with the platform of the leader take part.
func TestOtherPlatformLeads(t *testing.T) {
	log := begun(t)
	join := func(name, platform string, follow bool) *Node {
		n, err := Join(t.Context(), Options{Log: log, Name: name, Platform: platform, Follow: follow}, func() {})
		require.NoError(t, err)
		t.Cleanup(n.Close)
		return n
	}
	until := func(n *Node, holds func() bool) {
		n.mu.Lock()
		defer n.mu.Unlock()
		for !holds() {
			require.NoError(t, n.wait(t.Context()))
		}
	}
	before, follower := join("before/1", "here", false), join("follower/1", "here", true)
	until(before, func() bool { return before.st.leader == "before/1" })
	after := join("after/1", "elsewhere", false)
	require.NoError(t, follower.Over(), "the run is led as before")
	require.NoError(t, Declare(t.Context(), log, "before/1", true))
	until(after, func() bool { return after.st.leader == "after/1" })
	until(follower, func() bool { return follower.over != nil })
	require.ErrorIs(t, follower.Over(), ErrPlatform)
	require.NoError(t, after.Over())
	late := join("late/1", "elsewhere", true)
	require.NoError(t, late.Over())
}

// TestHostileOpen requires records of operations that can't be to change nothing.
func TestHostileOpen(t *testing.T) {
	st := NewState()
	apply := func(r *Record) bool {
		read, err := Decode(r.Encode())
		require.NoError(t, err)
		counts, err := st.Apply(st.applied+1, read)
		require.NoError(t, err)
		return counts
	}
	line, err := journal.HeaderRecord(&journal.Header{Run: "RUN", Program: "p.ptc", Source: "1", Seed: 7}, nil)
	require.NoError(t, err)
	require.True(t, apply(&Record{Kind: Begun, Line: line}))
	require.True(t, apply(&Record{Kind: Lead, Node: "a"}))
	require.False(t, apply(&Record{Kind: Open, Node: "a", ID: "0.1", Elements: maxElements + 1, Size: 1}))
	require.True(t, apply(&Record{Kind: Open, Node: "a", ID: "0.1", Elements: 4, Size: 1}))
	for _, id := range []string{"0.1.-1.1", "0.1.99999999999999999999.1", "0.1..1", "0.1.x.1", ".", ""} {
		apply(&Record{Kind: Open, Node: "a", ID: id, Elements: 4, Size: 1}) // no panic
	}
	require.Zero(t, Policy{Elements: 2}.unit(maxElements+1))
}

// TestCanNotEvaluate requires a node that can't evaluate the program to stop trying soon, with the reason.
func TestCanNotEvaluate(t *testing.T) {
	log, times, broken := begun(t), 0, errors.New("the program does not compile")
	err := Run(t.Context(), Options{Log: log, Platform: "here", Key: make(journal.Key, 32)}, "node", nil,
		func(context.Context, *journal.Journal) error { times++; return broken })
	require.ErrorIs(t, err, broken)
	require.Equal(t, maxFailures, times)
}

// TestWaitEnds requires the end of a context to end each wait for the node that decides: the evaluation has ended then,
// and the other node may be one that nobody has declared dead yet.
func TestWaitEnds(t *testing.T) {
	e := effect.Effect{ID: "0#1", Kind: effect.KindCall, Name: "tool", Args: []byte(`{}`)}
	for name, wait := range map[string]func(ctx context.Context, j *journal.Journal) error{
		"begin":  func(ctx context.Context, j *journal.Journal) error { _, _, err := j.Begin(ctx, e); return err },
		"recall": func(ctx context.Context, j *journal.Journal) error { _, _, err := j.Recall(ctx, e); return err },
		"skip": func(ctx context.Context, j *journal.Journal) error {
			return j.Skip(ctx, e, effect.Record{Error: []byte(`{"code":"no"}`)})
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n, err := Join(t.Context(), Options{Log: ofOther(t, 2), Name: "me", Platform: "here", Follow: true,
					Key: make(journal.Key, journal.KeyBytes)}, func() {})
				require.NoError(t, err)
				defer n.Close()
				j, err := n.Journal()
				require.NoError(t, err)
				ctx, cancel := context.WithCancel(t.Context())
				ended := make(chan error, 1)
				go func() { ended <- wait(ctx, j) }()
				synctest.Wait()
				require.Empty(t, ended, "another node decides")
				cancel()
				require.ErrorIs(t, <-ended, context.Canceled)
			})
		})
	}
}
