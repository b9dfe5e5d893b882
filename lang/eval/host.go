// This file defines the rest of what the machine does for builtins.

package eval

import (
	"strings"
	"time"
	"unsafe"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// Random implements value.Host: PCG, so that a seed gives the same numbers everywhere.
func (m *Machine) Random() uint64 {
	if !m.seeded {
		m.random.Seed(m.seed, 0x9e3779b97f4a7c15)
		m.seeded = true
	}
	return m.random.Uint64()
}

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
	if tools := m.compiled.Tools; tools.Named(builtins.ClockTool) == nil {
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
	if !m.opts.Journalled {
		return read()
	}
	t, err := m.opts.Effects.Time(m.effectID(), read)
	m.endIf(err)
	return t
}

// endIf ends the run by an error of what is outside of it, if there is one.
func (m *Machine) endIf(err *diag.Error) {
	if err != nil {
		panic(stop{err})
	}
}

// capture gathers what with-out-str prints. Its block grows by doubling, charged.
type capture struct{ text []byte }

func (c *capture) bytes() int64 { return limits.BytesSize(cap(c.text)) }

// Print implements value.Host. Output beyond the limit is dropped; the notice at
// the end of the run says how much.
func (m *Machine) Print(text string) {
	if n := len(m.outs); n > 0 {
		m.gather(&m.outs[n-1], text)
		return
	}
	limit := m.limits.OutputBytes
	if m.op != nil { // a worker: its parent prints it, in the order of the elements
		if room := limit - len(m.text.text); len(text) > room && !m.op.captured {
			kept := strings.ToValidUTF8(text[:max(room, 0)], "")
			m.printed += len(text) - len(kept)
			text = kept
		}
		m.gather(&m.text, text)
		return
	}
	if m.opts.Journalled {
		m.endIf(m.opts.Effects.Print(m.effectID(), text))
	}
	m.output(text)
}

// output passes on what the main evaluation has printed, up to the limit.
func (m *Machine) output(text string) {
	room := m.limits.OutputBytes - m.printed
	m.printed += len(text)
	if m.opts.Output == nil || room <= 0 {
		return
	}
	if len(text) > room {
		text = strings.ToValidUTF8(text[:room], "")
	}
	m.opts.Output(text)
}

// Printed gives the bytes the program printed, and the most that were passed on.
func (m *Machine) Printed() (n, limit int) { return m.printed, m.limits.OutputBytes }

func (m *Machine) gather(out *capture, text string) {
	if need := len(out.text) + len(text); need > cap(out.text) {
		n := max(64, need, 2*cap(out.text))
		m.Charge(limits.BytesSize(n))
		grown := value.Bytes(n)[:len(out.text)]
		m.CopyBytes(grown, unsafe.String(unsafe.SliceData(out.text), len(out.text)))
		m.Credit(out.bytes())
		out.text = grown
	}
	n := len(out.text)
	m.CopyBytes(out.text[n:cap(out.text)], text)
	out.text = out.text[:n+len(text)]
}

// PushOut implements value.Host: what is printed from here on is gathered.
func (m *Machine) PushOut() {
	if n := cap(m.outs); len(m.outs) == n {
		m.Charge(limits.ObjectSize(max(4, 2*n) * captureSize))
		grown := make([]capture, n, max(4, 2*n))
		copy(grown, m.outs)
		m.Credit(limits.ObjectSize(n * captureSize))
		m.outs = grown
	}
	m.outs = append(m.outs, capture{})
}

// PopOut implements value.Host: it gives what was gathered since PushOut.
func (m *Machine) PopOut() value.Value {
	last := len(m.outs) - 1
	if last < 0 {
		return value.Nil
	}
	text := m.CopyString(unsafe.String(unsafe.SliceData(m.outs[last].text), len(m.outs[last].text)))
	m.outs[last] = capture{}
	m.outs = m.outs[:last]
	return text
}
