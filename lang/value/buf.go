// This file defines Buf and ValBuf: growing blocks of bytes and of values whose
// size is charged before it is allocated.

package value

import (
	"unicode/utf8"
	"unsafe"

	"github.com/ptc-lang/ptc/runtime/limits"
)

// Buf is a charged builder of text. Its first block is the task's own, if no other
// builder has it. It grows by doubling: the new block is charged, then made, then
// the old one is credited. A builder ends with Value or Leave.
type Buf struct {
	// Max bounds the bytes kept; 0 is no bound but that of the memory account.
	// What goes beyond is dropped and counted, and the printer stops.
	Max     int
	Dropped int64 // bytes that did not fit

	t     *Task
	b     []byte
	first bool           // b is the task's block
	sink  func(p []byte) // see BufTo; nil for a builder that keeps its text
}

const (
	scratchBytes = 256 // of a task, for its first Buf
	scratchVals  = 16  // of a task, for its first ValBuf
	firstBytes   = 64  // of a Buf without that
	firstVals    = 8   // of a ValBuf without that

	// passedBytes is the most that a builder with a sink keeps: a write of the system costs about as much as 32
	// KB of text.
	passedBytes = 32 << 10
)

var (
	sizeBuf    = leafSize[Buf]()
	sizeValBuf = leafSize[ValBuf]()
)

// Buf makes an empty builder of text.
func (t *Task) Buf() *Buf {
	if t.buf.t == nil {
		t.buf = Buf{t: t, b: t.block[:0], first: true}
		return &t.buf
	}
	t.Charge(sizeBuf)
	return &Buf{t: t}
}

// BufTo returns a builder that passes its text on to sink, in order and in pieces of whole characters, which
// are valid during the call only. It holds 32 KB at most, all of which is charged here. It ends with Flush.
func (t *Task) BufTo(sink func(p []byte)) *Buf {
	t.Charge(limits.BytesSize(passedBytes))
	b := t.Buf()
	b.sink = sink
	return b
}

// Flush passes on what the builder still has; without a sink it does nothing.
func (b *Buf) Flush() {
	if b.sink != nil && len(b.b) > 0 {
		b.sink(b.b)
		b.b = b.b[:0]
	}
}

// Passes reports whether the builder passes its text on.
func (b *Buf) Passes() bool { return b.sink != nil }

// Held returns what the account holds, for LetGo.
func (b *Buf) Held() int64 { return b.t.Used() }

// LetGo takes back what was charged since Held, if the builder passes its text on: nothing that was made to write an
// element is needed after it. Where text is kept the account stays as it is, since a mark finds what is free.
func (b *Buf) LetGo(held int64) {
	if b.sink != nil {
		b.t.SetUsed(held)
	}
}

// Len gives the bytes written so far, but for those passed on.
func (b *Buf) Len() int { return len(b.b) }

// Full says whether something was dropped because of Max.
func (b *Buf) Full() bool { return b.Dropped > 0 }

// Bytes gives what was written, valid until the next write.
func (b *Buf) Bytes() []byte { return b.b }

// String gives a copy of what was written that the account does not know.
func (b *Buf) String() string { return string(b.b) }

// Leave ends the builder and gives a copy of what was written, for text that leaves
// the program. It counts while it is made.
func (b *Buf) Leave() string {
	t, size := b.t, limits.BytesSize(len(b.b))
	t.Charge(size)
	text := Bytes(len(b.b))
	t.CopyBytes(text, unsafe.String(unsafe.SliceData(b.b), len(b.b)))
	b.end()
	t.Credit(size)
	return unsafe.String(unsafe.SliceData(text), len(text))
}

// drop gives the block back.
func (b *Buf) drop() {
	if !b.first {
		size := limits.BytesSize(cap(b.b))
		b.t.Free(limits.BytesClass(size))
		b.t.Credit(size)
	}
}

// end gives the builder back.
func (b *Buf) end() {
	b.drop()
	if b == &b.t.buf {
		*b = Buf{}
	} else {
		b.b = nil
	}
}

// WriteString writes s. A part that passes Max is dropped, whole code points.
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

// Write writes p. It never fails; the results are those of io.Writer.
func (b *Buf) Write(p []byte) (int, error) {
	b.WriteString(unsafe.String(unsafe.SliceData(p), len(p)))
	return len(p), nil
}

// WriteByte writes one byte, of ASCII. It never fails.
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

// room makes place for n more bytes, the text s, and says how many of them may
// be written.
func (b *Buf) room(n int, s string) int {
	if b.Max > 0 && (n > b.Max-len(b.b) || b.Dropped > 0) {
		fit := max(b.Max-len(b.b), 0)
		if b.Dropped > 0 { // nothing behind what was dropped
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

// pass writes s, for which the block has no room, to a builder with a sink. A long s goes through the block
// in parts: a sink that got s itself would have the texts of all numbers allocated.
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

// passRoom makes place in the block for n bytes, at most passedBytes. The block is charged for already.
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
	b.t.Spend(int64(len(b.b)) / 64) // the copying polls
	size := limits.BytesSize(max(2*cap(b.b), len(b.b)+n, firstBytes))
	b.t.Charge(size)
	countBytes(&b.t.Born, int(size))
	nb := Bytes(int(size))[:len(b.b)]
	b.t.CopyBytes(nb, unsafe.String(unsafe.SliceData(b.b), len(b.b)))
	b.drop()
	b.b, b.first = nb, false
}

// Value ends the builder and makes a string of what was written.
func (b *Buf) Value() Value {
	if len(b.b) <= maxInline || b.first || limits.BytesSize(len(b.b)) != limits.BytesSize(cap(b.b)) {
		v := b.t.StringOfBytes(b.b)
		b.end()
		return v
	}
	// The text fills the size class of its block, which becomes the string's:
	// charged already.
	t := b.t
	t.Charge(sizeString)
	t.Born.Count(stringClass)
	s := unsafe.String(unsafe.SliceData(b.b), len(b.b))
	b.b, b.first = nil, true
	b.end()
	return Value{h: &(&String{Header: t.plainHeader(KindString), S: s}).Header}
}

// ValBuf is a charged builder of a block of values, in the manner of Buf. It ends
// with Vals or Vector.
type ValBuf struct {
	t     *Task
	full  [][]Value // see Blocks; v is what follows
	v     []Value
	first bool // v is the task's block
}

// ValBuf makes an empty builder of values.
func (t *Task) ValBuf() *ValBuf {
	if t.vals.t == nil {
		t.vals = ValBuf{t: t, v: t.values[:0], first: true}
		return &t.vals
	}
	t.Charge(sizeValBuf)
	return &ValBuf{t: t}
}

// Len gives the number of values added so far.
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

// drop gives the block back.
func (b *ValBuf) drop() {
	if b.first {
		clear(b.v)
	} else {
		b.t.CreditVals(cap(b.v))
	}
}

// end gives the builder back.
func (b *ValBuf) end() {
	if b == &b.t.vals {
		*b = ValBuf{}
	} else {
		b.v, b.full = nil, nil
	}
}

// Vals ends the builder and gives a charged row of exactly what was added.
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

// Vector ends the builder and makes a vector of what was added.
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
