// This file defines twins: a worker's local copies of the lazy sequences and delays of the
// evaluations that wait for it.
//
// A worker must not write to an object of another evaluation, because its siblings read the object
// at the same time, and the stored value belongs to the worker's account. So the worker realises a
// local copy, the twin, and looks it up in a table whenever it meets the original. The original
// stays unchanged.

package value

import "github.com/ptc-lang/ptc/runtime/limits"

// twins maps objects of other evaluations to their local copies.
type twins map[*Header]*Header

// twinSize is the memory of a twin in the table. The largest measured size was 91 bytes for a map
// entry of 16 bytes.
const twinSize = 96

// Twin returns the local copy of l if there is one, else l. Only an object of another evaluation,
// which waits, has a local copy, and only if it has been realised here.
func (t *Task) Twin(l *Lazy) *Lazy {
	if l.Fn == nil || l.owner == t.Owner || len(t.twins) == 0 {
		return l
	}
	if h, ok := t.twins[&l.Header]; ok {
		return pointer[Lazy](h)
	}
	return l
}

// OwnLazy returns l if this evaluation may realise it, else its local copy.
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

// TwinDelay is Twin for delays.
func (t *Task) TwinDelay(d *Delay) *Delay {
	if d.Fn == nil || d.owner == t.Owner || len(t.twins) == 0 {
		return d
	}
	if h, ok := t.twins[&d.Header]; ok {
		return pointer[Delay](h)
	}
	return d
}

// OwnDelay returns d if this evaluation may compute it, else its local copy.
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

// DropTwins removes all local copies.
func (t *Task) DropTwins() { t.twins = nil }

// Twins marks the local copies and adds the size of their table.
func (m *Marker) Twins() {
	m.live += int64(len(m.t.twins)) * twinSize
	for _, own := range m.t.twins {
		m.push(own)
		m.drain(0)
	}
}

// Transfer transfers the objects that are reachable from v and belong to this evaluation to another
// evaluation. It returns their bytes, and whether there are functions among them, because their
// code stays alive with them. The other evaluation must be waiting, and its account must be
// charged. Transfer appends the spans that stay alive to pins.
func (t *Task) Transfer(v Value, to uint32, pins []limits.Pin) (bytes int64, fns bool, _ []limits.Pin) {
	if v.h == nil || v.h.owner != t.Owner && v.h.kind != KindFn {
		return 0, false, pins
	}
	m := &Marker{t: t, to: to}
	m.Value(v)
	m.poll()
	return m.live, m.fns, t.Pin(&m.found, pins)
}
