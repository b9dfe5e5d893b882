// This file defines the memory of lazy sequences that are made cell by cell: the room for a cell in the block of its
// lazy sequence, and the closures of lazy sequences that have run, which are used again.

package value

import (
	"unsafe"

	"github.com/ptc-lang/ptc/runtime/limits"
)

// lazyCell is a lazy sequence with room for the cell that its function returns. The two are referred to separately, and
// keep each other's memory, which a chain of cells does anyway.
type lazyCell struct {
	Lazy
	cell Cons
}

// sizeLazyCell has a slot of a mark for each of the two.
var (
	sizeLazyCell  = objectSize[lazyCell]() + markSlot
	lazyCellClass = classOf(sizeLazyCell - markSlot)
)

// joined is a flag of the lazy sequence and of the cell in a lazyCell.
const joined uint8 = 1 << 7

// Flags of the function of a lazy sequence. One that no flag is set in is not used again.
const (
	thunkNew  uint8 = iota + 1 // only its lazy sequence refers to it
	thunkRuns                  // so does one frame
)

// Lazy returns a lazy sequence that fn computes, a function of no arguments that was made for it. If cell is set, it
// has room for a cell.
func (t *Task) Lazy(fn Value, cell bool) Value {
	if fn.h.owner == t.Owner {
		if t.spare == nil {
			t.Charge(sizeSpare)
			t.Born.Count(spareClass)
			t.spare = new(spareFns)
		}
		fn.h.flags = thunkNew
	}
	if cell {
		t.Charge(sizeLazyCell)
		t.Born.Count(lazyCellClass)
		l := &lazyCell{Lazy: Lazy{Header: t.plainHeader(KindLazy), Fn: fn.h}}
		l.flags = joined
		return Value{h: &l.Header}
	}
	t.Charge(sizeLazy)
	return Value{h: &(&Lazy{Header: t.header(KindLazy), Fn: fn.h}).Header}
}

// CellIn returns cons of x and rest in the room of l, nil if there is none or rest has to be made a sequence.
func (t *Task) CellIn(l *Lazy, x, rest Value) *Cons {
	if l.flags&joined == 0 || l.owner != t.Owner || rest.h == nil || rest.h.kind != KindLazy && rest.h.kind != KindCons {
		return nil
	}
	c := &pointer[lazyCell](&l.Header).cell
	if c.kind != KindNil { // the function of l has run twice
		return nil
	}
	c.kind, c.flags, c.owner = KindCons, joined, t.Owner
	c.First, c.Rest = x, rest.h
	return c
}

// block returns the lazy sequence in whose block a cell lies that is joined.
func (c *Cons) block() *Lazy {
	return &(*lazyCell)(unsafe.Add(unsafe.Pointer(c), -int(unsafe.Offsetof(lazyCell{}.cell)))).Lazy
}

// RunThunk notes that a frame begins to run the function of a lazy sequence.
func (t *Task) RunThunk(fn *Fn) {
	if fn.owner != t.Owner {
		return
	}
	if fn.flags == thunkNew {
		fn.flags = thunkRuns
	} else { // it ran before and failed, or still runs
		fn.flags = 0
	}
}

// EndThunk keeps the function of a lazy sequence, which has returned, for the next closure with as many captured
// values. Nothing refers to it any more unless it ran twice, or belongs to another evaluation. It stays charged.
func (t *Task) EndThunk(fn *Fn) {
	if fn.flags == thunkRuns && fn.owner == t.Owner && len(fn.Up) <= maxInlineUps && t.spare != nil {
		t.spare[len(fn.Up)] = fn
	}
}

// spareFns are closures that are kept to be used again, one for each number of captured values. A mark forgets them.
type spareFns [maxInlineUps + 1]*Fn

var (
	sizeSpare  = leafSize[spareFns]()
	spareClass = limits.ObjectClass(sizeSpare)
)

// DropSpare forgets the closures that are kept to be used again.
func (t *Task) DropSpare() { t.spare = nil }
