// This file defines the inspection of names by a running program: resolve, ns-publics, macroexpand and the
// like.

package compile

import (
	"slices"
	"strings"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// In makes ns the current namespace of the compiler's names while f runs.
func (c *Compiler) In(ns string, f func()) {
	old := c.env.NS
	defer func() { c.env.NS = old }()
	c.env.Enter(ns)
	f()
}

// VarOf returns the var or class that a symbol means in the current namespace, nil
// if it means nothing.
func (c *Compiler) VarOf(sym value.Value) value.Value {
	s := sym.AsSymbol()
	switch r := c.lookup(s); r.kind {
	case refGlobal:
		return c.varOf(r.global)
	case refEntry:
		if r.entry.Private || !strings.Contains(r.entry.NS, ".") || r.entry.NS == "." {
			return value.Nil
		}
		return c.entryVar(sym, r.entry)
	case refValue:
		if r.value.Kind() == value.KindType {
			return r.value
		}
	}
	return value.Nil
}

// Vars returns the vars of a namespace, and the private ones only if all is set. ok is false if there is no
// such namespace.
func (c *Compiler) Vars(ns string, all bool) (vars []value.Value, ok bool) {
	if !c.env.hasNamespace(ns) {
		return nil, false
	}
	for i := range c.env.Globals {
		g := &c.env.Globals[i]
		if g.NS == ns && (all || !g.Private) && !isResult(g.Name) && c.env.lookup(ns, g.Name) == i { // not unmapped
			vars = append(vars, c.varOf(i))
		}
	}
	for e := range builtins.Entries() {
		if e.NS == ns {
			vars = append(vars, c.entryVar(value.Nil, e))
		}
	}
	return vars, true
}

// VarAt returns the var of a global.
func (c *Compiler) VarAt(global int) value.Value { return c.varOf(global) }

// Intern returns the var of a name in a namespace, which is made if it is new.
func (c *Compiler) Intern(ns, name string) value.Value { return c.varOf(c.env.Intern(ns, name)) }

// Expand1 expands a form once. A macro of the program is not run: Expand1 returns the global of its
// function, which the caller calls with the form, nil and the arguments. A form whose expansion has private
// names is returned unchanged, like a special form: a program that expands forms and returns them from a
// macro could not have the expansion compiled.
func (c *Compiler) Expand1(form value.Value) (out value.Value, global int, again bool) {
	head, args, ok := call(form)
	if !ok || !head.IsSymbol() {
		return form, -1, false
	}
	if out, ok := c.expandSpecial(form, head.AsSymbol(), args); ok {
		return out, -1, true
	}
	if isForm(head.AsSymbol()) {
		return form, -1, false
	}
	switch r := c.lookup(head.AsSymbol()); {
	case r.kind == refEntry && r.entry.Macro != nil:
		out = c.expandBuiltin(nil, r.entry, form)
		if _, found := c.privateIn(out); found {
			return form, -1, false
		}
		return out, -1, true
	case r.kind == refGlobal && c.env.Globals[r.global].Macro:
		return value.Nil, r.global, true
	}
	return form, -1, false
}

// expandSpecial expands forms that are macros in Clojure and special forms in PTC, as Clojure does.
func (c *Compiler) expandSpecial(form value.Value, head *value.Symbol, args []value.Value) (out value.Value, ok bool) {
	t := c.t
	if head.NS != "" && head.NS != CoreNS {
		return value.Nil, false
	}
	bare := func(name string) value.Value { return t.Symbol("", name) }
	do := func(body []value.Value) value.Value { return t.List(slices.Concat([]value.Value{bare("do")}, body)...) }
	switch specialNamed(head) {
	case entry.SpecialWhen:
		if len(args) > 0 {
			return t.List(bare("if"), args[0], do(args[1:])), true
		}
	case entry.SpecialWhenNot:
		if len(args) > 0 {
			return t.List(bare("if"), args[0], value.Nil, do(args[1:])), true
		}
	case entry.SpecialAnd, entry.SpecialOr:
		return c.expandChain(head.Name, args), true
	case entry.SpecialDeclare:
		defs := make([]value.Value, 0, len(args))
		for _, a := range args {
			defs = append(defs, t.List(bare("def"), a))
		}
		return do(defs), true
	case entry.SpecialHost:
		return value.Nil, false
	}
	if head.Name == ".." {
		return value.Nil, false
	}
	if n := len(head.Name); head.NS == "" && len(args) > 0 && n > 1 && head.Name[0] == '.' {
		return t.List(slices.Concat([]value.Value{bare("."), args[0], bare(head.Name[1:])}, args[1:])...), true
	} else if head.NS == "" && n > 1 && head.Name[n-1] == '.' {
		return t.List(slices.Concat([]value.Value{bare("new"), bare(head.Name[:n-1])}, args)...), true
	}
	return value.Nil, false
}

// expandChain expands and, or.
func (c *Compiler) expandChain(name string, args []value.Value) value.Value {
	t := c.t
	switch len(args) {
	case 0:
		if name == "or" {
			return value.Nil
		}
		return value.True
	case 1:
		return args[0]
	}
	x := c.gensym(name)
	rest := t.List(slices.Concat([]value.Value{t.Symbol(CoreNS, name)}, args[1:])...)
	branch := t.List(t.Symbol("", "if"), x, rest, x)
	if name == "or" {
		branch = t.List(t.Symbol("", "if"), x, x, rest)
	}
	return t.List(t.Symbol(CoreNS, "let"), t.Vector(x, args[0]), branch)
}

// isResult reports whether a session keeps results under a name.
func isResult(name string) bool { return name == "*1" || name == "*2" || name == "*3" || name == "*e" }

// RefersCore reports whether a name of clojure.core needs no prefix in a namespace that does not
// define it.
func (e *Env) RefersCore(ns, name string) bool {
	sp := e.spaces[ns]
	return sp != nil && sp.refersCore(name)
}

// HasNamespace reports whether the program or the library has a namespace.
func (e *Env) HasNamespace(ns string) bool { return e.hasNamespace(ns) }

// Namespaces returns the namespaces of the program and of the library, sorted.
func (e *Env) Namespaces() []string {
	names := builtins.Namespaces()
	for ns := range e.spaces {
		if !slices.Contains(names, ns) {
			names = append(names, ns)
		}
	}
	slices.Sort(names)
	return names
}

// AliasesOf returns the aliases of a namespace, including those of the library.
func (e *Env) AliasesOf(ns string) map[string]string {
	if sp := e.spaces[ns]; sp != nil {
		return sp.aliases
	}
	return nil
}

// DeclaredAliases returns the aliases that the program made in a namespace.
func (e *Env) DeclaredAliases(ns string) []value.Alias {
	if sp := e.spaces[ns]; sp != nil {
		return sp.declared
	}
	return nil
}

// Unalias removes an alias from a namespace.
func (e *Env) Unalias(ns, alias string) {
	if sp := e.spaces[ns]; sp != nil {
		sp.unalias(alias)
	}
}

// Refers returns the vars of other namespaces than clojure.core that need no prefix
// in a namespace, by the names they have there.
func (c *Compiler) Refers(ns string) map[string]value.Value {
	vars := make(map[string]value.Value)
	if sp := c.env.spaces[ns]; sp != nil {
		for name, r := range sp.refers {
			vars[name] = c.VarOf(c.t.Symbol(r.ns, r.name))
		}
	}
	return vars
}

// Unmap removes a name from a namespace of the program.
func (e *Env) Unmap(ns, name string) { delete(e.index, globalName{ns, name}) }

// DynamicIndex returns the global of a var that can be bound; ok is false for one
// that cannot.
func (e *Env) DynamicIndex(v *value.Var) (index int, ok bool) {
	if v.Index >= 0 {
		return int(v.Index), e.Globals[v.Index].Dynamic
	}
	if entry := builtins.Lookup(v.Sym.NS, v.Sym.Name); entry != nil && entry.Dynamic() {
		return e.internDynamic(v.Sym.NS, v.Sym.Name), true
	}
	return 0, false
}
