// This file defines calls that have to be approved, calls whose outcome comes later, and calls in doubt.

package tool

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/secret"
)

// permit waits until a call may be made. may is false if it must not be: then o is its outcome. The error is
// effect.ErrSettled if the effect was settled in the meantime, so that the journal has to be asked again.
func (r *Run) permit(ctx context.Context, in *call, e effect.Effect) (o effect.Outcome, may bool, err error) {
	if r.opts.Pending == nil || r.opts.Journal.Replays() {
		return o, true, nil
	}
	waits := false // even if it needs no approval any more: an announced call is settled
	if r.opts.Journal.Recalls() {
		p, left := r.opts.Journal.Pending(in.ID)
		waits = left && p.Kind == effect.PendingApproval
		if left && p.Kind != effect.PendingApproval {
			as, o, err := r.wait(ctx, in, e, p)
			if err != nil || as != effect.Retry {
				return o, false, err
			}
		}
	}
	if in.again {
		return o, true, nil
	}
	if !waits {
		if needs, err := r.needsApproval(in); err != nil || !needs {
			return o, err == nil, err
		}
	}
	as, o, err := r.wait(ctx, in, e, r.pending(in, e, effect.PendingApproval))
	return o, as == effect.Approve, err
}

// over reports whether the run was ended because of its pending effects.
func (r *Run) over() bool { return r.opts.Pending != nil && r.opts.Pending.Ended() != nil }

// needsApproval reports whether a call has to be approved, and is not.
func (r *Run) needsApproval(in *call) (needs bool, err error) {
	t := in.tool
	if needs = r.opts.Approve.Need(t.name, in.class); !needs {
		err = r.byHost("a queue", func() error {
			policies := r.opts.Queue.Approvals()
			needs = policies.Need(t.name, in.class)
			return nil
		})
	}
	needs = err == nil && (needs || t.approve != nil && t.approve(in.Args))
	return needs && !r.opts.Journal.Approved(in.ID), err
}

// pending returns a call as a pending effect, without secrets.
func (r *Run) pending(in *call, e effect.Effect, kind effect.PendingKind) effect.Pending {
	e.Args = r.secrets.JSON(e.Args)
	p := effect.PendingOf(e, kind, time.Now())
	p.Place, p.Host = in.place(), r.shownHost(in)
	return p
}

// shownHost returns the host of a call without secrets; "" if it has none.
func (r *Run) shownHost(in *call) string {
	host := in.host
	if host == "" && in.tool.HostArgument() != "" {
		host = in.tool.hostOf(in.Args)
	}
	return r.secrets.Text(host)
}

func (in *call) place() string {
	if in.Caller == nil {
		return ""
	}
	return in.Caller.Place()
}

// rester returns the evaluation of a call; nil if it has none.
func (in *call) rester() effect.Rester {
	if in.Caller == nil {
		return nil
	}
	return in.Caller
}

// wait announces a call, and waits until it is settled. It returns no verdict if the evaluation ends first.
func (r *Run) wait(ctx context.Context, in *call, e effect.Effect,
	p effect.Pending) (as effect.Verdict, o effect.Outcome, err error) {
	p.Place, p.Host = in.place(), r.shownHost(in)
	left, err := r.opts.Journal.Announce(ctx, e, p.Kind, p.Place, in.rester())
	if err != nil {
		return "", o, err
	}
	as, o, err = r.opts.Pending.Wait(ctx, p, left, in.rester())
	switch {
	case errors.Is(err, effect.ErrSettled), errors.Is(err, effect.ErrRunOver):
		return "", o, err
	case err != nil:
		o, err = r.unsettled(ctx, in, p, err)
		return "", o, err
	case as != effect.Approve && as != effect.Retry:
		r.count(in.tool)
	}
	return as, o, nil
}

// unsettled returns the outcome of a call whose evaluation has ended, by cause, before it was settled. If the program
// continues, it sees the failure of a call that has not ended in time, and the journal has that.
func (r *Run) unsettled(ctx context.Context, in *call, p effect.Pending, cause error) (o effect.Outcome, err error) {
	f, over := in.Ended(ctx, failure(diag.ToolFailed, effect.CodeCancelled, "", "%v", cause))
	o.Failure = f
	if over {
		return o, nil
	}
	as := effect.Done
	if p.Kind == effect.PendingApproval {
		as = effect.Refuse
	}
	return o, r.opts.Journal.Settle(in.ID, as, in.record(o))
}

// arrived returns the outcome of a call whose function has returned. If the outcome comes later, it waits for it.
func (r *Run) arrived(in *call, at admission, o returned, got *attempted) (out effect.Outcome) {
	if o.later == nil {
		return o.Outcome
	}
	defer func() { r.leave(at, effect.EndingOf(out.Failure)) }()
	p := r.pending(in, in.effect(), effect.PendingOutcome)
	p.Token = r.secrets.Text(o.later.token)
	if got.err = r.opts.Journal.Suspend(in.ID, p.Token, p.Place); got.err != nil {
		return effect.Outcome{}
	}
	r.suspend(at.use, 1)
	defer r.suspend(at.use, -1) // before the place in the queue is free
	_, settled, err := r.opts.Pending.Wait(at.ctx, p, false, in.rester())
	switch {
	case errors.Is(err, effect.ErrRunOver):
		got.err = err
		return effect.Outcome{}
	case err != nil:
		return effect.Outcome{Failure: in.tool.failureOf(at.ctx, at.ctx.Err())}
	}
	record := in.record(settled)
	got.settled = &record
	return settled
}

// queueing is a call that enters the queue of its tool. Its evaluation rests while the call waits there, and the run
// has calls of the tool that keep their places until they are settled. It is the Rester of the execution.
type queueing struct {
	by  effect.Rester
	use *use

	mu    sync.Mutex
	waits bool
}

// Rest is called when the call begins to wait.
func (q *queueing) Rest() { q.set(true) }

// Wake is called when it may continue.
func (q *queueing) Wake() { q.set(false) }

func (q *queueing) set(waits bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waits = waits
	q.settle()
}

// settle has the evaluation rest if it has to. The caller holds mu.
func (q *queueing) settle() {
	if q.waits && q.use.suspended.Load() > 0 {
		q.by.Rest()
	} else {
		q.by.Wake()
	}
}

// queues notes that a call enters the queue of its tool. Only a tool that is Async has calls that keep their places.
func (r *Run) queues(u *use, in *call, e *effect.Execution) (left func()) {
	if !in.tool.async || in.Caller == nil {
		return noQueue
	}
	q := &queueing{by: in.Caller, use: u}
	e.Rester = q
	r.mu.Lock()
	defer r.mu.Unlock()
	if u.inQueue == nil {
		u.inQueue = make(map[*queueing]struct{})
	}
	u.inQueue[q] = struct{}{}
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(u.inQueue, q)
		q.Wake()
	}
}

func noQueue() {}

// suspend counts the calls of a tool that keep their places until they are settled.
func (r *Run) suspend(u *use, n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	u.suspended.Add(n)
	for q := range u.inQueue {
		q.mu.Lock()
		q.settle()
		q.mu.Unlock()
	}
}

// Accept checks the settlement of a call of a tool, nil if the tool is not known, and returns its outcome for the
// program and for the journal. See pending.Host.
func (r *Run) Accept(t *Tool, p effect.Pending,
	s effect.Settlement) (o effect.Outcome, record effect.Record, err error) {
	if t == nil {
		return o, record, fmt.Errorf("the settlement of effect %s: there is no tool/%s to check it", p.ID, p.Tool)
	}
	if err := p.Fit(s, t, r.opts.ResultBytes); err != nil {
		return o, record, err
	}
	if o, err = s.Outcome(); err != nil {
		return o, record, fmt.Errorf("the settlement of effect %s: %w", p.ID, err)
	}
	if f := o.Failure; f != nil {
		r.secrets.Note(f.Data, t.secrets, false)
		f.Data = secret.Redact(f.Data, t.secrets)
	} else if s.As == effect.Done {
		r.secrets.Note(o.Result, t.secrets, t.secretResult)
	}
	if s.As == effect.Approve || s.As == effect.Retry {
		return o, record, nil
	}
	return o, (&call{tool: t}).record(o), nil
}
