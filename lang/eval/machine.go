// Package eval is the machine that runs compiled code.
//
// A Machine is one evaluation: a stack of values, a stack of frames that are
// windows onto it, the dynamic bindings, and the Task by which builtins allocate.
// Program recursion uses the frame stack only; Go's own stack stays flat, since
// builtins never call back. What a builtin cannot do itself (grow past the cap,
// realise a lazy sequence, call a function of the program, throw) it asks for by
// unwinding to the run loop, which does it and, except for throw, runs the same
// instruction again.
package eval

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/limits"
	"github.com/ptc-lang/ptc/runtime/sched"
)

// Options are what a machine is started with.
type Options struct {
	Limits limits.Limits
	Seed   uint64       // of the run's random numbers
	Owner  uint32       // tag of the objects this evaluation makes; not 0
	Levels int32        // how deep parallel operations may nest in this evaluation
	Env    *compile.Env // the globals, and the names known to eval
	Nested int          // how many evals are around this evaluation

	// Output takes what the program prints, as it becomes final, with the path of the element
	// that has printed it: "" for the main evaluation. It is called by the goroutine of the
	// evaluation that prints, or of an element whose end makes prints of others final; never
	// twice at once, and not after the machine has returned.
	Output func(element, text string)

	// Effects are what the run can do outside of the program; nil if that is nothing.
	Effects Effects
	// Journal records the effects of the run; nil if nothing is written.
	Journal effect.Journal
	// Recalls and Replays are those of the journal.
	Recalls, Replays bool
	Strict           bool        // an operation that finds no slot fails
	Place            sched.Place // in the tree of parallel operations; nil if there is none
	// Machines are what workers run on; nil if what is parallel runs in order.
	Machines *sync.Pool     // of *Machine
	Owners   *atomic.Uint32 // the last owner tag that the run has given to a worker
}

// Machine is one evaluation. It is used by one goroutine at a time.
type Machine struct {
	value.Task
	stack   []value.Value
	frames  []frame
	fp      int // index of the running frame
	globals []value.Value
	names   []compile.Global
	dyn     []binding
	cells   map[string]value.Value // of the library, by name
	opts    Options
	memo    memo   // of the builtin that runs
	memos   []memo // of those that wait for an interrupt
	retry   identity
	outs    []capture
	printed int           // bytes printed; by a worker, those beyond the limit, which it drops
	env     *compile.Env  // the run's own, nil before its first use
	envPaid int64         // bytes charged for env
	evaled  int           // elements of forms that eval has compiled, see evalBytes
	code    int64         // bytes of that code, at most
	pinned  value.Value   // list of boxes of its constants
	adopted []value.Value // such lists of workers, whose functions it got
	result  value.Value
	form    *compile.Proto // that runs, or ran last

	// The run's random numbers: they are seeded when the first is asked for.
	seed   uint64
	random rand.PCG
	seeded bool
	// returnedEarly says that the program has ended by return.
	returnedEarly bool
	settled       bool  // the operation that this is a worker of has ended in an earlier run
	setsLibrary   bool  // set! has changed a var of the library outside of binding
	assists       int32 // times that the compiler was at work, for eval

	op         *operation // that this is a worker of; nil for the main evaluation
	conveyed   int        // bindings that a worker has from its parent
	operations uint64     // parallel operations begun
	element    int        // that a worker runs
	effect     int        // number of the last one of this evaluation
	calls      *limits.Calls
	known      effect.Owner  // see owner; nil until it is needed
	holds      []effect.Held // the guards taken
	sheet      *sheet        // what a worker has printed; nil until it prints, or begins an operation
	scopes     []scope       // of with-limits
	stopped    *limits.Stop  // the last bound hit, if that ended more than a scope
	ahead      *effect.Ahead // see foresee; nil if there is no earlier run
	marked     int64         // bytes live at the last mark

	// uncaught is the exception that ended the last run, nil if none did.
	uncaught value.Value
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
	scopeSize   = int(unsafe.Sizeof(scope{}))
	holdSize    = int(unsafe.Sizeof(effect.Held(nil)))
	// windowGap lies between a window and one pushed above it for a force, a
	// delay or an upcall: two slots hold what the frame is for.
	windowGap = 2
)

const (
	// replayTime is the time that a replay may take. It waits for nothing, so its steps bound
	// it: it shall not end otherwise than the run because the machine is slower.
	replayTime = 1 << 62 * time.Nanosecond
)

// New gives a machine without a program.
func New() *Machine {
	m := &Machine{stack: make([]value.Value, firstStack), frames: make([]frame, firstFrames)}
	m.Host = m
	return m
}

// Start makes the machine ready to run. Globals keep their values from an
// earlier start of the same session.
func (m *Machine) Start(ctx context.Context, opts Options) {
	m.opts = opts
	m.Owner = opts.Owner
	timeout, steps := opts.Limits.Timeout, opts.Limits.Steps
	if opts.Replays {
		timeout, steps = replayTime, 2*steps // it takes about as many; at which moment they were used up, the recording says
	}
	m.Task.Start(ctx, opts.Limits.Memory, steps, timeout)
	m.SetUsed(max(m.Used(), m.ownBytes()))
	m.ResetMarks()
	m.seed, m.seeded, m.operations, m.effect = opts.Seed, false, 0, 0
	m.calls, m.known = limits.NewCalls(opts.Limits.Calls, nil), nil
	m.printed, m.evaled, m.env, m.envPaid, m.marked = 0, 0, nil, 0, 0
	m.uncaught, m.returnedEarly, m.form = value.Nil, false, nil
	m.drop()
	m.retry = identity{}
	m.Link(opts.Env.Globals)
	m.assists, m.settled = 0, false
	m.foresee()
}

// Link makes room for globals; new ones are unbound.
func (m *Machine) Link(names []compile.Global) {
	m.names = names
	for i := len(m.globals); i < len(names); i++ {
		root := value.Unbound
		if names[i].Library {
			root = names[i].Root
		}
		m.globals = append(m.globals, root)
	}
}

// Reset forgets everything that a run left, so that the machine can serve
// another. Stacks that have grown are let go: how a run goes must not depend on the
// one before it.
func (m *Machine) Reset() {
	m.leaveAll(0)
	m.holds = nil
	m.shrink()
	clear(m.globals)
	m.globals = m.globals[:0]
	if cap(m.globals) > firstStack {
		m.globals = nil
	}
	m.cells, m.PrintMethod, m.env, m.envPaid, m.form = nil, nil, nil, 0, nil
	m.result, m.uncaught, m.pinned, m.opts = value.Nil, value.Nil, value.Nil, Options{}
	m.dyn, m.memo, m.memos, m.outs, m.scopes = nil, memo{}, nil, nil, nil
	m.code, m.adopted, m.stopped, m.calls, m.setsLibrary = 0, nil, nil, nil, false
	m.known, m.ahead, m.sheet = nil, nil, nil
	m.DropTwins()
	m.Meter = limits.Meter{} // which refers to the run
}

// shrink clears the stacks, and has them as long as they were first.
func (m *Machine) shrink() {
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

// drop forgets what an evaluation that has ended left open.
func (m *Machine) drop() {
	m.leaveAll(0)
	m.holds = nil
	m.dropScopes()
	m.dyn, m.outs, m.memos = m.dyn[:0], m.outs[:0], m.memos[:0]
	m.memo = memo{}
}

// ownBytes is what the machine itself takes.
func (m *Machine) ownBytes() int64 {
	n := m.envPaid + m.code + value.ValsSize(len(m.stack)) + limits.ObjectSize(len(m.frames)*int(frameSize)) +
		m.dynBytes() + limits.ObjectSize(cap(m.memos)*memoSize) +
		limits.ObjectSize(cap(m.outs)*captureSize) + limits.ObjectSize(cap(m.scopes)*scopeSize) + limits.ObjectSize(cap(m.holds)*holdSize) + int64(len(m.holds))*heldSize + value.ValsSize(cap(m.memo.results))
	n += m.memo.calledBytes()
	for i := range m.memos {
		n += value.ValsSize(cap(m.memos[i].results)) + m.memos[i].calledBytes()
	}
	for i := range m.outs {
		n += m.outs[i].bytes()
	}
	for i := range m.scopes {
		n += m.scopes[i].reserve
	}
	n += m.sheet.bytes()
	if m.memo.op != nil {
		n += m.memo.op.joinedBytes()
	}
	return n
}

// Global gives the value of a global.
func (m *Machine) Global(i int) value.Value { return m.globals[i] }

// SetGlobal binds a global.
func (m *Machine) SetGlobal(i int, v value.Value) { m.globals[i] = v }

// Ended says whether the program has ended early, by return: no further form runs.
func (m *Machine) Ended() bool { return m.returnedEarly }

// Env gives the names as the run has changed them, nil if it did not look at any.
func (m *Machine) Env() *compile.Env { return m.env }

// Uncaught gives the exception that ended the last run, nil if none did.
func (m *Machine) Uncaught() value.Value { return m.uncaught }

// Globals gives a copy of the values of all globals, to roll back to.
func (m *Machine) Globals() []value.Value { return append([]value.Value(nil), m.globals...) }

// Restore sets the globals to a copy made before.
func (m *Machine) Restore(globals []value.Value) {
	m.globals = append(m.globals[:0], globals...)
}

// growStack makes room for a window that ends at need. What is charged does not depend
// on whether the room is there since an earlier run.
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

// growFrames makes room for more frames, likewise.
func (m *Machine) growFrames() {
	if len(m.frames) > m.opts.Limits.Depth {
		panic(stop{depthExceeded(m.opts.Limits.Depth)})
	}
	n := min(len(m.frames)*2, m.opts.Limits.Depth+1)
	m.Charge(limits.ObjectSize(n * int(frameSize)))
	frames := m.frames[:min(n, cap(m.frames))]
	if len(frames) < n {
		frames = make([]frame, n)
		copy(frames, m.frames)
	}
	m.Credit(limits.ObjectSize(len(m.frames) * int(frameSize)))
	m.frames = frames
}
