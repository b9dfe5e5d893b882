// This file defines Gauge, which shows others the usage of a run.

package limits

import "sync/atomic"

// Gauge shows the usage of the main evaluation of a run, as of its last poll: some microseconds ago, or when it began
// to wait. The zero value is ready for use. It is safe for concurrent use.
type Gauge struct {
	memory, steps atomic.Int64
	shared        atomic.Pointer[Steps] // that the run draws from; nil until it has workers or scopes
}

// Memory returns the bytes in the account of the main evaluation.
func (g *Gauge) Memory() int64 { return g.memory.Load() }

// Steps returns the steps of the run, with those of its workers, and with some thousand that a running evaluation may
// have drawn and not taken yet.
func (g *Gauge) Steps() int64 {
	if s := g.shared.Load(); s != nil {
		return s.limit - s.left.Load()
	}
	return g.steps.Load()
}

// Show connects a gauge to the usage of a run. m is the meter of its main evaluation, which has started.
func (m *Meter) Show(g *Gauge) {
	m.run.gauge, m.run.shown = g, m
	m.show()
}

// show updates the gauge, if there is one.
func (m *Meter) show() {
	if m.run == nil || m.run.shown != m {
		return
	}
	g := m.run.gauge
	g.memory.Store(m.used)
	if s := m.steps; s == nil {
		g.steps.Store(m.Steps())
	} else if g.shared.Load() == nil {
		for s.outer != nil {
			s = s.outer
		}
		g.shared.Store(s)
	}
}
