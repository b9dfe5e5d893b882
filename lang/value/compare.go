// This file defines Compare, Clojure's compare.

package value

import (
	"encoding/binary"
	"strings"
	"unicode/utf8"

	"github.com/ptc-lang/ptc/lang/diag"
)

// Compare returns the order of a and b as clojure.core/compare does: below 0 if a comes first,
// above 0 if b does. nil comes before everything, numbers compare by value, strings and names by
// their UTF-16 code units, and vectors by length and then by their elements. It throws for values
// that cannot be compared.
func Compare(t *Task, a, b Value) int {
	c, _ := order(t, a, b, true)
	return c
}

// order is Compare. Unless strict is set, it returns ok false for values that cannot be compared.
func order(t *Task, a, b Value, strict bool) (c int, ok bool) {
	switch {
	case Identical(a, b):
		return 0, true
	case a.h == nil:
		return -1, true
	case b.h == nil:
		return 1, true
	case a.Is(Numbers) && b.Is(Numbers):
		c, _ = numOrder(t, a, b)
		return c, true
	case a.Is(Vectors) && b.Is(Vectors):
		return orderVectors(t, a, b, strict)
	}
	if a.h.kind == KindRecord || a.h.kind == KindObject {
		if c, ok = t.compareOwn(a, b); ok {
			return c, true
		}
	}
	if a.h.kind == KindJava {
		if c, ok = t.javaCompare(a, b); ok {
			return c, true
		}
	}
	if a.h.kind == b.h.kind {
		if c, ok = orderKind(t, a, b); ok {
			return c, true
		}
	}
	if strict {
		t.notComparable(a, b)
	}
	return 0, false
}

// orderKind compares values of one kind. ok is false if the kind has no order.
func orderKind(t *Task, a, b Value) (c int, ok bool) {
	switch a.h.kind {
	case KindString:
		c = compareStrings(t, a.AsString().S, b.AsString().S)
	case KindKeyword:
		x, y := a.AsKeyword(), b.AsKeyword()
		c = compareNames(t, x.NS, x.Name, y.NS, y.Name)
	case KindSymbol:
		x, y := a.AsSymbol(), b.AsSymbol()
		c = compareNames(t, x.NS, x.Name, y.NS, y.Name)
	case KindChar:
		c = compareRunes(a.AsChar(), b.AsChar())
	case KindBool:
		c = cmp(int32(a.bits), int32(b.bits))
	case KindUUID:
		c = compareUUIDs(&a.AsUUID().B, &b.AsUUID().B)
	case KindInst:
		c = cmp(a.AsInst().Millis, b.AsInst().Millis)
	case KindBuilder:
		if !isCharSequence(a) || !Same(a.AsBox().Vals[0], b.AsBox().Vals[0]) {
			return 0, false
		}
		c = compareStrings(t, t.Str(a).AsString().S, t.Str(b).AsString().S)
	default:
		return 0, false
	}
	return c, true
}

// orderedKinds are the kinds that have an order.
var orderedKinds = Numbers | Vectors | Kinds(KindString, KindKeyword, KindSymbol, KindChar, KindBool, KindUUID,
	KindInst, KindBuilder)

// notComparable throws Java's exception: a value cannot be cast to the class of the other, or to
// Comparable.
func (t *Task) notComparable(a, b Value) {
	from, to := b, ""
	switch {
	case !a.Is(orderedKinds):
		from, to = a, "java.lang.Comparable"
	case a.Is(Numbers):
		to = "java.lang.Number"
	case a.Is(Vectors):
		to = "clojure.lang.IPersistentVector"
	default:
		to = ClassName(a)
	}
	t.Fail(diag.WrongType, "cannot compare %s (%s) with %s (%s): class %s cannot be cast to class %s",
		Show(t, a), KindName(a.Kind()), Show(t, b), KindName(b.Kind()), ClassName(from), to)
}

func orderVectors(t *Task, a, b Value, strict bool) (c int, ok bool) {
	n := VecCount(a)
	if m := VecCount(b); n != m {
		return cmp(n, m), true
	}
	t.enter()
	ok = true
	for i := 0; i < n && c == 0 && ok; i++ {
		t.Work(1)
		c, ok = order(t, VecAt(a, i), VecAt(b, i), strict)
	}
	t.leave()
	return c, ok
}

// compareNames orders names without a namespace first, then by namespace, then
// by name.
func compareNames(t *Task, ns1, name1, ns2, name2 string) int {
	switch {
	case ns1 == ns2:
		return compareStrings(t, name1, name2)
	case ns1 == "":
		return -1
	case ns2 == "":
		return 1
	}
	return compareStrings(t, ns1, ns2)
}

// CompareText is strings.Compare that polls after each piece of long strings.
func CompareText(t *Task, a, b string) int {
	i := t.samePieces(a, b)
	return strings.Compare(a[i:], b[i:])
}

// samePieces returns a length, a multiple of textPiece, up to which a and b are equal. The first
// difference, or an end, is in the next piece.
func (t *Task) samePieces(a, b string) int {
	n := min(len(a), len(b))
	t.Work(int64(min(n, textPiece) >> 6))
	i := 0
	for ; i+textPiece < n && a[i:i+textPiece] == b[i:i+textPiece]; i += textPiece {
		t.Work(textPiece >> 6)
	}
	return i
}

// compareStrings is Java's String.compareTo: the difference of the first UTF-16 code units that
// differ, or of the lengths.
func compareStrings(t *Task, a, b string) int {
	n := min(len(a), len(b))
	i := t.samePieces(a, b)
	for i+8 <= n && a[i:i+8] == b[i:i+8] {
		i += 8
	}
	for i < n && a[i] == b[i] {
		i++
	}
	if i == n {
		return unitCount(t, a[i:]) - unitCount(t, b[i:])
	}
	at := i // the start of the code point
	for at > 0 && !utf8.RuneStart(a[at]) {
		at--
	}
	x, _ := utf8.DecodeRuneInString(a[at:])
	y, _ := utf8.DecodeRuneInString(b[at:])
	if x == y { // invalid UTF-8
		return int(a[i]) - int(b[i])
	}
	return compareRunes(x, y)
}

// compareRunes returns the difference of the first UTF-16 code units in which two different
// characters differ.
func compareRunes(x, y rune) int {
	const base, high, low = 0x10000, 0xd800, 0xdc00
	hx, hy := x, y
	if x >= base {
		hx = high + (x-base)>>10
	}
	if y >= base {
		hy = high + (y-base)>>10
	}
	if hx != hy || x < base {
		return int(hx - hy)
	}
	return int((low + (x-base)&0x3ff) - (low + (y-base)&0x3ff))
}

// unitCount returns the number of UTF-16 code units of s.
func unitCount(t *Task, s string) int {
	n := t.RuneCount(s)
	for s != "" {
		piece := s[:TextPiece(s)]
		for _, r := range piece {
			if r >= 0x10000 {
				n++
			}
		}
		s = s[len(piece):]
		t.Look()
	}
	return n
}

// compareUUIDs is java.util.UUID.compareTo, which compares the halves as signed numbers.
func compareUUIDs(a, b *[16]byte) int {
	if c := cmp(int64(binary.BigEndian.Uint64(a[:8])), int64(binary.BigEndian.Uint64(b[:8]))); c != 0 {
		return c
	}
	return cmp(int64(binary.BigEndian.Uint64(a[8:])), int64(binary.BigEndian.Uint64(b[8:])))
}
