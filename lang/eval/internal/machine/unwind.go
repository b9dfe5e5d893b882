// This file handles instructions that cannot continue: exceptions, a full account, calls and
// realisations that builtins ask for, and the bounds of the run.

package machine

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// stop ends the run; a program cannot catch it.
type stop struct{ err *diag.Error }

// outcome ends the run early with a value: (return v).
type outcome struct{ v value.Value }

// upcall asks the machine to call a function for a builtin.
type upcall struct {
	f    value.Value
	args []value.Value
}

// forcing asks the machine to realise a lazy sequence for a builtin.
type forcing struct{ lazy *value.Lazy }

// memo keeps the results of the requests of one execution of a builtin until the builtin has run
// again.
type memo struct {
	of      identity
	results []value.Value // of the calls, each after the key of its request
	next    int           // the index from which the result of the next call is looked for
	answer  Answer        // of the tree; nil if the builtin has asked for nothing
	// ahead is the number of elements that the last realisation looked ahead. Each further one
	// looks ahead twice as far, so that running the builtin again stays cheap.
	ahead int64
}

// bytes returns the size of the values that the memo holds.
func (mm *memo) bytes() int64 {
	n := value.ValsSize(cap(mm.results))
	if mm.answer != nil {
		n += mm.answer.Bytes()
	}
	return n
}

// mark marks the values that the memo holds.
func (mm *memo) mark(mk *value.Marker) {
	mk.Vals(mm.results)
	if mm.answer != nil {
		mm.answer.Mark(mk)
	}
}

// Call implements value.Host. A builtin that runs again repeats its earlier requests, except requests whose
// consequence is kept elsewhere: the hash of a collection is cached in it once the methods of its elements
// have returned. So results are found by their requests.
func (m *Machine) Call(f value.Value, args ...value.Value) value.Value {
	if m.memo.of == m.now() && m.memo.next < len(m.memo.results) {
		key := value.RequestKey(f, args)
		for i := m.memo.next; i+1 < len(m.memo.results); i += 2 {
			if m.memo.results[i] == key {
				m.memo.next = i + 2
				return m.memo.results[i+1]
			}
		}
	}
	panic(upcall{f, args})
}

// Force implements value.Host.
func (m *Machine) Force(l *value.Lazy) {
	if m.settle(l) {
		return
	}
	panic(forcing{l})
}

// now returns the identity of the running instruction.
func (m *Machine) now() identity {
	return identity{m.fp, m.frames[m.fp].pc, m.MachineSteps()}
}

// handle handles r, the panic of an instruction. It returns false if an uncaught exception or a
// bound has ended the run. If it hits a bound itself (the stack of an upcall, say), it handles that
// too.
func (m *Machine) handle(r any) (goOn bool, err *diag.Error) {
	for range maxNestedFailures {
		var nested any
		if goOn, err, nested = m.tryHandle(r); nested == nil {
			return goOn, err
		}
		r = nested
	}
	return false, &diag.Error{Code: diag.Internal, Message: fmt.Sprint(r), Stack: debug.Stack()}
}

// maxNestedFailures bounds the failures that are handled for one instruction. An upcall that throws
// an exception makes four if there is too little memory to describe the exception.
const maxNestedFailures = 8

// tryHandle is handle, and also returns the panic with which handling r ended.
func (m *Machine) tryHandle(r any) (goOn bool, err *diag.Error, nested any) {
	defer func() {
		if again := recover(); again != nil {
			nested = again
		}
	}()
	m.ResetWalk()
	switch r := r.(type) {
	case value.Thrown:
		goOn, err = m.Raise(r.Exception)
	case limits.Refused:
		goOn, err = m.collect(r)
	case upcall:
		m.beginUpcall(r)
		goOn = true
	case forcing:
		m.forceAhead(r.lazy)
		goOn = true
	case stop:
		if err = m.Place(r.err); err.Code == diag.MemoryExceeded {
			goOn, err = m.tree.Overrun(err)
		}
	case outcome:
		m.result, m.returnedEarly = r.v, true
	default:
		var known bool
		if goOn, known, err = m.tree.Request(r); !known {
			err = m.internal(r)
		}
	}
	return goOn, err, nil
}

// crash is a panic of Go with its stack.
type crash struct {
	bug   runtime.Error
	stack []byte
}

func (m *Machine) internal(r any) *diag.Error {
	stack := debug.Stack()
	if c, ok := r.(crash); ok {
		r, stack = c.bug, c.stack
	}
	return m.Place(&diag.Error{Code: diag.Internal, Message: fmt.Sprint(r), Stack: stack,
		Hint: "this is a bug of the interpreter; please report it with the program"})
}

// collect marks the live values after a refused charge and reports whether the
// instruction may run again.
func (m *Machine) collect(r limits.Refused) (bool, *diag.Error) {
	id := m.now()
	again := m.retry == id
	m.retry = id
	m.memo.next = 0
	used := m.Used()
	live := m.Mark()
	var err *diag.Error
	switch {
	case again: // marked before, and the free memory was not enough
		err = m.Place(m.memoryExceeded(live, max(used-live, 0)+r.Bytes))
	case m.scarce(live), live+r.Bytes > m.Cap():
		err = m.Place(m.memoryExceeded(live, r.Bytes))
	case m.Fragmentation() > m.FragmentationLimit():
		return false, m.Place(m.FragmentationError(token.Span{}, m.FragmentationLimit(),
			"the "+Size(live)+" that the evaluation holds"))
	default:
		return true, nil
	}
	return m.tree.Overrun(err)
}

// scarce reports whether so little memory is free beside live bytes that marks would soon follow
// each other: less than an eighth of the bound, which leaves out the bytes held before the bound
// began.
func (m *Machine) scarce(live int64) bool {
	before := m.tree.HeldBefore()
	return live-before > (m.Cap()-before)/8*7
}

// beginUpcall calls a function for a builtin. The memo keeps its result, and the builtin runs
// again.
func (m *Machine) beginUpcall(u upcall) {
	if m.leavePure() {
		return
	}
	m.Remember()
	m.interrupt(frameUpcall, u.f, u.args...)
}

// interrupt calls a function on behalf of the running builtin, which waits. Everything that can
// unwind comes first. A step is counted, so that the builtin's next execution has another identity
// in collect.
func (m *Machine) interrupt(kind frameKind, f value.Value, args ...value.Value) {
	m.growMemos()
	m.push(kind, f, args, value.Nil, value.Nil)
	if kind == frameUpcall {
		m.memo.results = append(m.memo.results, value.RequestKey(f, args)) // growMemos made room
	}
	m.memos = append(m.memos, m.memo)
	m.memo = memo{}
	m.step()
}

// growMemos makes room for another memo, and for another request and its result in the current one.
func (m *Machine) growMemos() {
	if n := cap(m.memos); len(m.memos) == n {
		m.Charge(limits.ObjectSize(max(4, 2*n) * memoSize))
		grown := make([]memo, n, max(4, 2*n))
		copy(grown, m.memos)
		m.Credit(limits.ObjectSize(n * memoSize))
		m.memos = grown
	}
	if n := cap(m.memo.results); len(m.memo.results)+2 > n {
		m.Charge(value.ValsSize(max(4, 2*n)))
		grown := make([]value.Value, len(m.memo.results), max(4, 2*n))
		copy(grown, m.memo.results)
		m.Credit(value.ValsSize(n))
		m.memo.results = grown
	}
}

// resume restores the memo of the builtin that waited last.
func (m *Machine) resume() {
	last := len(m.memos) - 1
	m.memo = m.memos[last]
	m.memos[last] = memo{}
	m.memos = m.memos[:last]
	m.memo.next, m.memo.of = 0, m.now()
}

// Raise throws an exception to the innermost handler around the running code. Without a handler the
// run ends.
func (m *Machine) Raise(e *value.Exception) (bool, *diag.Error) {
	if e.Span.IsZero() && e.Owner() == m.Owner {
		e.Span = m.UserSpan()
		m.name(e)
	}
	fp := m.fp
	for ; fp >= 0; fp-- {
		fr := &m.frames[fp]
		if h, ok := handlerFor(fr); ok {
			m.unwindTo(fp, e)
			m.stack[int(fr.base)+int(h.Reg)] = value.Of(&e.Header)
			fr.pc = h.Target
			return true, nil
		}
		if fr.kind == frameTop {
			break
		}
	}
	m.uncaught = value.Of(&e.Header)
	err := m.Describe(e)
	err.Frames = append(slices.Clip(err.Frames), m.trace()...)
	m.unwindTo(max(fp, 0), e)
	return false, err
}

func handlerFor(fr *frame) (compile.Handler, bool) {
	if fr.proto == nil { // values are imported or exported; no code runs
		return compile.Handler{}, false
	}
	for _, h := range fr.proto.Handlers {
		if fr.pc >= h.Start && fr.pc < h.End {
			return h, true
		}
	}
	return compile.Handler{}, false
}

// unwindTo drops the frames above fp.
func (m *Machine) unwindTo(fp int, e *value.Exception) {
	for ; m.fp > fp; m.fp-- {
		fr := &m.frames[m.fp]
		switch fr.kind {
		case frameUpcall, frameIgnore:
			m.resume()
			m.memo = memo{}
		case frameForce:
			m.spoil(fr, e)
		case frameDelay:
			d := m.stack[fr.base-1].AsDelay()
			d.Fail, d.Fn = value.Of(&e.Header), nil
		}
	}
}

// frameSpan returns the place of the instruction that runs or waits in a frame.
func frameSpan(fr *frame) token.Span {
	if fr.proto == nil || int(fr.pc) >= len(fr.proto.Pos) {
		return token.Span{}
	}
	return fr.proto.Files.Span(fr.proto.Pos[fr.pc])
}

// maxTrace is the number of frames that an error keeps, from both ends of the stack.
const maxTrace = 30

// trace returns the active calls, innermost first, without those of the library's
// own code above the program's.
func (m *Machine) trace() []diag.Frame {
	var frames []diag.Frame
	for fp := m.fp; fp >= 0 && len(frames) < maxTrace; fp-- {
		fr := &m.frames[fp]
		if fr.proto == nil {
			continue
		}
		name := "top level"
		if fr.fn != nil {
			name = fr.fn.Code.NS + "/" + fnName(fr.fn)
		} else if fr.kind != frameTop { // see push
			continue
		}
		if strings.HasPrefix(name, hiddenFrames) {
			continue
		}
		span := frameSpan(fr)
		if fr.kind == frameTop && span.IsZero() {
			span = m.formSpan()
		}
		if fr.kind == frameTop && span.IsZero() { // of code on a loan: the frames of the lender follow
			break
		}
		frames = append(frames, diag.Frame{Function: name, Span: span})
		if fr.kind == frameTop {
			break
		}
	}
	return frames
}

// Place adds the place of the running instruction and the trace to an error.
func (m *Machine) Place(e *diag.Error) *diag.Error {
	if e.Span.IsZero() {
		e.Span = m.UserSpan()
	}
	e.Frames = m.trace()
	return e
}

// hiddenFrames is the prefix of functions that no program can name.
const hiddenFrames = compile.CoreNS + "/%"

func (m *Machine) memoryExceeded(live, wanted int64) *diag.Error {
	return (&diag.Error{Code: diag.MemoryExceeded, Message: fmt.Sprintf(
		"the evaluation holds %s and wants %s more; it may hold %s", Size(live), Size(wanted), Size(m.Cap()))}).
		WithHint("keep less at once (reduce instead of collecting), or raise the %s", m.tree.MemoryOption())
}

// FragmentationError returns the error of values that make the allocator hold more than most bytes.
func (m *Machine) FragmentationError(at token.Span, most int64, what string) *diag.Error {
	return (&diag.Error{Code: diag.MemoryExceeded, Span: at, Message: fmt.Sprintf(
		"memory fragmentation: %s lie scattered among what was dropped, so that more than %s of memory stay taken",
		what, Size(most))}).
		WithHint("make what is kept after what is dropped, or in fewer different sizes; or raise the %s",
			m.tree.MemoryOption())
}

func depthExceeded(limit int) *diag.Error {
	return (&diag.Error{Code: diag.DepthExceeded, Message: fmt.Sprintf("calls nested deeper than %d", limit)}).
		WithHint("use recur, or reduce, instead of recursion; or raise the depth limit (--depth)")
}

// Size formats a number of bytes for people.
func Size(n int64) string {
	switch {
	case n >= 10<<20, n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MB", n>>20)
	case n >= 10<<10:
		return fmt.Sprintf("%d KB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}
