// This file defines how the engines of a cluster share the queued runs of one store.

package serve

import (
	"context"
	"errors"
	"time"

	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/store"
)

// Placement decides which engine starts which run, where several engines share a store. An engine without one starts
// the queued runs of its store itself.
//
// The engine adds runs that are queued. The Placement calls Take of one engine for each when that one has Room, and
// again of another one if the first is gone. Its methods may wait. They are called without locks of the engine.
type Placement interface {
	// Add starts a run that is in the store as queued, or as parked with a time to wake: then it is started at that
	// time. memory is its bound. It is durable when Add returns. If the run is there already and queued, its
	// wait ends.
	Add(ctx context.Context, run store.Run, memory int64) error
	// Remove prevents the start of a run that was cancelled while it was queued or parked. It has no effect on
	// a run that is not there, or that an engine has.
	Remove(ctx context.Context, id string) error
	// Why returns a sentence with the reason why a run has not started yet; "" if it is unknown.
	Why(id string) string
	// Leader returns the name of the node that has a run, "" if none has it.
	Leader(id string) string
	// Use returns the usage of the runs of a tenant, and of one of its submitters, on other nodes, and the
	// number of them that wait on any node. Runs that other nodes have added just now may not be counted yet.
	Use(tenant, by string) (ofTenant, own access.Use)
	// Waiting returns the number of runs that wait to be started, about.
	Waiting() int
	// Free reports that the engine has more room. It does not wait.
	Free()
}

// Placed is a run that an engine is to run.
type Placed struct {
	ID, Tenant, By string
	Memory         int64 // the bound that Add was called with
	// Trace is the header traceparent of the span of the engine that leads the run, for one that takes part.
	Trace string
	Lead  Lead
	// Deadline is the time after which the run is cancelled; 0 for none. If Late is set it has passed already.
	Deadline time.Duration
	Late     bool
}

// Lead is the right to run a run.
type Lead interface {
	// Context ends before another engine may run the run. Then its program is stopped, and its state does not change.
	Context() context.Context
	// Hold has the store refuse changes of the run by this engine as soon as the lead has ended, until release is called.
	// It is called when an earlier attempt of the run has stopped here.
	Hold() (release func())
	// Finish reports that the run must not be started again automatically.
	Finish(ctx context.Context) error
	// Return reports that the run must be started again, after a delay.
	Return(ctx context.Context, reason string, delay time.Duration) error
}

// errLate is the cause with which a run ends whose deadline has passed.
const errLate = errCancelled("its deadline has passed")

// errLost is the cause with which the context of a live run ends when its lead does.
var errLost = errors.New("serve: another engine may run the run")

// Room describes the runs that an engine has room for.
type Room struct {
	Runs   int   // further ones
	Memory int64 // bytes of their bounds together
	Most   int64 // Memory while nothing runs
}

// Room returns the current room of the engine.
func (e *Engine) Room() Room {
	e.mu.Lock()
	defer e.mu.Unlock()
	r := Room{Runs: e.opts.Running - e.running, Memory: e.opts.Memory - e.memory, Most: e.opts.Memory}
	if e.draining || e.away {
		r.Runs = 0
	}
	return r
}

// Take runs a run that was placed here. It does not wait. The engine calls Finish or Return of the lead when the run
// has its next state, unless the lead has ended.
func (e *Engine) Take(p Placed) {
	t := &ticket{run: store.Run{ID: p.ID, Tenant: p.Tenant, By: p.By}, bound: p.Memory, lead: p.Lead, late: p.Deadline}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.used.add(t, 1, 0, t.bound)
	e.memory += t.bound
	e.running++
	e.wg.Go(func() {
		if !e.takeOver(t, p.Late) {
			e.mu.Lock()
			defer e.mu.Unlock()
			e.release(t)
		}
	})
}

// May reports whether the shares of a submitter let a run of it start here now. ofTenant and own are the
// usage of its runs on other nodes.
func (e *Engine) May(tenant, by string, memory int64, ofTenant, own access.Use) bool {
	s := e.opts.Shares
	if s == nil {
		return true
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return s.Start(e.askingWith(&ticket{run: store.Run{Tenant: tenant, By: by}, bound: memory}, ofTenant, own))
}

// Bounded reports whether the shares of a submitter bound the number of its concurrent runs.
func (e *Engine) Bounded(tenant, by string) bool {
	return e.opts.Shares != nil && e.opts.Shares.Bounded(tenant, by)
}

// askingWith adds the usage of other nodes to the usage of this one. The caller holds the lock.
func (e *Engine) askingWith(t *ticket, ofTenant, own access.Use) access.Asking {
	a := e.used.asking(t)
	for _, u := range []struct{ to, more *access.Use }{{&a.OfTenant, &ofTenant}, {&a.Own, &own}} {
		u.to.Running += u.more.Running
		u.to.Queued += u.more.Queued
		u.to.Memory += u.more.Memory
	}
	return a
}

// takeOver brings a placed run to where it can begin, and begins it. It returns false if the run does not begin.
func (e *Engine) takeOver(t *ticket, late bool) bool {
	e.stopped(t.run.ID)
	follows := e.follower(t.run.ID)
	t.release = t.lead.Hold()
	run, err := e.left(t)
	switch {
	case errors.Is(err, store.ErrNotFound), err == nil && run.Rests():
		e.part(t, run, nil)
		return false
	case err != nil:
		e.log.Error("a run can't be taken over; trying again", "run", t.run.ID, "error", err)
		e.part(t, store.Run{}, err)
		return false
	case late:
		run, err := e.lasting(run.ID, func(r *store.Run) error {
			r.State, r.Reason = store.Cancelled, errLate.Error()
			return nil
		})
		e.part(t, run, err)
		return false
	}
	if follows != nil {
		if e.told(&run) && e.promote(follows, t) {
			return false // its place is that of the follower
		}
		e.mu.Lock()
		e.leaveRun(follows)
		e.mu.Unlock()
		<-follows.done
	}
	t.run = run.Brief()
	e.mu.Lock()
	begins := !e.draining && !e.away && (e.alone == nil || !e.suspected(&t.run))
	if begins {
		e.isolate(t)
		e.begin(t, nil)
	}
	e.mu.Unlock()
	if !begins {
		e.part(t, run, nil)
	}
	return begins
}

// told reports whether the journal of a run has all settlements that were made while it did not run. A
// follower of the run would not know the others.
func (e *Engine) told(run *store.Run) bool {
	if len(run.Settled) == 0 {
		return true
	}
	place, err := e.opts.Store.Journal(e.kept, run.ID)
	if err != nil {
		return false
	}
	left, err := e.unsettled(run, place)
	return err == nil && len(left) == 0
}

// stopped waits until an attempt of a run has stopped that has lost its lead.
func (e *Engine) stopped(id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for l := e.live[id]; l != nil; l = e.live[id] {
		e.mu.Unlock()
		<-l.done
		e.mu.Lock()
	}
}

// left returns a run as its last leader has left it. If it was running there, that leader is gone.
func (e *Engine) left(t *ticket) (store.Run, error) {
	run, err := e.opts.Store.Get(t.lead.Context(), t.run.ID)
	if err == nil && (run.State == store.Running || run.State == store.Waiting) {
		run, err = e.crashed(t.lead.Context(), t.run.ID)
	}
	return run, err
}

// againAfter is the time after which a run is started again that this engine can't start now.
const againAfter = time.Second

// part ends the lead of a run, whose state is durable if err is nil.
func (e *Engine) part(t *ticket, run store.Run, err error) {
	defer t.release()
	if t.lead.Context().Err() != nil {
		return
	}
	switch {
	case err != nil && !errors.Is(err, store.ErrEnded):
		err = t.lead.Return(e.kept, "its state could not be read or kept", againAfter)
	case err == nil && run.State == store.Queued && (e.ending() || e.isAway()):
		err = t.lead.Return(e.kept, run.Reason, 0)
	case err == nil && run.State == store.Queued:
		err = t.lead.Return(e.kept, run.Reason, againAfter)
	case err == nil && run.State == store.Parked && !run.Wake.IsZero():
		err = t.lead.Return(e.kept, run.Reason, max(time.Until(run.Wake), 0))
	default:
		if err = t.lead.Finish(e.kept); err == nil {
			e.settledMeanwhile(t)
		}
	}
	if err != nil && t.lead.Context().Err() == nil {
		e.log.Error("a run can't be returned", "run", t.run.ID, "error", err)
	}
}

// settledMeanwhile queues a run again that was settled after it was parked, and before its lead was ended.
func (e *Engine) settledMeanwhile(t *ticket) {
	if run, err := e.opts.Store.Get(e.kept, t.run.ID); err == nil && run.State == store.Queued {
		e.place(run, nil)
	}
}

// place makes some engine start a queued run. It tries until that is durable. The error is that of the last attempt
// when the end of the engine, or until, ends it: the next engine that begins places the run.
func (e *Engine) place(run store.Run, until <-chan struct{}) error {
	memory := newTicket(run, e.opts.Run.Limits).bound
	for wait := storeRetry; ; wait = min(2*wait, maxStoreRetry) {
		err := e.opts.Placement.Add(e.kept, run, memory)
		if err == nil {
			return nil
		}
		e.log.Warn("a queued run can't be placed; trying again", "run", run.ID, "error", err, "after", wait)
		select {
		case <-time.After(wait):
		case <-until:
			return err
		case <-e.kept.Done():
			return err
		}
	}
}

// placeAll places the runs that may not have been placed, because an engine ended before it could. When
// this engine ends it does not retry: otherwise a node that has lost its cluster would not end before the
// time of Drain is over.
func (e *Engine) placeAll() {
	err := e.each(e.kept, func(run store.Run) error {
		if run.State == store.Parked && run.Wake.IsZero() {
			return e.kept.Err()
		}
		return e.place(run, e.quiet)
	}, store.Queued, store.Parked, store.Running, store.Waiting)
	if err != nil && e.kept.Err() == nil {
		e.log.Error("the queued runs can't be placed; runs that an engine left before it placed them wait for the next "+
			"engine that begins", "error", err)
	}
}
