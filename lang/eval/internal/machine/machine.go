// Package machine runs compiled code.
//
// A Machine is a stack of values, a stack of frames that are windows onto it, the dynamic bindings,
// and the Task by which builtins allocate. Program recursion uses the frame stack only; Go's own
// stack stays flat, since builtins never call back. A builtin unwinds to the run loop to grow past
// the cap, to realise a lazy sequence, to call a function of the program, or to throw. Except after
// a throw, the loop then runs the same instruction again.
//
// The package is the lower floor of package eval. A machine knows only its own evaluation: package
// eval drives it by the methods in drive.go, and it reaches package eval through Tree.
package machine

import (
	"math/rand/v2"
	"unsafe"

	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// Machine runs one evaluation at a time, on one goroutine. The embedded structs group its state by
// lifetime, and a reset assigns them. The fields before them live as long as the machine.
type Machine struct {
	value.Task
	tree     Tree
	stack    []value.Value
	frames   []frame
	fp       int            // index of the running frame
	limits   *limits.Limits // of the run; its workers have the same
	compiled *compile.Env   // the names of the program, as it was compiled

	program
	evaluation
	progress
}

// program is the state that lives as long as the names of a program or a session. A machine that
// runs on a loan begins with a copy of the lender's.
type program struct {
	globals     []value.Value
	names       []compile.Global
	cells       map[string]value.Value // of the library, by name
	setsLibrary bool                   // set! has changed the root of a var of the library
	loan        *Loan                  // of its names and values; nil if they are its own
}

// evaluation is the state of one evaluation, from its start to the start of the next.
type evaluation struct {
	form    *compile.Proto // that runs, or ran last
	retry   identity       // of the instruction that was refused memory last
	linked  int            // number of names at the last Relink
	env     *compile.Env   // the evaluation's own names, nil before their first use
	envPaid int64          // bytes charged for env
	result  value.Value
	marked  int64 // bytes live at the last mark

	// The random numbers of the evaluation. The first use seeds them.
	seed   uint64
	random rand.PCG
	seeded bool
	// returnedEarly reports that the program has ended by return.
	returnedEarly bool
	// uncaught is the exception that ended the last run, nil if none did.
	uncaught value.Value
}

// progress is the state of code that has begun and not ended. It is empty after an evaluation has
// unwound.
type progress struct {
	dyn   []binding
	memo  memo      // of the builtin that runs
	memos []memo    // of builtins that wait for an upcall
	outs  []Capture // of with-out-str
}

// frame is one active call.
type frame struct {
	proto *compile.Proto
	fn    *value.Fn
	pc    int32 // of the running or waiting instruction
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
	// Most evaluations of a function for one element need no more. With the header of a block that
	// has pointers, these sizes fill classes of the allocator, 1536 and 640 bytes.
	firstStack  = 95
	firstFrames = 19
	// Stacks that have grown once are kept and cut when the machine is reset: an element that calls
	// a little deeper must not cost another allocation.
	keptStack   = 2 * firstStack
	keptFrames  = 2 * firstFrames
	frameSize   = int64(unsafe.Sizeof(frame{}))
	bindingSize = int(unsafe.Sizeof(binding{}))
	memoSize    = int(unsafe.Sizeof(memo{}))
	captureSize = int(unsafe.Sizeof(Capture{}))
	// windowGap is the gap between a window and one that is pushed above it for a force, a delay or
	// an upcall. Its two slots hold the values that the frame is for.
	windowGap = 2
)

// Shrink clears the stacks and cuts them to their initial length.
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

// growStack makes room for a window that ends at need. The charge does not depend on whether an
// earlier run has made the room.
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

// growFrames makes room for more frames, with a charge as in growStack.
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
