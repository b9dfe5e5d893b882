// This file defines the state of one function under compilation: its registers, its locals and
// captured values, and the emission of instructions.

package compile

import (
	"math"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
)

// fn is one arity of a function, or a top-level form, under compilation.
type fn struct {
	c        *Compiler
	parent   *fn
	proto    *Proto
	locals   []local
	next     int // the next free register
	captures []home
	self     string // the function's own name, nil if it has none
	consts   map[value.Value]int
	natives  map[nativeCall]int
	pos      token.Pos
	shell    *Fn          // the function that the arity belongs to; nil for a top-level form
	least    entry.Purity // of the builtins that it calls
	fold     *folding     // the innermost one around the code
	assocs   bool         // the code has an OpAssoc
	vectors  bool         // the code has an OpVector
	loops    bool         // the code has an OpLoop
	bindsNS  bool         // the code is in a binding of *ns*
	entersNS bool         // the code has a form that changes the current namespace when it is compiled
	branches bool         // code was emitted that may be left out: a jump or a handler precedes it
	// selfBinding is the binding of self in the tree.
	selfBinding *Binding
}

// local is the name of a binding, with its home.
type local struct {
	name  string
	home  home
	alias value.Value // the form that replaces the name, if the home is inAlias
	// binding is the local in the tree; nil if none is noted, or it is an alias.
	binding *Binding
	double  bool // whether the value is known to be a double
}

// home is where a local lives: a register, a captured value or an alias.
type home struct {
	kind  homeKind
	index int // register, or number of the captured value
}

type homeKind uint8

const (
	inReg homeKind = iota
	inUp
	inSelf
	inAlias // no home: a form replaces the name
)

// loop is the target of a recur: registers first to first+count-1 and the instruction top.
type loop struct {
	first, count int
	top          int
}

// ctx is the use of an expression's value.
type ctx struct {
	dst int   // the register for it
	ret bool  // return it; nothing follows
	rec *loop // the target of a recur in this form, nil where a recur is misplaced
}

// to returns the context of a plain operand.
func to(dst int) ctx { return ctx{dst: dst} }

// fnBytes is charged for each function under compilation, codeBytes for each
// instruction and constBytes for each constant.
const (
	fnBytes    = 1024
	codeBytes  = 12
	constBytes = 64
)

func (c *Compiler) newFn(parent *fn, self string) *fn {
	c.t.Charge(fnBytes)
	return &fn{c: c, parent: parent, self: self, proto: &Proto{Files: c.files}, least: entry.Total,
		consts: make(map[value.Value]int), natives: make(map[nativeCall]int)}
}

// maxRegs bounds the registers of a function, by the width of an operand.
const maxRegs = 60_000

// maxCode bounds the instructions of a function, by the width of a jump.
const maxCode = 32_000

// alloc takes the next n registers.
func (f *fn) alloc(n int) int {
	r := f.next
	f.next += n
	if f.next > f.proto.Regs {
		f.proto.Regs = f.next
		if f.next > maxRegs {
			f.tooLarge("registers", maxRegs)
		}
	}
	return r
}

func (f *fn) tooLarge(what string, limit int) {
	panic(failure{diag.New(diag.BadForm, f.c.files.Span(f.pos), "function too large: it needs more than %d %s", limit,
		what).
		WithHint("split it into smaller functions")})
}

func (f *fn) emit(op Op, a, b, c int) int {
	f.c.t.Charge(codeBytes)
	f.proto.Code = append(f.proto.Code, NewInstr(op, uint16(a), uint16(b), uint16(c)))
	f.proto.Pos = append(f.proto.Pos, f.pos)
	f.branches = f.branches || op >= OpJump && op <= OpJNEqK
	if len(f.proto.Code) > maxCode {
		f.tooLarge("instructions", maxCode)
	}
	return len(f.proto.Code) - 1
}

func (f *fn) emitWide(op Op, a, wide int) int {
	return f.emit(op, a, wide&0xffff, wide>>16)
}

// word emits the operand slot after an instruction.
func (f *fn) word(n int) { f.emitWide(OpNop, 0, n) }

func (f *fn) here() int { return len(f.proto.Code) }

// patch makes the jump at instruction at go to the next instruction.
func (f *fn) patch(at int) { f.patchTo(at, f.here()) }

func (f *fn) patchTo(at, target int) {
	i := f.proto.Code[at]
	off := target - at - 1
	b, c := i.B(), uint16(int16(off))
	if i.Op() == OpJump || i.Op() == OpLoop {
		b, c = uint16(off), uint16(off>>16)
	}
	f.proto.Code[at] = NewInstr(i.Op(), i.A(), b, c)
}

func (f *fn) patchAll(at []int) {
	for _, i := range at {
		f.patch(i)
	}
}

func (f *fn) jump() int { return f.emit(OpJump, 0, 0, 0) }

// loopTo jumps back to top, counting a step.
func (f *fn) loopTo(top int) {
	f.loops = true
	f.patchTo(f.emit(OpLoop, 0, 0, 0), top)
}

// constant returns the index of a constant.
func (f *fn) constant(v value.Value) int {
	v = f.c.intern(v)
	if i, ok := f.consts[v]; ok {
		return i
	}
	f.c.t.Charge(constBytes)
	f.proto.Consts = append(f.proto.Consts, v)
	i := len(f.proto.Consts) - 1
	f.consts[v] = i
	return i
}

// load puts a constant into a register.
func (f *fn) load(v value.Value, dst int) {
	switch {
	case v.IsNil():
		f.emit(OpNil, dst, 0, 0)
	case v.IsInt() && v.AsInt() >= math.MinInt16 && v.AsInt() <= math.MaxInt16:
		f.emit(OpInt, dst, int(uint16(v.AsInt())), 0)
	default:
		f.emitWide(OpConst, dst, f.constant(v))
	}
}

// finish closes the code.
func (f *fn) finish() *Proto {
	f.proto.Regs++ // so that the window is never empty
	if f.assocs || f.vectors && f.loops {
		f.ownVectors()
	}
	return f.proto
}

// bind binds a symbol to a register in the code that follows.
func (f *fn) bind(sym value.Value, reg int) {
	l := local{name: sym.AsSymbol().Name, home: home{inReg, reg}}
	if f.c.noting() {
		l.binding = f.c.noteBinding(sym)
	}
	f.locals = append(f.locals, l)
}

// find returns the home of a local, which is captured from an outer function if needed.
func (f *fn) find(name string) (home, bool) {
	f.c.t.Work(int64(1 + (len(f.locals)+len(f.captures))/8))
	for i := len(f.locals) - 1; i >= 0; i-- {
		if f.locals[i].name == name {
			return f.locals[i].home, true
		}
	}
	if f.self != "" && f.self == name {
		return home{kind: inSelf}, true
	}
	if f.parent == nil {
		return home{}, false
	}
	outer, ok := f.parent.find(name)
	if !ok || outer.kind == inAlias {
		return outer, ok
	}
	for i, have := range f.captures {
		if have == outer {
			return home{inUp, i}, true
		}
	}
	f.captures = append(f.captures, outer)
	return home{inUp, len(f.captures) - 1}, true
}

// alias returns the form of a local whose home is inAlias.
func (f *fn) alias(name string) value.Value {
	for g := f; g != nil; g = g.parent {
		for i := len(g.locals) - 1; i >= 0; i-- {
			if g.locals[i].name == name {
				return g.locals[i].alias
			}
		}
	}
	return value.Nil
}

// isLocal reports whether a symbol names a local.
func (f *fn) isLocal(sym value.Value) bool {
	if !sym.IsSymbol() || sym.AsSymbol().NS != "" {
		return false
	}
	for g := f; g != nil; g = g.parent {
		f.c.t.Work(int64(1 + len(g.locals)/8))
		for i := range g.locals {
			if g.locals[i].name == sym.AsSymbol().Name {
				return true
			}
		}
		if g.self == sym.AsSymbol().Name && g.self != "" {
			return true
		}
	}
	return false
}

// fetch puts a local's value into a register.
func (f *fn) fetch(p home, dst int) {
	switch p.kind {
	case inReg:
		if p.index != dst {
			f.emit(OpMove, dst, p.index, 0)
		}
	case inUp:
		f.emit(OpUp, dst, p.index, 0)
	case inSelf:
		f.emit(OpSelf, dst, 0, 0)
	}
}

// at sets the position of the code that follows and returns the previous one.
func (f *fn) at(form value.Value) token.Pos {
	old := f.pos
	if p := posOf(form); p != 0 {
		f.pos = p
	}
	return old
}
