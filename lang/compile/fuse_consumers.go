// This file defines the consumers of fused pipelines.

package compile

import (
	"slices"

	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// consumer compiles the call of a function that can begin a fused loop. It returns false if it
// can't fuse the call.
type consumer func(f *fn, args []value.Value) (value.Value, bool)

// consumerOf returns the consumer for a function, nil if it has none.
func consumerOf(part entry.Fusion) consumer {
	switch part {
	case entry.ConsumerReduce:
		return fuseReduce
	case entry.ConsumerTransduce:
		return fuseTransduce
	case entry.ConsumerInto:
		return fuseInto
	case entry.ConsumerMapv:
		return fuseMapv
	case entry.ConsumerFilterv:
		return fuseFilterv
	case entry.ConsumerVec:
		return fuseVec
	case entry.ConsumerSet:
		return fuseSet
	case entry.ConsumerCount:
		return fuseCount
	case entry.ConsumerApply:
		return fuseApply
	case entry.ConsumerFirst:
		return fuseFirst
	}
	return nil
}

func fuseReduce(f *fn, args []value.Value) (value.Value, bool) {
	if len(args) < 2 || len(args) > 3 {
		return value.Nil, false
	}
	p := &pipeline{f: f}
	rf := p.called(args[0], 2)
	purity := min(rf.purity, entry.Pure) // it may end the loop
	if len(args) == 3 {
		init := p.once(args[1])
		p.last = func(acc, x value.Value) value.Value { return p.call(rf, acc, x) }
		f.lazyPipeline(p, args[2], purity)
		return p.within(p.loop(init, purity)), !p.mayReduce()
	}
	p.last = func(acc, x value.Value) value.Value {
		first := f.form("%next", x) // also if it is reduced
		return f.formAt("", "if", f.form("identical?", acc, value.Unbound), first, p.call(rf, acc, x))
	}
	f.lazyPipeline(p, args[1], purity)
	if p.mayReduce() {
		return value.Nil, false
	}
	r := f.sym("r")
	fold := p.loop(value.Unbound, purity)
	// In a do, so that a function which cannot be called without arguments fails only if it is
	// called so.
	empty := f.callForm(f.formAt("", "do", rf.form))
	return p.within(f.formAt("", "let*", f.c.t.Vector(r, fold),
		f.formAt("", "if", f.form("identical?", r, value.Unbound), empty, r))), true
}

// mayReduce reports whether the source may be an object that reduces itself: it calls the function of the consumer, so
// there is no loop. A lazy stage takes the sequence of its source, whatever that is.
func (p *pipeline) mayReduce() bool {
	f := p.f
	if !f.c.env.reduces || len(p.lazy) > 0 {
		return false
	}
	if p.source.Is(value.Vectors) {
		return false
	}
	_, e, _ := f.coreCall(p.source)
	return e == nil || e.Name != "range" && !e.Fusion.IsStage()
}

// fuseApply fuses (apply + …) and the like as reduce, which calls the function of two arguments, and holds none of the
// elements. The call of one argument around it fails for an only element that is no number.
func fuseApply(f *fn, args []value.Value) (value.Value, bool) {
	if len(args) < 2 || len(args) > 3 || !args[0].IsSymbol() {
		return value.Nil, false
	}
	e := f.entryOf(args[0])
	if e == nil || e.NS != CoreNS {
		return value.Nil, false
	}
	if !slices.Contains([]string{"+", "*", "max", "min"}, e.Name) {
		return f.applyEach(e, args)
	}
	if source := args[len(args)-1]; !source.IsSymbol() {
		if head, _, ok := call(source); !ok || !head.IsSymbol() {
			return value.Nil, false
		}
	}
	reduced, ok := fuseReduce(f, args)
	return f.callForm(args[0], reduced), ok
}

// applyEach compiles (apply str …), and apply of a function that compares each argument with the next, as a loop over
// the value of a call, which nothing else holds.
func (f *fn) applyEach(e *entry.Entry, args []value.Value) (value.Value, bool) {
	if len(args) != 2 || e.Name != "str" && !((e.Is(entry.TrueAlone) || e.Is(entry.FalseAlone)) && e.Many != nil) {
		return value.Nil, false
	}
	if head, _, ok := call(args[1]); !ok || !head.IsSymbol() {
		return value.Nil, false
	}
	if e.Name == "str" {
		return f.form("%apply-str", args[1]), true
	}
	if e.Is(entry.FalseAlone) { // not=
		return f.form("not", f.form("%apply-order", f.c.t.Symbol(CoreNS, "="), args[1])), true
	}
	return f.form("%apply-order", args[0], args[1]), true
}

func fuseTransduce(f *fn, args []value.Value) (value.Value, bool) {
	if len(args) != 4 || !args[1].IsSymbol() { // the completing arity must be that of the same function
		return value.Nil, false
	}
	p, ok := f.transducers(args[0], args[3])
	if !ok || p.mayReduce() {
		return value.Nil, false
	}
	rf := p.called(args[1], 2)
	init := p.once(args[2])
	p.last = func(acc, x value.Value) value.Value { return p.call(rf, acc, x) }
	r := f.sym("r")
	completed := f.callForm(f.formAt("", "do", rf.form), r)
	return p.within(f.formAt("", "let*", f.c.t.Vector(r, p.loop(init, rf.purity)), completed)), true
}

// gather makes the loop that collects into a transient of init, a literal.
func (p *pipeline) gather(init value.Value, purity entry.Purity) value.Value {
	f := p.f
	return p.within(f.form("persistent!", p.loop(f.form("transient", init), purity)))
}

// intoLast is the end of a loop that collects.
func (p *pipeline) intoLast(acc, x value.Value) value.Value {
	more := p.f.form("conj!", acc, x)
	if p.nested {
		return more
	}
	return p.f.form("%next", more)
}

// growable reports whether a form is an empty literal that can be a transient.
func growable(form value.Value) bool {
	if !form.Is(value.Kinds(value.KindVector, value.KindArrayMap, value.KindHashSet)) {
		return false
	}
	for range value.Leaves(form) {
		return false
	}
	return value.MetaOf(form).IsNil()
}

// conjPurity returns the purity of adding to a transient of a literal. Any value can be added to a
// vector; elements of maps and sets are hashed.
func conjPurity(init value.Value) entry.Purity {
	if init.Is(value.Vectors) {
		return entry.Total
	}
	return entry.Pure
}

func fuseInto(f *fn, args []value.Value) (value.Value, bool) {
	if len(args) < 2 || !growable(args[0]) {
		return value.Nil, false
	}
	if len(args) == 3 {
		p, ok := f.transducers(args[1], args[2])
		if !ok || p.mayReduce() {
			return value.Nil, false
		}
		p.last = p.intoLast
		return p.gather(args[0], entry.Impure), true
	}
	return f.collect(args[1], args[0])
}

// collect fuses a lazy pipeline of at least one stage with a consumer that collects its elements.
func (f *fn) collect(form, init value.Value) (value.Value, bool) {
	p := &pipeline{f: f}
	p.last = p.intoLast
	f.lazyPipeline(p, form, conjPurity(init))
	if len(p.lazy) == 0 {
		return value.Nil, false
	}
	return p.gather(init, conjPurity(init)), true
}

func fuseVec(f *fn, args []value.Value) (value.Value, bool) {
	if len(args) != 1 {
		return value.Nil, false
	}
	return f.collect(args[0], f.c.t.Vector())
}

func fuseSet(f *fn, args []value.Value) (value.Value, bool) {
	if len(args) != 1 {
		return value.Nil, false
	}
	return f.collect(args[0], f.c.t.SetOf())
}

func fuseMapv(f *fn, args []value.Value) (value.Value, bool) {
	return f.fuseStage(entry.StageMap, args)
}

func fuseFilterv(f *fn, args []value.Value) (value.Value, bool) {
	return f.fuseStage(entry.StageFilter, args)
}

// fuseStage fuses mapv and filterv, which combine a stage and a consumer that collects.
func (f *fn) fuseStage(kind entry.Fusion, args []value.Value) (value.Value, bool) {
	if len(args) != 2 {
		return value.Nil, false
	}
	p := &pipeline{f: f}
	p.last = p.intoLast
	fn := p.called(args[0], 1)
	p.eager = []stage{{kind: kind, fn: fn}}
	f.lazyPipeline(p, args[1], fn.purity)
	return p.gather(f.c.t.Vector(), fn.purity), !p.mayReduce()
}

func fuseCount(f *fn, args []value.Value) (value.Value, bool) {
	if len(args) != 1 {
		return value.Nil, false
	}
	p := &pipeline{f: f}
	p.last = func(acc, _ value.Value) value.Value { return f.form("%next", f.form("inc", acc)) }
	f.lazyPipeline(p, args[0], entry.Total)
	if len(p.lazy) == 0 {
		return value.Nil, false
	}
	return p.within(p.loop(value.Int(0), entry.Total)), true
}
