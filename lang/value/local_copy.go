// This file defines a worker's local copies of the lazy sequences and delays of the
// evaluations that wait for it.
//
// A worker must not write to an object of another evaluation, because its siblings read the object
// at the same time, and the stored value belongs to the worker's account. So the worker realises a
// local copy, and looks it up in a table whenever it meets the original, which stays unchanged.

package value

import "github.com/ptc-lang/ptc/runtime/limits"

// localCopies maps objects of other evaluations to their local copies.
type localCopies map[*Header]*Header

// localCopySize is the memory of a local copy in the table. The largest measured size was 91 bytes
// for a map entry of 16 bytes.
const localCopySize = 96

// LocalCopy returns the local copy of l if there is one, else l. Only an object of another evaluation,
// which waits, has a local copy, and only if it has been realised here.
func (t *Task) LocalCopy(l *Lazy) *Lazy {
	if l.Fn == nil || l.owner == t.Owner || len(t.localCopies) == 0 {
		return l
	}
	if h, ok := t.localCopies[&l.Header]; ok {
		return pointer[Lazy](h)
	}
	return l
}

// OwnLazy returns l if this evaluation may realise it, else its local copy.
func (t *Task) OwnLazy(l *Lazy) *Lazy {
	l = t.LocalCopy(l)
	if l.Fn == nil || l.owner == t.Owner {
		return l
	}
	t.Charge(sizeLazy + localCopySize)
	own := &Lazy{Header: t.header(KindLazy), Fn: l.Fn, Meta: l.Meta}
	t.addLocalCopy(&l.Header, &own.Header)
	return own
}

// LocalDelay is LocalCopy for delays.
func (t *Task) LocalDelay(d *Delay) *Delay {
	if d.Fn == nil || d.owner == t.Owner || len(t.localCopies) == 0 {
		return d
	}
	if h, ok := t.localCopies[&d.Header]; ok {
		return pointer[Delay](h)
	}
	return d
}

// OwnDelay returns d if this evaluation may compute it, else its local copy.
func (t *Task) OwnDelay(d *Delay) *Delay {
	d = t.LocalDelay(d)
	if d.Fn == nil || d.owner == t.Owner {
		return d
	}
	t.Charge(sizeDelay + localCopySize)
	own := &Delay{Header: t.header(KindDelay), Fn: d.Fn}
	t.addLocalCopy(&d.Header, &own.Header)
	return own
}

func (t *Task) addLocalCopy(of, own *Header) {
	if t.localCopies == nil {
		t.localCopies = make(localCopies)
	}
	t.localCopies[of] = own
}

// DropLocalCopies removes all local copies.
func (t *Task) DropLocalCopies() { t.localCopies = nil }

// LocalCopies marks the local copies and adds the size of their table.
func (m *Marker) LocalCopies() {
	m.live += int64(len(m.t.localCopies)) * localCopySize
	for _, own := range m.t.localCopies {
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
