// This file defines Expansion: how macros take forms apart and build new ones.

package builtins

import (
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
)

// The special forms that Expansion itself builds.
var (
	symDo    = bareSym("do")
	symFn    = bareSym("fn*")
	symLet   = bareSym("let*")
	symQuote = bareSym("quote")
	symTry   = bareSym("try")
)

// listKinds are the kinds that a list form may have: read, or built by a macro.
var listKinds = value.Kinds(value.KindList, value.KindCons, value.KindChunkedCons, value.KindLazy)

// mapForms are the kinds of a map literal.
var mapForms = value.Kinds(value.KindArrayMap, value.KindHashMap, value.KindSortedMap)

// isList reports whether a form is a list.
func isList(form value.Value) bool { return form.Is(listKinds) }

// isVector reports whether a form is a vector.
func isVector(form value.Value) bool { return form.Is(value.Vectors) }

// isMap reports whether a form is a map.
func isMap(form value.Value) bool { return form.Is(mapForms) }

// isPlain reports whether a form is a symbol without a namespace.
func isPlain(form value.Value) bool { return form.IsSymbol() && form.AsSymbol().NS == "" }

// isNamed reports whether a form is the plain symbol of that name.
func isNamed(form value.Value, name string) bool {
	return isPlain(form) && form.AsSymbol().Name == name
}

// isKey reports whether a form is the keyword of that name without a namespace.
func isKey(form value.Value, name string) bool {
	return form.IsKeyword() && form.AsKeyword().NS == "" && form.AsKeyword().Name == name
}

// formItems returns the elements of a list form.
func formItems(form value.Value) []value.Value {
	items, _ := value.RealisedItems(form)
	return items
}

// formPos returns the place a form was read from, 0 if it is not known.
func formPos(form value.Value) token.Pos {
	switch form.Kind() {
	case value.KindSymbol:
		return form.AsSymbol().Pos
	case value.KindList, value.KindCons:
		return form.AsCons().Pos
	}
	return 0
}

// args returns the arguments of a macro call. There must be at least least and,
// unless most is negative, at most most; shape is the call as it should be, such
// as "(while test body…)".
func (x *Expansion) args(form value.Value, least, most int, shape string) []value.Value {
	args := formItems(form)[1:]
	if len(args) < least || most >= 0 && len(args) > most {
		name, _, _ := strings.Cut(strings.Trim(shape, "()"), " ")
		x.Fail(form, "%s: got %s, want %s", name, diag.Counted(len(args), "form"), shape)
	}
	return args
}

// list makes a list at the place of another form.
func (x *Expansion) list(at value.Value, items ...value.Value) value.Value {
	l := x.T.List(items...)
	if len(items) > 0 {
		l.AsCons().Pos = formPos(at)
	}
	return l
}

// call makes the list of head, args and body, at the place of another form.
func (x *Expansion) call(at value.Value, body []value.Value, head ...value.Value) value.Value {
	items := make([]value.Value, 0, len(head)+len(body))
	return x.list(at, append(append(items, head...), body...)...)
}

// vec makes a vector.
func (x *Expansion) vec(items ...value.Value) value.Value { return x.T.Vector(items...) }

// quote makes (quote form).
func (x *Expansion) quote(form value.Value) value.Value { return x.list(form, symQuote, form) }

// str makes a string literal.
func (x *Expansion) str(s string) value.Value { return x.T.CopyString(s) }

// do makes the body into one form.
func (x *Expansion) do(at value.Value, body []value.Value) value.Value {
	if len(body) == 1 {
		return body[0]
	}
	return x.call(at, body, symDo)
}

// thunk makes (fn* [] body…).
func (x *Expansion) thunk(at value.Value, body []value.Value) value.Value {
	return x.call(at, body, symFn, x.vec())
}

// scoped makes (fn* [] (try (do body…))), for a body that something is done around: recur
// goes out of it no more than out of a try, which is what the reader of the program sees.
// As the function it is, recur would begin the body anew, within what is around it.
func (x *Expansion) scoped(at value.Value, body []value.Value) value.Value {
	return x.thunk(at, []value.Value{x.list(at, symTry, x.call(at, body, symDo))})
}

// let makes (let* [bindings…] body…); without bindings only the body.
func (x *Expansion) let(at value.Value, bindings, body []value.Value) value.Value {
	if len(bindings) == 0 {
		return x.do(at, body)
	}
	return x.call(at, body, symLet, x.vec(bindings...))
}

// pairs returns the elements of a binding vector, an even number.
func (x *Expansion) pairs(macro string, at, bindings value.Value) []value.Value {
	if !isVector(bindings) {
		x.Fail(at, "%s: got %s, want a vector of bindings", macro, value.Describe(x.T, bindings))
	}
	items := value.Items(bindings)
	if len(items)%2 != 0 {
		x.Fail(at, "%s: bindings come in pairs, got %s: %s has no value", macro, diag.Counted(len(items), "form"),
			value.Show(x.T, items[len(items)-1]))
	}
	return items
}

// plainName checks that a form is a symbol without a namespace.
func (x *Expansion) plainName(macro string, at, name value.Value) {
	if !isPlain(name) {
		x.Fail(at, "%s: got %s for a name, want a symbol without a namespace", macro, value.Describe(x.T, name))
	}
}
