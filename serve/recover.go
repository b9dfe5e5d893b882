// This file defines how an engine begins with the runs of the process before, and how it ends.

package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// recover queues or poisons the runs that were running when the process before ended, and loads the queue and the
// times of the parked ones.
func (e *Engine) recover(ctx context.Context) error {
	damaged, err := e.opts.Store.Damaged(ctx)
	if err != nil {
		return err
	}
	for _, d := range damaged {
		e.log.Error("a run can't be read, and stays unchanged", "run", d.ID, "reason", d.Reason)
	}
	if e.opts.Placement != nil {
		e.wg.Go(e.placeAll)
		return nil
	}
	err = e.each(ctx, func(run store.Run) error {
		_, err := e.crashed(ctx, run.ID)
		return err
	}, store.Running, store.Waiting)
	if err != nil {
		return err
	}
	return e.each(ctx, func(run store.Run) error {
		e.mu.Lock()
		defer e.mu.Unlock()
		if run.State == store.Queued {
			e.enqueue(newTicket(run, e.opts.Run.Limits))
		} else if !run.Wake.IsZero() {
			e.sleep(run.ID, &run.Wake)
		}
		return nil
	}, store.Queued, store.Parked)
}

// crashed queues or poisons a run that was running when the process before ended.
func (e *Engine) crashed(ctx context.Context, id string) (store.Run, error) {
	ended, err := e.effectsEnded(ctx, id)
	if err != nil {
		return store.Run{}, err
	}
	run, err := e.update(ctx, id, func(r *store.Run) error {
		was := r.State
		r.State, r.Reason, r.Pending = store.Queued, "the process ended while it ran", nil
		if was == store.Waiting { // it did nothing, and so has not ended the process
			return nil
		}
		r.Crashes++
		r.Stalls++
		if ended > r.Recorded {
			r.Stalls, r.Recorded = 1, ended
		}
		switch {
		case r.Stalls >= e.maxStalls():
			r.State, r.Reason = store.Poisoned, fmt.Sprintf("the process ended %d times while it ran, and no effect of it "+
				"has ended in between", r.Stalls)
		case r.Crashes >= 10*e.maxStalls():
			r.State, r.Reason = store.Poisoned, fmt.Sprintf("the process ended %d times while it ran", r.Crashes)
		}
		return nil
	})
	if err == nil {
		e.log.Info("a run is recovered", "run", run.ID, "state", run.State, "crashes", run.Crashes, "stalls", run.Stalls)
	}
	return run, err
}

// effectsEnded returns the number of effects of a run that have ended, as its journal has them.
func (e *Engine) effectsEnded(ctx context.Context, id string) (int, error) {
	place, err := e.opts.Store.Journal(ctx, id)
	if err != nil {
		return 0, err
	}
	r, err := place.Open(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer r.Close()
	return journal.Ended(r)
}

// each calls a function with each run in one of the states, the oldest first.
func (e *Engine) each(ctx context.Context, f func(store.Run) error, states ...store.State) error {
	q := store.Query{States: states, Oldest: true, Limit: store.MaxLimit}
	for {
		page, err := e.opts.Store.List(ctx, q)
		if err != nil {
			return err
		}
		for _, run := range page.Runs {
			if err := f(run); err != nil {
				return fmt.Errorf("run %s: %w", run.ID, err)
			}
		}
		if page.Next == "" {
			return nil
		}
		q.After = page.Next
	}
}

// sleep makes a parked run continue at a time; nil removes the time. The caller holds the lock.
func (e *Engine) sleep(id string, until *time.Time) {
	if t := e.wakes[id]; t != nil {
		t.Stop()
		delete(e.wakes, id)
	}
	if until != nil && !e.draining {
		e.wakes[id] = time.AfterFunc(time.Until(*until), func() {
			if _, err := e.Resume(e.kept, id, access.Who{}); err != nil {
				e.log.Warn("a parked run can't continue", "run", id, "error", err)
			}
		})
	}
}

// Resume queues a run that is parked or in doubt, before its time and without an answer.
func (e *Engine) Resume(ctx context.Context, id string, who access.Who) (store.Run, error) {
	run, err := e.update(ctx, id, func(r *store.Run) error {
		if r.State != store.Parked && r.State != store.InDoubt {
			return store.ErrTransition.With("run %s is %s, and only one that is %s or %s can be resumed", id, r.State,
				store.Parked, store.InDoubt)
		}
		r.State, r.Reason, r.Wake = store.Queued, "", time.Time{}
		if who.Name != "" {
			r.Reason = "resumed by " + who.Name
		}
		return nil
	})
	if err != nil {
		return store.Run{}, err
	}
	e.requeue(run)
	return run, nil
}

// requeue puts a run into the queue that was parked. Its last attempt may have told the store that it is parked, and be
// live for a moment more: a run is live once.
func (e *Engine) requeue(run store.Run) {
	if e.opts.Placement != nil {
		e.place(run, nil)
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for l := e.live[run.ID]; l != nil; l = e.live[run.ID] {
		e.mu.Unlock()
		<-l.done
		e.mu.Lock()
	}
	e.sleep(run.ID, nil)
	if !e.draining {
		e.enqueue(newTicket(run, e.opts.Run.Limits))
		e.admit()
	}
}

// progressEvery is the time between events of progress.
const progressEvery = time.Second

// watch publishes the progress of the runs that have followers.
func (e *Engine) watch() {
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	last := make(map[string]wire.Progressed)
	for {
		select {
		case <-e.ctx.Done():
			return
		case <-tick.C:
		}
		e.mu.Lock()
		for id := range last {
			if e.live[id] == nil {
				delete(last, id)
			}
		}
		for id, l := range e.live {
			now := progressOf(l.progress.Now())
			if l.stream != nil && l.stream.refs > 1 && now != last[id] {
				last[id] = now
				l.stream.add(now)
			}
		}
		e.mu.Unlock()
	}
}

// Drain ends the engine in order. No run is taken or started any more. The running ones have the time finish to end by
// themselves. Then no call begins any more, and each run is interrupted as soon as no write of it is under way; it is
// queued, and continues in the next engine. When ctx ends, the others are interrupted too: a write that was under way
// is in doubt. Drain returns when all have stopped. The error is that of ctx if the state of a run can't be kept.
func (e *Engine) Drain(ctx context.Context, finish time.Duration) error {
	e.mu.Lock()
	if e.draining {
		e.mu.Unlock()
		return ErrDraining
	}
	e.draining = true
	for id := range e.wakes {
		e.sleep(id, nil)
	}
	e.endSessions()
	for _, l := range e.following {
		e.leaveRun(l)
	}
	e.needRoom() // runs that wait for people do not end on their own
	e.mu.Unlock()
	finished, cancel := context.WithTimeout(ctx, finish)
	defer cancel()
	poll(finished, e.idle)
	close(e.quiet)
	poll(ctx, func() bool {
		e.interrupt()
		return e.idle()
	})
	e.end(errInterrupted)
	return e.ended(ctx)
}

// interrupt interrupts the runs that have no write under way.
func (e *Engine) interrupt() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, l := range e.live {
		if !l.writes.underWay(l.wait.pending.Now()) {
			l.cancel(errInterrupted)
		}
	}
}

// drainPoll is the time between two looks at the runs of an engine that ends.
const drainPoll = 10 * time.Millisecond

// poll waits until a condition holds or ctx ends.
func poll(ctx context.Context, holds func() bool) {
	for !holds() {
		select {
		case <-ctx.Done():
			return
		case <-time.After(drainPoll):
		}
	}
}

// idle reports whether nothing runs.
func (e *Engine) idle() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.running == 0
}

// giveUpAfter is the time that a store has after the end of a drain to keep the states of the runs.
const giveUpAfter = 5 * time.Second

// ended waits for the goroutines of the engine.
func (e *Engine) ended(ctx context.Context) error {
	done := make(chan struct{})
	go func() {
		e.wg.Wait()
		close(done)
	}()
	defer e.giveUp()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
	}
	select {
	case <-done:
		return nil
	case <-time.After(giveUpAfter):
		e.giveUp()
		<-done
		return context.Cause(ctx)
	}
}
