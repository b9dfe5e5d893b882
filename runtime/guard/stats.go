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
	Taken   int64 `json:"taken"`   // locks granted: of hosts and the global one
	Tokens  int64 `json:"tokens"`  // tokens granted
	Waited  int64 `json:"waited"`  // waits begun, for locks and tokens
	GaveUp  int64 `json:"gave_up"` // waits that a context ended, and those not begun for a deadline
	Refused int64 `json:"refused"` // requests that were errors: held already, a cycle, another rate
}

// Stats are the counters and the state of a Set.
type Stats struct {
	Counts
	Held    int `json:"held"`    // hosts held
	Waiting int `json:"waiting"` // waiters for hosts, the global lock and tokens
	// WaitingTokens is the number of waiters for tokens.
	WaitingTokens int `json:"waiting_tokens"`

	Global   LockStats `json:"global"`
	Limiters int       `json:"limiters"` // rate limits known
	// Hosts and Rates are those with the most waiters, in this order and then by name. The argument
	// of Stats bounds their number, and that of Waiters.
	Hosts []LockStats `json:"hosts"`
	Rates []RateStats `json:"rates"`
	// Waiters are the waiters in the order of Set.Waiters.
	Waiters []effect.Waiter `json:"waiters"`
}

// LockStats is the state of a lock.
type LockStats struct {
	Host    string    `json:"host,omitempty"`   // "" for the global lock
	Run     string    `json:"run,omitempty"`    // of the holder: the host's name of the run
	Holder  string    `json:"holder,omitempty"` // "" if it is free
	Since   time.Time `json:"since,omitzero"`   // when the holder got it
	Waiting int       `json:"waiting"`
	// Abandoned reports whether the holder is a call that did not end in time.
	Abandoned bool `json:"abandoned,omitempty"`
}

// RateStats is the state of a rate limit.
type RateStats struct {
	Key       string    `json:"key"`
	PerSecond float64   `json:"per_second"` // 0 while it is only paused and has not been used
	Burst     int       `json:"burst"`
	Tokens    float64   `json:"tokens"` // that could be taken now
	Waiting   int       `json:"waiting"`
	Paused    time.Time `json:"paused,omitzero"` // until this time; zero if it is not paused
	Slow      float64   `json:"slow,omitempty"`  // the lower rate that Slow has set; 0 if there is none
}

// Stats returns the statistics of one moment, with at most n hosts, n rate limits and n waiters. It
// examines every held lock, and no other caller can take one in the meantime: some milliseconds for 100,000
// hosts.
func (s *Set) Stats(n int) Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	st := Stats{Counts: s.counts, Held: len(s.locks), Limiters: len(s.limiters), Global: s.global.stats(s),
		Waiters: s.waiters(n)}
	st.Waiting = s.global.length
	for _, l := range s.locks {
		st.Waiting += l.length
		st.Hosts = insert(st.Hosts, n, l.stats(s), func(a, b LockStats) int {
			return cmp.Or(cmp.Compare(b.Waiting, a.Waiting), cmp.Compare(a.Host, b.Host))
		})
	}
	for key, l := range s.limiters {
		st.WaitingTokens += l.length
		st.Rates = insert(st.Rates, n, l.stats(key, now), func(a, b RateStats) int {
			return cmp.Or(cmp.Compare(b.Waiting, a.Waiting), cmp.Compare(a.Key, b.Key))
		})
	}
	st.Waiting += st.WaitingTokens
	return st
}

func (l *lock) stats(s *Set) LockStats {
	st := LockStats{Host: l.host, Waiting: l.length}
	if h := l.holder; h != nil {
		st.Run, st.Holder, st.Since, st.Abandoned = h.run, h.name, s.start.Add(l.since), !h.abandoned.IsZero()
	}
	return st
}

func (l *limiter) stats(key string, now time.Duration) RateStats {
	l.speedUp(now)
	r := RateStats{Key: key, PerSecond: l.hint.PerSecond, Burst: l.hint.Burst, Waiting: l.length, Slow: l.slow.perSecond}
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
// guard in the meantime.
func (s *Set) Waiters(n int) []effect.Waiter {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waiters(n)
}

// waiters returns at most n waiters. The caller holds mu.
func (s *Set) waiters(n int) []effect.Waiter {
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
		to = append(to, effect.Waiter{Kind: kind, Key: key, Run: w.run, Name: w.name, Since: w.since})
	}
	return to
}
