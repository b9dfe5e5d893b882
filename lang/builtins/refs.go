// This file defines the natives of refs and transactions. The functions that call functions of the program
// are in the prelude.

package builtins

import (
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

var refs = []entry.Entry{
	{NS: "clojure.core", Name: "%new-ref", Args: "x", Private: true, Cost: entry.Constant, Fn: newRef,
		Doc: "A ref."},
	{NS: "clojure.core", Name: "%running", Args: "", Private: true, Cost: entry.Constant, Fn: running,
		Doc: "Returns the running transaction, nil if there is none."},
	{NS: "clojure.core", Name: "%no-transaction", Args: "message", Private: true, Cost: entry.Constant, Fn: noTransaction,
		Doc: "Throws with a message if a transaction runs."},
	{NS: "clojure.core", Name: "%written", Args: "", Private: true, Cost: entry.Constant, Fn: written,
		Doc: "Returns a vector of the refs that the transaction has written."},
	{NS: "clojure.core", Name: "%commuting", Args: "ref:ref f args", Private: true, Cost: entry.Constant, Fn: commuting,
		Doc: "Records a call of commute and returns the value of the ref."},
	{NS: "clojure.core", Name: "%commuted", Args: "ref:ref", Private: true, Cost: entry.Constant, Fn: commuted,
		Doc: "Undoes the calls of commute on a ref and returns them, for the commit; nil if the ref was set."},
	{NS: "clojure.core", Name: "%ref-value", Args: "ref:ref", Private: true, Cost: entry.Constant, Fn: ensure,
		Doc: "Returns the value of a ref in the transaction."},
	{NS: "clojure.core", Name: "%put-ref", Args: "ref:ref x", Private: true, Cost: entry.Constant, Fn: putRef,
		Doc: "Writes a ref. Returns x."},
	{NS: "clojure.core", Name: "%commit", Args: "x", Private: true, Cost: entry.PerElement, Fn: commit,
		Doc: "Commits the written refs. Returns x and a vector of [ref old new] for the refs that have watches."},
	{NS: "clojure.core", Name: "ref-set", Args: "ref:ref x", Cost: entry.Constant, Purity: entry.Changes, Fn: refSet,
		Doc: "Sets a ref to x, in a transaction. Returns x.",
		Examples: []string{"(let [r (ref 1)] (dosync (ref-set r 2)) @r) => 2", "(ref-set (ref 1) 2) !illegal-state",
			"(dosync (ref-set (atom 1) 2)) !wrong-type"}},
	{NS: "clojure.core", Name: "ensure", Args: "ref:ref", Cost: entry.Constant, Fn: ensure,
		Doc: "Returns the value of a ref, in a transaction, and protects the ref from other changes until the " +
			"transaction ends.",
		Examples: []string{"(let [r (ref 1)] (dosync (alter r inc) (ensure r))) => 2", "(ensure (ref 1)) !illegal-state"}},
	{NS: "clojure.core", Name: "ref-history-count", Args: "ref:ref", Cost: entry.Constant, Fn: refHistoryCount,
		Doc: "Returns the length of a ref's history: one for each transaction that changed it, up to its min-history.",
		Examples: []string{"(let [r (ref 1 :min-history 2)] (dosync (alter r inc)) (ref-history-count r)) => 1",
			"(ref-history-count 1) !wrong-type"}},
	{NS: "clojure.core", Name: "ref-min-history", Args: "ref:ref | ref:ref n:int", Cost: entry.Constant, Fn: refMinHistory,
		Doc:      "Returns the min-history of a ref, or sets it and returns the ref.",
		Examples: []string{"(ref-min-history (ref 1)) => 0", "(ref-min-history (ref-min-history (ref 1) 3)) => 3"}},
	{NS: "clojure.core", Name: "ref-max-history", Args: "ref:ref | ref:ref n:int", Cost: entry.Constant, Fn: refMaxHistory,
		Doc:      "Returns the max-history of a ref, or sets it and returns the ref.",
		Examples: []string{"(ref-max-history (ref 1)) => 10", "(ref-max-history (ref-max-history (ref 1) 3)) => 3"}},
}

func newRef(t *value.Task, args []value.Value) value.Value { return t.Ref(args[0]) }

func running(t *value.Task, _ []value.Value) value.Value { return t.Transaction() }

func noTransaction(t *value.Task, args []value.Value) value.Value {
	if !t.Transaction().IsNil() {
		t.FailHint(diag.IllegalState, "do it after the dosync, with the value that dosync returns", "%s", t.Text(args[0]))
	}
	return value.Nil
}

// transaction returns the running transaction, which must be there.
func transaction(t *value.Task) value.Value {
	log := t.Transaction()
	if log.IsNil() {
		t.FailHint(diag.IllegalState, "refs are changed inside of dosync: (dosync (alter r f))", "No transaction running")
	}
	return log
}

func written(t *value.Task, _ []value.Value) value.Value { return transaction(t).AsAtom().Val }

// inTransaction returns the ref that a transaction writes for v: v itself, or its shadow in a future.
func inTransaction(t *value.Task, log, v value.Value) *value.Ref {
	if v.Header().Owner() != t.Owner {
		return t.Shadow(log, v)
	}
	return v.AsRef()
}

// enlist adds a ref to the transaction, which may then write it. Everything that can be refused
// comes before the ref changes, so that the builtin can run again.
func enlist(t *value.Task, v value.Value) *value.Ref {
	tx := transaction(t)
	log, r := tx.AsAtom(), inTransaction(t, tx, v)
	if r.Log != &log.Header {
		log.Val = t.Conj(log.Val, v)
		r.Log, r.Next, r.Calls, r.Set = &log.Header, r.Val, value.Nil, false
	}
	return r
}

func putRef(t *value.Task, args []value.Value) value.Value {
	enlist(t, args[0]).Next = args[1]
	return args[1]
}

func refSet(t *value.Task, args []value.Value) value.Value {
	r := enlist(t, args[0])
	if !r.Calls.IsNil() {
		t.FailHint(diag.IllegalState, "alter it in both places", "Can't set after commute")
	}
	r.Next, r.Set = args[1], true
	return args[1]
}

func ensure(t *value.Task, args []value.Value) value.Value {
	inTransaction(t, transaction(t), args[0])
	return t.RefValue(args[0])
}

func commuting(t *value.Task, args []value.Value) value.Value {
	r := enlist(t, args[0])
	calls := r.Calls
	if calls.IsNil() {
		calls = value.EmptyVector
	}
	r.Calls = t.Conj(calls, t.Vector(args[1], args[2]))
	return r.Next
}

func commuted(t *value.Task, args []value.Value) value.Value {
	r := inTransaction(t, transaction(t), args[0])
	if r.Set {
		return value.Nil
	}
	r.Next = r.Val
	return r.Calls
}

// commit stores the written values in the refs. Everything that can be refused comes before the
// first store.
func commit(t *value.Task, args []value.Value) value.Value {
	tx := transaction(t)
	log := tx.AsAtom()
	n := value.VecCount(log.Val)
	changes := value.EmptyVector
	t.Work(2 * int64(n))
	for i := range n {
		v := value.VecAt(log.Val, i)
		if r := inTransaction(t, tx, v); !v.AsRef().Watches.IsNil() {
			changes = t.Conj(changes, t.Vector(v, r.Val, r.Next))
		}
	}
	out := t.Vector(args[0], changes)
	for i := range n { // the same again if it runs again
		if v := value.VecAt(log.Val, i); v.Header().Owner() != t.Owner {
			t.Host.Futures().Change(v, inTransaction(t, tx, v).Next)
		}
	}
	for i := range n {
		v := value.VecAt(log.Val, i)
		if v.Header().Owner() != t.Owner {
			continue
		}
		r := v.AsRef()
		r.Val, r.Next, r.Calls, r.Log = r.Next, value.Nil, value.Nil, nil
		if r.History < r.MinHistory {
			r.History++
		}
	}
	log.Val, log.Watches = value.EmptyVector, value.Nil
	return out
}

func refHistoryCount(_ *value.Task, args []value.Value) value.Value {
	return value.Int(args[0].AsRef().History)
}

func refMinHistory(t *value.Task, args []value.Value) value.Value {
	return historyBound(t, args, &args[0].AsRef().MinHistory)
}

func refMaxHistory(t *value.Task, args []value.Value) value.Value {
	return historyBound(t, args, &args[0].AsRef().MaxHistory)
}

func historyBound(t *value.Task, args []value.Value, bound *int64) value.Value {
	if len(args) == 1 {
		return value.Int(*bound)
	}
	t.Owns(args[0], "ref")
	*bound = args[1].AsInt()
	return args[0]
}
