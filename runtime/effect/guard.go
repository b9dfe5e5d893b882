// This file defines guards: exclusive hosts, the global guard and rate limits, which calls and
// bodies of a program take.

package effect

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
)

// GuardKind is a set of guards. They combine: HostExclusive|RateLimited takes both.
type GuardKind uint8

// The kinds of guards.
const (
	// FullyParallel needs no guard.
	FullyParallel GuardKind = 0
	// RateLimited takes a token of a bucket before it begins.
	RateLimited GuardKind = 1 << (iota - 1)
	// HostExclusive has exclusive use of a host.
	HostExclusive
	// GlobalExclusive excludes every other GlobalExclusive among the evaluations that share the
	// Guards.
	GlobalExclusive
)

var guardKinds = [...]struct {
	kind GuardKind
	name string
}{{GlobalExclusive, "global-exclusive"}, {HostExclusive, "host-exclusive"}, {RateLimited, "rate-limited"}}

// String names the guards in the order in which they are taken.
func (k GuardKind) String() string {
	if k == FullyParallel {
		return "fully-parallel"
	}
	var names []string
	for _, e := range guardKinds {
		if k&e.kind != 0 {
			names = append(names, e.name)
			k &^= e.kind
		}
	}
	if k != 0 {
		names = append(names, fmt.Sprintf("unknown(%d)", uint8(k)))
	}
	return strings.Join(names, ", ")
}

// Hint is the declaration of the guards that a call or a body needs. It is data: it can be
// compared, copied and kept. The zero Hint is FullyParallel.
type Hint struct {
	Kind GuardKind
	// Key, PerSecond and Burst describe the token bucket of RateLimited: its name, by which hints share it,
	// the number of tokens that it gets each second, and the number that it holds at most.
	Key       string
	PerSecond float64
	Burst     int
}

// The bounds of a rate. MaxPerSecond is one token for each tick of the clock, and no run uses
// MaxBurst tokens. MinPerSecond is one token in thirty years, and much longer waits do not fit a
// time.Duration.
const (
	MaxPerSecond = 1e9
	MinPerSecond = 1e-9
	MaxBurst     = 1_000_000_000
)

// MaxGuardName is the maximum length of a host or a key in bytes. Names of hosts have up to 253.
const MaxGuardName = 1024

// OrDefault returns the hint with the missing parts of a rate: the name as its Key, and as its Burst
// the tokens of one second, at least 1. A hint that is not RateLimited is returned unchanged.
func (h Hint) OrDefault(name string) Hint {
	if h.Kind&RateLimited == 0 {
		return h
	}
	if h.Key == "" {
		h.Key = name
	}
	if h.Burst == 0 && h.PerSecond > 0 {
		h.Burst = int(min(max(1, math.Ceil(h.PerSecond)), MaxBurst))
	}
	return h
}

// String returns the hint in short, such as `host-exclusive, rate-limited "search" 10/s
// burst 20`.
func (h Hint) String() string {
	if h.Kind&RateLimited == 0 {
		return h.Kind.String()
	}
	return h.Kind.String() + " " + QuoteGuard(h.Key) + " " + h.Rate()
}

// Rate returns the two numbers of the bucket, such as "10/s burst 20".
func (h *Hint) Rate() string {
	return strconv.FormatFloat(h.PerSecond, 'g', -1, 64) + "/s burst " + strconv.Itoa(h.Burst)
}

// Validate returns an error if the hint is malformed.
func (h *Hint) Validate() error {
	if unknown := h.Kind &^ (RateLimited | HostExclusive | GlobalExclusive); unknown != 0 {
		return fmt.Errorf("got the hint %s, want a combination of RateLimited, HostExclusive and GlobalExclusive", h.Kind)
	}
	if h.Kind&RateLimited != 0 {
		return h.validateRate()
	}
	if h.Key != "" || h.PerSecond != 0 || h.Burst != 0 {
		return fmt.Errorf("got a rate (%s %s) in a hint that is %s, want one that is RateLimited",
			QuoteGuard(h.Key), h.Rate(), h.Kind)
	}
	return nil
}

func (h *Hint) validateRate() error {
	if err := ValidGuardName("rate limit", "key", h.Key); err != nil {
		return err
	}
	switch {
	case math.IsNaN(h.PerSecond) || h.PerSecond < MinPerSecond || h.PerSecond > MaxPerSecond:
		return fmt.Errorf("rate limit %s: got %g tokens a second, want %g to %g",
			QuoteGuard(h.Key), h.PerSecond, MinPerSecond, MaxPerSecond)
	case h.Burst < 1 || h.Burst > MaxBurst:
		return fmt.Errorf("rate limit %s: got a burst of %d, want 1 to %d", QuoteGuard(h.Key), h.Burst, MaxBurst)
	}
	return nil
}

// ValidGuardName returns an error unless name can be that of a host or a rate limit.
func ValidGuardName(of, part, name string) error {
	if name == "" || len(name) > MaxGuardName {
		return fmt.Errorf("%s: got a %s of %d bytes, want 1 to %d", of, part, len(name), MaxGuardName)
	}
	return nil
}

// maxQuoted is how many bytes of a name a message shows: names come from programs.
const maxQuoted = 80

// QuoteGuard returns the name of a host or a rate limit in quotes, cut.
func QuoteGuard(name string) string {
	if len(name) <= maxQuoted {
		return strconv.Quote(name)
	}
	return strconv.Quote(strings.ToValidUTF8(name[:maxQuoted], "") + "…")
}

// Owner is an evaluation in whose name guards are taken. Guards.Owner makes it.
type Owner interface {
	String() string
}

// Blocker is notified of waits. A scheduler lets another worker use the processor in the meantime:
// *sched.Evaluation is a Blocker.
type Blocker interface {
	Block()
	Unblock()
}

// Rester is notified when an evaluation begins to rest: it waits for something that only a settlement of a pending
// effect, or another evaluation of the run, can bring about. *sched.Evaluation is a Rester. Rest and Wake
// are idempotent, and neither waits. The code that ends the wait calls Wake, before the evaluation runs.
type Rester interface {
	Rest()
	Wake()
}

// GuardRequest is a request for guards.
type GuardRequest struct {
	Hint Hint
	// Host is the host of a HostExclusive hint. It must not be empty there, and is ignored
	// elsewhere.
	Host string
	// Owner is the evaluation in whose name the guards are taken. Tokens, which are not held,
	// can be taken without one.
	Owner Owner
	// ID is the id of the effect that takes the guards: of a call, or of a body of the program. Tool is the name of the
	// tool, "" for a body. Both are for views of the guards.
	ID, Tool string
	// Worker is the number of the worker that waits, of a body; it is for those who watch the guards, too.
	Worker int
	// Blocker is notified when a wait begins and when it ends. It is optional.
	Blocker Blocker
	// Rester is notified while the evaluation waits for a guard that another evaluation of its run holds. It is
	// optional. Owners are of one run if they have the same first ancestor.
	Rester Rester
	// Waits has the waits of Acquire, which appends each of them when it ends, even if it then
	// fails. Taking a free guard is not a wait.
	Waits []Wait
}

// Guards are the guards that some runs share. *guard.Set is the implementation for one process.
type Guards interface {
	// Acquire takes the guards of a request in the order global, host, rate, and waits for each
	// that is not free. The caller must call Release of the Held. After an error, which FailureOf
	// knows, nothing is held. A wait ends when the context does.
	Acquire(ctx context.Context, r *GuardRequest) (Held, error)
	// Pause stops the rate limit of a key until a time: it grants no token before.
	Pause(key string, until time.Time) error
	// Slow lowers the rate limit of a key until a time to perSecond tokens, one at a time. A call replaces the previous
	// one; with a rate that is not below that of the limit, it ends it.
	Slow(key string, perSecond float64, until time.Time) error
	// Owner returns the owner for an evaluation, which path names. run is the host's name of its run,
	// and may be "". parent is the owner of the nearest evaluation above it that has one, and may be
	// nil.
	Owner(parent Owner, run, path string) Owner
	// Waiters returns the waiters in the order of kinds and keys, the first of each queue
	// first; at most n.
	Waiters(n int) []Waiter
}

// Held represents the guards that one Acquire has taken.
type Held interface {
	// Release releases the guards. After an error it is not known whether others can take them
	// already. Tokens are not returned. It must be called once only.
	Release() error
	// Abandon records that the owner no longer waits for the call that holds the guards. They stay
	// taken until Release. call is the name of the call in errors and statistics.
	Abandon(call string)
	// Lost returns a context that ends when a guard is lost before its release; nil if the guards
	// can't be lost.
	Lost() context.Context
	// Fence returns a number that increases with each holder of the same guard, so that other
	// systems can refuse the writes of an earlier holder; 0 if nothing is held.
	Fence() uint64
}

// Unguarded is a Held that holds nothing.
var Unguarded Held = unguarded{}

type unguarded struct{}

func (unguarded) Release() error        { return nil }
func (unguarded) Abandon(string)        {}
func (unguarded) Lost() context.Context { return nil }
func (unguarded) Fence() uint64         { return 0 }

// ErrGuardLost is the cause of a context that ends because a guard was lost.
var ErrGuardLost = errors.New("a guard was lost while it was held")

// GuardLost returns the failure of a call or a wait during which a guard was lost.
func GuardLost() *Failure {
	return &Failure{Kind: diag.ToolFailed, Code: CodeGuardLost, Message: ErrGuardLost.Error(),
		Hint: "others may have the guard: find out what the call has done before it is repeated"}
}

// WhileHeld returns a context that ends with ErrGuardLost as its cause when one of the guards is
// lost. A nil Held holds nothing. The caller must call stop when it no longer needs the context.
func WhileHeld(ctx context.Context, held ...Held) (_ context.Context, stop func()) {
	for i, h := range held {
		if h != nil && h.Lost() != nil {
			return whileHeld(ctx, held[i:])
		}
	}
	return ctx, doNothing
}

func doNothing() {}

func whileHeld(ctx context.Context, held []Held) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	var stops []func() bool
	for _, h := range held {
		if h == nil {
			continue
		}
		if lost := h.Lost(); lost != nil {
			stops = append(stops, context.AfterFunc(lost, func() { cancel(ErrGuardLost) }))
		}
	}
	return ctx, func() {
		for _, stop := range stops {
			stop()
		}
		cancel(nil)
	}
}
