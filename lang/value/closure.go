// This file defines how closures are made.

package value

import (
	"unsafe"

	"github.com/ptc-lang/ptc/runtime/limits"
)

// maxInlineUps is the largest number of captured values that share the allocation of their closure.
// With it, the block stays in the exact size classes.
const maxInlineUps = 8

// smallFn is a closure with its captured values.
type smallFn[A any] struct {
	Fn
	vals A
}

func newSmallFn[A any](n int) *Fn {
	s := new(smallFn[A])
	s.Up = unsafe.Slice((*Value)(unsafe.Pointer(&s.vals)), n)
	return &s.Fn
}

var newSmallFns = [maxInlineUps + 1]func(n int) *Fn{
	func(int) *Fn { return new(Fn) },
	newSmallFn[[1]Value], newSmallFn[[2]Value], newSmallFn[[3]Value], newSmallFn[[4]Value],
	newSmallFn[[5]Value], newSmallFn[[6]Value], newSmallFn[[7]Value], newSmallFn[[8]Value],
}

// sizeSmallFn is the size of a closure of n captured values.
var sizeSmallFn = [maxInlineUps + 1]int64{
	sizeFn,
	objectSize[smallFn[[1]Value]](), objectSize[smallFn[[2]Value]](),
	objectSize[smallFn[[3]Value]](), objectSize[smallFn[[4]Value]](),
	objectSize[smallFn[[5]Value]](), objectSize[smallFn[[6]Value]](),
	objectSize[smallFn[[7]Value]](), objectSize[smallFn[[8]Value]](),
}

var smallFnClass = classesOf(sizeSmallFn[:], markSlot)

// Fn makes a closure of up captured values, for the caller to fill.
func (t *Task) Fn(code *FnCode, up int) *Fn {
	if up <= maxInlineUps {
		if t.spare != nil && t.spare[up] != nil {
			f := t.spare[up]
			t.spare[up] = nil
			f.Header, f.Code = t.plainHeader(KindFn), code
			return f
		}
		t.Charge(sizeSmallFn[up])
		t.Born.Count(smallFnClass[up])
		f := newSmallFns[up](up)
		f.Header, f.Code = t.plainHeader(KindFn), code
		return f
	}
	t.Charge(sizeFn + ValsSize(up))
	t.Born.Count(smallFnClass[0])
	countVals(&t.Born, up)
	return &Fn{Header: t.plainHeader(KindFn), Code: code, Up: make([]Value, up)}
}

// ConstFn returns a closure without captured values that is not charged to any evaluation.
func ConstFn(code *FnCode) Value {
	return Value{h: &(&Fn{Header: Header{kind: KindFn}, Code: code}).Header}
}

// countFn counts the blocks of a closure and returns their size.
func countFn(b *limits.Counts, f *Fn) int64 {
	n := len(f.Up)
	if n <= maxInlineUps {
		b.Count(smallFnClass[n])
		return sizeSmallFn[n]
	}
	b.Count(smallFnClass[0])
	countVals(b, n)
	return sizeFn + ValsSize(n)
}
