// This file defines what is known of builtins that take functions: which argument is one,
// and how often it is called. What is not listed may call its arguments as often as it
// likes.

package lint

import (
	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/value"
)

// caller is a builtin that calls its arguments.
type caller struct {
	first, last int // the functions among its arguments; last -1: to the end
	times       Bound
	least       int // arguments: with fewer it gives a transducer, or is something else
	parallel    bool
}

// callerNamed gives what is known of a builtin, by its name in clojure.core.
func callerNamed(name string) (c caller, ok bool) {
	switch name {
	case "map", "mapv", "mapcat", "filter", "filterv", "remove", "keep", "keep-indexed", "map-indexed", "run!", "reduce", "reductions",
		"every?", "some", "not-any?", "not-every?", "sort-by", "group-by", "partition-by", "take-while", "drop-while", "split-with",
		"reduce-kv":
		return caller{0, 0, byData, 2, false}, true
	case "min-key", "max-key":
		return caller{0, 0, byData, 2, false}, true
	case "update-vals", "update-keys":
		return caller{1, 1, byData, 2, false}, true
	case "into":
		return caller{1, 1, byData, 3, false}, true
	case "transduce":
		return caller{0, 1, byData, 3, false}, true
	case "apply":
		return caller{0, 0, once, 1, false}, true
	case "update", "update-in":
		return caller{2, 2, once, 3, false}, true
	case "swap!", "alter", "%limited":
		return caller{1, 1, once, 2, false}, true
	case "commute":
		return caller{1, 1, constant(2), 2, false}, true
	case "vswap!", "vary-meta":
		return caller{1, 1, once, 2, false}, true
	case "%guarded":
		return caller{3, 3, once, 4, false}, true
	case "%retry":
		return caller{1, 1, unbounded, 2, false}, true
	case "pmap", "psettle", "pany":
		return caller{0, 0, byData, 2, true}, true
	case "pquorum":
		return caller{1, 1, byData, 3, true}, true
	case "pcalls":
		return caller{0, -1, once, 0, true}, true
	case "hedge":
		return caller{1, 1, constant(2), 2, true}, true
	}
	return caller{}, false
}

// builtinCall enters what a builtin calls, and what its arguments do.
func (g *graph) builtinCall(n *compile.Node, cx scope) {
	c, ok := callerNamed(n.Entry.Name)
	if !ok || n.Entry.NS != compile.CoreNS || len(n.Subs) < c.least {
		g.all(n.Subs, cx)
		return
	}
	if c.last < 0 {
		c.last = len(n.Subs) - 1
	}
	switch {
	case n.Entry.Name == "%retry":
		c.times = tries(n.Subs[0])
	case c.times == byData && !c.parallel && anyEndless(n.Subs):
		c.times = unbounded
	}
	if n.Entry.Calls == builtins.CallsLater {
		cx = cx.postponed()
	}
	var sites []*site
	for i, sub := range n.Subs {
		if i < c.first || i > c.last {
			g.walk(sub, cx)
			continue
		}
		sites = append(sites, g.applied(sub, cx.repeated(c.times), c.parallel)...)
	}
	if c.parallel {
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

// tries gives how often retry evaluates its body, by its options.
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

// composers are builtins that give a function which calls those that it is made of, once
// each time that it is called.
const composers = " comp complement juxt memoize "

// predicates are those whose functions are called with one argument after the other.
const predicates = " every-pred some-fn "

// fillers are those whose function is called with the other arguments.
const fillers = " partial fnil "

// applied enters what is called when a function is, that an expression gives.
func (g *graph) applied(n *compile.Node, cx scope, parallel bool) []*site {
	n = unwrap(n)
	if n.Kind == compile.NodeCall && n.Entry != nil && n.Entry.NS == compile.CoreNS {
		switch name := n.Entry.Name; {
		case n.Entry.Calls == builtins.CallsLater && len(n.Subs) == 1, among(predicates, name): // a transducer
			return g.appliedAll(n.Subs, cx.repeated(byData), parallel)
		case among(composers, name):
			return g.appliedAll(n.Subs, cx, parallel)
		case among(fillers, name) && len(n.Subs) > 0:
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
	c, ok := caller{}, false
	if head.Kind == compile.NodeEntry && n.Entry.Name == "partial" && head.Entry.NS == compile.CoreNS {
		c, ok = callerNamed(head.Entry.Name)
	}
	for i, sub := range rest {
		if !ok || i < c.first || c.last >= 0 && i > c.last {
			g.walk(sub, cx)
			continue
		}
		sites = append(sites, g.applied(sub, cx.repeated(c.times), parallel || c.parallel)...)
	}
	return sites
}
