// This file defines how an evaluation writes its own effects into the journal: its readings,
// prints, waits for and decides.

package eval

import (
	"encoding/json"
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/eval/internal/machine"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// beginEffect begins an effect. do is false if an earlier run has had it: r is its record. An error
// of the journal ends the run.
func (m *Evaluation) beginEffect(e effect.Effect) (r effect.Record, do bool) {
	e.Worker = m.worker()
	r, do, err := m.opts.Journal.Begin(m.Context(), e)
	machine.EndIf(effect.RunError(err))
	return r, do
}

// endEffect ends an effect.
func (m *Evaluation) endEffect(id string, r effect.Record) {
	machine.EndIf(effect.RunError(m.opts.Journal.End(id, r)))
}

// note writes the next effect, which is over when it begins and changes nothing.
func (m *Evaluation) note(e effect.Effect) {
	e.ID, e.Class = m.effectID(), effect.ReadOnly
	if _, do := m.beginEffect(e); do {
		m.endEffect(e.ID, effect.Record{})
	}
}

// encode returns a value of Go as the journal keeps it.
func (m *Evaluation) encode(v any) json.RawMessage {
	text, err := json.Marshal(v)
	machine.EndIf(effect.RunError(err))
	return text
}

// recorded reads the result of a record.
func (m *Evaluation) recorded(r effect.Record, v any) {
	machine.EndIf(effect.RunError(json.Unmarshal(r.Result, v)))
}

// quoted returns a string as JSON.
func quoted(s string) json.RawMessage {
	if !strings.ContainsFunc(s, escaped) {
		return json.RawMessage(`"` + s + `"`)
	}
	text, err := json.Marshal(s)
	if err != nil { // there is no such string
		return nil
	}
	return text
}

// escaped reports whether JSON may write a character of a string in another way.
func escaped(c rune) bool { return c < ' ' || c > '~' || strings.ContainsRune(`"\<>&`, c) }

// endBeyond ends the run by an error, unless it has ended already.
func (m *Evaluation) endBeyond(err *diag.Error) {
	m.LookBeyond() // the run's own end comes first
	machine.EndIf(err)
}
