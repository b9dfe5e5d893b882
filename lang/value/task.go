// This file defines Task: what a builtin sees of the evaluation that calls it.

package value

import (
	"fmt"
	"strings"
	"time"
	"unsafe"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// Task is one evaluation as its builtins see it: the account that every
// allocation is charged to, the owner tag its objects get, and the machine.
//
// A builtin never returns an error: it unwinds, by Fail for an exception of the
// program, by Charge and Work for a bound, by Call and Force for something that
// only the machine can do. The machine catches all of them in one place. After a
// refused charge, a Call or a Force it runs the builtin again from its start, so
// a builtin must have changed nothing by then.
type Task struct {
	limits.Meter
	Host  Host
	Owner uint32
	epoch uint16
	// Inert says that the program has ended: what it left is printed without calling
	// its functions.
	Inert bool
	// PrintMethod gives the text that a method of print-method writes for a value, nil
	// if there is none for it; it is set when the program adds the first.
	PrintMethod func(t *Task, v Value) Value

	depth int // nesting of the walk in progress (equality, hashing, printing)
	marks int // marks done
	twins twins

	// The first builders of text and of values in use at a time, and their first
	// blocks: most results are short.
	buf    Buf
	vals   ValBuf
	block  [scratchBytes]byte
	values [scratchVals]Value
}

// Host is what the machine does for builtins.
type Host interface {
	// Call gives what the function f gives for args. It does not call: it unwinds
	// to the machine, which calls f and runs the builtin again; then Call returns
	// the recorded result. The n-th Call of a builtin must not depend on anything
	// that a second run would see differently.
	Call(f Value, args ...Value) Value
	// Parallel runs a parallel operation, like Call: it unwinds, the machine runs the
	// operation once, and then Parallel gives a box of its results: of each element
	// what it gave, in their order; if the operation does not end with the first
	// failure, then also of each true, false if it failed (its result is the exception
	// then) or nil if it was not run to its end. It gives nil where nothing runs in
	// parallel: the caller then does the same in order.
	Parallel(p Parallel) Value
	// Narrow begins a scope with narrower bounds, and Widen ends the innermost one.
	// LimitsLeft tells what is left of the bounds.
	Narrow(Narrowed)
	Widen()
	LimitsLeft() Narrowed
	// Wait waits for a time, or until the run or the element is over.
	Wait(d time.Duration)
	// CallTool calls a tool, like Parallel: the machine does so once. args gives the
	// arguments in canonical JSON. ArgumentBytes gives the most bytes that the arguments may have.
	CallTool(tool *Tool, args func() string) *ToolOutcome
	ArgumentBytes() int
	// EnterGuard takes a guard, like Parallel: the machine waits for it once; a failure says
	// why it was refused. LeaveGuard gives back the one that was taken last.
	EnterGuard(g Guard) *ToolFailure
	LeaveGuard()
	// Tools gives the tools of the host, by name.
	Tools() []*Tool
	// Force makes the machine realise l, and some of what follows it, in the same
	// way; when it returns, l is realised.
	Force(l *Lazy)
	// Print writes text to the program's output.
	Print(text string)
	// PushOut gathers what is printed from here on; PopOut ends that and gives it,
	// charged.
	PushOut()
	PopOut() Value
	// Random gives the next number of the run's seeded source.
	Random() uint64
	// Now returns the time of day in nanoseconds since 1970; it fails if that is not
	// granted. Elapsed returns the nanoseconds since the run began.
	Now() int64
	Elapsed() int64
	// Return ends the run with a value, FailRun as failed. Neither returns, and a
	// program cannot catch them.
	Return(v Value)
	FailRun(message string, data Value)
	// Compile gives the functions that run a form, for eval.
	Compile(form Value) Value
	// VarGet gives the value of a var, VarRoot the one without bindings and whether
	// there is one, VarSet changes that.
	VarGet(v *Var) Value
	VarRoot(v *Var) (Value, bool)
	VarSet(v *Var, x Value)
	// Cell gives the run's own atom of a name, for what the library keeps; it holds
	// nil at first.
	Cell(name string) Value
	// Binding gives the innermost binding of a dynamic var of clojure.core.
	Binding(name string) (Value, bool)
	// Read reads the first form of text, as clojure.edn does or as a program is
	// read; ok is false if there is none. opts is nil or a map of options.
	Read(text string, edn bool, opts Value) (form Value, ok bool)
	// Names gives what the program may ask about names.
	Names() Names
}

// Thrown is what Fail unwinds with.
type Thrown struct{ Exception *Exception }

// Fail throws an exception with a code and a message.
func (t *Task) Fail(code diag.Code, format string, args ...any) {
	t.Throw(t.NewException(code, fmt.Sprintf(format, args...)))
}

// Text gives the text of v for a message, as str does, if it is short.
func (t *Task) Text(v Value) string {
	if v.Is(Numbers|Kinds(KindNil, KindBool, KindChar, KindKeyword, KindSymbol)) || v.IsString() && len(v.AsString().S) < 200 {
		return t.Str(v).AsString().S
	}
	if v.Is(Colls) {
		return Show(t, v)
	}
	return Describe(t, v)
}

// FailHint is Fail with a hint that says what would mend it.
func (t *Task) FailHint(code diag.Code, hint, format string, args ...any) {
	e := t.NewException(code, fmt.Sprintf(format, args...))
	e.Hint = hint
	t.Throw(e)
}

// FailClass is Fail with the Java class of the exception where it is not the one
// of the code.
func (t *Task) FailClass(class string, code diag.Code, format string, args ...any) {
	e := t.NewException(code, fmt.Sprintf(format, args...))
	e.Class = class
	t.Throw(e)
}

// Throw throws an exception.
func (t *Task) Throw(e *Exception) { panic(Thrown{e}) }

// maxMessage bounds the message of an exception made by a builtin, in bytes.
const maxMessage = 2000

// NewException makes an exception of a code, with the class it stands for.
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

// maxWalk bounds the nesting of data that equality, hashing, comparing, printing
// and walking follow, because they use the Go stack: about 300 bytes a level.
const maxWalk = 2000

// enter and leave bracket one level of a recursive walk.
func (t *Task) enter() {
	t.depth++
	if t.depth > maxWalk {
		t.depth = 0
		t.FailHint(diag.NestingTooDeep, "build a flatter value", "data nested deeper than %d levels", maxWalk)
	}
	t.Work(1)
}

func (t *Task) leave() { t.depth-- }

// ResetWalk forgets the nesting of a walk that was unwound, and its builders. The
// machine calls it before it runs an instruction again.
func (t *Task) ResetWalk() {
	t.depth = 0
	t.buf = Buf{}
	t.vals = ValBuf{}
	clear(t.values[:])
}

// Cons puts x before the sequence rest (a seq or nil).
func (t *Task) Cons(x Value, rest Value) Value {
	t.Charge(sizeCons)
	return Value{h: &(&Cons{Header: t.header(KindCons), First: x, Rest: rest.h}).Header}
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

// valsUnit is how many values are cleared, or copied, for a unit of work.
const valsUnit = 64

// Vals makes a block of n values, charged. More than BlockVals are for Blocks.
func (t *Task) Vals(n int) []Value {
	if n > BlockVals {
		t.FailHint(diag.NotSupported, "take a collection in its place, or parts of it", "%d values at once, at most %d", n, BlockVals)
	}
	if n >= valsUnit {
		t.Work(int64(n) / valsUnit)
	}
	t.Charge(ValsSize(n))
	countVals(&t.Born, n)
	return make([]Value, n)
}

// Memory that the system gives anew takes up to a microsecond for 4 KB when it is
// written first; so values and bytes are copied in blocks of 1 MB, with polls between.
const (
	copiedVals  = 1 << 16
	copiedBytes = 1 << 20
)

// CopyVals copies src to dst, which is as long or longer, and polls.
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

// Chunk makes a chunk around vals, a block from Vals.
func (t *Task) Chunk(vals []Value) *Chunk {
	t.Charge(sizeChunk)
	return &Chunk{Header: t.header(KindChunk), Vals: vals}
}

// SeqOf makes a sequence of vals, a block from Vals that nobody changes any
// more; nil if it is empty.
func (t *Task) SeqOf(vals []Value) Value {
	if len(vals) == 0 {
		return Nil
	}
	return t.ChunkCons(t.Chunk(vals), Nil)
}

// ChunkCons puts the values of a chunk before the sequence rest.
func (t *Task) ChunkCons(c *Chunk, rest Value) Value {
	t.Charge(sizeChunkedCons)
	return Value{h: &(&ChunkedCons{Header: t.header(KindChunkedCons), Chunk: c, Rest: rest.h, End: int32(len(c.Vals))}).Header}
}

// Entry makes a map entry.
func (t *Task) Entry(k, v Value) Value {
	t.Charge(sizeMapEntry)
	return Value{h: &(&MapEntry{Header: t.header(KindMapEntry), Key: k, Val: v}).Header}
}

// Lazy makes a lazy sequence of a function of no arguments.
func (t *Task) Lazy(fn Value) Value {
	t.Charge(sizeLazy)
	return Value{h: &(&Lazy{Header: t.header(KindLazy), Fn: fn.h}).Header}
}

// Range makes the sequence of integers from start towards end by step, nil if it
// is empty. step is not 0.
func (t *Task) Range(start, end, step int64) Value {
	if step > 0 && start >= end || step < 0 && start <= end {
		return Nil
	}
	t.Charge(sizeRange)
	return Value{h: &(&Range{Header: t.header(KindRange), Start: start, End: end, Step: step}).Header}
}

// ConstKeyword makes a keyword that no evaluation pays for, for tables of
// builtins. name may hold a namespace before a slash.
func ConstKeyword(name string) Value { return Of(&newKeyword(SplitName(name)).Header) }

// ConstString makes a string that no evaluation pays for.
func ConstString(s string) Value {
	return Value{h: &(&String{Header: Header{kind: KindString}, S: s}).Header}
}

// Box makes a box around vals, a block from Vals.
func (t *Task) Box(vals []Value) Value {
	return t.BoxOf(Blocks{Vals: vals})
}

// BoxOf makes a box of a row.
func (t *Task) BoxOf(b Blocks) Value {
	t.Charge(sizeBox)
	return Value{h: &(&Box{Header: t.header(KindBox), Blocks: b}).Header}
}

// Fn makes a closure with room for up captured values, which the caller fills.
func (t *Task) Fn(code *FnCode, up int) *Fn {
	t.Charge(sizeFn + ValsSize(up))
	f := &Fn{Header: t.header(KindFn), Code: code}
	if up > 0 {
		countVals(&t.Born, up)
		f.Up = make([]Value, up)
	}
	return f
}

// ConstFn makes a closure without captured values that no evaluation pays for.
func ConstFn(code *FnCode) Value {
	return Value{h: &(&Fn{Header: Header{kind: KindFn}, Code: code}).Header}
}

// ConstNative makes a builtin value.
func ConstNative(n Native) Value {
	n.Header = Header{kind: KindNative}
	return Value{h: &n.Header}
}

// Atom makes an atom.
func (t *Task) Atom(v Value) Value {
	t.Charge(sizeAtom)
	return Value{h: &(&Atom{Header: t.header(KindAtom), Val: v}).Header}
}

// ConstAtom makes an atom that holds nil and that no evaluation owns, so that none can
// change it.
func ConstAtom() Value { return Value{h: &(&Atom{Header: Header{kind: KindAtom}}).Header} }

// OwnException gives e if it belongs to this evaluation, and a copy if not.
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
	return Value{h: &(&Volatile{Header: t.header(KindVolatile), Val: v}).Header}
}

// Delay makes a delay of a function of no arguments.
func (t *Task) Delay(fn Value) Value {
	t.Charge(sizeDelay)
	return Value{h: &(&Delay{Header: t.header(KindDelay), Fn: fn.h}).Header}
}

// Reduced wraps v.
func (t *Task) Reduced(v Value) Value {
	t.Charge(sizeReduced)
	return Value{h: &(&Reduced{Header: t.header(KindReduced), Val: v}).Header}
}

// Owns refuses to change a cell of another evaluation.
func (t *Task) Owns(v Value, what string) {
	if v.h.owner != t.Owner {
		t.FailHint(diag.NotOwner, "return the value from the worker and change the "+what+" after pmap",
			"%s: it belongs to another evaluation, which waits for this worker; only its owner may change it", what)
	}
}

// pointer gives the object a header begins.
func pointer[T any](h *Header) *T { return (*T)(unsafe.Pointer(h)) }
