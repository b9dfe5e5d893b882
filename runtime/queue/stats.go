// This file defines the statistics of queues.

package queue

import (
	"slices"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// Stats is the state of the queue of one action. Waiting and Active are of this moment, the
// totals since the action was first called, or called again after it was forgotten.
type Stats struct {
	Action  string
	Waiting int           // executions in the queue
	Active  int           // executions under way
	Limit   int           // of those under way, as last called; NoLimit if there is none
	Oldest  time.Duration // for how long the head has waited

	Enqueued  int64 // executions that have arrived, including those that could start at once
	Completed int64
	Cancelled int64 // by Cancel, ClearAll or a context that was cancelled
	TimedOut  int64 // by the bound on waiting or the deadline of a context
	Refused   int64 // executions that found the queue full, which are not among Enqueued
}

// Stats returns the stats of an action. All counts of an unknown action are 0.
func (s *Set) Stats(action string) Stats {
	if l := s.find(action); l != nil {
		return l.stats()
	}
	return Stats{Action: action}
}

// All returns the stats of all actions, in alphabetical order.
func (s *Set) All() []Stats {
	var all []Stats
	for l := range s.all {
		all = append(all, l.stats())
	}
	slices.SortFunc(all, func(a, b Stats) int { return strings.Compare(a.Action, b.Action) })
	return all
}

func (l *line) stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.totals
	s := Stats{
		Action: l.action, Waiting: l.waiting(), Active: l.active, Limit: l.limit,
		Enqueued: t.enqueued, Completed: t.completed, Cancelled: t.cancelled, TimedOut: t.timedOut, Refused: t.refused,
	}
	if l.head != nil {
		s.Oldest = l.set.now() - l.head.since
	}
	return s
}

// Waiters returns the waiters in the order of actions, the first of each queue first; at most
// n.
func (s *Set) Waiters(n int) []effect.Waiter {
	var lines []*line
	for l := range s.all {
		lines = append(lines, l)
	}
	slices.SortFunc(lines, func(a, b *line) int { return strings.Compare(a.action, b.action) })
	var all []effect.Waiter
	for _, l := range lines {
		all = l.waiters(all, n)
	}
	return all
}

// waiters appends those of a queue, up to n.
func (l *line) waiters(to []effect.Waiter, n int) []effect.Waiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	for w := l.head; w != nil && len(to) < n; w = w.next {
		to = append(to, effect.Waiter{Kind: effect.WaitQueue, Key: l.action, Name: w.execution,
			Since: l.set.start.Add(w.since)})
	}
	return to
}
