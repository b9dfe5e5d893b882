// This file defines refs, the cells that transactions change.

package value

// Ref is an atom that transactions change. What a transaction makes of it becomes its
// value at the end, so a transaction that ends in any other way leaves no trace.
type Ref struct {
	Atom
	Log   *Header // the transaction that has written it; nil once that has committed
	Next  Value   // its value in there
	Calls Value   // the calls of commute in there: a vector of [f args]; nil for none
	Set   bool    // whether it has been set in there, not only commuted

	MinHistory, MaxHistory, History int64
}

// TransactionVar is the dynamic var whose binding is the running transaction: an atom
// that holds a vector of the refs it has written. Whatever ends the body takes the
// binding away, and with it all that was written.
const TransactionVar = "%transaction"

// Ref makes a ref, with the bounds of its history that JVM Clojure gives it.
func (t *Task) Ref(v Value) Value {
	t.Charge(sizeRef)
	r := &Ref{Atom: Atom{Header: t.header(KindRef), Val: v}, MaxHistory: 10}
	return Value{h: &r.Header}
}

// Transaction gives the running transaction of this evaluation, nil if there is none.
// A worker does not take part in that of its parent.
func (t *Task) Transaction() Value {
	log, _ := t.Host.Binding(TransactionVar)
	if log.h == nil || log.h.owner != t.Owner {
		return Nil
	}
	return log
}

// RefValue gives the value of a ref, in the running transaction if that has written it.
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

// AsRef sees a ref.
func (v Value) AsRef() *Ref {
	if v.Kind() != KindRef {
		badKind()
	}
	return as[Ref](v)
}
