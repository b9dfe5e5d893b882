// This file tests how a node waits for others: if two nodes wait for each other, one continues.

package dist

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
)

// put appends a record to a log as another node does.
func put(t *testing.T, log *Memory, r *Record) {
	t.Helper()
	_, err := log.Append(t.Context(), []Item{{ID: fmt.Sprint("put", log.Len()), Data: r.Encode()}})
	require.NoError(t, err)
}

// joined returns a node that has read a log to its end.
func joined(t *testing.T, log *Memory) shared {
	n, err := Join(t.Context(), Options{Log: log, Name: "me", Platform: "here"}, func() {})
	require.NoError(t, err)
	t.Cleanup(n.Close)
	return shared{n}
}

// until waits until a condition holds for the node's state.
func (n shared) until(t *testing.T, cond func() bool) {
	t.Helper()
	n.mu.Lock()
	defer n.mu.Unlock()
	for !cond() {
		require.NoError(t, n.wait(t.Context()))
	}
}

// share has an operation of units of one element begin on the node.
func (n shared) share(t *testing.T, path string, elements int) *sharing {
	s, err := n.Share(t.Context(), effect.SharedOperation{Path: path, Elements: elements})
	require.NoError(t, err)
	s.Until(t.Context())
	s.Begin(func() int64 { return int64(elements) }, func() {}, func(int) {})
	return s.(*sharing)
}

// idler is a worker that waits.
type idler struct{}

func (idler) Block()   {}
func (idler) Unblock() {}
func (idler) Rest()    {}
func (idler) Wake()    {}

// ofOther returns a log in which another node leads, shares operation 0.1, and operations in some of its elements.
func ofOther(t *testing.T, elements int, inner ...int) *Memory {
	log := begun(t)
	put(t, log, &Record{Kind: Lead, Node: "x"})
	put(t, log, &Record{Kind: Open, Node: "x", ID: "0.1", Elements: elements, Size: 1})
	for _, i := range inner {
		put(t, log, &Record{Kind: Claim, Node: "x", ID: "0.1", Unit: i})
		put(t, log, &Record{Kind: Open, Node: "x", ID: fmt.Sprint("0.1.", i, ".1"), Elements: 2, Size: 1})
	}
	return log
}

// next returns the element that Next returns, -1 for none.
func next(s *sharing, own bool) int {
	if i, ok := s.Next(own, idler{}); ok {
		return int(i)
	}
	return -1
}

// TestOwnWorkerDoesNotFollow checks that an operation's own worker runs the elements that its node has
// claimed, and nothing that waits for other nodes: two nodes can have claimed the elements that the workers
// of the other follow.
func TestOwnWorkerDoesNotFollow(t *testing.T) {
	n := joined(t, ofOther(t, 3, 0))
	s := n.share(t, "0.1", 3)
	require.Contains(t, []int{1, 2}, next(s, true))
	require.Contains(t, []int{1, 2}, next(s, true))
	require.True(t, s.HasWork(0))
	require.Zero(t, next(s, false))
	require.Equal(t, effect.DoFollow, s.Take(0).Doing)
	require.False(t, s.HasWork(0))
}

// TestNobodyToFollow requires an element that no node is at to be claimed, and not followed.
func TestNobodyToFollow(t *testing.T) {
	log := ofOther(t, 2, 0, 1)
	put(t, log, &Record{Kind: Dead, Node: "x"})
	n := joined(t, log)
	s := n.share(t, "0.1", 2)
	require.False(t, s.HasWork(0))
	require.Equal(t, -1, next(s, false)) // it has claimed units
	require.Equal(t, effect.DoRun, s.Take(next(s, true)).Doing)
}

// TestFollowsWhatIsClaimed checks that a worker is started when another node claims a unit that was free
// when this node reached it: the worker may follow elements in it. The operation's own worker, which waits,
// does not follow.
func TestFollowsWhatIsClaimed(t *testing.T) {
	log := ofOther(t, 2, 0)
	for _, line := range []string{"lead y", "claim y 0.1 1", "dead x", "lead y"} {
		put(t, log, parsedLine(t, line))
	}
	n := joined(t, log)
	woken := make(chan struct{}, 100)
	in, err := n.Share(t.Context(), effect.SharedOperation{Path: "0.1", Elements: 2})
	require.NoError(t, err)
	in.Until(t.Context())
	in.Begin(func() int64 { return 2 }, func() { woken <- struct{}{} }, func(int) {})
	s := in.(*sharing)
	require.False(t, s.HasWork(0))
	put(t, log, parsedLine(t, "claim y 0.1 0"))
	<-woken
	require.True(t, s.HasWork(0))
	require.Zero(t, next(s, false))
	require.Equal(t, effect.DoFollow, s.Take(0).Doing)
}

// TestWaitsClaim requires a worker that follows an element to take it over when its holder has died, also
// if the node has claimed others that wait for a worker.
func TestWaitsClaim(t *testing.T) {
	ways := map[string]func(n shared, s *sharing) error{
		"effect": func(n shared, _ *sharing) error {
			_, mine, err := n.Enter(context.Background(), "0.1.0#1")
			if err == nil && !mine {
				err = fmt.Errorf("it is not this node's")
			}
			return err
		},
		"await": func(n shared, _ *sharing) error { n.Await(context.Background(), "0.1.0#1"); return nil },
		"operation": func(n shared, _ *sharing) error {
			_, err := n.Share(context.Background(), effect.SharedOperation{Path: "0.1.0.2", Elements: 2})
			return err
		},
		"outcome": func(n shared, s *sharing) error {
			_, mine, err := s.Settled(context.Background(), 0)
			if err == nil && !mine {
				err = fmt.Errorf("it is not this node's")
			}
			return err
		},
	}
	for name, wait := range ways {
		t.Run(name, func(t *testing.T) {
			log := ofOther(t, 40, 0)
			n := joined(t, log)
			s := n.share(t, "0.1", 40)
			require.Zero(t, next(s, false))
			require.Equal(t, effect.DoFollow, s.Take(0).Doing)
			n.until(t, func() bool { return len(s.queue) > 0 && len(s.asked) == 0 }) // claimed ahead
			put(t, log, &Record{Kind: Dead, Node: "x"})
			require.NoError(t, wait(n, s))
			n.until(t, func() bool { return n.st.owner("0.1.0") == "me" })
		})
	}
}

// TestNotNeededDoesNotPend requires an element that is not needed any more to end although the call of a
// dead node in it may be under way: the operation waits for its workers before it is closed.
func TestNotNeededDoesNotPend(t *testing.T) {
	log := ofOther(t, 2)
	n := joined(t, log)
	s := n.share(t, "0.1", 2)
	put(t, log, &Record{Kind: Claim, Node: "x", ID: "0.1", Unit: 1})
	put(t, log, parsedLine(t, "begin x 0.1.1#1"))
	put(t, log, &Record{Kind: Dead, Node: "x"})
	n.until(t, func() bool { return n.st.leader == "me" })
	require.Zero(t, min(next(s, true), next(s, true)))
	n.until(t, func() bool { return n.st.owner("0.1.1") == "me" })
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- n.Pends(ctx, "0.1.1#1", nil) }()
	cancel()
	require.NoError(t, <-done)
	require.Empty(t, n.pends)
}

// TestNotNeededDoesNotBegin requires an element that is not needed any more to end at an effect that another node had
// begun and taken back: its beginning does not count, and was repeated without end.
func TestNotNeededDoesNotBegin(t *testing.T) {
	log := ofOther(t, 2)
	for _, line := range []string{"claim x 0.1 1", "begin x 0.1.1#1", "withdraw x 0.1.1#1", "release x 0.1 1", "claim x 0.1 0"} {
		put(t, log, parsedLine(t, line))
	}
	n := joined(t, log)
	s := n.share(t, "0.1", 2)
	require.Equal(t, 1, next(s, true))
	n.until(t, func() bool { return n.st.owner("0.1.1") == "me" })
	before, mine, err := n.Enter(t.Context(), "0.1.1#1")
	require.NoError(t, err)
	require.True(t, mine && before != nil && !before.Done)
	put(t, log, parsedLine(t, "values x 0.1 0"))
	put(t, log, parsedLine(t, "close x 0.1 0"))
	n.until(t, func() bool { return n.st.unneeded("0.1.1") })
	_, _, err = n.Enter(t.Context(), "0.1.1#1")
	require.ErrorAs(t, err, new(*journal.Divergence))
	s.End(1)
}

// TestEndedAround requires an operation to end here if the evaluation around it has ended without it:
// nobody else runs its elements any more.
func TestEndedAround(t *testing.T) {
	for _, final := range []bool{false, true} {
		log := ofOther(t, 2, 0)
		put(t, log, &Record{Kind: Claim, Node: "x", ID: "0.1.0.1", Unit: 0})
		n := joined(t, log)
		outer := n.share(t, "0.1", 2)
		s := n.share(t, "0.1.0.1", 2)
		require.Equal(t, 1, next(s, true))
		ended := make(chan int)
		go func() { ended <- next(s, true) }()
		require.Eventually(t, func() bool { n.mu.Lock(); defer n.mu.Unlock(); return s.waits }, time.Minute, time.Millisecond)
		if final {
			put(t, log, &Record{Kind: Final, Node: "x", Line: []byte(`{"t":"final","value":"1"}`)})
		} else {
			put(t, log, &Record{Kind: Values, Node: "x", ID: "0.1", Values: []ElementValue{{Index: 0}}})
		}
		require.Zero(t, <-ended)
		require.Equal(t, effect.DoRepeat, s.Take(0).Doing)
		_, mine, err := s.Settled(t.Context(), 0)
		require.NoError(t, err)
		require.False(t, mine)
		require.Equal(t, -1, next(s, true))
		s.End(1)
		outer.End(1)
	}
}

// TestGuardOfAnother checks that a node that has passed the guard of another node begins again before it
// claims effects in the body, and not after: a node that begins again in the meantime would pass the guard
// in the same way, and the two would repeat this forever.
func TestGuardOfAnother(t *testing.T) {
	log := ofOther(t, 2, 0)
	n := joined(t, log)
	s := n.share(t, "0.1", 2)
	require.Equal(t, 1, next(s, true))
	require.Zero(t, next(s, false))
	held := n.Borrow("0.1.0")
	defer func() { require.NoError(t, held.Release()) }()
	put(t, log, &Record{Kind: Dead, Node: "x"})
	n.Await(t.Context(), "0.1.0#2")
	require.ErrorIs(t, n.Over(), ErrRestart)
	require.Contains(t, n.Why(), "the guard of another node, 0.1.0")
	n.until(t, func() bool { return n.st.owner("0.1.0") == "" })
}

// TestBeginningAnewKeepsTheLead has the leader of a run die while two nodes are in the body of its guard.
// The next leader begins again, to take the guard, and then keeps the lead: the other node, which would
// have to do the same, does not take it.
func TestBeginningAnewKeepsTheLead(t *testing.T) {
	log := begun(t)
	put(t, log, &Record{Kind: Lead, Node: "x"})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var in, work sync.WaitGroup
	in.Add(2)
	var mu sync.Mutex
	evaluations := map[string]int{}
	for _, name := range []string{"a", "b"} {
		o := Options{Log: log, Platform: "here", Key: make(journal.Key, 32), Idle: func(context.Context) error {
			time.Sleep(time.Millisecond) // the other one would lead now
			return nil
		}}
		work.Go(func() {
			_ = Run(ctx, o, name, nil, func(ctx context.Context, j *journal.Journal) error {
				mu.Lock()
				evaluations[name]++
				first := evaluations[name] == 1
				mu.Unlock()
				if !j.Replicas().Follows("0") { // it has the guard
					cancel()
					return nil
				}
				held := j.Replicas().Borrow("0")
				defer func() { _ = held.Release() }()
				if first {
					in.Done()
				}
				<-ctx.Done()
				return ctx.Err()
			})
		})
	}
	in.Wait()
	put(t, log, &Record{Kind: Dead, Node: "x"})
	work.Wait()
	counts := []int{evaluations["a"], evaluations["b"]}
	slices.Sort(counts)
	require.Equal(t, []int{1, 2}, counts, log.Describe())
}
