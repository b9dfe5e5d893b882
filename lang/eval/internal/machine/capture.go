// This file defines captures: the text that with-out-str collects.

package machine

import (
	"unsafe"

	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// Capture collects printed text. Its block is charged, and doubles when it is full.
type Capture struct{ Text []byte }

// Bytes returns the bytes that the capture takes.
func (c *Capture) Bytes() int64 { return limits.BytesSize(cap(c.Text)) }

// Gathered returns the block of a capture with text appended. It charges before it changes
// anything, and overwrites nothing.
func (m *Machine) Gathered(all []byte, text string) []byte {
	n := len(all)
	if need := n + len(text); need > cap(all) {
		room := max(64, need, 2*cap(all))
		m.Charge(limits.BytesSize(room))
		grown := value.Bytes(room)[:n]
		m.CopyBytes(grown, unsafe.String(unsafe.SliceData(all), n))
		m.Credit(limits.BytesSize(cap(all)))
		all = grown
	}
	m.CopyBytes(all[n:cap(all)], text)
	return all[:n+len(text)]
}

// Captured adds text to the capture of the innermost PushOut, and reports whether there is one.
func (m *Machine) Captured(text string) bool {
	n := len(m.outs)
	if n > 0 {
		out := &m.outs[n-1]
		out.Text = m.Gathered(out.Text, text)
	}
	return n > 0
}

// Captures reports whether printed text is collected.
func (m *Machine) Captures() bool { return len(m.outs) > 0 }

// PushOut implements value.Host: printed text is collected from now on.
func (m *Machine) PushOut() {
	if n := cap(m.outs); len(m.outs) == n {
		m.Charge(limits.ObjectSize(max(4, 2*n) * captureSize))
		grown := make([]Capture, n, max(4, 2*n))
		copy(grown, m.outs)
		m.Credit(limits.ObjectSize(n * captureSize))
		m.outs = grown
	}
	m.outs = append(m.outs, Capture{})
}

// PopOut implements value.Host: it returns the text collected since PushOut.
func (m *Machine) PopOut() value.Value {
	last := len(m.outs) - 1
	if last < 0 {
		return value.Nil
	}
	text := m.CopyString(unsafe.String(unsafe.SliceData(m.outs[last].Text), len(m.outs[last].Text)))
	m.outs[last] = Capture{}
	m.outs = m.outs[:last]
	return text
}
