// This file defines how an evaluation follows the same evaluation on another node, which decides for it. See package
// runtime/dist.

package eval

import (
	"context"
	"hash/fnv"
	"strconv"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/eval/internal/machine"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// replicas returns the other nodes of the run; nil if it has none.
func (m *Evaluation) replicas() effect.Replicas {
	if !m.opts.Recalls || m.opts.Workers == nil { // as for most runs
		return nil
	}
	return m.opts.Workers.Replicas
}

// follows reports whether another node decides for the evaluation.
func (m *Evaluation) follows() bool {
	r := m.replicas()
	return r != nil && r.Follows(string(m.path()))
}

// passed reports whether an evaluation around this one is known to have come past the operation that this one belongs
// to. On several nodes that can come to be known at any moment.
func (m *Evaluation) passed() bool {
	if m.replicas() == nil {
		return false
	}
	for op := m.op; op != nil; op = op.m.op {
		if m.opts.Journal.Ahead(string(op.m.path()), op.m.effect, op.number).Known {
			return true
		}
	}
	return false
}

// meetOthers waits until another node has had an effect, or this one has come to decide for the evaluation.
func (m *Evaluation) meetOthers(id string) {
	r := m.replicas()
	if r == nil || !r.Follows(string(m.path())) {
		return
	}
	m.waiting(m.Context(), func(ctx context.Context) { r.Await(ctx, id) })
	m.foresee()
}

// waiting calls f, which waits for other nodes. Other workers use the processor in the meantime. The
// context ends when the result of the evaluation is not needed any more, which unwinds.
func (m *Evaluation) waiting(ctx context.Context, f func(ctx context.Context)) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if p := m.opts.Scheduler; p != nil {
		p.OnCancel(cancel)
		defer p.OnCancel(nil)
		m.Yield()
		p.Block()
		p.Rest() // nothing here ends the wait
		defer p.Unblock()
		defer p.Wake()
	}
	f(ctx)
	if p := m.opts.Scheduler; p != nil && p.Cancelled() {
		panic(limits.Stop{Bound: limits.BoundCancelled})
	}
}

// share returns how an operation is shared with other nodes; nil if it is not. Operations that end with their first
// elements are not, because timing decides which elements those are. Futures are not, because they wait for
// each other, and their changes are not sent to other nodes.
func (m *Evaluation) share(op *operation) (shared effect.Sharing) {
	r := m.replicas()
	if r == nil || op.Until == value.UntilEnough || op.Delay > 0 || op.Futures || op.only != nil || m.opts.Strict ||
		m.levels < 1 {
		return nil
	}
	so := effect.SharedOperation{Path: string(m.operationPath(op)), Elements: op.n, Effects: m.effect, Shape: op.shape(),
		Computes: func() bool { return !m.reaches(op.Fn, op.Items) }}
	var err error
	m.waiting(m.Context(), func(ctx context.Context) { shared, err = r.Share(ctx, so) })
	machine.EndIf(effect.RunError(err))
	return shared
}

// shape returns a hash of the parts of an operation that are the same on all nodes.
func (op *operation) shape() uint64 {
	h := fnv.New64a()
	h.Write(strconv.AppendUint([]byte(op.Name+"\x00"+op.span.String()), op.seed, 16))
	return h.Sum64()
}

// doShared runs the elements of an operation with other nodes.
func (m *Evaluation) doShared(op *operation) error {
	if m.Decided() { // it is not bound by its scopes
		op.shared.Until(m.Context())
	} else {
		ctx, cancel := m.Timed()
		defer cancel()
		op.shared.Until(ctx)
	}
	full := m.opts.Scheduler.DoChosen(job{op}, op.n, op.shared)
	m.foresee() // this node may have come to decide in the meantime
	if full != nil || op.failed.index < op.n || op.over.Load() || op.fragmentedAt() >= 0 || m.opts.Scheduler.Cancelled() {
		return full
	}
	// An element whose value is missing would be nil for the program.
	if n := op.completed(); n < op.n && op.failures == 0 {
		m.LookBeyond()
		machine.EndIf(&diag.Error{Code: diag.Diverged,
			Message: "operation " + strconv.FormatUint(op.number, 10) + " has " + strconv.Itoa(n) + " of its " +
				strconv.Itoa(op.n) + " elements"})
	}
	return nil
}

// spent is the usage of the elements of an operation that counts for the run.
type spent struct{ steps, calls int64 }

// spend counts calls of an element, or the usage of the operations in it, so that another node that takes
// its value can count them too.
func (op *operation) spend(i int, s spent) {
	op.mu.Lock()
	defer op.mu.Unlock()
	if op.spent == nil {
		op.spent = make(map[int]spent)
	}
	was := op.spent[i]
	op.spent[i] = spent{was.steps + s.steps, was.calls + s.calls}
}

// takeSpent returns the counts of spend for an element, and forgets them.
func (op *operation) takeSpent(i int) spent {
	op.mu.Lock()
	defer op.mu.Unlock()
	s := op.spent[i]
	delete(op.spent, i)
	return s
}

// countCall counts a call of a tool for the element that makes it.
func (m *Evaluation) countCall() {
	if m.op != nil && m.replicas() != nil {
		m.op.spend(m.index, spent{calls: 1})
	}
}
