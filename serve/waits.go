// This file defines what a run waits for while it runs.

package serve

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/serve/wire"
)

// waits are the waits of a run for guards, queues and tokens that are under way, by the ids of their effects.
type waits struct {
	mu  sync.Mutex
	now map[string]effect.Waiter
}

func (w *waits) begin(id string, b effect.Begun) {
	if !slices.Contains(effect.WaitKinds[:], b.Kind) { // the run has what is pending
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.now == nil {
		w.now = make(map[string]effect.Waiter)
	}
	w.now[id] = effect.Waiter{Kind: b.Kind, Key: b.Key, Name: id, Since: time.Now()}
}

func (w *waits) end(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.now, id)
}

// Waits returns what the effects of a run wait for now, the longest wait first. The names of the waiters are the ids of
// the effects. It knows only runs that this engine runs.
func (e *Engine) Waits(id string) []effect.Waiter {
	e.mu.Lock()
	l := e.live[id]
	e.mu.Unlock()
	if l == nil {
		return nil
	}
	l.waits.mu.Lock()
	defer l.waits.mu.Unlock()
	all := make([]effect.Waiter, 0, len(l.waits.now))
	for _, w := range l.waits.now {
		all = append(all, w)
	}
	slices.SortFunc(all, func(a, b effect.Waiter) int {
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.Name, b.Name))
	})
	return all
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
	l.waits.end(id)
	l.tell(wire.Waited{Effect: id, Kind: w.Kind, Key: w.Key, Duration: w.Duration})
}
