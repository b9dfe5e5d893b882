// This file defines the machine as a parallel worker.

package eval

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/eval/internal/machine"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/limits"
	"github.com/ptc-lang/ptc/runtime/sched"
)

// worker runs elements of an operation on its own machine. Between two elements the machine and
// its account are as new: the outcome of an element depends neither on its worker nor on the elements
// that the worker ran before.
type worker struct {
	m    *Evaluation
	op   *operation
	base int64        // of the account, at the start of each element
	ids  uint64       // of the operation: the identities of an element follow from it
	pins []limits.Pin // of the last result
	// failed reports whether the last element failed. Only watched asks.
	failed bool
}

// job implements sched.Job for an operation.
type job struct{ op *operation }

// Label implements sched.Job.
func (j job) Label() string {
	if j.op.span.IsZero() {
		return j.op.Name
	}
	return fmt.Sprintf("%s at %s", j.op.Name, j.op.span)
}

// NewWorker implements sched.Job.
func (j job) NewWorker(p sched.Scheduler) sched.Worker {
	m := j.op.m.opts.Evaluations.Get().(*Evaluation)
	m.startWorker(j.op, p)
	w := worker{m: m, op: j.op, base: m.OwnBytes(), ids: mix(j.op.m.IdentityBase(), j.op.number)}
	j.op.begun(p)
	if j.op.watch != nil {
		return &watched{worker: w, at: p}
	}
	return &w
}

// startWorker makes the machine ready for elements of an operation. It reads the names and values of
// the waiting evaluation, and may change none of them.
func (m *Evaluation) startWorker(op *operation, p sched.Scheduler) {
	parent := op.m
	m.opts, m.allowance, m.op = parent.opts, parent.allowance, op
	m.opts.Scheduler = p
	m.levels--
	m.JoinLoan(&op.loan, m.opts.Workers.Owners.Add(1), limits.Worker{Memory: op.share.element,
		Fragmentation: op.share.elementFragmentation, Poll: p.Poll})
	if r := m.replicas(); r != nil && r.Follows(string(parent.path())) {
		// The scopes around are ended by the node that decides for them: it closes the operation.
		m.Unscope()
		m.calls = m.calls.Outermost()
	}
	if l := m.log(effect.LevelTrace); l != nil {
		l.Log(context.Background(), effect.LevelTrace, "worker begun", "worker", p.Number(), "path", string(parent.path()),
			"operation", job{op}.Label())
	}
}

// settled reports whether the operation that this is a worker of has ended in an earlier run.
func (m *Evaluation) settled() bool { return m.op != nil && m.op.settled }

// Close implements sched.Worker.
func (w *worker) Close() {
	m := w.m
	m.opts.Workers.ended(m.Peak())
	m.LeaveLoan()
	machines := m.opts.Evaluations
	m.Reset()
	machines.Put(m)
}

// Run implements sched.Worker.
func (w *worker) Run(i int) {
	returned := false
	defer func() {
		if returned {
			return
		}
		r := recover() // of a bound, too, while the end of the element was handled
		if r == nil {
			r = errGoexit
		}
		w.stopRun(i, r)
	}()
	if w.op.shared != nil {
		w.shared(i)
		returned = true
		return
	}
	w.begin(i)
	if w.op.Delay > 0 && i > 0 && !w.op.skips(i) {
		w.m.Wait(w.op.Delay)
	}
	switch {
	case w.m.opts.Scheduler.Cancelled():
	case w.op.skips(i):
		w.op.finish(i, w.m)
	default:
		w.element(i)
	}
	w.end()
	returned = true
}

// errGoexit ends a run: an element whose goroutine is gone has no value.
var errGoexit = errors.New(
	"a function of the host ended the goroutine of a worker with runtime.Goexit, as t.FailNow does")

func (w *worker) element(i int) {
	v, err := w.m.runElement(w.op, i)
	switch {
	case err != nil && w.m.blocked:
		w.block(i)
	case err == nil && !w.m.Ended():
		w.succeed(i, v)
	case err != nil && err.Code == diag.Cancelled && w.m.opts.Scheduler.Cancelled():
		// Nobody waits for the element.
	default:
		w.fail(i, v, err)
	}
}

// begin readies the machine, which is as new, for element i.
func (w *worker) begin(i int) {
	w.m.Begin(w.base, mix(w.op.seed, uint64(i)))
	w.m.Identify(mix(w.ids, uint64(i)))
	w.m.index = i
	w.m.foresee()
}

// keptGarbage is the number of bytes that an element may have made before the stack is cleared after
// it. This much may stay alive, uncounted, until the next element has ended.
const keptGarbage = 8 << 10

// end makes the machine as new.
func (w *worker) end() {
	w.m.End(w.m.Used()-w.base > keptGarbage)
	if w.m.sheet != nil {
		w.op.cutOff(w.m.index, w.m)
	}
	if w.m.acted {
		w.op.act()
	}
	w.m.element = element{}
	if w.m.code > 0 { // most elements make none
		w.m.made = made{}
	}
}

// succeed delivers the result of an element.
func (w *worker) succeed(i int, v value.Value) {
	if w.op.succeeded() {
		w.deliver(i, v, value.True)
		if w.op.handedOver() && w.op.only == nil {
			w.m.opts.Scheduler.StopAbove(-1)
		}
	}
	w.op.finish(i, w.m)
}

// deliver makes v the waiting evaluation's.
func (w *worker) deliver(i int, v, ok value.Value) {
	size, fns, pins := w.m.Transfer(v, w.op.m.Owner, w.pins[:0])
	if fns && w.m.code > 0 {
		var consts int64
		consts, _, pins = w.m.Transfer(w.m.consts, w.op.m.Owner, pins)
		size += w.op.adopt(adopted{i, w.m.evaled, w.m.code, w.m.consts, consts})
	}
	if w.pins = pins; len(pins) > 0 {
		if at := w.op.pin(i, pins); at >= 0 {
			w.m.opts.Scheduler.StopAbove(at)
		}
	}
	if s := w.m.sheet; s != nil && len(s.Text) > 0 {
		size += w.op.handIn(i, w.m)
	}
	if w.op.deliver(i, v, ok, size) {
		w.m.opts.Scheduler.StopAbove(int(w.op.top.Load()))
	}
}

// fail delivers the failure of an element: an exception, an early return, or a bound of the element or of
// the run.
func (w *worker) fail(i int, v value.Value, err *diag.Error) {
	m, op := w.m, w.op
	w.failed = err != nil
	f := failure{index: i, err: err}
	switch {
	case err == nil:
		f.early, f.value = true, v
	case !m.Uncaught().IsNil():
		f.err, f.value = nil, w.thrown(i, err.Frames)
	case err.Code == diag.MemoryExceeded || err.Code == diag.DepthExceeded:
		f.err, f.value = nil, w.ownBound(i, err)
	default:
		f.stop = m.stop()
	}
	w.deliver(i, f.value, value.False)
	f.pins = slices.Clone(w.pins)
	counts := op.fail(f)
	switch {
	case !counts:
	case f.stops():
		m.opts.Scheduler.StopAbove(-1) // the whole run is over
	case op.only != nil: // all of them had ended when the operation did
	case op.endedBy(&f):
		m.opts.Scheduler.StopAbove(i)
	case op.hopeless():
		m.opts.Scheduler.StopAbove(-1)
	}
	if !f.stops() && !op.endedBy(&f) {
		op.finish(i, m)
	}
}

// strayed reports whether the journal has ended an element because the recording lacks an effect or
// its outcome. That is expected above an element that fails, so the elements below still run.
func strayed(code diag.Code) bool { return code == diag.Diverged || code == diag.InDoubt }

// thrown returns the exception that left element i. Everything else that the element holds is garbage
// by now.
func (w *worker) thrown(i int, frames []diag.Frame) value.Value {
	m := w.m
	m.Drop()
	m.Shrink()
	v, err := m.Import(func(t *value.Task) (value.Value, *diag.Error) {
		return w.op.note(t, m.Uncaught().AsException(), frames, i), nil
	})
	if err != nil {
		return w.ownBound(i, err)
	}
	return v
}

// ownBound makes an exception of a bound of the worker's own. Its parent can catch it, because the
// bound held.
func (w *worker) ownBound(i int, err *diag.Error) value.Value {
	m := w.m
	m.Shrink()
	m.SetUsed(w.base)
	e := m.NewException(err.Code, fmt.Sprintf("%s, element %d: %s", w.op.Name, i, err.Message))
	e.Hint, e.Span = err.Hint, err.Span
	return w.op.note(&m.Task, e, err.Frames, i)
}

// stopRun ends the operation, and with it the run, by r: the panic of a worker outside of its
// program.
func (w *worker) stopRun(i int, r any) {
	defer w.end()
	w.failed = true
	if s, ok := r.(limits.Stop); ok && s.Bound == limits.BoundCancelled && w.m.opts.Scheduler.Cancelled() {
		return // nobody waits for the element
	}
	var err *diag.Error
	if s, ok := r.(limits.Stop); ok {
		err = w.m.boundHit(s)
	} else {
		err = w.m.Failure(r)
	}
	if w.op.fail(failure{index: i, err: err, stop: w.m.stop()}) {
		w.m.opts.Scheduler.StopAbove(-1)
	}
}

// runElement calls the function of an operation for element i, and runs the futures that are outstanding then.
func (m *Evaluation) runElement(op *operation, i int) (v value.Value, err *diag.Error) {
	item := value.VecNth(op.Items.AsVector(), i)
	switch op.Call {
	case value.CallThunk:
		v, err = m.Apply(item)
	case value.CallSpread:
		v, err = m.applySpread(op.Fn, item)
	default:
		v, err = m.Apply(op.Fn, item)
	}
	if err != nil {
		return v, err
	}
	return m.Finish(v)
}

// applySpread calls f with the elements of a vector.
func (m *Evaluation) applySpread(f, args value.Value) (value.Value, *diag.Error) {
	n := int(args.AsVector().Count)
	if n > machine.MaxCall {
		return m.Apply(compile.PreludeFn(builtins.Lookup(compile.CoreNS, "apply")), f, args)
	}
	slots, err := m.Arguments(f, n)
	if err != nil {
		return value.Nil, err
	}
	for i := range slots {
		slots[i] = value.VecNth(args.AsVector(), i)
	}
	return m.Drive()
}

// nextSeed returns the seed of the next operation. Seeds depend on the numbers of operations and
// elements in the program's tree, and not on time, so that a run can be repeated.
func (m *Evaluation) nextSeed() uint64 {
	m.operations++
	return mix(m.Seed(), m.operations<<32)
}

// mix makes a new seed of a seed and a number: the finaliser of splitmix64 (Steele,
// Lea, Flood: Fast splittable pseudorandom number generators, 2014).
func mix(seed, n uint64) uint64 {
	z := seed + (n+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
