// This file defines the rest of what the machine does for builtins.

package eval

import (
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// Random implements value.Host: PCG, so that a seed gives the same numbers everywhere.
func (m *Machine) Random() uint64 {
	if !m.seeded {
		m.random.Seed(m.seed, 0x9e3779b97f4a7c15)
		m.seeded = true
	}
	return m.random.Uint64()
}

// wantTime refuses what depends on time while a program is compiled: what a macro made of
// it would be part of the program, and another one each time that it is compiled.
func (m *Machine) wantTime() {
	if m.opts.Effects == nil {
		m.FailHint(diag.NotSupported, "have the macro give code that asks for it", "there is no time while a program is compiled")
	}
}

// Now implements value.Host. A program whose text calls it does not compile without the
// grant; one that finds the builtin by a var gets this error.
func (m *Machine) Now() int64 {
	m.wantTime()
	if tools := m.opts.Env.Tools; tools.Named(builtins.ClockTool) == nil {
		m.FailHint(diag.NotGranted, tools.HowToGrant(builtins.ClockTool), builtins.ClockNotGranted)
	}
	return m.clock(func() int64 { return time.Now().UnixNano() })
}

// Elapsed implements value.Host.
func (m *Machine) Elapsed() int64 {
	m.wantTime()
	return m.clock(func() int64 { return int64(time.Since(m.opts.Effects.Began())) })
}

// clock reads a clock; with a journal the reading is an effect.
func (m *Machine) clock(read func() int64) int64 {
	if m.opts.Journal == nil {
		return read()
	}
	id := m.effectID()
	r, do := m.beginEffect(effect.Effect{ID: id, Kind: effect.KindTime, Class: effect.ReadOnly})
	if !do {
		t, err := strconv.ParseInt(string(r.Result), 10, 64)
		m.endIf(effect.RunError(err))
		return t
	}
	t := read()
	m.endEffect(id, effect.Record{Result: strconv.AppendInt(nil, t, 10)})
	return t
}

// endIf ends the run by an error of what is outside of it, if there is one.
func (m *Machine) endIf(err *diag.Error) {
	if err != nil {
		panic(stop{err})
	}
}

// capture gathers what with-out-str prints. Its block grows by doubling, charged.
type capture struct{ text []byte }

func (c *capture) bytes() int64 { return limits.BytesSize(cap(c.text)) }

// Print implements value.Host. Output beyond the limit is dropped; the notice at
// the end of the run says how much.
func (m *Machine) Print(text string) {
	if n := len(m.outs); n > 0 {
		m.gather(&m.outs[n-1], text)
		return
	}
	if m.op != nil {
		m.add(text, nil, 0)
		return
	}
	if m.opts.Journal != nil {
		m.note(effect.Effect{Kind: effect.KindPrint, Args: quoted(text)})
	}
	m.handOver([]piece{{text: text}})
}

// Printed gives the bytes the program printed, and the most that were passed on.
func (m *Machine) Printed() (n, limit int) { return m.printed, m.opts.Limits.OutputBytes }

func (m *Machine) gather(out *capture, text string) { out.text = m.gathered(out.text, text) }

// gathered returns what is gathered with a text after it. It charges before it changes
// anything, and overwrites nothing.
func (m *Machine) gathered(all []byte, text string) []byte {
	n := len(all)
	if need := n + len(text); need > cap(all) {
		room := max(64, need, 2*cap(all))
		m.Charge(limits.BytesSize(room))
		grown := value.Bytes(room)[:n]
		m.CopyBytes(grown, unsafe.String(unsafe.SliceData(all), n))
		m.Credit(limits.BytesSize(cap(all)))
		all = grown
	}
	m.CopyBytes(all[n:cap(all)], text)
	return all[:n+len(text)]
}

// PushOut implements value.Host: what is printed from here on is gathered.
func (m *Machine) PushOut() {
	if n := cap(m.outs); len(m.outs) == n {
		m.Charge(limits.ObjectSize(max(4, 2*n) * captureSize))
		grown := make([]capture, n, max(4, 2*n))
		copy(grown, m.outs)
		m.Credit(limits.ObjectSize(n * captureSize))
		m.outs = grown
	}
	m.outs = append(m.outs, capture{})
}

// PopOut implements value.Host: it gives what was gathered since PushOut.
func (m *Machine) PopOut() value.Value {
	last := len(m.outs) - 1
	if last < 0 {
		return value.Nil
	}
	text := m.CopyString(unsafe.String(unsafe.SliceData(m.outs[last].text), len(m.outs[last].text)))
	m.outs[last] = capture{}
	m.outs = m.outs[:last]
	return text
}

// VarGet implements value.Host.
func (m *Machine) VarGet(v *value.Var) value.Value {
	if v.Index < 0 {
		return m.libraryVar(v)
	}
	if x, ok := m.dynamic(int(v.Index)); ok {
		return x
	}
	return m.global(int(v.Index))
}

// libraryVar returns the value of a var of the library, or of with-local-vars.
func (m *Machine) libraryVar(v *value.Var) value.Value {
	if strings.HasPrefix(v.Sym.Name, "*") { // which may be bound, or set
		for i := range m.globals {
			if g := &m.names[i]; !g.Library || g.Name != v.Sym.Name || g.NS != v.Sym.NS {
				continue
			}
			if x, ok := m.dynamic(i); ok {
				return x
			}
			return m.globals[i]
		}
	}
	return v.Root
}

// VarSet implements value.Host: it changes the root value of a var.
func (m *Machine) VarSet(v *value.Var, x value.Value) {
	if v.Index < 0 {
		m.FailHint(diag.NotSupported, "define a function of your own", "the builtin %s can't be redefined", v.Sym.Name)
	}
	m.mayDefine(int(v.Index))
	m.globals[v.Index] = x
}

// mayDefine refuses to give a global a value in a worker.
func (m *Machine) mayDefine(i int) {
	if m.op != nil {
		m.FailHint(diag.NotOwner, "return the value: "+m.op.Name+" keeps the order; or bind it with let",
			"def of %s in a parallel worker: definitions belong to the evaluation that waits for it", m.names[i].Name)
	}
}

// linkOwn makes room for the names that the run has added. A worker can't add any:
// what it gives may name them, and the evaluation that gets that does not know them.
func (m *Machine) linkOwn() {
	names := m.ownEnv().Globals
	if n := len(m.names); m.op != nil && len(names) > n {
		m.env, m.envPaid = nil, 0
		m.FailHint(diag.NotOwner, "define it before, outside of "+m.op.Name+"; or bind it with let",
			"%s/%s is new to a parallel worker: definitions belong to the evaluation that waits for it", names[n].NS, names[n].Name)
	}
	m.Link(names)
}

// Cell implements value.Host.
func (m *Machine) Cell(name string) value.Value {
	for e := m; ; e = e.op.m {
		if cell, ok := e.cells[name]; ok {
			return cell
		}
		if e.op == nil {
			break
		}
	}
	cell := noCell // which a worker can't change
	if m.op == nil {
		cell = m.Atom(value.Nil)
		if m.cells == nil {
			m.cells = make(map[string]value.Value)
		}
		m.cells[name] = cell
	}
	return cell
}

// noCell is an atom that holds nil and belongs to no evaluation.
var noCell = value.ConstAtom()

// VarRoot implements value.Host: the value without bindings, and whether there is
// one.
func (m *Machine) VarRoot(v *value.Var) (value.Value, bool) {
	if v.Index < 0 {
		return v.Root, true
	}
	x := m.globals[v.Index]
	return x, !value.Identical(x, value.Unbound)
}

// global gives the value of a global, which must be bound.
func (m *Machine) global(i int) value.Value {
	v := m.globals[i]
	if value.Identical(v, value.Unbound) {
		g := m.names[i]
		if g.NS == compile.DataNS {
			m.FailHint(diag.UnknownData, "the definition that reads it was made when there was one",
				"no input named data/%s", g.Name)
		}
		m.FailHint(diag.IllegalState, "its definition has not run yet", "%s/%s is declared, but has no value", g.NS, g.Name)
	}
	return v
}

// dynamic gives the innermost binding of a global.
func (m *Machine) dynamic(i int) (value.Value, bool) {
	for n := len(m.dyn) - 1; n >= 0; n-- {
		if int(m.dyn[n].global) == i {
			return m.dyn[n].val, true
		}
	}
	return value.Nil, false
}

// Binding implements value.Host.
func (m *Machine) Binding(name string) (value.Value, bool) {
	for n := len(m.dyn) - 1; n >= 0; n-- {
		if g := m.names[m.dyn[n].global]; g.Name == name && g.NS == compile.CoreNS {
			return m.dyn[n].val, true
		}
	}
	if m.setsLibrary {
		for i := range m.globals {
			if g := &m.names[i]; g.Settable && g.Name == name && g.NS == compile.CoreNS {
				return m.globals[i], true
			}
		}
	}
	return value.Nil, false
}

// bind pushes a binding.
func (m *Machine) bind(global int, v value.Value) {
	m.reserveBindings(1)
	m.dyn = append(m.dyn, binding{int32(global), v})
}

// reserveBindings makes room for n more bindings.
func (m *Machine) reserveBindings(n int) {
	need := len(m.dyn) + n
	if need <= cap(m.dyn) {
		return
	}
	room := max(8, need, 2*cap(m.dyn))
	m.Charge(limits.ObjectSize(room * bindingSize))
	grown := make([]binding, len(m.dyn), room)
	copy(grown, m.dyn)
	m.Credit(m.dynBytes())
	m.dyn = grown
}

// dynBytes is what the bindings take of the account. A worker begins with those of its
// parent.
func (m *Machine) dynBytes() int64 {
	if cap(m.dyn) <= m.conveyed {
		return 0
	}
	return limits.ObjectSize(cap(m.dyn) * bindingSize)
}

// setBinding changes the innermost binding of a global.
func (m *Machine) setBinding(global int, v value.Value) {
	for n := len(m.dyn) - 1; n >= 0; n-- {
		if int(m.dyn[n].global) == global {
			if n < m.conveyed {
				m.Fail(diag.IllegalState, "Can't set!: %s from non-binding thread", m.names[global].Name)
			}
			m.dyn[n].val = v
			return
		}
	}
	g := m.names[global]
	if g.Settable && m.op != nil {
		m.Fail(diag.IllegalState, "Can't set!: %s from non-binding thread", g.Name)
	}
	if g.Settable {
		m.globals[global], m.setsLibrary = v, true
		return
	}
	m.FailHint(diag.IllegalState, "bind it first: (binding ["+g.Name+" …] …)", "Can't change/establish root binding of: %s with set", g.Name)
}

// Describe gives an exception as an error.
func (m *Machine) Describe(e *value.Exception) *diag.Error {
	return value.ErrorOf(&m.Task, e)
}

// Import runs fn, which makes values for the program from the host's, under the
// account and bounds of the run. If the account is full, what is live is marked and
// fn run once more.
func (m *Machine) Import(fn func(t *value.Task) (value.Value, error)) (value.Value, *diag.Error) {
	v, err, full := m.tryImport(fn)
	if full {
		v, err, _ = m.tryImport(func(t *value.Task) (value.Value, error) {
			m.mark()
			return fn(t)
		})
	}
	return v, err
}

func (m *Machine) tryImport(fn func(t *value.Task) (value.Value, error)) (v value.Value, err *diag.Error, full bool) {
	defer func() {
		if r := recover(); r != nil {
			v, err = value.Nil, m.importFailure(r)
			_, full = r.(limits.Refused)
		}
	}()
	v, ferr := fn(&m.Task)
	if ferr != nil {
		return value.Nil, &diag.Error{Code: diag.WrongType, Message: ferr.Error()}, false
	}
	return v, nil, false
}

// importFailure gives the error for what an import unwound with. There is no
// instruction to run again.
func (m *Machine) importFailure(r any) *diag.Error {
	m.fp, m.frames[0] = 0, frame{kind: frameTop}
	m.ResetWalk()
	switch r := r.(type) {
	case limits.Refused:
		return m.memoryExceeded(m.Used(), r.Bytes)
	case upcall, forcing:
		return (&diag.Error{Code: diag.IllegalState, Message: "the value has a part that only the running program can compute"}).
			WithHint("return data")
	}
	_, err := m.handle(r)
	return err
}

// Return implements value.Host.
func (m *Machine) Return(v value.Value) { panic(outcome{v}) }

// FailRun implements value.Host.
func (m *Machine) FailRun(message string, data value.Value) {
	err := &diag.Error{Code: diag.Failed, Message: message}
	if !data.IsNil() {
		err.Data = value.Show(&m.Task, data)
	}
	panic(stop{err})
}
