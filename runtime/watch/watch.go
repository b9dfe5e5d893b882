// Package watch counts, logs and reports the use of guards and queues by one run: which ones it has taken,
// how long it has held them, and how long it has waited.
//
// A Run wraps the effect.Guards and the effect.Queues of a run. Several runs may share those. The Run of each counts
// only its own use. Counting costs a mutex and two readings of the clock for each guard, and a mutex for each execution
// of a queue. Without a log that takes slog.LevelDebug, logging costs nothing.
//
// A Run also finds declarations that do not fit the behavior of a tool or a program: see Run.Hints.
package watch

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// Run counts and logs the guards and queues of one run. New makes it. It is safe for concurrent use.
type Run struct {
	start   time.Time           // from which times count: to read one clock takes half the time of reading both
	log     *slog.Logger        // nil unless it takes slog.LevelDebug
	clean   func(string) string // takes the secrets out of a string
	observe effect.Observer     // of waits

	mu     sync.Mutex
	guards map[guardKey]*guardUse
	others [3]*guardUse // of the kinds in locks, for the keys beyond maxKeys
	queues map[string]*queueUse
	busy   map[string]int // calls of fully parallel tools that found something locked, by tool
}

// New returns a Run that logs to log; nil discards all messages. clean takes secrets out of the keys in the totals; nil
// changes nothing. log must have no secrets itself. Wait and WaitBegun of observe, which is optional, must not panic.
func New(log *slog.Logger, clean func(string) string, observe *effect.Observer) *Run {
	if log != nil && !log.Enabled(context.Background(), slog.LevelDebug) {
		log = nil
	}
	if clean == nil {
		clean = func(s string) string { return s }
	}
	w := &Run{start: time.Now(), log: log, clean: clean}
	if observe != nil {
		w.observe = *observe
	}
	return w
}

// maxKeys bounds the hosts and the rate limits that are counted one by one, because programs invent their names. The
// others are counted together.
const maxKeys = 256

// Guards returns the use of the n guards for which the run has waited longest, and of the others together. They are in
// the order of their waits, and then of their names.
func (w *Run) Guards(n int) []effect.GuardUsage {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.guards) == 0 {
		return nil
	}
	all := make([]effect.GuardUsage, 0, len(w.guards))
	for _, u := range w.guards {
		all = append(all, u.GuardUsage)
	}
	slices.SortFunc(all, func(a, b effect.GuardUsage) int {
		return cmp.Or(cmp.Compare(b.Wait, a.Wait), cmp.Compare(kindOf(a.Kind), kindOf(b.Kind)), strings.Compare(a.Key, b.Key))
	})
	var rest [len(locks)]effect.GuardUsage
	for i, u := range w.others {
		if u != nil {
			rest[i] = u.GuardUsage
		}
	}
	if n = max(n, 0); len(all) > n {
		for _, g := range all[n:] {
			add(&rest[kindOf(g.Kind)], g)
		}
		all = all[:n]
	}
	for i := range all {
		all[i].Key = w.clean(all[i].Key)
	}
	for i, g := range rest {
		if g.Others > 0 {
			g.Kind = locks[i]
			all = append(all, g)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// locks are the kinds of guards, in the order in which they are taken.
var locks = [...]effect.WaitKind{effect.WaitGlobal, effect.WaitHost, effect.WaitToken}

func kindOf(k effect.WaitKind) int { return max(slices.Index(locks[:], k), 0) }

// add adds the use of one guard, or of others, to the sum g.
func add(g *effect.GuardUsage, b effect.GuardUsage) {
	g.Key, g.PerSecond = "", 0
	g.Others += max(b.Others, 1)
	g.Taken, g.Refused, g.Slowed = g.Taken+b.Taken, g.Refused+b.Refused, g.Slowed+b.Slowed
	g.Waits, g.Wait, g.Held = g.Waits+b.Waits, g.Wait+b.Wait, g.Held+b.Held
	g.Longest = max(g.Longest, b.Longest)
}

// Queues returns the use of the queues of the actions that have a limit, or for which the run has waited, by name.
func (w *Run) Queues() []effect.QueueUsage {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []effect.QueueUsage
	for _, u := range w.queues {
		if u.limited || u.Waits > 0 || u.Refused > 0 {
			all = append(all, u.QueueUsage)
		}
	}
	slices.SortFunc(all, func(a, b effect.QueueUsage) int { return strings.Compare(a.Action, b.Action) })
	return all
}

// ended reports the waits of an effect.
func (w *Run) ended(id string, waits ...effect.Wait) {
	if w.observe.Wait == nil {
		return
	}
	for _, wait := range waits {
		wait.Key = w.clean(wait.Key)
		w.observe.Wait(id, wait)
	}
}

// follows reports whether somebody wants to know when waits begin.
func (w *Run) follows() bool { return w.log != nil || w.observe.WaitBegun != nil }

// began reports that a wait of an effect begins.
func (w *Run) began(id string, b effect.Begun) {
	if w.observe.WaitBegun != nil {
		b.Key = w.clean(b.Key)
		w.observe.WaitBegun(id, b)
	}
}

// waited adds waits to two totals.
func waited(n *int64, total, longest *time.Duration, d time.Duration) {
	*n++
	*total += d
	*longest = max(*longest, d)
}
