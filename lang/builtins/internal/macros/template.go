// This file defines the macros that repeat an expression with names replaced: are
// and do-template.

package macros

import (
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/expand"
	"github.com/ptc-lang/ptc/lang/value"
)

func expandAre(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 2, -1, "(are [names…] expr args…)")
	if !expand.IsVector(args[0]) {
		x.Fail(form, "are: got %s, want a vector of names", value.Describe(x.T, args[0]))
	}
	names, vals := value.VecCount(args[0]), args[2:]
	if names == 0 && len(vals) > 0 || names > 0 && (len(vals) == 0 || len(vals)%names != 0) {
		x.Fail(form, "The number of args doesn't match are's argv: got %s for %s", diag.Counted(len(vals), "arg"),
			diag.Counted(names, "name"))
	}
	return x.List(form, template(x, "are", form, args,
		func(expr value.Value) value.Value { return is(x, form, expr, value.Nil) })...)
}

func expandDoTemplate(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 2, -1, "(do-template [names…] expr values…)")
	if !expand.IsVector(args[0]) {
		x.Fail(form, "do-template: got %s, want a vector of names", value.Describe(x.T, args[0]))
	}
	if n := value.VecCount(args[0]); n > 0 {
		args = args[:len(args)-(len(args)-2)%n] // an incomplete group of values at the end is omitted
	}
	return x.List(form, template(x, "do-template", form, args, func(expr value.Value) value.Value { return expr })...)
}

// template makes a do of the forms that made returns for args[1], for each group of the values
// after it, which replace the names in args[0].
func template(x *expand.Expansion, macro string, form value.Value, args []value.Value,
	made func(expr value.Value) value.Value) []value.Value {
	names, expr, vals := value.Items(args[0]), args[1], args[2:]
	out := []value.Value{expand.SymDo}
	for len(vals) > 0 && len(names) > 0 {
		s := substitution{x: x, at: form, macro: macro, names: make(map[symbolName]value.Value, len(names))}
		for i, n := range names {
			if !n.IsSymbol() {
				x.PlainName(macro, form, n)
			}
			s.names[symbolName{n.AsSymbol().NS, n.AsSymbol().Name}] = vals[i]
		}
		out = append(out, made(s.apply(expr)))
		vals = vals[len(names):]
	}
	return out
}

// symbolName is the name of a symbol. A macro that quotes a template qualifies its names.
type symbolName struct{ ns, name string }

// substitution replaces names in a form.
type substitution struct {
	x     *expand.Expansion
	at    value.Value
	macro string
	names map[symbolName]value.Value
	depth int
}

func (s *substitution) apply(form value.Value) value.Value {
	if form.IsSymbol() {
		if v, ok := s.names[symbolName{form.AsSymbol().NS, form.AsSymbol().Name}]; ok {
			return v
		}
		return form
	}
	if !form.Is(value.Colls) {
		return form
	}
	s.depth++
	if s.depth > maxPattern {
		s.x.Fail(s.at, "%s: form nested deeper than %d levels", s.macro, maxPattern)
	}
	var items []value.Value
	for item := range value.Leaves(form) {
		items = append(items, s.apply(item))
	}
	s.depth--
	return likeForm(s.x, form, items)
}

// likeForm makes a form of the kind of another one.
func likeForm(x *expand.Expansion, form value.Value, items []value.Value) value.Value {
	switch {
	case expand.IsVector(form):
		return x.Vec(items...)
	case expand.IsMap(form):
		return x.T.MapOf(items...)
	case form.Is(value.Sets):
		return x.T.SetOf(items...)
	}
	return x.List(form, items...)
}
