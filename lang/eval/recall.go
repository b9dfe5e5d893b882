// This file defines how an evaluation follows an earlier run that a journal has recorded: a bound
// ends a scope where it did in that run, and nowhere else.

package eval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// The names of choices. A choice among the elements of an operation has the name of the operation.
const (
	choseStop = "with-limits"
	choseFull = string(diag.CapacityExceeded)
)

// ending is how a bound has ended a scope, or the run, as a journal keeps it.
type ending struct {
	Scope int    `json:"scope"` // its number among those of the evaluation; -1 for the run
	Bound string `json:"bound"`
	Limit int64  `json:"limit"`
	limits.Moment
	// Effects is how many effects the main evaluation had begun when the run ended. A resumed
	// run can end before it has come to all of the recorded ones.
	Effects int `json:"effects,omitempty"`
}

// maxEnding is more than the bytes of an ending. It is read before each effect, so a longer one,
// which only another program can have written, would be work that nothing bounds.
const maxEnding = 1 << 10

// refusal records that an operation found no slot.
type refusal struct {
	Operation uint64 `json:"operation"`
	Error     string `json:"error"`
}

var boundNames = map[limits.Bound]string{
	limits.BoundSteps: "steps", limits.BoundTime: "time", limits.BoundCalls: "calls",
}

// foresee asks the journal how the earlier run continued. If the evaluation is known to have
// continued there, the bounds of a scope end it only where they did in that run.
func (m *Evaluation) foresee() {
	if !m.opts.Recalls {
		return
	}
	ahead := m.opts.Journal.Ahead(string(m.path()), m.effect, m.operations)
	m.ahead = &ahead
	m.Decide(m.opts.Replays || m.settled() || m.ahead.Known || m.follows() || m.passed())
	halt, effects := haltOf(m.ahead.Stop)
	if halt == nil || m.effect < effects {
		halt = nil
		halt, _ = haltOf(chosenNext(m.ahead, choseStop))
	}
	m.HaltAt(halt)
}

// haltOf reads an ending. It returns nil if there is none, or if it can't be read: then the first
// effect that differs ends the run.
func haltOf(text []byte) (h *limits.Halt, effects int) {
	var e ending
	if text == nil || len(text) > maxEnding || json.Unmarshal(text, &e) != nil {
		return nil, 0
	}
	for bound, name := range boundNames {
		if name == e.Bound {
			stop := limits.Stop{Bound: bound, Limit: e.Limit, At: e.Moment, Decided: true, Scope: e.Scope}
			return &limits.Halt{Moment: e.Moment, Stop: stop}, e.Effects
		}
	}
	return nil, 0
}

// haltIf unwinds if the earlier run was ended at a moment that the evaluation counts
// itself.
func (m *Evaluation) haltIf(at limits.Point, nth int64) {
	if h := m.Halting(); h != nil && h.At == at && h.Nth == nth {
		panic(h.Stop)
	}
}

// meet is called with the id of each effect before it happens. An effect that was cut short when the
// run was ended does not happen again.
func (m *Evaluation) meet(id string) {
	m.foresee()
	m.meetOthers(id)
	if h := m.Halting(); h != nil && h.Stop.Scope < 0 && m.opts.Journal.Cut(id) {
		panic(h.Stop)
	}
}

// haltUnbegun unwinds if the earlier run was ended in a call that the recording does not have: the call waited, and
// had not begun.
func (m *Evaluation) haltUnbegun(err error) {
	if h := m.Halting(); h != nil && h.Stop.Scope < 0 && errors.Is(err, effect.ErrUnrecorded) {
		panic(h.Stop)
	}
}

// do runs an operation. If it found no slot in the earlier run, or a bound ended it there, the same
// happens now, and no element runs. If it ran to its end there, or its elements were chosen, it runs
// to its end now.
func (m *Evaluation) do(op *operation) (full error) {
	m.foresee()
	if h := m.Halting(); h != nil && h.At == limits.AtOperation && h.Nth == int64(op.number) {
		op.failed = failure{err: &diag.Error{}, stop: h.Stop}
		return nil
	}
	refused, again := refusalOf(m.ahead, op.number)
	if !again {
		if op.shared = m.share(op); op.shared != nil {
			return m.doShared(op)
		}
	}
	switch known := op.only != nil || m.Decided() && m.opts.Recalls; {
	case again:
		full = errors.New(refused.Error)
	case m.levels >= 1 && m.follows(): // the other node finds out whether there are slots
		full = m.opts.Scheduler.Do(job{op}, op.n)
	case known && (m.levels >= 1 || m.replicas() == nil): // it was not refused then, so it is not now
		op.settled = true
		full = m.opts.Scheduler.DoInOrder(job{op}, op.n)
	case m.opts.Recalls && m.opts.Journal.Had(string(m.operationPath(op))):
		full = m.opts.Scheduler.Do(job{op}, op.n)
	case m.levels < 1:
		full = fmt.Errorf("nested %d deep, where there are workers for %d", op.nesting+1, op.nesting)
	case m.opts.Strict:
		full = m.opts.Scheduler.TryDo(job{op}, op.n)
	default:
		full = m.opts.Scheduler.Do(job{op}, op.n)
	}
	if full == nil || m.opts.Journal == nil {
		return full
	}
	m.decide(choseFull, refusal{op.number, full.Error()})
	return full
}

// chosenNext returns the decision that the earlier run comes to next, if that is a choice of this
// name; otherwise nil.
func chosenNext(a *effect.Ahead, name string) []byte {
	if a == nil || a.Next == nil || a.Next.Kind != effect.KindChoice || a.Next.Name != name {
		return nil
	}
	return a.Next.Args
}

// refusalOf reports whether the earlier run found no slot for an operation. The error can be
// long: it is read for that operation only, not for each before.
func refusalOf(a *effect.Ahead, operation uint64) (r refusal, ok bool) {
	choice := chosenNext(a, choseFull)
	if choice == nil || !bytes.HasPrefix(choice, fmt.Appendf(nil, `{"operation":%d,`, operation)) {
		return r, false
	}
	ok = json.Unmarshal(choice, &r) == nil && r.Operation == operation
	return r, ok
}

// operationPath returns the common beginning of the paths of an operation's elements.
func (m *Evaluation) operationPath(op *operation) []byte {
	return strconv.AppendUint(append(m.path(), '.'), op.number, 10)
}

// decide records a decision that depended on timing, or checks that it equals that of the earlier
// run. The beginning of the effect has the decision, so that a run that is interrupted before the end
// of the effect is resumed with it.
func (m *Evaluation) decide(name string, decision any) {
	m.note(effect.Effect{Kind: effect.KindChoice, Name: name, Args: m.encode(decision)})
}

// stopBy ends a scope, or the run, whose bound was hit.
func (m *Evaluation) stopBy(s limits.Stop) (goOn bool, err *diag.Error) {
	if h := m.Halting(); h != nil && s.Late {
		s = h.Stop
	}
	switch s.At.At {
	case limits.AtAssist:
		s.At.Nth = int64(m.assists)
	case limits.AtCall:
		s.At.Nth = m.Looks()
	case limits.AtEffect:
		s.At.Nth = int64(m.effect)
	}
	at := m.scopeOfStop(&s)
	if at >= len(m.scopes) {
		return false, m.Place(&diag.Error{Code: diag.Diverged, Message: fmt.Sprintf(
			"the recording has a with-limits that ends here, number %d of the evaluation, which has %d",
			at+1, len(m.scopes))})
	}
	if err = m.boundHit(s); at < 0 {
		return false, err
	}
	return m.endScope(at, err, &s)
}

// stop returns the bound that has ended the evaluation, or the zero Stop.
func (m *Evaluation) stop() limits.Stop {
	if m.stopped == nil {
		return limits.Stop{}
	}
	return *m.stopped
}

// Ending returns, for a journal, how a bound that may depend on timing has ended the run. It returns
// nil if none has.
func (m *Evaluation) Ending() []byte {
	name, ok := boundNames[m.stop().Bound]
	if !ok {
		return nil
	}
	text, err := json.Marshal(ending{-1, name, m.stopped.Limit, m.stopped.At, m.effect})
	if err != nil { // there is no such ending
		return nil
	}
	return text
}
