// This file defines how the states of runs change, and how others wait for them.

package serve

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// Get returns a run. One that is running has its usage so far in Usage.
func (e *Engine) Get(ctx context.Context, id string) (store.Run, error) {
	run, err := e.opts.Store.Get(ctx, id)
	if err == nil && e.opts.Placement != nil && !run.State.Final() {
		run.Leader = e.opts.Placement.Leader(id)
		if run.State == store.Queued && run.Reason == "" {
			run.Reason = e.opts.Placement.Why(id)
		}
	}
	if err == nil && (run.State == store.Running || run.State == store.Waiting) {
		e.mu.Lock()
		l := e.live[id]
		e.mu.Unlock()
		if l != nil {
			run.Usage = l.usage()
			run.Pending = l.pending() // the store may have effects that are settled by now, or nothing while something continues
		}
	}
	return run, err
}

// usage returns the usage of a live run so far, as the JSON of a ptc.Usage; nil before it begins.
func (l *live) usage() json.RawMessage {
	now := l.progress.Now()
	if now == (ptc.Snapshot{}) {
		return nil
	}
	u := ptc.Usage{Steps: now.Steps, Memory: now.Memory, Calls: now.Calls, Duration: now.Elapsed}
	u.Parallel.Elements = now.Elements
	l.mu.Lock()
	u.Printed = l.prints.Len()
	l.mu.Unlock()
	text, err := json.Marshal(u)
	if err != nil { // it has JSON
		return nil
	}
	return text
}

// update changes a run in the store, and publishes the change.
func (e *Engine) update(ctx context.Context, id string, change func(*store.Run) error) (store.Run, error) {
	run, err := e.opts.Store.Update(ctx, id, change)
	if err == nil {
		e.tell(id, stateOf(&run))
	}
	return run, err
}

// The times between attempts to change the store, such as one whose disk is full.
const (
	storeRetry    = 50 * time.Millisecond
	maxStoreRetry = 5 * time.Second
)

// lasting is update for changes that must be made: it tries again until the store makes or refuses them, or Drain ends.
func (e *Engine) lasting(id string, change func(*store.Run) error) (store.Run, error) {
	ctx, cancel := context.WithCancel(e.kept)
	defer cancel()
	leads := e.lead(id)
	defer context.AfterFunc(leads, cancel)() // an attempt may take long
	for wait := storeRetry; ; wait = min(2*wait, maxStoreRetry) {
		run, err := e.update(ctx, id, change)
		var known *store.Error
		switch {
		case errors.Is(err, store.ErrEnded) && wait > storeRetry: // by an attempt whose outcome was not known
			if run, err = e.opts.Store.Get(ctx, id); err == nil {
				e.tell(id, stateOf(&run))
			}
			return run, err
		case err == nil, errors.As(err, &known):
			return run, err
		case leads.Err() != nil:
			return run, errLost
		}
		e.log.Warn("the store can't keep a change; trying again", "run", id, "error", err, "after", wait)
		e.unkept(id, err)
		select {
		case <-time.After(wait):
		case <-leads.Done():
			return run, errLost
		case <-e.kept.Done():
			return run, err
		}
	}
}

// unkept notifies those who wait for the next state of a live run that the store can't keep it now.
func (e *Engine) unkept(id string, err error) {
	e.mu.Lock()
	l := e.live[id]
	e.mu.Unlock()
	if l == nil {
		return
	}
	select {
	case l.unkept <- err:
	default:
	}
}

// forgetUnkept drops the error that unkept has reported for an earlier state of the run.
func (l *live) forgetUnkept() {
	select {
	case <-l.unkept:
	default:
	}
}

// lead returns a context that ends with the lead of a live run; one that does not end if it has none.
func (e *Engine) lead(id string) context.Context {
	e.mu.Lock()
	defer e.mu.Unlock()
	if l := e.live[id]; l != nil && l.ticket.lead != nil {
		return l.ticket.lead.Context()
	}
	return context.Background()
}

// Wait waits until a run has ended, or can't continue on its own because it waits for somebody, and returns
// it. If ctx ends first, it returns the run in its current state, without an error.
func (e *Engine) Wait(ctx context.Context, id string) (store.Run, error) {
	e.mu.Lock()
	s := e.hold(id)
	e.mu.Unlock()
	defer func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.drop(s)
	}()
	for {
		_, more := s.state()
		run, err := e.Get(context.WithoutCancel(ctx), id)
		if err != nil || run.Rests() {
			return run, err
		}
		elsewhere, stop := e.elsewhereChanged(ctx, &run)
		for changed := false; !changed && ctx.Err() == nil; {
			select {
			case <-more:
				var last *wire.Changed
				last, more = s.state()
				changed = last != nil && last.Revision > run.Revision
			case <-elsewhere:
				changed = true
			case <-ctx.Done():
			}
		}
		if stop(); ctx.Err() != nil {
			return run, nil
		}
	}
}

// elsewhereChanged returns a channel that is closed when any node has changed a run. The events of this engine are only
// those of the runs that it leads. The caller calls stop.
func (e *Engine) elsewhereChanged(ctx context.Context, run *store.Run) (changed <-chan struct{}, stop func()) {
	if e.opts.Nodes == nil {
		return nil, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	over, id, after := make(chan struct{}), run.ID, run.Revision
	go func() {
		defer close(over)
		e.opts.Nodes.Changed(ctx, id, after)
	}()
	return over, func() {
		cancel()
		<-over
	}
}
