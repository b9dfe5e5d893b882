// This file defines the consumers of fused pipelines.

package compile

import (
	"github.com/ptc-lang/ptc/lang/value"
)

func fuseReduce(f *fn, args []value.Value) (value.Value, bool) {
	if len(args) < 2 || len(args) > 3 {
		return value.Nil, false
	}
	p := f.lazyPipeline(args[len(args)-1])
	rf := p.function(args[0])
	init := value.Unbound
	if len(args) == 3 {
		init = p.once(args[1])
	}
	p.prepare()
	if len(p.stages) > 0 && p.impure > 1 {
		return value.Nil, false
	}
	if len(args) == 3 {
		return p.loop(init, func(acc, x value.Value) value.Value { return p.call(rf, acc, x) }), true
	}
	r := f.sym("r")
	fold := p.loop(init, func(acc, x value.Value) value.Value {
		return f.formAt("", "if", f.form("identical?", acc, value.Unbound), x, p.call(rf, acc, x))
	})
	// In a do, so that what cannot be called without arguments fails only if it is.
	empty := f.c.t.List(f.formAt("", "do", args[0]))
	return f.formAt("", "let*", f.c.t.Vector(r, fold), f.formAt("", "if", f.form("identical?", r, value.Unbound), empty, r)), true
}

// once gives a form for a value that is to be evaluated before the functions of
// the stages, in the order of the program.
func (p *pipeline) once(form value.Value) value.Value {
	if _, ok := p.f.c.constantForm(form); ok {
		return form
	}
	tmp := p.f.sym("init")
	p.lets = append(p.lets, tmp, form)
	return tmp
}

func fuseTransduce(f *fn, args []value.Value) (value.Value, bool) {
	if len(args) != 4 {
		return value.Nil, false
	}
	p, ok := f.transducers(args[0], args[3])
	if !ok {
		return value.Nil, false
	}
	p.prepare()
	rf := p.function(args[1])
	init := p.once(args[2])
	r := f.sym("r")
	fold := p.loop(init, func(acc, x value.Value) value.Value { return p.call(rf, acc, x) })
	if !args[1].IsSymbol() {
		return value.Nil, false // the completing arity must be that of the same function
	}
	return f.formAt("", "let*", f.c.t.Vector(r, fold), f.c.t.List(args[1], r)), true
}

// gather makes the loop that collects into a transient of init.
func (p *pipeline) gather(init value.Value) value.Value {
	f := p.f
	fold := p.loop(f.form("transient", init), func(acc, x value.Value) value.Value { return f.form("conj!", acc, x) })
	return f.form("persistent!", fold)
}

// growable says whether a form is an empty literal that can be a transient.
func growable(form value.Value) bool {
	if !form.Is(value.Kinds(value.KindVector, value.KindArrayMap, value.KindHashSet)) {
		return false
	}
	for range value.Leaves(form) {
		return false
	}
	return value.MetaOf(form).IsNil()
}

func fuseInto(f *fn, args []value.Value) (value.Value, bool) {
	if len(args) < 2 || !growable(args[0]) {
		return value.Nil, false
	}
	if len(args) == 3 {
		p, ok := f.transducers(args[1], args[2])
		if !ok {
			return value.Nil, false
		}
		p.prepare()
		return p.gather(args[0]), true
	}
	return f.collect(args[1], args[0])
}

// collect fuses the gathering of a lazy pipeline of at least one stage.
func (f *fn) collect(form, init value.Value) (value.Value, bool) {
	p := f.lazyPipeline(form)
	p.prepare()
	if len(p.stages) == 0 || p.impure > 1 {
		return value.Nil, false
	}
	return p.gather(init), true
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

func fuseMapv(f *fn, args []value.Value) (value.Value, bool) { return f.fuseStage("map", args) }

func fuseFilterv(f *fn, args []value.Value) (value.Value, bool) { return f.fuseStage("filter", args) }

// fuseStage fuses mapv and filterv, which are a stage and a gathering in one.
func (f *fn) fuseStage(name string, args []value.Value) (value.Value, bool) {
	if len(args) != 2 {
		return value.Nil, false
	}
	return f.collect(f.form(name, args...), f.c.t.Vector())
}

func fuseCount(f *fn, args []value.Value) (value.Value, bool) {
	if len(args) != 1 {
		return value.Nil, false
	}
	p := f.lazyPipeline(args[0])
	p.prepare()
	if len(p.stages) == 0 || p.impure > 1 {
		return value.Nil, false
	}
	return p.loop(value.Int(0), func(acc, _ value.Value) value.Value { return f.form("inc", acc) }), true
}
