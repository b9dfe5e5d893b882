// This file defines the natives of the cells: atoms, volatiles, delays, reduced results. The functions that
// call watches, validators or functions of the program are in the prelude.

package builtins

import (
	"github.com/ptc-lang/ptc/lang/builtins/internal/colls"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

var cells = []entry.Entry{
	{NS: "clojure.core", Name: "%new-atom", Args: "x", Private: true, Cost: entry.Constant, Fn: newAtom,
		Doc: "An atom."},
	{NS: "clojure.core", Name: "%atom-value", Args: "a:atom", Private: true, Cost: entry.Constant, Fn: atomValue,
		Doc: "Returns the value of an atom."},
	{NS: "clojure.core", Name: "%cell-value", Args: "a:cell", Private: true, Cost: entry.Constant, Fn: cellValue,
		Doc: "Returns the value of an atom or ref, or the root value of a var."},
	{NS: "clojure.core", Name: "%set-atom", Args: "a:atom x", Private: true, Cost: entry.Constant, Fn: setAtom,
		Doc: "Sets a plain atom and returns true; returns false if the atom has watches or a validator."},
	{NS: "clojure.core", Name: "%put-atom", Args: "a:atom x", Private: true, Cost: entry.Constant, Fn: putAtom,
		Doc: "Sets an atom."},
	{NS: "clojure.core", Name: "%watches", Args: "a:cell", Private: true, Cost: entry.Constant, Fn: watches,
		Doc: "Returns a map of the watches of an atom, ref or var."},
	{NS: "clojure.core", Name: "%set-validator", Args: "a:cell f", Private: true, Cost: entry.Constant, Fn: setValidator,
		Doc: "Sets the validator of an atom, ref or var."},
	{NS: "clojure.core", Name: "%invalid-state", Args: "", Private: true, Cost: entry.Constant, Fn: invalidState,
		Doc: "Fails because a validator refused a value."},
	{NS: "clojure.core", Name: "%owned?", Args: "a:atom", Private: true, Cost: entry.Constant, Fn: isOwned,
		Doc: "Returns true if this evaluation may change an atom."},
	{NS: "clojure.core", Name: "get-validator", Args: "a:cell", Cost: entry.Constant, Fn: getValidator,
		Doc:      "Returns the validator of an atom, ref or var, nil if it has none.",
		Examples: []string{"(get-validator (atom 1)) => nil", "(get-validator 1) !wrong-type"}},
	{NS: "clojure.core", Name: "add-watch", Args: "a:cell k f", Cost: entry.Constant, Fn: addWatch,
		Doc: "Adds a watch to an atom, ref or var: (f k atom old new) is called after each change, for a ref at the end of " +
			"the transaction, for a var after alter-var-root and with-redefs. Returns the atom, ref or var.",
		Examples: []string{"(let [a (atom 1) seen (atom [])] (add-watch a :k (fn [k _ old new] (swap! seen conj [k old " +
			"new]))) (reset! a 2) @seen) => [[:k 1 2]]", "(add-watch 1 :k inc) !wrong-type"}},
	{NS: "clojure.core", Name: "remove-watch", Args: "a:cell k", Cost: entry.Constant, Fn: removeWatch,
		Doc:      "Removes a watch from an atom, ref or var. Returns the atom, ref or var.",
		Examples: []string{"(deref (remove-watch (atom 1) :k)) => 1", "(remove-watch 1 :k) !wrong-type"}},
	{NS: "clojure.core", Name: "reset-meta!", Args: "ref m:map?", Cost: entry.Constant, Fn: resetMeta,
		Doc:      "Sets the metadata of an atom, ref or var. Returns the metadata.",
		Examples: []string{"(let [a (atom 1)] (reset-meta! a {:x 1}) (meta a)) => {:x 1}", "(reset-meta! 1 {}) !wrong-type"}},
	{NS: "clojure.core", Name: "volatile!", Args: "x", Cost: entry.Constant, Facts: entry.MakesCells, Fn: newVolatile,
		Doc: "Returns a new volatile that holds x.", Examples: []string{"(deref (volatile! 1)) => 1"}},
	{NS: "clojure.core", Name: "vreset!", Args: "v:volatile x", Cost: entry.Constant, Purity: entry.Changes, Fn: vreset,
		Doc: "Sets a volatile to x. Returns x.", Examples: []string{"(vreset! (volatile! 1) 2) => 2", "(vreset! (atom 1) " +
			"2) !wrong-type"}},
	{NS: "clojure.core", Name: "%delay", Args: "f", Private: true, Cost: entry.Constant, Fn: newDelay,
		Doc: "Returns a delay of a function of no arguments."},
	{NS: "clojure.core", Name: "realized?", Args: "x", Cost: entry.Constant, Fn: isRealized,
		Doc: "Returns true if a delay or lazy sequence has been computed, a future has ended or a promise was delivered.",
		Examples: []string{"(realized? (promise)) => false", "(realized? (lazy-seq [1])) => false",
			"(let [d (delay 1)] @d (realized? d)) => true",
			"(realized? [1]) !wrong-type"}},
	{NS: "clojure.core", Name: "reduced", Args: "x", Cost: entry.Constant, Purity: entry.Total, Fn: newReduced,
		Doc:      "Wraps x so that a reduction stops with the value x.",
		Examples: []string{"(reduce (fn [_ x] (reduced x)) [1 2 3]) => 2"}},
}

func newAtom(t *value.Task, args []value.Value) value.Value { return t.Atom(args[0]) }

// atomValue returns the value of an atom that the caller is about to change.
func atomValue(t *value.Task, args []value.Value) value.Value {
	a := args[0].AsAtom()
	if a.Owner() == t.Owner {
		return a.Val
	}
	fs := t.Host.Futures()
	fs.Order(args[0])
	return fs.Seen(args[0])
}

func cellValue(t *value.Task, args []value.Value) value.Value {
	if args[0].Kind() == value.KindVar {
		return varRoot(t, []value.Value{args[0], value.True})
	}
	if args[0].Kind() == value.KindRef {
		return t.ReadRef(args[0])
	}
	if a := args[0].AsAtom(); a.Owner() == t.Owner {
		return a.Val
	}
	return t.Host.Futures().Seen(args[0])
}

func setAtom(t *value.Task, args []value.Value) value.Value {
	a := args[0].AsAtom()
	if !a.Watches.IsNil() || !a.Validator.IsNil() {
		return value.False
	}
	putAtom(t, args)
	return value.True
}

func putAtom(t *value.Task, args []value.Value) value.Value {
	if a := args[0].AsAtom(); a.Owner() == t.Owner {
		a.Val = args[1]
	} else {
		t.Host.Futures().Change(args[0], args[1])
	}
	return value.Nil
}

func watches(t *value.Task, args []value.Value) value.Value {
	if a := cellOf(t, args[0]); a != nil {
		return a.Watches
	}
	return value.Nil
}

func setValidator(t *value.Task, args []value.Value) value.Value {
	ownCell(t, args[0]).Validator = args[1]
	return value.Nil
}

func invalidState(t *value.Task, _ []value.Value) value.Value {
	t.Fail(diag.IllegalState, "Invalid reference state")
	return value.Nil
}

func isOwned(t *value.Task, args []value.Value) value.Value {
	return value.Bool(args[0].AsAtom().Owner() == t.Owner)
}

func getValidator(t *value.Task, args []value.Value) value.Value {
	if a := cellOf(t, args[0]); a != nil {
		return a.Validator
	}
	return value.Nil
}

func addWatch(t *value.Task, args []value.Value) value.Value {
	a := ownCell(t, args[0])
	a.Watches = t.MapAssoc(a.Watches, args[1], args[2])
	return args[0]
}

func removeWatch(t *value.Task, args []value.Value) value.Value {
	a := ownCell(t, args[0])
	a.Watches = t.MapDissoc(a.Watches, args[1])
	if value.MapCount(a.Watches) == 0 {
		a.Watches = value.Nil
	}
	return args[0]
}

func resetMeta(t *value.Task, args []value.Value) value.Value {
	switch args[0].Kind() {
	case value.KindAtom, value.KindRef, value.KindFuture:
		t.Owns(args[0], value.SortName(args[0]))
		args[0].AsAtom().Meta = args[1].Header()
	case value.KindVar:
		cell := t.Host.Cell(colls.VarMetadata)
		t.Owns(cell, "var")
		cell.AsAtom().Val = t.MapAssoc(cell.AsAtom().Val, value.Of(&args[0].AsVar().Sym.Header), args[1])
	default:
		t.Fail(diag.WrongType, "reset-meta!: got %s, want an atom, a ref, an agent or a var", value.Describe(t, args[0]))
	}
	return args[1]
}

func newVolatile(t *value.Task, args []value.Value) value.Value { return t.Volatile(args[0]) }

func vreset(t *value.Task, args []value.Value) value.Value {
	v := args[0].AsVolatile()
	if v.Owner() != t.Owner {
		t.Owns(args[0], "volatile")
	}
	v.Val = args[1]
	return args[1]
}

func newDelay(t *value.Task, args []value.Value) value.Value { return t.Delay(args[0]) }

func isRealized(t *value.Task, args []value.Value) value.Value {
	switch args[0].Kind() {
	case value.KindDelay:
		return value.Bool(t.LocalDelay(args[0].AsDelay()).Fn == nil)
	case value.KindLazy:
		return value.Bool(t.LocalCopy(args[0].AsLazy()).Fn == nil)
	case value.KindFuture:
		return isDone(t, args)
	case value.KindNil:
		t.Fail(diag.NilValue, "realized?: got nil, want a delay, future, promise or lazy sequence")
	}
	t.Fail(diag.WrongType, "realized?: got %s, want a delay, future, promise or lazy sequence", value.Describe(t, args[0]))
	return value.Nil
}

func newReduced(t *value.Task, args []value.Value) value.Value { return t.Reduced(args[0]) }
