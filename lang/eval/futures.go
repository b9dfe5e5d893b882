// This file defines futures from the view of the evaluation that makes them, and the cells that they change.
//
// A future is outstanding until its evaluation waits. Then all outstanding ones are the elements of one operation,
// which the prelude begins (futures.ptc). An element never sees concurrent changes: it reads cells of the
// evaluations around it as they were when the operation began. Before it changes one, it waits until the elements
// before it have ended, and continues with their changes. So a program cannot tell that its futures did not run
// one after another.
//
// No wait can deadlock. An element waits only for elements before it, and workers claim elements in order: the first
// element that has not ended is always running, or claimed by a worker that runs nothing else.

package eval

import (
	"context"
	"slices"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/eval/internal/machine"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/sched"
)

// waits is the state of an evaluation that has futures, or is one.
type waits struct {
	outstanding value.Value // a vector; nil if nothing is outstanding
	kept        value.Value // the value of the element, while its outstanding futures run
	changes     value.Value // map from cell to value: as the evaluation sees them, where its ancestors see another; nil
	acting      value.Value // the agent whose actions the evaluation runs; nil
	state       value.Value // of that agent
	upTo        int         // the last element before this one that changes includes, plus 1
	ordered     int32       // levels of operations around this evaluation whose order it has waited for
	polls       int16       // looks in vain whether something has ended, since the last that waited
	blocked     bool        // it has waited in vain, and begins again
	acted       bool        // it has called a tool, so it cannot begin again
}

func (w *waits) mark(mk *value.Marker) {
	mk.Value(w.outstanding)
	mk.Value(w.kept)
	mk.Value(w.changes)
	mk.Value(w.acting)
	mk.Value(w.state)
}

// futures implements value.Futures.
type futures struct{ m *Evaluation }

// Futures implements value.Host.
func (m *Evaluation) Futures() value.Futures { return futures{m} }

func (f futures) Outstanding() value.Value     { return f.m.outstanding }
func (f futures) SetOutstanding(v value.Value) { f.m.outstanding = v }

func (f futures) RunOutstanding() {
	if !f.m.outstanding.IsNil() {
		f.m.Call(libraryFn("%run-outstanding"))
	}
}

// maxPolls is the number of looks in vain after which an evaluation waits: a loop that looks until a future has ended
// would otherwise never end. A program that looks at a future now and then, to do something else meanwhile, stays below
// it. The looks of an evaluation do not depend on time, so the wait is at the same place in each run.
const maxPolls = 1000

// Polled implements value.Futures.
func (f futures) Polled() {
	f.m.polls = min(f.m.polls+1, maxPolls)
	if f.m.polls == maxPolls {
		f.RunOutstanding()
		f.m.polls = 0
	}
}

// Library implements value.Futures.
func (f futures) Library(name string, args ...value.Value) value.Value {
	return f.m.Call(libraryFn(name), args...)
}

// Complete computes the lazy parts of the value of a run, and runs the futures that are outstanding, also those of the
// lazy parts.
func (m *Evaluation) Complete(v value.Value) (value.Value, *diag.Error) {
	v, err := m.Finish(v)
	for again := true; err == nil && again; again = !m.outstanding.IsNil() && !m.Ended() {
		if v, err = m.Realise(v); err == nil {
			v, err = m.Finish(v)
		}
	}
	return v, err
}

// libraryFn returns a function of the prelude.
func libraryFn(name string) value.Value {
	return compile.PreludeFn(builtins.Lookup(compile.CoreNS, name))
}

// Finish runs everything that is outstanding when the evaluation has its value v, and returns v.
func (m *Evaluation) Finish(v value.Value) (value.Value, *diag.Error) {
	if m.outstanding.IsNil() || m.Ended() {
		return v, nil
	}
	return m.finish(v)
}

func (m *Evaluation) finish(v value.Value) (value.Value, *diag.Error) {
	m.kept = v
	early, err := m.Apply(libraryFn("%finish"))
	v, m.kept, m.outstanding = m.kept, value.Nil, value.Nil // it may still name futures that have ended
	if m.Ended() {
		return early, err
	}
	return v, err
}

// KeepInner implements value.Futures.
func (f futures) KeepInner() bool {
	m := f.m
	outer := m.scopes[len(m.scopes)-1].outstanding
	if m.outstanding.IsNil() || outer.IsNil() || value.Identical(m.outstanding, outer) {
		if value.Identical(m.outstanding, outer) {
			m.outstanding = value.Nil
		}
		return !m.outstanding.IsNil()
	}
	inner := value.Nil
	for i := range value.VecCount(m.outstanding) {
		m.Work(1)
		x := value.VecAt(m.outstanding, i)
		switch {
		case i < value.VecCount(outer) && value.Identical(x, value.VecAt(outer, i)):
		case inner.IsNil():
			inner = m.Vector(x)
		default:
			inner = m.Conj(inner, x)
		}
	}
	m.outstanding = inner
	return !inner.IsNil()
}

// Seen implements value.Futures.
func (f futures) Seen(cell value.Value) value.Value {
	for e := f.m; e != nil && cell.Header().Owner() != e.Owner; e = e.around() {
		if value.Identical(e.acting, cell) {
			return e.state
		}
		if e.changes.IsNil() {
			continue
		}
		if x, ok := f.m.MapGet(e.changes, cell); ok {
			return x
		}
	}
	return cell.AsAtom().Val
}

// around returns the evaluation that waits for this one; nil for the main one.
func (m *Evaluation) around() *Evaluation {
	if m.op == nil {
		return nil
	}
	return m.op.m
}

// Order implements value.Futures.
func (f futures) Order(cell value.Value) {
	if !f.Ordered(cell) {
		f.m.Owns(cell, value.SortName(cell))
	}
}

// Ordered implements value.Futures.
func (f futures) Ordered(cell value.Value) bool {
	m, owner, levels := f.m, cell.Header().Owner(), int32(0)
	for e := m; e.Owner != owner; e = e.op.m {
		if e.op == nil || !e.op.Futures {
			return false
		}
		levels++
	}
	if levels > m.ordered {
		m.Look()
		for e := m; e.Owner != owner; e = e.op.m {
			m.waitFor(e.op, 0, e.index)
		}
		m.changes = m.before(m, levels)
		m.ordered, m.upTo = levels, m.index
	}
	return true
}

// before returns, as values of t, the cells as all elements before this one have left them, in so many operations
// around it, with its own changes.
func (m *Evaluation) before(t *Evaluation, levels int32) value.Value {
	outer, own := value.Nil, m.changes
	if levels > 1 {
		outer = m.op.m.before(t, levels-1)
	}
	if m.ordered == 0 {
		own = m.op.changesBefore(t, m.index)
	}
	return t.merged(outer, own)
}

// merged returns a map with the entries of two, each nil if it is empty; those of the second count.
func (m *Evaluation) merged(a, b value.Value) value.Value {
	switch {
	case a.IsNil() || value.Identical(a, b):
		return b
	case b.IsNil():
		return a
	}
	for it := value.NewMapIter(b); it.Next(); {
		m.Work(1)
		a = m.MapAssoc(a, it.Key, it.Val)
	}
	return a
}

// Change implements value.Futures.
func (f futures) Change(cell, x value.Value) {
	m := f.m
	if cell.Header().Owner() == m.Owner {
		cell.AsAtom().Val = x
		return
	}
	f.Order(cell)
	if value.Identical(m.acting, cell) {
		m.acting, m.state = value.Nil, value.Nil
	}
	changes := m.changes
	if changes.IsNil() {
		changes = value.EmptyMap
	}
	m.changes = m.MapAssoc(changes, cell, x)
}

// Act implements value.Futures.
func (f futures) Act(agent, state value.Value) {
	m := f.m
	if agent.Header().Owner() == m.Owner {
		agent.AsAtom().Val = state
		return
	}
	m.acting, m.state = agent, state
}

// Changes implements value.Futures.
func (f futures) Changes() (changes value.Value, upTo int) {
	if f.m.ordered > 0 {
		return f.m.changes, f.m.index + 1
	}
	return f.m.changes, f.m.upTo
}

// Join implements value.Futures.
func (f futures) Join(v value.Value) (out value.Outcome, ok bool) {
	m, fut := f.m, v.AsFuture()
	level := int32(1)
	for e := m; e.op != nil; e, level = e.op.m, level+1 {
		op, i := e.op, int(fut.Index)
		if !op.Futures || i >= op.n || !value.Identical(value.VecNth(op.Items.AsVector(), i), v) {
			continue
		}
		if i >= e.index {
			return out, false
		}
		m.Look()
		m.waitFor(op, i, i+1)
		out = value.Outcome{Status: *op.box.At(op.n + i), Value: *op.box.At(i)}
		if m.ordered < level {
			m.adopt(op, i, level)
		}
		if r, ok := leftBy(out.Value); ok && out.Status.Truthy() {
			out.Status, out.Value = r.ok, r.value
		}
		return out, !out.Status.IsNil()
	}
	return out, false
}

// adopt takes over the changes that an element handed over: the known changes happened earlier.
func (m *Evaluation) adopt(op *operation, i int, level int32) {
	r, ok := leftBy(*op.box.At(i))
	switch {
	case !ok || r.changes.IsNil():
	case level > 1:
		m.changes = m.merged(r.changes, m.changes)
	case r.upTo > m.upTo:
		m.changes, m.upTo = r.changes, r.upTo
	}
}

// left is the result that an element hands over: a vector that the prelude makes.
type left struct {
	ok, value, changes value.Value
	upTo               int
}

func leftBy(v value.Value) (l left, ok bool) {
	if v.Kind() != value.KindVector || v.AsVector().Count != 4 {
		return l, false
	}
	vec := v.AsVector()
	return left{value.VecNth(vec, 0), value.VecNth(vec, 1), value.VecNth(vec, 2), int(value.VecNth(vec, 3).AsInt())}, true
}

// changesBefore returns the changes that include the most elements before the n-th. Those have ended.
func (op *operation) changesBefore(m *Evaluation, n int) (changes value.Value) {
	most := 0
	for i := n - 1; i >= most; i-- {
		m.Work(1)
		if r, ok := leftBy(*op.box.At(i)); ok && r.upTo > most && !r.changes.IsNil() {
			changes, most = r.changes, r.upTo
		}
	}
	return changes
}

// Blocked implements value.Futures.
func (f futures) Blocked() {
	m := f.m
	if m.op == nil || !m.op.Retry || m.acted {
		return
	}
	m.blocked = true
	machine.EndIf(&diag.Error{Code: diag.Cancelled, Message: "the future waits for another one"})
}

// waitFor waits until elements from..to-1 of an operation around this evaluation have ended.
func (m *Evaluation) waitFor(op *operation, from, to int) {
	if over := op.await(from, to); over != nil {
		ctx, cancel := m.Context(), context.CancelFunc(func() {})
		if !m.Decided() {
			ctx, cancel = m.Timed()
		}
		defer cancel()
		m.waiting(ctx, func(ctx context.Context) {
			select {
			case <-over:
			case <-ctx.Done():
			}
		})
	}
	m.Look()
	if op.over.Load() { // the operation fails, regardless of this element
		m.Fail(diag.MemoryExceeded, "%s: the results do not fit", op.Name)
	}
}

// awaiting is a wait for elements of an operation.
type awaiting struct {
	from, to int
	over     chan struct{}
}

// await returns a channel that is closed when the elements from..to-1 have ended; nil if they have.
func (op *operation) await(from, to int) <-chan struct{} {
	op.mu.Lock()
	defer op.mu.Unlock()
	w := awaiting{from, to, nil}
	if w.advance(op) {
		return nil
	}
	w.over = make(chan struct{})
	op.waiters = append(op.waiters, w)
	return w.over
}

// advance reports whether all elements have ended.
func (w *awaiting) advance(op *operation) bool {
	for w.from < w.to && op.finished(w.from) {
		w.from++
	}
	return w.from == w.to
}

// wakeWaiters wakes the elements that have waited for one that has ended.
func (op *operation) wakeWaiters() {
	op.mu.Lock()
	defer op.mu.Unlock()
	kept := op.waiters[:0]
	for _, w := range op.waiters {
		if w.advance(op) {
			close(w.over)
		} else {
			kept = append(kept, w)
		}
	}
	clear(op.waiters[len(kept):])
	op.waiters = kept
}

// block ends an element that begins again in another operation. It leaves nothing.
func (w *worker) block(i int) {
	m := w.m
	m.Drop()
	if m.sheet != nil {
		*m.sheet = sheet{}
	}
	w.deliver(i, value.True, value.Nil)
	w.op.finish(i, m)
}

// act notes that an element has called a tool.
func (op *operation) act() {
	op.mu.Lock()
	defer op.mu.Unlock()
	op.acted = true
}

// timeFutures ends the elements of an operation with a timeout when it has passed, unless a bound around the operation
// ends it before. The caller calls end when the operation has ended.
func (m *Evaluation) timeFutures(op *operation) (end func()) {
	if op.Timeout == 0 || op.only != nil || m.Left() <= op.Timeout {
		return func() {}
	}
	was := m.Task.Narrow(0, op.Timeout, 0)
	ctx, cancel := m.Timed()
	m.Task.Widen(was)
	stop := context.AfterFunc(ctx, op.stop)
	return func() {
		stop()
		cancel()
	}
}

// stop ends all elements.
func (op *operation) stop() {
	op.mu.Lock()
	op.late = true
	stopper := op.stopper
	op.mu.Unlock()
	if stopper != nil {
		stopper()
	}
}

// endedLate reports whether the timeout has ended elements, in this run or an earlier one.
func (op *operation) endedLate() bool {
	op.mu.Lock()
	defer op.mu.Unlock()
	return op.late || op.Futures && slices.Contains(op.only, false)
}

// begun is called by each worker of the operation.
func (op *operation) begun(p sched.Scheduler) {
	if op.Timeout == 0 {
		return
	}
	op.mu.Lock()
	op.stopper = func() { p.StopAbove(-1) }
	late := op.late
	op.mu.Unlock()
	if late {
		p.StopAbove(-1)
	}
}
