// Package guard implements guards, which make parallel workers exclude each other or keep to a rate: one package
// manager at a time on a host, ten calls a second to a service, one change at a time of a whole cluster.
//
// A tool declares an effect.Hint. Its kinds are:
//
//   - effect.FullyParallel, the zero Hint, needs no guard. It costs a comparison.
//   - RateLimited is for services that count their calls. Each call takes a token of the bucket of its
//     key. The bucket gets PerSecond tokens and holds up to Burst.
//   - HostExclusive runs one call at a time on each host. Hosts are independent of each other.
//   - GlobalExclusive runs one call at a time in the whole Set, whatever its host. It excludes only other
//     GlobalExclusive calls: calls on single hosts continue beside it.
//
// Several runs can share a Set. Acquire always takes the guards of a request in the order global, host,
// token. So two acquisitions never wait for each other, and a token is spent only just before the call.
// After Held.Release the guards pass to the first waiter. All queues are first in, first out, without
// overtaking.
//
// A Set is the effect.Guards of one process: its releases do not fail, its guards are not lost, and the number of a
// grant is its fence.
//
// # Waiting
//
// A wait blocks a goroutine but no processor: a Blocker is notified, so that a scheduler can run another worker. A
// wait ends with its context. The length of a wait for a token is known in advance, so the request fails
// immediately if its deadline is earlier. Pause stops a rate limit until the time that a service has asked
// for.
//
// # Cycles
//
// Within the body of one guard a program can take another one, in any order, so two evaluations could wait for each
// other forever. An Owner takes guards: an evaluation in the tree of a run. It is an immediate error
// (diag.GuardHeld) to take a guard that is held by the evaluation itself, or by one above it, which waits
// for it to end. If a wait would close a longer cycle, over any number of evaluations and runs, the
// evaluation that would close it gets an error with the whole cycle (diag.GuardCycle). When its bodies end,
// the others continue. There are no false alarms: a reported cycle could only have ended by a timeout. A
// wait for a token always ends and is not part of a cycle.
//
// # Cost
//
// The figures are the least and the median of 300 rounds of BenchmarkUncontended on a busy virtual machine with two
// processors. To take and release a free host takes 113 to 119 ns and two allocations, 104 bytes in all; a map of
// mutexes takes 13 ns. The global guard takes 65 to 97 ns and an allocation of 32 bytes. A token takes 52 to 54 ns, and
// allocates nothing. Each of them reads the clock once, for 24 ns.
//
// Of 100,000 held hosts each takes 131 bytes. Go's map keeps 35 of them after the release. The lock of a host exists
// only while it is held, because a service sees many more hosts in a year than it uses at any time. A rate limit whose
// bucket is full again is like a new one, and is dropped too.
package guard

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// Set holds the guards that some runs share: their hosts, their rate limits and their global lock. A run
// that shares no guards has its own Set. It needs no closing. The zero Set is ready for use.
type Set struct {
	log     *slog.Logger
	emptied time.Time // see Options.Emptied

	mu       sync.Mutex       // guards the following fields, their locks and limiters
	start    time.Time        // the origin of the times of rate limits; see now
	locks    map[string]*lock // of the hosts that are held
	global   lock
	limiters map[string]*limiter
	sweepAt  int           // number of limiters at which sweep drops idle ones
	swept    time.Duration // time of the last sweep
	ticket   uint64        // the last one granted
	search   search
	counts   Counts
}

// Options are the options of a Set.
type Options struct {
	// Logger gets a record of level debug when a guard is taken or released. It is optional.
	Logger *slog.Logger
	// Emptied is the time at which all rate limits were empty: their buckets begin to fill then. So the Set
	// can follow another one that was lost with its buckets, and both together grant no more than the rates
	// allow. If it is zero, buckets are full at first.
	Emptied time.Time
}

// NewSet returns a Set in which no guard is held.
func NewSet(o Options) *Set { return &Set{log: o.Logger, emptied: o.Emptied} }

// now returns the time since the first call of now. Reading the monotonic clock alone takes half
// the time of reading both clocks. The caller holds mu.
func (s *Set) now() time.Duration {
	if s.start.IsZero() {
		s.start = time.Now()
	}
	return time.Since(s.start)
}

// Held represents the guards that one Acquire has taken.
type Held struct {
	set    *Set
	host   *lock
	ticket uint64 // of the host; 0 if it is not held
	global uint64 // ticket of the global lock; 0 if it is not held
}

// Acquire takes the guards of a request in the order global, host, rate, and waits for each that is
// not free. The caller must call Release. An error is an *Error; nothing is held then.
//
// A wait ends when the context does. A wait for a token that would exceed the deadline is not
// begun. A free guard is taken even if the context has ended.
func (s *Set) Acquire(ctx context.Context, r *effect.GuardRequest) (effect.Held, error) {
	if r != nil && r.Hint.Kind == effect.FullyParallel {
		return effect.Unguarded, nil
	}
	return s.acquire(ctx, r)
}

// acquire is separate so that Acquire is small enough to be inlined: a request without a guard then
// costs a comparison.
func (s *Set) acquire(ctx context.Context, r *effect.GuardRequest) (effect.Held, error) {
	o, err := owner(ctx, r)
	if err != nil {
		return effect.Unguarded, err
	}
	h := Held{set: s}
	var refused *Error
	if r.Hint.Kind&effect.GlobalExclusive != 0 {
		_, h.global, refused = s.lock(ctx, "", o, r)
	}
	if refused == nil && r.Hint.Kind&effect.HostExclusive != 0 {
		h.host, h.ticket, refused = s.lock(ctx, r.Host, o, r)
	}
	if refused == nil && r.Hint.Kind&effect.RateLimited != 0 {
		refused = s.token(ctx, r)
	}
	switch {
	case refused != nil:
		_ = h.Release() // of the global guard, which is held
		return effect.Unguarded, refused
	case h.ticket|h.global == 0:
		return effect.Unguarded, nil
	}
	held := h
	return &held, nil
}

// owner checks a request, and returns its owner.
func owner(ctx context.Context, r *effect.GuardRequest) (*Owner, error) {
	if ctx == nil || r == nil {
		return nil, invalid(errors.New("Acquire: got a nil context or request, want both"))
	}
	if err := r.Hint.Validate(); err != nil {
		return nil, invalid(err)
	}
	if r.Hint.Kind&effect.HostExclusive != 0 {
		if err := effect.ValidGuardName("host-exclusive", "host", r.Host); err != nil {
			return nil, invalid(err)
		}
	}
	o, _ := r.Owner.(*Owner)
	if o == nil && r.Hint.Kind&(effect.HostExclusive|effect.GlobalExclusive) != 0 {
		return nil, invalid(fmt.Errorf("%s: got a request without an Owner, want one of NewOwner", r.Hint.Kind))
	}
	return o, nil
}

// Release releases the guards. Tokens are not returned. A second Release would let two callers use
// a host, so it changes nothing and returns an *Error of code diag.IllegalState.
func (h *Held) Release() error {
	var err error
	if h.ticket != 0 {
		err = h.set.release(h.host, h.ticket)
	}
	if h.global != 0 {
		err = errors.Join(err, h.set.release(&h.set.global, h.global))
	}
	return err
}

// Abandon records that the owner no longer waits for the call that holds the guards. They stay
// taken until Release, under the name of the call in errors and statistics. The owner and the
// evaluations below it get an error if they want the guards meanwhile (diag.GuardBusy); others
// wait.
func (h *Held) Abandon(call string) {
	if h.ticket != 0 {
		h.set.abandon(h.host, h.ticket, call)
	}
	if h.global != 0 {
		h.set.abandon(&h.set.global, h.global, call)
	}
}

// Lost returns nil: the guards of a process are not lost.
func (h *Held) Lost() context.Context { return nil }

// Fence returns the number of the last grant. Grants are numbered over all guards of the Set.
func (h *Held) Fence() uint64 { return max(h.ticket, h.global) }

func (s *Set) release(l *lock, ticket uint64) error {
	if s.log == nil || !s.log.Enabled(context.Background(), slog.LevelDebug) {
		return s.unlock(l, ticket)
	}
	s.mu.Lock()
	what, o := l.String(), l.holder // while it is held
	s.mu.Unlock()
	if err := s.unlock(l, ticket); err != nil {
		return err
	}
	s.tell(context.Background(), "guard released", what, o, 0)
	return nil
}

// MaxPause is the longest pause of a rate limit. Otherwise a service that asks for a year would
// stop the key for all runs that share it.
const MaxPause = time.Hour

// Pause stops the tokens of a rate limit until a time that a service has asked for ("retry after").
// At that time the bucket has one token, and then fills as usual. A pause never shortens a longer
// one. Waiters whose deadline is before their turn fail immediately.
func (s *Set) Pause(key string, until time.Time) error {
	return s.change(key, until, (*limiter).pause)
}

// change calls by with the limiter of a key, and a time at most MaxPause ahead by the clock of the Set. If the time has
// passed, it does nothing.
func (s *Set) change(key string, until time.Time, by func(l *limiter, until, now time.Duration)) error {
	if err := effect.ValidGuardName("rate limit", "key", key); err != nil {
		return invalid(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	span := min(time.Until(until), MaxPause)
	if span <= 0 {
		return nil
	}
	now := s.now()
	l, err := s.limiterOf(key, now)
	if err != nil {
		return err
	}
	by(l, now+span, now)
	return nil
}

// tell writes to the log.
func (s *Set) tell(ctx context.Context, event, what string, o *Owner, waited time.Duration) {
	if !s.log.Enabled(ctx, slog.LevelDebug) {
		return
	}
	attrs := []slog.Attr{slog.String("guard", what)}
	if o != nil {
		attrs = append(attrs, slog.String("owner", o.name))
	}
	if waited > 0 {
		attrs = append(attrs, slog.Duration("waited", waited))
	}
	s.log.LogAttrs(ctx, slog.LevelDebug, event, attrs...)
}
