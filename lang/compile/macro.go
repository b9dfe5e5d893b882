// This file defines macro expansion and the forms for calling host methods.

package compile

import (
	"strings"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// maxExpansions bounds the number of expansions of one form.
const maxExpansions = 1000

// macroexpandTop expands a top-level form until its head is not a macro, so that a do which a macro
// made is found.
func (c *Compiler) macroexpandTop(form value.Value) value.Value {
	for range maxExpansions {
		next, again := c.expand1(nil, form)
		if !again {
			c.note(NodeSpecial, func(n *Node) { n.Special = entry.SpecialDo })
			return form
		}
		form = next
		c.enter(form)
	}
	c.fail(diag.MacroTooDeep, form, "macro expanded %d times without an end", maxExpansions)
	return form
}

// expand1 expands a form once, if its head is a macro.
func (c *Compiler) expand1(f *fn, form value.Value) (value.Value, bool) {
	head, args, ok := call(form)
	if !ok || !head.IsSymbol() || f != nil && f.isLocal(head) {
		return form, false
	}
	if isForm(head.AsSymbol()) {
		return form, false
	}
	switch r := c.lookup(head.AsSymbol()); {
	case r.kind == refEntry && r.entry.Macro != nil:
		return c.expandBuiltin(f, r.entry, form), true
	case r.kind == refGlobal && c.env.Globals[r.global].Macro:
		return c.expandUser(f, r.global, form, args), true
	}
	return form, false
}

// expandBuiltin expands a macro of the library.
func (c *Compiler) expandBuiltin(f *fn, e *entry.Entry, form value.Value) value.Value {
	c.note(NodeMacro, func(n *Node) { n.Entry = e })
	out := e.Macro(c.expansion(f), form)
	c.inherit(form, out)
	return out
}

// expandUser expands a macro of the program by running it.
func (c *Compiler) expandUser(f *fn, global int, form value.Value, args []value.Value) value.Value {
	if c.expander == nil {
		c.fail(diag.Unsupported, form, "macros of the program cannot be used here")
	}
	c.note(NodeMacro, func(n *Node) { n.Global = global })
	c.depth++
	if c.depth > maxNesting {
		c.fail(diag.MacroTooDeep, form, "macro expansion nested deeper than %d levels", maxNesting)
	}
	given := []value.Value{form, c.locals(f)}
	for _, a := range args {
		given = append(given, Patterns(c.t, a))
	}
	out, err := c.expander.Expand(global, given)
	if err != nil {
		g := c.env.Globals[global]
		wrapped := c.errorAt(err.Code, form, "macro %s failed: %s", g.Name, err.Message)
		wrapped.Hint, wrapped.Cause = err.Hint, err
		panic(failure{wrapped})
	}
	c.depth--
	c.checkNames(out)
	c.inherit(form, out)
	return out
}

// locals returns the &env of a macro: a map from the symbols of the locals around the call to true,
// nil if there are none.
func (c *Compiler) locals(f *fn) value.Value {
	m := value.Nil
	for ; f != nil; f = f.parent {
		for _, l := range f.locals {
			m = c.t.MapAssoc(m, c.t.Symbol("", l.name), value.True)
		}
	}
	return m
}

// inherit returns an expansion. If it has no place, it gets the place of the call.
func (c *Compiler) inherit(form, out value.Value) {
	if out.Is(value.Kinds(value.KindList, value.KindCons)) && out != form && out.AsCons().Pos == 0 &&
		out != value.EmptyList {
		out.AsCons().Pos = posOf(form)
	}
}

// hostCall rewrites the forms of host calls to calls of entries: (.method x …) to ./method, (Class.
// …) and (new Class …) to new/Class, (. x method …) like (.method x …). It returns nil for other forms.
func (c *Compiler) hostCall(head value.Value, args []value.Value) (out value.Value, lack *diag.Error) {
	s := head.AsSymbol()
	switch {
	case s.Name == "getBasis" && s.NS != "" && len(args) == 0 && c.factory(s.NS, "->") >= 0:
		return c.callForm(head, CoreNS, "%basis", []value.Value{c.t.Symbol("", s.NS)}), nil
	case s.NS != "" && strings.HasSuffix(s.Name, ".") && c.env.hasNamespace(c.env.named(s.NS)) &&
		c.classRef(strings.TrimSuffix(s.Name, ".")).kind != refNone && c.lookup(s).kind == refNone:
		return c.construct(head, s.Name[:len(s.Name)-1], args) // Clojure too drops the namespace
	case s.NS != "", len(s.Name) > 1 && strings.Contains(s.Name, ".") && c.isMacro(head):
		return value.Nil, nil
	case s.Name == "." && len(args) >= 2:
		if sub, ok := listItems(args[1]); ok && len(sub) > 0 {
			return c.method(head, sub[0], args[0], sub[1:])
		}
		return c.method(head, args[1], args[0], args[2:])
	case s.Name == "new" && len(args) >= 1 && args[0].IsSymbol():
		return c.construct(head, symbolText(args[0].AsSymbol()), args[1:])
	case len(s.Name) > 1 && s.Name[0] == '.' && s.Name != "..":
		if len(args) == 0 {
			c.fail(diag.BadForm, head, "%s: want the object to call it on", s.Name)
		}
		return c.method(head, head, args[0], args[1:])
	case len(s.Name) > 1 && strings.HasSuffix(s.Name, ".") && s.Name != "..":
		return c.construct(head, s.Name[:len(s.Name)-1], args)
	}
	return value.Nil, nil
}

func (c *Compiler) method(at, name, object value.Value, args []value.Value) (out value.Value, lack *diag.Error) {
	if !name.IsSymbol() {
		c.fail(diag.BadForm, at, "want the name of a method")
	}
	method := strings.TrimPrefix(strings.TrimPrefix(name.AsSymbol().Name, "."), "-")
	if object.IsSymbol() {
		if static, ok := c.staticCall(at, object, method, args); ok {
			return static, nil
		}
	}
	field := strings.HasPrefix(strings.TrimPrefix(name.AsSymbol().Name, "."), "-")
	if e := builtins.Lookup(".", method); e == nil || !e.Takes(len(args)+1) {
		if field {
			return c.callForm(at, CoreNS, "%field-named", []value.Value{object, c.t.Keyword("", method)}), nil
		}
		if len(args) > 0 && !builtins.InterfaceMethod(method) && !c.env.names(method) {
			lack = c.errorAt(diag.Unsupported, at, "no method .%s: a task program has no Java", method)
			lack.Hint = builtins.MethodMeant(method)
		}
		out = c.callForm(at, CoreNS, "%invoke-method", append([]value.Value{c.t.Keyword("", method), object}, args...))
		return out, lack
	}
	if field && len(args) == 0 {
		return c.fieldOrMethod(at, method, object), nil
	}
	return c.callForm(at, ".", method, append([]value.Value{object}, args...)), nil
}

// fieldOrMethod returns the form of (.-name object), for a name that a method of the library has too.
func (c *Compiler) fieldOrMethod(at value.Value, name string, object value.Value) value.Value {
	x, key := c.gensym("%object"), c.t.Keyword("", name)
	return c.callForm(at, "", "let*", []value.Value{c.t.Vector(x, object), c.callForm(at, "", "if", []value.Value{
		c.callForm(at, CoreNS, "%has-field?", []value.Value{x, key}),
		c.callForm(at, CoreNS, "%field-named", []value.Value{x, key}),
		c.callForm(at, ".", name, []value.Value{x})})})
}

// extends reports whether the constructor of a record, whose factory is a global, takes metadata and further entries
// after the fields.
func (c *Compiler) extends(class string, factory, fields int) bool {
	a := c.env.Globals[factory].Arities
	return fields >= 0 && a != nil && a.For(fields) != nil && a.For(fields+2) == nil && c.factory(class, "map->") >= 0
}

func (c *Compiler) construct(at value.Value, class string, args []value.Value) (out value.Value, lack *diag.Error) {
	if g := c.factory(class, "->"); g >= 0 {
		if fields := len(args) - 2; c.extends(class, g, fields) {
			record := c.callForm(at, c.env.Globals[g].NS, c.env.Globals[g].Name, args[:fields])
			return c.callForm(at, CoreNS, "%extend-record", append([]value.Value{record}, args[fields:]...)), nil
		}
		return c.callForm(at, c.env.Globals[g].NS, c.env.Globals[g].Name, args), nil
	}
	if g := c.env.lookup(c.env.NS, "->"+class); g >= 0 {
		return c.callForm(at, c.env.NS, "->"+class, args), nil
	}
	if r := c.classRef(class); r.kind == refValue {
		short := r.value.AsType().Name
		short = short[strings.LastIndexByte(short, '.')+1:]
		if e := builtins.Lookup("new", short); !r.host && e != nil {
			if !e.Takes(len(args)) {
				return value.Nil, c.errorAt(diag.BadArity, at, "Wrong number of args (%d) passed to: %s", len(args),
					e.Qualified()).WithHint("%s", e.ArityHint())
			}
			return c.callForm(at, "new", short, args), nil
		}
		return value.Nil, c.notConstructed(at, class)
	}
	if _, ok := builtins.Missing(class, ""); ok {
		return value.Nil, c.notConstructed(at, class)
	}
	panic(failure{c.notConstructed(at, class)})
}

func (c *Compiler) callForm(at value.Value, ns, name string, args []value.Value) value.Value {
	sym := c.t.Symbol(ns, name)
	sym.AsSymbol().Pos = posOf(at)
	l := c.t.List(append([]value.Value{sym}, args...)...)
	l.AsCons().Pos = posOf(at)
	return l
}

// regex returns the pattern of a literal.
func (c *Compiler) regex(form, source value.Value) value.Value {
	if !source.IsString() {
		c.fail(diag.BadForm, form, "a pattern is a string")
	}
	return pattern(c.t, source)
}

// pattern compiles the source of a pattern, as re-pattern does.
func pattern(t *value.Task, source value.Value) value.Value {
	return builtins.Core("re-pattern").Fn(t, []value.Value{source})
}

// Patterns returns a quoted or read form with its patterns, which the reader returns as (%regex
// "…"), made. A bad pattern throws.
func Patterns(t *value.Task, form value.Value) value.Value {
	if !mentions(t, form, "%regex") {
		return form
	}
	head, args, ok := call(form)
	switch {
	case ok && len(args) == 1 && head.IsSymbol() && head.AsSymbol().Name == "%regex" && args[0].IsString():
		return pattern(t, args[0])
	case ok:
		items := []value.Value{Patterns(t, head)}
		for _, a := range args {
			items = append(items, Patterns(t, a))
		}
		list := t.List(items...)
		list.AsCons().Pos = posOf(form)
		return list
	case form.Is(value.Vectors):
		var items []value.Value
		for _, x := range value.Items(form) {
			items = append(items, Patterns(t, x))
		}
		return t.Vector(items...)
	}
	return form
}
