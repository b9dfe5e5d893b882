// This file defines which calls of a run change something at the moment.

package serve

import (
	"sync"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// writes are the calls of a run that change something. One that waits for a guard or in a queue is expected, and is
// under way when it has all that it needs. The zero value is ready for use.
type writes struct {
	mu  sync.Mutex
	all map[string]bool // by the ids of the calls: whether it is under way
	n   int             // under way
}

// expect notes that a call is a write.
func (w *writes) expect(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.all == nil {
		w.all = make(map[string]bool)
	}
	w.all[id] = false
}

// enter notes that a call is under way, and reports whether it is a write.
func (w *writes) enter(id string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	begun, write := w.all[id]
	if write && !begun {
		w.all[id] = true
		w.n++
	}
	return write
}

// leave notes that a write is not under way any more.
func (w *writes) leave(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.all[id] {
		w.n--
	}
	delete(w.all, id)
}

// underWay reports whether a write is, beside those whose outcome comes from outside: they are in the journal.
func (w *writes) underWay(pending []effect.Pending) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := w.n
	for i := range pending {
		if w.all[pending[i].ID] && pending[i].Kind == effect.PendingOutcome {
			n--
		}
	}
	return n > 0
}
