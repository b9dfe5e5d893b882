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
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// Options are what an evaluation is started with.
type Options struct {
	Limits  limits.Limits
	Seed    uint64 // of the run's random numbers
	Owner   uint32 // tag of the objects this evaluation makes; not 0
	Globals []compile.Global
	Env     *compile.Env // names known to eval
	Levels  int32        // how deep parallel operations may nest
	Tree
}

// Tree is what the evaluations of a run have in common.
type Tree struct {
	Output func(text string) // takes what the program prints
	// Effects are what the run can do outside of the program; nil if that is nothing.
	Effects Effects
	// Journalled says that what depends on time, and what is printed, goes through Effects
	// too.
	Journalled bool
	// Recalls says that there is an earlier run, and Replays that nothing is to happen which
	// that had not.
	Recalls, Replays bool
	Strict           bool  // an operation that finds no slot fails
	Nested           int32 // how many evals are around this evaluation
	Place            Place // in the tree of parallel operations; nil if there is none
	// Machines are what workers run on; nil if what is parallel runs in order.
	Machines *sync.Pool     // of *Machine
	Owners   *atomic.Uint32 // the last owner tag that the run has given to a worker
}

// Machine is one evaluation of a run: the machine that computes, and its place in the
// evaluation tree. It is used by one goroutine at a time. The embedded structs are its state
// by lifetime. A reset assigns them.
type Machine struct {
	core
	opts Tree // of the run
	allowance
	op *operation // that this is a worker of; nil for the main evaluation
	element
	open
}

// allowance is what with-limits can narrow beside the bounds of the Meter.
type allowance struct {
	workerMemory int64 // bytes that an element of an operation may hold
	calls        *limits.Calls
	levels       int32 // see Options.Levels
}

// element is the state of one evaluation: of an element, or of the main evaluation.
type element struct {
	index      int          // of the element in its operation
	effect     int          // number of the last one of this evaluation
	operations uint64       // parallel operations begun
	known      any          // see actor
	printed    int          // bytes printed; by a worker, those beyond the limit, which it drops
	text       capture      // what a worker has printed
	evaled     int          // elements of forms that eval has compiled, see evalBytes
	assists    int          // times that the compiler was at work, for eval
	stopped    *limits.Stop // the last bound hit, if that ended more than a scope
	ahead      *Ahead       // see foresee; nil if there is no earlier run
}

// open is the state that is ended, and not only dropped, when the code around it is unwound.
type open struct {
	holds  []func() // each gives back a guard taken
	scopes []scope  // of with-limits
}

const (
	scopeSize = int(unsafe.Sizeof(scope{}))
	holdSize  = int(unsafe.Sizeof((func())(nil)))

	// replayTime is the time that a replay may take. It waits for nothing, so its steps bound
	// it: it shall not end otherwise than the run because the machine is slower.
	replayTime = 1 << 62 * time.Nanosecond
)

// New returns a machine without a program.
func New() *Machine {
	m := &Machine{core: core{stack: make([]value.Value, firstStack), frames: make([]frame, firstFrames)}}
	m.Host, m.tree = m, m
	return m
}

// Start makes the machine ready to run. Globals keep their values from an
// earlier start of the same session.
func (m *Machine) Start(ctx context.Context, opts Options) {
	m.opts, m.limits, m.compiled, m.Owner = opts.Tree, opts.Limits, opts.Env, opts.Owner
	timeout, steps := opts.Limits.Timeout, opts.Limits.Steps
	if opts.Replays {
		timeout, steps = replayTime, 2*steps // it takes about as many; at which moment they were used up, the recording says
	}
	m.Task.Start(ctx, opts.Limits.Memory, steps, timeout)
	m.SetUsed(max(m.Used(), m.ownBytes()))
	m.ResetMarks()
	m.drop()
	m.allowance = allowance{opts.Limits.WorkerMemory, limits.NewCalls(opts.Limits.Calls, nil), opts.Levels}
	m.evaluation, m.element = evaluation{seed: opts.Seed}, element{}
	m.Link(opts.Globals)
	m.foresee()
}

// Reset forgets everything that a run left, so that the machine can serve another. Stacks
// that have grown are dropped: how a run goes must not depend on the one before it.
func (m *Machine) Reset() {
	m.leaveAll(0)
	m.core.reset()
	m.opts, m.allowance, m.op, m.element, m.open = Tree{}, allowance{}, nil, element{}, open{}
}

// abandon implements tree.
func (m *Machine) abandon() {
	if cap(m.holds) > 0 || cap(m.scopes) > 0 {
		m.leaveAll(0)
		m.dropScopes()
		m.open = open{}
	}
}

// answer implements tree: it deals with what a builtin asks of the tree, and with the bounds
// of the run.
func (m *Machine) answer(request any) (goOn, known bool, err *diag.Error) {
	switch r := request.(type) {
	case narrowing:
		m.beginScope(r.spec)
	case starting:
		m.begin(r.spec)
	case calling:
		m.call(r)
	case entering:
		m.takeGuard(r.guard)
	case limits.Stop:
		goOn, err = m.stopBy(r)
		return goOn, true, err
	default:
		return false, false, nil
	}
	return true, true, nil
}

// keptBytes implements tree.
func (m *Machine) keptBytes() int64 {
	n := limits.ObjectSize(cap(m.scopes)*scopeSize) + limits.ObjectSize(cap(m.holds)*holdSize) + int64(len(m.holds))*heldSize + m.text.bytes()
	for i := range m.scopes {
		n += m.scopes[i].reserve
	}
	return n
}
