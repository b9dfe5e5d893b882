// This file defines how the graph uses the facts about builtins that take functions: which argument is a
// function, and how often it is called. A builtin without these facts may call its arguments any number of
// times.

package lint

import (
	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// bounds are the bounds of the calls of a function, except for TimesOption.
var bounds = [...]Bound{entry.TimesUnknown: unbounded, entry.TimesOnce: once, entry.TimesTwice: constant(2),
	entry.TimesElements: byData, entry.TimesOption: unbounded}

// builtinCall enters the callees of a builtin, and the effects of its arguments.
func (g *graph) builtinCall(n *compile.Node, cx scope) {
	c := n.Entry.Calls
	if c.Times == entry.TimesUnknown || len(n.Subs) < int(c.Least) {
		g.all(n.Subs, cx)
		return
	}
	times := bounds[c.Times]
	switch {
	case c.Times == entry.TimesOption:
		times = tries(n.Subs[0])
	case c.Times == entry.TimesElements && !c.Parallel && anyEndless(n.Subs):
		times = unbounded
	}
	if c.When >= entry.CallsLater {
		cx = cx.postponed()
	}
	var sites []*site
	for i, sub := range n.Subs {
		if i < int(c.First) || i > int(c.Last) {
			g.walk(sub, cx)
			continue
		}
		sites = append(sites, g.applied(sub, cx.repeated(times), c.Parallel)...)
	}
	if c.Parallel {
		g.parallel = append(g.parallel, parallelSite{n, sites})
	}
}

func anyEndless(nodes []*compile.Node) bool {
	for _, n := range nodes {
		if endless(n.Form) {
			return true
		}
	}
	return false
}

// tries returns how often retry evaluates its body, by its options.
func tries(options *compile.Node) Bound {
	n := unwrap(options)
	if !n.Form.Is(value.Maps) {
		return unbounded
	}
	times := value.GetName(n.Form, "times")
	switch {
	case times.IsNil():
		return constant(3)
	case times.IsInt() && times.AsInt() >= 0 && times.AsInt() <= mostConstant:
		return constant(int(times.AsInt()))
	}
	return unbounded
}

// applied enters the callees of a function that an expression returns, when it is called.
func (g *graph) applied(n *compile.Node, cx scope, parallel bool) []*site {
	n = unwrap(n)
	if n.Kind == compile.NodeCall && n.Entry != nil {
		switch {
		case n.Entry.MakesTransducer(len(n.Subs)):
			return g.appliedAll(n.Subs, cx.repeated(byData), parallel)
		case n.Entry.Makes == entry.MakesRepeated:
			return g.appliedAll(n.Subs, cx.repeated(byData), parallel)
		case n.Entry.Makes == entry.MakesComposed:
			return g.appliedAll(n.Subs, cx, parallel)
		case n.Entry.Makes != entry.MakesUnknown && len(n.Subs) > 0:
			return g.filled(n, cx, parallel)
		}
	}
	if sites := g.reach(n, cx, parallel); sites != nil {
		return sites
	}
	g.walk(n, cx)
	return nil
}

func (g *graph) appliedAll(nodes []*compile.Node, cx scope, parallel bool) (sites []*site) {
	for _, n := range nodes {
		sites = append(sites, g.applied(n, cx, parallel)...)
	}
	return sites
}

// filled enters what a function calls that has been given some of its arguments, which it
// may call as well.
func (g *graph) filled(n *compile.Node, cx scope, parallel bool) []*site {
	head, rest := n.Subs[0], n.Subs[1:]
	sites := g.applied(head, cx, parallel)
	var c entry.Calls
	if head.Kind == compile.NodeEntry && n.Entry.Makes == entry.MakesPartial {
		c = head.Entry.Calls
	}
	for i, sub := range rest {
		if c.Times == entry.TimesUnknown || i < int(c.First) || i > int(c.Last) {
			g.walk(sub, cx)
			continue
		}
		sites = append(sites, g.applied(sub, cx.repeated(bounds[c.Times]), parallel || c.Parallel)...)
	}
	return sites
}
