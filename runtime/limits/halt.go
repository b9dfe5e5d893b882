// This file defines Moment and Halt. A Moment is where a bound has ended an evaluation or a part of
// it. It is counted in work instead of time, so that another run of the same program can end at the
// same moment.

package limits

// Point is the kind of a moment: a check at which an evaluation can find that a bound is hit.
type Point string

// Points.
const (
	AtStep Point = "step" // between two instructions of the machine
	AtWork Point = "work" // within a builtin's work
	AtLook Point = "look" // where a builtin calls Look
	// The evaluation itself distinguishes the following points.
	AtAssist    Point = "assist"    // in work of the compiler, which the machine does not count
	AtCall      Point = "call"      // before a tool call
	AtEffect    Point = "effect"    // an effect that was interrupted
	AtOperation Point = "operation" // in a parallel operation
)

// Moment is a moment in an evaluation. Its counts do not depend on time.
type Moment struct {
	At    Point `json:"at"`
	Steps int64 `json:"steps,omitempty"` // machine steps; of AtStep and AtWork
	Work  int64 `json:"work,omitempty"`  // units of builtin work; of AtWork
	Nth   int64 `json:"nth,omitempty"`   // of the others: the number of the look, assist, effect or operation
}

// Halt is a moment at which an evaluation must end with a Stop.
type Halt struct {
	Moment
	Stop Stop
}

// Origin starts the counts of moments again.
func (m *Meter) Origin() {
	m.origin = origin{m.MachineSteps(), m.Worked(), m.looks}
}

// origin is the start of the counts of moments.
type origin struct{ steps, work, looks int64 }

// moment returns the current moment.
func (m *Meter) moment(at Point) Moment {
	switch {
	case m.assisting:
		return Moment{At: AtAssist}
	case at == AtLook:
		return Moment{At: at, Nth: m.Looks()}
	case at == AtStep:
		return Moment{At: at, Steps: m.MachineSteps() - m.origin.steps}
	}
	return Moment{At: at, Steps: m.MachineSteps() - m.origin.steps, Work: m.Worked() - m.origin.work}
}

// Looks returns the number of looks since the origin.
func (m *Meter) Looks() int64 { return m.looks - m.origin.looks }

// Decide sets whether it is known how the evaluation continues. If it is, no bound of a scope ends
// the evaluation, since none did. Steps and calls are still counted.
func (m *Meter) Decide(known bool) { m.decided = known }

// Decided reports whether it is known how the evaluation continues.
func (m *Meter) Decided() bool { return m.decided }

// HaltAt makes the evaluation unwind at a moment. With nil it no longer does.
func (m *Meter) HaltAt(h *Halt) {
	m.halt = h
	if h == nil {
		return
	}
	if over := m.Fuel - m.fuelUntilHalt(m.Fuel); over > 0 {
		m.granted, m.Fuel = m.granted-over, m.Fuel-over
	}
	if over := m.work - m.workUntilHalt(m.work); over > 0 {
		m.worked, m.work = m.worked-over, m.work-over
	}
}

// Halting returns the halt that is ahead, or nil.
func (m *Meter) Halting() *Halt { return m.halt }

// fuelUntilHalt returns how many of n steps may pass without a poll. The poll comes with the step
// of the halt, or with the next step if the halt is within a builtin's work.
func (m *Meter) fuelUntilHalt(n int64) int64 {
	until := m.halt.Steps + m.origin.steps - m.MachineSteps()
	switch m.halt.At {
	case AtStep:
		return max(min(n, until-1), 0)
	case AtWork:
		return max(min(n, until), 0)
	}
	return n
}

func (m *Meter) workUntilHalt(n int64) int64 {
	if m.halt.At != AtWork {
		return n
	}
	return max(min(n, m.halt.Work+m.origin.work-m.Worked()-1), 0)
}

// checkHalt unwinds if the poll at a point is the moment of the halt. A builtin's work may be
// slightly less than in the first run, if another evaluation has computed a hash that both need.
// Then the halt comes with the next step.
func (m *Meter) checkHalt(at Point) {
	now := m.moment(at)
	switch m.halt.At {
	case AtStep:
		if at != AtStep || now.Steps < m.halt.Steps {
			return
		}
	case AtWork:
		if at == AtLook || now.Steps < m.halt.Steps || now.Steps == m.halt.Steps && (at != AtWork || now.Work < m.halt.Work) {
			return
		}
	default:
		if now != m.halt.Moment {
			return
		}
	}
	panic(m.halt.Stop)
}
