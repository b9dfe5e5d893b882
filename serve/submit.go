// This file defines how a run is submitted and admitted.

package serve

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/store"
	"github.com/ptc-lang/ptc/telemetry/spans"
)

// Submit keeps a run and starts it, or queues it if there is no room. It returns the run in its state at
// that time, and false if an earlier submission with the same key has made it. The submission names a
// program of the store, as name or name@version, or has a source. The span that spans.Under has set in ctx
// is kept with the run.
//
// The program is compiled first: the error is a *ptc.Error if that fails, and nothing is kept. Other errors are
// ErrInvalid for a submission that makes no sense, ErrFull, ErrDraining, and those of Store.Create.
func (e *Engine) Submit(ctx context.Context, sub store.Submission,
	who access.Who) (run store.Run, created bool, err error) {
	if strings.HasPrefix(sub.Key, ScheduleKey) {
		return store.Run{}, false, ErrInvalid.With("got the key %.100q, want one without %s at its beginning: such keys "+
			"are those of schedules", sub.Key, ScheduleKey)
	}
	return e.SubmitScheduled(ctx, sub, who)
}

// ScheduleKey begins the keys of the runs of schedules.
const ScheduleKey = "schedule:"

// SubmitScheduled is Submit for the runs of schedules, whose keys begin with ScheduleKey.
func (e *Engine) SubmitScheduled(ctx context.Context, sub store.Submission,
	who access.Who) (run store.Run, created bool, err error) {
	run, err = e.compilable(ctx, sub, who)
	if err != nil {
		return store.Run{}, false, err
	}
	if request := spans.Parent(ctx); request != nil {
		run.Trace = request.Traceparent()
	}
	t := newTicket(run, e.opts.Run.Limits)
	now, err := e.reserve(t)
	if err != nil {
		return store.Run{}, false, err
	}
	if now {
		run.State, run.Attempts = store.Running, 1
	}
	kept, created, err := e.opts.Store.Create(ctx, run)
	if err != nil || !created {
		e.unreserve(t, now)
		return kept, false, err
	}
	t.run = kept.Brief()
	e.join(t, kept, now)
	return kept, true, nil
}

// CheckSubmission returns the error with which Submit would refuse a submission whatever room there is.
func (e *Engine) CheckSubmission(ctx context.Context, sub store.Submission, who access.Who) error {
	run, err := e.compilable(ctx, sub, who)
	if err != nil {
		return err
	}
	return run.Check()
}

// compilable returns the run of a submission whose program compiles.
func (e *Engine) compilable(ctx context.Context, sub store.Submission, who access.Who) (store.Run, error) {
	run := store.Run{Tenant: who.Tenant, By: who.Name, State: store.Queued, Submission: sub, Digest: sub.Sum()}
	if err := e.prepare(ctx, &run); err != nil {
		return store.Run{}, err
	}
	if err := e.reach(ctx, &run); err != nil {
		return store.Run{}, err
	}
	return run, nil
}

// prepare checks a submission, and completes it: with the source of a program of the store, and with the limits that
// hold.
func (e *Engine) prepare(ctx context.Context, run *store.Run) error {
	s := &run.Submission
	switch {
	case s.Program == "" && s.Source == "":
		return ErrInvalid.With("got no program, want the name of one of the store, or a source")
	case s.Program != "" && s.Source != "":
		return ErrInvalid.With("got the program %.100q and a source, want one of them", s.Program)
	}
	if !s.Priority.Valid() {
		return ErrInvalid.With("got the priority %d, want one of %v", s.Priority, effect.Priorities)
	}
	for name := range s.Labels {
		if strings.Contains(name, "=") { // or no query could select it
			return ErrInvalid.With("got a label with the name %.100q, want one without =", name)
		}
	}
	if err := e.bounded(run); err != nil {
		return err
	}
	if s.Program != "" {
		p, err := e.Program(ctx, s.Program)
		if err != nil {
			return err
		}
		s.Program, s.Source = p.Ref(), p.Source
		if s.Name == "" {
			s.Name = p.Name + ".ptc"
		}
	}
	if s.Name == "" {
		s.Name = "program.ptc"
	}
	return nil
}

// bounded completes the limits of a submission by the limits of the service and of the shares. It refuses
// wider limits: a run that gets less than it asks for would fail later, without a clear reason.
func (e *Engine) bounded(run *store.Run) error {
	if err := run.Limits.Validate(); err != nil {
		return ErrInvalid.With("%w", err)
	}
	most := e.opts.Run.Limits
	if e.opts.Shares != nil {
		most.Calls = e.opts.Shares.Calls(run.Tenant, run.By, most.Calls)
	}
	if err := run.Limits.Exceeds(most); err != nil {
		return ErrInvalid.With("%w: the service allows no more", err)
	}
	run.Limits = run.Limits.Or(most)
	return nil
}

// inputs returns the values of data/… of a run.
func inputs(data json.RawMessage) (map[string]any, error) {
	if len(data) == 0 {
		return nil, nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil || members == nil {
		return nil, ErrInvalid.With("data: want a JSON object, whose members the program reads as data/name, got %s",
			shortened(string(data), 40))
	}
	in := make(map[string]any, len(members))
	for name, m := range members {
		in[name] = m
	}
	return in, nil
}

// shortened returns the beginning of a text that has more bytes than most.
func shortened(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

func errTooMany(most int) error {
	return ErrFull.With("%d runs wait already, which is the most; try again later", most)
}

// reserve takes the place of a run: among the live ones if now is true, or in the queue.
func (e *Engine) reserve(t *ticket) (now bool, err error) {
	if e.opts.Placement != nil {
		return false, e.reservePlaced(t)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.draining {
		return false, ErrDraining
	}
	ahead := e.waiting.len() + e.joining
	fits := ahead == 0 && e.next(t) == started
	if !fits && ahead >= e.opts.Queued {
		return false, errTooMany(e.opts.Queued)
	}
	if s := e.opts.Shares; s != nil {
		if err := s.Submit(e.used.asking(t)); err != nil {
			return false, err
		}
	}
	if fits {
		e.take(t)
		return true, nil
	}
	e.joining++
	e.used.add(t, 0, 1, 0)
	return false, nil
}

// reservePlaced takes the place of a run in the queue of all nodes. It counts here until join has added it. The
// placement may ask the engine, and so is asked without its lock.
func (e *Engine) reservePlaced(t *ticket) error {
	e.placing.Lock()
	defer e.placing.Unlock()
	waiting := e.opts.Placement.Waiting()
	ofTenant, own := e.opts.Placement.Use(t.run.Tenant, t.run.By)
	e.mu.Lock()
	defer e.mu.Unlock()
	switch s := e.opts.Shares; {
	case e.draining:
		return ErrDraining
	case waiting+e.joining >= e.opts.Queued:
		return errTooMany(e.opts.Queued)
	case s != nil:
		if err := s.Submit(e.askingWith(t, ofTenant, own)); err != nil {
			return err
		}
	}
	e.joining++
	e.used.add(t, 0, 1, 0)
	return nil
}

// unreserve returns a place that reserve has taken.
func (e *Engine) unreserve(t *ticket, now bool) {
	if e.opts.Placement != nil {
		e.placing.Lock()
		defer e.placing.Unlock()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.opts.Placement != nil {
		e.joining--
		e.used.add(t, 0, -1, 0)
		return
	}
	if now {
		e.release(t)
		return
	}
	e.joining--
	e.used.add(t, 0, -1, 0)
	e.admit()
}

// join starts a run that was created, or puts it into the queue.
func (e *Engine) join(t *ticket, run store.Run, now bool) {
	if e.opts.Placement != nil {
		if e.opts.Placement.Add(e.kept, run, t.bound) != nil { // the run is kept, and so is taken
			e.wg.Go(func() { e.place(run, nil) })
		}
		e.unreserve(t, false)
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if now {
		e.begin(t, &run)
		return
	}
	e.joining--
	e.waiting.push(t)
	e.admit()
}

// enqueue puts a run into the queue that was submitted before. The caller holds the lock.
func (e *Engine) enqueue(t *ticket) {
	e.used.add(t, 0, 1, 0)
	e.waiting.push(t)
}

// next returns the decision about the next run in the queue; the caller holds the lock.
func (e *Engine) next(t *ticket) taken {
	switch s := e.opts.Shares; {
	case e.alone != nil && e.suspected(&t.run):
		return skipped
	case s != nil && !s.Start(e.used.asking(t)):
		return skipped
	case e.running >= e.opts.Running || t.bound > e.opts.Memory-e.memory:
		return tooLarge
	}
	return started
}

// take charges a run that is to start; the caller holds the lock.
func (e *Engine) take(t *ticket) {
	e.used.add(t, 1, 0, t.bound)
	e.memory += t.bound
	e.running++
	e.isolate(t)
}

// release credits a run that has stopped, and admits others; the caller holds the lock.
func (e *Engine) release(t *ticket) {
	e.used.add(t, -1, 0, -t.bound)
	e.memory -= t.bound
	e.running--
	e.leave(t)
	e.admit()
}

// admit starts the queued runs that have room; the caller holds the lock.
func (e *Engine) admit() {
	if e.opts.Placement != nil {
		e.opts.Placement.Free()
		return
	}
	for !e.draining {
		t, ok := e.waiting.next(e.next)
		if !ok {
			if e.waiting.len() > 0 {
				e.needRoom()
			}
			return
		}
		e.used.add(t, 0, -1, 0)
		e.take(t)
		e.begin(t, nil)
	}
}

// Cancel ends a run, and returns it in its final state. A run that has ended before is not changed; then
// the error is store.ErrEnded. While the disk is full, the error is that of the store: the run has stopped,
// and is kept as cancelled when there is room.
func (e *Engine) Cancel(ctx context.Context, id string, who access.Who) (store.Run, error) {
	reason := "cancelled by " + who.Name
	e.mu.Lock()
	l := e.live[id]
	e.mu.Unlock()
	if l != nil {
		l.forgetUnkept()
		l.cancel(errCancelled(reason))
		select {
		case <-l.done:
		case err := <-l.unkept:
			return store.Run{}, err
		case <-ctx.Done():
		}
		run, err := e.Get(context.WithoutCancel(ctx), id)
		if err != nil || run.State.Final() || ctx.Err() != nil {
			return run, err
		} // otherwise it was parked before it was cancelled
	} else if node := e.elsewhere(id); node != "" {
		return e.opts.Nodes.Cancel(ctx, node, id, who)
	}
	run, err := e.update(ctx, id, func(r *store.Run) error {
		if r.State == store.Running || r.State == store.Waiting {
			return store.ErrTransition.With("run %s is being started; try again", id)
		}
		r.State, r.Reason = store.Cancelled, reason
		return nil
	})
	if err != nil {
		return store.Run{}, err
	}
	if e.opts.Placement != nil {
		if err := e.opts.Placement.Remove(ctx, id); err != nil { // who takes it finds that it has ended
			e.log.Debug("a cancelled run can't be removed from the queue", "run", id, "error", err)
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if t, ok := e.waiting.remove(id); ok {
		e.used.add(t, 0, -1, 0)
		e.admit()
	}
	e.sleep(id, nil)
	return run, nil
}

// errCancelled is the cause with which the context of a run ends that somebody cancels.
type errCancelled string

func (e errCancelled) Error() string { return string(e) }
