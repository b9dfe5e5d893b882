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
	if name, found := c.privateIn(form); found {
		c.fail(diag.UnknownName, name, "Unable to resolve symbol: %s in this context", symbolText(name.AsSymbol()))
	}
}

// privateIn returns the first private name in a form.
func (c *Compiler) privateIn(form value.Value) (name value.Value, found bool) {
	c.t.Work(1)
	if form.IsSymbol() {
		s := form.AsSymbol()
		return form, strings.HasPrefix(s.Name, "%") && c.isPrivate(s)
	}
	if !form.Is(value.Colls) {
		return value.Nil, false
	}
	if items, ok := listItems(form); ok {
		for _, x := range items {
			if name, found = c.privateIn(x); found {
				return name, true
			}
		}
		return value.Nil, false
	}
	for x := range value.Leaves(form) {
		if name, found = c.privateIn(x); found {
			return name, true
		}
	}
	return value.Nil, false
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
