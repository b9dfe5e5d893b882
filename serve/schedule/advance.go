// This file defines how the times of a schedule are decided.

package schedule

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// postponed is the error of a time that can't be decided now.
type postponed struct {
	wait  time.Duration // until it may be tried again; 0 if that is not known
	cause error
}

func (p *postponed) Error() string { return p.cause.Error() }

func (p *postponed) Unwrap() error { return p.cause }

func (p *postponed) after() time.Duration {
	if p == nil {
		return 0
	}
	return p.wait
}

// decision is a schedule whose times are being decided: the entry as it was, and its progress as it becomes.
type decision struct {
	*Scheduler
	e *entry
	p progress
}

// advance decides the times of a schedule up to now. Each decision is durable before the next one. The caller holds
// e.change.
func (s *Scheduler) advance(ctx context.Context, e *entry, now time.Time) error {
	if e.deleted {
		return nil
	}
	if e.ahead(now) {
		s.setBack(e, now)
	}
	d, err := s.decision(ctx, e)
	if err != nil {
		return err
	}
	if err := d.prune(ctx); err != nil {
		return err
	}
	for len(d.p.Waiting) > 0 && (len(d.p.Active) == 0 || e.def.Overlap == wire.AllowOverlap) {
		if err := d.take(ctx, d.p.Waiting[0]); err != nil {
			return err
		}
		e.pause = 0
	}
	if e.nextTime().IsZero() {
		return nil
	}
	for _, fire := range d.due(now) {
		if err := d.fire(ctx, fire); err != nil || e.stopped() != "" {
			return err
		}
	}
	return nil
}

// setBack has the times of a schedule begin now, because they are decided up to a time of a wrong clock. Times that it
// has run are not run again: their runs have their keys.
func (s *Scheduler) setBack(e *entry, now time.Time) {
	s.log.Warn("the clock was set back: a schedule begins anew", "schedule", e.def.Name, "tenant", e.def.Tenant,
		"decided", e.through())
	s.mu.Lock()
	defer s.mu.Unlock()
	e.def.Since, e.progress.Through = now.UTC(), now.UTC()
}

// decision returns the entry with a copy of its progress. The caller holds e.change.
func (s *Scheduler) decision(ctx context.Context, e *entry) (*decision, error) {
	d := &decision{s, e, e.progress.clone()}
	if e.unsure {
		e.unsure = false // unless save fails
		found, err := d.recall(ctx)
		if err == nil && found {
			err = d.save(ctx)
		}
		if err != nil {
			e.unsure = true
			return nil, err
		}
	}
	return d, nil
}

func (p progress) clone() progress {
	p.Waiting, p.Active, p.Last = slices.Clone(p.Waiting), slices.Clone(p.Active), slices.Clone(p.Last)
	return p
}

// save makes the progress durable.
func (d *decision) save(ctx context.Context) error {
	err := d.keep(ctx, d.e, d.p.clone())
	d.e.unsure = d.e.unsure || err != nil
	return err
}

// due returns the undecided times up to now, with the decision for missed ones: a time with a Reason is not
// run. Of the times that are not run it returns only the last one, on behalf of all.
func (d *decision) due(now time.Time) []wire.Fire {
	most := 0
	switch d.e.def.Missed {
	case wire.RunOnce:
		most = 1
	case wire.RunAll:
		most = d.e.def.MissedMost
	}
	var missed, onTime []wire.Fire // missed has the last ones
	skipped := 0
	var last time.Time // that is skipped
	for at := d.e.times.Next(d.through()); !at.IsZero() && !at.After(now); at = d.e.times.Next(at) {
		if now.Sub(at) <= Late {
			onTime = append(onTime, wire.Fire{Time: at})
			continue
		}
		missed = append(missed, wire.Fire{Time: at})
		if len(missed) > most {
			last, skipped = missed[0].Time, skipped+1
			missed = missed[1:]
		}
	}
	if d.e.def.Missed == wire.RunOnce && len(onTime) > 0 && len(missed) > 0 {
		last, skipped = missed[0].Time, skipped+1
		missed = nil
	}
	var all []wire.Fire
	if skipped > 0 {
		all = append(all, wire.Fire{Time: last, Reason: d.whyMissed(skipped)})
	}
	return slices.Concat(all, missed, onTime)
}

// through returns the time through which all times are decided, with those of recall.
func (d *decision) through() time.Time {
	if t := d.e.through(); t.After(d.p.Through) {
		return t
	}
	return d.p.Through
}

// whyMissed returns why times were missed and are not run.
func (d *decision) whyMissed(n int) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	why := "the service did not run"
	if d.e.problem != "" {
		why = d.e.problem
	}
	if n == 1 {
		return "it was missed: " + why
	}
	return fmt.Sprintf("it and %d times before were missed: %s", n-1, why)
}

// fire decides a time.
func (d *decision) fire(ctx context.Context, f wire.Fire) error {
	d.p.Through = f.Time
	if f.Reason != "" {
		d.note(f)
		return d.save(ctx)
	}
	if len(d.p.Active) == 0 && len(d.p.Waiting) == 0 || d.e.def.Overlap == wire.AllowOverlap {
		return d.take(ctx, waiting{Time: f.Time})
	}
	switch d.e.def.Overlap {
	case wire.QueueOverlap:
		if len(d.p.Waiting) >= maxWaiting {
			f.Reason = fmt.Sprintf("%d times wait already for the run before", maxWaiting)
			d.note(f)
			break
		}
		d.p.Waiting = append(d.p.Waiting, waiting{Time: f.Time})
	case wire.CancelOverlap:
		for _, w := range d.p.Waiting {
			d.note(wire.Fire{Time: w.Time, Reason: "the next time came before the run before had ended"})
		}
		d.p.Waiting = []waiting{{Time: f.Time}}
		if err := d.save(ctx); err != nil {
			return err
		}
		return d.prune(ctx)
	default:
		f.Reason = "the run before had not ended"
		if len(d.p.Active) > 0 {
			f.Reason = "run " + d.p.Active[0] + " had not ended"
		}
		d.note(f)
	}
	return d.save(ctx)
}

// note adds a time that is decided.
func (d *decision) note(f wire.Fire) {
	if f.Run != "" && slices.ContainsFunc(d.p.Last, func(o wire.Fire) bool { return o.Run == f.Run }) {
		return // it was run before, with the same key
	}
	d.p.Last = slices.Insert(d.p.Last, 0, f)
	d.p.Last = d.p.Last[:min(len(d.p.Last), maxLast)]
}

// prune forgets the runs that have ended. If others wait for them, and the policy wants it, it cancels them.
func (d *decision) prune(ctx context.Context) error {
	ended := func(id string) (bool, error) {
		run, err := d.engine.Get(ctx, id)
		if err == nil && !run.State.Final() && len(d.p.Waiting) > 0 && d.e.def.Overlap == wire.CancelOverlap {
			wait, stop := context.WithTimeout(ctx, cancelTime)
			defer stop()
			by := access.Who{Name: "the schedule " + d.e.def.Name + ", for its next time"}
			run, err = d.engine.Cancel(wait, id, by)
		}
		switch {
		case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrDamaged), errors.Is(err, store.ErrEnded):
			return true, nil
		case errors.Is(err, store.ErrTransition): // it is only being started
			return false, nil
		}
		return run.State.Final(), err
	}
	var left []string
	for _, id := range d.p.Active {
		over, err := ended(id)
		if err != nil {
			return err
		}
		if !over {
			left = append(left, id)
		}
	}
	d.p.Active = left
	return nil
}

// take submits a time, or a run by a person, and makes that durable. It removes the time from the waiting ones.
func (d *decision) take(ctx context.Context, w waiting) error {
	_, err := d.submit(ctx, w)
	var later *postponed
	if errors.As(err, &later) {
		return err
	}
	return d.save(ctx)
}

// submit submits a time, and notes the outcome. The error is a *postponed if it must be tried again.
func (d *decision) submit(ctx context.Context, w waiting) (store.Run, error) {
	who, err := d.owner()
	var run store.Run
	if err == nil {
		run, _, err = d.engine.SubmitScheduled(ctx, d.submission(w), who)
	}
	f := wire.Fire{Time: w.Time, Manual: w.Manual != "", Run: run.ID}
	var gone *goneError
	switch {
	case err == nil:
	case errors.As(err, &gone):
		f.Reason = gone.reason
		d.p.Stopped = &stop{d.e.doc.Version, f.Reason}
		d.log.Warn("a schedule is stopped", "schedule", d.e.def.Name, "tenant", d.e.def.Tenant, "reason", err)
	case errors.Is(err, store.ErrKeyReused):
		f.Reason = "an earlier version of the schedule has run it"
	case permanent(err):
		f.Reason = plain(err)
	default:
		d.e.unsure = true
		return run, &postponed{waitOf(err), err}
	}
	d.done(w, f)
	return run, err
}

// done notes the outcome of a time that waited, or was about to wait.
func (d *decision) done(w waiting, f wire.Fire) {
	if f.Run != "" && !slices.Contains(d.p.Active, f.Run) {
		d.p.Active = append(d.p.Active, f.Run)
		d.p.Active = d.p.Active[max(0, len(d.p.Active)-maxActive):]
	}
	d.p.Waiting = slices.DeleteFunc(d.p.Waiting, w.same)
	d.note(f)
}

// submission returns the submission of a time.
func (d *decision) submission(w waiting) store.Submission {
	sub := d.e.def.submission()
	sub.Key = d.key(w)
	return sub
}

// submission returns the submission, without a key.
func (def *definition) submission() store.Submission {
	sub := def.Run
	sub.Labels = map[string]string{wire.ScheduleLabel: def.Name}
	maps.Copy(sub.Labels, def.Run.Labels)
	return sub
}

// key returns the key of the run of a time.
func (d *decision) key(w waiting) string {
	if w.Manual != "" {
		return serve.ScheduleKey + d.e.def.Name + ":" + manualKey + w.Manual
	}
	return serve.ScheduleKey + d.e.def.Name + ":" + w.Time.UTC().Format(time.RFC3339)
}

// manualKey begins the part of the key of a run by a person that follows the name of the schedule.
const manualKey = "by "

// goneError is the error of a schedule whose owner is not allowed to run it any more.
type goneError struct{ reason string }

func (g *goneError) Error() string { return g.reason }

// owner returns the identity under which the schedule is run.
func (d *decision) owner() (access.Who, error) { return d.ownerOf(d.e.def.Owner, d.e.def.Tenant) }

// ownerOf returns the current identity of an owner, in the tenant of its schedule.
func (s *Scheduler) ownerOf(was access.Who, tenant string) (access.Who, error) {
	who := was
	if s.identity != nil {
		now, ok := s.identity(was.Name)
		if !ok {
			return who, &goneError{"the identity " + was.Name + ", under which it runs, was removed or has expired"}
		}
		who = now
	}
	if !who.Changes(tenant) {
		return who, &goneError{fmt.Sprintf("the identity %s, under which it runs, may not submit runs of the tenant %s "+
			"any more", was.Name, tenant)}
	}
	who.Tenant = tenant // of an operator
	return who, nil
}

// plain returns the message of an error for a person.
func plain(err error) string {
	var known *store.Error
	if errors.As(err, &known) {
		return known.Message
	}
	return err.Error()
}

// permanent reports whether a submission would be refused again.
func permanent(err error) bool {
	var program *ptc.Error
	var refusal *access.Refusal
	if errors.As(err, &refusal) {
		return refusal.After == 0
	}
	return errors.As(err, &program) || errors.Is(err, store.ErrInvalid) || errors.Is(err, store.ErrNotFound)
}

// waitOf returns after which time a refused submission may be tried again; 0 if that is not known.
func waitOf(err error) time.Duration {
	var refusal *access.Refusal
	if errors.As(err, &refusal) {
		return refusal.After
	}
	return 0
}
