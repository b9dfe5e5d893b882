// This file defines the values of names: of globals, of dynamic bindings and of the
// library's own cells.

package machine

import (
	"strings"

	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// VarGet implements value.Host.
func (m *Machine) VarGet(v *value.Var) value.Value {
	if v.Index < 0 {
		return m.libraryVar(v)
	}
	if x, ok := m.dynamic(int(v.Index)); ok {
		return x
	}
	return m.global(int(v.Index))
}

// libraryVar returns the value of a var of the library, or of with-local-vars.
func (m *Machine) libraryVar(v *value.Var) value.Value {
	if strings.HasPrefix(v.Sym.Name, "*") { // which may be bound, or set
		for i := range m.globals {
			if g := &m.names[i]; !g.Library || g.Name != v.Sym.Name || g.NS != v.Sym.NS {
				continue
			}
			if x, ok := m.dynamic(i); ok {
				return x
			}
			return m.globals[i]
		}
	}
	return v.Root
}

// VarSet implements value.Host: it changes the root value of a var.
func (m *Machine) VarSet(v *value.Var, x value.Value) {
	if v.Index < 0 {
		m.FailHint(diag.NotSupported, "define a function of your own", "the builtin %s can't be redefined", v.Sym.Name)
	}
	m.mayDefine(int(v.Index))
	m.globals[v.Index] = x
}

// mayDefine refuses to set a global on a loan.
func (m *Machine) mayDefine(i int) {
	if m.loan != nil {
		m.FailHint(diag.NotOwner, "return the value: "+m.loan.name+" keeps the order; or bind it with let",
			"def of %s in a parallel worker: definitions belong to the evaluation that waits for it", m.names[i].Name)
	}
}

// LinkOwn adds slots for the names that the run has added. On a loan none can be added, because
// results that name them would go to an evaluation that does not know them.
func (m *Machine) LinkOwn() {
	names := m.OwnEnv().Globals
	if n := len(m.names); m.loan != nil && len(names) > n {
		m.env, m.envPaid = nil, 0
		m.FailHint(diag.NotOwner, "define it before, outside of "+m.loan.name+"; or bind it with let",
			"%s/%s is new to a parallel worker: definitions belong to the evaluation that waits for it",
			names[n].NS, names[n].Name)
	}
	m.Link(names)
}

// Cell implements value.Host.
func (m *Machine) Cell(name string) value.Value {
	for e := m; ; e = e.loan.from {
		if cell, ok := e.cells[name]; ok {
			return cell
		}
		if e.loan == nil {
			break
		}
	}
	cell := noCell // which nobody can change
	if m.loan == nil {
		cell = m.Atom(value.Nil)
		if m.cells == nil {
			m.cells = make(map[string]value.Value)
		}
		m.cells[name] = cell
	}
	return cell
}

// noCell is an atom that holds nil and belongs to no evaluation.
var noCell = value.ConstAtom()

// VarRoot implements value.Host: the value without bindings, and whether there is
// one.
func (m *Machine) VarRoot(v *value.Var) (value.Value, bool) {
	if v.Index < 0 {
		return v.Root, true
	}
	x := m.globals[v.Index]
	return x, !value.Identical(x, value.Unbound)
}

// global returns the value of a global, which must be bound.
func (m *Machine) global(i int) value.Value {
	v := m.globals[i]
	if value.Identical(v, value.Unbound) {
		g := m.names[i]
		if g.NS == compile.DataNS {
			m.FailHint(diag.UnknownData, "the definition that reads it was made when there was one",
				"no input named data/%s", g.Name)
		}
		m.FailHint(diag.IllegalState, "its definition has not run yet", "%s/%s is declared, but has no value", g.NS, g.Name)
	}
	return v
}

// searched is the number of bindings that a look-up passes in one unit of work.
const searched = 4

// dynamic returns the innermost binding of a global.
func (m *Machine) dynamic(i int) (value.Value, bool) {
	m.Spend(int64(len(m.dyn)) / searched)
	for n := len(m.dyn) - 1; n >= 0; n-- {
		if int(m.dyn[n].global) == i {
			return m.dyn[n].val, true
		}
	}
	return value.Nil, false
}

// Binding implements value.Host.
func (m *Machine) Binding(name string) (value.Value, bool) {
	ns := compile.CoreNS
	if of, local, ok := strings.Cut(name, "/"); ok {
		ns, name = of, local
	}
	m.Spend(int64(len(m.dyn)) / searched)
	for n := len(m.dyn) - 1; n >= 0; n-- {
		if g := m.names[m.dyn[n].global]; g.Name == name && g.NS == ns {
			return m.dyn[n].val, true
		}
	}
	if m.setsLibrary {
		for i := range m.globals {
			if g := &m.names[i]; g.Settable && g.Name == name && g.NS == ns {
				return m.globals[i], true
			}
		}
	}
	return value.Nil, false
}

// bind pushes a binding.
func (m *Machine) bind(global int, v value.Value) {
	m.reserveBindings(1)
	m.dyn = append(m.dyn, binding{int32(global), v})
}

// reserveBindings makes room for n more bindings.
func (m *Machine) reserveBindings(n int) {
	need := len(m.dyn) + n
	if need <= cap(m.dyn) {
		return
	}
	room := max(8, need, 2*cap(m.dyn))
	m.Charge(limits.ObjectSize(room * bindingSize))
	grown := make([]binding, len(m.dyn), room)
	copy(grown, m.dyn)
	m.Credit(m.dynBytes())
	m.dyn = grown
}

// borrowed returns how many of the bindings are those of the lender.
func (m *Machine) borrowed() int {
	if m.loan == nil {
		return 0
	}
	return m.loan.bindings
}

// dynBytes returns the bytes of the bindings. A machine on a loan begins with
// those of the lender.
func (m *Machine) dynBytes() int64 {
	if cap(m.dyn) <= m.borrowed() {
		return 0
	}
	return limits.ObjectSize(cap(m.dyn) * bindingSize)
}

// setBinding changes the innermost binding of a global.
func (m *Machine) setBinding(global int, v value.Value) {
	for n := len(m.dyn) - 1; n >= 0; n-- {
		if int(m.dyn[n].global) == global {
			if n < m.borrowed() {
				m.Fail(diag.IllegalState, "Can't set!: %s from non-binding thread", m.names[global].Name)
			}
			m.dyn[n].val = v
			return
		}
	}
	g := m.names[global]
	if g.Settable && m.loan != nil {
		m.Fail(diag.IllegalState, "Can't set!: %s from non-binding thread", g.Name)
	}
	if g.Settable {
		m.globals[global], m.setsLibrary = v, true
		return
	}
	m.FailHint(diag.IllegalState, "bind it first: (binding ["+g.Name+" …] …)",
		"Can't change/establish root binding of: %s with set", g.Name)
}
