// This file defines the messages of the bounds that an evaluation hits.

package eval

import (
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// memoryOption returns the name of the bound on this evaluation's memory.
func (m *Evaluation) memoryOption() string {
	if m.op != nil {
		return "memory limit of workers (--worker-memory)"
	}
	return "memory limit (--memory)"
}

// boundHit makes the error of a bound that ends the run.
func (m *Evaluation) boundHit(s limits.Stop) *diag.Error {
	m.stopped = &s
	switch s.Bound {
	case limits.BoundSteps:
		return m.Place((&diag.Error{Code: diag.StepsExceeded,
			Message: "the run took more than " + diag.Counted(s.Limit, "step")}).
			WithHint("is there an endless loop? otherwise raise the step limit (--steps)"))
	case limits.BoundTime:
		if s.Limit == 0 {
			return m.Place(&diag.Error{Code: diag.Timeout, Message: "the deadline that the host set has passed"})
		}
		return m.Place((&diag.Error{Code: diag.Timeout,
			Message: "the run took longer than " + diag.Duration(time.Duration(s.Limit))}).
			WithHint("raise the time limit (--timeout), or do less"))
	}
	if s.Bound == limits.BoundCalls {
		return m.Place((&diag.Error{Code: diag.CallsExceeded,
			Message: "the run made more than " + diag.Counted(s.Limit, "tool call")}).
			WithHint("make fewer calls, or raise the limit (--calls)"))
	}
	return m.Place(&diag.Error{Code: diag.Cancelled, Message: "the run was cancelled"})
}
