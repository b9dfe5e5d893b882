// This file defines the loop of a fused pipeline, and its exit to the written form.

package compile

import (
	"math"

	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// loop makes the fold over the source whose body passes x through the stages to last,
// which returns the next acc.
func (p *pipeline) loop(init value.Value, purity entry.Purity) value.Value {
	f := p.f
	acc, x := f.sym("acc"), f.sym("x")
	leaves := p.leaves(purity)
	if leaves {
		p.guard()
	}
	source, e, args := f.coreCall(p.source)
	if e != nil && e.Name == "range" && len(args) == 0 && !leaves {
		source = f.form("%range", value.Int(0), value.Int(math.MaxInt64), value.Int(1)) // without cells
	}
	body := p.pass(0, acc, x, leaves)
	if leaves && p.impure < 0 {
		body = p.pure(acc, body, value.Nil)
	}
	return f.form("%fold", f.c.t.Vector(x, source, acc, init), body)
}

// guard binds the condition that the functions of the program still have their known purity: a name
// may have got another value.
func (p *pipeline) guard() {
	if len(p.guards) == 0 {
		return
	}
	p.guarded = p.f.sym("guarded")
	p.lets = append(p.lets, p.guarded, p.f.form("and", p.guards...))
}

// within puts the bindings around a form that uses them.
func (p *pipeline) within(form value.Value) value.Value {
	if len(p.lets) == 0 {
		return form
	}
	return p.f.formAt("", "let*", p.f.c.t.Vector(p.lets...), form)
}

// leaves reports whether the loop can be left: it has lazy stages, and more than one function that
// is not total. purity is that of the consumer.
func (p *pipeline) leaves(purity entry.Purity) bool {
	n := 0
	if purity != entry.Total {
		n++
	}
	for _, s := range p.lazy {
		if s.fn.purity != entry.Total {
			n++
		}
	}
	return len(p.lazy) > 0 && n > 1
}

// pass makes the code from lazy stage i on. If the loop can be left, the part after the impure
// stage can leave it.
func (p *pipeline) pass(i int, acc, x value.Value, leaves bool) value.Value {
	if i == len(p.lazy) {
		return p.consume(0, acc, x)
	}
	return p.step(p.lazy[i], x, p.f.form("%next"), func(x, result value.Value) value.Value {
		rest := p.pass(i+1, acc, x, leaves)
		if leaves && i == p.impure {
			rest = p.pure(acc, rest, result)
		}
		return rest
	})
}

// consume makes the code from eager stage i on.
func (p *pipeline) consume(i int, acc, x value.Value) value.Value {
	if i == len(p.eager) {
		return p.last(acc, x)
	}
	return p.step(p.eager[i], x, acc, func(x, _ value.Value) value.Value { return p.consume(i+1, acc, x) })
}

// step makes the code of a stage for x. then makes the code for elements that pass; result is the
// function's value for the element. Elements that do not pass go to other: a transducer returns the
// accumulator, which ends the loop if the first one was reduced.
func (p *pipeline) step(s stage, x, other value.Value, then func(x, result value.Value) value.Value) value.Value {
	f := p.f
	if s.kind == entry.StageTake {
		return p.take(s.fn.form, x, other, then)
	}
	call := p.call(s.fn, x)
	switch s.kind {
	case entry.StageTakeWhile:
		return f.formAt("", "if", call, then(x, value.True), f.form("reduced", other))
	case entry.StageFilter:
		return f.formAt("", "if", call, then(x, value.True), other)
	case entry.StageRemove:
		return f.formAt("", "if", call, other, then(x, value.False))
	}
	y := f.sym("y")
	rest := then(y, y)
	if s.kind == entry.StageKeep {
		rest = f.formAt("", "if", f.form("nil?", y), other, rest)
	}
	return f.formAt("", "let*", f.c.t.Vector(y, call), rest)
}

// take makes the code of the stage take: left is the box of the number of elements that it still lets
// pass. It ends the loop with the last of them.
func (p *pipeline) take(left, x, acc value.Value, then func(x, result value.Value) value.Value) value.Value {
	f := p.f
	n, m, next := f.sym("n"), f.sym("m"), f.sym("acc")
	return f.formAt("", "let*", f.c.t.Vector(
		n, f.form("%bget", left, value.Int(0)),
		m, f.form("dec", n),
		f.sym("set"), f.form("%bset!", left, value.Int(0), m),
		next, f.formAt("", "if", f.form("pos?", n), then(x, value.Nil), acc)),
		f.formAt("", "if", f.form("pos?", m), next, f.form("ensure-reduced", next)))
}

// pure makes the part of the body that only calls pure functions, and the code that follows if it
// is left: the written pipeline from the current element on. result is the value of the impure
// stage, if there is one, for that element.
func (p *pipeline) pure(acc, body, result value.Value) value.Value {
	f := p.f
	rest, z, so := f.sym("rest"), f.sym("z"), f.sym("acc")
	seq := rest
	for i, s := range p.lazy {
		fn := s.fn.form
		if i == p.impure {
			fn = f.form("%resume", result, fn)
		}
		seq = f.form(s.name, fn, seq)
	}
	if p.guarded.IsSymbol() {
		body = f.formAt("", "if", p.guarded, body, f.formAt("", "throw", value.Nil)) // leaves
	}
	written := f.form("%fold", f.c.t.Vector(z, seq, so, acc), p.consume(0, so, z))
	return f.form("%pure", f.c.t.Vector(rest), body, written)
}
