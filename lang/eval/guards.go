// This file defines the guards that an evaluation takes for bodies of its program. They are
// released however a body ends: by the program's own code if it continues, and by the machine if
// the evaluation, or a scope around the body, has ended.

package eval

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// heldSize is the size of a guard that is held.
const heldSize = 256

// entering asks the machine to take guards for a builtin.
type entering struct {
	hint effect.Hint
	host string
}

// EnterGuard implements value.Host.
func (m *Evaluation) EnterGuard(hint effect.Hint, host string) *effect.Failure {
	if m.Consented() {
		return nil
	}
	if c, ok := m.Answer().(*called); ok {
		return c.Failure
	}
	if m.opts.World == nil {
		m.FailHint(diag.NotSupported, "use it in a function that the running program calls",
			"no guard can be taken while a program is compiled")
	}
	panic(entering{hint, host})
}

// takeGuard takes guards. Everything that can be refused comes before. The memo keeps the refusal
// of a guard, like the outcome of a call, and the builtin throws it, because the charges of an
// exception may run the builtin again.
func (m *Evaluation) takeGuard(e entering) {
	m.RememberConsent()
	if n := cap(m.holds); len(m.holds) == n {
		m.Charge(limits.ObjectSize(max(4, 2*n) * holdSize))
		grown := make([]effect.Held, n, max(4, 2*n))
		copy(grown, m.holds)
		m.Credit(limits.ObjectSize(n * holdSize))
		m.holds = grown
	}
	m.Charge(heldSize)
	m.Look()
	m.Yield()
	held, f := m.acquire(e)
	if f != nil {
		m.Look() // the end of the run takes precedence
		if f.Kind == diag.Timeout {
			m.FailLate()
		}
		m.KeepCharged(&called{effect.Outcome{Failure: f}})
		return
	}
	m.holds = append(m.holds, held)
	m.Consent()
}

// waitContext is the context of Evaluation.bounded. It is made on first use, because a guard that is free
// is taken without it. After end it has ended.
type waitContext struct {
	m    *Evaluation
	once sync.Once
	ctx  context.Context // nil if it is not asked for before end
	stop func()
}

func (c *waitContext) made() context.Context {
	c.once.Do(func() { c.ctx, c.stop = c.m.bounded() })
	if c.ctx == nil {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		return ctx
	}
	return c.ctx
}

func (c *waitContext) end() {
	c.once.Do(func() { c.stop = func() {} })
	c.stop()
}

// Deadline implements context.Context.
func (c *waitContext) Deadline() (time.Time, bool) { return c.made().Deadline() }

// Done implements context.Context.
func (c *waitContext) Done() <-chan struct{} { return c.made().Done() }

// Err implements context.Context.
func (c *waitContext) Err() error { return c.made().Err() }

// Value implements context.Context.
func (c *waitContext) Value(key any) any { return c.made().Value(key) }

// acquire takes guards, which is an effect if there is a journal. An evaluation that has ended in
// an earlier run needs none: all of its effects have happened.
func (m *Evaluation) acquire(e entering) (effect.Held, *effect.Failure) {
	ctx := &waitContext{m: m}
	defer ctx.end()
	id, j := m.effectID(), m.opts.Journal
	request := effect.GuardRequest{ID: id, Worker: m.worker(), Hint: e.hint, Host: e.host, Blocker: caller{m},
		Rester: caller{m}}
	if j == nil {
		return m.tryAcquire(ctx, &request)
	}
	wish := effect.Effect{ID: id, Worker: m.worker(), Kind: effect.KindGuard, Class: effect.ReadOnly,
		Name: e.hint.Kind.String(), Args: e.args()}
	record, done, err := j.Recall(ctx, wish)
	switch {
	case err != nil:
		m.endBeyond(effect.RunError(err))
	case done && record.Failed():
		return nil, record.Outcome().Failure
	case done && (m.settled() || m.opts.Replays):
		return effect.Unguarded, nil
	case done && m.follows(): // the other node has it
		return m.replicas().Borrow(string(m.path())), nil
	case done:
		held, f := m.tryAcquire(ctx, &request)
		if f != nil { // the program has continued with the guard, so it can't see the failure
			m.endBeyond(&diag.Error{Code: diag.Diverged, Hint: "resume the run again",
				Message: "a guard that the recorded run had can't be had again: " + f.Message})
		}
		return held, nil
	}
	if _, _, err = j.Begin(ctx, wish); err != nil {
		m.endBeyond(effect.RunError(err))
	}
	held, f := m.tryAcquire(ctx, &request)
	if f == nil && m.Context().Err() != nil { // the end of the run has released the guard, so it is not the program's
		m.opts.World.Release(held)
		return nil, effect.FailureOf(m.Context().Err())
	}
	if f != nil && ctx.Err() != nil && f.Kind != diag.Timeout && f.Code != effect.CodeGuardLost {
		return nil, f // the evaluation is over
	}
	if err := j.End(wish.ID, effect.Outcome{Failure: f}.Record()); err != nil {
		if f == nil {
			m.opts.World.Release(held)
		}
		m.endBeyond(effect.RunError(err))
	}
	return held, f
}

// tryAcquire takes guards, or returns the failure that the program sees.
func (m *Evaluation) tryAcquire(ctx context.Context, r *effect.GuardRequest) (effect.Held, *effect.Failure) {
	held, err := m.opts.World.Acquire(ctx, r, m.owner)
	switch {
	case err == nil:
		return held, nil
	case errors.Is(context.Cause(ctx), effect.ErrGuardLost):
		return nil, effect.GuardLost()
	case m.Scoped() && effect.Late(ctx):
		return nil, &effect.Failure{Kind: diag.Timeout, Code: effect.CodeTimeout,
			Message: "the time of the body around the guard was over"}
	}
	return nil, effect.FailureOf(err)
}

// args names the guards in the journal.
func (e *entering) args() json.RawMessage {
	switch e.hint.Kind {
	case effect.HostExclusive:
		return quoted(e.host)
	case effect.RateLimited:
		rate := strconv.FormatFloat(e.hint.PerSecond, 'g', -1, 64) + `,` + strconv.Itoa(e.hint.Burst)
		return json.RawMessage(`[` + string(quoted(e.hint.Key)) + `,` + rate + `]`)
	}
	return nil
}

// LeaveGuard implements value.Host: it releases the guards taken last.
func (m *Evaluation) LeaveGuard() { m.leaveAll(len(m.holds) - 1) }

// leaveAll releases the guards beyond the first n, the last one first.
func (m *Evaluation) leaveAll(n int) {
	for len(m.holds) > n {
		last := len(m.holds) - 1
		held := m.holds[last]
		m.holds[last] = nil
		m.holds = m.holds[:last]
		m.opts.World.Release(held)
	}
}
