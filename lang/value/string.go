// This file makes strings. A short string shares one allocation with its bytes, which is 30 %
// faster than two allocations.

package value

import (
	"unsafe"

	"github.com/ptc-lang/ptc/runtime/limits"
)

// maxInline is the length of the longest string whose bytes share the allocation of the string.
const maxInline = 64

type inlineString[A any] struct {
	String
	text A
}

// stringSize returns the charged size of a string of n bytes. Up to maxInline it is the size of the
// string and its bytes in one block. This is never less than the size of two blocks, so it is
// correct for both.
func stringSize(n int) int64 {
	if n <= maxInline {
		return sizeString + int64(n+15)&^15
	}
	return sizeString + limits.BytesSize(n)
}

// String makes a string of s. The bytes of s must not be part of a larger block or have spare
// capacity. They are charged here.
func (t *Task) String(s string) Value {
	t.Charge(stringSize(len(s)))
	t.Born.Count(stringClass)
	countBytes(&t.Born, len(s))
	return Value{h: &(&String{Header: t.plainHeader(KindString), S: s}).Header}
}

// CopyString makes a string of a copy of s.
func (t *Task) CopyString(s string) Value {
	if s == "" {
		return emptyString
	}
	o := t.newString(len(s))
	t.CopyBytes(unsafe.Slice(unsafe.StringData(o.S), len(o.S)), s)
	return Value{h: &o.Header}
}

// StringOfBytes makes a string of a copy of b.
func (t *Task) StringOfBytes(b []byte) Value {
	return t.CopyString(unsafe.String(unsafe.SliceData(b), len(b)))
}

// StringOf makes a string of n bytes that fill writes.
func (t *Task) StringOf(n int, fill func(text []byte)) Value {
	if n == 0 {
		return emptyString
	}
	o := t.newString(n)
	fill(unsafe.Slice(unsafe.StringData(o.S), n))
	return Value{h: &o.Header}
}

var emptyString = ConstString("")

// flagInterned in the header of a string marks one that Java interns, as this library takes it: a literal, or the name
// or the namespace of a symbol or keyword. Two of them are identical if they are equal.
const flagInterned = 1

// InternedString makes a string of a copy of s that is identical to others that are interned.
func (t *Task) InternedString(s string) Value {
	v := t.CopyString(s)
	if s != "" {
		v.h.flags = flagInterned
	}
	return v
}

// bothInterned reports whether a and b are interned strings.
func bothInterned(a, b Value) bool {
	return a.IsString() && b.IsString() && a.h.flags&b.h.flags&flagInterned != 0
}

// newString returns a string of n bytes, at least one. The caller must fill them before the string
// is shared.
func (t *Task) newString(n int) *String {
	t.Charge(stringSize(n))
	if n >= 1<<10 {
		t.Work(int64(n) >> 8) // of making the block and of filling it
	}
	var o *String
	var text *byte
	switch {
	case n <= 16:
		s := new(inlineString[[16]byte])
		o, text = &s.String, &s.text[0]
	case n <= 32:
		s := new(inlineString[[32]byte])
		o, text = &s.String, &s.text[0]
	case n <= 48:
		s := new(inlineString[[48]byte])
		o, text = &s.String, &s.text[0]
	case n <= maxInline:
		s := new(inlineString[[maxInline]byte])
		o, text = &s.String, &s.text[0]
	default:
		o, text = new(String), unsafe.SliceData(Bytes(n))
	}
	o.Header, o.S = t.plainHeader(KindString), unsafe.String(text, n)
	countString(&t.Born, o)
	return o
}

// inline reports whether the bytes of s are part of its own allocation.
func (s *String) inline() bool {
	return len(s.S) > 0 && len(s.S) <= maxInline &&
		uintptr(unsafe.Pointer(unsafe.StringData(s.S))) == uintptr(unsafe.Pointer(s))+unsafe.Sizeof(String{})
}
