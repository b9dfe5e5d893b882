// This file defines the mutable objects of Java: string builders, matchers and iterators. Each is a
// Box of a separate kind. Only the evaluation that made an object may change it.

package value

import (
	"unicode/utf8"

	"github.com/ptc-lang/ptc/lang/diag"
)

// The classes of string builders. The class is the first slot of a builder; its strings follow.
var (
	ClassBuilder = ConstKeyword("java.lang.StringBuilder")
	ClassBuffer  = ConstKeyword("java.lang.StringBuffer")
	ClassWriter  = ConstKeyword("java.io.StringWriter")
)

// The slots of a matcher.
const (
	MatcherRegex    = iota
	MatcherText     // the string that it searches
	MatcherPos      // the byte at which to continue, -1 after the last match
	MatcherLast     // the last match as re-find returns it, or nil
	MatcherOffsets  // the byte offsets at which the match and its groups start and end
	MatcherAppended // the byte offset up to which appendReplacement has copied the string
	MatcherSlots
)

// boxes are the kinds whose objects are a Box.
var boxes = Kinds(KindBox, KindBuilder, KindMatcher, KindIterator)

// boxOf returns a new object of one of these kinds.
func (t *Task) boxOf(kind Kind, vals []Value) Value {
	t.Charge(sizeBox)
	return t.newIdentity(&(&Box{Header: t.header(kind), Blocks: Blocks{Vals: vals}}).Header)
}

// Builder returns a new string builder of a class that holds the string s.
func (t *Task) Builder(class, s Value) Value {
	vals := t.Vals(2)
	vals[0], vals[1] = class, s
	return t.boxOf(KindBuilder, vals)
}

// Matcher returns a matcher with the given slots, a block from Vals.
func (t *Task) Matcher(slots []Value) Value { return t.boxOf(KindMatcher, slots) }

// Iterator returns an iterator over a sequence. Its only slot holds the rest of the sequence.
func (t *Task) Iterator(seq Value) Value {
	vals := t.Vals(1)
	vals[0] = seq
	return t.boxOf(KindIterator, vals)
}

// builderTo writes the string of a string builder.
func builderTo(b *Buf, v Value) {
	for _, part := range v.AsBox().Vals[1:] {
		b.WriteString(part.AsString().S)
	}
}

// BuilderLength returns the number of characters of a string builder, without joining its parts.
func (t *Task) BuilderLength(v Value) int {
	n := 0
	for _, part := range v.AsBox().Vals[1:] {
		n += t.Length(part.AsString())
	}
	return n
}

// builderNth returns the i-th character of a string builder. ok is false if there is none.
func (t *Task) builderNth(v Value, i int) (c Value, ok bool) {
	for _, part := range v.AsBox().Vals[1:] {
		n := t.Length(part.AsString())
		if i >= 0 && i < n {
			return t.charIndex(part.AsString(), i), true
		}
		i -= n
	}
	return Nil, false
}

var (
	methodLength = ConstKeyword("length")
	methodCharAt = ConstKeyword("charAt")
)

// Chars returns the string of a java.lang.CharSequence: a string, a string builder, or an object
// whose type implements the interface. ok is false for other values.
func (t *Task) Chars(v Value) (s Value, ok bool) {
	switch v.Kind() {
	case KindString:
		return v, true
	case KindBuilder:
		if isCharSequence(v) {
			return t.Str(v), true
		}
	case KindObject:
		length, charAt := t.InterfaceMethod(v, methodLength), t.InterfaceMethod(v, methodCharAt)
		if length.IsNil() || charAt.IsNil() {
			return Nil, false
		}
		if s := t.ownText(v); s.IsString() {
			return s, true
		}
		return t.charsOf(v, length, charAt), true
	}
	return Nil, false
}

// charsOf makes a string from the results of an object's methods length and charAt.
func (t *Task) charsOf(v, length, charAt Value) Value {
	b := t.Buf()
	n := ToLong(t, t.Host.Call(length, v))
	for i := int64(0); i < n; i++ {
		t.Work(1)
		c := t.Host.Call(charAt, v, Int(i))
		if !c.IsChar() || !utf8.ValidRune(c.AsChar()) {
			t.failCast("charAt", c, "java.lang.Character")
		}
		b.WriteRune(c.AsChar())
	}
	return b.Value()
}

// isCharSequence reports whether v, a string builder, is a CharSequence. A StringWriter is not.
func isCharSequence(v Value) bool { return !Same(v.AsBox().Vals[0], ClassWriter) }

// matcherTo writes a matcher as Java's toString does.
func (t *Task) matcherTo(b *Buf, v Value) {
	slots := v.AsBox().Vals
	b.WriteString("java.util.regex.Matcher[pattern=")
	b.WriteString(slots[MatcherRegex].AsRegex().Source)
	b.WriteString(" region=0,")
	t.StrTo(b, Int(int64(t.Length(slots[MatcherText].AsString()))))
	b.WriteString(" lastmatch=")
	if last := slots[MatcherLast]; last.Is(Vectors) {
		t.StrTo(b, VecAt(last, 0))
	} else {
		t.StrTo(b, last)
	}
	b.WriteByte(']')
}

// matcherNth returns a group of the last match of a matcher, as the method group does. It throws if
// there is no match or no such group.
func (t *Task) matcherNth(m Value, i int) (x Value, ok bool) {
	slots := m.AsBox().Vals
	last := slots[MatcherLast]
	switch groups := slots[MatcherRegex].AsRegex().RE.GroupCount(); {
	case last.IsNil():
		t.FailHint(diag.IllegalState, "test for a match first: (when (re-find m) …), (when (.find m) …)",
			"No match found")
	case i < 0 || i > groups:
		t.Fail(diag.OutOfRange, "No group %d", i)
	case groups > 0:
		return VecAt(last, i), true
	}
	return last, true
}
