// This file defines the call graph: units are pieces of code that run as a whole, sites are
// where one of them, or a tool, is called.

package lint

import (
	"slices"

	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// unit is a function, or the program itself.
type unit struct {
	node     *compile.Node
	sites    []*site // in it
	callers  []*site // of it
	reached  bool
	parallel bool
	total    Bound
	state    uint8    // of the count: not begun, under way, done
	guards   []string // around every call of it
	guarded  bool     // guards is known
}

// site is an expression that calls something.
type site struct {
	in       *unit
	node     *compile.Node
	unit     *unit       // what is called: a unit,
	tool     effect.Tool // or a tool,
	asks     bool        // or a person
	times    Bound       // for each time that the unit it is in runs
	parallel bool
	guards   []string
	later    bool // it may be called when the unit, and the guards, are left
}

// around returns the guards that are around every call of a site.
func (s *site) around() []string {
	if s.later {
		return nil
	}
	return append(slices.Clone(s.in.guards), s.guards...)
}

// graph is the call graph of a program.
type graph struct {
	*Program
	root     *unit
	units    map[*compile.Node]*unit
	order    []*unit
	defined  map[int][]*compile.Node // the functions of globals
	parallel []parallelSite
	atoms    map[int]bool  // globals that are defined as atoms
	eval     *compile.Node // where the program evaluates its own code, or may
	looksUp  bool
	workers  bool // some operation is parallel
}

// parallelSite is a call of a parallel operation with the sites of the calls of its workers.
type parallelSite struct {
	node  *compile.Node
	sites []*site
}

// scope has the circumstances of an expression in a unit.
type scope struct {
	in     *unit
	times  Bound
	guards []string
	later  bool
}

// postponed returns the scope of calls made by a receiver of a value, if there is one.
func (c scope) postponed() scope {
	c.later = true
	return c
}

func (c scope) repeated(b Bound) scope {
	c.times = c.times.times(b)
	return c
}

var (
	once      = constant(1)
	byData    = Bound{Kind: ByData}
	unbounded = Bound{Kind: Unbounded}
)

// newGraph makes the graph of a program.
func newGraph(p *Program) *graph {
	g := &graph{Program: p, units: make(map[*compile.Node]*unit), defined: make(map[int][]*compile.Node),
		atoms: make(map[int]bool)}
	g.root = g.unitOf(p.Tree)
	g.definitions(p.Tree)
	g.all(p.Tree.Subs, scope{in: g.root, times: once})
	for i := 0; i < len(g.order); i++ { // walking a unit finds further ones
		if u := g.order[i]; u != g.root {
			g.function(u)
		}
	}
	if g.looksUp {
		for _, fns := range g.defined {
			for _, fn := range fns {
				g.add(&site{in: g.root, node: fn, unit: g.unitOf(fn), times: unbounded})
			}
		}
	}
	return g
}

func (g *graph) unitOf(n *compile.Node) *unit {
	if u := g.units[n]; u != nil {
		return u
	}
	u := &unit{node: n}
	g.units[n] = u
	g.order = append(g.order, u)
	return u
}

// definitions finds the functions that globals are defined as.
func (g *graph) definitions(n *compile.Node) {
	g.Task.Work(1)
	if fn := definedFn(n); fn != nil {
		g.defined[n.Global] = append(g.defined[n.Global], fn)
		g.unitOf(fn)
	}
	if n.Special == entry.SpecialDef && len(n.Subs) > 0 && makesAtom(n.Subs[0]) {
		g.atoms[n.Global] = true
	}
	if n.Entry != nil {
		g.looksUp, g.workers = g.looksUp || n.Entry.Is(entry.ReachesNames), g.workers || n.Entry.Calls.Parallel
	}
	for _, sub := range n.Subs {
		g.definitions(sub)
	}
}

// definedFn returns the function that a definition defines, nil if it defines no function.
func definedFn(n *compile.Node) *compile.Node {
	if n.Special != entry.SpecialDef && n.Special != entry.SpecialDefmacro || len(n.Subs) == 0 {
		return nil
	}
	if items, _ := value.RealisedItems(n.Form); n.Special == entry.SpecialDef && len(items) < 3 {
		return nil // the nodes below it are metadata
	}
	if fn := unwrap(n.Subs[0]); fn.Kind == compile.NodeFn {
		return fn
	}
	return nil
}

// function walks the code of a function.
func (g *graph) function(u *unit) {
	cx := scope{in: u, times: once}
	for _, arity := range u.node.Subs {
		if arity.Kind != compile.NodeArity {
			g.walk(arity, cx)
			continue
		}
		again := cx
		if recurs(arity) {
			again = cx.repeated(unbounded)
		}
		g.all(arity.Subs, again)
	}
}

// recurs reports whether the body of a function goes back to its beginning.
func recurs(n *compile.Node) bool {
	return slices.ContainsFunc(n.Subs, func(sub *compile.Node) bool {
		if sub.Kind == compile.NodeFn || sub.Special == entry.SpecialLoop {
			return false // a recur in there is of that; and none is in what a loop begins with
		}
		return sub.Special == entry.SpecialRecur || recurs(sub)
	})
}

// add enters a site.
func (g *graph) add(s *site) {
	s.in.sites = append(s.in.sites, s)
	if s.unit != nil {
		s.unit.callers = append(s.unit.callers, s)
	}
}

// target is the value of an expression, if it is known to be callable.
type target struct {
	fn     *compile.Node
	tool   effect.Tool
	global int // -1 if it is none
}

// maxAliases is how many names for one another are followed.
const maxAliases = 100

// targetOf returns the target of an expression; ok is false if it is not known.
func targetOf(n *compile.Node) (t target, ok bool) {
	for range maxAliases {
		n = unwrap(n)
		switch {
		case n.Kind == compile.NodeFn:
			return target{fn: n, global: -1}, true
		case n.Kind == compile.NodeTool:
			return target{tool: n.Tool, global: -1}, true
		case n.Kind == compile.NodeGlobal:
			return target{global: n.Global}, true
		case n.Kind == compile.NodeLocal && n.Local != nil:
			b := n.Local
			if b.Node.Kind == compile.NodeFn { // a function knows itself
				return target{fn: b.Node, global: -1}, true
			}
			if b.Init == nil || b.Node.Special == entry.SpecialLoop {
				return target{}, false
			}
			n = b.Init
		default:
			return target{}, false
		}
	}
	return target{}, false
}

// deferred reports whether the value of a local is noted at its uses.
func deferred(init *compile.Node) bool {
	n := unwrap(init)
	return n.Kind == compile.NodeFn || n.Kind == compile.NodeTool
}
