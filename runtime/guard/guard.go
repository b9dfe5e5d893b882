// Package guard holds what parallel workers must not do at the same time, or not too
// often: one package manager at a time on a host, ten calls a second to a service, one
// change of the cluster in the whole of it.
//
// A tool declares an effect.Hint. The kinds are for these cases:
//
//   - effect.FullyParallel, the zero Hint: nothing is shared. It costs a comparison.
//   - RateLimited: a service counts its calls. Each takes a token of the bucket that
//     belongs to the key; the bucket gets PerSecond of them and holds up to Burst.
//   - HostExclusive: a host has one of something. One at a time runs for each host;
//     hosts have nothing to do with each other.
//   - GlobalExclusive: the change is to all. One at a time runs in the whole Set,
//     whatever its host. It excludes what is GlobalExclusive too and nothing else:
//     work on single hosts goes on beside it.
//
// A Set is shared by some runs. Acquire takes the guards of a request, always in the
// order global, host, token: two acquisitions alone can never wait for each other, and
// a token is spent when the call is really about to happen. Held.Release returns them
// back; the waiter that has waited longest gets them next. All queues are first in,
// first out, without overtaking.
//
// A Set is the effect.Guards of one process: its releases do not fail, its guards are not
// lost, and the number of a grant is its fence.
//
// # Waiting
//
// A wait blocks a goroutine and no processor: a Blocker is told, so that a
// scheduler can have another worker run. A wait ends with its context. For a token it
// is known how long that takes, and what a deadline leaves no time for fails at once.
// A service that says when it can be asked again is believed: Pause.
//
// # Cycles
//
// Within the body of one guard a program can take another, in any order, and so two
// evaluations can come to wait for each other for ever. Guards are taken in the name of
// an Owner, an evaluation in the tree of a run. To take again what the evaluation
// itself holds, or one above it, which waits for it to end, is an error at once
// (diag.GuardHeld). A wait that would close a longer cycle, over any number of
// evaluations and runs, is an error for the evaluation that would close it (diag.GuardCycle), and the
// error has the whole cycle; when its bodies end, the others go on. There are no
// false alarms: what is reported could only have ended by a timeout. A wait for a token
// ends by itself and is no part of a cycle.
//
// # Cost
//
// Measured on two processors of a virtual machine, whose speed varies by a factor of
// two: an uncontended host, taken and given back, 85 to 108 ns, where a map of mutexes
// takes 45 to 71; the global guard 64 to 88 ns; a token 174 ns, a third of it a reading
// of the clock. Nothing of that allocates. A host that is held takes 90 bytes, and one that is not
// takes none: its lock is made when it is taken and forgotten when it is given back,
// since the hosts that a service sees in a year are many more than those it works on. A
// rate limit whose bucket is full again is no different from a new one, and is forgotten
// likewise.
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

// Set is the guards that some runs share: their hosts, their rate limits and their
// global lock. A run that shares no guards has one of its own. It needs no closing. The zero Set is ready for use.
type Set struct {
	log *slog.Logger

	mu       sync.Mutex       // guards all that follows, and the locks and limiters in it
	start    time.Time        // of the times of rate limits; see now
	locks    map[string]*lock // of the hosts that are held
	global   lock
	limiters map[string]*limiter
	sweepAt  int           // limiters at which those that are idle are next looked for
	swept    time.Duration // when they were looked for last
	ticket   uint64        // the last one given
	search   search
	counts   Counts
}

// Options are the options of a Set.
type Options struct {
	// Logger is told, at the level debug, when a guard is taken and given back.
	Logger *slog.Logger
}

// NewSet returns a Set of which nothing is held.
func NewSet(o Options) *Set { return &Set{log: o.Logger} }

// now returns the time since the first call of now. A reading of the monotonic clock alone
// takes half the time of one of both clocks. The caller holds mu.
func (s *Set) now() time.Duration {
	if s.start.IsZero() {
		s.start = time.Now()
	}
	return time.Since(s.start)
}

// Held is the guards that one Acquire has taken.
type Held struct {
	set    *Set
	host   *lock
	ticket uint64 // of the host; 0 if it is not held
	global uint64 // ticket of the global lock, likewise
}

// Acquire takes the guards that a request wants, in the order global, host, rate, and
// waits for each where it must. The caller calls Release on every
// path. An error is an *Error; nothing is held then.
//
// A wait ends when the context does. One for a token that would take longer than the
// deadline allows is not begun. A guard that is free is taken without a look at the
// context.
func (s *Set) Acquire(ctx context.Context, r *effect.GuardRequest) (effect.Held, error) {
	if r != nil && r.Hint.Kind == effect.FullyParallel {
		return effect.Unguarded, nil
	}
	return s.acquire(ctx, r)
}

// acquire is apart so that Acquire is small enough to be inlined: a request for no guard
// then costs a comparison.
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

// Release releases the guards. A token is spent, and none is returned. A second Release changes nothing, since it
// would let two into a host, and returns an *Error of code diag.IllegalState.
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
// taken until Release, in the name of the call, which errors and statistics show. The owner, and
// the evaluations below it, are refused them (diag.GuardBusy); others wait.
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

// MaxPause is the longest pause of a rate limit. A service that says a year would
// otherwise take the key from all runs that share it.
const MaxPause = time.Hour

// Pause stops the tokens of a rate limit until a time, because a service has
// said so ("retry after"). At that time there is one token; from then on it fills as
// usual. A pause never shortens one that is longer. Callers that wait and whose deadline
// is before their turn fail at once.
func (s *Set) Pause(key string, until time.Time) error {
	if err := effect.ValidGuardName("rate limit", "key", key); err != nil {
		return invalid(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	pause := min(time.Until(until), MaxPause)
	if pause <= 0 {
		return nil
	}
	now := s.now()
	l, err := s.limiterOf(key, now)
	if err != nil {
		return err
	}
	l.pause(now+pause, now)
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
