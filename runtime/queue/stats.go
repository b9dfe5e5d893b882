// This file defines the statistics of queues.

package queue

import (
	"slices"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// Stats is the state of the queue of one action at one moment. The totals count since the action was
// first called, or called again after it was forgotten. Times are in nanoseconds.
type Stats struct {
	Action  string        `json:"action"`
	Waiting int           `json:"waiting"` // executions in the queue
	Active  int           `json:"active"`  // executions under way
	Limit   int           `json:"limit"`   // of those under way, as last called or replaced; 0 if there is none
	Oldest  time.Duration `json:"oldest"`  // for how long the first of the waiting ones has waited

	Enqueued  int64 `json:"enqueued"`  // executions that have arrived, including those that could start immediately
	Completed int64 `json:"completed"` // executions that have started and ended
	Failed    int64 `json:"failed"`    // the completed ones whose ending was no success
	Cancelled int64 `json:"cancelled"` // by Cancel, Clear or a context that was cancelled, while they waited
	TimedOut  int64 `json:"timed_out"` // by the bound on waiting or the deadline of a context
	Refused   int64 `json:"refused"`   // executions that found the queue full, which are not among Enqueued

	Waited  time.Duration `json:"waited"`   // total of all waits that are over, whatever their end
	Longest time.Duration `json:"max_wait"` // of these waits

	// Lanes has the share of each priority, the highest first.
	Lanes [len(effect.Priorities)]LaneStats `json:"lanes"`
}

// LaneStats is the share of one priority in Stats; the fields have the same meaning.
type LaneStats struct {
	Priority  effect.Priority `json:"priority"`
	Waiting   int             `json:"waiting"`
	Oldest    time.Duration   `json:"oldest"`
	Enqueued  int64           `json:"enqueued"`
	Cancelled int64           `json:"cancelled"`
	TimedOut  int64           `json:"timed_out"`
	Refused   int64           `json:"refused"`
	Waited    time.Duration   `json:"waited"`
	Longest   time.Duration   `json:"max_wait"`
}

// Stats returns the stats of an action. All counts of an unknown action are 0.
func (s *Set) Stats(action string) Stats {
	if l := s.find(action); l != nil {
		return l.stats()
	}
	return (&line{action: action}).summary(0)
}

// All returns the stats of all actions, in alphabetical order. Each is of one moment.
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
	return l.summary(l.set.now())
}

// summary returns the stats at a time. The caller holds mu.
func (l *line) summary(now time.Duration) Stats {
	s := Stats{Action: l.action, Waiting: len(l.waiting), Active: len(l.running), Limit: l.limit,
		Completed: l.completed, Failed: l.failed}
	if s.Limit == NoLimit {
		s.Limit = 0
	}
	for i, p := range effect.Priorities {
		a := l.lanes[i].stats(p, now)
		s.Lanes[i] = a
		s.Oldest = max(s.Oldest, a.Oldest)
		s.Enqueued += a.Enqueued
		s.Cancelled += a.Cancelled
		s.TimedOut += a.TimedOut
		s.Refused += a.Refused
		s.Waited += a.Waited
		s.Longest = max(s.Longest, a.Longest)
	}
	return s
}

func (a *lane) stats(p effect.Priority, now time.Duration) LaneStats {
	t := a.totals
	s := LaneStats{Priority: p, Waiting: a.length, Enqueued: t.enqueued, Cancelled: t.cancelled, TimedOut: t.timedOut,
		Refused: t.refused, Waited: t.waited, Longest: t.longest}
	if a.head != nil {
		s.Oldest = now - a.head.since
	}
	return s
}
