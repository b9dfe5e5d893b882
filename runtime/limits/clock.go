// This file defines Clock, which counts the time of a run without its pauses.

package limits

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// Clock counts the time of a run. It is stopped while the run waits for settlements only, so that limits of time
// count the time in which the run could do something. It is safe for concurrent use. The zero Clock is one that has
// never stopped.
type Clock struct {
	used atomic.Bool // it has been stopped

	mu    sync.Mutex
	lost  time.Duration // of the pauses that are over
	since time.Time     // beginning of the pause under way; zero if there is none
	late  []func()      // are called when it continues
	// over counts the contexts that have expired and are still in use: their evaluations are about to run, although
	// they may still seem to rest.
	over int
}

// Stop stops the clock. It does nothing if the clock is stopped, or if an evaluation is about to find that
// its time is over, because that must then be so.
func (c *Clock) Stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.used.Store(true)
	if c.since.IsZero() && c.over == 0 {
		c.since = time.Now()
	}
}

// Expiring reports whether an evaluation is about to find that its time is over.
func (c *Clock) Expiring() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.over > 0
}

// Start makes a stopped clock continue.
func (c *Clock) Start() {
	c.mu.Lock()
	var late []func()
	if !c.since.IsZero() {
		c.lost += time.Since(c.since)
		c.since, late, c.late = time.Time{}, c.late, nil
	}
	c.mu.Unlock()
	for _, expire := range late {
		expire()
	}
}

// Lost returns the time for which the clock was stopped.
func (c *Clock) Lost() time.Duration {
	if !c.used.Load() {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lostUntil(time.Now())
}

// lostUntil returns the time for which the clock was stopped until a moment. The caller holds mu.
func (c *Clock) lostUntil(now time.Time) time.Duration {
	if c.since.IsZero() {
		return c.lost
	}
	return c.lost + now.Sub(c.since)
}

// within is a context with a deadline by a Clock.
type within struct {
	context.Context // can be cancelled; its cause is context.DeadlineExceeded if the deadline has passed
	cancel          context.CancelCauseFunc
	clock           *Clock
	until           time.Time // by the clock: a time of day, less the time that the clock had lost by then

	mu      sync.Mutex
	timer   *time.Timer // nil once it has ended
	expired bool        // guarded by the mutex of the clock; so is ended
	ended   bool
}

// within returns a context that ends when the clock shows until.
func (c *Clock) within(parent context.Context, until time.Time) (context.Context, context.CancelFunc) {
	if at, ok := parent.Deadline(); ok && at.Before(until.Add(c.Lost())) {
		return context.WithCancel(parent)
	}
	w := &within{clock: c, until: until}
	w.Context, w.cancel = context.WithCancelCause(parent)
	w.mu.Lock()
	w.timer = time.AfterFunc(time.Until(until.Add(c.Lost())), w.expire)
	w.mu.Unlock()
	return w, w.stop
}

// Deadline implements context.Context. The deadline moves when the clock is stopped.
func (w *within) Deadline() (time.Time, bool) { return w.until.Add(w.clock.Lost()), true }

// Err implements context.Context.
func (w *within) Err() error {
	err := w.Context.Err()
	if err != nil && errors.Is(context.Cause(w.Context), context.DeadlineExceeded) {
		return context.DeadlineExceeded
	}
	return err
}

func (w *within) stop() {
	w.cancel(nil)
	w.mu.Lock()
	timer := w.timer
	w.timer = nil
	w.mu.Unlock()
	if timer == nil || timer.Stop() {
		return
	}
	c := w.clock
	c.mu.Lock()
	defer c.mu.Unlock()
	if w.ended = true; w.expired {
		w.expired = false
		c.over--
	}
}

// expire ends the context, or waits further if the clock was stopped in the meantime.
func (w *within) expire() {
	c := w.clock
	c.mu.Lock()
	left := time.Until(w.until.Add(c.lost))
	if stopped := !c.since.IsZero(); stopped {
		c.late = append(c.late, w.expire)
		c.mu.Unlock()
		return
	}
	if left <= 0 && !w.ended {
		w.expired = true
		c.over++
	}
	c.mu.Unlock()
	if left <= 0 {
		w.cancel(context.DeadlineExceeded)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil {
		w.timer.Reset(left)
	}
}
