// This file defines the watches and the validator of a var. They belong to the run, because vars are constants of the
// code.

package builtins

import "github.com/ptc-lang/ptc/lang/value"

// varWatches is the cell with the watches and validators of vars: a map from the symbol of a var to an atom that has
// them.
const varWatches = "watches of vars"

// cellOf returns the object with the watches and the validator of an atom, a ref, an agent or a var. It is nil for a
// var that has none.
func cellOf(t *value.Task, v value.Value) *value.Atom {
	if v.Kind() != value.KindVar {
		return v.AsAtom()
	}
	x, ok := t.MapGet(t.Host.Cell(varWatches).AsAtom().Val, value.Of(&v.AsVar().Sym.Header))
	if !ok {
		return nil
	}
	return x.AsAtom()
}

// ownCell returns the object of v that can be changed. It makes that of a var.
func ownCell(t *value.Task, v value.Value) *value.Atom {
	if v.Kind() != value.KindVar {
		t.Owns(v, value.SortName(v))
		return v.AsAtom()
	}
	all := t.Host.Cell(varWatches)
	t.Owns(all, "var")
	if a := cellOf(t, v); a != nil {
		return a
	}
	a := t.Atom(value.Nil)
	all.AsAtom().Val = t.MapAssoc(all.AsAtom().Val, value.Of(&v.AsVar().Sym.Header), a)
	return a.AsAtom()
}

// isWatched reports whether a var has watches or a validator.
func isWatched(t *value.Task, args []value.Value) value.Value {
	return value.Bool(cellOf(t, args[0]) != nil)
}
