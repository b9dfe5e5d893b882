// This file defines Blocks, a mutable array of values in blocks.

package value

import (
	"iter"
	"unsafe"

	"github.com/ptc-lang/ptc/runtime/limits"
)

// Blocks is an array of values: one block of up to BlockVals values, or several blocks above that.
// Go clears a block when it allocates it, which nothing can interrupt: it takes one to three
// milliseconds for 8 MB and about forty for 100 MB. In an array that is known to be short, Vals
// holds all values.
type Blocks struct {
	full [][]Value // the blocks before the last, of BlockVals each
	Vals []Value   // the last block
}

const (
	blockBits = 19
	// BlockVals is the largest number of values in one block: 8 MB.
	BlockVals = 1 << blockBits
	blockMask = BlockVals - 1
	sizeBlock = int(unsafe.Sizeof([]Value{}))
)

// Len returns the number of values.
func (b *Blocks) Len() int { return len(b.full)<<blockBits + len(b.Vals) }

// At returns a pointer to the i-th value. i must be in range.
func (b *Blocks) At(i int) *Value {
	if len(b.full) == 0 { // the common case, which is inlined
		return &b.Vals[i]
	}
	return b.at(i)
}

func (b *Blocks) at(i int) *Value {
	if k := i >> blockBits; k < len(b.full) {
		return &b.full[k][i&blockMask]
	}
	return &b.Vals[i&blockMask]
}

// All iterates over the blocks, each with the index of its first value.
func (b *Blocks) All() iter.Seq2[int, []Value] {
	return func(yield func(int, []Value) bool) {
		for i, vals := range b.full {
			if !yield(i<<blockBits, vals) {
				return
			}
		}
		if len(b.Vals) > 0 {
			yield(len(b.full)<<blockBits, b.Vals)
		}
	}
}

// Size returns the bytes charged for the array.
func (b *Blocks) Size() int64 {
	return int64(len(b.full))*ValsSize(BlockVals) + tableSize(len(b.full)) + ValsSize(cap(b.Vals))
}

func tableSize(n int) int64 { return limits.ObjectSize(n * sizeBlock) }

// Push appends v.
func (b *Blocks) Push(t *Task, v Value) {
	if len(b.Vals) == cap(b.Vals) {
		b.grow(t)
	}
	b.Vals = append(b.Vals, v) // within the capacity
}

// OwnBox returns a box as one that this evaluation may change. It refuses the box of another evaluation: a worker may
// realise a lazy sequence whose state its parent made.
func (t *Task) OwnBox(v Value) *Box {
	b := v.AsBox()
	if b.owner != t.Owner {
		t.Owns(v, "state of a sequence that a transducer computes")
	}
	return b
}

// PushTo appends x to a box.
func (t *Task) PushTo(box, x Value) { t.OwnBox(box).Push(t, x) }

// grow makes room for another value. A block doubles until it has its full size.
func (b *Blocks) grow(t *Task) {
	n := cap(b.Vals)
	if n == BlockVals {
		b.next(t)
		return
	}
	vals := t.Vals(min(max(2*n, firstVals), BlockVals))[:len(b.Vals)]
	t.CopyVals(vals, b.Vals)
	t.CreditVals(n)
	b.Vals = vals
}

// Room returns space for at most n more values. The values become part of the array only when Vals
// is extended over them.
func (b *Blocks) Room(t *Task, n int) []Value {
	for have := len(b.Vals); have == cap(b.Vals) || have+n > cap(b.Vals) && cap(b.Vals) < BlockVals; {
		b.grow(t)
		have = len(b.Vals)
	}
	return b.Vals[len(b.Vals):min(len(b.Vals)+n, cap(b.Vals))]
}

// next begins another block.
func (b *Blocks) next(t *Task) {
	n := len(b.full)
	vals := t.Vals(BlockVals)[:0]
	t.Charge(tableSize(n + 1))
	full := make([][]Value, n+1)
	copy(full, b.full)
	full[n] = b.Vals
	t.Credit(tableSize(n))
	b.full, b.Vals = full, vals
}

// Blocks returns a new array of n values and charges it.
func (t *Task) Blocks(n int) Blocks {
	if n <= BlockVals {
		return Blocks{Vals: t.Vals(n)}
	}
	n = min(n, maxRequest)
	t.Charge(int64(n/BlockVals)*ValsSize(BlockVals) + ValsSize(n&blockMask) + tableSize(n/BlockVals))
	b := Blocks{full: make([][]Value, n/BlockVals)}
	for i := range b.full {
		t.Work(BlockVals / valsUnit)
		b.full[i] = make([]Value, BlockVals)
	}
	countVals(&t.Born, n&blockMask)
	b.Vals = make([]Value, n&blockMask)
	return b
}

// CopyBlocks returns a copy of an array.
func (t *Task) CopyBlocks(b *Blocks) Blocks {
	c := t.Blocks(b.Len())
	for from, vals := range b.All() {
		t.CopyVals(c.From(from), vals)
	}
	return c
}

// From returns the values of one block from index i on.
func (b *Blocks) From(i int) []Value {
	if k := i >> blockBits; k < len(b.full) {
		return b.full[k]
	}
	return b.Vals
}

// slice returns the values from index from to index to, which must lie in the same block.
func (b *Blocks) slice(from, to int) []Value {
	vals := b.From(from &^ blockMask)
	return vals[from&blockMask : from&blockMask+to-from]
}

// copyTo copies the values from index i on to dst.
func (b *Blocks) copyTo(dst []Value, i int) {
	for len(dst) > 0 {
		n := min(len(dst), BlockVals-i&blockMask)
		copy(dst, b.slice(i, i+n))
		dst, i = dst[n:], i+n
	}
}

// Move copies the values of src from index from to index to, to index i on. It polls.
func (b *Blocks) Move(t *Task, i int, src *Blocks, from, to int) {
	if n := to - from; n <= copiedVals && len(b.full) == 0 && len(src.full) == 0 {
		t.Work(int64(n) / 8)
		copy(b.Vals[i:], src.Vals[from:to])
		return
	}
	for from < to {
		n := min(to-from, copiedVals, BlockVals-from&blockMask, BlockVals-i&blockMask)
		copy(b.slice(i, i+n), src.slice(from, from+n))
		t.Work(int64(n) / 8)
		i, from = i+n, from+n
	}
}

// BlocksOf returns the elements of a seqable value as a new array.
func (t *Task) BlocksOf(coll Value) Blocks {
	coll = t.Elements(coll)
	b := t.Blocks(t.Count(coll))
	it := t.Iter(coll)
	for _, vals := range b.All() {
		for i := range vals {
			vals[i], _ = it.Next()
		}
	}
	return b
}

// Clear empties the array, which keeps its last block.
func (b *Blocks) Clear() { *b = Blocks{Vals: b.Vals[:0]} }

// DropFirst removes the first n values.
func (b *Blocks) DropFirst(t *Task, n int) {
	if len(b.full) > 0 {
		left := t.Blocks(b.Len() - n)
		left.Move(t, 0, b, n, b.Len())
		*b = left
		return
	}
	t.Work(int64(len(b.Vals)) / valsUnit)
	left := copy(b.Vals, b.Vals[n:])
	clear(b.Vals[left:])
	b.Vals = b.Vals[:left]
}

// Vector returns a vector of the values from index from on.
func (b *Blocks) Vector(t *Task, from int) Value {
	return t.VectorOf(b.Len()-from, func(block []Value, i int) { b.copyTo(block, from+i) })
}

// Onto puts the values of an array that nobody changes any more before the sequence rest. They
// become as many chunks as the array has blocks.
func (b *Blocks) Onto(t *Task, rest Value) Value {
	if len(b.Vals) > 0 {
		rest = t.ChunkCons(t.Chunk(b.Vals), rest)
	}
	for i := len(b.full) - 1; i >= 0; i-- {
		rest = t.ChunkCons(t.Chunk(b.full[i]), rest)
	}
	return rest
}
