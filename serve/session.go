// This file defines sessions, which keep definitions between evaluations.

package serve

import (
	"context"
	"time"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
	"github.com/ptc-lang/ptc/telemetry/spans"
)

// maxSessionSource bounds the bytes of all sources of a session, which are kept for the places in errors.
const maxSessionSource = 16 << 20

// session is a session of an engine. Its fields are guarded by the lock of the engine.
type session struct {
	wire.Session
	eval    *ptc.Session // used by the evaluation that is under way
	ticket  *ticket
	live    *live       // the evaluation that is under way
	idle    *time.Timer // ends it
	sources int         // bytes
	over    bool        // it ends after the evaluation that is under way
}

// OpenSession begins a session. It needs the room of a run immediately: the error is ErrFull if there is
// none, or if the identity has its maximum number of sessions.
func (e *Engine) OpenSession(given wire.NewSession, who access.Who) (wire.Session, error) {
	run := store.Run{Tenant: who.Tenant, By: who.Name, Submission: store.Submission{Limits: given.Limits}}
	if err := e.bounded(&run); err != nil {
		return wire.Session{}, err
	}
	data, err := inputs(given.Data)
	if err != nil {
		return wire.Session{}, err
	}
	o := e.opts.Run
	o.Limits = run.Limits
	now := time.Now().UTC()
	s := &session{eval: ptc.NewSession(o), ticket: newTicket(run, e.opts.Run.Limits)}
	if err := s.eval.SetData(data); err != nil {
		return wire.Session{}, err
	}
	s.Session = wire.Session{Tenant: who.Tenant, By: who.Name, Created: now, Used: now, Limits: run.Limits,
		Memory: s.ticket.bound}
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.roomFor(s); err != nil {
		return wire.Session{}, err
	}
	e.take(s.ticket)
	s.ID = e.ids.Next(now)
	if e.opts.Nodes != nil {
		s.ID = e.opts.Nodes.Self() + "." + s.ID
	}
	s.Expires = now.Add(e.opts.SessionIdle)
	s.idle = time.AfterFunc(e.opts.SessionIdle, func() { e.expireSession(s) })
	e.sessions[s.ID] = s
	return s.Session, nil
}

// roomFor returns an error if a session can't begin now; the caller holds the lock.
func (e *Engine) roomFor(s *session) error {
	own, held := 0, int64(0)
	for _, other := range e.sessions {
		held += other.Memory
		if other.Tenant == s.Tenant && other.By == s.By {
			own++
		}
	}
	switch {
	case e.draining:
		return ErrDraining
	case own >= e.opts.Sessions:
		return ErrFull.With("%s has %d sessions, which is the most; delete one first", s.By, own)
	case held > 0 && held+s.Memory > e.opts.Memory/2: // the rest is for runs, whose memory becomes free when they end
		return ErrFull.With("the sessions hold %d bytes of memory, and may hold half of %d; try again later, or with lower "+
			"limits", held, e.opts.Memory)
	case e.next(s.ticket) != started:
		return ErrFull.With("a session holds %d bytes of memory until it ends, for which there is no room now; try again "+
			"later, or with lower limits", s.Memory)
	case e.opts.Shares != nil:
		return e.opts.Shares.Submit(e.used.asking(s.ticket))
	}
	return nil
}

// expireSession ends a session that was not used for too long.
func (e *Engine) expireSession(s *session) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if s.live == nil && !time.Now().Before(s.Expires) { // it was not used since the timer has fired
		e.endSession(s)
	}
}

// endSession ends a session, with the evaluation that is under way; the caller holds the lock.
func (e *Engine) endSession(s *session) {
	if s.live != nil {
		s.over = true
		return
	}
	s.idle.Stop()
	if e.sessions[s.ID] == s {
		delete(e.sessions, s.ID)
		e.release(s.ticket)
	}
}

// endSessions ends all sessions; the caller holds the lock.
func (e *Engine) endSessions() {
	for _, s := range e.sessions {
		e.endSession(s)
	}
}

// own reports whether an identity has begun the session.
func own(s *wire.Session, who access.Who) bool { return s.Tenant == who.Tenant && s.By == who.Name }

func sees(s *wire.Session, who access.Who) bool {
	return own(s, who) || who.Role.Includes(access.Operator)
}

func (s *session) shown() wire.Session {
	out := s.Session
	out.Busy = s.live != nil
	return out
}

// sessionOf returns a session that satisfies a condition; the caller holds the lock. The error is ErrGone
// for every other valid id of a session, because past sessions are not remembered.
func (e *Engine) sessionOf(id string, holds func(*session) bool) (*session, error) {
	if s := e.sessions[id]; s != nil && !s.over && holds(s) {
		return s, nil
	}
	node := SessionNode(id)
	switch {
	case node == "" && !store.ValidID(id):
		return nil, store.ErrNotFound.With("there is no session %.100q", id)
	case e.opts.Nodes != nil && node != "" && node != e.opts.Nodes.Self():
		return nil, ErrGone.With("the session was on the node %s, which has ended or left the cluster; its definitions are "+
			"lost: begin another one", node)
	}
	return nil, ErrGone
}

// Session returns a session that an identity may see.
func (e *Engine) Session(id string, who access.Who) (wire.Session, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	s, err := e.sessionOf(id, func(s *session) bool { return sees(&s.Session, who) })
	if err != nil {
		return wire.Session{}, err
	}
	return s.shown(), nil
}

// CloseSession ends a session that an identity may see, and cancels its evaluation.
func (e *Engine) CloseSession(id string, who access.Who) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	s, err := e.sessionOf(id, func(s *session) bool { return sees(&s.Session, who) })
	if err != nil {
		return err
	}
	if s.live != nil {
		s.live.cancel(errCancelled("the session was deleted"))
	}
	e.endSession(s)
	return nil
}

// Evaluate evaluates a source in a session of the identity. A source that fails is no error: the result has its error,
// and the definitions are as before. The evaluation is cancelled at the end of ctx. The error is store.ErrTransition if
// another evaluation is under way.
func (e *Engine) Evaluate(ctx context.Context, id, source string, who access.Who) (store.Result, error) {
	s, l, err := e.beginEvaluation(id, source, who)
	if err != nil {
		return store.Result{}, err
	}
	stop := context.AfterFunc(ctx, func() { l.cancel(errCancelled("the request ended")) })
	defer stop()
	given := ptc.RunOptions{ID: l.id, Output: l.print, Progress: &l.progress}
	reported := e.report(l.ctx, s.asRun(ctx), &given)
	res, err := s.eval.Eval(l.ctx, source, ptc.EvalOptions{ID: l.id, Output: l.print, Progress: &l.progress,
		Around: l.around(e, given.Around), Log: given.Log, OnPending: noSettlements,
		Observer: given.Observer.Also(l.observer(e))})
	reported.Ended(false, res, err)
	out := l.result(res, err)
	l.cancel(nil)
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.live, l.id)
	e.drop(l.stream)
	s.live = nil
	s.Evaluations++
	s.Used = time.Now().UTC()
	s.Expires = s.Used.Add(e.opts.SessionIdle)
	s.idle.Reset(e.opts.SessionIdle)
	close(l.done)
	if s.over || e.draining {
		e.endSession(s)
	}
	return out, nil
}

// asRun returns the run with which Options.Each is called for an evaluation, below the span of ctx.
func (s *session) asRun(ctx context.Context) store.Run {
	run := store.Run{ID: s.ID, Tenant: s.Tenant, By: s.By, Submission: store.Submission{Name: "session"}}
	if request := spans.Parent(ctx); request != nil {
		run.Trace = request.Traceparent()
	}
	return run
}

// beginEvaluation makes the evaluation of a session live.
func (e *Engine) beginEvaluation(id, source string, who access.Who) (*session, *live, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	s, err := e.sessionOf(id, func(s *session) bool { return own(&s.Session, who) })
	switch {
	case err != nil:
		return nil, nil, err
	case e.draining:
		return nil, nil, ErrDraining
	case s.live != nil:
		return nil, nil, store.ErrTransition.With("the session evaluates something already; wait for it, or delete the " +
			"session")
	case s.sources+len(source) > maxSessionSource:
		return nil, nil, store.ErrTransition.With("the session has evaluated %d bytes of sources, and may have %d; begin "+
			"another one", s.sources, maxSessionSource)
	}
	s.sources += len(source)
	l := newLive(s.ID, s.ticket, e.hold(s.ID))
	l.ctx, l.cancel = context.WithCancelCause(e.ctx)
	s.live, e.live[s.ID] = l, l
	s.idle.Stop()
	return s, l, nil
}

// noSettlements is ptc.EvalOptions.OnPending: a session has no journal, so nothing of it can wait for days.
func noSettlements(context.Context, []effect.Pending) ([]effect.Settlement, error) {
	return nil, &ptc.Error{Code: diag.Parked,
		Message: "an evaluation of a session can't wait for approvals, answers or outcomes",
		Hint:    "submit the program as a run: what it waits for is listed, and answered when somebody has time"}
}
