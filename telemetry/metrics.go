// This file defines the metrics.

package telemetry

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/telemetry/spans"
)

// ok is the value of the label outcome for success. Other values are codes of diag.Catalogue.
const ok = "ok"

// metrics are the metrics of a Telemetry, as one collector. The values of labels are bounded: tools are
// those that the host grants, outcomes are ok and the codes of errors, and kinds of waits and states of
// workers are fixed.
type metrics struct {
	vectors
	states func() map[string]int

	mu           sync.Mutex
	active       map[*Run]struct{}
	depth, start counted
}

// vectors are the metrics that Prometheus' library counts.
type vectors struct {
	runs, calls                  *prometheus.CounterVec
	duration, call, wait         *prometheus.HistogramVec
	memory, worker, workers      prometheus.Histogram
	steps, marks                 prometheus.Counter
	operations, inline           prometheus.Counter
	refused, elements, abandoned prometheus.Counter
}

// all returns them as collectors.
func (v *vectors) all() []prometheus.Collector {
	return []prometheus.Collector{v.runs, v.calls, v.duration, v.call, v.wait, v.memory, v.worker, v.workers, v.steps,
		v.marks, v.operations, v.inline, v.refused, v.elements, v.abandoned}
}

// The metrics that Collect reads from the runs under way, or counts itself.
var (
	statesDesc = prometheus.NewDesc("ptc_runs", "Runs of the service in each state.", []string{"state"}, nil)
	activeDesc = prometheus.NewDesc("ptc_runs_active", "Runs that are being evaluated.", nil, nil)
	gaugeDesc  = prometheus.NewDesc("ptc_workers", "Evaluations of runs under way: running ones compute, blocked ones "+
		"wait for time, a call, a guard or their operation; idle are processors that their runs leave unused.",
		[]string{"state"}, nil)
	waitingDesc = prometheus.NewDesc("ptc_elements_waiting", "Elements that no worker has claimed yet.", nil, nil)
	depthDesc   = prometheus.NewDesc("ptc_queue_depth_elements",
		"For each element, how many elements of its operation were unclaimed when it was claimed.", nil, nil)
	startDesc = prometheus.NewDesc("ptc_worker_start_seconds",
		"Time from the reservation of an element for a worker to the start of the element.", nil, nil)
)

func newMetrics(states func() map[string]int) *metrics {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	histograms := func(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
	}
	histogram := func(name, help string, buckets []float64) prometheus.Histogram {
		return prometheus.NewHistogram(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets})
	}
	times := prometheus.ExponentialBuckets(0.001, 4, 10) // 1 ms to 262 s
	waits := prometheus.ExponentialBuckets(0.001, 4, 14) // to 19 h: people sleep
	sizes := prometheus.ExponentialBuckets(64<<10, 4, 9) // 64 KB to 4 GB
	return &metrics{states: states, active: make(map[*Run]struct{}), vectors: vectors{
		runs:     counters("ptc_runs_total", "Runs that have ended: ok, or the code of the error.", "outcome"),
		duration: histograms("ptc_run_duration_seconds", "Time of runs, waits included.", times, "outcome"),
		memory:   histogram("ptc_run_memory_peak_bytes", "Most bytes in the account of the main evaluation of a run.", sizes),
		worker: histogram("ptc_worker_memory_peak_bytes",
			"Most bytes in the account of a worker, of runs with parallel operations.", sizes),
		workers: histogram("ptc_run_workers", "Most workers of a run alive at once.",
			prometheus.ExponentialBuckets(1, 2, 11)),
		steps: counter("ptc_run_steps_total", "Steps of runs that have ended."),
		marks: counter("ptc_run_memory_marks_total", "Times that the account of a main evaluation was full."),
		operations: counter("ptc_operations_total",
			"Parallel operations of runs that have ended, without those that were refused."),
		inline:    counter("ptc_operations_inline_total", "Parallel operations that began in the slot of their caller."),
		refused:   counter("ptc_operations_refused_total", "Parallel operations that were refused: no slot was free."),
		elements:  counter("ptc_elements_total", "Elements of parallel operations that were run."),
		calls:     counters("ptc_tool_calls_total", "Calls of tools: ok, or the code of the error.", "tool", "outcome"),
		call:      histograms("ptc_tool_call_duration_seconds", "Time of calls of tools, with their waits.", times, "tool"),
		abandoned: counter("ptc_tool_calls_abandoned_total", "Calls that were abandoned: they did not end in time."),
		wait: histograms("ptc_wait_duration_seconds",
			"Waits for a host, the global guard, a queue, a token, or a settlement in this process.", waits, "kind"),
	}}
}

// begin has a run counted.
func (m *metrics) begin(r *Run, given *ptc.RunOptions) {
	if given.Progress == nil {
		given.Progress = &ptc.Progress{}
	}
	r.progress = given.Progress
	inner := given.Around
	given.Around = func(ctx context.Context, c effect.Call, next func(context.Context) effect.Outcome) effect.Outcome {
		return m.around(ctx, c, next, inner)
	}
	own := &effect.Observer{Wait: func(_ string, w effect.Wait) {
		m.wait.WithLabelValues(string(w.Kind)).Observe(w.Duration.Seconds())
	}}
	given.Observer = own.Also(given.Observer)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.active[r] = struct{}{}
}

func (m *metrics) around(ctx context.Context, c effect.Call, next func(context.Context) effect.Outcome,
	inner effect.Around) (o effect.Outcome) {
	began, outcome := time.Now(), string(diag.ToolFailed) // if inner panics
	defer func() {
		m.calls.WithLabelValues(c.Tool.Name(), outcome).Inc()
		m.call.WithLabelValues(c.Tool.Name()).Observe(time.Since(began).Seconds())
	}()
	if inner != nil {
		o = inner(ctx, c, next)
	} else {
		o = next(ctx)
	}
	outcome = ok
	if o.Failure != nil {
		outcome = known(o.Failure.Kind)
	}
	return o
}

// known returns a code, or tool-failed for one that is not in the catalogue, which only a function of the host sets.
func known(code diag.Code) string {
	if _, listed := catalogued()[code]; !listed {
		return string(diag.ToolFailed)
	}
	return string(code)
}

var catalogued = sync.OnceValue(func() map[diag.Code]struct{} {
	all := make(map[diag.Code]struct{}, len(diag.Catalogue))
	for _, e := range diag.Catalogue {
		all[e.Code] = struct{}{}
	}
	return all
})

// end counts a run that has ended.
func (m *metrics) end(r *Run, res *ptc.Result, err error) {
	outcome := ok
	if code, _ := spans.FailureOf(err); code != "" {
		outcome = known(diag.Code(code))
	}
	m.runs.WithLabelValues(outcome).Inc()
	if outcome != ok && outcome != string(diag.Parked) {
		outcome = "error"
	}
	m.duration.WithLabelValues(outcome).Observe(time.Since(r.began).Seconds())
	m.leave(r, res)
	if res == nil {
		return
	}
	u := &res.Usage
	m.memory.Observe(float64(u.MemoryPeak))
	m.steps.Add(float64(u.Steps))
	m.marks.Add(float64(u.Marks))
	p := &u.Parallel
	if p.Operations+p.Refused == 0 {
		return
	}
	m.workers.Observe(float64(p.Peak))
	m.worker.Observe(float64(u.WorkerMemoryPeak))
	m.operations.Add(float64(p.Operations))
	m.inline.Add(float64(p.Inline))
	m.refused.Add(float64(p.Refused))
	m.elements.Add(float64(p.Elements))
	m.mu.Lock()
	defer m.mu.Unlock()
	m.depth.add(&p.Depth)
	m.start.add(&p.Start)
}

// leave counts the end of an evaluation, even if the run continues elsewhere. The usage of a run includes
// all nodes, so the process in which the run ends counts it.
func (m *metrics) leave(r *Run, res *ptc.Result) {
	m.mu.Lock()
	delete(m.active, r)
	m.mu.Unlock()
	if res != nil {
		m.abandoned.Add(float64(res.Usage.Abandoned))
	}
}

// Describe implements prometheus.Collector.
func (m *metrics) Describe(to chan<- *prometheus.Desc) {
	for _, c := range m.all() {
		c.Describe(to)
	}
	for _, d := range []*prometheus.Desc{activeDesc, gaugeDesc, waitingDesc, depthDesc, startDesc} {
		to <- d
	}
	if m.states != nil {
		to <- statesDesc
	}
}

// Collect implements prometheus.Collector.
func (m *metrics) Collect(to chan<- prometheus.Metric) {
	for _, c := range m.all() {
		c.Collect(to)
	}
	if m.states != nil {
		for state, n := range m.states() {
			gauge(to, statesDesc, float64(n), state)
		}
	}
	m.mu.Lock()
	active, depth, start := maps.Clone(m.active), m.depth, m.start
	m.mu.Unlock()
	var sum ptc.Snapshot
	for r := range active {
		s := r.progress.Now()
		sum.Running, sum.Blocked, sum.Idle = sum.Running+s.Running, sum.Blocked+s.Blocked, sum.Idle+s.Idle
		sum.Waiting += s.Waiting
	}
	gauge(to, activeDesc, float64(len(active)))
	gauge(to, gaugeDesc, float64(sum.Running), "running")
	gauge(to, gaugeDesc, float64(sum.Blocked), "blocked")
	gauge(to, gaugeDesc, float64(sum.Idle), "idle")
	gauge(to, waitingDesc, float64(sum.Waiting))
	to <- depth.metric(depthDesc, 0, 20, 1)
	to <- start.metric(startDesc, 10, 34, 1e9)
}

// counted is the sum of the distributions of runs.
type counted struct {
	count, sum int64
	buckets    [36]int64
}

func (c *counted) add(d *ptc.Distribution) {
	c.count += d.Count
	c.sum += d.Sum
	for i, n := range d.Buckets {
		c.buckets[min(i, len(c.buckets)-1)] += n
	}
}

// metric returns a histogram with every second bucket from the first to the last. A unit has some of the values.
func (c *counted) metric(d *prometheus.Desc, first, last int, unit float64) prometheus.Metric {
	buckets := make(map[float64]uint64)
	var below int64
	for i, n := range c.buckets[:last+1] {
		below += n
		if i >= first && (i-first)%2 == 0 {
			buckets[float64(int64(1)<<i-1)/unit] = uint64(below)
		}
	}
	return prometheus.MustNewConstHistogram(d, uint64(c.count), float64(c.sum)/unit, buckets)
}
