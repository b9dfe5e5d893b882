// This file defines clocks and prints, which builtins ask of the machine.

package eval

import (
	"io/fs"
	"strconv"
	"time"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/eval/internal/machine"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// wantTime refuses clocks while a program is compiled: a macro could put the time into the program,
// which would then differ in each compilation.
func (m *Evaluation) wantTime() {
	if m.opts.World == nil {
		m.FailHint(diag.NotSupported, "let the macro return code that asks for it",
			"there is no time while a program is compiled")
	}
}

// Now implements value.Host. A program whose text calls it does not compile without the
// grant; one that finds the builtin by a var gets this error.
func (m *Evaluation) Now() int64 {
	m.wantTime()
	if tools := m.Compiled().Tools; tools.Named(builtins.ClockTool) == nil {
		m.FailHint(diag.NotGranted, tools.HowToGrant(builtins.ClockTool), builtins.ClockNotGranted)
	}
	return m.clock(func() int64 { return time.Now().UnixNano() })
}

// Elapsed implements value.Host.
func (m *Evaluation) Elapsed() int64 {
	m.wantTime()
	return m.clock(func() int64 { return int64(time.Since(m.opts.World.Began)) })
}

// clock reads a clock; with a journal the reading is an effect.
func (m *Evaluation) clock(read func() int64) int64 {
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

// Input implements value.Host.
func (m *Evaluation) Input() string {
	if m.opts.Input == nil {
		return ""
	}
	return *m.opts.Input
}

// ResourceDirs implements value.Host.
func (m *Evaluation) ResourceDirs() []string {
	if r := m.Compiled().Resources; r != nil {
		return r.Dirs
	}
	return nil
}

// ReadResource implements value.Host. Only the macros of a program that is being compiled can read; macros
// that eval runs can't, because the run would depend on something that is not one of its effects.
func (m *Evaluation) ReadResource(name string) (text string, err error) {
	if r := m.Compiled().Resources; r != nil && r.Read != nil && m.opts.World == nil && m.opts.Nested == 0 {
		return r.Read(name)
	}
	return "", fs.ErrNotExist
}

// ToolNamed implements value.Host.
func (m *Evaluation) ToolNamed(name string) (tool effect.Tool, how string) {
	tools := m.Compiled().Tools
	if tool = tools.Named(name); tool != nil {
		return tool, ""
	}
	return nil, tools.HowToGrant(name)
}

// Print implements value.Host. Output beyond the limit is dropped; the notice at
// the end of the run has the size.
func (m *Evaluation) Print(text string) {
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
func (m *Evaluation) Printed() (n, limit int) { return m.printed, m.Limits().OutputBytes }
