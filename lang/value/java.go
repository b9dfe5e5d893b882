// This file defines what builtins see of Java: classes as values, hashCode, and
// patterns.

package value

import (
	"context"
	"math"
	"math/big"
	"time"

	"github.com/ptc-lang/ptc/lang/jregex"
	"github.com/ptc-lang/ptc/lang/num"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// ConstClass makes the value of a Java class, which no evaluation pays for.
func ConstClass(name string) Value {
	return Value{h: &(&RecordType{Header: Header{kind: KindType}, Name: name, Class: true}).Header}
}

// ConstNamespace makes the value of a namespace, which no evaluation pays for.
func ConstNamespace(name string) Value {
	return Value{h: &(&Namespace{Header: Header{kind: KindNamespace}, Name: name}).Header}
}

// Namespace makes the value of a namespace; the name belongs to a table.
func (t *Task) Namespace(name string) Value {
	t.Charge(sizeNamespace)
	return Value{h: &(&Namespace{Header: t.header(KindNamespace), Name: name}).Header}
}

// ConstBigInteger makes a BigInteger that no evaluation pays for.
func ConstBigInteger(n int64) Value {
	return Value{h: &(&BigInt{Header: Header{kind: KindBigInt, flags: flagJava}, N: big.NewInt(n)}).Header}
}

// ConstDecimal makes a decimal that no evaluation pays for.
func ConstDecimal(n int64) Value {
	d := num.FromInt64(n)
	return Value{h: &(&Decimal{Header: Header{kind: KindDecimal}, D: &d}).Header}
}

// ConstMap makes a small map of keys and values, which no evaluation pays for.
func ConstMap(kvs ...Value) Value {
	t := &Task{}
	t.Start(context.Background(), limits.MinMemory, math.MaxInt64, time.Hour)
	return t.MapOf(kvs...)
}

// JavaHash gives what the method hashCode gives in Java.
func JavaHash(t *Task, v Value) int32 { return javaHash(t, v) }

// Regex makes a value of a compiled pattern of size bytes.
func (t *Task) Regex(re *jregex.Regexp, size int64) Value {
	t.Charge(sizeRegex + limits.BytesSize(len(re.String())) + size)
	return Value{h: &(&Regex{Header: t.header(KindRegex), Source: re.String(), RE: re, Size: size}).Header}
}
