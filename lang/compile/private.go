// This file denies programs the private parts of the library.
//
// The prelude and the expansions of the library's macros call builtins that trust their callers:
// they change values that are otherwise immutable. So their names are refused in the forms of a
// program and of its macros, before the library's macros add theirs. A name without a namespace is
// not private; see lookupBare.

package compile

import (
	"strings"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// checkNames fails for a private name anywhere in a form. Forms are not nested
// deeper than the reader and Realise allow.
func (c *Compiler) checkNames(form value.Value) {
	c.t.Work(1)
	if form.IsSymbol() {
		if s := form.AsSymbol(); strings.HasPrefix(s.Name, "%") && c.isPrivate(s) {
			c.fail(diag.UnknownName, form, "Unable to resolve symbol: %s in this context", symbolText(s))
		}
		return
	}
	if !form.Is(value.Colls) {
		return
	}
	if items, ok := listItems(form); ok {
		for _, x := range items {
			c.checkNames(x)
		}
		return
	}
	for x := range value.Leaves(form) {
		c.checkNames(x)
	}
}

// isPrivate reports whether a name is private to the library. It allows %regex, with which the
// reader writes patterns.
func (c *Compiler) isPrivate(s *value.Symbol) bool {
	if s.NS == "" {
		form := specialNamed(s)
		return form != entry.NotSpecial && form != entry.SpecialRegex && c.env.lookup(c.env.NS, s.Name) < 0
	}
	ns := s.NS
	if full, ok := c.env.space().aliases[ns]; ok {
		ns = full
	}
	e := builtins.Lookup(builtins.Canonical(ns), s.Name)
	return e != nil && e.Private
}
