// This file defines the tree that a compiler can record of a program: its expressions with the
// meaning of each name and call. The analyses of lang/lint read it, so that names are resolved in
// one way only.

package compile

import (
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// NodeKind is the kind of an expression.
type NodeKind uint8

// The kinds of nodes, with the fields that are set and the contents of Subs.
const (
	NodeConst   NodeKind = iota // a constant
	NodeColl                    // a literal of a collection: its parts that are no constants
	NodeLocal                   // Local
	NodeGlobal                  // Global
	NodeEntry                   // Entry: a builtin as a value
	NodeTool                    // Tool: as a value
	NodeCall                    // Entry or Global, or neither: then the function is the first of Subs; the arguments
	NodeKeyCall                 // (:key x): x
	NodeMacro                   // Entry or Global, or neither (a call of a method): the expansion
	NodeSpecial                 // Special, and Global or Entry for def, var and set!: the evaluated parts, in order
	NodeFn                      // Binds: its own name; the arities
	NodeArity                   // Binds: the parameters; the body
	NodeRoot                    // the top-level forms
)

// Node is an expression as the compiler understood it. Forms that a macro made are below
// the node of its call.
type Node struct {
	Kind      NodeKind
	Form      value.Value
	Pos       token.Pos     // of the form, or of the form around it
	Special   entry.Special // NotSpecial for a name that means nothing, where it is called or used
	Entry     *entry.Entry
	Global    int // -1 if there is none
	Tool      effect.Tool
	Local     *Binding
	Binds     []*Binding
	Subs      []*Node
	Parent    *Node
	Discarded bool // the value is not used
}

// Binding is a local name.
type Binding struct {
	Name string
	Pos  token.Pos // of the symbol that binds it; 0 if a macro made that
	Node *Node     // that binds it
	Init *Node     // of its value; nil for parameters and exceptions
}

// nodeBytes is charged for a node, the growth of Subs and a binding included.
const nodeBytes = 320

// maxNoted is the maximum number of errors of a compilation that notes a tree. Its caller wants to fix them
// all.
const maxNoted = 100

// Note makes the compiler record the tree of the program. Compilation is then slower, and so is the
// code. An unknown name does not end the compilation of its form, so all of them are reported.
func (c *Compiler) Note() {
	c.root = &Node{Kind: NodeRoot, Global: -1}
	c.node, c.most = c.root, maxNoted
}

// Tree returns the root of the tree. The forms that could not be compiled are not in it.
func (c *Compiler) Tree() *Node { return c.root }

// enter begins the node of a form, if a tree is noted, and returns the one around it, which
// is the argument of leave.
func (c *Compiler) enter(form value.Value) (outer *Node) {
	outer = c.node
	if outer == nil {
		return nil
	}
	c.t.Charge(nodeBytes)
	pos := posOf(form)
	if pos == 0 {
		pos = outer.Pos
	}
	n := &Node{Form: form, Pos: pos, Global: -1, Parent: outer}
	if form.Is(value.Vectors) || form.Is(value.Maps) || form.Is(value.Sets) {
		n.Kind = NodeColl
	}
	outer.Subs = append(outer.Subs, n)
	c.node = n
	return outer
}

func (c *Compiler) leave(outer *Node) { c.node = outer }

// noting reports whether a tree is recorded: then expr compiles every expression.
func (c *Compiler) noting() bool { return c.node != nil }

// note records the kind of the form under compilation, if a tree is recorded.
func (c *Compiler) note(kind NodeKind, set func(n *Node)) {
	if n := c.node; n != nil {
		n.Kind = kind
		set(n)
	}
}

// noteBinding notes a local that the form under compilation binds; nil if no tree is
// noted.
func (c *Compiler) noteBinding(sym value.Value) *Binding {
	if c.node == nil {
		return nil
	}
	b := &Binding{Name: sym.AsSymbol().Name, Pos: sym.AsSymbol().Pos, Node: c.node}
	c.node.Binds = append(c.node.Binds, b)
	return b
}

// noteInit records that the value of the last binding is the form that was compiled last.
func (c *Compiler) noteInit() {
	if c.node != nil {
		c.node.Binds[len(c.node.Binds)-1].Init = c.last()
	}
}

// last returns the last part of the form under compilation that was compiled.
func (c *Compiler) last() *Node {
	if c.node == nil || len(c.node.Subs) == 0 {
		return nil
	}
	return c.node.Subs[len(c.node.Subs)-1]
}

// binding returns the local that a name means.
func (f *fn) binding(name string) *Binding {
	for g := f; g != nil; g = g.parent {
		for i := len(g.locals) - 1; i >= 0; i-- {
			if g.locals[i].name == name {
				return g.locals[i].binding
			}
		}
		if g.self != "" && g.self == name {
			return g.selfBinding
		}
	}
	return nil
}

// meaningless fails for an unknown symbol; at and args are its call, if it is called. If a tree is
// recorded, the compilation continues: the arguments are compiled for their errors, unless they
// look like bindings of a macro.
func (f *fn) meaningless(sym, at value.Value, args []value.Value, cx ctx) {
	err := f.c.unknown(f, sym, at)
	if f.c.isLack(err, sym.AsSymbol()) {
		if posOf(sym) != 0 {
			at = sym
		}
		f.lack(err, at, args, cx)
		return
	}
	if f.interned(err, sym, at, args, at != sym, cx) {
		return
	}
	if !f.c.noting() {
		panic(failure{err})
	}
	f.c.report(err)
	f.c.note(NodeSpecial, func(*Node) {})
	if len(args) == 0 || !args[0].Is(value.Vectors) && !f.binds(args[0]) {
		for _, a := range args {
			next := f.next
			f.expr(a, to(f.alloc(1)))
			f.next = next
		}
	}
	f.load(value.Nil, cx.dst)
	f.done(cx)
}

// binds reports whether a form is an unknown symbol, like the name in a definition.
func (f *fn) binds(form value.Value) bool {
	return form.IsSymbol() && !f.isLocal(form) && f.c.lookup(form.AsSymbol()).kind == refNone
}
