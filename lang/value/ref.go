// This file defines refs, the cells that transactions change.

package value

// Ref is an atom that transactions change. The value that a transaction computes becomes its value
// when the transaction commits, so a transaction that ends in any other way leaves no trace.
type Ref struct {
	Atom
	Log   *Header // the transaction that has written it; nil once that has committed
	Next  Value   // its value in that transaction
	Calls Value   // the calls of commute in that transaction: a vector of [f args], or nil
	Set   bool    // whether the transaction has set it, not only commuted

	MinHistory, MaxHistory, History int64
}

// TransactionVar is the dynamic var whose binding is the running transaction: an atom that holds a
// vector of the refs it has written. When the body ends, in any way, the binding is removed, and
// with it everything that was written.
const TransactionVar = "%transaction"

// FrameVar is the dynamic var whose binding ends those of push-thread-bindings. Its value is their number.
const FrameVar = "%frame"

// Ref returns a new ref with the bounds of its history that JVM Clojure uses.
func (t *Task) Ref(v Value) Value {
	t.Charge(sizeRef)
	r := &Ref{Atom: Atom{Header: t.header(KindRef), Val: v}, MaxHistory: 10}
	return t.newIdentity(&r.Header)
}

// Transaction returns the running transaction of this evaluation, or nil. A worker does not take
// part in the transaction of its parent.
func (t *Task) Transaction() Value {
	log, _ := t.Host.Binding(TransactionVar)
	if log.h == nil || log.h.owner != t.Owner {
		return Nil
	}
	return log
}

// RefValue returns the value of a ref. If the running transaction has written the ref, it returns
// the value in the transaction.
func (t *Task) RefValue(v Value) Value {
	r := v.AsRef()
	switch log := t.Transaction(); {
	case r.owner != t.Owner:
		if s := t.shadow(log, v); s != nil {
			return s.Next
		}
		return t.Host.Futures().Seen(v)
	case r.Log != nil && r.Log == log.h:
		return r.Next
	}
	return r.Val
}

// ReadRef returns the value of a ref for the program. A transaction in a future reads the values that the
// earlier futures have left, so that all its reads and writes are consistent.
func (t *Task) ReadRef(v Value) Value {
	if log := t.Transaction(); v.h.owner != t.Owner && !log.IsNil() && t.shadow(log, v) == nil {
		t.Host.Futures().Ordered(v)
	}
	return t.RefValue(v)
}

// shadow returns the local ref that replaces a ref of another evaluation in a transaction of a future; nil
// if the transaction has not written it. The shadows are the watches of the log, which has none: a map from
// ref to shadow.
func (t *Task) shadow(log, v Value) *Ref {
	if log.IsNil() || log.AsAtom().Watches.IsNil() {
		return nil
	}
	s, ok := t.MapGet(log.AsAtom().Watches, v)
	if !ok {
		return nil
	}
	return s.AsRef()
}

// Shadow returns the local ref that replaces a ref of another evaluation in the running transaction of a
// future. The first call waits for the futures before this one. It throws if this evaluation is not a
// future of the evaluation that owns the ref.
func (t *Task) Shadow(log, v Value) *Ref {
	if s := t.shadow(log, v); s != nil {
		return s
	}
	fs := t.Host.Futures()
	fs.Order(v)
	shadows := log.AsAtom().Watches
	if shadows.IsNil() {
		shadows = EmptyMap
	}
	s := t.Ref(fs.Seen(v))
	s.AsRef().Next = s.AsRef().Val
	log.AsAtom().Watches = t.MapAssoc(shadows, v, s)
	return s.AsRef()
}

func (m *Marker) scanRef(r *Ref) {
	m.live += sizeRef
	m.push(r.Val.h)
	m.push(r.Watches.h)
	m.push(r.Validator.h)
	m.push(r.Meta)
	m.push(r.Log)
	m.push(r.Next.h)
	m.push(r.Calls.h)
}

// AsRef returns v as a ref.
func (v Value) AsRef() *Ref {
	if v.Kind() != KindRef {
		badKind()
	}
	return as[Ref](v)
}
