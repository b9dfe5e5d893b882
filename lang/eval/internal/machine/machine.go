// Package machine runs compiled code.
//
// A Machine is a stack of values, a stack of frames that are windows onto it, the dynamic
// bindings, and the Task by which builtins allocate. Program recursion uses the frame stack
// only; Go's own stack stays flat, since builtins never call back. A builtin unwinds to the run
// loop for what it cannot do itself: grow past the cap, realise a lazy sequence, call a function
// of the program, throw. The loop does it and, except for throw, runs the same instruction again.
//
// The package is the lower floor of package eval. A machine knows no evaluation but its own:
// the floor above drives it by the methods in drive.go, and it asks the floor above by Tree.
package machine

import (
	"math/rand/v2"
	"unsafe"

	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// Machine runs one evaluation at a time, on one goroutine. The embedded structs are its state by
// lifetime, and what stands before them lives as long as the machine. A reset assigns them.
type Machine struct {
	value.Task
	tree     Tree
	stack    []value.Value
	frames   []frame
	fp       int           // index of the running frame
	limits   limits.Limits // of the run
	compiled *compile.Env  // the names of the program, as it was compiled

	program
	evaluation
	progress
}

// program is the state that lives as long as the names: of the forms of a program, or of all
// that a session evaluates. A machine that runs on another's loan begins with a copy of it.
type program struct {
	globals     []value.Value
	names       []compile.Global
	cells       map[string]value.Value // of the library, by name
	setsLibrary bool                   // set! has changed a var of the library outside of binding
	loan        *Loan                  // by which it has names and values; nil if they are its own
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
	memo  memo      // of the builtin that runs
	memos []memo    // of those that wait for an interrupt
	outs  []Capture // of with-out-str
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

// frameKind is the use of the value that a frame returns.
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
	// Most evaluations of a function for one element need no more. As a block with pointers has
	// a header, these fill their classes of the allocator, 1536 and 640 bytes.
	firstStack  = 95
	firstFrames = 19
	// Stacks that have grown once are kept, and only cut, when the machine becomes as
	// new: an element that calls a little deeper must not cost another allocation.
	keptStack   = 2 * firstStack
	keptFrames  = 2 * firstFrames
	frameSize   = int64(unsafe.Sizeof(frame{}))
	bindingSize = int(unsafe.Sizeof(binding{}))
	memoSize    = int(unsafe.Sizeof(memo{}))
	captureSize = int(unsafe.Sizeof(Capture{}))
	// windowGap lies between a window and one pushed above it for a force, a
	// delay or an upcall: two slots hold the values that the frame is for.
	windowGap = 2
)

// Shrink clears the stacks, and has them as long as they were first.
func (m *Machine) Shrink() {
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

// growStack makes room for a window that ends at need. The charge does not depend on
// whether the room is there since an earlier run.
func (m *Machine) growStack(need int) {
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

// growFrames makes room for more frames in the same way.
func (m *Machine) growFrames() {
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
