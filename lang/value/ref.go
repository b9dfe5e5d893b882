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

// Ref returns a new ref with the bounds of its history that JVM Clojure uses.
func (t *Task) Ref(v Value) Value {
	t.Charge(sizeRef)
	r := &Ref{Atom: Atom{Header: t.header(KindRef), Val: v}, MaxHistory: 10}
	return Value{h: &r.Header}
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
	if r.Log != nil && r.Log == t.Transaction().h {
		return r.Next
	}
	return r.Val
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
