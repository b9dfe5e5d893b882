// This file defines Moment and Halt: when a bound has ended an evaluation or a part of
// it, counted in what the evaluation does and not in time, so that another run of the
// same program can end at the same moment.

package limits

// Point is the kind of a moment: where an evaluation can find that a bound is hit.
type Point string

// The points.
const (
	AtStep Point = "step" // between two instructions of the machine
	AtWork Point = "work" // within the work of a builtin
	AtLook Point = "look" // where a builtin looks in between
	// These are told apart by the evaluation itself.
	AtAssist    Point = "assist"    // in work done beside the machine, that of the compiler
	AtCall      Point = "call"      // before a call of a tool
	AtEffect    Point = "effect"    // an effect that was cut short
	AtOperation Point = "operation" // in a parallel operation
)

// Moment is a moment in an evaluation. What is counted does not depend on time.
type Moment struct {
	At    Point `json:"at"`
	Steps int64 `json:"steps,omitempty"` // of the machine; of AtStep and AtWork
	Work  int64 `json:"work,omitempty"`  // units of builtin work; of AtWork
	Nth   int64 `json:"nth,omitempty"`   // of the others: which look, assist, effect or operation
}

// Halt is a moment at which an evaluation is to end by a Stop.
type Halt struct {
	Moment
	Stop Stop
}

// Origin has moments count from here on.
func (m *Meter) Origin() {
	m.origin = origin{m.MachineSteps(), m.Worked(), m.looks}
}

// origin is what moments count from.
type origin struct{ steps, work, looks int64 }

// moment gives the present one.
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

// Looks gives how often a builtin has looked since the origin.
func (m *Meter) Looks() int64 { return m.looks - m.origin.looks }

// Decide says whether it is known how the evaluation goes on: then no bound of a scope
// ends it, since none has. Steps and calls are counted even so.
func (m *Meter) Decide(known bool) { m.decided = known }

// Decided says whether it is known how the evaluation goes on.
func (m *Meter) Decided() bool { return m.decided }

// HaltAt has the evaluation unwind at a moment; nil takes that back.
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

// Halting gives the halt that is ahead, nil if there is none.
func (m *Meter) Halting() *Halt { return m.halt }

// fuelUntilHalt gives how many of n steps may pass without a poll: the poll comes with
// the step of the halt, or the one behind it if that is in the work of a builtin.
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

// checkHalt unwinds if a poll at such a point is the moment to. A builtin's work may
// be a little less than it was, when another evaluation has computed a hash that both
// need; then the halt comes with the next step.
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
