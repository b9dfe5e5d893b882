// This file defines eval: the compilation of forms while a program runs.

package eval

import (
	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// evalBytes is the number of source bytes that one element of a form counts against the limit:
// about the memory of its code divided by that of its text. Code stays alive, and charged, as long
// as the machine, so its amount in a run is bounded.
const evalBytes = 8

// Compile implements value.Host. It returns functions of no arguments that run form: one for each
// form of a do at the top.
func (m *Evaluation) Compile(form value.Value) value.Value {
	evaled := evalBytes * m.elements(form)
	if limit := m.Limits().SourceBytes; m.evaled+evaled > limit {
		m.FailHint(diag.SourceTooLarge, "call functions instead of building forms",
			"eval: more code than %d bytes of source in one run", limit)
	}
	env := m.OwnEnv()
	env.Settle()
	if m.opts.Nested >= maxNested {
		m.Fail(diag.NestingTooDeep, "eval nested deeper than %d levels of macros that call it", maxNested)
	}
	m.assists++
	m.haltIf(limits.AtAssist, int64(m.assists))
	// The compiler and the macros that it runs share the free memory of the account.
	room := (m.Cap() - m.Used()) / 2
	// The objects that the compiler makes belong to the program.
	t := &value.Task{Owner: m.Owner}
	t.Assist(&m.Meter, room)
	defer t.Leave()
	inner := *m.Limits()
	inner.Memory = room
	x := &evalExpander{m: m, Expander: NewExpander(m.Context(), env, Options{Limits: &inner, Owner: expandOwner,
		Shared: Shared{Nested: m.opts.Nested + 1, Scheduler: m.opts.Scheduler}})}
	x.assists = &m.Meter
	defer x.leave()
	c := compile.New(t, env, &token.FileSet{}, x)
	protos := c.Forms([]value.Value{form})
	if err := c.Err(); err != nil {
		m.failCompile(err, room)
	}
	code := x.Used()
	for _, p := range protos {
		code += p.Size()
	}
	m.Charge(t.Used() + code)
	m.EnterNS(env.NS)
	m.LinkOwn()
	fns := m.Vals(len(protos))
	for i, p := range protos {
		fn := &compile.Fn{FnCode: value.FnCode{Name: "eval", NS: env.NS}, ByArity: []*compile.Proto{p}}
		p.Fn = fn
		fns[i] = value.ConstFn(&fn.FnCode)
	}
	result := m.VectorFrom(fns)
	m.consts = m.pinConsts(protos)
	if defined := x.Defined(); len(defined) > 0 {
		all := append(m.TakeDefined(), defined...)
		m.defined = &all
	}
	m.evaled += evaled
	m.code += code
	return result
}

// pinConsts returns the constants of all code of the run, which stay alive as long as the code.
func (m *Evaluation) pinConsts(protos []*compile.Proto) value.Value {
	n := 0
	for _, p := range protos {
		p.EachConst(func(value.Value) { n++ })
	}
	consts := m.Vals(n)[:0]
	for _, p := range protos {
		p.EachConst(func(v value.Value) { consts = append(consts, v) }) // within the capacity
	}
	return m.Cons(m.Box(consts), m.consts)
}

// failCompile throws the error of the compiler. If the compiler, or a macro, lacked memory, the
// account is full, and a mark may free memory.
func (m *Evaluation) failCompile(err *diag.Error, room int64) {
	if err.Code == diag.MemoryExceeded {
		panic(limits.Refused{Bytes: room + 1})
	}
	e := m.NewException(err.Code, err.Message)
	e.Hint = err.Hint
	if err.Class != "" { // of a form that Clojure runs, such as require
		e.Class = err.Class
		m.Throw(e)
	}
	outer := m.NewException(err.Code, err.Message)
	outer.Hint, outer.Class, outer.Cause = err.Hint, "clojure.lang.Compiler$CompilerException", value.Of(&e.Header)
	m.Throw(outer)
}

// maxNested bounds the depth at which macros call eval in forms that eval compiles. Each level has
// a machine with an account.
const maxNested = 3

// expandOwner tags the objects of macros that eval expands.
const expandOwner = 1

// evalExpander runs the macros of forms that eval compiles. It runs a macro that has a value in the
// run itself, and a macro that the form defines on a machine beside it.
type evalExpander struct {
	m *Evaluation
	*Expander
}

// Expand implements compile.Expander. A bound that a macro hits beside the run is a bound of the
// run, not an exception of the compiler.
func (x *evalExpander) Expand(global int, args []value.Value) (value.Value, *diag.Error) {
	x.m.EnterNS(x.env.NS)
	if x.m.Bound(global) {
		out := x.m.Call(x.m.Global(global), args...)
		value.RealiseForm(&x.m.Task, out)
		return out, nil
	}
	out, err := x.Expander.Expand(global, args)
	if err != nil && x.Expander.m.stopped != nil {
		panic(*x.Expander.m.stopped)
	}
	return out, err
}

// elements counts the parts of a form, and realises it.
func (m *Evaluation) elements(form value.Value) int {
	value.RealiseForm(&m.Task, form)
	return value.Size(&m.Task, form)
}
