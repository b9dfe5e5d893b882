// Package eval evaluates compiled programs: it is the evaluation tree of a run.
//
// A run has a main evaluation, and below it one for each element of a parallel operation. The
// machine of package lang/eval/internal/machine computes an evaluation. That is the lower layer: it
// runs instructions, calls, unwinds and marks, and knows no other evaluation. This package is the
// floor above. It connects an evaluation to others, to the bounds of the run, and to the world:
// operations and their workers, the scopes of with-limits, tools, guards, and the journal.
package eval

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/eval/internal/machine"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/limits"
	"github.com/ptc-lang/ptc/runtime/sched"
)

// Options are the start of an evaluation.
type Options struct {
	Limits *limits.Limits // which nobody changes meanwhile
	Seed   uint64         // of the run's random numbers
	Owner  uint32         // tag of the objects this evaluation makes; not 0
	Levels int32          // how deep parallel operations may nest
	Env    *compile.Env   // the globals, and the names known to eval
	Shared
}

// Shared is the state that all evaluations of a run share.
type Shared struct {
	// Output receives each print when it becomes final, with the path of the element that has
	// printed it: "" for the main evaluation. The caller is the goroutine of the evaluation that
	// prints, or of an element whose end makes prints of others final. Calls never overlap, and
	// none comes after the machine has returned.
	Output func(element, text string)

	// Input is the standard input of the run; nil if it has none. Each worker has a copy of this struct.
	Input *string
	// World is the outside world of the run; nil if it reaches nothing.
	World *World
	// Journal records the effects of the run; nil if nothing is written.
	Journal effect.Journal
	// Recalls and Replays are those of the journal.
	Recalls, Replays bool
	Strict           bool            // an operation that finds no slot fails
	Nested           int32           // how many evals are around this evaluation
	Scheduler        sched.Scheduler // in the tree of parallel operations; nil if there is none
	// Evaluations are those of workers; nil if parallel operations run in order.
	Evaluations *sync.Pool // of *Evaluation
	Workers     *Workers
}

// Workers is the state that a run keeps for its workers: a copy in each of a thousand workers would take its memory a
// thousand times.
type Workers struct {
	Owners atomic.Uint32 // the last owner tag that the run has given to a worker
	peak   atomic.Int64
	Calls  atomic.Int64 // of tools, in elements that other nodes have run
	// Replicas are the other nodes of the run; nil if it has none. It is set before the run begins.
	Replicas effect.Replicas
}

// Peak returns the maximum number of bytes in the account of a worker, among the workers that have ended.
func (w *Workers) Peak() int64 { return w.peak.Load() }

// ended notes the peak of an account.
func (w *Workers) ended(peak int64) {
	for old := w.peak.Load(); peak > old && !w.peak.CompareAndSwap(old, peak); old = w.peak.Load() {
	}
}

// Evaluation is one evaluation of a run: the machine that computes it, and its node in the
// evaluation tree. It is used by one goroutine at a time. The embedded structs are its state by
// lifetime. A reset assigns them.
type Evaluation struct {
	machine.Machine
	opts Shared // of the run
	allowance
	op    *operation // that this is a worker of; nil for the main evaluation
	sheet *sheet     // the prints of a worker; nil until it prints, or begins an operation
	element
	made
	open
}

// allowance has the bounds that with-limits can narrow in addition to those of the Meter.
type allowance struct {
	workerMemory int64 // bytes that an element of an operation may hold
	calls        *limits.Calls
	levels       int32 // see Options.Levels
}

// element is the state of one evaluation: of an element, or of the main evaluation.
type element struct {
	index      int           // of the element in its operation
	effect     int           // number of the last one of this evaluation
	operations uint64        // parallel operations begun
	known      effect.Owner  // see owner; nil until it is needed
	printed    int           // bytes printed; by a worker, those beyond the limit, which it drops
	evaled     int           // elements of forms that eval has compiled, see evalBytes
	assists    int           // times that the compiler was at work, for eval
	stopped    *limits.Stop  // the last bound hit, if that ended more than a scope
	ahead      *effect.Ahead // see foresee; nil if there is no earlier run
	waits
}

// made is the code that eval has made. It lives as long as the names.
type made struct {
	code    int64         // bytes, at most
	consts  value.Value   // list of boxes of its constants
	adopted []value.Value // such lists of workers, whose functions it got
	// defined are its definitions, which macros of later sources of a session may use; nil until there are some.
	defined *[]*compile.Proto
}

// open is the state that is ended, and not only dropped, when the code around it is unwound.
type open struct {
	holds  []effect.Held // the guards taken
	scopes []scope       // of with-limits
}

const (
	scopeSize = int(unsafe.Sizeof(scope{}))
	holdSize  = int(unsafe.Sizeof(effect.Held(nil)))

	// replayTime is the time limit of a replay. A replay waits for nothing, so its steps bound it.
	// A time limit could end it otherwise than the run on a slower computer.
	replayTime = 1 << 62 * time.Nanosecond
)

// New returns an evaluation without a program.
func New() *Evaluation {
	m := &Evaluation{}
	m.Init(m, points{m})
	return m
}

// Start begins the main evaluation. Globals keep their values from an earlier start of the same
// session.
func (m *Evaluation) Start(ctx context.Context, opts Options) {
	m.opts = opts.Shared
	timeout, steps := opts.Limits.Timeout, opts.Limits.Steps
	if opts.Replays {
		// It takes about as many steps. The recording has the moment at which they were used up.
		timeout, steps = replayTime, 2*steps
	}
	m.Machine.Start(ctx, machine.Config{Limits: opts.Limits, Steps: steps, Timeout: timeout, Owner: opts.Owner,
		Seed: opts.Seed, Env: opts.Env})
	m.allowance = allowance{opts.Limits.WorkerMemory, limits.NewCalls(opts.Limits.Calls, nil), opts.Levels}
	m.element = element{}
	m.foresee()
}

// KeepCode counts code that was compiled for the evaluation, and lives as long as the names.
func (m *Evaluation) KeepCode(bytes int64) {
	m.code += bytes
	m.SetUsed(m.Used() + bytes)
}

// TakeDefined returns the definitions in forms that eval has compiled since it was called last.
func (m *Evaluation) TakeDefined() []*compile.Proto {
	if m.defined == nil {
		return nil
	}
	defined := *m.defined
	m.defined = nil
	return defined
}

// Reset drops all state of a run, so that the evaluation can serve another.
func (m *Evaluation) Reset() {
	m.Machine.Reset()
	m.opts, m.allowance, m.op, m.sheet, m.element, m.made = Shared{}, allowance{}, nil, nil, element{}, made{}
}

// points implements machine.Tree: through it a machine reaches the tree.
type points struct{ m *Evaluation }

// Request handles the requests of builtins to the tree, and the bounds of the run.
func (p points) Request(r any) (goOn, known bool, err *diag.Error) {
	switch r := r.(type) {
	case narrowing:
		p.m.beginScope(r.spec)
	case starting:
		p.m.begin(r.spec)
	case calling:
		p.m.call(r)
	case entering:
		p.m.takeGuard(r)
	case limits.Stop:
		goOn, err = p.m.stopBy(r)
		return goOn, true, err
	default:
		return false, false, nil
	}
	return true, true, nil
}

// Overrun ends the scope that has the bound, or else the run.
func (p points) Overrun(err *diag.Error) (goOn bool, ends *diag.Error) {
	if i := p.m.scopeOfMemory(); i >= 0 {
		return p.m.endScope(i, err, nil)
	}
	return false, err
}

// HeldBefore returns the bytes that were held before the scope that has the bound.
func (p points) HeldBefore() int64 {
	if i := p.m.scopeOfMemory(); i >= 0 {
		return p.m.scopes[i].base
	}
	return 0
}

// MemoryOption implements machine.Tree.
func (p points) MemoryOption() string { return p.m.memoryOption() }

// Mark marks the constants of the code that eval has made.
func (p points) Mark(mk *value.Marker) {
	mk.Value(p.m.consts)
	mk.Vals(p.m.adopted)
	p.m.waits.mark(mk)
	for i := range p.m.scopes {
		mk.Value(p.m.scopes[i].outstanding)
	}
}

// Bytes implements machine.Tree.
func (p points) Bytes() int64 {
	m := p.m
	n := m.code + m.sheet.bytes() + limits.ObjectSize(cap(m.scopes)*scopeSize) +
		limits.ObjectSize(cap(m.holds)*holdSize) + int64(len(m.holds))*heldSize
	for i := range m.scopes {
		n += m.scopes[i].reserve
	}
	return n
}

// Abandon releases the guards and ends the scopes.
func (p points) Abandon() {
	m := p.m
	if cap(m.holds) > 0 || cap(m.scopes) > 0 {
		m.leaveAll(0)
		m.dropScopes()
		m.open = open{}
	}
}
