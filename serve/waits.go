// This file defines the waits of a run while it runs.

package serve

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/serve/wire"
)

// Wait is a wait of an effect for a guard, a queue or a token that is under way.
type Wait struct {
	effect.Waiter        // whose Name is the id of the effect
	Tool          string `json:"tool,omitempty"` // of a call
	Node          string `json:"node,omitempty"` // of a cluster
	Worker        int    `json:"worker"`
}

// waits are the waits of a run for guards, queues and tokens that are under way, by the ids of their effects.
type waits struct {
	mu    sync.Mutex
	now   map[string]Wait
	calls map[string]effect.Call // that have begun
}

// call notes a call, whose waits begin afterwards. The caller calls end after it.
func (w *waits) call(c *effect.Call) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.calls == nil {
		w.calls = make(map[string]effect.Call)
	}
	w.calls[c.ID] = *c
}

func (w *waits) begin(id string, b effect.Begun) {
	if !slices.Contains(effect.WaitKinds[:], b.Kind) { // the run has the pending effects
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.now == nil {
		w.now = make(map[string]Wait)
	}
	wait := Wait{Waiter: effect.Waiter{Kind: b.Kind, Key: b.Key, Name: id, Since: time.Now()}, Worker: b.Worker}
	if c, ok := w.calls[id]; ok {
		wait.Tool, wait.Worker = c.Tool.Name(), c.Worker
	}
	w.now[id] = wait
}

// over ends a wait, and end a call with its waits: one that was refused may have none that is over.
func (w *waits) over(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.now, id)
}

func (w *waits) end(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.now, id)
	delete(w.calls, id)
}

// Waits returns the current waits of the effects of a run, the longest first. It knows the runs that this
// engine leads, including their waits on the other nodes that take part.
func (e *Engine) Waits(ctx context.Context, id string) []Wait {
	e.mu.Lock()
	l := e.live[id]
	e.mu.Unlock()
	if l == nil {
		return nil
	}
	all := e.WaitsHere(id)
	if l.shared() && e.opts.Nodes != nil {
		all = append(all, e.opts.Nodes.Waits(ctx, id)...)
	}
	slices.SortFunc(all, func(a, b Wait) int {
		return cmp.Or(a.Since.Compare(b.Since), effect.CompareIDs(a.Name, b.Name))
	})
	return all
}

// WaitsHere returns the waits of the effects of a run in this engine, which leads the run or takes part in it.
func (e *Engine) WaitsHere(id string) (all []Wait) {
	e.mu.Lock()
	l := cmp.Or(e.live[id], e.following[id])
	e.mu.Unlock()
	if l == nil {
		return nil
	}
	node := ""
	if e.opts.Nodes != nil {
		node = e.opts.Nodes.Self()
	}
	l.waits.mu.Lock()
	defer l.waits.mu.Unlock()
	for _, w := range l.waits.now {
		w.Node = node
		all = append(all, w)
	}
	return all
}

// shared reports whether other nodes take part in a run now.
func (l *live) shared() bool {
	l.mu.Lock()
	r := l.part.replica
	l.mu.Unlock()
	if r == nil {
		return false
	}
	nodes, _ := r.Others()
	return nodes > 0
}

// observer follows the waits and the calls of the run.
func (l *live) observer(e *Engine) *effect.Observer {
	return &effect.Observer{WaitBegun: l.waitBegun, Wait: l.waited, Ready: l.ready(e)}
}

// waitBegun receives the waits of the run that begin.
func (l *live) waitBegun(id string, b effect.Begun) {
	l.waits.begin(id, b)
	l.tell(wire.WaitBegun{Effect: id, Kind: b.Kind, Key: b.Key, Ahead: b.Ahead})
}

// waited receives the waits of the run that are over.
func (l *live) waited(id string, w effect.Wait) {
	l.waits.over(id)
	l.tell(wire.Waited{Effect: id, Kind: w.Kind, Key: w.Key, Duration: w.Duration})
}
