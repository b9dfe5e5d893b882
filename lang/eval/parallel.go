// This file defines parallel operations from the view of the evaluation that starts one.
//
// A builtin asks for an operation by unwinding, as for a call. The machine charges all that
// the operation needs of this evaluation, and the scheduler runs it. The machine keeps the
// operation in the memo of the instruction and runs the builtin again, which finds it there. So an
// operation runs once, whatever unwinds afterwards. While it runs, this evaluation waits, and
// workers may read all its values.

package eval

import (
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/eval/internal/machine"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// starting asks the machine to run an operation for a builtin.
type starting struct{ spec value.Parallel }

// operation is one parallel operation. A field that is not described as guarded is set before the
// operation begins, or after it has ended.
type operation struct {
	value.Parallel
	m      *Evaluation  // the evaluation that waits for it
	loan   machine.Loan // of its names to the elements
	span   token.Span
	n      int
	number uint64 // among the operations of the evaluation
	only   []bool // the elements that run; nil if all do
	seed   uint64 // from which those of the elements come
	// captured reports that the program collects the prints, so no limit applies.
	captured bool
	settled  bool           // it has ended in an earlier run
	shared   effect.Sharing // with other nodes; nil if it is not
	before   before
	ended    []bool // the elements that ran to their end; nil if nobody asks
	nesting  int    // operations around it
	named    int    // bytes of the paths of its elements, without the element's number
	watch    *watch // of its elements; nil if nothing observes them
	done     bool   // it has settled, or was refused

	box   *value.Box // of the results; see value.Host
	sizes []uint32   // of the results, in units of 8 bytes
	fixed int64      // bytes that the operation itself takes of the account
	share share      // of memory
	room  atomic.Int64
	top   atomic.Int64 // highest element whose result holds anything

	// over reports that the results do not fit. The operation has failed then, but perhaps by an
	// element below the one whose result is too large. So the elements up to the highest one with
	// a result still run, and settle finds the failure. Their results are not kept.
	over atomic.Bool

	mu       sync.Mutex
	marked   bool
	base     int64 // the part of the share that is free for results, once marked
	failures int
	counted  int                    // needed elements that ended without failure
	handed   int                    // those of them that have handed over their value
	decided  bool                   // all have
	failed   failure                // of the lowest element that ends the operation; none if its index is n
	thrown   failure                // the lowest exception of an operation that continues after exceptions
	pins     [pinParts]*limits.Pins // of the results, by parts of the elements, in order
	pinned   int64                  // sum of the pins
	look     int64                  // the sum at which to check whether they are too much
	full     error                  // no slot was free
	adopted  []adopted
	spent    map[int]spent // of elements that run; see spend
	waiters  []awaiting    // of futures
	stopper  func()        // ends all elements, of futures with a timeout; nil until one has begun
	late     bool          // the timeout of futures has passed
	acted    bool          // an element has called a tool

	// The prints of the elements; see prints.go and outlet.go.
	outlet  *outlet
	flows   bool        // whether prints become final before the operation ends
	streams bool        // whether prints of an element become final before the element ends
	ends    []uint32    // bits of the elements that have ended, and have not ended the operation
	held    atomic.Bool // whether elements have printed
	// The outlet's mu guards the following fields while the operation runs.
	texts   map[int]printed // of elements that have ended
	open    map[int]*sheet  // of elements that run, and have printed
	cut     map[int]cutoff
	next    int    // the cursor: the elements below have ended, and their prints are handed over
	sent    int    // bytes of the prints of the element at the cursor that were handed over
	stuck   bool   // the cursor moves no further
	prefix  string // of the paths of the elements; "" if it was not needed yet
	needed  int    // elements whose prints are those of the operation
	dropped int    // bytes printed beyond the limit
	out     string // the prints, as one text if that is needed, until the operation has printed it
	marks   []mark // of out
	paths   int64  // bytes of the paths in marks
	passed  int    // bytes of out that were handed over
}

// adopted is code that a worker has made by eval and that functions among its results may run. It
// belongs to the waiting evaluation when the operation has ended.
type adopted struct {
	index  int // of the element
	evaled int
	code   int64
	pinned value.Value
	consts int64 // bytes of the constants
}

// adoptedSize is the size of an entry of the list, with its unused room, and of one of the
// evaluation's list.
const adoptedSize = 256

// adopt adds such code, and returns its bytes.
func (op *operation) adopt(a adopted) int64 {
	op.mu.Lock()
	defer op.mu.Unlock()
	op.adopted = append(op.adopted, a)
	return a.code + a.consts + adoptedSize
}

// failure is the end of an element that did not succeed: an exception, a return, or a bound or
// failure of the run.
type failure struct {
	index int
	value value.Value
	early bool
	err   *diag.Error
	stop  limits.Stop  // of a bound of the run, or of a scope around the operation
	pins  []limits.Pin // of the value
}

// Parallel implements value.Host.
func (m *Evaluation) Parallel(spec value.Parallel) value.Value {
	if op, ok := m.Answer().(*operation); ok {
		return m.conclude(op)
	}
	if !spec.Futures {
		m.Futures().RunOutstanding()
	}
	if m.opts.Evaluations == nil || spec.Futures && m.levels < 1 && !m.opts.Strict {
		return value.Nil
	}
	panic(starting{spec})
}

// Wait implements value.Host.
func (m *Evaluation) Wait(d time.Duration) {
	if m.opts.Journal == nil {
		m.wait(d)
		return
	}
	id := m.effectID()
	r, do := m.beginEffect(effect.Effect{ID: id, Kind: effect.KindPause, Class: effect.ReadOnly,
		Args: strconv.AppendInt(nil, int64(d), 10)})
	late := r.Failed()
	if do {
		m.wait(d)
		if late = m.Scoped() && m.Left() <= 0; late {
			r.Error = quoted(string(diag.Timeout))
		} else {
			m.LookBeyond() // a pause that was cut short by the end of the evaluation is not over
		}
		m.endEffect(id, r)
	}
	if late {
		m.FailLate()
	}
}

func (m *Evaluation) wait(d time.Duration) {
	if l := m.log(slog.LevelDebug); l != nil {
		l.Debug("pause begun", "path", string(m.path()), "lasts", d)
	}
	timer := time.NewTimer(max(min(d, m.Left()), 0))
	defer timer.Stop()
	over := make(chan struct{})
	if p := m.opts.Scheduler; p != nil {
		p.OnCancel(sync.OnceFunc(func() { close(over) }))
		defer p.OnCancel(nil)
		m.Yield()
		p.Block()
		defer p.Unblock()
	}
	select {
	case <-timer.C:
	case <-over:
	case <-m.Context().Done():
	}
}

// newOperation makes an operation, and charges all that it needs.
func (m *Evaluation) newOperation(spec value.Parallel) *operation {
	items := spec.Items.AsVector()
	if spec.Call == value.CallThunk {
		m.wantThunks(spec.Name, items)
	}
	m.Remember()
	op := &operation{Parallel: spec, m: m, span: m.UserSpan(), n: int(items.Count)}
	if m.op != nil {
		op.nesting = m.op.nesting + 1
	}
	m.wantNestable(op)
	per := 1
	if spec.Until != value.UntilFailed {
		per = 2
	}
	op.fixed = limits.ObjectSize(4*op.n) + limits.BytesSize(op.n/8+4) + limits.BytesSize(op.n) + pinsSize(op.n) +
		operationSize
	if spec.Until == value.UntilEnough || spec.Timeout > 0 {
		op.fixed += limits.BytesSize(op.n) // for the ended elements
	}
	m.markGarbage(op)
	m.Charge(op.fixed)
	op.sizes = make([]uint32, op.n)
	op.box = m.BoxOf(m.Blocks(per * op.n)).AsBox()
	op.share = m.apportion(op)
	op.seed = m.nextSeed()
	op.number = m.operations
	op.loan = m.Lend(spec.Name)
	op.captured = m.Captures() || m.op != nil && m.op.captured
	m.beginPrints(op)
	op.failed.index, op.thrown.index = op.n, op.n
	op.look = op.share.fragmentation
	op.room.Store(op.share.memory - m.Used())
	m.Share()
	op.before = before{op.room.Load(), m.Worked(), m.Live()}
	return op
}

// begin runs an operation. Everything that can be refused comes before it starts.
func (m *Evaluation) begin(spec value.Parallel) {
	op := m.newOperation(spec)
	choice := m.choose(op)
	m.Yield()
	if ended := m.observe(op); ended != nil {
		defer ended()
	}
	timed := m.timeFutures(op)
	op.full = m.do(op)
	timed()
	if op.full == nil {
		m.endPrints(op)
		op.settle()
	}
	op.done, m.acted = true, m.acted || op.acted
	m.chosen(op, choice)
	m.SetUsed(op.share.memory - op.room.Load())
	m.takePins(op)
	m.takeCode(op)
	m.Keep(op)
	if m.opts.Scheduler.Cancelled() { // and the elements were cancelled too: there may be no results
		panic(limits.Stop{Bound: limits.BoundCancelled})
	}
}

// choose begins an operation whose result depends on which elements end first. If an earlier run has
// decided that, only the elements that had ended in that run run again.
func (m *Evaluation) choose(op *operation) (id string) {
	if op.Until != value.UntilEnough && op.Timeout == 0 || m.opts.Journal == nil {
		return ""
	}
	id = m.effectID()
	op.ended = make([]bool, op.n)
	r, do := m.beginEffect(effect.Effect{ID: id, Kind: effect.KindChoice, Class: effect.ReadOnly, Name: op.Name})
	if do {
		return id
	}
	var elements []int
	if m.recorded(r, &elements); elements == nil {
		return ""
	}
	op.only = make([]bool, op.n)
	for _, i := range elements {
		if i < 0 || i >= op.n {
			machine.EndIf(&diag.Error{Code: diag.Diverged,
				Message: fmt.Sprintf("the recording has element %d of %s, which has %d", i, op.Name, op.n)})
		}
		op.only[i] = true
	}
	return ""
}

// chosen records which elements had ended when the operation ended. Effects of the elements that were
// not needed may have happened or not, and it tells the journal so.
func (m *Evaluation) chosen(op *operation, id string) {
	if m.opts.Journal == nil {
		return
	}
	path := m.operationPath(op)
	switch {
	case op.Until == value.UntilEnough, op.endedLate(), op.failed.stops():
		m.opts.Journal.Excuse(string(path), 0)
	case op.failed.index < op.n:
		m.opts.Journal.Excuse(string(path), op.failed.index+1)
	}
	if op.only != nil && op.Until == value.UntilEnough && !op.decided && op.failed.index == op.n &&
		op.thrown.index == op.n && !m.opts.Scheduler.Cancelled() {
		machine.EndIf(&diag.Error{Code: diag.Diverged,
			Message: fmt.Sprintf("the recording has fewer elements of %s than it needs", op.Name)})
	}
	if id == "" || m.opts.Scheduler.Cancelled() || m.endsRun(op) {
		return
	}
	var ended []int // nil if the bound of a scope has ended the operation: nothing was decided
	if op.Timeout > 0 && !op.failed.stops() {
		ended = make([]int, 0, op.n)
	}
	for i, yes := range op.ended {
		if yes && (!op.failed.stops() || op.unfit()) {
			ended = append(ended, i)
		}
	}
	m.endEffect(id, effect.Record{Result: m.encode(ended)})
}

// endsRun reports whether the end of the run has ended an operation. Then a run that continues this
// one decides which elements end first.
func (m *Evaluation) endsRun(op *operation) bool {
	s := op.failed.stop
	return op.failed.stops() && !op.unfit() && (s.Bound == 0 || m.scopeOfStop(&s) < 0)
}

// skips reports whether an element does not run.
func (op *operation) skips(i int) bool { return op.only != nil && !op.only[i] }

// wantThunks refuses functions that can't be called without arguments.
func (m *Evaluation) wantThunks(name string, fs *value.Vector) {
	for i := range int(fs.Count) {
		m.Work(1)
		f := value.VecNth(fs, i)
		var takes bool
		switch f.Kind() {
		case value.KindFn:
			takes = compile.FnOf(f.AsFn()).For(0) != nil
		case value.KindNative:
			takes = f.AsNative().Min == 0
		default:
			takes = f.Is(value.Kinds(value.KindVar, value.KindMultiFn, value.KindRecord, value.KindObject))
		}
		if !takes {
			m.FailHint(diag.IllegalArgument, "wrap the call: #(f x)",
				"%s: argument %d is %s, want a function that takes no arguments",
				name, i+1, value.Describe(&m.Task, f))
		}
	}
}

// operationSize is the size of an operation without its elements, with room for the notes of
// exceptions that pass it.
const operationSize = 1280

// conclude emits the prints of the elements of an operation, and returns its result.
func (m *Evaluation) conclude(op *operation) value.Value {
	if op.full != nil {
		return m.concludeFull(op)
	}
	f := op.failure()
	m.printOperation(op)
	switch {
	case f.index == op.n:
	case f.stop.Bound != 0:
		s := f.stop
		s.At = limits.Moment{At: limits.AtOperation, Nth: int64(op.number)}
		panic(s)
	case f.err != nil:
		machine.EndIf(f.err)
	case f.early:
		m.Return(f.value)
	default:
		panic(value.Thrown{Exception: f.value.AsException()})
	}
	return value.Of(&op.box.Header)
}

// failure returns the failure of the operation. Its index is n if there is none.
func (op *operation) failure() *failure {
	if op.failed.index == op.n && op.Until == value.UntilEnough && !op.decided {
		return &op.thrown
	}
	return &op.failed
}

// endsUnfinished reports whether a failure of an operation ends the run in a way that a resumed run
// need not end: then the elements will print more, so their prints are not recorded as those of the
// operation.
func (m *Evaluation) endsUnfinished(f *failure) bool {
	if f.err != nil && (f.err.Code == diag.Parked || f.err.Code == diag.HostFailed) {
		return true
	}
	return f.err != nil && (strayed(f.err.Code) || f.err.Code == diag.MemoryExceeded && m.scopeOfMemory() < 0)
}

func (m *Evaluation) concludeFull(op *operation) value.Value {
	m.FailHint(diag.CapacityExceeded, "nest fewer parallel operations, or raise the number of workers (--workers)",
		"%s: %v", op.Name, op.full)
	return value.Nil
}
