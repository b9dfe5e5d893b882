// This file defines the warnings about parallel operations whose effects have an order.

package lint

import (
	"strconv"
	"strings"

	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// ordered warns of parallel operations whose workers write without a guard, end the run, or change what
// belongs to the evaluation that started them.
func (l *linter) ordered(e *Effects) {
	for _, p := range e.parallel {
		open := l.src.written(p.node)
		if open < 0 {
			continue
		}
		head, _ := l.src.symbol(firstOf(p.node.Form))
		w := &workers{graph: e.graph, op: p.node, seen: make(map[*unit]bool)}
		for _, s := range p.sites {
			w.follow(s, s.in)
		}
		switch {
		case w.changed != nil:
			line, _ := l.File.LineCol(l.spanOf(w.changed).Start)
			l.warn(OrderedEffects, head, Diagnostic{
				Message: w.op.Entry.Name + ": its workers change, in line " + strconv.Itoa(line) +
					", an atom or ref made outside of them, which fails with not-owner",
				Hint: "return the value instead, in the same order: (reset! a (" + w.op.Entry.Name +
					" …)); or use mapv or doseq"})
		case w.ending != nil:
			l.ending(w)
		case w.writes != nil:
			l.warn(OrderedEffects, head, Diagnostic{
				Message: w.op.Entry.Name + ": its workers call tool/" + w.writes.Name() + ", which writes, in no determined order",
				Hint: "if the order matters use mapv or doseq; if calls must not overlap, put (global-exclusive …) or " +
					"(host-exclusive host …) around them"})
		}
	}
}

func firstOf(form value.Value) value.Value {
	items, _ := value.RealisedItems(form)
	return items[0]
}

// spanOf returns the place of a node.
func (p *Program) spanOf(n *compile.Node) token.Span {
	if n.Pos == 0 || !p.File.Contains(n.Pos) {
		return token.Span{}
	}
	start := p.File.Offset(n.Pos)
	end := min(start+1, len(p.File.Source))
	if n.Form.IsSymbol() {
		s := n.Form.AsSymbol()
		name := s.Name
		if s.NS != "" {
			name = s.NS + "/" + s.Name
		}
		if strings.HasPrefix(p.File.Source[start:], name) {
			end = start + len(name)
		}
	}
	return token.Span{File: p.File, Start: start, End: end}
}

// workers finds the actions of the workers of an operation.
type workers struct {
	*graph
	op      *compile.Node
	seen    map[*unit]bool
	writes  effect.Tool   // without a guard
	changed *compile.Node // of an atom from outside
	ending  *compile.Node // a call that ends the whole run
}

// follow goes to what a site calls. in is the unit that the operation is in.
func (w *workers) follow(s *site, in *unit) {
	w.Task.Work(1)
	guarded := s.in != in && len(s.guards) > 0
	if s.tool != nil {
		if t := w.Tools(s.tool); t != nil && t.Effect == "write" && !t.Exclusive && !apart(s, t) {
			w.writes = s.tool
		}
		return
	}
	if s.unit == nil || w.seen[s.unit] {
		return
	}
	w.seen[s.unit] = true
	if w.changed == nil {
		w.changed = w.foreign(s.unit.node, s.unit.node)
	}
	if w.ending == nil {
		w.ending = w.endsRun(s.unit.node, s.unit.node)
	}
	if guarded {
		return
	}
	for _, further := range s.unit.sites {
		w.follow(further, in)
	}
}

// endsRun finds a call in a function, not in those that it calls, that ends the whole run.
func (w *workers) endsRun(n, fn *compile.Node) *compile.Node {
	w.Task.Work(1)
	if n.Kind == compile.NodeCall && n.Entry.Is(entry.NeverReturns) {
		return n
	}
	for _, sub := range n.Subs {
		if sub.Kind == compile.NodeFn && sub != fn {
			continue
		}
		if found := w.endsRun(sub, fn); found != nil {
			return found
		}
	}
	return nil
}

// ending warns of a call that ends the whole run from a worker.
func (l *linter) ending(w *workers) {
	at, ok := l.placeOf(w.ending)
	if !ok {
		return
	}
	l.warn(EndsRun, at, Diagnostic{Message: w.ending.Entry.Name + " in a worker of " + w.op.Entry.Name +
		" ends the whole run, not only the element",
		Hint: `(throw (ex-info "why" {})) is the failure of one element, and the value of the function its result`})
}

// apart reports whether the calls of a site, each for an element, are for hosts of their own.
func apart(s *site, t *Tool) bool {
	if t.Host == "" {
		return false
	}
	call := s.node
	if call.Kind == compile.NodeTool && call.Parent != nil {
		call = call.Parent
	}
	if len(call.Subs) == 0 || call.Subs[0].Kind != compile.NodeTool {
		return true // the tool is given as a value, and gets the elements
	}
	items, _ := value.RealisedItems(call.Form)
	args, ok := arguments(items[1:], s.tool.Sole())
	if !ok {
		return true
	}
	_, varies := args[t.Host].(Unknown)
	return varies
}

// foreign finds a change of an atom in a function that was not made by the call of it: of
// a global, or of a local from around both the function and the operation.
func (w *workers) foreign(n, fn *compile.Node) *compile.Node {
	w.Task.Work(1)
	if n.Kind == compile.NodeCall && n.Entry != nil && n.Entry.Purity == entry.Changes && len(n.Subs) > 0 {
		switch a := n.Subs[0]; {
		case a.Kind == compile.NodeGlobal && w.atoms[a.Global]:
			return n
		case a.Kind == compile.NodeLocal && a.Local != nil && a.Local.Init != nil && makesAtom(a.Local.Init) &&
			!below(a.Local.Node, fn) && below(w.op, a.Local.Node):
			return n
		}
	}
	for _, sub := range n.Subs {
		if sub.Kind == compile.NodeFn && sub != fn {
			continue // it is followed if it is called
		}
		if found := w.foreign(sub, fn); found != nil {
			return found
		}
	}
	return nil
}

// below reports whether a node is in another one.
func below(n, around *compile.Node) bool {
	for ; n != nil; n = n.Parent {
		if n == around {
			return true
		}
	}
	return false
}

// makesAtom reports whether an expression makes an atom, a ref or a volatile.
func makesAtom(n *compile.Node) bool {
	n = unwrap(n)
	return n.Kind == compile.NodeCall && n.Entry.Is(entry.MakesCells)
}
