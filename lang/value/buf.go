// This file defines Buf and ValBuf: growing blocks of bytes and of values whose size is charged
// before it is allocated.

package value

import (
	"unicode/utf8"
	"unsafe"

	"github.com/ptc-lang/ptc/runtime/limits"
)

// Buf is a charged string builder. Its first block is the task's own, if no other builder uses it.
// It grows by doubling: it charges the new block, allocates it, and then credits the old one. A
// builder ends with Value or Leave.
type Buf struct {
	// Max bounds the bytes kept. If it is 0, only the memory account bounds them. Bytes beyond Max
	// are dropped and counted, and the printer stops.
	Max     int
	Dropped int64 // bytes dropped because of Max

	t     *Task
	b     []byte
	first bool           // b is the task's block
	sink  func(p []byte) // see BufTo; nil for a builder that keeps its string
}

const (
	scratchBytes = 232 // of a task, for its first Buf; with 256, an evaluation would need a block of 2,688 bytes
	scratchVals  = 16  // of a task, for its first ValBuf
	firstBytes   = 64  // of a Buf without the task's block
	firstVals    = 8   // of a ValBuf without the task's block

	// passedBytes is the maximum that a builder with a sink keeps. A system call to write costs
	// about as much as 32 KB of text.
	passedBytes = 32 << 10
)

var (
	sizeBuf    = leafSize[Buf]()
	sizeValBuf = leafSize[ValBuf]()
)

// Buf returns an empty string builder.
func (t *Task) Buf() *Buf {
	if t.buf.t == nil {
		t.buf = Buf{t: t, b: t.block[:0], first: true}
		return &t.buf
	}
	t.Charge(sizeBuf)
	return &Buf{t: t}
}

// BufTo returns a builder that passes its output to sink, in order and in pieces of whole
// characters. A piece is valid only during the call. The builder holds at most 32 KB, all of which
// is charged here. It ends with Flush.
func (t *Task) BufTo(sink func(p []byte)) *Buf {
	t.Charge(limits.BytesSize(passedBytes))
	b := t.Buf()
	b.sink = sink
	return b
}

// Flush passes on the remaining output. Without a sink it does nothing.
func (b *Buf) Flush() {
	if b.sink != nil && len(b.b) > 0 {
		b.sink(b.b)
		b.b = b.b[:0]
	}
}

// Passes reports whether the builder passes its output on.
func (b *Buf) Passes() bool { return b.sink != nil }

// Held returns the charged bytes of the account, for LetGo.
func (b *Buf) Held() int64 { return b.t.Used() }

// LetGo credits the charges since Held if the builder passes its output on, because the memory for
// writing an element is not needed after it. If the builder keeps its output, the account is not changed,
// since a mark finds free memory.
func (b *Buf) LetGo(held int64) {
	if b.sink != nil {
		b.t.SetUsed(held)
	}
}

// Len returns the number of bytes written so far, except those passed on.
func (b *Buf) Len() int { return len(b.b) }

// Full reports whether bytes were dropped because of Max.
func (b *Buf) Full() bool { return b.Dropped > 0 }

// Bytes returns the bytes written, which are valid until the next write.
func (b *Buf) Bytes() []byte { return b.b }

// String returns a copy of the bytes written, which the account does not include.
func (b *Buf) String() string { return string(b.b) }

// Leave ends the builder and returns a copy of its output, for strings that leave the program. The
// copy is charged while it is made.
func (b *Buf) Leave() string {
	t, size := b.t, limits.BytesSize(len(b.b))
	t.Charge(size)
	text := Bytes(len(b.b))
	t.CopyBytes(text, unsafe.String(unsafe.SliceData(b.b), len(b.b)))
	b.end()
	t.Credit(size)
	return unsafe.String(unsafe.SliceData(text), len(text))
}

// drop credits the block, unless it is the task's own.
func (b *Buf) drop() {
	if !b.first {
		size := limits.BytesSize(cap(b.b))
		b.t.Free(limits.BytesClass(size))
		b.t.Credit(size)
	}
}

// end drops the block and returns the builder to the task.
func (b *Buf) end() {
	b.drop()
	if b == &b.t.buf {
		*b = Buf{}
	} else {
		b.b = nil
	}
}

// WriteString writes s. The part beyond Max is dropped, in whole code points.
func (b *Buf) WriteString(s string) {
	if len(s) > cap(b.b)-len(b.b) || b.Max > 0 {
		if b.sink != nil {
			b.pass(s)
			return
		}
		s = s[:b.room(len(s), s)]
	}
	if len(s) > copiedBytes {
		n := len(b.b)
		b.b = b.b[:n+len(s)]
		b.t.CopyBytes(b.b[n:], s)
		return
	}
	b.b = append(b.b, s...) // within the capacity
}

// Write writes p. It never fails; its results are those of io.Writer.
func (b *Buf) Write(p []byte) (int, error) {
	b.WriteString(unsafe.String(unsafe.SliceData(p), len(p)))
	return len(p), nil
}

// WriteByte writes one ASCII byte. It never fails.
func (b *Buf) WriteByte(c byte) error {
	if len(b.b) == cap(b.b) || b.Max > 0 {
		if b.sink != nil {
			b.passRoom(1)
		} else if b.room(1, "") == 0 {
			return nil
		}
	}
	b.b = append(b.b, c)
	return nil
}

// WriteRune writes a code point.
func (b *Buf) WriteRune(r rune) {
	var a [utf8.UTFMax]byte
	b.Write(a[:utf8.EncodeRune(a[:], r)])
}

// room makes room for n more bytes, those of s, and returns how many of them may be written.
func (b *Buf) room(n int, s string) int {
	if b.Max > 0 && (n > b.Max-len(b.b) || b.Dropped > 0) {
		fit := max(b.Max-len(b.b), 0)
		if b.Dropped > 0 { // write nothing after dropped bytes
			fit = 0
		}
		for fit > 0 && fit < len(s) && !utf8.RuneStart(s[fit]) {
			fit--
		}
		b.Dropped += int64(n - fit)
		n = fit
	}
	if n > cap(b.b)-len(b.b) {
		b.grow(n)
	}
	return n
}

// pass writes s, which does not fit the block, to a builder with a sink. A long s goes through the
// block in parts. If the sink got s itself, the strings of all numbers would have to be allocated.
func (b *Buf) pass(s string) {
	for len(s) > passedBytes {
		n := passedBytes
		for n > passedBytes-utf8.UTFMax && !utf8.RuneStart(s[n]) {
			n--
		}
		b.passRoom(n)
		b.b = append(b.b, s[:n]...) // within the capacity
		b.t.Look()
		s = s[n:]
	}
	b.passRoom(len(s))
	b.b = append(b.b, s...)
}

// passRoom makes room in the block for n bytes, at most passedBytes. The block is charged already.
func (b *Buf) passRoom(n int) {
	if len(b.b)+n > passedBytes {
		b.Flush()
	}
	if n > cap(b.b)-len(b.b) {
		b.b = append(make([]byte, 0, min(max(2*cap(b.b), len(b.b)+n, firstBytes), passedBytes)), b.b...)
		b.first = false
	}
}

func (b *Buf) grow(n int) {
	b.t.Spend(int64(len(b.b))/64 + int64(n)/256) // the copying polls
	size := limits.BytesSize(max(2*cap(b.b), len(b.b)+n, firstBytes))
	b.t.Charge(size)
	countBytes(&b.t.Born, int(size))
	nb := Bytes(int(size))[:len(b.b)]
	b.t.CopyBytes(nb, unsafe.String(unsafe.SliceData(b.b), len(b.b)))
	b.drop()
	b.b, b.first = nb, false
}

// Value ends the builder and returns its output as a string value.
func (b *Buf) Value() Value {
	if len(b.b) <= maxInline || b.first || limits.BytesSize(len(b.b)) != limits.BytesSize(cap(b.b)) {
		v := b.t.StringOfBytes(b.b)
		b.end()
		return v
	}
	// The string fills the size class of its block, which becomes the string's: it is charged
	// already.
	t := b.t
	t.Charge(sizeString)
	t.Born.Count(stringClass)
	s := unsafe.String(unsafe.SliceData(b.b), len(b.b))
	b.b, b.first = nil, true
	b.end()
	return Value{h: &(&String{Header: t.plainHeader(KindString), S: s}).Header}
}

// ValBuf is a charged builder of values, which works like Buf. It ends with Vals or Vector.
type ValBuf struct {
	t     *Task
	full  [][]Value // see Blocks; the values in v follow
	v     []Value
	first bool // v is the task's block
}

// ValBuf returns an empty builder of values.
func (t *Task) ValBuf() *ValBuf {
	if t.vals.t == nil {
		t.vals = ValBuf{t: t, v: t.values[:0], first: true}
		return &t.vals
	}
	t.Charge(sizeValBuf)
	return &ValBuf{t: t}
}

// Len returns the number of values added so far.
func (b *ValBuf) Len() int { return len(b.full)<<blockBits + len(b.v) }

// Add adds v.
func (b *ValBuf) Add(v Value) {
	if len(b.v) == cap(b.v) {
		b.grow()
	}
	b.v = append(b.v, v) // within the capacity
}

func (b *ValBuf) grow() {
	if cap(b.v) == BlockVals {
		row := Blocks{b.full, b.v}
		row.next(b.t)
		b.full, b.v = row.full, row.Vals
		return
	}
	n := min(max(2*cap(b.v), firstVals), BlockVals)
	nv := b.t.Vals(n)[:len(b.v)]
	b.t.CopyVals(nv, b.v)
	b.drop()
	b.v, b.first = nv, false
}

// drop credits the last block, or clears it if it is the task's own.
func (b *ValBuf) drop() {
	if b.first {
		clear(b.v)
	} else {
		b.t.CreditVals(cap(b.v))
	}
}

// end returns the builder to the task.
func (b *ValBuf) end() {
	if b == &b.t.vals {
		*b = ValBuf{}
	} else {
		b.v, b.full = nil, nil
	}
}

// Vals ends the builder and returns a charged array of exactly the added values.
func (b *ValBuf) Vals() Blocks {
	row := Blocks{full: b.full, Vals: b.v}
	if b.first || ValsSize(len(b.v)) != ValsSize(cap(b.v)) {
		row.Vals = b.t.Vals(len(b.v))
		b.t.CopyVals(row.Vals, b.v)
		b.drop()
	}
	b.end()
	row.Vals = row.Vals[:len(row.Vals):len(row.Vals)]
	return row
}

// Vector ends the builder and returns a vector of the added values.
func (b *ValBuf) Vector() Value {
	t := b.t
	if !b.first && len(b.full) == 0 && len(b.v) > maxSmall && len(b.v) <= vecWidth {
		row := b.Vals()
		return t.VectorFrom(row.Vals)
	}
	row := Blocks{full: b.full, Vals: b.v}
	v := row.Vector(t, 0)
	b.drop()
	t.Credit(int64(len(b.full))*ValsSize(BlockVals) + tableSize(len(b.full)))
	b.end()
	return v
}
