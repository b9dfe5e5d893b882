// This file runs random programs of many evaluations: concurrently, and one operation at a time beside a model.

package guardtest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/guard"
	"github.com/ptc-lang/ptc/runtime/guard/guardtest/guardmodel"
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
		r := rand.New(rand.NewPCG(seed, 1))
		c := &compared{nodes: n, r: r, name: fmt.Sprint("model", seed), all: map[*guardmodel.Evaluation]*evaluation{}}
		m := guardmodel.New(n.t, c, r.IntN)
		for range 120 {
			m.Step()
		}
		m.Finish()
		n.free("a", "b", "c")
		for code, times := range m.Errors {
			seen[code] += times
		}
	}
	require.Positive(n.t, seen[diag.GuardHeld])
	require.Positive(n.t, seen[diag.GuardCycle])
}

// compared is the guards of the nodes, which are compared with the model.
type compared struct {
	*nodes
	r    *rand.Rand
	name string
	all  map[*guardmodel.Evaluation]*evaluation
}

// evaluation runs on any node; those above it may run on others.
type evaluation struct {
	node   int
	run    string
	held   []effect.Held
	ctx    context.Context
	cancel context.CancelFunc
	waits  chan outcome
	owner  effect.Owner
}

type outcome struct {
	held effect.Held
	err  error
}

func (c *compared) Begin(of *guardmodel.Evaluation) {
	top := of
	for top.Parent != nil {
		top = top.Parent
	}
	e := &evaluation{node: c.r.IntN(len(c.nodes.all)), run: c.name + "/" + top.String()}
	c.all[of] = e
	e.owner = c.owner(of, e.node)
	e.ctx, e.cancel = context.WithCancel(context.Background())
}

// owner returns the owner of an evaluation on a node, which may know those above it as its own.
func (c *compared) owner(of *guardmodel.Evaluation, node int) effect.Owner {
	if of == nil {
		return nil
	}
	e := c.all[of]
	if e.owner != nil && e.node == node {
		return e.owner
	}
	return c.at(node).Owner(c.owner(of.Parent, node), e.run, of.String())
}

func (c *compared) End(of *guardmodel.Evaluation) { c.all[of].cancel() }

func (c *compared) Acquire(of *guardmodel.Evaluation, host string) string {
	e, h := c.all[of], exclusive
	if host == "" {
		h = global
	}
	result := make(chan outcome, 1)
	go func() {
		held, err := c.at(e.node).Acquire(e.ctx, &effect.GuardRequest{Hint: h, Host: host, Owner: e.owner})
		result <- outcome{held, err}
	}()
	synctest.Wait()
	select {
	case o := <-result:
		if o.err != nil {
			return string(effect.FailureOf(o.err).Kind)
		}
		e.held = append(e.held, o.held)
		return guardmodel.Given
	default:
		e.waits = result
		return guardmodel.Waits
	}
}

func (c *compared) Release(of *guardmodel.Evaluation, host string, next *guardmodel.Evaluation) {
	e := c.all[of]
	require.NoError(c.t, e.held[len(e.held)-1].Release())
	e.held = e.held[:len(e.held)-1]
	synctest.Wait()
	if next == nil {
		return
	}
	select {
	case o := <-c.all[next].waits:
		require.NoError(c.t, o.err)
		c.all[next].held = append(c.all[next].held, o.held)
	default:
		require.Fail(c.t, "the first waiter was not granted the guard", "%q goes to %s", host, next)
	}
}

func (c *compared) Cancel(of *guardmodel.Evaluation) (left bool) {
	c.Leave(of)
	return true
}

func (c *compared) Leave(of *guardmodel.Evaluation) {
	e := c.all[of]
	e.cancel()
	synctest.Wait()
	o := <-e.waits
	require.Error(c.t, o.err)
	require.Equal(c.t, diag.Cancelled, effect.FailureOf(o.err).Kind)
	e.ctx, e.cancel = context.WithCancel(context.Background())
}

func (c *compared) Check(*guardmodel.Model) {}
