// This file defines fusion: a consumer of a pipeline that is written as one
// expression, such as (reduce + (filter even? (map inc xs))) or
// (into [] (comp (map inc) (filter even?)) xs), becomes one loop in which each
// element passes all stages, without the sequences in between.
//
// The value is the same. What could be seen is the order of effects: Clojure runs
// a lazy stage 32 elements ahead of the next. So lazy stages are fused only if all
// functions but one are known to have no effects; transducers go element by
// element in Clojure too, and are always fused.

package compile

import (
	"sync"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/value"
)

// consumer compiles the call of a function that can begin a fused loop; it gives
// false where it cannot.
type consumer func(f *fn, args []value.Value) (value.Value, bool)

// consumerNamed gives the consumer of a name, nil if there is none.
func consumerNamed(name string) consumer {
	switch name {
	case "reduce":
		return fuseReduce
	case "transduce":
		return fuseTransduce
	case "into":
		return fuseInto
	case "mapv":
		return fuseMapv
	case "filterv":
		return fuseFilterv
	case "vec":
		return fuseVec
	case "set":
		return fuseSet
	case "count":
		return fuseCount
	}
	return nil
}

// pipeline is a source of elements and the stages they pass, first stage first.
type pipeline struct {
	f      *fn
	source value.Value
	stages []stage
	lets   []value.Value // bindings for functions that are evaluated once
	impure int
}

// stage is one step: its name (map, filter, remove or keep) and its function.
type stage struct {
	name string
	fn   value.Value
}

var stageNames = sync.OnceValue(func() map[string]bool {
	return map[string]bool{"map": true, "filter": true, "remove": true, "keep": true}
})

// fuse gives the form of a loop for a call of a consumer, false if it is not worth
// it or not the same.
func (f *fn) fuse(name string, args []value.Value) (value.Value, bool) {
	consumer := consumerNamed(name)
	if consumer == nil {
		return value.Nil, false
	}
	return consumer(f, args)
}

// sym gives a symbol for generated code.
func (f *fn) sym(prefix string) value.Value { return f.c.gensym("%" + prefix) }

func (f *fn) form(head string, args ...value.Value) value.Value {
	return f.formAt(CoreNS, head, args...)
}

func (f *fn) formAt(ns, head string, args ...value.Value) value.Value {
	sym := f.c.t.Symbol(ns, head)
	sym.AsSymbol().Pos = f.pos
	l := f.c.t.List(append([]value.Value{sym}, args...)...)
	l.AsCons().Pos = f.pos
	return l
}

// coreCall splits a call of a function of clojure.core, its macros expanded.
func (f *fn) coreCall(form value.Value) (expanded value.Value, name string, args []value.Value) {
	for again := true; again; {
		form, again = f.c.expand1(f, form)
	}
	head, args, ok := call(form)
	if !ok || !head.IsSymbol() || f.isLocal(head) || !f.isCore(head) {
		return form, "", nil
	}
	return form, head.AsSymbol().Name, args
}

// lazyPipeline follows lazy stages from the outermost down to the source.
func (f *fn) lazyPipeline(form value.Value) *pipeline {
	p := &pipeline{f: f}
	for {
		expanded, name, args := f.coreCall(form)
		if !stageNames()[name] || len(args) != 2 {
			p.source = expanded
			return p
		}
		p.stages = append([]stage{{name, args[0]}}, p.stages...)
		form = args[1]
	}
}

// transducers reads (comp (map f) (filter g) …), or one transducer.
func (f *fn) transducers(form, source value.Value) (*pipeline, bool) {
	p := &pipeline{f: f, source: source}
	_, name, args := f.coreCall(form)
	forms := []value.Value{form}
	if name == "comp" {
		forms = args
	}
	for _, x := range forms {
		_, name, args := f.coreCall(x)
		if !stageNames()[name] || len(args) != 1 {
			return nil, false
		}
		p.stages = append(p.stages, stage{name, args[0]})
	}
	return p, true
}

// prepare readies the functions of the stages: a literal function is kept to be
// put in place, a name of the library too, anything else is evaluated once.
func (p *pipeline) prepare() {
	for i := range p.stages {
		p.stages[i].fn = p.function(p.stages[i].fn)
	}
}

func (p *pipeline) function(form value.Value) value.Value {
	f := p.f
	expanded, name, args := f.coreCall(form)
	switch {
	case form.IsKeyword():
		return form
	case form.IsSymbol() && f.entryOf(form) != nil:
		if !f.pureEntry(f.entryOf(form)) {
			p.impure++
		}
		return form
	case name == "fn*" && len(args) > 0 && inlinable(args):
		if !f.pure(args[1:], f.paramNames(args[0])) {
			p.impure++
		}
		return expanded
	}
	p.impure++
	tmp := f.sym("f")
	p.lets = append(p.lets, tmp, expanded)
	return tmp
}

// inlinable says whether an fn* form has one arity of plain parameters.
func inlinable(args []value.Value) bool {
	if !args[0].Is(value.Vectors) {
		return false
	}
	for _, param := range value.Items(args[0]) {
		if !param.IsSymbol() || param.AsSymbol().Name == "&" {
			return false
		}
	}
	return true
}

func (f *fn) paramNames(params value.Value) map[string]bool {
	names := make(map[string]bool)
	for _, p := range value.Items(params) {
		names[p.AsSymbol().Name] = true
	}
	return names
}

// entryOf gives the builtin function that a symbol names, nil if it names none.
func (f *fn) entryOf(sym value.Value) *builtins.Entry {
	if f.isLocal(sym) {
		return nil
	}
	if r := f.c.lookup(sym.AsSymbol()); r.kind == refEntry && r.entry.Fn != nil {
		return r.entry
	}
	return nil
}

// pureEntry says whether a builtin has no effects and asks for none.
func (f *fn) pureEntry(e *builtins.Entry) bool { return e.Pure() }

// call makes the form that applies a prepared function. A literal one is put in
// place, as a let, or as a loop if it has a recur of its own.
func (p *pipeline) call(fn value.Value, args ...value.Value) value.Value {
	f := p.f
	_, parts, ok := call(fn)
	if !ok {
		l := f.c.t.List(append([]value.Value{fn}, args...)...)
		l.AsCons().Pos = f.pos
		return l
	}
	params := value.Items(parts[0])
	if len(params) != len(args) {
		l := f.c.t.List(append([]value.Value{fn}, args...)...)
		return l
	}
	var bindings []value.Value
	for i, param := range params {
		bindings = append(bindings, param, args[i])
	}
	head := "let*"
	if mentions(f.c.t, fn, "recur") {
		head = "loop*"
	}
	return f.formAt("", head, append([]value.Value{f.c.t.Vector(bindings...)}, parts[1:]...)...)
}

// mentions says whether a symbol of a name stands anywhere in a form.
func mentions(t *value.Task, form value.Value, name string) bool {
	t.Work(1)
	if form.IsSymbol() {
		return form.AsSymbol().Name == name
	}
	if !form.Is(value.Colls) {
		return false
	}
	items, ok := listItems(form)
	if !ok {
		for x := range value.Leaves(form) {
			if mentions(t, x, name) {
				return true
			}
		}
		return false
	}
	for _, x := range items {
		if mentions(t, x, name) {
			return true
		}
	}
	return false
}

// loop makes the whole form: the functions evaluated once, then the fold whose
// body passes x through the stages to last, which gives the next acc.
func (p *pipeline) loop(init value.Value, last func(acc, x value.Value) value.Value) value.Value {
	f := p.f
	acc, x := f.sym("acc"), f.sym("x")
	body := p.pass(0, acc, x, last)
	fold := f.form("%fold", f.c.t.Vector(x, p.source, acc, init), body)
	if len(p.lets) == 0 {
		return fold
	}
	return f.formAt("", "let*", f.c.t.Vector(p.lets...), fold)
}

// pass makes the code from stage i on.
func (p *pipeline) pass(i int, acc, x value.Value, last func(acc, x value.Value) value.Value) value.Value {
	f := p.f
	if i == len(p.stages) {
		return last(acc, x)
	}
	s := p.stages[i]
	result := p.call(s.fn, x)
	switch s.name {
	case "filter":
		return f.formAt("", "if", result, p.pass(i+1, acc, x, last), acc)
	case "remove":
		return f.formAt("", "if", result, acc, p.pass(i+1, acc, x, last))
	}
	y := f.sym("y")
	rest := p.pass(i+1, acc, y, last)
	if s.name == "keep" {
		rest = f.formAt("", "if", f.form("nil?", y), acc, rest)
	}
	return f.formAt("", "let*", f.c.t.Vector(y, result), rest)
}

// pure says whether forms have no effects: they are made of constants, locals,
// plain special forms and calls of builtins without effects.
func (f *fn) pure(forms []value.Value, bound map[string]bool) bool {
	for _, form := range forms {
		if !f.pureForm(form, bound) {
			return false
		}
	}
	return true
}

var plainForms = sync.OnceValue(func() map[string]bool {
	return map[string]bool{"if": true, "do": true, "and": true, "or": true, "not": true, "when": true, "when-not": true, "quote": true}
})

func (f *fn) pureForm(form value.Value, bound map[string]bool) bool {
	f.c.t.Work(1)
	head, args, ok := call(form)
	if !ok {
		if form.Is(value.Colls) {
			for x := range value.Leaves(form) {
				if !f.pureForm(x, bound) {
					return false
				}
			}
		}
		return true
	}
	switch {
	case head.IsKeyword():
		return f.pure(args, bound)
	case !head.IsSymbol() || bound[head.AsSymbol().Name] || f.isLocal(head):
		return false
	case plainForms()[head.AsSymbol().Name] && f.isCore(head):
		return f.pure(args, bound)
	}
	e := f.entryOf(head)
	return e != nil && e.Pure() && f.pure(args, bound)
}
