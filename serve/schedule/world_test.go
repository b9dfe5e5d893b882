package schedule_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/schedule"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

var ann = access.Who{Name: "ann", Tenant: "acme", Role: access.Submitter}

// world is the state that outlives a process: the documents and the runs. It implements store and engine of schedulers.
type world struct {
	t *testing.T

	mu     sync.Mutex
	docs   map[string][]store.Document // by kind and name, the latest last
	runs   []*fakeRun
	people map[string]access.Who
	lasts  func() time.Duration // of the next run
}

type fakeRun struct {
	store.Run
	ends time.Time
}

func newWorld(t *testing.T) *world {
	return &world{t: t, docs: make(map[string][]store.Document), people: map[string]access.Who{"ann": ann},
		lasts: func() time.Duration { return time.Second }}
}

// process is a process that uses the world. After its end nothing that it does has an effect.
type process struct {
	*world
	*schedule.Scheduler
	dead  bool
	fault func() fault
}

// fault is the fault of an operation.
type fault int

const (
	noFault  fault = iota
	refused        // by a full engine
	failed         // without an effect
	lost           // with an effect, and an error
	diesThen       // the process ends before it
	diesNow        // the process ends after it
)

var errDisk = errors.New("the disk has an error")

func (w *world) start(fault func() fault) *process {
	w.t.Helper()
	p := &process{world: w, fault: fault}
	s, err := schedule.New(context.Background(), p, schedule.Options{Store: p, Identity: w.identity})
	require.NoError(w.t, err)
	p.Scheduler = s
	return p
}

func (w *world) identity(name string) (access.Who, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	who, ok := w.people[name]
	return who, ok
}

// change does something with an effect.
func (p *process) change(refusal error, effect func() error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dead {
		return errDisk
	}
	f := noFault
	if p.fault != nil {
		f = p.fault()
	}
	switch f {
	case refused:
		if refusal != nil {
			return refusal
		}
	case failed:
		return errDisk
	case diesThen:
		p.dead = true
		return errDisk
	case diesNow:
		p.dead = true
	}
	err := effect()
	if f == lost || p.dead {
		return errDisk
	}
	return err
}

func (p *process) Put(_ context.Context, d store.Document) (kept store.Document, err error) {
	err = p.change(nil, func() error {
		key := string(d.Kind) + "/" + d.Name
		next := len(p.docs[key]) + 1
		if d.Version != 0 && d.Version != next {
			return store.ErrConflict
		}
		d.Version, d.Created = next, time.Now().UTC()
		p.docs[key] = append(p.docs[key], d)
		kept = d
		return d.Check()
	})
	return kept, err
}

func (p *process) Remove(_ context.Context, kind store.Kind, name string) error {
	return p.change(nil, func() error {
		key := string(kind) + "/" + name
		if n := len(p.docs[key]); n == 0 || p.docs[key][n-1].Body == nil {
			return store.ErrNotFound
		}
		p.docs[key] = append(p.docs[key], store.Document{})
		return nil
	})
}

func (p *process) Documents(_ context.Context, kind store.Kind, after string,
	limit int) (all []store.Document, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for key, versions := range p.docs {
		d := versions[len(versions)-1]
		if strings.HasPrefix(key, string(kind)+"/") && d.Body != nil && d.Name > after {
			all = append(all, d)
		}
	}
	slices.SortFunc(all, func(a, b store.Document) int { return cmp.Compare(a.Name, b.Name) })
	return all[:min(len(all), limit)], nil
}

func (p *process) List(_ context.Context, q store.Query) (page store.Page, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.runs {
		of := r.Labels[wire.ScheduleLabel] == q.Labels[wire.ScheduleLabel]
		if of && r.Tenant == q.Tenant && !r.Created.Before(q.Since) {
			page.Runs = append(page.Runs, r.Run)
		}
	}
	return page, nil
}

func (p *process) SubmitScheduled(_ context.Context, sub store.Submission,
	who access.Who) (run store.Run, created bool, err error) {
	err = p.change(serve.ErrFull, func() error {
		if strings.HasPrefix(sub.Source, "(wrong") {
			return serve.ErrInvalid.With("the source is wrong")
		}
		for _, r := range p.runs {
			if r.Key == sub.Key && r.Tenant == who.Tenant {
				if r.Digest != sub.Sum() {
					return store.ErrKeyReused
				}
				run = r.Run
				return nil
			}
		}
		r := &fakeRun{ends: time.Now().Add(p.lasts())}
		r.Run = store.Run{ID: fmt.Sprint("run", len(p.runs)+1), Tenant: who.Tenant, By: who.Name, Submission: sub,
			Digest: sub.Sum(), Created: time.Now().UTC()}
		p.runs = append(p.runs, r)
		run, created = r.Run, true
		return nil
	})
	return run, created, err
}

func (p *process) CheckSubmission(_ context.Context, sub store.Submission, _ access.Who) error {
	if sub.Program == "missing" {
		return store.ErrNotFound.With("there is no program missing")
	}
	return nil
}

func (p *process) find(id string) *fakeRun {
	for _, r := range p.runs {
		if r.ID == id {
			return r
		}
	}
	return nil
}

func (p *process) Get(_ context.Context, id string) (store.Run, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.find(id)
	if r == nil {
		return store.Run{}, store.ErrNotFound
	}
	run := r.Run
	run.State = store.Running
	if !time.Now().Before(r.ends) {
		run.State = store.Succeeded
	}
	return run, nil
}

// Cancel ends a run after half a second; one that has a minute left is only told.
func (p *process) Cancel(ctx context.Context, id string, _ access.Who) (store.Run, error) {
	p.mu.Lock()
	if r := p.find(id); r != nil && r.ends.After(time.Now()) {
		r.ends = time.Now().Add(time.Second / 2)
	}
	p.mu.Unlock()
	select {
	case <-time.After(time.Second):
	case <-ctx.Done():
	}
	return p.Get(ctx, id)
}

// crash ends a process as kill -9 does.
func (p *process) crash() {
	p.mu.Lock()
	p.dead = true
	p.mu.Unlock()
	p.Close()
}

// times returns the times of the runs of a schedule, in the order of their submission.
func (w *world) times(name string) []time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := []time.Time{}
	for _, r := range w.runs {
		if at, ok := strings.CutPrefix(r.Key, serve.ScheduleKey+name+":"); ok && !strings.HasPrefix(at, "by ") {
			one, err := time.Parse(time.RFC3339, at)
			require.NoError(w.t, err)
			all = append(all, one)
		}
	}
	return all
}

// clocks returns the times of the runs of a schedule as clocks.
func (w *world) clocks(name string) string {
	var all []string
	for _, at := range w.times(name) {
		all = append(all, at.Format("15:04"))
	}
	return strings.Join(all, " ")
}

func (p *process) put(name string, set wire.ScheduleSetting) wire.Schedule {
	p.t.Helper()
	if set.Run.Source == "" {
		set.Run.Source = "1"
	}
	kept, err := p.Scheduler.Put(p.t.Context(), wire.ScheduleRef{Name: name}, set, 0, ann)
	require.NoError(p.t, err)
	return kept
}

func (p *process) get(name string) wire.Schedule {
	p.t.Helper()
	got, err := p.Scheduler.Get(wire.ScheduleRef{Name: name}, 0, ann)
	require.NoError(p.t, err)
	return got
}

// reasons returns why times of a schedule have no run, the newest first.
func (p *process) reasons(name string) (all []string) {
	for _, f := range p.get(name).Last {
		if f.Run == "" {
			all = append(all, f.Time.Format("15:04 ")+f.Reason)
		}
	}
	return all
}
