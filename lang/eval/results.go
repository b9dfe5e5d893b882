// This file defines what elements hand to the operation that they belong to.

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

// textSize is what an entry of the table of texts takes.
const textSize = 96

// deliver takes what element i gave. That, and what it printed, holds size bytes that belong
// to the waiting evaluation from now on. It reports whether they did not fit.
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

// settle computes what became of the operation, when all workers have left it.
func (op *operation) settle() {
	if op.failed.stops() {
		op.forgetBeyond(-1) // which elements got how far is chance
		op.texts, op.sizes = nil, nil
		return
	}
	if f := &op.failed; op.decided && (f.early || f.err != nil && f.err.Code == diag.Failed) {
		op.failed = failure{index: op.n} // it came too late
	}
	if op.over.Load() {
		left := op.base
		for i, size := range op.sizes {
			if left -= int64(size) * 8; left < 0 {
				op.overAt(i)
				break
			}
		}
	}
	if at := op.fragmentedAt(); at >= 0 && op.failed.index > at {
		op.failed = failure{index: at, err: op.m.FragmentationError(op.span, op.share.fragmentation, fmt.Sprintf("the results of %s, up to element %d,", op.Name, at))}
	}
	op.join(min(op.failed.index+1, op.n))
	if f := op.failure(); f.index < op.n {
		op.forgetBeyond(f.index)
	}
	op.sizes = nil
}

// forgetBeyond drops the results of an operation that has failed at element i. How many
// elements above it have given one depends on timing; the account must not.
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

// before is how the evaluation was when an operation began.
type before struct{ room, worked, marked int64 }

// overAt makes the failure that the results up to element i do not fit, if no element
// below failed.
func (op *operation) overAt(i int) {
	if op.failed.index <= i {
		return
	}
	may := "the evaluation may hold " + machine.Size(op.share.memory)
	if op.nesting > 0 {
		may += ", as the elements have a share of its memory"
	}
	err := &diag.Error{Code: diag.MemoryExceeded, Span: op.span, Message: fmt.Sprintf(
		"the results of %s, up to element %d, do not fit: %s", op.Name, i, may)}
	op.failed = failure{index: i, err: err.WithHint("return less from each element, or raise the %s", op.m.memoryOption())}
}

// unfit says whether the operation has failed because its results do not fit, which those
// elements decide that had ended.
func (op *operation) unfit() bool {
	return op.failed.err != nil && op.failed.err.Code == diag.MemoryExceeded && op.failed.stop.Bound == 0
}

// pinParts is how many parts the elements of an operation are counted in, for what
// their results make the allocator hold. In each part it is the sum, in whichever order
// they end; of large operations, cycles of the fragmentation end between parts.
const pinParts = 8

// pinsSize is what the account is charged with for the pins of n elements.
func pinsSize(n int) int64 {
	return int64(min(n, pinParts)) * limits.ObjectSize(int(unsafe.Sizeof(limits.Pins{})))
}

// pin notes the spans that the result of element i keeps. It gives the element up to
// which the results are too fragmented, -1 if they are not.
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

// fragmentedAt gives the last element of the first part up to which the results are too
// fragmented, -1 if they are not. The later parts reuse what garbage the earlier ones
// left in a class, so the largest counts. More results never make it less: if it is too
// much once, it is so in the end, whatever the order.
func (op *operation) fragmentedAt() int {
	var most limits.Pins
	for p, pins := range op.pins {
		if pins != nil && most.Cover(pins) > op.share.fragmentation {
			return ((p+1)*op.n - 1) / pinParts
		}
	}
	return -1
}

// takePins adds what the results of an operation keep to the fragmentation of the evaluation
// that got them. Of one that failed that is the failure.
func (m *Machine) takePins(op *operation) {
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

// takeCode makes the code that elements made the evaluation's own, but for that of those
// which were not needed.
func (m *Machine) takeCode(op *operation) {
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

// overflow is called when the account of the waiting evaluation is full: it is marked,
// once, because while it waits nothing of it becomes garbage. The goroutine that calls
// this does so for it, under the lock. It says whether there is no room even so.
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

// stops says whether a failure is that of a bound that ends more than the element, or of
// what is outside of the program: nothing below it is waited for.
func (f *failure) stops() bool {
	return f.err != nil && f.err.Code != diag.Failed && !strayed(f.err.Code)
}

// fail notes that an element has failed, and says whether that counts: a stop does not in
// an element that is not needed any more, and nothing else does after a stop, as elements
// below it may have been cut short.
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

// endedBy says whether a failure ends the operation: the elements above are not
// needed then.
func (op *operation) endedBy(f *failure) bool {
	return op.Until == value.UntilFailed || f.early || f.err != nil
}

// succeeded counts an element that ended well, and says whether its value is among the
// results: not if the operation had as many as it needs before.
func (op *operation) succeeded() (wanted bool) {
	if op.Until != value.UntilEnough {
		return true
	}
	op.mu.Lock()
	defer op.mu.Unlock()
	if op.counted == op.Need {
		return false
	}
	op.counted++
	return true
}

// handedOver counts a value that the waiting evaluation has, and says whether it was the
// last that is needed. Until then nobody stops the elements that count, which may still be
// handing theirs over.
func (op *operation) handedOver() (enough bool) {
	if op.Until != value.UntilEnough {
		return false
	}
	op.mu.Lock()
	defer op.mu.Unlock()
	op.handed++
	op.decided = op.handed == op.Need
	return op.decided
}

// hopeless says whether so many elements have failed that not enough are left.
func (op *operation) hopeless() bool {
	op.mu.Lock()
	defer op.mu.Unlock()
	return op.Until == value.UntilEnough && op.n-op.failures < op.Need
}

// note gives an exception that leaves element i, with what was active there and which
// element that was, if the operation can fail by it.
func (op *operation) note(t *value.Task, e *value.Exception, frames []diag.Frame, i int) value.Value {
	e = t.OwnException(e)
	if op.Until == value.UntilSettled {
		return value.Of(&e.Header)
	}
	way := &value.Way{Frames: frames, Elements: []diag.Element{{Operation: op.Name, Span: op.span, Index: i,
		Text: value.Show(t, value.VecNth(op.Items.AsVector(), i)), Completed: op.completed(), Of: op.n}}}
	if e.Way != nil {
		way.Err = e.Way.Err
		way.Elements = append(slices.Clip(e.Way.Elements), way.Elements...)
	}
	t.Charge(way.Size())
	e.Way = way
	return value.Of(&e.Header)
}
