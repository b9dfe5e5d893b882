// This file defines the metrics of the resources that the runs of a service share: queues, guards and memory.

package telemetry

import (
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ptc-lang/ptc/runtime/guard"
	"github.com/ptc-lang/ptc/runtime/queue"
)

// Resources are shared by the runs of a service. Each field is optional.
//
// Hosts and rates are not labels, because programs invent them. Of the actions only tools are labels,
// because other actions come from policies and clients.
type Resources struct {
	Queues *queue.Set
	// Tools are the names of the tools, whose queues have metrics of their own: those of the first 500. All other queues
	// have them together, with the label "(others)".
	Tools  []string
	Guards *guard.Set
	// Memory returns the sum of the memory bounds of the runs under way, and the most that it may be.
	Memory func() (admitted, most int64)
}

// Collector returns the metrics of the resources, to be registered once.
func (r Resources) Collector() prometheus.Collector { return resources{r} }

type resources struct{ Resources }

const (
	// maxTools bounds the series of a metric.
	maxTools = 500
	// others is the label of the queues that have no metrics of their own. No tool has such a name.
	others = "(others)"
)

// The metrics of Resources.
var (
	queueWaitingDesc = prometheus.NewDesc("ptc_queue_waiting", "Executions that wait in the queue of a tool.",
		[]string{"tool"}, nil)
	queueActiveDesc = prometheus.NewDesc("ptc_queue_active", "Executions under way.", []string{"tool"}, nil)
	queueLimitDesc  = prometheus.NewDesc("ptc_queue_limit",
		"Most executions that may be under way; a tool without a limit has none.", []string{"tool"}, nil)
	queueOldestDesc = prometheus.NewDesc("ptc_queue_oldest_wait_seconds",
		"For how long the first of the waiting executions has waited.", []string{"tool"}, nil)
	queueEndedDesc = prometheus.NewDesc("ptc_queue_executions_total",
		"Executions that have ended: they completed, failed, were cancelled or timed out in the queue, or found it full.",
		[]string{"tool", "outcome"}, nil)

	guardHeldDesc    = prometheus.NewDesc("ptc_guard_held", "Guards that are held.", []string{"kind"}, nil)
	guardWaitingDesc = prometheus.NewDesc("ptc_guard_waiting", "Waiters for guards and tokens.", []string{"kind"}, nil)
	guardRatesDesc   = prometheus.NewDesc("ptc_guard_rates", "Rate limits that are known.", nil, nil)
	guardGrantsDesc  = prometheus.NewDesc("ptc_guard_grants_total",
		"Locks, of hosts and the global one, and tokens that were granted.", []string{"kind"}, nil)
	guardRefusedDesc = prometheus.NewDesc("ptc_guard_refused_total",
		"Requests that got no guard: they gave up waiting, or were errors.", []string{"reason"}, nil)

	admittedDesc = prometheus.NewDesc("ptc_runs_memory_bytes", "Sum of the memory bounds of the runs under way.", nil, nil)
	mostDesc     = prometheus.NewDesc("ptc_runs_memory_limit_bytes", "The most that ptc_runs_memory_bytes may be.",
		nil, nil)
)

// Describe implements prometheus.Collector.
func (r resources) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{queueWaitingDesc, queueActiveDesc, queueLimitDesc, queueOldestDesc,
		queueEndedDesc, guardHeldDesc, guardWaitingDesc, guardRatesDesc, guardGrantsDesc, guardRefusedDesc, admittedDesc,
		mostDesc} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (r resources) Collect(to chan<- prometheus.Metric) {
	if r.Queues != nil {
		r.queues(to)
	}
	if r.Guards != nil {
		guards(to, r.Guards.Stats(0))
	}
	if r.Memory != nil {
		admitted, most := r.Memory()
		gauge(to, admittedDesc, float64(admitted))
		gauge(to, mostDesc, float64(most))
	}
}

func gauge(to chan<- prometheus.Metric, d *prometheus.Desc, v float64, labels ...string) {
	to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
}

func counter(to chan<- prometheus.Metric, d *prometheus.Desc, v int64, labels ...string) {
	to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(v), labels...)
}

// queues writes the metrics of queues. A tool that was not called yet has them too, so that series do not come and go.
func (r resources) queues(to chan<- prometheus.Metric) {
	tools := slices.Compact(slices.Sorted(slices.Values(r.Tools)))
	tools = tools[:min(len(tools), maxTools)]
	all := make(map[string]queue.Stats, len(tools)+1)
	for _, s := range r.Queues.All() {
		if _, known := slices.BinarySearch(tools, s.Action); known {
			all[s.Action] = s
			continue
		}
		all[others] = sum(all[others], s)
	}
	if _, some := all[others]; some {
		tools = append(tools, others)
	}
	for _, name := range tools {
		s := all[name]
		gauge(to, queueWaitingDesc, float64(s.Waiting), name)
		gauge(to, queueActiveDesc, float64(s.Active), name)
		gauge(to, queueOldestDesc, s.Oldest.Seconds(), name)
		if s.Limit > 0 {
			gauge(to, queueLimitDesc, float64(s.Limit), name)
		}
		counter(to, queueEndedDesc, s.Completed-s.Failed, name, ok)
		counter(to, queueEndedDesc, s.Failed, name, "failed")
		counter(to, queueEndedDesc, s.Cancelled, name, "cancelled")
		counter(to, queueEndedDesc, s.TimedOut, name, "timed-out")
		counter(to, queueEndedDesc, s.Refused, name, "refused")
	}
}

// sum returns the stats of two queues together, without a limit.
func sum(a, b queue.Stats) queue.Stats {
	return queue.Stats{Waiting: a.Waiting + b.Waiting, Active: a.Active + b.Active,
		Oldest: max(a.Oldest, b.Oldest, time.Duration(0)), Completed: a.Completed + b.Completed, Failed: a.Failed + b.Failed,
		Cancelled: a.Cancelled + b.Cancelled, TimedOut: a.TimedOut + b.TimedOut, Refused: a.Refused + b.Refused}
}

// The kinds of guards, as labels.
const (
	kindGlobal = "global"
	kindHost   = "host"
	kindToken  = "token"
)

// guards writes the metrics of guards.
func guards(to chan<- prometheus.Metric, s guard.Stats) {
	global := 0.0
	if s.Global.Holder != "" {
		global = 1
	}
	gauge(to, guardHeldDesc, global, kindGlobal)
	gauge(to, guardHeldDesc, float64(s.Held), kindHost)
	gauge(to, guardWaitingDesc, float64(s.Global.Waiting), kindGlobal)
	gauge(to, guardWaitingDesc, float64(s.Waiting-s.Global.Waiting-s.WaitingTokens), kindHost)
	gauge(to, guardWaitingDesc, float64(s.WaitingTokens), kindToken)
	gauge(to, guardRatesDesc, float64(s.Limiters))
	counter(to, guardGrantsDesc, s.Taken, "lock")
	counter(to, guardGrantsDesc, s.Tokens, kindToken)
	counter(to, guardRefusedDesc, s.GaveUp, "gave-up")
	counter(to, guardRefusedDesc, s.Refused, "error")
}
