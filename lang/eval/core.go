// This file defines the lower floor: the machine proper, which runs instructions. It
// knows of no evaluation but its own.

package eval

import (
	"math/rand/v2"
	"unsafe"

	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// core is the machine proper: stacks, names and values, and how instructions run, unwind and
// are run again. The embedded structs are its state by lifetime. A reset assigns them.
type core struct {
	value.Task
	tree     tree
	stack    []value.Value
	frames   []frame
	fp       int           // index of the running frame
	limits   limits.Limits // of the run
	compiled *compile.Env  // the names of the program, as it was compiled

	program
	evaluation
	progress
}

// tree is the evaluation tree as the machine sees it: everything that a machine asks of the
// floor above, and all that it is told to it. The floor above also hears of each poll,
// through the Meter, and of each call of a builtin that is no business of the machine,
// through value.Host.
type tree interface {
	// answer deals with a request that a builtin unwound with. The machine does not know such
	// requests itself; known is false if nobody does. goOn reports whether the evaluation goes on.
	answer(request any) (goOn, known bool, err *diag.Error)
	// overrun deals with err, by which the evaluation has hit its bound on memory.
	overrun(err *diag.Error) (goOn bool, ends *diag.Error)
	// heldBefore returns the bytes of the account that the present bound on memory leaves out,
	// since they were held before it began.
	heldBefore() int64
	// memoryOption returns the name of the bound on memory, for messages.
	memoryOption() string
	// keptBytes returns the bytes of what the tree keeps for this evaluation, beside what it
	// keeps for single instructions.
	keptBytes() int64
	// abandon ends what the evaluation has open: its code does not come to the end of it.
	abandon()
}

// program is the state that lives as long as the names: of the forms of a program, or of all
// that a session evaluates. A machine that runs on another's loan begins with a copy of it.
type program struct {
	globals     []value.Value
	names       []compile.Global
	cells       map[string]value.Value // of the library, by name
	setsLibrary bool                   // set! has changed a var of the library outside of binding
	code        int64                  // bytes of the code that eval has made, at most
	pinned      value.Value            // list of boxes of its constants
	adopted     []value.Value          // such lists of other evaluations, whose functions it got
	loan        *loan                  // by which it has names and values; nil if they are its own
}

// loan is what an evaluation that waits lends to others: its names, their values and its bindings. They
// may change none of it.
type loan struct {
	from     *core
	name     string // of the function that waits
	bindings int
}

// evaluation is the state of one evaluation, from its start to the start of the next.
type evaluation struct {
	form    *compile.Proto // that runs, or ran last
	retry   identity       // of the instruction that was refused memory last
	env     *compile.Env   // the evaluation's own names, nil before their first use
	envPaid int64          // bytes charged for env
	result  value.Value
	marked  int64 // bytes live at the last mark

	// The random numbers of the evaluation: they are seeded when the first is asked for.
	seed   uint64
	random rand.PCG
	seeded bool
	// returnedEarly reports that the program has ended by return.
	returnedEarly bool
	// uncaught is the exception that ended the last run, nil if none did.
	uncaught value.Value
}

// progress is the state of code that has begun and not ended. An evaluation that is
// unwound leaves none.
type progress struct {
	dyn   []binding
	memo  memo   // of the builtin that runs
	memos []memo // of those that wait for an interrupt
	outs  []capture
}

// frame is one active call.
type frame struct {
	proto *compile.Proto
	fn    *value.Fn
	pc    int32 // of the instruction that runs or waits
	base  int32 // of its window in the stack
	dst   uint16
	kind  frameKind
}

// frameKind tells what becomes of the value that a frame returns.
type frameKind uint8

const (
	frameCall   frameKind = iota // goes to register dst of the caller
	frameTop                     // ends the run
	frameForce                   // realises the lazy sequence below its window
	frameDelay                   // realises the delay below its window
	frameUpcall                  // is remembered for the builtin that asked
	frameIgnore                  // nothing; the caller's instruction runs again
)

// binding is the value of a dynamic var in the extent of a binding form.
type binding struct {
	global int32
	val    value.Value
}

// identity names one execution of one instruction: no instruction runs twice
// without a call, a jump back or the start of a form in between, and all count a step.
type identity struct {
	fp    int
	pc    int32
	steps int64
}

const (
	// Most elements of parallel operations need no more. As a block with pointers has
	// a header, these fill their classes of the allocator, 1536 and 640 bytes.
	firstStack  = 95
	firstFrames = 19
	// Stacks that have grown once are kept, and only cut, when the machine becomes as
	// new: an element that calls a little deeper shall not cost an allocation more.
	keptStack   = 2 * firstStack
	keptFrames  = 2 * firstFrames
	frameSize   = int64(unsafe.Sizeof(frame{}))
	bindingSize = int(unsafe.Sizeof(binding{}))
	memoSize    = int(unsafe.Sizeof(memo{}))
	captureSize = int(unsafe.Sizeof(capture{}))
	// windowGap lies between a window and one pushed above it for a force, a
	// delay or an upcall: two slots hold what the frame is for.
	windowGap = 2
)

// reset makes the machine as new, but for its stacks, and a block for globals that is not large.
func (m *core) reset() {
	m.shrink()
	globals := m.globals
	clear(globals)
	if cap(globals) > firstStack {
		globals = nil
	}
	m.compiled, m.program, m.evaluation, m.progress = nil, program{globals: globals[:0]}, evaluation{}, progress{}
	m.PrintMethod = nil
	m.DropTwins()
	m.Meter = limits.Meter{} // which refers to the run
}

// drop forgets what an evaluation that has ended left open.
func (m *core) drop() {
	m.tree.abandon()
	m.progress = progress{}
}

// Link makes room for globals; new ones are unbound.
func (m *core) Link(names []compile.Global) {
	m.names = names
	for i := len(m.globals); i < len(names); i++ {
		root := value.Unbound
		if names[i].Library {
			root = names[i].Root
		}
		m.globals = append(m.globals, root)
	}
}

// shrink clears the stacks, and has them as long as they were first.
func (m *core) shrink() {
	if cap(m.stack) > keptStack {
		m.stack = make([]value.Value, firstStack)
	}
	if cap(m.frames) > keptFrames {
		m.frames = make([]frame, firstFrames)
	}
	clear(m.stack)
	clear(m.frames)
	m.stack, m.frames = m.stack[:firstStack], m.frames[:firstFrames]
}

// ownBytes returns the bytes that the machine itself takes, and what is kept for it.
func (m *core) ownBytes() int64 {
	n := m.envPaid + m.code + value.ValsSize(len(m.stack)) + limits.ObjectSize(len(m.frames)*int(frameSize)) +
		m.dynBytes() + limits.ObjectSize(cap(m.memos)*memoSize) + limits.ObjectSize(cap(m.outs)*captureSize) + m.memo.bytes()
	for i := range m.memos {
		n += m.memos[i].bytes()
	}
	for i := range m.outs {
		n += m.outs[i].bytes()
	}
	return n + m.tree.keptBytes()
}

// Global gives the value of a global.
func (m *core) Global(i int) value.Value { return m.globals[i] }

// SetGlobal binds a global.
func (m *core) SetGlobal(i int, v value.Value) { m.globals[i] = v }

// Ended says whether the program has ended early, by return: no further form runs.
func (m *core) Ended() bool { return m.returnedEarly }

// Env gives the names as the run has changed them, nil if it did not look at any.
func (m *core) Env() *compile.Env { return m.env }

// Uncaught gives the exception that ended the last run, nil if none did.
func (m *core) Uncaught() value.Value { return m.uncaught }

// Globals gives a copy of the values of all globals, to roll back to.
func (m *core) Globals() []value.Value { return append([]value.Value(nil), m.globals...) }

// Restore sets the globals to a copy made before.
func (m *core) Restore(globals []value.Value) {
	m.globals = append(m.globals[:0], globals...)
}

// growStack makes room for a window that ends at need. What is charged does not depend
// on whether the room is there since an earlier run.
func (m *core) growStack(need int) {
	n := len(m.stack)
	for n < need {
		n *= 2
	}
	m.Charge(value.ValsSize(n))
	stack := m.stack[:min(n, cap(m.stack))]
	if len(stack) < n {
		stack = make([]value.Value, n)
		m.CopyVals(stack, m.stack)
	}
	m.Credit(value.ValsSize(len(m.stack)))
	m.stack = stack
}

// growFrames makes room for more frames, likewise.
func (m *core) growFrames() {
	if len(m.frames) > m.limits.Depth {
		panic(stop{depthExceeded(m.limits.Depth)})
	}
	n := min(len(m.frames)*2, m.limits.Depth+1)
	m.Charge(limits.ObjectSize(n * int(frameSize)))
	frames := m.frames[:min(n, cap(m.frames))]
	if len(frames) < n {
		frames = make([]frame, n)
		copy(frames, m.frames)
	}
	m.Credit(limits.ObjectSize(len(m.frames) * int(frameSize)))
	m.frames = frames
}
