// This file runs random programs of many evaluations, one operation at a time, and
// compares each outcome with a model that searches for deadlocks by brute force.

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
)

// evaluation is an evaluation of the model.
type evaluation struct {
	owner    *Owner
	parent   *evaluation
	children int // that have not ended
	held     []holding
	ctx      context.Context
	cancel   context.CancelFunc
	waits    *waiter
	wants    string // "" for the global lock
}

// holding is a lock that an evaluation holds, by both names.
type holding struct {
	host   string
	lock   *lock
	ticket uint64
}

// model is what there should be, and the Set that is compared with it.
type model struct {
	t       testing.TB
	set     *Set
	choose  func(n int) int // 0 to n-1; 0 once the input is used up
	live    []*evaluation
	holders map[string]*evaluation
	queues  map[string][]*evaluation
	made    int
	errors  map[diag.Code]int
}

func newModel(t testing.TB, choose func(n int) int) *model {
	m := &model{t: t, set: NewSet(Options{}), choose: choose,
		holders: map[string]*evaluation{}, queues: map[string][]*evaluation{}, errors: map[diag.Code]int{}}
	for range 1 + choose(3) {
		m.begin(nil)
	}
	return m
}

func (m *model) begin(parent *evaluation) {
	e := &evaluation{parent: parent}
	name := fmt.Sprint(m.made)
	m.made++
	if parent == nil {
		e.owner = NewOwner(nil, name)
	} else {
		parent.children++
		e.owner = NewOwner(parent.owner, parent.owner.name+"."+name)
	}
	e.ctx, e.cancel = context.WithCancel(context.Background())
	m.live = append(m.live, e)
}

func (e *evaluation) runs() bool { return e.waits == nil && e.children == 0 }

// step has some evaluation do something.
func (m *model) step() {
	e := m.live[m.choose(len(m.live))]
	switch {
	case e.waits != nil:
		m.disturb(e)
	case e.children > 0: // suspended
	default:
		m.act(e)
	}
	m.check()
}

// disturb cancels a wait: in two operations, between which the others go on.
func (m *model) disturb(e *evaluation) {
	switch {
	case e.ctx.Err() != nil:
		m.leave(e)
	case m.choose(8) == 1:
		e.cancel()
	}
}

func (m *model) act(e *evaluation) {
	switch m.choose(8) {
	case 0, 1:
		if len(e.held) > 0 {
			m.release(e)
		} else if e.parent != nil {
			m.end(e)
		}
	case 2:
		for range 1 + m.choose(3) {
			if len(m.live) < 16 {
				m.begin(e)
			}
		}
	default:
		m.acquire(e, []string{"", "a", "b", "c"}[m.choose(4)])
	}
}

func (m *model) end(e *evaluation) {
	e.parent.children--
	e.cancel()
	m.live = slices.DeleteFunc(m.live, func(o *evaluation) bool { return o == e })
}

func (m *model) acquire(e *evaluation, host string) {
	want := m.expected(e, host)
	l, ticket, w, err := m.set.tryLock(e.ctx, host, e.owner, nil)
	if err != nil {
		require.Equal(m.t, want, string(err.Code), "%s wants %q: %s", e.owner, host, err)
		m.errors[err.Code]++
		m.requireTrue(err)
		e.ctx, e.cancel = context.WithCancel(context.Background())
		return
	}
	if w == nil {
		require.Equal(m.t, want, "given", "%s wants %q", e.owner, host)
		m.holders[host] = e
		e.held = append(e.held, holding{host, l, ticket})
		return
	}
	require.Equal(m.t, want, "waits", "%s wants %q", e.owner, host)
	e.waits, e.wants = w, host
	m.queues[host] = append(m.queues[host], e)
}

// expected is the wanted outcome of an acquisition.
func (m *model) expected(e *evaluation, host string) string {
	h := m.holders[host]
	if h == nil {
		return "given"
	}
	for a := e; a != nil; a = a.parent {
		if a == h {
			return string(diag.GuardHeld)
		}
	}
	if e.ctx.Err() != nil {
		return string(diag.Cancelled)
	}
	was := m.queues[host]
	defer func() { m.queues[host], e.waits, e.wants = was, nil, "" }()
	m.queues[host] = append(slices.Clone(was), e)
	e.waits, e.wants = &waiter{}, host
	if m.finishing()[e] {
		return "waits"
	}
	return string(diag.GuardCycle)
}

// finishing returns the evaluations that can end: by brute force, from those that run to
// those that wait for nobody else, until there are no more.
func (m *model) finishing() map[*evaluation]bool {
	can := map[*evaluation]bool{}
	for more := true; more; {
		more = false
		for _, e := range m.live {
			if !can[e] && m.canFinish(e, can) {
				can[e], more = true, true
			}
		}
	}
	return can
}

func (m *model) canFinish(e *evaluation, can map[*evaluation]bool) bool {
	if e.waits != nil {
		if e.ctx.Err() != nil {
			return true // it is about to leave
		}
		queue := m.queues[e.wants]
		ahead := queue[:slices.Index(queue, e)]
		return can[m.holders[e.wants]] && !slices.ContainsFunc(ahead, func(o *evaluation) bool { return !can[o] })
	}
	return !slices.ContainsFunc(m.live, func(o *evaluation) bool { return o.parent == e && !can[o] })
}

func (m *model) release(e *evaluation) {
	h := e.held[len(e.held)-1]
	e.held = e.held[:len(e.held)-1]
	m.set.unlock(h.lock, h.ticket)
	queue := m.queues[h.host]
	if len(queue) == 0 {
		delete(m.holders, h.host)
		return
	}
	next := queue[0]
	require.NotZero(m.t, next.waits.ticket, "%q goes to %s", h.host, next.owner)
	<-next.waits.ready
	next.held = append(next.held, holding{h.host, h.lock, next.waits.ticket})
	next.waits = nil
	m.holders[h.host], m.queues[h.host] = next, queue[1:]
}

func (m *model) leave(e *evaluation) {
	err := m.set.leaveLock(e.waits, time.Now())
	require.NotNil(m.t, err, "%s leaves the queue for %q", e.owner, e.wants)
	require.Equal(m.t, diag.Cancelled, err.Code)
	m.queues[e.wants] = slices.DeleteFunc(m.queues[e.wants], func(o *evaluation) bool { return o == e })
	e.waits = nil
	e.ctx, e.cancel = context.WithCancel(context.Background())
}

// check compares the Set with the model, and that everybody can still end.
func (m *model) check() {
	can := m.finishing()
	for _, e := range m.live {
		require.True(m.t, can[e], "%s cannot end", e.owner)
	}
	st := m.set.Stats(10)
	held, waiting := len(m.holders), 0
	if h := m.holders[""]; h != nil {
		held--
		require.Equal(m.t, h.owner.name, st.Global.Holder)
	}
	for host, queue := range m.queues {
		waiting += len(queue)
		require.True(m.t, len(queue) == 0 || m.holders[host] != nil)
	}
	require.Equal(m.t, [2]int{held, waiting}, [2]int{st.Held, st.Waiting}, "held, waiting")
	require.Len(m.t, st.Hosts, held)
	for _, h := range st.Hosts {
		require.Equal(m.t, m.holders[h.Host].owner.name, h.Holder, "who holds %q", h.Host)
		require.Equal(m.t, len(m.queues[h.Host]), h.Waiting, "who wants %q", h.Host)
	}
}

// requireTrue checks the links of an error's cycle: each names the waiter and the holder
// what, and the holder is what waits in the next link, or above that.
func (m *model) requireTrue(err *Error) {
	for i, l := range err.Cycle {
		host := ""
		if l.Guard != "the global guard" {
			_, e := fmt.Sscanf(l.Guard, "host %q", &host)
			require.NoError(m.t, e)
		}
		require.Equal(m.t, m.holders[host].owner.name, l.Holder, err.Message)
		if i > 0 {
			waiter := m.named(l.Waiter)
			require.Equal(m.t, host, waiter.wants, err.Message)
			require.NotNil(m.t, waiter.waits, err.Message)
		}
		next := m.named(err.Cycle[(i+1)%len(err.Cycle)].Waiter)
		require.True(m.t, next.owner.within(m.named(l.Holder).owner), err.Message)
	}
}

func (m *model) named(name string) *evaluation {
	i := slices.IndexFunc(m.live, func(e *evaluation) bool { return e.owner.name == name })
	require.NotEqual(m.t, -1, i, "there is no %s", name)
	return m.live[i]
}

// finish has every evaluation release its guards and end: nothing may stall.
func (m *model) finish() {
	worker := func(e *evaluation) bool { return e.parent != nil }
	for steps := 0; len(m.holders) > 0 || slices.ContainsFunc(m.live, worker); steps++ {
		require.Less(m.t, steps, 1000, "it stalls")
		for _, e := range slices.Clone(m.live) {
			switch {
			case e.waits != nil && e.ctx.Err() != nil:
				m.leave(e)
			case e.runs() && len(e.held) > 0:
				m.release(e)
			case e.runs() && e.parent != nil:
				m.end(e)
			}
		}
		m.check()
	}
	for _, e := range m.live {
		require.Nil(m.t, e.owner.first, "somebody is left in the tree of those who wait")
		e.cancel()
	}
}

func TestModelOfGuards(t *testing.T) {
	seen := map[diag.Code]int{}
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 0))
		m := newModel(t, r.IntN)
		for range 120 {
			m.step()
		}
		m.finish()
		for code, n := range m.errors {
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
		m := newModel(t, func(n int) int {
			if len(input) == 0 {
				return 0
			}
			b := input[0]
			input = input[1:]
			return int(b) % n
		})
		for range min(len(input), 500) {
			m.step()
		}
		m.finish()
	})
}

// TestOwnError: an *Error is found in what Acquire returns.
func TestOwnError(t *testing.T) {
	_, err := NewSet(Options{}).Acquire(t.Context(), &effect.GuardRequest{Hint: effect.Hint{Kind: effect.HostExclusive}, Owner: NewOwner(nil, "main")})
	var e *Error
	require.True(t, errors.As(err, &e))
	require.Equal(t, diag.IllegalArgument, e.Code)
}
