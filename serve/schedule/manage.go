// This file defines how schedules are put, read, deleted and run by people.

package schedule

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// ErrForbidden is the error of a change by an identity without the permission for it.
var ErrForbidden = errors.New("the owner of the schedule may do this, if it may submit runs, and an operator")

// Put keeps a schedule, or a new version of it, and returns it. A version that is not 0 must be the next one. Who puts
// a new schedule is its owner; the owner of another one stays, unless there is no such identity any more.
//
// The times begin now if the schedule is new, or has other times than before, or was paused or stopped; otherwise no
// time is lost. The error is Mistakes, a *ptc.Error of a program that does not compile, ErrForbidden, serve.ErrFull for
// a tenant with too many or too large schedules, or one of the store.
func (s *Scheduler) Put(ctx context.Context, ref wire.ScheduleRef, set wire.ScheduleSetting, version int,
	who access.Who) (wire.Schedule, error) {
	ref.Tenant = cmp.Or(ref.Tenant, who.Tenant)
	if !who.Changes(ref.Tenant) {
		return wire.Schedule{}, ErrForbidden
	}
	if err := checkName(ref.Name); err != nil {
		return wire.Schedule{}, err
	}
	times, err := complete(&set)
	if err != nil {
		return wire.Schedule{}, err
	}
	e, err := s.lockEntry(ref)
	if err != nil {
		return wire.Schedule{}, err
	}
	defer e.change.Unlock()
	err = s.put(ctx, e, definition{ScheduleRef: ref, ScheduleSetting: set}, times, version, who)
	s.forget(e)
	if err != nil {
		return wire.Schedule{}, err
	}
	s.poke()
	return s.view(e, time.Now(), DefaultTimes), nil
}

// lockEntry returns the entry of a schedule, and takes its lock.
func (s *Scheduler) lockEntry(ref wire.ScheduleRef) (*entry, error) {
	for {
		e, err := s.entry(ref)
		if err != nil {
			return nil, err
		}
		e.change.Lock()
		s.mu.Lock()
		same := s.all[ref] == e
		s.mu.Unlock()
		if same {
			return e, nil
		}
		e.change.Unlock() // it was deleted, or not put, in the meantime
	}
}

// entry returns the entry of a schedule. The entry of a new schedule has no document.
func (s *Scheduler) entry(ref wire.ScheduleRef) (*entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.all[ref]; e != nil {
		return e, nil
	}
	n := 0
	for other := range s.all {
		if other.Tenant == ref.Tenant {
			n++
		}
	}
	if n >= MaxTenant {
		return nil, serve.ErrFull.With("the tenant %s has %d schedules, which is the most; delete one first", ref.Tenant, n)
	}
	e := &entry{def: definition{ScheduleRef: ref}}
	s.all[ref] = e
	return e, nil
}

// forget forgets an entry that has no document, because the first one was not put.
func (s *Scheduler) forget(e *entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.doc.Version == 0 && s.all[e.def.ScheduleRef] == e {
		delete(s.all, e.def.ScheduleRef)
	}
}

// put puts a document. The caller holds e.change.
func (s *Scheduler) put(ctx context.Context, e *entry, def definition, times *Times, version int,
	who access.Who) error {
	was := &e.def
	fresh := e.doc.Version == 0
	def.Owner = who
	if !fresh {
		if _, err := s.ownerOf(was.Owner, was.Tenant); err == nil {
			def.Owner = was.Owner
		}
		if !Changes(&wire.Schedule{ScheduleRef: was.ScheduleRef, Owner: was.Owner.Name}, who) {
			return ErrForbidden
		}
	}
	runAs, err := s.ownerOf(def.Owner, def.Tenant)
	if err != nil { // who puts it was removed since the request began
		return ErrForbidden
	}
	if err := inRun(s.engine.CheckSubmission(ctx, def.submission(), runAs)); err != nil {
		return err
	}
	same := !fresh && !was.Paused && e.stopped() == "" && was.Cron == def.Cron && was.Zone == def.Zone
	if def.Since = time.Now().UTC(); same {
		def.Since = was.Since
	}
	body, err := json.Marshal(def)
	if err != nil {
		return err
	}
	before := e.size
	if err := s.resize(e, len(body)); err != nil {
		return err
	}
	doc, err := s.docs.Put(ctx, store.Document{Kind: store.Schedules, Name: documentName(def.ScheduleRef),
		Version: version, By: who.Name, Body: body})
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		e.size = before
		return err
	}
	doc.Body = nil // the definition has all of it
	e.doc, e.def, e.times, e.again, e.problem = doc, def, times, time.Time{}, ""
	return nil
}

// resize sets the size of a schedule, if its tenant has room for it. The caller holds e.change.
func (s *Scheduler) resize(e *entry, size int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum := size
	for ref, other := range s.all {
		if ref.Tenant == e.def.Tenant && other != e {
			sum += other.size
		}
	}
	if sum > MaxTenantBytes && size > e.size { // a smaller one is always possible
		return serve.ErrFull.With("the schedules of the tenant %s would have %d bytes, and may have %d; put the programs "+
			"into the store, and name them", e.def.Tenant, sum, MaxTenantBytes)
	}
	e.size = size
	return nil
}

// inRun returns the error of a submission as one of a Setting.
func inRun(err error) error {
	var program *ptc.Error
	var known *store.Error
	switch {
	case errors.As(err, &program):
		return err
	case errors.Is(err, store.ErrNotFound) && errors.As(err, &known):
		return Mistakes{{"run.program", known.Message}}
	case errors.Is(err, store.ErrInvalid) && errors.As(err, &known):
		return Mistakes{{"run", known.Message}}
	}
	return err
}

// DefaultTimes and MaxTimes are the number of next times that a Schedule has, and the most that Get returns.
const (
	DefaultTimes = 5
	MaxTimes     = 100
)

// Get returns a schedule with its next times, at most n; 0 is DefaultTimes. The error is store.ErrNotFound
// also for a schedule that the identity is not allowed to see.
func (s *Scheduler) Get(ref wire.ScheduleRef, n int, who access.Who) (wire.Schedule, error) {
	e, err := s.seen(&ref, who)
	if err != nil {
		return wire.Schedule{}, err
	}
	return s.view(e, time.Now(), min(cmp.Or(n, DefaultTimes), MaxTimes)), nil
}

// seen returns an entry that an identity may see. It completes the tenant of the reference.
func (s *Scheduler) seen(ref *wire.ScheduleRef, who access.Who) (*entry, error) {
	ref.Tenant = cmp.Or(ref.Tenant, who.Tenant)
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.all[*ref]
	if e == nil || e.doc.Version == 0 || e.deleted || !who.Sees(ref.Tenant) {
		return nil, store.ErrNotFound.With("there is no schedule %.100q", ref.Name)
	}
	return e, nil
}

// List returns the schedules of a tenant that the identity may see, or of all tenants if it is "", by
// tenant and name: at most limit schedules that follow after.
func (s *Scheduler) List(tenant string, after wire.ScheduleRef, limit int, who access.Who) []wire.Schedule {
	s.mu.Lock()
	var refs []wire.ScheduleRef
	for ref, e := range s.all {
		if e.doc.Version > 0 && !e.deleted && who.Sees(ref.Tenant) && (tenant == "" || tenant == ref.Tenant) &&
			compareRefs(ref, after) > 0 {
			refs = append(refs, ref)
		}
	}
	s.mu.Unlock()
	slices.SortFunc(refs, compareRefs)
	all := []wire.Schedule{}
	for _, ref := range refs[:min(len(refs), limit)] {
		if one, err := s.Get(ref, 1, who); err == nil { // it was not deleted in the meantime
			all = append(all, one)
		}
	}
	return all
}

func compareRefs(a, b wire.ScheduleRef) int {
	return cmp.Or(cmp.Compare(a.Tenant, b.Tenant), cmp.Compare(a.Name, b.Name))
}

// view returns the public form of a schedule, with its next times.
func (s *Scheduler) view(e *entry, now time.Time, n int) wire.Schedule {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := e.progress.clone()
	out := wire.Schedule{ScheduleRef: e.def.ScheduleRef, ScheduleSetting: e.def.ScheduleSetting,
		Version: e.doc.Version, Owner: e.def.Owner.Name, By: e.doc.By, Changed: e.doc.Created,
		Stopped: e.stopped(), Problem: e.problem, Next: []time.Time{}, Last: p.Last}
	if out.Last == nil {
		out.Last = []wire.Fire{}
	}
	for _, w := range p.Waiting {
		out.Waiting = append(out.Waiting, w.Time)
	}
	if e.nextTime().IsZero() {
		return out
	}
	for at := e.times.Next(now); !at.IsZero() && len(out.Next) < n; at = e.times.Next(at) {
		out.Next = append(out.Next, at)
	}
	return out
}

// Delete deletes a schedule. Its runs stay.
func (s *Scheduler) Delete(ctx context.Context, ref wire.ScheduleRef, who access.Who) error {
	e, err := s.changed(&ref, who)
	if err != nil {
		return err
	}
	e.change.Lock()
	defer e.change.Unlock()
	if e.deleted {
		return store.ErrNotFound.With("there is no schedule %.100q", ref.Name)
	}
	if err := s.docs.Remove(ctx, store.Schedules, documentName(ref)); err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	s.mu.Lock()
	e.deleted = true
	s.mu.Unlock()
	err = s.docs.Remove(ctx, store.ScheduleStates, documentName(ref))
	if err != nil && !errors.Is(err, store.ErrNotFound) { // the next start removes it
		s.log.Warn("the state of a deleted schedule could not be removed", "schedule", ref.Name, "error", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, ref)
	return nil
}

// changed returns an entry that an identity may change.
func (s *Scheduler) changed(ref *wire.ScheduleRef, who access.Who) (*entry, error) {
	e, err := s.seen(ref, who)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !Changes(&wire.Schedule{ScheduleRef: e.def.ScheduleRef, Owner: e.def.Owner.Name}, who) {
		return nil, ErrForbidden
	}
	return e, nil
}

// RunNow runs a schedule once, now, under its owner, also if it is paused. A key that was used before returns the run
// of that time. The error is store.ErrTransition if a run of the schedule has not ended and the policy does not allow
// another one beside it, or if the schedule is stopped.
func (s *Scheduler) RunNow(ctx context.Context, ref wire.ScheduleRef, key string, who access.Who) (store.Run, error) {
	e, err := s.changed(&ref, who)
	if err != nil {
		return store.Run{}, err
	}
	e.change.Lock()
	defer e.change.Unlock()
	if reason := e.stopped(); reason != "" || e.deleted {
		return store.Run{}, store.ErrTransition.With("the schedule %s is stopped: %s", ref.Name, reason)
	}
	d, err := s.decision(ctx, e)
	if err == nil {
		err = d.prune(ctx)
	}
	if err != nil {
		return store.Run{}, err
	}
	if len(d.p.Active) > 0 && e.def.Overlap != wire.AllowOverlap {
		if run, err := s.engine.Get(ctx, d.p.Active[0]); err == nil && key != "" && run.Key == d.key(waiting{Manual: key}) {
			return run, nil
		}
		return store.Run{}, store.ErrTransition.With("run %s of the schedule %s has not ended; cancel it first, or let "+
			"the schedule have several at once", d.p.Active[0], ref.Name)
	}
	now := time.Now().UTC().Truncate(time.Millisecond) // as the creation of a run has it
	run, err := d.submit(ctx, waiting{Time: now, Manual: cmp.Or(key, rand.Text())})
	var later *postponed
	var gone *goneError
	switch {
	case errors.As(err, &later):
		return store.Run{}, later.cause
	case errors.As(err, &gone):
		err = store.ErrTransition.With("the schedule %s is stopped: %w", ref.Name, err)
	}
	if serr := d.save(ctx); err == nil && serr != nil {
		s.log.Warn("the run of a schedule is not kept yet", "schedule", ref.Name, "run", run.ID, "error", serr)
	}
	return run, err
}
