// This file defines twins: what a worker realises of the lazy sequences and delays of
// the evaluations that wait for it.
//
// A worker may not write into an object of another evaluation: its siblings read it
// at the same time, and what it would store there belongs to its own account. So it
// realises a copy of its own, the twin, and finds that in a table whenever it meets
// the original. The original stays as it is.

package value

import "github.com/ptc-lang/ptc/runtime/limits"

// twins maps objects of other evaluations to those that stand for them.
type twins map[*Header]*Header

// twinSize is what a twin takes in the table: 91 bytes were the most that were
// measured for a map's entry of 16 bytes.
const twinSize = 96

// Twin gives what stands for l in this evaluation: l itself unless that is of another
// one, which waits, and has been realised here.
func (t *Task) Twin(l *Lazy) *Lazy {
	if l.Fn == nil || l.owner == t.Owner || len(t.twins) == 0 {
		return l
	}
	if h, ok := t.twins[&l.Header]; ok {
		return pointer[Lazy](h)
	}
	return l
}

// OwnLazy gives what stands for l and may be realised.
func (t *Task) OwnLazy(l *Lazy) *Lazy {
	l = t.Twin(l)
	if l.Fn == nil || l.owner == t.Owner {
		return l
	}
	t.Charge(sizeLazy + twinSize)
	own := &Lazy{Header: t.header(KindLazy), Fn: l.Fn, Meta: l.Meta}
	t.addTwin(&l.Header, &own.Header)
	return own
}

// TwinDelay and OwnDelay are the same for delays.
func (t *Task) TwinDelay(d *Delay) *Delay {
	if d.Fn == nil || d.owner == t.Owner || len(t.twins) == 0 {
		return d
	}
	if h, ok := t.twins[&d.Header]; ok {
		return pointer[Delay](h)
	}
	return d
}

// OwnDelay gives what stands for d and may be realised.
func (t *Task) OwnDelay(d *Delay) *Delay {
	d = t.TwinDelay(d)
	if d.Fn == nil || d.owner == t.Owner {
		return d
	}
	t.Charge(sizeDelay + twinSize)
	own := &Delay{Header: t.header(KindDelay), Fn: d.Fn}
	t.addTwin(&d.Header, &own.Header)
	return own
}

func (t *Task) addTwin(of, own *Header) {
	if t.twins == nil {
		t.twins = make(twins)
	}
	t.twins[of] = own
}

// DropTwins forgets all twins.
func (t *Task) DropTwins() { t.twins = nil }

// Twins marks the twins and adds what their table takes.
func (m *Marker) Twins() {
	m.live += int64(len(m.t.twins)) * twinSize
	for _, own := range m.t.twins {
		m.push(own)
		m.drain(0)
	}
}

// Transfer gives what is reachable from v and belongs to this evaluation to another
// one, and says how many bytes that is, and whether there are functions among it: their
// code stays alive with them. The other evaluation waits; its account is to be charged.
// The spans that it keeps are appended to pins.
func (t *Task) Transfer(v Value, to uint32, pins []limits.Pin) (bytes int64, fns bool, _ []limits.Pin) {
	if v.h == nil || v.h.owner != t.Owner && v.h.kind != KindFn {
		return 0, false, pins
	}
	m := &Marker{t: t, to: to}
	m.Value(v)
	m.poll()
	return m.live, m.fns, t.Pin(&m.found, pins)
}
