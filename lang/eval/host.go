// This file defines the rest of what the machine does for builtins.

package eval

import (
	"strconv"
	"time"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/eval/internal/machine"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// wantTime refuses what depends on time while a program is compiled: what a macro made of
// it would be part of the program, and another one each time that it is compiled.
func (m *Machine) wantTime() {
	if m.opts.Effects == nil {
		m.FailHint(diag.NotSupported, "have the macro give code that asks for it", "there is no time while a program is compiled")
	}
}

// Now implements value.Host. A program whose text calls it does not compile without the
// grant; one that finds the builtin by a var gets this error.
func (m *Machine) Now() int64 {
	m.wantTime()
	if tools := m.Compiled().Tools; tools.Named(builtins.ClockTool) == nil {
		m.FailHint(diag.NotGranted, tools.HowToGrant(builtins.ClockTool), builtins.ClockNotGranted)
	}
	return m.clock(func() int64 { return time.Now().UnixNano() })
}

// Elapsed implements value.Host.
func (m *Machine) Elapsed() int64 {
	m.wantTime()
	return m.clock(func() int64 { return int64(time.Since(m.opts.Effects.Began())) })
}

// clock reads a clock; with a journal the reading is an effect.
func (m *Machine) clock(read func() int64) int64 {
	if m.opts.Journal == nil {
		return read()
	}
	id := m.effectID()
	r, do := m.beginEffect(effect.Effect{ID: id, Kind: effect.KindTime, Class: effect.ReadOnly})
	if !do {
		t, err := strconv.ParseInt(string(r.Result), 10, 64)
		machine.EndIf(effect.RunError(err))
		return t
	}
	t := read()
	m.endEffect(id, effect.Record{Result: strconv.AppendInt(nil, t, 10)})
	return t
}

// Print implements value.Host. Output beyond the limit is dropped; the notice at
// the end of the run says how much.
func (m *Machine) Print(text string) {
	if m.Captured(text) {
		return
	}
	if m.op != nil {
		m.add(text, nil, 0)
		return
	}
	if m.opts.Journal != nil {
		m.note(effect.Effect{Kind: effect.KindPrint, Args: quoted(text)})
	}
	m.handOver([]piece{{text: text}})
}

// Printed returns the bytes the program printed, and the most that were passed on.
func (m *Machine) Printed() (n, limit int) { return m.printed, m.Limits().OutputBytes }
