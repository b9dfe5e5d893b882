// This file defines the compiled forms: Proto, Fn and Program.

package compile

import (
	"sync/atomic"
	"unsafe"

	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
)

// Proto is the code of one arity of a function, or of a top-level form. It is
// immutable and shared by every run.
type Proto struct {
	Fn       *Fn
	Code     []Instr
	Consts   []value.Value
	Natives  []value.NativeFunc
	Callees  []string // their names
	Fns      []*Fn
	Pos      []token.Pos // of each instruction
	Start    token.Pos   // of a top-level form; 0 if nothing in it has a place
	NS       string      // of a top-level form: the namespace after it
	EntersNS bool        // a top-level form changes the current namespace, also one that eval has changed
	Files    *token.FileSet
	Handlers []Handler // innermost first
	Params   int       // fixed parameters; the rest parameter follows them
	Variadic bool
	Regs     int  // registers used
	Reaches  bool // it calls a builtin that may have an effect, see entry.Entry.Reaches

	live atomic.Pointer[liveness]
}

// Handler handles exceptions of the instructions Start to End (exclusive): the code continues at
// Target, with the exception in register Reg.
type Handler struct {
	Start, End, Target int32
	Reg                uint16
	// Pure means that the instructions are pure unless they run code of the program. If they would
	// do so, the code also continues at Target, and Reg is not set.
	Pure bool
}

// Fn is the code of a function: its arities. It begins with the part that package value knows.
type Fn struct {
	value.FnCode
	ByArity  []*Proto // by number of arguments; nil where there is none
	Variadic *Proto   // for more arguments than len(ByArity)-1, or nil
	Macro    bool
	Library  bool // it is part of the prelude
	Pos      token.Pos
}

// FnOf returns the code of a closure.
func FnOf(f *value.Fn) *Fn { return (*Fn)(unsafe.Pointer(f.Code)) }

// For returns the arity that takes n arguments, nil if there is none.
func (f *Fn) For(n int) *Proto {
	if n < len(f.ByArity) && f.ByArity[n] != nil {
		return f.ByArity[n]
	}
	if f.Variadic != nil && n >= f.Variadic.Params {
		return f.Variadic
	}
	return nil
}

// Global is a name that def binds.
type Global struct {
	NS, Name string
	Dynamic  bool
	Macro    bool
	Private  bool
	Arities  *Fn // the function a defn binds, for arity checks; nil if not known
	Doc      string
	ArgLists value.Value // of a defn: a list of parameter vectors
	ownMeta  bool        // a definition gave the var metadata that is evaluated
	Meta     value.Value // metadata on the name in the program; map or nil
	Pos      token.Pos
	// Library marks a dynamic var of the library. Its value without a binding is Root unless it is
	// Settable and the program has set it.
	Library, Settable bool
	setting           entry.Setting // that such a var is
	Root              value.Value
}

// Program is compiled source: one Proto a top-level form, in order.
type Program struct {
	Forms   []*Proto
	Globals []Global
	Files   *token.FileSet
	Data    []string // names of the data/… the program reads
}

// Reaches reports whether a call of a builtin as a value may have an effect, see entry.Entry.Reaches.
func Reaches(n *value.Native) bool {
	e, ok := n.Entry.(*entry.Entry)
	return !ok || e.Reaches()
}

// Reads calls f with the number of each global that the code reads or calls, until f returns true, and
// returns that. It counts a dynamic var as read, because its value depends on bindings.
func (p *Proto) Reads(f func(global int) bool) bool {
	for pc := 0; pc < len(p.Code); pc += p.operandsAt(pc).size {
		switch in := p.Code[pc]; in.Op() {
		case OpDynamic:
			return true
		case OpGlobal:
			if f(in.Wide()) {
				return true
			}
		case OpCallG:
			if f(p.Code[pc+1].Wide()) {
				return true
			}
		}
	}
	return false
}

// Callee returns the name of the builtin that the instruction at pc calls, "" if it
// calls none.
func (p *Proto) Callee(pc int) string {
	switch p.Code[pc].Op() {
	case OpCallN, OpMethod, OpMethodN, OpTest:
		return p.Callees[p.Code[pc+1].Wide()]
	case OpNth, OpNthOr, OpNthK:
		return "nth"
	case OpCons, OpCell:
		return "cons"
	case OpPush:
		return "%push"
	case OpAssoc, OpAssocLast:
		return "assoc"
	}
	return ""
}
