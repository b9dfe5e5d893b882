// This file defines what elements hand to the operation that they belong to.

package eval

import (
	"slices"
	"unsafe"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// textSize is what an entry of the table of texts takes.
const textSize = 96

// deliver takes what element i gave, which holds size bytes that belong to the waiting
// evaluation from now on, and what it printed. It says whether that did not fit.
func (op *operation) deliver(i int, v, ok value.Value, size int64, out printed) (overflows bool) {
	if out.text != "" {
		size += textSize + 2*int64(len(out.text)) // it will be joined with the others
		op.print(i, out)
	}
	if size > 0 {
		op.sizes[i] = uint32((size + 7) / 8)
		for top := op.top.Load(); int64(i) > top && !op.top.CompareAndSwap(top, int64(i)); top = op.top.Load() {
		}
		room := op.room.Add(-size)
		op.m.Holds(op.m.Cap() - room)
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

// pinParts is how many parts the elements of an operation are counted in, for what
// their results make the allocator hold. In each part it is the sum, in whichever order
// they end; of large operations, cycles of the spread end between parts.
const pinParts = 8

// pinsSize is what the account is charged with for the pins of n elements.
func pinsSize(n int) int64 {
	return int64(min(n, pinParts)) * limits.ObjectSize(int(unsafe.Sizeof(limits.Pins{})))
}

// pin notes the spans that the result of element i keeps. It gives the element up to
// which the results are too widely spread, -1 if they are not.
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
	op.look += op.m.SpreadLimit() / 16
	return op.spreadAt()
}

// spreadAt gives the last element of the first part up to which the results are too
// widely spread, -1 if they are not. The later parts reuse what garbage the earlier ones
// left in a class, so the largest counts. More results never make it less: if it is too
// much once, it is so in the end, whatever the order.
func (op *operation) spreadAt() int {
	var most limits.Pins
	for p, pins := range op.pins {
		if pins != nil && most.Cover(pins) > op.m.SpreadLimit() {
			return ((p+1)*op.n - 1) / pinParts
		}
	}
	return -1
}

// takePins adds what the results of an operation keep to the spread of the evaluation
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

func (op *operation) print(i int, out printed) {
	op.mu.Lock()
	defer op.mu.Unlock()
	if op.texts == nil {
		op.texts = make(map[int]printed)
	}
	op.texts[i] = out
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
		live := op.m.markWaiting() + op.fixed + op.box.Size()
		op.room.Add(used - live)
		op.base = op.m.Cap() - live
	}
	return op.room.Load() < 0 && !op.over.Swap(true)
}

// fail notes that an element has failed.
func (op *operation) fail(f failure) {
	op.mu.Lock()
	defer op.mu.Unlock()
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

// succeeded counts an element that ended well, and says whether the operation needs no
// more. If it had all that it needs before, the element is not among its results.
func (op *operation) succeeded() (enough, wanted bool) {
	n := int(op.done.Add(1))
	if op.Until != value.UntilEnough {
		return false, true
	}
	op.mu.Lock()
	defer op.mu.Unlock()
	if op.decided {
		return true, false
	}
	op.decided = n >= op.Need
	return op.decided, true
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
		Text: value.Show(t, value.VecNth(op.Items.AsVector(), i)), Completed: int(op.done.Load()), Of: op.n}}}
	if e.Way != nil {
		way.Elements = append(slices.Clip(e.Way.Elements), way.Elements...)
	}
	t.Charge(way.Size())
	e.Way = way
	return value.Of(&e.Header)
}
