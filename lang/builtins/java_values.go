// This file defines methods that few programs call: those of UUIDs, characters, booleans, string builders and Dates.

package builtins

import (
	"crypto/md5"
	"encoding/binary"
	"unicode"

	"github.com/ptc-lang/ptc/lang/builtins/internal/java"
	"github.com/ptc-lang/ptc/lang/builtins/internal/numbers"
	"github.com/ptc-lang/ptc/lang/builtins/internal/strs"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

var (
	onUUID    = value.Kinds(value.KindUUID)
	onBuilder = value.Kinds(value.KindBuilder)
)

// valueMethods are the methods.
func valueMethods() []entry.Entry {
	half := func(from int) value.NativeFunc {
		return func(_ *value.Task, a []value.Value) value.Value {
			b := a[0].AsUUID().B
			return value.Int(int64(binary.BigEndian.Uint64(b[from:])))
		}
	}
	return append(append(append(numbers.LateMethods(), java.DateMethods()...), beanMethods()...),
		entry.Method("getMostSignificantBits", "", onUUID, entry.Constant, "Returns the first half of a UUID.",
			`(.getMostSignificantBits (java.util.UUID. 1 2)) => 1`, half(0)),
		entry.Method("getLeastSignificantBits", "", onUUID, entry.Constant, "Returns the second half of a UUID.",
			`(.getLeastSignificantBits (java.util.UUID. 1 2)) => 2`, half(8)),
		entry.Method("getChars", "start end to place", value.Kinds(value.KindString), entry.PerByte,
			"Copies the characters from start (inclusive) to end (exclusive) to a place in an array.",
			`(let [a (char-array 3)] (.getChars "hello" 1 3 a 0) (first a)) => \e`,
			func(t *value.Task, a []value.Value) value.Value {
				n := value.ToInt(t, a[2]) - value.ToInt(t, a[1])
				return arrayCopy(t, []value.Value{strs.CharArray(t, a[0]), a[1], a[3], a[4], value.Int(n)})
			}),
		entry.Method("version", "", onUUID, entry.Constant, "Returns the version of a UUID.",
			`(.version (random-uuid)) => 4`, func(_ *value.Task, a []value.Value) value.Value {
				return value.Int(int64(a[0].AsUUID().B[6] >> 4))
			}),
		entry.Method("variant", "", onUUID, entry.Constant, "Returns the variant of a UUID.",
			`(.variant (random-uuid)) => 2`, func(_ *value.Task, a []value.Value) value.Value {
				n := int64(a[0].AsUUID().B[8] >> 5)
				return value.Int([]int64{0, 0, 0, 0, 2, 2, 6, 7}[n])
			}),
		entry.Method("charValue", "", value.Kinds(value.KindChar), entry.Constant, "Returns the character itself.",
			`(.charValue \a) => \a`, entry.Unary(entry.Identity)),
		entry.Method("booleanValue", "", value.Kinds(value.KindBool), entry.Constant, "Returns the boolean itself.",
			`(.booleanValue true) => true`, entry.Unary(entry.Identity)),
		entry.Method("capacity", "", onBuilder, entry.Constant, "Returns the length of a string builder, and 16.",
			`(.capacity (StringBuilder.)) => 16`, func(t *value.Task, a []value.Value) value.Value {
				return value.Int(int64(t.BuilderLength(a[0])) + 16)
			}),
		entry.Method("ensureCapacity", "n", onBuilder, entry.Constant, "Does nothing: a string builder grows.",
			`(.ensureCapacity (StringBuilder.) 100) => nil`,
			func(*value.Task, []value.Value) value.Value { return value.Nil }),
		entry.Method("trimToSize", "", onBuilder, entry.Constant, "Does nothing: a string builder grows.",
			`(.trimToSize (StringBuilder.)) => nil`, func(*value.Task, []value.Value) value.Value { return value.Nil }),
	)
}

// valueStatics are static methods and constructors that few programs call.
func valueStatics() []entry.Entry {
	return append(numbers.LateStatics(),
		entry.PureStatic("new", "UUID", "most least", entry.Constant, "Returns the UUID of two halves.",
			`(str (java.util.UUID. 0 1)) => "00000000-0000-0000-0000-000000000001"`,
			func(t *value.Task, a []value.Value) value.Value {
				var b [16]byte
				binary.BigEndian.PutUint64(b[:], uint64(value.ToLong(t, a[0])))
				binary.BigEndian.PutUint64(b[8:], uint64(value.ToLong(t, a[1])))
				return t.UUID(b)
			}),
		entry.PureStatic("UUID", "nameUUIDFromBytes", "bytes", entry.PerByte, "Returns the UUID of version 3 of bytes.",
			`(str (java.util.UUID/nameUUIDFromBytes (.getBytes "a"))) => "0cc175b9-c0f1-36a8-b1c3-99e269772661"`,
			func(t *value.Task, a []value.Value) value.Value {
				p := strs.BytesOf(t, a[0], "nameUUIDFromBytes")
				t.Charge(int64(len(p)))
				t.Work(int64(len(p)) / 16)
				b := md5.Sum([]byte(p))
				t.Credit(int64(len(p)))
				b[6] = b[6]&0x0f | 0x30
				b[8] = b[8]&0x3f | 0x80
				return t.UUID(b)
			}),
		entry.StaticMethod("System", "arraycopy", "from start to place n", entry.PerElement,
			"Copies elements of an array to "+
				"another one, or to another place of it.",
			`(let [a (int-array [1 2 3])] (System/arraycopy a 0 a 1 2) (vec a)) => [1 1 2]`, arrayCopy),
		strs.CharacterTest("isTitleCase", "letter in title case", `(Character/isTitleCase \a) => false`, unicode.IsTitle),
		strs.CharacterTest("isSurrogate", "half of a pair of UTF-16, which it never is",
			`(Character/isSurrogate \a) => false`,
			func(rune) bool { return false }),
		entry.PureStatic("Character", "toTitleCase", "c", entry.Constant, "Returns a character in title case.",
			`(Character/toTitleCase \a) => \A`, strs.OnChar(unicode.ToTitle)),
		entry.PureStatic("Character", "charCount", "code", entry.Constant, "Returns the number of units of a code in UTF-16.",
			`(Character/charCount 97) => 1`,
			code(func(n int64) value.Value { return value.Int(1 + int64(entry.Btoi(n > 0xffff))) })),
		entry.PureStatic("Character", "isValidCodePoint", "code", entry.Constant, "Returns true if an integer is a code.",
			`(Character/isValidCodePoint 97) => true`,
			code(func(n int64) value.Value { return value.Bool(n >= 0 && n <= unicode.MaxRune) })),
		entry.PureStatic("Character", "isBmpCodePoint", "code", entry.Constant, "Returns true if a code has 16 bits.",
			`(Character/isBmpCodePoint 97) => true`, code(func(n int64) value.Value { return value.Bool(n>>16 == 0) })),
		entry.PureStatic("Character", "isSupplementaryCodePoint", "code", entry.Constant,
			"Returns true if a code has more than 16 bits.", `(Character/isSupplementaryCodePoint 97) => false`,
			code(func(n int64) value.Value { return value.Bool(n > 0xffff && n <= unicode.MaxRune) })),
	)
}

// code makes a static method of a code of a character.
func code(f func(n int64) value.Value) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value { return f(value.ToInt(t, a[0])) }
}

func arrayCopy(t *value.Task, a []value.Value) value.Value {
	for _, i := range []int{0, 2} {
		if a[i].Kind() != value.KindArray {
			t.FailWant("System/arraycopy", a[i], "an array")
		}
	}
	src, dst := a[0].AsArray(), a[2].AsArray()
	from, to, n := value.ToInt(t, a[1]), value.ToInt(t, a[3]), value.ToInt(t, a[4])
	if from < 0 || to < 0 || n < 0 || from+n > int64(src.Len()) || to+n > int64(dst.Len()) {
		t.FailClass("java.lang.ArrayIndexOutOfBoundsException", diag.OutOfRange, "arraycopy: got %d elements from %d to %d, "+
			"want a part of arrays of %d and %d", n, from, to, src.Len(), dst.Len())
	}
	if src.Elem != dst.Elem && (src.Elem.Primitive() || dst.Elem.Primitive()) {
		t.FailClass("java.lang.ArrayStoreException", diag.IllegalArgument, "arraycopy: type mismatch: can not copy %s to %s",
			value.ClassName(a[0]), value.ClassName(a[2]))
	}
	t.Owns(a[2], "array")
	for i := range n {
		if src == dst && to > from { // from the end, so that no element is read after it was written
			i = n - 1 - i
		}
		if i&15 == 0 {
			t.Work(1)
		}
		*dst.At(int(to + i)) = *src.At(int(from + i))
	}
	return value.Nil
}
