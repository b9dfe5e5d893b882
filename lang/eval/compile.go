// This file defines eval: the compilation of forms while a program runs.

package eval

import (
	"context"

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
	if m.env == nil {
		m.env = m.opts.Env.Clone()
	}
	t := &value.Task{}
	t.Start(context.Background(), m.Cap(), m.opts.Limits.Steps, m.opts.Limits.Timeout)
	x := evalExpander{m, NewExpander(m.env, Options{Limits: m.opts.Limits, Owner: expandOwner})}
	c := compile.New(t, m.env, &token.FileSet{}, x)
	protos := c.Forms([]value.Value{form})
	if err := c.Err(); err != nil {
		e := m.NewException(err.Code, err.Message)
		e.Hint = err.Hint
		m.Throw(e)
	}
	m.evaled = evaled
	m.Link(m.env.Globals)
	fns := m.Vals(len(protos))
	for i, p := range protos {
		code := &compile.Fn{FnCode: value.FnCode{Name: "eval", NS: m.env.NS}, ByArity: []*compile.Proto{p}}
		p.Fn = code
		fns[i] = value.ConstFn(&code.FnCode)
	}
	return m.VectorFrom(fns)
}

// expandOwner tags the objects of macros that eval expands.
const expandOwner = 1

// evalExpander runs the macros of forms that eval compiles: those that have a
// value by now in the run itself, others, which the form defines, beside it.
type evalExpander struct {
	m *Machine
	*Expander
}

// Expand implements compile.Expander.
func (x evalExpander) Expand(global int, args []value.Value) (value.Value, *diag.Error) {
	if global < len(x.m.globals) && !value.Identical(x.m.globals[global], value.Unbound) {
		out := x.m.Call(x.m.globals[global], args...)
		value.Realise(&x.m.Task, out)
		return out, nil
	}
	return x.Expander.Expand(global, args)
}

// elements counts the parts of a form, and realises it.
func (m *Machine) elements(form value.Value) int {
	value.Realise(&m.Task, form)
	return value.Size(&m.Task, form)
}
