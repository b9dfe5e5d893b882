// This file walks and makes long strings piece by piece, with polls in between.

package value

import (
	"strings"
	"sync/atomic"
	"unicode/utf8"
	"unsafe"
)

// textPiece is the approximate number of bytes of a string that are walked between two polls. They
// take about 100 microseconds.
const textPiece = 64 << 10

// TextPiece returns the length of the first piece of s, which ends at a character boundary.
func TextPiece(s string) int {
	n := min(len(s), textPiece)
	for n < len(s) && !utf8.RuneStart(s[n]) {
		n++
	}
	return n
}

// RuneCount returns the number of characters of s, and polls.
func (t *Task) RuneCount(s string) int {
	n := 0
	for len(s) > textPiece {
		piece := TextPiece(s)
		n += utf8.RuneCountInString(s[:piece])
		s = s[piece:]
		t.Look()
	}
	return n + utf8.RuneCountInString(s)
}

// Length returns the number of characters of a string.
func (t *Task) Length(s *String) int {
	if n := atomic.LoadInt32(&s.runes); n != 0 {
		return int(n) - 1
	}
	n := t.RuneCount(s.S)
	if n < maxCount {
		atomic.StoreInt32(&s.runes, int32(n)+1)
	}
	return n
}

// Offset returns the byte offset of the i-th character of s. i must be in [0, length].
func (t *Task) Offset(s *String, i int) int {
	if t.Length(s) == len(s.S) {
		return i
	}
	off := 0
	for rest := s.S; len(rest) > textPiece; {
		piece := TextPiece(rest)
		n := utf8.RuneCountInString(rest[:piece])
		if n > i {
			break
		}
		t.Work(int64(n / 8))
		i, off, rest = i-n, off+piece, rest[piece:]
	}
	t.Work(int64(i / 8))
	for at := range s.S[off:] {
		if i == 0 {
			return off + at
		}
		i--
	}
	return len(s.S)
}

// CharsBefore returns the number of characters before a byte offset of s.
func (t *Task) CharsBefore(s *String, off int) int {
	if t.Length(s) == len(s.S) {
		return off
	}
	t.Work(int64(off / 64))
	return t.RuneCount(s.S[:off])
}

// charIndex returns the i-th character of a string. i must be in range.
func (t *Task) charIndex(s *String, i int) Value {
	return charAt(s.S, t.Offset(s, i))
}

// Bytes returns n bytes with arbitrary contents. The caller must have charged them and must write
// all of them. Clearing a block of 100 MB takes 30 ms or more without a poll; writing it polls.
func Bytes(n int) []byte {
	if n < copiedBytes {
		return make([]byte, n)
	}
	var b strings.Builder
	b.Grow(n)
	b.WriteByte(0) // an empty string has no address
	return unsafe.Slice(unsafe.StringData(b.String()), n)
}
