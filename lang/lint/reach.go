// This file defines how the graph is made from expressions, and how it is read.

package lint

import (
	"cmp"
	"slices"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/effect"
)

func (g *graph) all(nodes []*compile.Node, cx scope) {
	for _, n := range nodes {
		g.walk(n, cx)
	}
}

// walk enters the sites of an expression whose value may go anywhere.
func (g *graph) walk(n *compile.Node, cx scope) {
	g.Task.Work(1)
	switch n.Kind {
	case compile.NodeCall:
		g.callSite(n, cx)
	case compile.NodeMacro:
		if made := unwrap(n); n.Entry != nil && n.Entry.Loop == entry.LoopLazy && made.Kind == compile.NodeCall {
			g.reach(made.Subs[0], g.inMacro(n, cx).postponed(), false)
			g.all(made.Subs[1:], cx) // the first collection, once
			return
		}
		g.all(n.Subs, g.inMacro(n, cx))
	case compile.NodeSpecial:
		g.specialForm(n, cx)
	case compile.NodeFn, compile.NodeTool, compile.NodeGlobal:
		g.reach(n, cx.repeated(unbounded).postponed(), false)
	case compile.NodeLocal:
		if t, ok := targetOf(n); ok && t.global < 0 {
			g.reach(n, cx.repeated(unbounded).postponed(), false)
		}
	case compile.NodeEntry:
		g.noteAny(n)
		g.usesTool(n, cx.repeated(unbounded).postponed())
		g.asks(n, cx.repeated(unbounded).postponed())
	default:
		g.all(n.Subs, cx)
	}
}

// asks enters the site of a builtin that asks a person.
func (g *graph) asks(n *compile.Node, cx scope) {
	if n.Entry != nil && n.Entry.Asks {
		g.add(&site{in: cx.in, node: n, asks: true, times: cx.times, parallel: cx.later && g.workers, guards: cx.guards,
			later: cx.later})
	}
}

// usesTool enters the site of a builtin that reads the time of day, or calls a tool: it is as a call of the
// tool whose grant it needs.
func (g *graph) usesTool(n *compile.Node, cx scope) {
	name := ""
	switch {
	case n.Entry == nil:
		return
	case n.Entry.Tool != "":
		name = n.Entry.Tool
	case n.Entry.Clock && len(n.Subs) == 0:
		name = builtins.ClockTool
	default:
		return
	}
	if tool := g.Env.Tools.Named(name); tool != nil {
		g.add(&site{in: cx.in, node: n, tool: tool, times: cx.times, parallel: cx.later && g.workers, guards: cx.guards,
			later: cx.later})
	}
}

// noteAny notes where a program evaluates code that it makes, or may get eval as a value.
func (g *graph) noteAny(n *compile.Node) {
	if g.eval == nil && findsAny(n) {
		g.eval = n
	}
}

// findsAny reports whether a builtin may evaluate any form, or find eval: by a name that the
// program does not have in its text, or in all names of a namespace.
func findsAny(n *compile.Node) bool {
	if !n.Entry.Is(entry.FindsNamed) {
		return n.Entry.Is(entry.FindsAny)
	}
	if n.Kind != compile.NodeCall || len(n.Subs) == 0 {
		return true
	}
	quoted, _ := value.RealisedItems(n.Subs[len(n.Subs)-1].Form)
	if len(quoted) != 2 || !quoted[0].IsSymbol() || quoted[0].AsSymbol().Name != "quote" || !quoted[1].IsSymbol() {
		return true
	}
	return builtins.Core(quoted[1].AsSymbol().Name).Is(entry.FindsNamed | entry.FindsAny)
}

// reach enters the site of the value of an expression, if that can be called.
func (g *graph) reach(n *compile.Node, cx scope, parallel bool) (sites []*site) {
	t, ok := targetOf(n)
	if !ok {
		return nil
	}
	enter := func(s site) {
		s.in, s.node, s.times, s.parallel, s.guards, s.later = cx.in, n, cx.times, parallel || cx.later && g.workers,
			cx.guards, cx.later
		g.add(&s)
		sites = append(sites, &s)
	}
	switch {
	case t.tool != nil:
		enter(site{tool: t.tool})
	case t.fn != nil:
		enter(site{unit: g.unitOf(t.fn)})
	default:
		for _, fn := range g.defined[t.global] {
			enter(site{unit: g.unitOf(fn)})
		}
	}
	return sites
}

// callSite enters the callee of a call, and the effects of its arguments.
func (g *graph) callSite(n *compile.Node, cx scope) {
	switch {
	case n.Entry != nil:
		g.noteAny(n)
		g.usesTool(n, cx)
		g.asks(n, cx)
		g.builtinCall(n, cx)
	case n.Global >= 0:
		for _, fn := range g.defined[n.Global] {
			g.add(&site{in: cx.in, node: n, unit: g.unitOf(fn), times: cx.times, guards: cx.guards})
		}
		g.all(n.Subs, cx)
	default:
		head := n.Subs[0]
		if !madeSelf(head) {
			if sites := g.reach(head, cx, false); sites == nil {
				g.walk(head, cx)
			}
		}
		g.all(n.Subs[1:], cx)
	}
}

// madeSelf reports whether a function that a macro made calls itself: for continues so, and
// how often is known from the macro.
func madeSelf(head *compile.Node) bool {
	return head.Kind == compile.NodeLocal && head.Local != nil && head.Local.Node.Kind == compile.NodeFn &&
		head.Local.Pos == 0 && within(head) == entry.LoopLazy
}

// within returns the kind of loop of the macro around a node.
func within(n *compile.Node) entry.Loop {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.Kind == compile.NodeMacro {
			if p.Entry != nil {
				return p.Entry.Loop
			}
			break
		}
	}
	return entry.LoopUnknown
}

// inMacro returns the scope of the expansion of a macro call.
func (g *graph) inMacro(n *compile.Node, cx scope) scope {
	if n.Entry == nil {
		return cx
	}
	items, _ := value.RealisedItems(n.Form)
	switch {
	case n.Entry.Loop == entry.LoopLazy:
		if len(items) > 1 && endless(items[1]) {
			return cx.repeated(unbounded)
		}
		return cx.repeated(byData)
	case n.Entry.Is(entry.GuardsBody):
		guard := n.Entry.Name
		if len(items) > 1 && items[1].IsString() {
			guard += " " + items[1].AsString().S
		}
		cx.guards = append(slices.Clip(cx.guards), guard)
	}
	return cx
}

// specialForm walks a special form.
func (g *graph) specialForm(n *compile.Node, cx scope) {
	switch n.Special {
	case entry.SpecialQuote, entry.SpecialDefmacro:
	case entry.SpecialDef:
		if fn := definedFn(n); fn != nil {
			g.all(n.Subs[1:], cx)
			return
		}
		g.all(n.Subs, cx)
	case entry.SpecialVar, entry.SpecialSet:
		if n.Global >= 0 && !ofMetadata(n) {
			g.reach(&compile.Node{Kind: compile.NodeGlobal, Global: n.Global, Form: n.Form, Pos: n.Pos},
				cx.repeated(unbounded).postponed(), false)
		}
		g.noteAny(n)
		g.usesTool(n, cx.repeated(unbounded).postponed())
		g.asks(n, cx.repeated(unbounded).postponed())
		g.all(n.Subs, cx)
	case entry.SpecialLet, entry.SpecialLetfn:
		for _, sub := range n.Subs {
			if !slices.ContainsFunc(n.Binds, func(b *compile.Binding) bool { return b.Init == sub && deferred(sub) }) {
				g.walk(sub, cx)
			}
		}
	case entry.SpecialLoop:
		g.all(n.Subs[:len(n.Binds)], cx)
		g.all(n.Subs[len(n.Binds):], cx.repeated(g.turns(n)))
	case entry.SpecialFold:
		g.all(n.Subs[:2], cx)
		times := byData
		if endless(n.Subs[0].Form) {
			times = unbounded
		}
		g.all(n.Subs[2:], cx.repeated(times))
	case entry.SpecialLazySeq:
		times := unbounded // after an error it begins again, and each worker does for itself
		if !g.written(n) && within(n) == entry.LoopLazy {
			times = once // for itself has counted
		}
		for _, sub := range n.Subs {
			g.reach(sub, cx.repeated(times).postponed(), false)
		}
	default:
		g.all(n.Subs, cx)
	}
}

// ofMetadata reports whether a var is mentioned by the definition itself, which returns it its
// metadata.
func ofMetadata(n *compile.Node) bool {
	if n.Parent == nil || n.Parent.Parent == nil {
		return false
	}
	def := n.Parent.Parent
	return def.Special == entry.SpecialDef && def.Global == n.Global && n.Parent.Subs[0] == n &&
		n.Parent.Entry != nil && n.Parent.Entry == builtins.Core(compile.MetaSetter)
}

// written reports whether the program has a special form itself, where a macro may have one
// of the name.
func (g *graph) written(n *compile.Node) bool {
	items, _ := value.RealisedItems(n.Form)
	return len(items) > 0 && items[0].IsSymbol() && g.File.Contains(items[0].AsSymbol().Pos)
}

// turns returns how often the body of a loop is evaluated.
func (g *graph) turns(n *compile.Node) Bound {
	if g.written(n) {
		return unbounded
	}
	switch within(n) {
	case entry.LoopLazy:
		return once // for itself has counted
	case entry.LoopElements:
		return byData
	case entry.LoopCount:
		for p := n.Parent; p != nil; p = p.Parent {
			if p.Kind != compile.NodeMacro {
				continue
			}
			items, _ := value.RealisedItems(p.Form)
			if vec := value.Items(items[1]); len(vec) == 2 && vec[1].IsInt() && vec[1].AsInt() <= mostConstant {
				return constant(int(max(vec[1].AsInt(), 0)))
			}
			return byData
		}
	}
	return unbounded
}

// endless reports whether a form mentions what makes a sequence without an end.
func endless(form value.Value) bool {
	if form.Is(value.Vectors) {
		return slices.ContainsFunc(value.Items(form), endless)
	}
	items, ok := value.RealisedItems(form)
	if !ok || !form.Is(lists) || len(items) == 0 {
		return false
	}
	if head := items[0]; head.IsSymbol() {
		switch e := builtins.Core(head.AsSymbol().Name); {
		case e == nil:
		case e.Endless.Of(len(items) - 1):
			return true
		case e.Is(entry.Cuts):
			return false
		}
	}
	return slices.ContainsFunc(items[1:], endless)
}

// Reach returns the tools that a program can reach.
func Reach(p *Program) *Effects {
	g := newGraph(p)
	g.spread()
	e := &Effects{AnyTool: g.eval != nil, graph: g, parallel: g.parallel}
	if g.eval != nil {
		e.AnyAt = g.spanOf(g.eval)
	}
	uses := make(map[effect.Tool]*ToolUse)
	for _, u := range g.order {
		if !u.reached {
			continue
		}
		for _, s := range u.sites {
			switch {
			case s.tool != nil:
				g.use(uses, s)
			case s.asks:
				if e.Asks == nil {
					e.Asks = &Questions{}
				}
				e.Asks.add(g, s)
			}
		}
	}
	for _, use := range uses {
		e.Tools = append(e.Tools, *use)
	}
	slices.SortFunc(e.Tools, func(a, b ToolUse) int { return cmp.Compare(a.Name, b.Name) })
	return e
}

// add adds a question.
func (q *Questions) add(g *graph, s *site) {
	q.Calls = q.Calls.plus(g.total(s.in).times(s.times))
	q.Parallel = q.Parallel || s.parallel || s.in.parallel
	q.Places = g.place(q.Places, s)
}

// place adds the place of a site to at most maxPlaces.
func (g *graph) place(places []token.Span, s *site) []token.Span {
	if at := g.spanOf(s.node); len(places) < maxPlaces && !at.IsZero() {
		places = append(places, at)
	}
	return places
}

// use adds a call of a tool.
func (g *graph) use(uses map[effect.Tool]*ToolUse, s *site) {
	around, declared := s.around(), g.Tools(s.tool)
	if declared != nil && declared.Guards != "" {
		around = append(around, declared.Guards)
	}
	have := uses[s.tool]
	if have == nil {
		have = &ToolUse{Name: s.tool.Name(), Signature: s.tool.Signature(), Guards: around}
		if declared != nil {
			have.Effect, have.Approval = declared.Effect, declared.Approval
		}
		uses[s.tool] = have
	}
	have.Calls = have.Calls.plus(g.total(s.in).times(s.times))
	have.Guards = common(have.Guards, around)
	have.Parallel = have.Parallel || s.parallel || s.in.parallel
	have.Places = g.place(have.Places, s)
}

// common returns the elements that are in both lists, each once.
func common(a, b []string) []string {
	var both []string
	for _, x := range a {
		if slices.Contains(b, x) && !slices.Contains(both, x) {
			both = append(both, x)
		}
	}
	return both
}

// spread finds the units that are reached, in parallel or not, and under which guards.
func (g *graph) spread() {
	g.root.reached, g.root.guarded = true, true
	for work := []*unit{g.root}; len(work) > 0; {
		u := work[len(work)-1]
		work = work[:len(work)-1]
		for _, s := range u.sites {
			g.Task.Work(1)
			v := s.unit
			if v == nil {
				continue
			}
			around := s.around()
			if v.guarded {
				around = common(v.guards, around)
			}
			if v.reached && v.guarded && len(around) == len(v.guards) && (v.parallel || !s.parallel && !u.parallel) {
				continue
			}
			v.parallel = v.parallel || s.parallel || u.parallel
			v.reached, v.guarded, v.guards = true, true, common(around, around)
			work = append(work, v)
		}
	}
}

// The states of the count of a unit.
const (
	fresh uint8 = iota
	counting
	counted
)

// total returns how often a unit runs. The number is unknown for a unit in a cycle of calls.
func (g *graph) total(u *unit) Bound {
	if u == g.root {
		return once
	}
	if u.state == counting {
		return unbounded
	}
	if u.state == fresh {
		u.state = counting
		sum := constant(0)
		for _, s := range u.callers {
			g.Task.Work(1)
			if s.in.reached {
				sum = sum.plus(g.total(s.in).times(s.times))
			}
		}
		u.total, u.state = sum, counted
	}
	return u.total
}
