// This file defines how elements hand their results and failures to their operation.

package eval

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/eval/internal/machine"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// textSize is the size of an entry of the table of texts.
const textSize = 96

// deliver receives the result of element i. The result and the prints of the element take size
// bytes, which belong to the waiting evaluation from now on. It reports whether they did not fit.
func (op *operation) deliver(i int, v, ok value.Value, size int64) (overflows bool) {
	if op.ended != nil {
		op.ended[i] = true
	}
	if size > 0 {
		op.sizes[i] = uint32((size + 7) / 8)
		for top := op.top.Load(); int64(i) > top && !op.top.CompareAndSwap(top, int64(i)); top = op.top.Load() {
		}
		room := op.room.Add(-size)
		op.m.Holds(op.share.memory - room)
		if room < 0 {
			overflows = op.overflow()
		}
	}
	if op.over.Load() {
		return overflows
	}
	*op.box.At(i) = v
	if op.Until != value.UntilFailed {
		*op.box.At(op.n + i) = ok
	}
	return false
}

// Mark implements machine.Answer.
func (op *operation) Mark(mk *value.Marker) {
	mk.Value(value.Of(&op.box.Header))
	mk.Value(op.failed.value)
	mk.Value(op.thrown.value)
}

// Bytes implements machine.Answer.
func (op *operation) Bytes() int64 { return op.joinedBytes() }

// settle computes the outcome of the operation when all workers have left it.
func (op *operation) settle() {
	if op.failed.stops() {
		op.forgetBeyond(-1) // which elements got how far is chance
		op.texts, op.sizes = nil, nil
		return
	}
	if f := &op.failed; op.decided && (f.early || f.err != nil && f.err.Code == diag.Failed) {
		op.failed = failure{index: op.n} // it came too late
	}
	switch {
	case !op.over.Load():
	case op.Futures: // one that waited for a result that was not kept had another outcome, so no sum counts
		op.overAt(0)
	default:
		left := op.base
		for i, size := range op.sizes {
			if left -= int64(size) * 8; left < 0 {
				op.overAt(i)
				break
			}
		}
	}
	if at := op.fragmentedAt(); at >= 0 && op.failed.index > at {
		op.failed = failure{index: at, err: op.m.FragmentationError(op.span, op.share.fragmentation,
			fmt.Sprintf("the results of %s, up to element %d,", op.Name, at))}
	}
	op.join(min(op.failed.index+1, op.n))
	if f := op.failure(); f.index < op.n {
		op.forgetBeyond(f.index)
	}
	op.sizes = nil
}

// forgetBeyond drops the results of an operation that has failed at element i. The number of elements
// above it with a result depends on timing, and the account must not.
func (op *operation) forgetBeyond(i int) {
	for _, vals := range op.box.All() {
		clear(vals)
	}
	sum := int64(0)
	for _, size := range op.sizes[:i+1] {
		sum += int64(size) * 8
	}
	room := op.before.room - sum
	if room < 0 {
		room = op.base - sum // so there was a mark
	} else if op.marked {
		op.m.GiveBack(op.m.Worked() - op.before.worked)
		op.m.SetLive(op.before.marked)
	}
	op.room.Store(max(room, 0))
}

// before is the state of the evaluation when an operation began.
type before struct{ room, worked, marked int64 }

// overAt sets the failure that the results up to element i do not fit, unless an element below has
// failed.
func (op *operation) overAt(i int) {
	if op.failed.index <= i {
		return
	}
	may := "the evaluation may hold " + machine.Size(op.share.memory)
	if op.nesting > 0 {
		may += ", as the elements have a share of its memory"
	}
	which := fmt.Sprintf("the results of %s, up to element %d,", op.Name, i)
	if op.Futures {
		which = "the results of the futures"
	}
	err := &diag.Error{Code: diag.MemoryExceeded, Span: op.span, Message: which + " do not fit: " + may}
	op.failed = failure{index: i, err: err.WithHint("return less from each element, or raise the %s", op.m.memoryOption())}
}

// unfit reports whether the operation has failed because its results do not fit. The elements that
// had ended decide that.
func (op *operation) unfit() bool {
	return op.failed.err != nil && op.failed.err.Code == diag.MemoryExceeded && op.failed.stop.Bound == 0
}

// pinParts is the number of parts in which the pins of an operation's results are counted. Within a
// part their sum does not depend on the order in which elements end. In large operations, cycles of
// the fragmentation end between parts.
const pinParts = 8

// pinsSize returns the charge for the pins of n elements.
func pinsSize(n int) int64 {
	return int64(min(n, pinParts)) * limits.ObjectSize(int(unsafe.Sizeof(limits.Pins{})))
}

// pin adds the spans that the result of element i keeps. It returns the element up to which the
// results are too fragmented, -1 if they are not.
func (op *operation) pin(i int, pins []limits.Pin) int {
	op.mu.Lock()
	defer op.mu.Unlock()
	part := &op.pins[i*pinParts/op.n]
	if *part == nil {
		*part = new(limits.Pins)
	}
	if op.pinned += (*part).Add(pins); op.pinned <= op.look {
		return -1
	}
	op.look += op.share.fragmentation / 16
	return op.fragmentedAt()
}

// fragmentedAt returns the last element of the first part up to which the results are too
// fragmented, -1 if they are not. Later parts reuse the garbage that earlier ones have left in a
// class, so the largest part counts. More results never reduce it: once it is too high it stays so,
// whatever the order.
func (op *operation) fragmentedAt() int {
	var most limits.Pins
	for p, pins := range op.pins {
		if pins != nil && most.Cover(pins) > op.share.fragmentation {
			return ((p+1)*op.n - 1) / pinParts
		}
	}
	return -1
}

// takePins adds the pins of an operation's results to the fragmentation of the waiting evaluation. If
// the operation has failed, it adds those of the failure.
func (m *Evaluation) takePins(op *operation) {
	parts := op.pins[:]
	if f := op.failure(); f.index < op.n {
		own := new(limits.Pins)
		own.Add(f.pins)
		parts = []*limits.Pins{own}
	}
	for _, pins := range parts {
		if pins != nil {
			m.TakePins(pins)
		}
	}
	op.pins, op.failed.pins, op.thrown.pins = [pinParts]*limits.Pins{}, nil, nil
}

// takeCode makes the evaluation the owner of the code that its elements made, except for elements
// that were not needed.
func (m *Evaluation) takeCode(op *operation) {
	if op.failed.stops() {
		return
	}
	for _, a := range op.adopted {
		if a.index <= op.failed.index {
			m.evaled += a.evaled
			m.code += a.code + adoptedSize
			m.adopted = append(m.adopted, a.pinned)
		}
	}
}

// overflow is called when the account of the waiting evaluation is full. It marks that evaluation
// once, because nothing of it becomes garbage while it waits. The calling goroutine marks on its
// behalf, under the lock. overflow reports whether there is still no room.
func (op *operation) overflow() bool {
	op.mu.Lock()
	defer op.mu.Unlock()
	if !op.marked {
		op.marked = true
		used := op.m.Used()
		live := op.m.MarkWaiting() + op.fixed + op.box.Size()
		op.room.Add(used - live)
		op.base = op.share.memory - live
	}
	return op.room.Load() < 0 && !op.over.Swap(true)
}

// stops reports whether a failure comes from a bound that ends more than the element, or from the
// host. Then nothing waits for the elements below.
func (f *failure) stops() bool {
	return f.err != nil && f.err.Code != diag.Failed && !strayed(f.err.Code)
}

// fail records the failure of an element, and reports whether it counts. A stop does not count in an
// element that is no longer needed. Nothing else counts after a stop, because the stop may have cut
// short the elements below.
func (op *operation) fail(f failure) bool {
	op.mu.Lock()
	defer op.mu.Unlock()
	if f.stops() != op.failed.stops() && (op.failed.stops() || op.decided || op.failed.index < f.index) {
		return false
	}
	op.keepFailure(f)
	return true
}

// keepFailure keeps the lowest failure.
func (op *operation) keepFailure(f failure) {
	lowest := &op.failed
	if !op.endedBy(&f) {
		op.failures++
		lowest = &op.thrown
	}
	if f.index <= lowest.index {
		*lowest = f
	}
}

// endedBy reports whether a failure ends the operation. Then the elements above are not needed.
func (op *operation) endedBy(f *failure) bool {
	return op.Until == value.UntilFailed || f.early || f.err != nil
}

// succeeded counts an element that has succeeded, and reports whether its value is a result: it is
// not if the operation already had as many as it needs.
func (op *operation) succeeded() (wanted bool) {
	return op.Until != value.UntilEnough || op.count()
}

func (op *operation) count() (wanted bool) {
	op.mu.Lock()
	defer op.mu.Unlock()
	if op.counted == op.Need {
		return false
	}
	op.counted++
	return true
}

// handedOver counts a value that the waiting evaluation has, and reports whether it was the last one
// needed. Until then nobody stops the elements that count, because they may still be delivering
// theirs.
func (op *operation) handedOver() (enough bool) {
	return op.Until == value.UntilEnough && op.handOver()
}

func (op *operation) handOver() (enough bool) {
	op.mu.Lock()
	defer op.mu.Unlock()
	op.handed++
	op.decided = op.handed == op.Need
	return op.decided
}

// hopeless reports whether so many elements have failed that too few are left.
func (op *operation) hopeless() bool {
	op.mu.Lock()
	defer op.mu.Unlock()
	return op.Until == value.UntilEnough && op.n-op.failures < op.Need
}

// note returns an exception that leaves element i. If the operation can fail by it, the exception has
// the active frames and the element.
func (op *operation) note(t *value.Task, e *value.Exception, frames []diag.Frame, i int) value.Value {
	e = t.OwnException(e)
	if op.Until == value.UntilSettled {
		return value.Of(&e.Header)
	}
	way := &value.Way{Frames: frames, Elements: []diag.Element{{Operation: op.Name, Span: op.span, Index: i,
		Text: value.Show(t, value.VecNth(op.Items.AsVector(), i)), Completed: op.completed(), Of: op.n}}}
	if e.Way != nil {
		way.Tool, way.Err, way.Text = e.Way.Tool, e.Way.Err, e.Way.Text
		way.Elements = append(slices.Clip(e.Way.Elements), way.Elements...)
	}
	t.Charge(way.Size())
	e.Way = way
	return value.Of(&e.Header)
}
