// This file defines suspects: runs that are poisoned if the process ends once more while they run.
//
// The end of a process does not show which run has caused it. So suspects run one at a time, beside all others: if the
// process ends again, at most one innocent run is poisoned with the guilty one. A suspect that makes progress is none
// any more. One that runs for a minute has not ended the process as it did before, and the next one may begin.

package serve

import (
	"cmp"
	"time"

	"github.com/ptc-lang/ptc/store"
)

// aloneTime is the time after which another suspect may begin.
const aloneTime = time.Minute

// suspected reports whether one more crash poisons a run.
func (e *Engine) suspected(r *store.Run) bool {
	return r.Stalls >= e.maxStalls()-1 || r.Crashes >= 10*e.maxStalls()-1
}

func (e *Engine) maxStalls() int { return cmp.Or(e.opts.Crashes, DefaultCrashes) }

// isolate makes a run that is to start the suspect, if it is one. The caller holds the lock.
func (e *Engine) isolate(t *ticket) {
	if e.suspected(&t.run) {
		e.alone = t
		t.watched = time.AfterFunc(aloneTime, func() { e.acquit(t) })
	}
}

// acquit lets the next suspect begin: a run has stopped, has made progress, or has run long enough.
func (e *Engine) acquit(t *ticket) {
	if !e.suspected(&t.run) {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.leave(t)
	e.admit()
}

// leave is acquit for a caller that holds the lock, and admits others.
func (e *Engine) leave(t *ticket) {
	if e.alone == t {
		e.alone = nil
		t.watched.Stop()
	}
}
