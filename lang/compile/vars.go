// This file defines vars as values: the special form var, and their metadata.

package compile

import (
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

func varForm(f *fn, form value.Value, args []value.Value, cx ctx) {
	f.want(form, args, 1, 1, "(var name)")
	if !args[0].IsSymbol() {
		f.c.fail(diag.BadForm, form, "var: want a symbol")
	}
	r := f.c.lookup(args[0].AsSymbol())
	switch r.kind {
	case refGlobal:
		f.c.note(NodeSpecial, func(n *Node) { n.Global = r.global })
		f.load(f.c.varOf(r.global), cx.dst)
	case refEntry:
		f.c.note(NodeSpecial, func(n *Node) { n.Entry = r.entry })
		f.load(f.c.entryVar(form, r.entry), cx.dst)
	case refValue:
		if r.value.Kind() == value.KindProtocol { // one of the library
			p := r.value.AsProtocol()
			ns, name := value.SplitName(p.Name)
			meta := f.c.t.MapOf(keyName, f.c.t.Symbol("", name), keyNS, f.c.t.Namespace(ns))
			f.load(f.c.t.Var(f.c.t.Symbol(ns, name), -1, r.value, meta), cx.dst)
			break
		}
		panic(failure{f.c.unknown(f, args[0], form)})
	default:
		err := f.c.unknown(f, args[0], form)
		if f.c.isLack(err, args[0].AsSymbol()) {
			f.lack(err, form, nil, cx)
			return
		}
		panic(failure{err})
	}
	f.done(cx)
}

// The keys of a var's metadata.
var (
	keyName     = value.ConstKeyword("name")
	keyNS       = value.ConstKeyword("ns")
	keyDoc      = value.ConstKeyword("doc")
	keyArgLists = value.ConstKeyword("arglists")
	keyMacro    = value.ConstKeyword("macro")
	keyDynamic  = value.ConstKeyword("dynamic")
)

// varOf returns the var of a global.
func (c *Compiler) varOf(global int) value.Value {
	g := &c.env.Globals[global]
	meta := g.Meta
	if meta.IsNil() {
		meta = c.t.MapOf()
	}
	add := func(key, v value.Value) {
		if !v.IsNil() && v != value.False {
			meta = c.t.MapAssoc(meta, key, v)
		}
	}
	add(keyName, c.t.Symbol("", g.Name))
	add(keyNS, c.t.Namespace(g.NS))
	if g.Doc != "" {
		add(keyDoc, c.t.CopyString(g.Doc))
	}
	add(keyMacro, value.Bool(g.Macro))
	add(keyDynamic, value.Bool(g.Dynamic))
	return c.t.Var(c.t.Symbol(g.NS, g.Name), int32(global), value.Nil, meta)
}

// entryVar returns the var of a name of the library.
func (c *Compiler) entryVar(form value.Value, e *entry.Entry) value.Value {
	t := c.t
	var root value.Value
	if e.Macro != nil || e.IsForm() {
		root = macroFunction(e)
	} else {
		root = c.entryValue(form, e)
	}
	var lists []value.Value
	for _, sig := range e.Signatures() {
		var names []value.Value
		for i, n := range sig.Names {
			if sig.Rest && i == len(sig.Names)-1 {
				names = append(names, t.Symbol("", "&"))
			}
			names = append(names, t.Symbol("", n))
		}
		lists = append(lists, t.Vector(names...))
	}
	meta := t.MapOf(keyName, t.Symbol("", e.Name), keyNS, t.Namespace(e.NS), keyDoc, t.CopyString(e.Doc), keyArgLists,
		t.List(lists...))
	if e.Macro != nil || e.IsForm() {
		meta = t.MapAssoc(meta, keyMacro, value.True)
	}
	return t.Var(t.Symbol(e.NS, e.Name), -1, root, meta)
}
