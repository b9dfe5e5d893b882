// This file defines with-limits: scopes in which the bounds of an evaluation are narrower. If such
// a bound is hit, the scope ends with an exception. Code inside the scope cannot catch it, because
// all of it is unwound first.

package eval

import (
	"math"
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/eval/internal/machine"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// scope is the extent of one with-limits.
type scope struct {
	extent   machine.Extent // of the code that began it
	holds    int            // guards held around the scope
	base     int64          // bytes that the evaluation held
	now, was limits.Bounds  // in the scope, and around it
	outer    allowance      // of the code around the scope
	calls    *limits.Calls  // in the scope, if they are narrowed
	slots    func()         // restores the slots; nil if they are not narrowed
	reserve  int64          // bytes charged for the exception that may end the scope
	// outstanding has the futures that were outstanding when the scope began. Later ones end with the scope.
	outstanding value.Value
}

// scopeMessage is the length in bytes that the message of an exception which ends a scope may have. The longest
// of a bound has about half of it.
const scopeMessage = 512

// scopeReserve is charged when a scope begins, for the exception that may end it. A bound can be hit where nothing
// can be freed any more: a mark takes steps and time, too.
var scopeReserve = value.ExceptionSize(scopeMessage)

// narrowing asks the machine to begin a scope, for a builtin.
type narrowing struct{ spec value.Narrowed }

// Narrow implements value.Host.
func (m *Evaluation) Narrow(spec value.Narrowed) {
	if m.Consented() {
		return
	}
	if spec.Timeout > 0 {
		m.wantTime()
	}
	panic(narrowing{spec})
}

// beginScope narrows the bounds. It marks first, unless that was done recently: garbage must not widen
// the memory bound of the scope.
func (m *Evaluation) beginScope(spec value.Narrowed) {
	m.RememberConsent()
	if len(m.scopes) == cap(m.scopes) {
		n := max(4, 2*cap(m.scopes))
		m.Charge(limits.ObjectSize(n * scopeSize))
		m.scopes = append(make([]scope, 0, n), m.scopes...)
	}
	if spec.Bytes > 0 && m.Garbage() > spec.Bytes/8 {
		m.Mark()
	}
	m.Charge(scopeReserve)
	s := scope{reserve: scopeReserve, extent: m.Here(), holds: len(m.holds), base: m.Used(),
		outer: m.allowance, outstanding: m.outstanding}
	s.was = m.Task.Narrow(spec.Bytes, spec.Timeout, spec.Steps)
	s.now = m.Bounds()
	if spec.Bytes > 0 {
		m.workerMemory = max(min(m.workerMemory, spec.Bytes), limits.MinMemory)
	}
	if spec.Calls > 0 && spec.Calls < m.calls.Left() { // see Task.Narrow
		m.calls = limits.NewCalls(spec.Calls, m.calls)
		s.calls = m.calls
	}
	if spec.Workers > 0 && m.opts.Scheduler != nil {
		s.slots = m.opts.Scheduler.Narrow(spec.Workers)
		m.levels = min(m.levels, int32(min(spec.Workers, math.MaxInt32)))
	}
	m.scopes = append(m.scopes, s)
	m.Consent()
}

// Widen implements value.Host: it ends the innermost scope.
func (m *Evaluation) Widen() {
	last := len(m.scopes) - 1
	m.widen(&m.scopes[last])
	m.scopes[last] = scope{}
	m.scopes = m.scopes[:last]
}

func (m *Evaluation) widen(s *scope) {
	m.outstanding = s.outstanding
	m.Task.Widen(s.was)
	m.Credit(s.reserve)
	m.allowance = s.outer
	if s.slots != nil {
		s.slots()
	}
}

// dropScopes ends all scopes, when the run is over.
func (m *Evaluation) dropScopes() {
	for len(m.scopes) > 0 {
		m.Widen()
	}
}

// scopeOfStop returns the index of the outermost scope whose bound was hit, -1 if it was
// the run's. The limit is that scope's.
func (m *Evaluation) scopeOfStop(s *limits.Stop) int {
	if s.Decided {
		return s.Scope
	}
	if m.Decided() && !s.Late {
		return -1
	}
	for i := range m.scopes {
		sc := &m.scopes[i]
		switch s.Bound {
		case limits.BoundSteps:
			if s.Empty != nil && s.Empty == sc.now.Steps && s.Empty != sc.was.Steps {
				return i
			}
		case limits.BoundCalls:
			if s.Spent == sc.calls {
				return i
			}
		case limits.BoundTime:
			if s.Late { // that scope has the deadline, which then is the nearest
				if sc.now.Until.Equal(m.Bounds().Until) && sc.now.Until.Before(sc.was.Until) {
					s.Limit = int64(sc.now.Timeout)
					return i
				}
				continue
			}
			if sc.now.Until.Before(sc.was.Until) && m.Late(sc.now.Until) {
				s.Limit = int64(sc.now.Timeout)
				return i
			}
		}
	}
	return -1
}

// scopeOfMemory returns the index of the outermost scope with the cap in force, -1 if that is the
// evaluation's own.
func (m *Evaluation) scopeOfMemory() int {
	for i := range m.scopes {
		if sc := &m.scopes[i]; sc.now.Memory == m.Cap() && sc.now.Memory < sc.was.Memory {
			return i
		}
	}
	return -1
}

// endScope ends the scope at an index by the error of its bound. The error becomes an exception, thrown
// where the scope began, and the code there widens the bounds. No handler inside of the scope runs, so
// endScope undoes what the handlers would have undone. stop is the bound, if it may depend on timing:
// the journal keeps it.
func (m *Evaluation) endScope(at int, err *diag.Error, stop *limits.Stop) (bool, *diag.Error) {
	if stop != nil && m.opts.Journal != nil {
		m.decide(choseStop, ending{at, boundNames[stop.Bound], stop.Limit, stop.At, 0})
	}
	e := m.scopeException(&m.scopes[at], err)
	for len(m.scopes) > at+1 {
		m.Widen()
	}
	s := &m.scopes[at]
	m.stopped = nil
	m.SetCap(s.was.Memory)
	m.UnwindTo(s.extent, e)
	m.leaveAll(s.holds)
	return m.Raise(e)
}

// scopeException makes the exception that ends a scope, in the room reserved for it, so that no bound refuses it.
func (m *Evaluation) scopeException(s *scope, err *diag.Error) *value.Exception {
	defer m.SetCap(m.Cap())
	m.SetCap(max(m.Cap(), m.Used()))
	m.SetUsed(m.Used() - s.reserve)
	s.reserve = 0
	message := "with-limits: " + strings.Replace(err.Message, "the run ", "the body ", 1)
	e := m.NewException(err.Code, strings.ToValidUTF8(message[:min(len(message), scopeMessage)], ""))
	e.Span, e.Hint = err.Span, "give the body more, or catch this and continue with less"
	return e
}

// LimitsLeft implements value.Host.
func (m *Evaluation) LimitsLeft() value.Narrowed {
	m.wantTime()
	n := value.Narrowed{Bytes: max(m.Cap()-m.Used(), 0), Timeout: m.Left(), Steps: max(m.StepsLeft(), 0),
		Calls: m.calls.Left()}
	if m.opts.Scheduler != nil {
		n.Workers = m.opts.Scheduler.Free()
	}
	if m.opts.Journal == nil {
		return n
	}
	id := m.effectID()
	r, do := m.beginEffect(effect.Effect{ID: id, Kind: effect.KindTime, Class: effect.ReadOnly, Name: "limits"})
	if do {
		m.endEffect(id, effect.Record{Result: m.encode(n)})
	} else {
		m.recorded(r, &n)
	}
	return n
}
