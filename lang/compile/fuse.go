// This file defines fusion: a consumer of a pipeline that is written as one expression, such as
// (reduce + (filter even? (map inc xs))) or (into [] (comp (map inc) (filter even?)) xs), becomes
// one loop in which each element passes all stages, without the sequences in between.
//
// The rule: a fused pipeline returns the value, the output, the error and the order of
// effects of the unfused pipeline, which are those of Clojure.
//
// A transducer and the function of a consumer (of reduce, mapv or filterv) process one element
// after the other, and so does a loop. They are always fused.
//
// A lazy stage processes a chunk of up to 32 elements, if the source has chunks, before the next
// stage gets the first of them. A loop passes each element through all stages. So it calls the
// functions with the same arguments in another order. Lazy stages are fused according to the purity
// of their functions (see builtins.Purity):
//
//   - Any number of functions that change nothing. A program can then notice the order in three
//     cases only: a function fails for an element; a function runs code of the program, because it
//     uses a lazy sequence or an object with methods; or the function of reduce ends the loop, and
//     the stages omit the rest of the chunk. The machine knows when that is about to happen, and
//     leaves the loop: the pipeline continues in its written form from that element on, with the
//     consumer's result so far. See pureForm.
//   - One impure function, if those before it are total and those after it are pure: its changes
//     make no difference to them. If the loop is left after it has returned a value for the
//     element, that value is used, so that it is not called twice.
//
// If a stage would break the rule, that stage and those before it stay a lazy sequence, which is
// the source of the loop. Code that is not known to be pure is impure.
//
// Builtins declare their purity; a named function of the program has the purity of its code. The
// name may have another value when the pipeline runs, so the loop first checks the purity of that
// value, and is left at its first element if that is less.

package compile

import (
	"slices"

	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// pipeline is a source of elements, the lazy stages that they pass, the first one
// first, and the stages that the consumer does itself after them.
type pipeline struct {
	f       *fn
	source  value.Value
	lazy    []stage
	eager   []stage
	lets    []value.Value // bindings of forms that are evaluated once, in the order of the program
	guards  []value.Value // conditions that functions of the program still have their known purity
	guarded value.Value   // the name for the guards, nil if there are none
	impure  int           // the lazy stage that is impure, -1 if none is
	// last returns the end of the loop's body: the consumer's code for an element that has passed
	// all stages.
	last func(acc, x value.Value) value.Value
	// nested means that a stage uses the value of the code after it, so that this code can't end the turn of the loop.
	nested bool
}

// stage is one step of a pipeline: its kind, the name of its function in a lazy pipeline, and the
// function that is its argument.
type stage struct {
	kind entry.Fusion
	name string
	fn   function
}

// function is a form that can be called any number of times, and the purity of its calls.
type function struct {
	form   value.Value
	purity entry.Purity
}

// fuse returns the form of a loop for a call of a consumer, false if the loop would not be faster
// or not equivalent.
func (f *fn) fuse(part entry.Fusion, args []value.Value) (value.Value, bool) {
	consumer := consumerOf(part)
	if consumer == nil {
		return value.Nil, false
	}
	return consumer(f, args)
}

// sym returns a symbol for generated code.
func (f *fn) sym(prefix string) value.Value { return f.c.gensym("%" + prefix) }

func (f *fn) form(head string, args ...value.Value) value.Value {
	return f.formAt(CoreNS, head, args...)
}

func (f *fn) formAt(ns, head string, args ...value.Value) value.Value {
	sym := f.c.t.Symbol(ns, head)
	sym.AsSymbol().Pos = f.pos
	return f.callForm(sym, args...)
}

func (f *fn) callForm(head value.Value, args ...value.Value) value.Value {
	l := f.c.t.List(append([]value.Value{head}, args...)...)
	l.AsCons().Pos = f.pos
	return l
}

// lazyPipeline follows lazy stages from the outermost down to the source, as far as the rule
// allows. purity is that of the consumer for an element.
func (f *fn) lazyPipeline(p *pipeline, form value.Value, purity entry.Purity) {
	least := purity // of the code after the stage
	impure := 0     // the number of the impure stage, counted from the last
	for {
		expanded, e, args := f.coreCall(form)
		if e == nil || !e.Fusion.IsStage() || len(args) != 2 {
			form = expanded
			break
		}
		of := f.purityOf(args[0], 1)
		if least == entry.Impure && of != entry.Total || of == entry.Impure && least < entry.Pure {
			break
		}
		if of == entry.Impure {
			impure = len(p.lazy) + 1
		}
		p.lazy = append(p.lazy, stage{e.Fusion, e.Name, p.function(args[0], 1, of, least != entry.Total)})
		least = min(least, of)
		form = args[1]
	}
	slices.Reverse(p.lazy)
	p.source = form
	p.impure = -1
	if impure > 0 {
		p.impure = len(p.lazy) - impure
	}
}

// transducers reads (comp (map f) (filter g) …), or one transducer.
func (f *fn) transducers(form, source value.Value) (*pipeline, bool) {
	_, e, args := f.coreCall(form)
	forms := []value.Value{form}
	if e != nil && e.Fusion == entry.ComposesStages {
		forms = args
	}
	var kinds []entry.Fusion
	var fns []value.Value
	for _, x := range forms {
		_, e, args := f.coreCall(x)
		if e == nil || !e.Fusion.IsTransducer() || len(args) != 1 {
			return nil, false
		}
		kinds, fns = append(kinds, e.Fusion), append(fns, args[0])
	}
	p := &pipeline{f: f, source: source, impure: -1}
	for i, kind := range kinds {
		if kind == entry.StageTake {
			p.nested = true
			left := f.form("%push", f.form("%box", value.Int(1)), fns[i])
			p.eager = append(p.eager, stage{kind: kind, fn: function{form: p.once(left)}})
			continue
		}
		p.eager = append(p.eager, stage{kind: kind, fn: p.called(fns[i], 1)})
	}
	return p, true
}

// once returns a form for a value that is evaluated before the loop.
func (p *pipeline) once(form value.Value) value.Value {
	if _, ok := p.f.c.constantForm(form); ok {
		return form
	}
	tmp := p.f.sym("once")
	p.lets = append(p.lets, tmp, form)
	return tmp
}

// called prepares a function that is used in the loop only; see function.
func (p *pipeline) called(form value.Value, n int) function {
	return p.function(form, n, p.f.purityOf(form, n), false)
}

// function prepares a function that is called with n arguments. Function literals and names of the
// library are copied to each use; any other form is evaluated once. An impure literal that contains
// other functions is evaluated once too, if the code may have it twice: otherwise the code would
// double with each level of nesting.
func (p *pipeline) function(form value.Value, n int, purity entry.Purity, twice bool) function {
	f := p.f
	expanded, e, args := f.coreCall(form)
	switch {
	case form.IsKeyword(), form.IsSymbol() && f.entryTaking(form, n) != nil:
		return function{form, purity}
	case e != nil && e.Special == entry.SpecialFn && len(args) > 0 && inlinable(args):
		others := func(part value.Value) bool { return mentions(f.c.t, part, "fn*", "fn") }
		if !twice || purity > entry.Impure || !slices.ContainsFunc(args, others) {
			return function{expanded, purity}
		}
	}
	tmp := f.sym("f")
	p.lets = append(p.lets, tmp, expanded)
	if purity > entry.Impure { // a function of the program, by its name
		p.guards = append(p.guards, f.form("%purity?", tmp, value.Int(int64(purity))))
	}
	return function{tmp, purity}
}

// inlinable reports whether an fn* form has one arity of plain parameters.
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

// call makes the form that applies a prepared function. A literal function becomes a let, or a loop if it
// contains a recur.
func (p *pipeline) call(fn function, args ...value.Value) value.Value {
	f := p.f
	_, parts, ok := call(fn.form)
	if !ok {
		return f.callForm(fn.form, args...)
	}
	params := value.Items(parts[0])
	if len(params) != len(args) {
		return f.callForm(fn.form, args...)
	}
	var bindings []value.Value
	for i, param := range params {
		bindings = append(bindings, param, args[i])
	}
	head := "let*"
	if mentions(f.c.t, fn.form, "recur") {
		head = "loop*"
	}
	in := f.formAt("", head, append([]value.Value{f.c.t.Vector(bindings...)}, parts[1:]...)...)
	if pos := posOf(fn.form); pos != 0 {
		in.AsCons().Pos = pos // a form without a place gets that of the function
	}
	return in
}

// mentions reports whether a form is, or contains, a symbol with one of the names.
func mentions(t *value.Task, form value.Value, names ...string) bool {
	t.Work(1)
	if form.IsSymbol() {
		return slices.Contains(names, form.AsSymbol().Name)
	}
	if !form.Is(value.Colls) {
		return false
	}
	if items, ok := listItems(form); ok {
		return slices.ContainsFunc(items, func(x value.Value) bool { return mentions(t, x, names...) })
	}
	for x := range value.Leaves(form) {
		if mentions(t, x, names...) {
			return true
		}
	}
	return false
}
