// This file defines the statistics of a Set.

package guard

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// Counts are the counters of a Set.
type Counts struct {
	Taken   int64 // locks granted: of hosts and the global one
	Tokens  int64 // tokens granted
	Waited  int64 // waits begun, for locks and tokens
	GaveUp  int64 // waits that a context ended, and those not begun for a deadline
	Refused int64 // requests that were errors: held already, a cycle, another rate
}

// Stats are the counters and the state of a Set.
type Stats struct {
	Counts
	Held     int // hosts held
	Waiting  int // waiters for hosts, the global lock and tokens
	Global   LockStats
	Limiters int // rate limits known
	// Hosts and Rates are those with the most waiters, in this order and then by name. The argument
	// of Stats bounds their number.
	Hosts []LockStats
	Rates []RateStats
}

// LockStats is the state of a lock.
type LockStats struct {
	Host    string // "" for the global lock
	Holder  string // "" if it is free
	Waiting int
}

// RateStats is the state of a rate limit.
type RateStats struct {
	Key       string
	PerSecond float64 // 0 while it is only paused and has not been used
	Burst     int
	Tokens    float64 // that could be taken now
	Waiting   int
	Paused    time.Time // until this time; zero if it is not paused
}

// Stats returns the statistics, with at most n hosts and n rate limits. It examines every held
// lock, and no other caller can take one meanwhile: some milliseconds for 100,000 hosts.
func (s *Set) Stats(n int) Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	st := Stats{Counts: s.counts, Held: len(s.locks), Limiters: len(s.limiters), Global: s.global.stats()}
	st.Waiting = s.global.length
	for _, l := range s.locks {
		st.Waiting += l.length
		st.Hosts = insert(st.Hosts, n, l.stats(), func(a, b LockStats) int {
			return cmp.Or(cmp.Compare(b.Waiting, a.Waiting), cmp.Compare(a.Host, b.Host))
		})
	}
	for key, l := range s.limiters {
		st.Waiting += l.length
		st.Rates = insert(st.Rates, n, l.stats(key, now), func(a, b RateStats) int {
			return cmp.Or(cmp.Compare(b.Waiting, a.Waiting), cmp.Compare(a.Key, b.Key))
		})
	}
	return st
}

func (l *lock) stats() LockStats {
	st := LockStats{Host: l.host, Waiting: l.length}
	if l.holder != nil {
		st.Holder = l.holder.String()
	}
	return st
}

func (l *limiter) stats(key string, now time.Duration) RateStats {
	r := RateStats{Key: key, PerSecond: l.hint.PerSecond, Burst: l.hint.Burst, Waiting: l.length}
	if now < l.until {
		r.Paused = l.set.start.Add(l.until)
	} else if l.rated() {
		r.Tokens = l.bucket.Tokens(now)
	}
	return r
}

// insert puts an entry into a sorted list of at most n.
func insert[E any](list []E, n int, e E, order func(a, b E) int) []E {
	i, _ := slices.BinarySearchFunc(list, e, order)
	if i >= n {
		return list
	}
	if len(list) == n {
		list = list[:n-1]
	}
	return slices.Insert(list, i, e)
}

// Waiters returns the waiters: for the global guard, for hosts and for tokens, by their names, the
// first of each queue first; at most n. It examines every queue, and no other caller can take a
// guard meanwhile.
func (s *Set) Waiters(n int) []effect.Waiter {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.global.waiters(nil, effect.WaitGlobal, "")
	for _, host := range slices.Sorted(maps.Keys(s.locks)) {
		all = s.locks[host].waiters(all, effect.WaitHost, host)
	}
	for _, key := range slices.Sorted(maps.Keys(s.limiters)) {
		all = s.limiters[key].waiters(all, effect.WaitToken, key)
	}
	return all[:min(len(all), max(n, 0))]
}

// waiters appends those of a queue.
func (q *queue) waiters(to []effect.Waiter, kind effect.WaitKind, key string) []effect.Waiter {
	for w := q.first; w != nil; w = w.next {
		to = append(to, effect.Waiter{Kind: kind, Key: key, Name: w.name, Since: w.since})
	}
	return to
}
