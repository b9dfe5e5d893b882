// Package worker connects the engine that runs runs on a node with the queue of the cluster: a Worker is the
// serve.Placement of the engine and the place.Worker of the queue.
//
//	w := worker.New(worker.Options{})
//	q, err := place.New(place.Options{Worker: w, …})
//	w.Queue(q)
//	e, err := serve.New(ctx, serve.Options{Placement: w, …})
//	w.Engine(e)
//
// Until the engine is known, the node takes no runs.
package worker

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/internal/place"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/store"
)

// Options are the settings of a Worker.
type Options struct {
	// Hold has the store refuse changes of a run by this node when a fence does not hold any more, until release is
	// called; nil does nothing.
	Hold func(run string, fence engine.Revision) (release func())
	Log  *slog.Logger // nil discards
}

// Worker is the engine of a node for its queue, and the queue for the engine.
type Worker struct {
	opts   Options
	queue  atomic.Pointer[place.Queue]
	engine atomic.Pointer[serve.Engine]
}

// New returns a Worker without engine and queue.
func New(o Options) *Worker {
	if o.Hold == nil {
		o.Hold = func(string, engine.Revision) func() { return func() {} }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Worker{opts: o}
}

// Queue sets the queue. It is called before the engine is made.
func (w *Worker) Queue(q *place.Queue) { w.queue.Store(q) }

// Engine sets the engine, which begins to take runs.
func (w *Worker) Engine(e *serve.Engine) {
	w.engine.Store(e)
	w.Free()
}

// The labels of a run that placement reads.
const (
	LabelRegion   = "region"   // where the run prefers to run
	LabelStrict   = "strict"   // "true": only in that region
	LabelAffinity = "affinity" // runs with the same value prefer the same node
	LabelNode     = "node."    // "node.disk": only on nodes whose label disk has the same value
	LabelNeeds    = "needs"    // "gpu,vpn": only on nodes with these capabilities
	LabelDeadline = "deadline" // a duration such as "90s": the time after its submission at which the run is cancelled
)

// Runs returns the engine; nil until it is known.
func (w *Worker) Runs() *serve.Engine { return w.engine.Load() }

// job returns the Job of a run for placement.
func (w *Worker) job(run *store.Run, memory int64) place.Job {
	j := place.Job{Run: run.ID, Tenant: run.Tenant, By: run.By, Priority: run.Priority, Memory: memory,
		Tools: slices.Clone(run.Tools), Region: run.Labels[LabelRegion], Strict: run.Labels[LabelStrict] == "true",
		Affinity: run.Labels[LabelAffinity]}
	for word := range strings.FieldsFuncSeq(run.Labels[LabelNeeds], func(c rune) bool { return c == ',' || c == ' ' }) {
		j.Tools = append(j.Tools, word)
	}
	for name, value := range run.Labels {
		if label, ok := strings.CutPrefix(name, LabelNode); ok {
			if j.Labels == nil {
				j.Labels = make(map[string]string)
			}
			j.Labels[label] = value
		}
	}
	if text, ok := run.Labels[LabelDeadline]; ok {
		d, err := time.ParseDuration(text)
		if err != nil || d <= 0 {
			w.opts.Log.Warn("the label deadline of a run is not a duration, and is ignored", "run", run.ID, "label", text)
		}
		j.Deadline = max(d, 0)
	}
	if run.State == store.Parked && !run.Wake.IsZero() {
		j.Delay = max(time.Until(run.Wake), 1)
	}
	return j
}

// Add implements serve.Placement.
func (w *Worker) Add(ctx context.Context, run store.Run, memory int64) error {
	return w.queue.Load().Add(ctx, w.job(&run, memory))
}

// Remove implements serve.Placement.
func (w *Worker) Remove(ctx context.Context, id string) error {
	_, err := w.queue.Load().Remove(ctx, id)
	return err
}

// Why implements serve.Placement.
func (w *Worker) Why(id string) string {
	if q := w.queue.Load(); q != nil {
		return q.Why(id)
	}
	return ""
}

// Leader implements serve.Placement.
func (w *Worker) Leader(id string) string {
	if q := w.queue.Load(); q != nil {
		if name, ok := q.Leader(id); ok {
			return name
		}
	}
	return ""
}

// Use implements serve.Placement.
func (w *Worker) Use(tenant, by string) (ofTenant, own access.Use) {
	if q := w.queue.Load(); q != nil {
		t, o := q.Used(tenant, by)
		return access.Use(t), access.Use(o)
	}
	return ofTenant, own
}

// Waiting implements serve.Placement.
func (w *Worker) Waiting() int {
	if q := w.queue.Load(); q != nil {
		return q.Stats().Waiting
	}
	return 0
}

// Free implements serve.Placement.
func (w *Worker) Free() {
	if q := w.queue.Load(); q != nil {
		q.Kick()
	}
}

// Room implements place.Worker.
func (w *Worker) Room() place.Room {
	e := w.engine.Load()
	if e == nil {
		return place.Room{}
	}
	r := e.Room()
	may := func(j place.Job, ofTenant, own place.Use) bool {
		return e.May(j.Tenant, j.By, j.Memory, access.Use(ofTenant), access.Use(own))
	}
	return place.Room{Runs: r.Runs, Memory: r.Memory, Most: r.Most, May: may,
		Bounded: func(j place.Job) bool { return e.Bounded(j.Tenant, j.By) }}
}

// Start implements place.Worker.
func (w *Worker) Start(l *place.Lead) {
	e := w.engine.Load()
	if e == nil {
		go w.back(l)
		return
	}
	e.Take(serve.Placed{ID: l.Run, Tenant: l.Tenant, By: l.By, Memory: l.Memory, Lead: &lead{l, w}, Deadline: l.Deadline,
		Late: l.Expired})
}

// Follow implements share.Host.
func (w *Worker) Follow(j place.Job, trace string, left func()) bool {
	e := w.engine.Load()
	return e != nil && e.Follow(serve.Placed{ID: j.Run, Tenant: j.Tenant, By: j.By, Memory: j.Memory, Trace: trace}, left)
}

// lead is a lead for the engine.
type lead struct {
	*place.Lead
	worker *Worker
}

// Hold implements serve.Lead.
func (l *lead) Hold() (release func()) { return l.worker.opts.Hold(l.Run, l.Fence) }

// back returns a run that was taken before there was an engine. The lead ends with the session if it can't.
func (w *Worker) back(l *place.Lead) {
	if err := l.Return(l.Context(), "the node was starting", time.Second); err != nil {
		w.opts.Log.Warn("a run can't be returned", "run", l.Run, "error", err)
	}
}
