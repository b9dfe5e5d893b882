// This file defines Blocks: many values that are changed by their place.

package value

import (
	"iter"
	"unsafe"

	"github.com/ptc-lang/ptc/runtime/limits"
)

// Blocks is a row of values, in one block up to BlockVals of them and in several above.
// Go clears a block when it makes it, and nothing can interrupt that: 8 MB take one to
// three milliseconds, 100 MB some forty. Where a row is known to be short, Vals is all of it.
type Blocks struct {
	full [][]Value // the blocks before the last, of BlockVals each
	Vals []Value   // the last block
}

const (
	blockBits = 19
	// BlockVals is the most values that one block holds: 8 MB.
	BlockVals = 1 << blockBits
	blockMask = BlockVals - 1
	sizeBlock = int(unsafe.Sizeof([]Value{}))
)

// Len gives the number of values.
func (b *Blocks) Len() int { return len(b.full)<<blockBits + len(b.Vals) }

// At gives the place of the i-th value; i is in range.
func (b *Blocks) At(i int) *Value {
	if len(b.full) == 0 { // mostly, and inlined
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

// All gives each block with the place of its first value.
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

// Size gives the bytes that the row is charged.
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

// grow makes room for another value. A block grows by doubling until it is a whole one.
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

// Room gives place for at most n more values, which are none of the row's before Vals is
// lengthened by them.
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

// Blocks makes a row of n values, charged.
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

// CopyBlocks makes a copy of a row.
func (t *Task) CopyBlocks(b *Blocks) Blocks {
	c := t.Blocks(b.Len())
	for from, vals := range b.All() {
		t.CopyVals(c.From(from), vals)
	}
	return c
}

// From gives the block that begins at place i.
func (b *Blocks) From(i int) []Value {
	if k := i >> blockBits; k < len(b.full) {
		return b.full[k]
	}
	return b.Vals
}

// Slice gives the part of the row from a place up to another that lies in the same
// block as the first.
func (b *Blocks) slice(from, to int) []Value {
	vals := b.From(from &^ blockMask)
	return vals[from&blockMask : from&blockMask+to-from]
}

// copyTo copies values from place i on.
func (b *Blocks) copyTo(dst []Value, i int) {
	for len(dst) > 0 {
		n := min(len(dst), BlockVals-i&blockMask)
		copy(dst, b.slice(i, i+n))
		dst, i = dst[n:], i+n
	}
}

// Move copies the values of src from a place up to another to place i on, and polls.
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

// BlocksOf gives the elements of a seqable value as a new row.
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

// Clear empties the row, which keeps its last block.
func (b *Blocks) Clear() { *b = Blocks{Vals: b.Vals[:0]} }

// DropFirst takes the first n values out of the row.
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

// Vector makes a vector of the values from a place on.
func (b *Blocks) Vector(t *Task, from int) Value {
	return t.VectorOf(b.Len()-from, func(block []Value, i int) { b.copyTo(block, from+i) })
}

// Onto puts the values of a row, which nobody changes any more, before the sequence
// rest. They come in as many chunks as the row has blocks.
func (b *Blocks) Onto(t *Task, rest Value) Value {
	if len(b.Vals) > 0 {
		rest = t.ChunkCons(t.Chunk(b.Vals), rest)
	}
	for i := len(b.full) - 1; i >= 0; i-- {
		rest = t.ChunkCons(t.Chunk(b.full[i]), rest)
	}
	return rest
}
