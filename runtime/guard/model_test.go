// This file compares the guards of one process with the model, from inside: a cancelled wait leaves its queue some time
// after its context has ended.

package guard

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/guard/guardtest/guardmodel"
)

// compared is a Set that is compared with the model.
type compared struct {
	t     testing.TB
	set   *Set
	model *guardmodel.Model
	all   map[*guardmodel.Evaluation]*evaluation
}

// evaluation is an evaluation of the model as the Set knows it.
type evaluation struct {
	owner  *Owner
	held   []holding
	ctx    context.Context
	cancel context.CancelFunc
	waits  *waiter
}

// holding is a lock that an evaluation holds.
type holding struct {
	lock   *lock
	ticket uint64
}

func newModel(t testing.TB, choose func(n int) int) (*guardmodel.Model, *compared) {
	c := &compared{t: t, set: NewSet(Options{}), all: map[*guardmodel.Evaluation]*evaluation{}}
	c.model = guardmodel.New(t, c, choose)
	return c.model, c
}

func (c *compared) Begin(of *guardmodel.Evaluation) {
	e := &evaluation{}
	if of.Parent == nil {
		e.owner = NewOwner(nil, of.String())
	} else {
		e.owner = NewOwner(c.all[of.Parent].owner, of.String())
	}
	c.all[of] = e
	e.begin()
}

// begin sets a new context of an evaluation.
func (e *evaluation) begin() { e.ctx, e.cancel = context.WithCancel(context.Background()) }

func (c *compared) End(of *guardmodel.Evaluation) { c.all[of].cancel() }

func (c *compared) Acquire(of *guardmodel.Evaluation, host string) string {
	e := c.all[of]
	l, ticket, w, err := c.set.tryLock(e.ctx, host, e.owner, nil)
	switch {
	case err != nil:
		c.requireTrue(err)
		e.begin()
		return string(err.Code)
	case w != nil:
		e.waits = w
		return guardmodel.Waits
	}
	e.held = append(e.held, holding{l, ticket})
	return guardmodel.Given
}

func (c *compared) Release(of *guardmodel.Evaluation, host string, next *guardmodel.Evaluation) {
	e := c.all[of]
	h := e.held[len(e.held)-1]
	e.held = e.held[:len(e.held)-1]
	c.set.unlock(h.lock, h.ticket)
	if next == nil {
		return
	}
	n := c.all[next]
	require.NotZero(c.t, n.waits.ticket, "%q goes to %s", host, next)
	<-n.waits.ready
	n.held = append(n.held, holding{h.lock, n.waits.ticket})
}

func (c *compared) Cancel(of *guardmodel.Evaluation) (left bool) {
	c.all[of].cancel()
	return false
}

func (c *compared) Leave(of *guardmodel.Evaluation) {
	e := c.all[of]
	err := c.set.leaveLock(e.waits, time.Now())
	require.NotNil(c.t, err, "%s leaves the queue for %q", of, of.Wants)
	require.Equal(c.t, diag.Cancelled, err.Code)
	e.begin()
}

// name returns the name of an evaluation, which its owner has.
func (c *compared) name(of *guardmodel.Evaluation) string { return c.all[of].owner.name }

// Check compares the statistics of the Set with the model.
func (c *compared) Check(m *guardmodel.Model) {
	st := c.set.Stats(10)
	held, waiting := len(m.Holders), 0
	if h := m.Holders[""]; h != nil {
		held--
		require.Equal(c.t, c.name(h), st.Global.Holder)
	}
	for host, queue := range m.Queues {
		waiting += len(queue)
		require.True(c.t, len(queue) == 0 || m.Holders[host] != nil)
	}
	require.Equal(c.t, [2]int{held, waiting}, [2]int{st.Held, st.Waiting}, "held, waiting")
	require.Len(c.t, st.Hosts, held)
	for _, h := range st.Hosts {
		require.Equal(c.t, c.name(m.Holders[h.Host]), h.Holder, "who holds %q", h.Host)
		require.Equal(c.t, len(m.Queues[h.Host]), h.Waiting, "who wants %q", h.Host)
	}
}

// requireTrue checks the links of an error's cycle: each names the waiter and the holder of a guard, and
// the holder is the waiter of the next link, or above it.
func (c *compared) requireTrue(err *Error) {
	for i, l := range err.Cycle {
		host := ""
		if l.Guard != "the global guard" {
			_, e := fmt.Sscanf(l.Guard, "host %q", &host)
			require.NoError(c.t, e)
		}
		require.Equal(c.t, c.name(c.model.Holders[host]), l.Holder, err.Message)
		if i > 0 {
			waiter := c.named(l.Waiter)
			require.True(c.t, waiter.Waiting, err.Message)
			require.Equal(c.t, host, waiter.Wants, err.Message)
		}
		next := c.named(err.Cycle[(i+1)%len(err.Cycle)].Waiter)
		require.True(c.t, c.all[next].owner.within(c.all[c.named(l.Holder)].owner), err.Message)
	}
}

func (c *compared) named(name string) *guardmodel.Evaluation {
	i := slices.IndexFunc(c.model.Live, func(e *guardmodel.Evaluation) bool { return c.name(e) == name })
	require.NotEqual(c.t, -1, i, "there is no %s", name)
	return c.model.Live[i]
}

// finish ends all evaluations. Nobody is left in the tree of those who wait.
func (c *compared) finish() {
	c.model.Finish()
	for _, e := range c.model.Live {
		require.Nil(c.t, c.all[e].owner.first, "%s", e)
		c.all[e].cancel()
	}
}

func TestModelOfGuards(t *testing.T) {
	seen := map[diag.Code]int{}
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 0))
		m, c := newModel(t, r.IntN)
		for range 120 {
			m.Step()
		}
		c.finish()
		for code, n := range m.Errors {
			seen[code] += n
		}
	}
	require.Positive(t, seen[diag.GuardHeld])
	require.Greater(t, seen[diag.GuardCycle], 1000, "too few cycles to prove much")
}

func FuzzModel(f *testing.F) {
	f.Add([]byte{2, 0, 4, 1, 1, 4, 2, 0, 4, 2, 1, 4, 1})
	f.Add([]byte("nested locks, taken by trees of owners in any order"))
	f.Fuzz(func(t *testing.T, input []byte) {
		m, c := newModel(t, func(n int) int {
			if len(input) == 0 {
				return 0
			}
			b := input[0]
			input = input[1:]
			return int(b) % n
		})
		for range min(len(input), 500) {
			m.Step()
		}
		c.finish()
	})
}

// TestOwnError: errors.As finds an *Error in the error of Acquire.
func TestOwnError(t *testing.T) {
	_, err := NewSet(Options{}).Acquire(t.Context(), &effect.GuardRequest{Hint: effect.Hint{Kind: effect.HostExclusive}, Owner: NewOwner(nil, "main")})
	var e *Error
	require.True(t, errors.As(err, &e))
	require.Equal(t, diag.IllegalArgument, e.Code)
}
