// This file implements value.Names, by which a running program inspects and changes names.

package machine

import (
	"slices"

	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
)

// names implements value.Names.
type names struct{ m *Machine }

// Names implements value.Host.
func (m *Machine) Names() value.Names {
	m.OwnEnv()
	return names{m}
}

// OwnEnv returns the evaluation's own copy of the names, and charges its growth since
// the last call: names belong to the account, and stay.
func (m *Machine) OwnEnv() *compile.Env {
	if m.env == nil {
		m.Charge(m.compiled.Bytes())
		m.env = m.compiled.Clone()
		m.envPaid = m.env.Bytes()
	}
	if ns := m.currentNS(); m.env.NS != ns {
		m.env.Enter(ns)
	}
	if grown := m.env.Bytes() - m.envPaid; grown > 0 {
		m.Charge(grown)
		m.envPaid += grown
	}
	return m.env
}

// EnterNS makes ns the current namespace before code runs.
func (m *Machine) EnterNS(ns string) {
	if m.currentNS() != ns {
		m.setNS(value.ConstNamespace(ns))
	}
}

// setNS sets the innermost binding of *ns*, or its root.
func (m *Machine) setNS(ns value.Value) {
	i := compile.CurrentNS()
	for n := len(m.dyn) - 1; n >= 0; n-- {
		if int(m.dyn[n].global) == i {
			m.dyn[n].val = ns
			return
		}
	}
	if m.loan == nil {
		m.globals[i] = ns
	}
}

// currentNS returns the name of the current namespace, the value of *ns*.
func (m *Machine) currentNS() string {
	v, bound := m.dynamic(compile.CurrentNS())
	if !bound {
		v = m.globals[compile.CurrentNS()]
	}
	if v.Kind() == value.KindNamespace {
		return v.AsNamespace().Name
	}
	return m.compiled.NS
}

// compiler makes a compiler that allocates for the run.
func (n names) compiler() *compile.Compiler {
	return compile.New(&n.m.Task, n.m.env, &token.FileSet{}, nil)
}

func (n names) Current() string { return n.m.currentNS() }

func (n names) Has(ns string) bool { return n.m.env.HasNamespace(ns) }

func (n names) All() []string { return n.m.env.Namespaces() }

func (n names) Resolve(ns string, sym value.Value) (v value.Value) {
	c := n.compiler()
	c.In(ns, func() { v = c.VarOf(sym) })
	n.m.LinkOwn()
	return v
}

func (n names) Vars(ns string, all bool) ([]value.Value, bool) {
	vars, ok := n.compiler().Vars(ns, all)
	return slices.DeleteFunc(vars, func(v value.Value) bool {
		_, bound := n.m.VarRoot(v.AsVar())
		return !bound
	}), ok
}

func (n names) Aliases(ns string) []value.Alias { return n.m.env.DeclaredAliases(ns) }

func (n names) Unalias(ns, alias string) { n.m.env.Unalias(ns, alias) }

func (n names) Refers(ns string) map[string]value.Value { return n.compiler().Refers(ns) }

func (n names) Create(ns string) { n.m.env.Create(ns) }

func (n names) Enter(ns string) {
	n.m.env.Enter(ns)
	n.m.setNS(n.m.Namespace(ns))
}

func (n names) Intern(ns, name string) value.Value {
	v := n.compiler().Intern(ns, name)
	n.m.LinkOwn()
	return v
}

func (n names) Unmap(ns, name string) { n.m.env.Unmap(ns, name) }

func (n names) Expand(form value.Value) (out, macro value.Value, again bool) {
	defer func() {
		if r := recover(); r != nil {
			if err := compile.Failure(r); err != nil {
				n.m.FailHint(err.Code, err.Hint, "%s", err.Message)
			}
			panic(r)
		}
	}()
	out, global, again := n.compiler().Expand1(form)
	n.m.LinkOwn()
	if global >= 0 {
		macro = n.m.global(global)
	}
	return out, macro, again
}

func (n names) Bind(vars value.Value) {
	for it := value.NewMapIter(vars); it.Next(); {
		if it.Key.Kind() != value.KindVar {
			n.m.Fail(diag.WrongType, "with-bindings: got %s, want a var", value.Describe(&n.m.Task, it.Key))
		}
		v := it.Key.AsVar()
		if _, ok := n.m.env.DynamicIndex(v); !ok {
			n.m.Fail(diag.IllegalState, "Can't dynamically bind non-dynamic var: %s/%s", v.Sym.NS, v.Sym.Name)
		}
	}
	n.m.LinkOwn()
	n.m.reserveBindings(value.MapCount(vars))
	for it := value.NewMapIter(vars); it.Next(); {
		i, _ := n.m.env.DynamicIndex(it.Key.AsVar())
		n.m.bind(i, it.Val)
	}
}

func (n names) Unbind(count int) { n.m.dyn = n.m.dyn[:len(n.m.dyn)-count] }

func (n names) PopFrame() bool {
	last := len(n.m.dyn) - 1
	if last < n.m.borrowed() || n.m.names[n.m.dyn[last].global].Name != value.FrameVar {
		return false
	}
	n.Unbind(1 + int(n.m.dyn[last].val.AsInt()))
	return true
}

func (n names) Bound(v *value.Var) bool {
	i, ok := n.m.env.DynamicIndex(v)
	if !ok {
		return false
	}
	_, bound := n.m.dynamic(i)
	return bound
}

func (n names) Bindings(f func(v, x value.Value)) {
	c := n.compiler()
	for _, b := range n.m.dyn {
		if name := n.m.names[b.global].Name; name == value.TransactionVar || name == value.FrameVar {
			continue // a ref that is made inside a transaction does not take part in it afterwards
		}
		f(c.VarAt(int(b.global)), b.val)
	}
}

func (n names) SetBinding(v *value.Var, x value.Value) {
	i, ok := n.m.env.DynamicIndex(v)
	if !ok {
		n.m.Fail(diag.IllegalState, "Can't change/establish root binding of: %s with set", v.Sym.Name)
	}
	n.m.LinkOwn()
	n.m.setBinding(i, x)
}
