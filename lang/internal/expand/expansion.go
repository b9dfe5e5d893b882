// Package expand defines Expansion, the compilation as a macro written in Go sees it, and the methods with which macros
// inspect forms and build new ones.
package expand

import (
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
)

// Expansion is the compilation as a macro sees it.
type Expansion struct {
	T  *value.Task
	NS string // the current namespace
	// Gensym makes a symbol that no program can write.
	Gensym func(prefix string) value.Value
	// Fail reports a malformed form at a place and unwinds.
	Fail func(at value.Value, format string, args ...any)
	// IsLocal reports whether a symbol names a local binding around the call of the macro.
	IsLocal func(sym value.Value) bool
	// Resolve returns the namespace-qualified symbol for sym.
	Resolve func(sym value.Value) value.Value
	// IsDefined reports whether the current namespace defines a plain symbol.
	IsDefined func(sym value.Value) bool
	// IsMacro reports whether a symbol that is not a local names a macro or special form.
	IsMacro func(sym value.Value) bool
	// NoAssert means that assertions are omitted.
	NoAssert bool
	// Place returns the place of a form: "file:line".
	Place func(at value.Value) string
	// MacroNamed returns the symbol of a macro of the program by its name, in any namespace.
	MacroNamed func(name string) (sym value.Value, ok bool)
	// Method notes that the definition of a type has a method.
	Method func(name string)
}

// BareSym returns the symbol of a special form.
func BareSym(name string) value.Value { return value.ConstSymbol("", name) }

// CoreSym returns the symbol of a name of clojure.core.
func CoreSym(name string) value.Value { return value.ConstSymbol("clojure.core", name) }

// The special forms that Expansion itself builds.
var (
	SymDo    = BareSym("do")
	SymFn    = BareSym("fn*")
	SymLet   = BareSym("let*")
	SymQuote = BareSym("quote")
	SymTry   = BareSym("try")
)

// mapForms are the kinds of a map literal.
var mapForms = value.Kinds(value.KindArrayMap, value.KindHashMap, value.KindSortedMap)

// IsList reports whether a form is a list: one that was read, or any sequence that a macro built.
func IsList(form value.Value) bool { return form.Is(value.ListForms) }

// IsVector reports whether a form is a vector.
func IsVector(form value.Value) bool { return form.Is(value.Vectors) }

// IsMap reports whether a form is a map.
func IsMap(form value.Value) bool { return form.Is(mapForms) }

// IsPlain reports whether a form is a symbol without a namespace.
func IsPlain(form value.Value) bool { return form.IsSymbol() && form.AsSymbol().NS == "" }

// IsNamed reports whether a form is the plain symbol with a name.
func IsNamed(form value.Value, name string) bool {
	return IsPlain(form) && form.AsSymbol().Name == name
}

// IsKey reports whether a form is the keyword with a name and no namespace.
func IsKey(form value.Value, name string) bool {
	return form.IsKeyword() && form.AsKeyword().NS == "" && form.AsKeyword().Name == name
}

// FormItems returns the elements of a list form.
func FormItems(form value.Value) []value.Value {
	items, _ := value.RealisedItems(form)
	return items
}

// FormPos returns the position of a form in the source, 0 if it is not known.
func FormPos(form value.Value) token.Pos {
	switch form.Kind() {
	case value.KindSymbol:
		return form.AsSymbol().Pos
	case value.KindList, value.KindCons:
		return form.AsCons().Pos
	}
	return 0
}

// Args returns the arguments of a macro call. It fails for fewer than least and, unless most is
// negative, for more than most. shape is a correct call for the message, such as "(while test
// body…)".
func (x *Expansion) Args(form value.Value, least, most int, shape string) []value.Value {
	args := FormItems(form)[1:]
	if len(args) < least || most >= 0 && len(args) > most {
		name, _, _ := strings.Cut(strings.Trim(shape, "()"), " ")
		x.Fail(form, "%s: got %s, want %s", name, diag.Counted(len(args), "form"), shape)
	}
	return args
}

// List makes a list at the place of another form.
func (x *Expansion) List(at value.Value, items ...value.Value) value.Value {
	l := x.T.List(items...)
	if len(items) > 0 {
		l.AsCons().Pos = FormPos(at)
	}
	return l
}

// Call makes the list of head, args and body, at the place of another form.
func (x *Expansion) Call(at value.Value, body []value.Value, head ...value.Value) value.Value {
	items := make([]value.Value, 0, len(head)+len(body))
	return x.List(at, append(append(items, head...), body...)...)
}

// Vec makes a vector.
func (x *Expansion) Vec(items ...value.Value) value.Value { return x.T.Vector(items...) }

// Quote makes (quote form).
func (x *Expansion) Quote(form value.Value) value.Value { return x.List(form, SymQuote, form) }

// Str makes a string literal.
func (x *Expansion) Str(s string) value.Value { return x.T.CopyString(s) }

// Do makes the body into one form.
func (x *Expansion) Do(at value.Value, body []value.Value) value.Value {
	if len(body) == 1 {
		return body[0]
	}
	return x.Call(at, body, SymDo)
}

// Thunk makes (fn* [] body…).
func (x *Expansion) Thunk(at value.Value, body []value.Value) value.Value {
	return x.Call(at, body, SymFn, x.Vec())
}

// Scoped makes (fn* [] (try (do body…))) for a body with code around it. The try refuses a recur in
// the body, which would otherwise restart the function and not the program's loop.
func (x *Expansion) Scoped(at value.Value, body []value.Value) value.Value {
	return x.Thunk(at, []value.Value{x.List(at, SymTry, x.Call(at, body, SymDo))})
}

// Let makes (let* [bindings…] body…); without bindings only the body.
func (x *Expansion) Let(at value.Value, bindings, body []value.Value) value.Value {
	if len(bindings) == 0 {
		return x.Do(at, body)
	}
	return x.Call(at, body, SymLet, x.Vec(bindings...))
}

// Pairs returns the elements of a binding vector, an even number.
func (x *Expansion) Pairs(macro string, at, bindings value.Value) []value.Value {
	if !IsVector(bindings) {
		x.Fail(at, "%s: got %s, want a vector of bindings", macro, value.Describe(x.T, bindings))
	}
	items := value.Items(bindings)
	if len(items)%2 != 0 {
		x.Fail(at, "%s: bindings come in pairs, got %s: %s has no value", macro, diag.Counted(len(items), "form"),
			value.Show(x.T, items[len(items)-1]))
	}
	return items
}

// PlainName checks that a form is a symbol without a namespace.
func (x *Expansion) PlainName(macro string, at, name value.Value) {
	if !IsPlain(name) {
		x.Fail(at, "%s: got %s for a name, want a symbol without a namespace", macro, value.Describe(x.T, name))
	}
}
