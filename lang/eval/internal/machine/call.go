// This file defines calls: of compiled functions, builtins and everything else
// that can be called.

package machine

import (
	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// invoke calls f with the n arguments at base. A compiled function gets a frame,
// and the loop runs it; anything else returns its value immediately.
func (m *Machine) invoke(f value.Value, base, n int, kind frameKind, dst uint16) (result value.Value, done bool) {
	for {
		args := m.stack[base : base+n : base+n]
		switch f.Kind() {
		case value.KindFn:
			m.enter(f.AsFn(), base, n, kind, dst)
			return value.Nil, false
		case value.KindNative:
			return f.AsNative().Fn(&m.Task, args), true
		case value.KindKeyword, value.KindSymbol:
			m.wantArgs(f, n, 1, 2)
			if n == 1 {
				return m.Get(args[0], f, value.Nil), true
			}
			return m.GetOr(args[0], f, args[1]), true
		case value.KindHashSet, value.KindSortedSet:
			m.wantArgs(f, n, 1, 1)
			return m.Get(f, args[0], value.Nil), true
		case value.KindArrayMap, value.KindHashMap, value.KindSortedMap, value.KindTransientMap, value.KindTransientSet:
			m.wantArgs(f, n, 1, 2)
			if n == 1 {
				return m.Get(f, args[0], value.Nil), true
			}
			return m.Get(f, args[0], args[1]), true
		case value.KindVector, value.KindMapEntry, value.KindTransientVector:
			m.wantArgs(f, n, 1, 1)
			return m.callVector(f, args[0]), true
		case value.KindVar:
			m.Work(1) // a var may hold itself
			f = m.VarGet(f.AsVar())
		case value.KindProtocolFn:
			f = builtins.ProtocolImpl(&m.Task, f.AsProtocolFn(), args)
		case value.KindMultiFn:
			f, base, n = m.multiCall(f, base, n)
		case value.KindRecord, value.KindObject:
			f, base, n = m.objectCall(f, base, n)
		case value.KindFuture:
			f, base, n = m.promiseCall(f, base, n)
		default:
			m.failCallee(f)
		}
	}
}

// enter makes the frame of a call of a compiled function.
func (m *Machine) enter(f *value.Fn, base, n int, kind frameKind, dst uint16) {
	p := compile.FnOf(f).For(n)
	if p == nil {
		m.failArity(f, n)
	}
	if need := base + p.Regs; need > len(m.stack) {
		m.growStack(need)
	}
	if m.fp+1 >= len(m.frames) {
		m.growFrames()
	}
	if p.Variadic {
		m.collectRest(p, base, n)
	}
	m.fp++
	m.frames[m.fp] = frame{proto: p, fn: f, base: int32(base), dst: dst, kind: kind}
}

// collectRest makes the rest parameter of the arguments after the fixed ones.
func (m *Machine) collectRest(p *compile.Proto, base, n int) {
	extra := n - p.Params
	if extra == 0 {
		m.stack[base+p.Params] = value.Nil
		return
	}
	vals := m.Vals(extra)
	m.CopyVals(vals, m.stack[base+p.Params:base+n])
	m.stack[base+p.Params] = m.SeqOf(vals)
}

// push begins a call of f for the machine itself, above the window of the running frame. The two
// slots below the new window hold the values that the call is for. A callee that is not a compiled
// function gets a frame whose code calls it, because it may unwind and run again.
func (m *Machine) push(kind frameKind, f value.Value, args []value.Value, what, also value.Value) {
	base := m.windowEnd() + windowGap
	if need := base + len(args) + 2; need > len(m.stack) {
		m.growStack(need)
	}
	m.stack[base-2], m.stack[base-1] = also, what
	if f.Kind() == value.KindFn {
		copy(m.stack[base:], args)
		m.enter(f.AsFn(), base, len(args), kind, 0)
		return
	}
	if m.fp+1 >= len(m.frames) {
		m.growFrames()
	}
	m.stack[base] = f
	copy(m.stack[base+1:], args)
	m.fp++
	m.frames[m.fp] = frame{proto: callCode(len(args)), base: int32(base), kind: kind}
}

// callCode returns code that calls R[0] with the n values after it, at most MaxCall.
func callCode(n int) *compile.Proto {
	if n < len(callCodes) {
		return callCodes[n]
	}
	return newCallCode(n)
}

// MaxCall is the maximum number of arguments of a call in code.
const MaxCall = 60_000

var callCodes = [...]*compile.Proto{newCallCode(0), newCallCode(1), newCallCode(2), newCallCode(3)}

func newCallCode(n int) *compile.Proto {
	return &compile.Proto{Regs: n + 2, Code: []compile.Instr{
		compile.NewInstr(compile.OpCall, 0, uint16(n), 0), 0, compile.NewInstr(compile.OpReturn, 0, 0, 0)}}
}

// windowEnd returns the first slot above the window of the running frame.
func (m *Machine) windowEnd() int {
	fr := &m.frames[m.fp]
	if fr.proto == nil {
		return int(fr.base)
	}
	return int(fr.base) + fr.proto.Regs
}

// apply spreads the last argument and calls. A variadic function gets the tail of a sequence
// unchanged, so that a long or infinite one is not walked.
func (m *Machine) apply(base, n int, dst uint16) (value.Value, bool) {
	f, last := m.stack[base], m.stack[base+n]
	for f.Kind() == value.KindVar { // of a function that may take a sequence of any length
		m.Work(1)
		f = m.VarGet(f.AsVar())
	}
	fixed := n - 1
	top := base + 1 + n
	if f.Kind() == value.KindFn {
		if p := compile.FnOf(f.AsFn()).Variadic; p != nil {
			if done := m.applyVariadic(f.AsFn(), p, base, fixed, last, dst); done {
				return value.Nil, false
			}
		}
	}
	if !last.Is(value.Seqables) {
		m.Seq(last) // fails, as Clojure does
	}
	last = m.Elements(last)
	count := m.Count(last)
	if count > value.BlockVals-fixed {
		return m.applyMany(f, m.stack[base+1:base+1+fixed], last, fixed+count), true
	}
	rest := m.FirstVals(last, count)
	if fixed == 0 && f.Kind() == value.KindNative { // which reads them from their slots
		return f.AsNative().Fn(&m.Task, rest), true
	}
	if need := top + fixed + len(rest) + 1; need > len(m.stack) {
		m.growStack(need)
	}
	copy(m.stack[top:], m.stack[base+1:base+1+fixed])
	m.CopyVals(m.stack[top+fixed:], rest)
	return m.invoke(f, top, fixed+len(rest), frameCall, dst)
}

// applyMany is apply with n arguments if they exceed one block. A compiled function that takes so
// many gets the rest of them as a sequence.
func (m *Machine) applyMany(f value.Value, fixed []value.Value, last value.Value, n int) value.Value {
	for f.Kind() == value.KindVar {
		m.Work(1)
		f = m.VarGet(f.AsVar())
	}
	switch f.Kind() {
	case value.KindNative:
		args := m.Seq(last)
		for i := len(fixed) - 1; i >= 0; i-- {
			args = m.Cons(fixed[i], args)
		}
		return entry.ApplyMany(&m.Task, f.AsNative(), args, n)
	case value.KindFn:
		m.failArity(f.AsFn(), n)
	case value.KindMultiFn, value.KindProtocolFn, value.KindRecord, value.KindObject:
	default:
		if !f.Is(value.Colls | value.Kinds(value.KindKeyword, value.KindSymbol, value.KindTransientVector,
			value.KindTransientMap, value.KindTransientSet)) {
			m.failCallee(f)
		}
		m.wantArgs(f, n, 1, 2)
	}
	m.FailHint(diag.NotSupported, "reduce goes through a collection of any length",
		"apply: %d arguments for %s, at most %d", n, value.Describe(&m.Task, f), value.BlockVals)
	return value.Nil
}

// applyVariadic calls the variadic arity with the rest of the sequence unspread,
// if no fixed arity could take the call.
func (m *Machine) applyVariadic(f *value.Fn, p *compile.Proto, base, fixed int, last value.Value, dst uint16) bool {
	top := base + 2 + fixed
	if need := top + fixed + p.Params + p.Regs + 1; need > len(m.stack) {
		m.growStack(need)
	}
	rest := m.Seq(last)
	n := fixed
	copy(m.stack[top:], m.stack[base+1:base+1+fixed])
	code := compile.FnOf(f)
	for n < max(p.Params, len(code.ByArity)) && !rest.IsNil() {
		if top+n+1 >= len(m.stack) {
			m.growStack(top + n + 2)
		}
		m.stack[top+n] = m.First(rest)
		rest = m.Next(rest)
		n++
	}
	if rest.IsNil() && (n < len(code.ByArity) && code.ByArity[n] != nil || n < p.Params) {
		return false
	}
	for n > p.Params {
		rest = m.Cons(m.stack[top+n-1], rest)
		n--
	}
	if m.fp+1 >= len(m.frames) {
		m.growFrames()
	}
	if need := top + p.Regs; need > len(m.stack) {
		m.growStack(need)
	}
	m.stack[top+p.Params] = rest
	m.fp++
	m.frames[m.fp] = frame{proto: p, fn: f, base: int32(top), dst: dst, kind: frameCall}
	return true
}

// before copies the n arguments at base up, after x. It returns where x is, and n + 1.
func (m *Machine) before(x value.Value, base, n int) (int, int) {
	top := base + n
	if need := top + n + 2; need > len(m.stack) {
		m.growStack(need)
	}
	copy(m.stack[top+1:], m.stack[base:base+n])
	m.stack[top] = x
	return top, n + 1
}

// multiCall turns the call of a multimethod into one of the prelude function that
// dispatches; the arguments move up, after the multimethod.
func (m *Machine) multiCall(f value.Value, base, n int) (value.Value, int, int) {
	base, n = m.before(f, base, n)
	return compile.PreludeFn(builtins.Lookup(compile.CoreNS, "%invoke-multi")), base, n
}

// promiseCall turns the call of a promise into one of deliver.
func (m *Machine) promiseCall(f value.Value, base, n int) (value.Value, int, int) {
	if !value.IsSort(f, value.SortPromise) {
		m.failCallee(f)
	}
	base, n = m.before(f, base, n)
	return compile.PreludeFn(builtins.Lookup(compile.CoreNS, "%call-promise")), base, n
}

// objectCall turns the call of a record or object into a call of its method invoke, or of the
// method of n arguments by which its type implements a functional interface. The arguments move up,
// after the object.
func (m *Machine) objectCall(f value.Value, base, n int) (value.Value, int, int) {
	method := m.Method(f, value.MethodInvoke)
	switch {
	case !method.IsNil():
	case n == 2:
		method = m.Method(f, value.MethodCompare)
	case n == 0:
		if method = m.Method(f, value.MethodCall); method.IsNil() {
			method = m.Method(f, value.MethodRun)
		}
	}
	for i := 0; method.IsNil() && i < len(value.FunctionalMethods); i++ {
		method = m.InterfaceMethod(f, value.FunctionalMethods[i])
	}
	if method.IsNil() {
		m.failCallee(f)
	}
	base, n = m.before(f, base, n)
	return method, base, n
}

func (m *Machine) callVector(v, i value.Value) value.Value {
	if !i.Is(value.Integers) {
		m.FailHint(diag.IllegalArgument, "a vector takes an index, got "+value.Describe(&m.Task, i), "Key must be integer")
	}
	x, ok := m.Nth(v, int(value.ToLong(&m.Task, i)))
	if !ok {
		m.Fail(diag.OutOfRange, "index %s out of range [0, %d)", value.Show(&m.Task, i), m.Count(v))
	}
	return x
}

func (m *Machine) wantArgs(f value.Value, n, least, most int) {
	if n < least || n > most {
		m.FailHint(diag.BadArity, argsHint(f, most), "Wrong number of args (%d) passed to: %s", n, calleeName(f))
	}
}

// calleeName returns Clojure's name for a value that was called with a wrong number of arguments: a
// keyword itself, and the class of any other value.
func calleeName(f value.Value) string {
	if f.IsKeyword() {
		return ":" + keywordText(f.AsKeyword())
	}
	return value.ClassName(f)
}

func keywordText(k *value.Keyword) string {
	if k.NS != "" {
		return k.NS + "/" + k.Name
	}
	return k.Name
}

func (m *Machine) failArity(f *value.Fn, n int) {
	m.FailHint(diag.BadArity, fnName(f)+" takes "+compile.FnOf(f).Describe(),
		"Wrong number of args (%d) passed to: %s/%s", n, f.Code.NS, fnName(f))
}

func fnName(f *value.Fn) string {
	if f.Code.Name == "" {
		return "fn"
	}
	return f.Code.Name
}

func (m *Machine) failCallee(f value.Value) {
	switch {
	case f.IsNil():
		m.FailHint(diag.NilValue, "the function is nil: was it looked up, or returned by something that found nothing?",
			"can't call nil")
	case value.Identical(f, value.Unbound):
		m.Fail(diag.IllegalState, "Attempting to call unbound fn: it is declared, but not defined yet")
	}
	m.FailHint(diag.WrongType, calleeHint(f), "can't call %s: %s cannot be cast to class clojure.lang.IFn",
		value.Describe(&m.Task, f), value.ClassName(f))
}

// calleeHint returns a hint at the likely mistake in a call of a value that is not a function.
func calleeHint(f value.Value) string {
	switch {
	case f.IsString():
		return "a string is no function: keys of the input are keywords, as in (map :quantity coll), and (get m \"key\") " +
			"reads a string key; (nth s i) or (subs s from to) reads a string"
	case f.Is(value.Seqs):
		return "(nth coll i) or (first coll) reads a sequence; is there a pair of parentheses too many?"
	}
	return "it stands where a function is wanted: is there a pair of parentheses too many, " +
		"or are arguments in the wrong order?"
}

// argsHint returns the arguments that a collection or keyword takes when it is called.
func argsHint(f value.Value, most int) string {
	switch {
	case f.IsKeyword():
		return "a keyword takes a map, and a default for a key that is not there"
	case most == 2:
		return "a map takes a key, and a default for a key that is not there"
	}
	return "it takes one argument: what to look up"
}
