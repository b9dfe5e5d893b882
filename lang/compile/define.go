// This file defines the forms that make functions and definitions.

package compile

import (
	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

func fnForm(f *fn, form value.Value, _ []value.Value, cx ctx) { f.closure(form, "", cx) }

// closure compiles an fn* form to the instruction that makes the closure. hint is its name in
// traces if the form has no name.
func (f *fn) closure(form value.Value, hint string, cx ctx) {
	code, captures := f.function(form, hint)
	f.makeClosure(code, captures, cx.dst)
	f.done(cx)
}

// makeClosure compiles the construction of a closure. A closure without captured values is a
// constant.
func (f *fn) makeClosure(code *Fn, captures []home, dst int) {
	if len(captures) == 0 {
		f.load(value.ConstFn(&code.FnCode), dst)
		return
	}
	f.proto.Fns = append(f.proto.Fns, code)
	f.emitClosure(len(f.proto.Fns)-1, captures, dst)
}

func (f *fn) emitClosure(index int, captures []home, dst int) {
	f.emit(OpClosure, dst, index, len(captures))
	for _, p := range captures {
		f.emit(OpNop, int(p.kind), p.index, 0)
	}
}

// function compiles an fn* form and returns the captures that it takes from f.
func (f *fn) function(form value.Value, hint string) (*Fn, []home) {
	defer f.c.leave(f.c.enter(form))
	f.c.note(NodeFn, func(*Node) {})
	_, args, _ := call(form)
	self, selfBinding := "", (*Binding)(nil)
	if len(args) > 0 && args[0].IsSymbol() {
		self = args[0].AsSymbol().Name
		hint = self
		selfBinding = f.c.noteBinding(args[0])
		args = args[1:]
	}
	code := &Fn{FnCode: value.FnCode{Name: hint, NS: f.c.env.NS}, Pos: posOf(form), Library: f.c.pre != nil}
	var arities []value.Value
	if len(args) > 0 && args[0].Is(value.Vectors) {
		arities = []value.Value{f.c.t.List(args...)}
	} else {
		arities = args
	}
	if len(arities) == 0 {
		f.c.fail(diag.BadForm, form, "fn: want a vector of parameters")
	}
	purity := entry.Total
	// All arities share one list of captured values.
	var captures []home
	for _, a := range arities {
		g := f.c.newFn(f, self)
		g.captures, g.pos, g.shell, g.selfBinding = captures, f.pos, code, selfBinding
		g.at(a)
		outer := f.c.enter(a)
		f.c.note(NodeArity, func(*Node) {})
		f.arity(g, code, form, a)
		f.c.leave(outer)
		captures = g.captures
		purity = min(purity, g.purity())
	}
	code.Purity = uint8(purity)
	return code, captures
}

// arity compiles one arity of a function into code.
func (f *fn) arity(g *fn, code *Fn, form, arity value.Value) {
	items, ok := listItems(arity)
	if !ok || len(items) == 0 || !items[0].Is(value.Vectors) {
		f.c.fail(diag.BadForm, form, "fn: want ([params…] body…) for each arity")
	}
	params := value.Items(items[0])
	for i := 0; i < len(params); i++ {
		name := g.name(params[i], "fn: parameter")
		if name == "&" {
			if i != len(params)-2 {
				f.c.fail(diag.BadForm, items[0], "fn: want one name after &")
			}
			g.proto.Variadic = true
			i++
			g.name(params[i], "fn: parameter")
			g.proto.Params--
		}
		g.proto.Params++
		g.bindInit(params[i], g.alloc(1), g.hintedDouble(params[i]))
	}
	if g.proto.Variadic {
		g.proto.Params = len(params) - 2
	}
	dst := g.alloc(1)
	g.body(items[1:], ctx{dst: dst, ret: true, rec: &loop{first: 0, count: len(g.locals), top: 0}})
	p := g.finish()
	p.Fn = code
	f.addArity(code, p, form)
}

// addArity enters an arity into its function.
func (f *fn) addArity(code *Fn, p *Proto, form value.Value) {
	if p.Variadic {
		if code.Variadic != nil {
			f.c.fail(diag.BadForm, form, "Can't have more than 1 variadic overload")
		}
		code.Variadic = p
		return
	}
	for len(code.ByArity) <= p.Params {
		code.ByArity = append(code.ByArity, nil)
	}
	if code.ByArity[p.Params] != nil {
		f.c.fail(diag.BadForm, form, "Can't have 2 overloads with same arity")
	}
	code.ByArity[p.Params] = p
}

// Describe returns the numbers of arguments that a function takes, in words.
func (f *Fn) Describe() string {
	var exact []int
	for n, p := range f.ByArity {
		if p != nil {
			exact = append(exact, n)
		}
	}
	rest := -1
	if f.Variadic != nil {
		rest = f.Variadic.Params
	}
	return entry.Arities(exact, rest)
}

// letfnForm compiles (letfn* [name (fn* …) …] body…): the closures are made first and then receive
// references to each other.
func letfnForm(f *fn, form value.Value, args []value.Value, cx ctx) {
	items := f.pairs(form, args, "letfn")
	scope, next := len(f.locals), f.next
	first := f.alloc(len(items) / 2)
	for i := 0; i < len(items); i += 2 {
		f.name(items[i], "letfn")
		f.bind(items[i], first+i/2)
	}
	all := make([][]home, len(items)/2)
	for i := range all {
		code, captures := f.function(items[2*i+1], "")
		f.c.note(NodeSpecial, func(n *Node) { n.Binds[i].Init = f.c.last() })
		f.proto.Fns = append(f.proto.Fns, code)
		all[i] = captures
		f.emit(OpNil, first+i, 0, 0)
	}
	base := len(f.proto.Fns) - len(all)
	for i, captures := range all {
		f.emitClosure(base+i, captures, first+i)
	}
	for i, captures := range all {
		for j, p := range captures {
			if p.kind == inReg && p.index >= first && p.index < first+len(all) {
				f.emit(OpPatch, first+i, j, p.index)
			}
		}
	}
	f.body(args[1:], cx)
	f.locals, f.next = f.locals[:scope], next
}

// defForm compiles (def name), (def name init) and (def name "doc" init).
func defForm(f *fn, form value.Value, args []value.Value, cx ctx) {
	f.want(form, args, 1, 3, "(def name doc? init?)")
	if !args[0].IsSymbol() {
		f.c.failHint(diag.BadForm, form, "write the name without quotes or a colon, as in (def total 5)",
			"First argument to def must be a Symbol")
	}
	global := f.c.intern1(args[0])
	f.c.note(NodeSpecial, func(n *Node) { n.Global = global })
	if len(args) == 3 {
		if !args[1].IsString() {
			f.c.failHint(diag.BadForm, form, "def takes one value; (defn name [params] body…) defines a function",
				"def: want a doc string between name and value, got %s", value.Describe(f.c.t, args[1]))
		}
		f.c.env.Globals[global].Doc = args[1].AsString().S
	}
	if len(args) > 1 {
		f.defInit(global, args[0], args[len(args)-1])
	}
	f.defMeta(global, args[0])
	f.load(f.c.varOf(global), cx.dst)
	f.done(cx)
}

// defMeta compiles the metadata of a defined name that is not constant. It is evaluated with the
// definition. A type hint is a name only.
func (f *fn) defMeta(global int, name value.Value) {
	c, g := f.c, &f.c.env.Globals[global]
	var evaluated []value.Value
	if !g.Meta.IsNil() {
		for it := value.NewMapIter(g.Meta); it.Next(); {
			if _, constant := c.constantForm(it.Val); !constant && !value.Same(it.Key, keyTag) {
				evaluated = append(evaluated, it.Key, it.Val)
			}
		}
	}
	if len(evaluated) == 0 && !g.ownMeta {
		return
	}
	g.ownMeta = true
	of := c.t.List(c.t.Symbol("", "var"), c.t.Symbol(g.NS, g.Name))
	next := f.next
	constant := c.t.List(c.t.Symbol("", "quote"), value.MetaOf(c.varOf(global)))
	args := append([]value.Value{of, c.t.Symbol(CoreNS, "%defined-meta"), constant}, evaluated...)
	f.expr(c.callForm(name, CoreNS, MetaSetter, args), to(f.alloc(1)))
	f.next = next
}

// MetaSetter is the function that a definition with evaluated metadata calls on its var.
const MetaSetter = "alter-meta!"

var keyTag = value.ConstKeyword("tag")

// defInit compiles the value of a definition. A function is noted, so that its calls can be checked.
func (f *fn) defInit(global int, name, init value.Value) {
	next := f.next
	r := f.alloc(1)
	if head, _, ok := call(init); ok && f.c.isSpecial(f, head, entry.SpecialFn) {
		pos := f.at(init)
		code, captures := f.function(init, name.AsSymbol().Name)
		f.makeClosure(code, captures, r)
		f.pos = pos
		f.c.env.Globals[global].Arities = code
		f.c.env.Globals[global].ArgLists = f.c.argLists(init)
	} else {
		f.c.env.Globals[global].Arities = nil
		f.expr(init, to(r))
	}
	f.emitWide(OpDef, r, global)
	f.next = next
}

// argLists returns the parameter vectors of an fn* form.
func (c *Compiler) argLists(form value.Value) value.Value {
	_, args, _ := call(form)
	var lists []value.Value
	for _, a := range args {
		if a.Is(value.Vectors) {
			return c.t.List(a)
		}
		if items, ok := listItems(a); ok && len(items) > 0 {
			lists = append(lists, items[0])
		}
	}
	return c.t.List(lists...)
}

// intern1 enters a defined name into the current namespace.
func (c *Compiler) intern1(sym value.Value) int {
	s := sym.AsSymbol()
	ns := c.env.NS
	if s.NS != "" && s.NS != ns {
		c.fail(diag.BadForm, sym, "Can't create defs outside of current ns: %s", symbolText(s))
	}
	global := c.env.Intern(ns, s.Name)
	g := &c.env.Globals[global]
	g.Pos, g.Macro, g.Private, g.Doc, g.Meta, g.ArgLists = s.Pos, false, false, "", value.Nil, value.Nil
	if s.Meta != nil {
		meta := value.Of(s.Meta)
		g.Meta = Patterns(c.t, meta)
		g.Dynamic = g.Dynamic || value.GetName(meta, "dynamic").Truthy()
		g.Private = value.GetName(meta, "private").Truthy()
		if d := value.GetName(meta, "doc"); d.IsString() {
			g.Doc = d.AsString().S
		}
	}
	return global
}

func declareForm(f *fn, _ value.Value, args []value.Value, cx ctx) {
	last := value.Nil
	for _, a := range args {
		if !a.IsSymbol() {
			f.c.fail(diag.BadForm, a, "declare: want symbols")
		}
		last = f.c.varOf(f.c.intern1(a))
	}
	f.load(last, cx.dst)
	f.done(cx)
}

// defmacroForm compiles (defmacro name doc? attr? [params] body…): a function of &form, &env and
// the parameters, which expands later calls.
func defmacroForm(f *fn, form value.Value, args []value.Value, cx ctx) {
	if len(args) < 2 || !args[0].IsSymbol() {
		f.c.fail(diag.BadForm, form, "defmacro: want (defmacro name [params] body…)")
	}
	name, rest := args[0], args[1:]
	doc := ""
	for len(rest) > 1 && (rest[0].IsString() || rest[0].Is(value.Maps)) {
		if rest[0].IsString() {
			doc = rest[0].AsString().S
		} else {
			name = f.c.addMeta(name, rest[0])
		}
		rest = rest[1:]
	}
	if n := len(rest) - 1; n > 0 && rest[n].Is(value.Maps) && !rest[0].Is(value.Vectors) {
		name, rest = f.c.addMeta(name, rest[n]), rest[:n]
	}
	t := f.c.t
	items := []value.Value{t.Symbol(CoreNS, "fn"), name}
	if rest[0].Is(value.Vectors) {
		items = append(items, f.c.macroArity(rest))
	} else {
		for _, a := range rest {
			sub, ok := listItems(a)
			if !ok || len(sub) == 0 {
				f.c.fail(diag.BadForm, a, "defmacro: want ([params…] body…) for each arity")
			}
			items = append(items, f.c.macroArity(sub))
		}
	}
	fnForm := f.c.expandBuiltin(f, builtins.Lookup(CoreNS, "fn"), t.List(items...))
	global := f.c.intern1(name)
	f.defInit(global, name, fnForm)
	f.c.env.Globals[global].Macro = true
	if doc != "" {
		f.c.env.Globals[global].Doc = doc
	}
	f.c.env.Globals[global].Arities = nil
	f.defMeta(global, name)
	f.load(f.c.varOf(global), cx.dst)
	f.done(cx)
}

// addMeta returns a name with the attributes of a definition added to its metadata.
func (c *Compiler) addMeta(name, attrs value.Value) value.Value {
	meta := value.MetaOf(name)
	if meta.IsNil() {
		meta = value.EmptyMap
	}
	for it := value.NewMapIter(attrs); it.Next(); {
		meta = c.t.MapAssoc(meta, it.Key, it.Val)
	}
	return value.WithMeta(c.t, name, meta)
}

// macroArity puts the hidden parameters before those of one arity.
func (c *Compiler) macroArity(items []value.Value) value.Value {
	params := append([]value.Value{c.t.Symbol("", "&form"), c.t.Symbol("", "&env")}, value.Items(items[0])...)
	return c.t.List(append([]value.Value{c.t.Vector(params...)}, items[1:]...)...)
}
