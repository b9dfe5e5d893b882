// This file defines eval: the compilation of forms while a program runs.

package eval

import (
	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
)

// evalBytes is what one element of a form counts against the limit on source
// bytes: about the memory of its code divided by that of its text. Code made by
// eval belongs to no account, so a run may make only so much of it.
const evalBytes = 8

// Compile implements value.Host: it gives functions of no arguments, which run
// form, one for each form of a do at the top.
func (m *Machine) Compile(form value.Value) value.Value {
	evaled := m.evaled + evalBytes*m.elements(form)
	if limit := m.opts.Limits.SourceBytes; evaled > limit {
		m.FailHint(diag.SourceTooLarge, "call functions instead of building forms", "eval: more code than %d bytes of source in one run", limit)
	}
	m.ownEnv()
	if m.opts.Nested >= maxNested {
		m.Fail(diag.NestingTooDeep, "eval nested deeper than %d levels of macros that call it", maxNested)
	}
	t := &value.Task{}
	t.Start(m.Context(), m.Cap(), m.opts.Limits.Steps, m.Left())
	inner := Options{Limits: m.opts.Limits, Owner: expandOwner, Nested: m.opts.Nested + 1}
	inner.Limits.Timeout = max(m.Left(), 1)
	x := &evalExpander{m: m, Expander: NewExpander(m.Context(), m.env, inner)}
	c := compile.New(t, m.env, &token.FileSet{}, x)
	protos := c.Forms([]value.Value{form})
	if err := c.Err(); err != nil {
		e := m.NewException(err.Code, err.Message)
		e.Hint = err.Hint
		m.Throw(e)
	}
	m.Link(m.ownEnv().Globals)
	fns := m.Vals(len(protos))
	for i, p := range protos {
		code := &compile.Fn{FnCode: value.FnCode{Name: "eval", NS: m.env.NS}, ByArity: []*compile.Proto{p}}
		p.Fn = code
		fns[i] = value.ConstFn(&code.FnCode)
	}
	result := m.VectorFrom(fns)
	// Parts of the form are constants of the code, which belongs to no account: they
	// stay alive, and paid for, as long as the machine.
	pinned := m.Cons(form, m.pinned)
	for _, out := range x.outs {
		pinned = m.Cons(out, pinned)
	}
	m.evaled, m.pinned = evaled, pinned
	return result
}

// maxNested bounds how deep macros may call eval within forms that eval compiles:
// each level is a machine with an account of its own.
const maxNested = 3

// expandOwner tags the objects of macros that eval expands.
const expandOwner = 1

// evalExpander runs the macros of forms that eval compiles: those that have a
// value by now in the run itself, others, which the form defines, beside it.
type evalExpander struct {
	m *Machine
	*Expander
	outs []value.Value // what macros of the run gave
}

// Expand implements compile.Expander.
func (x *evalExpander) Expand(global int, args []value.Value) (value.Value, *diag.Error) {
	if global < len(x.m.globals) && !value.Identical(x.m.globals[global], value.Unbound) {
		out := x.m.Call(x.m.globals[global], args...)
		value.Realise(&x.m.Task, out)
		x.outs = append(x.outs, out)
		return out, nil
	}
	return x.Expander.Expand(global, args)
}

// elements counts the parts of a form, and realises it.
func (m *Machine) elements(form value.Value) int {
	value.Realise(&m.Task, form)
	return value.Size(&m.Task, form)
}
