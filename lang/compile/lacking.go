// This file defines deferred errors: those of names that Clojure or Java has and PTC does not. The program compiles,
// and the evaluation of such a name fails.

package compile

import (
	"strings"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/jclass"
	"github.com/ptc-lang/ptc/lang/value"
)

// Deferred returns the errors of names that the program only fails on when it evaluates them, in the order of
// compilation.
func (c *Compiler) Deferred() []*diag.Error { return c.deferred }

// postpone notes an error in code that the program might not reach. Only a compilation that notes a tree keeps it.
func (c *Compiler) postpone(err *diag.Error) {
	if c.noting() && len(c.deferred) < maxNoted {
		c.deferred = append(c.deferred, err)
	}
}

// lack compiles the evaluation of a name that PTC does not have: it fails with err. A top-level form that is certain to
// come to it does not compile, so that nothing runs before.
func (f *fn) lack(err *diag.Error, at value.Value, args []value.Value, cx ctx) {
	f.warnOrRefuse(err)
	f.unusedArgs(args)
	text := func(s string) value.Value { return f.c.t.CopyString(s) }
	fail := []value.Value{text(string(err.Code)), text(err.Message), text(err.Hint)}
	f.expr(f.c.callForm(at, CoreNS, "%lack", fail), cx)
}

// warnOrRefuse postpones an error, unless a top-level form is certain to come to it.
func (f *fn) warnOrRefuse(err *diag.Error) {
	if f.parent == nil && !f.branches && f.c.pre == nil {
		f.c.refuse(err)
		return
	}
	f.c.postpone(err)
}

// refuse reports an error. The compilation continues if it notes a tree.
func (c *Compiler) refuse(err *diag.Error) {
	if !c.noting() {
		panic(failure{err})
	}
	c.report(err)
}

// unusedArgs notes the arguments of a call that fails before it evaluates them, because the bindings that they mention
// are used. Their errors do not count: the callee may be a macro.
func (f *fn) unusedArgs(args []value.Value) {
	if !f.c.noting() {
		return
	}
	c := f.c
	errs, deferred := len(c.errs), len(c.deferred)
	for _, a := range args {
		node, depth, next, pos, scope, subs := c.node, c.depth, f.next, f.pos, len(f.locals), len(c.node.Subs)
		if c.attempt(a, func() { f.expr(a, to(f.alloc(1))) }) != nil {
			c.node, c.depth, f.pos, f.locals = node, depth, pos, f.locals[:scope]
			c.node.Subs = c.node.Subs[:subs]
		}
		f.next = next
	}
	c.errs, c.deferred = c.errs[:errs], c.deferred[:deferred]
}

// isLack reports whether the error of an unknown symbol is that of a name that PTC does not have, which Clojure or Java
// has.
func (c *Compiler) isLack(err *diag.Error, s *value.Symbol) bool {
	if err.Code == diag.Unsupported {
		return true
	}
	return err.Code == diag.UnknownName && s.NS != "" && c.isHostClass(s.NS) &&
		!strings.HasPrefix(err.Hint, "did you mean")
}

// isHostClass reports whether a symbol's namespace is a class of the JVM.
func (c *Compiler) isHostClass(ns string) bool {
	if c.env.space().aliases[ns] != "" || c.env.spaces[ns] != nil {
		return false
	}
	if _, ok := jclass.Class(ns); ok {
		return true
	}
	return c.env.space().imports[ns] != "" || jclass.IsHost(ns)
}

// missing returns the hint for a symbol that names something of Clojure or Java which PTC does not have.
func (c *Compiler) missing(s *value.Symbol) (why string, ok bool) {
	ns, name := s.NS, s.Name
	sp := c.env.space()
	if r, referred := sp.refers[name]; ns == "" && referred {
		ns, name = r.ns, r.name
	} else if full := sp.aliases[ns]; full != "" {
		ns = full
	}
	full, imported := sp.imports[ns]
	if imported {
		if why, ok := builtins.Missing(full, name); ok && c.staticsOf(full) == "" {
			return why, true
		}
	}
	if why, ok = builtins.Missing(ns, name); ok {
		return why, true
	}
	if ns == "" {
		for _, used := range sp.lacking {
			return "it may be a name of " + used + ", which a task program does not have", true
		}
	}
	if imported && c.staticsOf(full) == "" || jclass.IsHost(ns) {
		return builtins.NoJava, true
	}
	return "", false
}

// staticsOf returns the namespace of the static members of a class that PTC has, "" for another class.
func (c *Compiler) staticsOf(full string) string {
	if _, ok := jclass.Class(full); !ok {
		return ""
	}
	return builtins.Canonical(full)
}

// lackNamespace takes the options of require for a namespace of Clojure, or of a well-known library, that PTC does not
// have. Its names fail when they are evaluated.
func (c *Compiler) lackNamespace(at value.Value, ns, why string, opts []value.Value, all bool) {
	err := c.errorAt(diag.Unsupported, at, "the namespace %s is not available in a task program", ns)
	c.postpone(err.WithHint("%s", why))
	sp := c.env.space()
	lacking := all
	for i := 0; i+1 < len(opts); i += 2 {
		if !opts[i].IsKeyword() {
			continue
		}
		switch opts[i].AsKeyword().Name {
		case "as", "as-alias":
			if opts[i+1].IsSymbol() {
				c.env.alias(opts[i+1].AsSymbol().Name, ns)
			}
		case "refer", "only":
			lacking = false
			items, ok := value.FormItems(opts[i+1])
			if !ok {
				lacking = true
			}
			for _, sym := range items {
				if sym.IsSymbol() {
					c.env.refer(sym.AsSymbol().Name, referred{ns, sym.AsSymbol().Name})
				}
			}
		}
	}
	if lacking {
		c.env.grew(referBytes, ns)
		sp.lacking = append(sp.lacking, ns)
	}
}

// mention notes that a class of the JVM is named which PTC does not have. The name alone does not fail: nothing is an
// instance of the class.
func (c *Compiler) mention(form value.Value, r ref) {
	if !r.host || !c.noting() {
		return
	}
	why, ok := builtins.Missing(r.value.AsType().Name, "")
	if !ok {
		why = builtins.NoJava
	}
	name := symbolText(form.AsSymbol())
	c.postpone(c.errorAt(diag.Unsupported, form, "%s is not available in a task program", name).WithHint("%s", why))
}

// staticCall returns the call of a static member by (. Class member …). ok is false if object names no class.
func (c *Compiler) staticCall(at, object value.Value, member string, args []value.Value) (form value.Value, ok bool) {
	r := c.classRef(symbolText(object.AsSymbol()))
	if r.kind != refValue {
		return value.Nil, false
	}
	static := builtins.Canonical(r.value.AsType().Name)
	if builtins.Lookup(static, member) == nil && builtins.Lookup(".", member) != nil {
		return value.Nil, false
	}
	return c.callForm(at, r.value.AsType().Name, member, args), true
}

// notConstructed returns the error of a constructor that PTC does not have.
func (c *Compiler) notConstructed(at value.Value, class string) *diag.Error {
	return c.errorAt(diag.Unsupported, at, "%s can't be constructed: a task program has no Java", class).
		WithHint("use ex-info for exceptions, a map or defrecord for data")
}
