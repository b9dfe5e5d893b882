// This file defines Task, the view that a builtin has of the evaluation that calls it.

package value

import (
	"fmt"
	"strings"
	"time"
	"unsafe"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// Task is one evaluation as its builtins see it: the account that every allocation is charged to,
// the owner tag of its objects, and the machine.
//
// A builtin never returns an error. It unwinds: by Fail for an exception of the program, by Charge
// and Work at a bound, by Call and Force for an operation that only the machine can perform. The
// machine handles all of them in one place. After a refused charge, a Call or a Force it runs the
// builtin again from its start, so the builtin must not have changed anything before.
type Task struct {
	limits.Meter
	Host  Host
	Owner uint32
	epoch uint16
	// Inert means that the program has ended: its values are printed without calling its functions.
	Inert bool
	// PrintMethod returns the string that a method of print-method writes for a value, or nil if no
	// method applies. It is set when the program adds the first method.
	PrintMethod func(t *Task, v Value) Value

	depth       int32 // nesting of the current walk (equality, hashing, printing)
	marks       int32 // number of marks
	localCopies localCopies
	identities  identities
	spare       *spareFns // nil before the first lazy sequence

	// The outermost builders of strings and of values, and their first blocks. Most results are
	// short.
	buf    Buf
	vals   ValBuf
	block  [scratchBytes]byte
	values [scratchVals]Value
}

// Host is the interface through which builtins use the machine.
type Host interface {
	// Call returns the result of calling the function f with args. It does not call f itself: it
	// unwinds to the machine, which calls f and runs the builtin again; then Call returns the
	// recorded result. The n-th Call of a builtin must not depend on anything that differs in a
	// second run.
	Call(f Value, args ...Value) Value
	// Parallel runs a parallel operation. Like Call it unwinds, the machine runs the operation
	// once, and then Parallel returns a box with the results of the elements, in their order. If
	// the operation does not end with the first failure, each result is followed by a status: true,
	// false if the element failed (its result is then the exception), or nil if it was not run to
	// its end. Parallel returns nil where nothing runs in parallel; the caller then processes the
	// elements in order.
	Parallel(p Parallel) Value
	// Narrow begins a scope with narrower bounds. Widen ends the innermost scope. LimitsLeft
	// returns the remaining bounds.
	Narrow(Narrowed)
	Widen()
	LimitsLeft() Narrowed
	// Wait waits for a duration, or until the run or the element ends.
	Wait(d time.Duration)
	// CallTool calls a tool. Like Parallel, the machine performs the call once. args returns the
	// arguments as canonical JSON. ArgumentBytes returns the maximum size of the arguments.
	CallTool(tool effect.Tool, args func() string) *effect.Outcome
	ArgumentBytes() int
	// Ask asks a person a question, once, like CallTool. args returns the question as JSON.
	Ask(args func() string) *effect.Outcome
	// EnterGuard acquires guards. Like Parallel, the machine waits for them once. A failure
	// describes why they were refused. host is the host of a HostExclusive hint. LeaveGuard
	// releases the guards acquired last.
	EnterGuard(hint effect.Hint, host string) *effect.Failure
	LeaveGuard()
	// Tools returns the tools of the host, by name.
	Tools() []effect.Tool
	// Traits returns a short description of the guards and bounds of the calls of a tool, with the current
	// policies; "" if there are none.
	Traits(tool effect.Tool) string
	// Force makes the machine realise l, and some of the sequence after it, in the same way. When
	// it returns, l is realised.
	Force(l *Lazy)
	// Print writes text to the program's output.
	Print(text string)
	// PushOut starts to collect the output. PopOut stops collecting and returns the collected
	// output, charged.
	PushOut()
	PopOut() Value
	// Random returns the next number of the run's seeded source.
	Random() uint64
	// Now returns the time of day in nanoseconds since 1970. It fails if the time is not granted.
	// Elapsed returns the nanoseconds since the start of the run.
	Now() int64
	Elapsed() int64
	// Return ends the run with a value. FailRun ends it as failed. Neither returns, and a program
	// cannot catch them.
	Return(v Value)
	FailRun(message string, data Value)
	// Compile returns the functions that run a form, for eval.
	Compile(form Value) Value
	// VarGet returns the value of a var. VarRoot returns the value without bindings, and whether
	// there is one. VarSet changes the root value.
	VarGet(v *Var) Value
	VarRoot(v *Var) (Value, bool)
	VarSet(v *Var, x Value)
	// Cell returns the run's own atom with a name, in which the library keeps state. It holds nil
	// at first.
	Cell(name string) Value
	// Binding returns the innermost binding of a dynamic var of clojure.core.
	Binding(name string) (Value, bool)
	// Read reads the first form of text, as clojure.edn does or as a program is read. ok is false
	// if there is none. opts is nil or a map of options.
	Read(text string, edn bool, opts Value) (form Value, ok bool)
	// ReadFrom is Read, and also returns the offset after the form. It does not look at more of the text than
	// about the form takes.
	ReadFrom(text string, edn bool, opts Value) (form Value, end int, ok bool)
	// Input returns the standard input of the run.
	Input() string
	// ReadResource returns the text of a file of the program for a macro that runs while the program is compiled. The
	// error is fs.ErrNotExist if there is none, and always while the program runs. ResourceDirs returns the folders of
	// such files.
	ReadResource(name string) (text string, err error)
	ResourceDirs() []string
	// ToolNamed returns the granted tool with a name, or nil and a hint how to grant it.
	ToolNamed(name string) (tool effect.Tool, how string)
	// Names returns the interface to the names of the run.
	Names() Names
	// Futures returns the interface to the futures of the evaluation.
	Futures() Futures
}

// Thrown is the panic value of Fail.
type Thrown struct{ Exception *Exception }

// Fail throws an exception with a code and a message.
func (t *Task) Fail(code diag.Code, format string, args ...any) {
	t.Throw(t.NewException(code, fmt.Sprintf(format, args...)))
}

// Text returns v as a string for a message, as str does, if it is short.
func (t *Task) Text(v Value) string {
	if v.Is(Numbers|Kinds(KindNil, KindBool, KindChar, KindKeyword, KindSymbol)) ||
		v.IsString() && len(v.AsString().S) < 200 {
		return t.Str(v).AsString().S
	}
	if v.Is(Colls) {
		return Show(t, v)
	}
	return Describe(t, v)
}

// FailHint is Fail with a hint about the next step.
func (t *Task) FailHint(code diag.Code, hint, format string, args ...any) {
	e := t.NewException(code, fmt.Sprintf(format, args...))
	e.Hint = hint
	t.Throw(e)
}

// FailClass is Fail with a Java class that differs from the one of the code.
func (t *Task) FailClass(class string, code diag.Code, format string, args ...any) {
	e := t.NewException(code, fmt.Sprintf(format, args...))
	e.Class = class
	t.Throw(e)
}

// FileNotFound is the class of the exception for a file that a program cannot read or write, as in Java,
// including files without a grant. FileTools is the prefix of the names of the tools for files.
const (
	FileNotFound = "java.io.FileNotFoundException"
	FileTools    = "fs."
)

// Throw throws an exception.
func (t *Task) Throw(e *Exception) { panic(Thrown{e}) }

// maxMessage bounds the message of an exception made by a builtin, in bytes.
const maxMessage = 2000

// NewException returns an exception with a code and the Java class of that code.
func (t *Task) NewException(code diag.Code, message string) *Exception {
	if len(message) > maxMessage {
		message = strings.ToValidUTF8(message[:maxMessage], "") + "…"
	}
	msg := t.String(message)
	t.Charge(sizeException)
	return &Exception{Header: t.header(KindException), Code: code, Class: diag.ClassOf(code), Msg: msg}
}

// ExceptionSize returns the bytes that NewException charges for a message of n bytes.
func ExceptionSize(n int) int64 { return sizeException + stringSize(n) }

// maxWalk bounds the depth of data in equality, hashing, comparing, printing and walking, because
// they use the Go stack: about 300 bytes a level.
const maxWalk = 2000

// enter and leave surround one level of a recursive walk.
func (t *Task) enter() {
	t.depth++
	if t.depth > maxWalk {
		t.depth = 0
		t.FailHint(diag.NestingTooDeep, "build a flatter value", "data nested deeper than %d levels", maxWalk)
	}
	t.Work(1)
}

func (t *Task) leave() { t.depth-- }

// ResetWalk resets the nesting of a walk that was unwound, and its builders. The machine calls it
// before it runs an instruction again.
func (t *Task) ResetWalk() {
	t.depth = 0
	t.buf = Buf{}
	t.vals = ValBuf{}
	clear(t.values[:])
}

// Cons puts x before the sequence rest, a sequence or nil.
func (t *Task) Cons(x Value, rest Value) Value {
	t.Charge(sizeCons)
	return Value{h: &(&Cons{Header: t.header(KindCons), First: x, Rest: rest.h}).Header}
}

// ConsOnto is cons: it returns the sequence of x and the elements of coll. An unrealised sequence stays so.
func (t *Task) ConsOnto(x, coll Value) Value {
	switch coll.Kind() {
	case KindNil:
		return t.List(x)
	case KindLazy, KindCons:
		return t.Cons(x, coll)
	}
	return t.Cons(x, t.SeqView(coll))
}

// EmptyList is ().
var EmptyList = Value{h: &(&Cons{Header: Header{kind: KindList}}).Header}

// ListConj puts x before the counted list rest.
func (t *Task) ListConj(x Value, rest Value) Value {
	t.Charge(sizeCons)
	c := &Cons{Header: t.header(KindList), First: x, Count: rest.AsCons().Count + 1}
	if c.Count > 1 {
		c.Rest = rest.h
	}
	return Value{h: &c.Header}
}

// List makes a list of vals.
func (t *Task) List(vals ...Value) Value {
	l := EmptyList
	for i := len(vals) - 1; i >= 0; i-- {
		t.Work(1)
		l = t.ListConj(vals[i], l)
	}
	return l
}

// valsUnit is the number of values that are cleared or copied in a unit of work.
const valsUnit = 64

// Vals returns a block of n values and charges it. Use Blocks for more than BlockVals values.
func (t *Task) Vals(n int) []Value {
	if n > BlockVals {
		t.FailHint(diag.NotSupported, "use a collection instead, or process the values in parts",
			"too many values at once: got %d, want at most %d", n, BlockVals)
	}
	if n >= valsUnit {
		t.Work(int64(n) / valsUnit)
	}
	t.Charge(ValsSize(n))
	countVals(&t.Born, n)
	return make([]Value, n)
}

// The first write to memory that is new from the system takes up to a microsecond for 4 KB. So
// values and bytes are copied in blocks of 1 MB, with polls in between.
const (
	copiedVals  = 1 << 16
	copiedBytes = 1 << 20
)

// CopyVals copies src to dst and polls. dst must be at least as long as src.
func (t *Task) CopyVals(dst, src []Value) {
	for len(src) > copiedVals {
		copy(dst, src[:copiedVals])
		dst, src = dst[copiedVals:], src[copiedVals:]
		t.Look()
	}
	copy(dst, src)
}

// CopyBytes is CopyVals for bytes.
func (t *Task) CopyBytes(dst []byte, src string) {
	for len(src) > copiedBytes {
		copy(dst, src[:copiedBytes])
		dst, src = dst[copiedBytes:], src[copiedBytes:]
		t.Look()
	}
	copy(dst, src)
}

// Chunk returns a chunk of vals, a block from Vals.
func (t *Task) Chunk(vals []Value) *Chunk {
	t.Charge(sizeChunk)
	return &Chunk{Header: t.header(KindChunk), Vals: vals}
}

// SeqOf returns a sequence of vals, a block from Vals that nobody changes any more, or nil if it is
// empty.
func (t *Task) SeqOf(vals []Value) Value {
	if len(vals) == 0 {
		return Nil
	}
	return t.ChunkCons(t.Chunk(vals), Nil)
}

// ChunkCons puts the values of a chunk before the sequence rest.
func (t *Task) ChunkCons(c *Chunk, rest Value) Value {
	t.Charge(sizeChunkedCons)
	return Value{h: &(&ChunkedCons{Header: t.header(KindChunkedCons), Chunk: c, Rest: rest.h,
		End: int32(len(c.Vals))}).Header}
}

// Entry makes a map entry.
func (t *Task) Entry(k, v Value) Value {
	t.Charge(sizeMapEntry)
	return Value{h: &(&MapEntry{Header: t.header(KindMapEntry), Key: k, Val: v}).Header}
}

// Range returns the sequence of integers from start towards end by step, or nil if it is empty.
// step must not be 0.
func (t *Task) Range(start, end, step int64) Value {
	if step > 0 && start >= end || step < 0 && start <= end {
		return Nil
	}
	t.Charge(sizeRange)
	return Value{h: &(&Range{Header: t.header(KindRange), Start: start, End: end, Step: step}).Header}
}

// ConstKeyword returns a keyword for tables of builtins. It is not charged to any evaluation. name
// may contain a namespace before a slash.
func ConstKeyword(name string) Value { return Of(&newKeyword(SplitName(name)).Header) }

// ConstString returns a string that is not charged to any evaluation.
func ConstString(s string) Value {
	return Value{h: &(&String{Header: Header{kind: KindString, flags: flagInterned}, S: s}).Header}
}

// Box returns a box of vals, a block from Vals.
func (t *Task) Box(vals []Value) Value {
	return t.BoxOf(Blocks{Vals: vals})
}

// BoxOf returns a box of the values of an array.
func (t *Task) BoxOf(b Blocks) Value {
	t.Charge(sizeBox)
	return Value{h: &(&Box{Header: t.header(KindBox), Blocks: b}).Header}
}

// ConstNative returns a builtin as a value.
func ConstNative(n Native) Value {
	n.Header = Header{kind: KindNative}
	return Value{h: &n.Header}
}

// Atom makes an atom.
func (t *Task) Atom(v Value) Value {
	t.Charge(sizeAtom)
	return t.newIdentity(&(&Atom{Header: t.header(KindAtom), Val: v}).Header)
}

// ConstAtom returns an atom that holds nil. No evaluation owns it, so none can change it.
func ConstAtom() Value { return Value{h: &(&Atom{Header: Header{kind: KindAtom}}).Header} }

// OwnException returns e if it belongs to this evaluation, else a copy.
func (t *Task) OwnException(e *Exception) *Exception {
	if e.owner == t.Owner {
		return e
	}
	t.Charge(sizeException + e.Way.Size())
	own := *e
	own.Header = t.header(KindException)
	return &own
}

// Volatile makes a volatile.
func (t *Task) Volatile(v Value) Value {
	t.Charge(sizeVolatile)
	return t.newIdentity(&(&Volatile{Header: t.header(KindVolatile), Val: v}).Header)
}

// Delay returns a delay that a function of no arguments computes.
func (t *Task) Delay(fn Value) Value {
	t.Charge(sizeDelay)
	return Value{h: &(&Delay{Header: t.header(KindDelay), Fn: fn.h}).Header}
}

// Reduced returns v wrapped as a reduced result.
func (t *Task) Reduced(v Value) Value {
	t.Charge(sizeReduced)
	return Value{h: &(&Reduced{Header: t.header(KindReduced), Val: v}).Header}
}

// Owns throws if the cell v belongs to another evaluation.
func (t *Task) Owns(v Value, what string) {
	if v.h.owner != t.Owner {
		t.FailHint(diag.NotOwner,
			"return the value, and change the "+what+" in the code that waits; futures may change atoms, refs and agents",
			"%s: it belongs to another evaluation, which waits for this worker; only its owner may change it", what)
	}
}

// pointer returns the object that begins with h.
func pointer[T any](h *Header) *T { return (*T)(unsafe.Pointer(h)) }
