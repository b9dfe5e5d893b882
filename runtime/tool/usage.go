// This file defines the counters of a run's calls.

package tool

import (
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// Stats are the totals of the calls of a run.
type Stats struct {
	Calls     int64   // made, without those whose outcome an earlier run has recorded
	Abandoned int64   // that had not ended when the run continued without them
	Tools     []Usage // by name, of the tools that were called
}

// Usage is the totals of the calls of one tool in a run. It does not count calls whose outcome an
// earlier run has recorded, or their waits: a replay has none. Times of calls that run in parallel
// are added.
type Usage struct {
	Name    string        `json:"name"`
	Calls   int64         `json:"calls"`   // made
	Errors  int64         `json:"errors"`  // of those, that failed
	Refused int64         `json:"refused"` // not made: by a policy, a bound, a queue or a guard
	Time    time.Duration `json:"time"`    // nanoseconds that the calls took, without their waits
	// The time that calls waited before they were made or refused, in nanoseconds.
	Queued time.Duration `json:"queued"` // for a place in the queue of the tool
	Host   time.Duration `json:"host"`   // for a host that something else held
	Global time.Duration `json:"global"` // for the global guard
	Token  time.Duration `json:"token"`  // for a token of a rate limit, or the end of its pause
}

// use is the state of a tool that a run has called.
type use struct {
	action effect.Action // set by the first call that is queued
	calls  int           // counted against the bounds; mu of the run guards it

	// suspended is the number of calls of an Async tool that keep a place in the queue until they are settled.
	// inQueue has the calls that enter the queue. mu of the run guards both, and queueing.settle reads the
	// number.
	suspended atomic.Int64
	inQueue   map[*queueing]struct{}

	made, errors, refused, time, queued, host, global, token atomic.Int64
}

// waited adds a wait.
func (u *use) waited(w effect.Wait) {
	switch w.Kind {
	case effect.WaitGlobal:
		u.global.Add(int64(w.Duration))
	case effect.WaitHost:
		u.host.Add(int64(w.Duration))
	case effect.WaitQueue:
		u.queued.Add(int64(w.Duration))
	case effect.WaitToken:
		u.token.Add(int64(w.Duration))
	}
}

func (u *use) usage(name string) Usage {
	return Usage{name, u.made.Load(), u.errors.Load(), u.refused.Load(), time.Duration(u.time.Load()),
		time.Duration(u.queued.Load()), time.Duration(u.host.Load()),
		time.Duration(u.global.Load()), time.Duration(u.token.Load())}
}

// Stats returns the totals so far.
func (r *Run) Stats() Stats {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := Stats{Calls: r.calls.Load(), Abandoned: r.abandoned.Load()}
	byName := func(a, b *Tool) int { return strings.Compare(a.name, b.name) }
	for _, t := range slices.SortedFunc(maps.Keys(r.used), byName) {
		if of := r.used[t].usage(t.name); of != (Usage{Name: t.name}) {
			s.Tools = append(s.Tools, of)
		}
	}
	return s
}
