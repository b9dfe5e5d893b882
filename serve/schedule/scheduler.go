// This file defines the Scheduler: its beginning, its end, and when it looks at which schedule.

package schedule

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// Engine runs the submissions of a Scheduler; *serve.Engine is one.
type Engine interface {
	// SubmitScheduled keeps a run and starts or queues it; see serve.Engine.
	SubmitScheduled(ctx context.Context, sub store.Submission, who access.Who) (store.Run, bool, error)
	CheckSubmission(ctx context.Context, sub store.Submission, who access.Who) error
	Get(ctx context.Context, id string) (store.Run, error)
	Cancel(ctx context.Context, id string, who access.Who) (store.Run, error)
}

// Options are the settings of a Scheduler. Store is required.
type Options struct {
	Store Store
	// Identity returns the current identity of a name, and false if there is none any more: then its schedules
	// are stopped. If it is nil, identities never change.
	Identity func(name string) (access.Who, bool)
	Log      *slog.Logger // nil discards messages
}

// The times of a Scheduler.
const (
	// Late is the age up to which a time is not missed: a restart of a service takes less.
	Late = time.Minute
	// look is the time after which the clock is compared with the schedules again: timers do not notice that it was set.
	look = time.Minute
	// tryAgain is the time after which a time is tried again that the engine or the store could not take.
	tryAgain = 5 * time.Second
	// firstLook and endLook are the times between two looks at a run for whose end others wait: each is twice the
	// previous one, because a run that was short until now may be long.
	firstLook = 20 * time.Millisecond
	endLook   = time.Second
	// cancelTime is how long the end of a cancelled run is awaited before the next look.
	cancelTime = 10 * time.Second
)

// atOnce bounds the schedules that are decided at the same time: each writes to the disk.
const atOnce = 16

// Scheduler submits runs at the times of schedules. New makes one. It is safe for concurrent use.
type Scheduler struct {
	engine   Engine
	docs     Store
	identity func(string) (access.Who, bool)
	log      *slog.Logger
	ctx      context.Context
	end      context.CancelFunc
	wg       sync.WaitGroup
	wake     chan struct{} // has a value if schedules have changed
	slots    chan struct{} // has a value for each schedule that is being decided

	mu  sync.Mutex
	all map[wire.ScheduleRef]*entry
}

// entry is a schedule of a Scheduler.
type entry struct {
	change sync.Mutex // held by who decides times or changes the schedule, while it is written

	// The rest is guarded by the lock of the Scheduler.
	doc      store.Document // without its body
	def      definition
	size     int    // bytes of the body
	times    *Times // nil if they can't be used
	next     next   // of times; only due uses it
	progress progress
	busy     bool          // its times are being decided
	again    time.Time     // before which it is not tried again
	pause    time.Duration // before the last look at a run for whose end others wait; 0 if it was submitted since
	problem  string        // why
	unsure   bool          // there may be runs that the progress does not have
	deleted  bool
}

// next is the first time of a schedule after another one. Each look at all schedules asks for it, and to find it takes
// up to a hundred times as long as to compare it.
type next struct {
	of        *Times
	after, at time.Time
}

// New returns a Scheduler with the schedules of a store, and starts it. ctx bounds only New.
func New(ctx context.Context, engine Engine, o Options) (*Scheduler, error) {
	if o.Store == nil {
		return nil, errors.New("schedule: Options.Store is nil, want a store")
	}
	s := &Scheduler{engine: engine, docs: o.Store, identity: o.Identity, log: o.Log, wake: make(chan struct{}, 1),
		slots: make(chan struct{}, atOnce), all: make(map[wire.ScheduleRef]*entry)}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if err := s.load(ctx); err != nil {
		return nil, err
	}
	s.ctx, s.end = context.WithCancel(context.Background())
	s.wg.Go(s.loop)
	return s, nil
}

// Source returns the Scheduler that runs the schedules now: a *Scheduler itself, or the one of an Elected.
type Source interface {
	Scheduler() (*Scheduler, error)
}

// ErrNone is the error of a service without schedules.
var ErrNone = store.ErrNotFound.With("this service has no schedules")

// Scheduler implements Source. The error is ErrNone for a nil Scheduler.
func (s *Scheduler) Scheduler() (*Scheduler, error) {
	if s == nil {
		return nil, ErrNone
	}
	return s, nil
}

// Close ends the Scheduler. It submits nothing any more, and waits for submissions that are under way.
func (s *Scheduler) Close() {
	s.end()
	s.wg.Wait()
}

// loop decides the times of all schedules as they come.
func (s *Scheduler) loop() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-s.wake:
		case <-timer.C:
		}
		timer.Reset(s.startDue(time.Now()))
	}
}

// startDue starts to decide each schedule that is due, and returns how long none of the others is.
func (s *Scheduler) startDue(now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	wait := look
	for _, e := range s.all {
		if e.busy {
			continue // it wakes the loop at its end
		}
		switch due := e.due(now); {
		case due.IsZero():
		case due.After(now):
			wait = min(wait, due.Sub(now))
		default:
			e.busy = true
			s.wg.Go(func() { s.decide(e) })
		}
	}
	return wait
}

// due returns when a schedule has something to decide; zero for never. The caller holds the lock.
func (e *entry) due(now time.Time) time.Time {
	if after := e.through(); e.next.of != e.times || !e.next.after.Equal(after) {
		e.next = next{of: e.times, after: after}
		if e.times != nil {
			e.next.at = e.times.Next(after)
		}
	}
	due := e.next.at
	if e.silent() {
		due = time.Time{}
	}
	if len(e.progress.Waiting) > 0 || e.ahead(now) {
		due = time.Time{}.Add(1) // immediately; again bounds how often
	}
	if !due.IsZero() && e.again.After(due) {
		due = e.again
	}
	return due
}

// nextTime returns the first time that is not decided; zero if there is none.
func (e *entry) nextTime() time.Time {
	if e.silent() {
		return time.Time{}
	}
	return e.times.Next(e.through())
}

// silent reports whether no time of the schedule will be run.
func (e *entry) silent() bool {
	return e.deleted || e.times == nil || e.def.Paused || e.stopped() != ""
}

// through returns the time through which all times are decided.
func (e *entry) through() time.Time {
	if e.progress.Through.After(e.def.Since) {
		return e.progress.Through
	}
	return e.def.Since
}

// ahead reports whether the clock was set back so far that the last decision must have used a wrong clock.
// Otherwise the schedule would be silent until the clock catches up.
func (e *entry) ahead(now time.Time) bool {
	return e.through().After(now.Add(clockSlack)) && !e.nextTime().IsZero()
}

// stopped returns why the schedule is stopped, "" if it is not.
func (e *entry) stopped() string {
	if s := e.progress.Stopped; s != nil && s.Version == e.doc.Version {
		return s.Reason
	}
	return ""
}

// decide decides the times of a schedule that have come.
func (s *Scheduler) decide(e *entry) {
	defer s.poke()
	var err error
	select {
	case s.slots <- struct{}{}:
		e.change.Lock()
		err = s.advance(s.ctx, e, time.Now())
		e.change.Unlock()
		<-s.slots
	case <-s.ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	e.busy, e.again, e.problem = false, time.Time{}, ""
	switch now := time.Now(); {
	case err != nil && s.ctx.Err() == nil:
		var later *postponed
		errors.As(err, &later)
		e.problem = plain(err)
		e.again = now.Add(min(cmp.Or(later.after(), tryAgain), look))
		s.log.Warn("a time of a schedule is tried again", "schedule", e.def.Name, "tenant", e.def.Tenant, "error", err)
	case len(e.progress.Waiting) > 0:
		e.pause = min(max(2*e.pause, firstLook), endLook)
		e.again = now.Add(e.pause)
	}
}

// poke makes the loop look at the schedules.
func (s *Scheduler) poke() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}
