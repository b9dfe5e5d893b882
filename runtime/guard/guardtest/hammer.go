// This file runs random programs of many evaluations: at once, and one operation at a time beside a model that
// searches for deadlocks by brute force.

package guardtest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/guard"
)

// hammered: trees of evaluations take nested guards in any order. In a bubble of synctest a stall is an error. Each
// guard has one holder at a time.
func hammered(n *nodes) {
	h := &hammer{nodes: n}
	seeds := uint64(5)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		var all sync.WaitGroup
		for i := range 4 {
			all.Go(func() {
				name := fmt.Sprint(seed, ".", i)
				h.run(i, name, n.run(i, name), rand.New(rand.NewPCG(seed, uint64(i))), 4)
			})
		}
		all.Wait()
		n.free("0", "1", "2", "3")
	}
	require.True(n.t, h.cycles.Load() > 0 || testing.Short(), "no cycle was met")
	require.Positive(n.t, h.done.Load())
}

type hammer struct {
	*nodes
	inside       [5]atomic.Int32 // holders of each host, and of the global guard
	cycles, done atomic.Int64
}

// run is an evaluation: it takes guards, and in their bodies more, or starts workers.
func (h *hammer) run(node int, run string, o effect.Owner, r *rand.Rand, depth int) {
	for range 3 {
		switch {
		case depth == 0:
			h.done.Add(1)
		case r.IntN(3) == 0:
			var all sync.WaitGroup
			for i := range 2 {
				child := rand.New(rand.NewPCG(r.Uint64(), 0))
				below := h.at(node).Owner(o, run, fmt.Sprintf("%s.%d", o, i))
				all.Go(func() { h.run(node, run, below, child, depth-1) })
			}
			all.Wait()
		default:
			h.guarded(node, run, o, r, depth)
		}
	}
}

func (h *hammer) guarded(node int, run string, o effect.Owner, r *rand.Rand, depth int) {
	n := r.IntN(len(h.inside))
	req := &effect.GuardRequest{Hint: exclusive, Host: fmt.Sprint(n), Owner: o}
	if n == 4 {
		req.Hint = global
	}
	ctx, cancel := context.WithCancel(h.t.Context())
	if r.IntN(4) == 0 {
		ctx, cancel = context.WithTimeout(h.t.Context(), time.Duration(r.IntN(50))*time.Microsecond)
	}
	defer cancel()
	held, err := h.at(node).Acquire(ctx, req)
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			return
		}
		var e *guard.Error
		require.ErrorAs(h.t, err, &e)
		require.Contains(h.t, []diag.Code{diag.GuardCycle, diag.GuardHeld}, e.Code)
		if e.Code == diag.GuardCycle {
			h.cycles.Add(1)
		}
		return
	}
	require.EqualValues(h.t, 1, h.inside[n].Add(1), "holders at once")
	if r.IntN(2) == 0 {
		time.Sleep(time.Duration(r.IntN(100)) * time.Microsecond)
	}
	h.run(node, run, o, r, depth-1)
	h.inside[n].Add(-1)
	require.NoError(h.t, held.Release())
}

// modelled compares random operations with a model.
func modelled(n *nodes) {
	seen := map[diag.Code]int{}
	for seed := range uint64(20) {
		m := &model{nodes: n, r: rand.New(rand.NewPCG(seed, 1)), name: fmt.Sprint("model", seed),
			holders: map[string]*evaluation{}, queues: map[string][]*evaluation{}, errors: seen}
		for range 1 + m.r.IntN(3) {
			m.begin(nil)
		}
		for range 120 {
			m.step()
		}
		m.finish()
		n.free("a", "b", "c")
	}
	require.Positive(n.t, seen[diag.GuardHeld])
	require.Positive(n.t, seen[diag.GuardCycle])
}

// model is what there should be.
type model struct {
	*nodes
	r       *rand.Rand
	name    string
	live    []*evaluation
	holders map[string]*evaluation
	queues  map[string][]*evaluation
	made    int
	errors  map[diag.Code]int
}

// evaluation is an evaluation of the model. It runs on any node; those above it may run on others.
type evaluation struct {
	node      int
	run, path string
	parent    *evaluation
	children  int // that have not ended
	held      []holding
	ctx       context.Context
	cancel    context.CancelFunc
	waits     chan outcome // nil unless it waits
	wants     string       // "" for the global guard
	owner     effect.Owner
}

type holding struct {
	host string
	held effect.Held
}

type outcome struct {
	held effect.Held
	err  error
}

func (m *model) begin(parent *evaluation) {
	e := &evaluation{node: m.r.IntN(len(m.all)), parent: parent, path: fmt.Sprint(m.made)}
	m.made++
	if parent == nil {
		e.run = m.name + "/" + e.path
	} else {
		parent.children++
		e.run, e.path = parent.run, parent.path+"."+e.path
	}
	e.owner = m.owner(e, e.node)
	e.ctx, e.cancel = context.WithCancel(context.Background())
	m.live = append(m.live, e)
}

// owner returns the owner of an evaluation on a node, which may know those above it as its own.
func (m *model) owner(e *evaluation, node int) effect.Owner {
	if e == nil {
		return nil
	}
	if e.owner != nil && e.node == node {
		return e.owner
	}
	return m.at(node).Owner(m.owner(e.parent, node), e.run, e.path)
}

// step has some evaluation do something.
func (m *model) step() {
	e := m.live[m.r.IntN(len(m.live))]
	switch {
	case e.waits != nil:
		if m.r.IntN(8) == 1 {
			m.leave(e)
		}
	case e.children > 0: // suspended
	default:
		m.act(e)
	}
}

func (m *model) act(e *evaluation) {
	switch m.r.IntN(8) {
	case 0, 1:
		if len(e.held) > 0 {
			m.release(e)
		} else if e.parent != nil {
			m.end(e)
		}
	case 2:
		for range 1 + m.r.IntN(3) {
			if len(m.live) < 16 {
				m.begin(e)
			}
		}
	default:
		m.acquire(e, []string{"", "a", "b", "c"}[m.r.IntN(4)])
	}
}

func (m *model) end(e *evaluation) {
	e.parent.children--
	e.cancel()
	m.live = slices.DeleteFunc(m.live, func(o *evaluation) bool { return o == e })
}

func (m *model) acquire(e *evaluation, host string) {
	want := m.expected(e, host)
	h := exclusive
	if host == "" {
		h = global
	}
	result := make(chan outcome, 1)
	go func() {
		held, err := m.at(e.node).Acquire(e.ctx, &effect.GuardRequest{Hint: h, Host: host, Owner: e.owner})
		result <- outcome{held, err}
	}()
	synctest.Wait()
	select {
	case o := <-result:
		if o.err != nil {
			code := effect.FailureOf(o.err).Kind
			require.Equal(m.t, want, string(code), "%s wants %q: %s", e.path, host, o.err)
			m.errors[code]++
			return
		}
		require.Equal(m.t, want, "given", "%s wants %q", e.path, host)
		m.holders[host] = e
		e.held = append(e.held, holding{host, o.held})
	default:
		require.Equal(m.t, want, "waits", "%s wants %q", e.path, host)
		e.waits, e.wants = result, host
		m.queues[host] = append(m.queues[host], e)
	}
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
	was := m.queues[host]
	defer func() { m.queues[host], e.waits, e.wants = was, nil, "" }()
	m.queues[host] = append(slices.Clone(was), e)
	e.waits, e.wants = make(chan outcome), host
	if m.finishing()[e] {
		return "waits"
	}
	return string(diag.GuardCycle)
}

// finishing returns the evaluations that can end, from those that run to those that wait for nobody else.
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
		queue := m.queues[e.wants]
		ahead := queue[:slices.Index(queue, e)]
		return can[m.holders[e.wants]] && !slices.ContainsFunc(ahead, func(o *evaluation) bool { return !can[o] })
	}
	return !slices.ContainsFunc(m.live, func(o *evaluation) bool { return o.parent == e && !can[o] })
}

func (m *model) release(e *evaluation) {
	h := e.held[len(e.held)-1]
	e.held = e.held[:len(e.held)-1]
	require.NoError(m.t, h.held.Release())
	synctest.Wait()
	queue := m.queues[h.host]
	if len(queue) == 0 {
		delete(m.holders, h.host)
		return
	}
	next := queue[0]
	select {
	case o := <-next.waits:
		require.NoError(m.t, o.err)
		next.held = append(next.held, holding{h.host, o.held})
	default:
		require.Fail(m.t, "the first waiter was not granted the guard", "%q goes to %s", h.host, next.path)
	}
	next.waits = nil
	m.holders[h.host], m.queues[h.host] = next, queue[1:]
}

// leave cancels a wait.
func (m *model) leave(e *evaluation) {
	e.cancel()
	synctest.Wait()
	o := <-e.waits
	require.Error(m.t, o.err)
	require.Equal(m.t, diag.Cancelled, effect.FailureOf(o.err).Kind)
	m.queues[e.wants] = slices.DeleteFunc(m.queues[e.wants], func(o *evaluation) bool { return o == e })
	e.waits = nil
	e.ctx, e.cancel = context.WithCancel(context.Background())
}

// finish has every evaluation release its guards and end: nothing may stall.
func (m *model) finish() {
	worker := func(e *evaluation) bool { return e.parent != nil }
	for steps := 0; len(m.holders) > 0 || slices.ContainsFunc(m.live, worker); steps++ {
		require.Less(m.t, steps, 1000, "it stalls")
		for _, e := range slices.Clone(m.live) {
			runs := e.waits == nil && e.children == 0
			switch {
			case runs && len(e.held) > 0:
				m.release(e)
			case runs && e.parent != nil:
				m.end(e)
			}
		}
	}
	for _, e := range m.live {
		e.cancel()
	}
}
