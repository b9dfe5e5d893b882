// This file defines how a program uses the names that it makes with intern, eval and load-string.

package compile

import (
	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// noteIntern notes the name that a call of intern makes. If it is computed, or if the call evaluates code that may
// define names, unknown names after the call are looked up when they are evaluated.
func (c *Compiler) noteIntern(args []value.Value) {
	if len(args) < 2 {
		c.env.interns = c.env.interns || len(args) == 1
		return
	}
	name, known := quotedSymbol(args[1])
	ns, inNS := quotedSymbol(args[0])
	if args[0].IsSymbol() && args[0].AsSymbol().Name == "*ns*" {
		ns, inNS = c.env.NS, true
	}
	if known && inNS && c.env.spaces[ns] != nil && builtins.Lookup(ns, name) == nil {
		c.env.Intern(ns, name)
		return
	}
	c.env.interns = true
}

// Settle ends the lookup of unknown names when they are evaluated: all names that exist are known, as between two forms
// that a running program compiles.
func (e *Env) Settle() { e.interns = false }

// interned compiles a name that intern may have made: err is the failure if it has not. ok is false if the program
// makes no computed names, or the name cannot be one.
func (f *fn) interned(err *diag.Error, sym, at value.Value, args []value.Value, called bool, cx ctx) (ok bool) {
	s := sym.AsSymbol()
	if !f.c.env.interns || err.Code != diag.UnknownName || s.NS != "" && builtins.HasNamespace(s.NS) &&
		f.c.env.space().aliases[s.NS] == "" && f.c.env.spaces[s.NS] == nil {
		return false
	}
	err.Replacement = "" // the written name may be intended
	f.c.postpone(err)
	ns := s.NS
	if full := f.c.env.space().aliases[ns]; full != "" {
		ns = full
	}
	if ns == "" {
		ns = f.c.env.NS
	}
	text := func(s string) value.Value { return f.c.t.CopyString(s) }
	get := f.c.callForm(at, CoreNS, "%interned", []value.Value{text(ns), text(s.Name), text(err.Message), text(err.Hint)})
	if called {
		f.call(get, args, cx)
		return true
	}
	f.expr(get, cx)
	return true
}

// VarChanger is the function that changes the value of a var: calls of the function that it held are not checked from
// then on.
const VarChanger = "alter-var-root"

// noteChange notes a call of VarChanger.
func (c *Compiler) noteChange(args []value.Value) {
	if len(args) == 0 {
		return
	}
	head, of, ok := call(args[0])
	if !ok || len(of) != 1 || !head.IsSymbol() || specialNamed(head.AsSymbol()) != entry.SpecialVar || !of[0].IsSymbol() {
		return
	}
	if r := c.lookup(of[0].AsSymbol()); r.kind == refGlobal {
		c.env.Globals[r.global].Arities = nil
	}
}
