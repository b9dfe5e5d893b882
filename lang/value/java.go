// This file defines the Java features that builtins use: classes as values, hashCode, and patterns.

package value

import (
	"context"
	"math"
	"math/big"
	"time"

	"github.com/ptc-lang/ptc/lang/internal/jregex"
	"github.com/ptc-lang/ptc/lang/internal/num"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// ConstClass returns a Java class as a value that is not charged to any evaluation.
func ConstClass(name string) Value {
	return Value{h: &(&RecordType{Header: Header{kind: KindType}, Name: name, Class: true}).Header}
}

// Class returns a class by its full name.
func (t *Task) Class(name string) Value {
	v := t.RecordType(name, nil, Nil)
	v.AsType().Class = true
	return v
}

// ConstNamespace returns a namespace as a value that is not charged to any evaluation.
func ConstNamespace(name string) Value {
	return Value{h: &(&Namespace{Header: Header{kind: KindNamespace}, Name: name}).Header}
}

// Namespace returns a namespace as a value. The name must belong to a table, because it is not
// charged.
func (t *Task) Namespace(name string) Value {
	t.Charge(sizeNamespace)
	return Value{h: &(&Namespace{Header: t.header(KindNamespace), Name: name}).Header}
}

// ConstBigInteger returns a BigInteger that is not charged to any evaluation.
func ConstBigInteger(n int64) Value {
	return Value{h: &(&BigInt{Header: Header{kind: KindBigInt, flags: flagJava}, N: big.NewInt(n)}).Header}
}

// ConstDecimal returns a decimal that is not charged to any evaluation.
func ConstDecimal(n int64) Value {
	d := num.FromInt64(n)
	return Value{h: &(&Decimal{Header: Header{kind: KindDecimal}, D: &d}).Header}
}

// ConstMap returns a small map of keys and values that is not charged to any evaluation.
func ConstMap(kvs ...Value) Value {
	t := &Task{}
	t.Start(context.Background(), limits.MinMemory, math.MaxInt64, time.Hour)
	return t.MapOf(kvs...)
}

// JavaHash returns Java's hashCode of v.
func JavaHash(t *Task, v Value) int32 { return javaHash(t, v) }

// Regex returns a compiled pattern of size bytes as a value.
func (t *Task) Regex(re *jregex.Regexp, size int64) Value {
	t.Charge(sizeRegex + limits.BytesSize(len(re.String())) + size)
	return Value{h: &(&Regex{Header: t.header(KindRegex), Source: re.String(), RE: re, Size: size}).Header}
}
