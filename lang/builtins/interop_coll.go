// This file defines the methods of Java's collections and numbers.

package builtins

import (
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/num"
	"github.com/ptc-lang/ptc/lang/value"
)

// onColl are the values that a method of collections can be called on.
var onColl = value.Colls

// collectionMethods are the methods of maps, sets, lists and map entries.
func collectionMethods() []Entry {
	return []Entry{
		method("get", "key", onColl, PerElement, "Gives the value of a key or the element at an index.", `(.get {:a 1} :a) => 1`, collGet),
		method("getOrDefault", "key default", value.Maps, Constant, "Gives the value of a key, or else default.", `(.getOrDefault {:a 1} :b 2) => 2`, func(t *value.Task, a []value.Value) value.Value {
			return t.Get(a[0], a[1], a[2])
		}),
		method("nth", "index | index default", onColl, PerElement, "Gives the element at an index.", `(.nth [1 2] 0) => 1`, collNth),
		method("valAt", "key | key default", value.Maps|value.Vectors, Constant, "Gives the value of a key.", `(.valAt {:a 1} :a) => 1`, func(t *value.Task, a []value.Value) value.Value {
			notFound := value.Nil
			if len(a) == 3 {
				notFound = a[2]
			}
			return t.Get(a[0], a[1], notFound)
		}),
		method("containsKey", "key", value.Maps|value.Vectors, Constant, "Says whether a map has a key.", `(.containsKey {:a 1} :a) => true`, func(t *value.Task, a []value.Value) value.Value {
			return value.Bool(t.Contains(a[0], a[1]))
		}),
		method("contains", "x", onColl|onString, PerElement, "Says whether a string has a part, a set a member, a list an element.", `(.contains [1 2] 2) => true`, collContains),
		method("indexOf", "x | x from", onColl|onString, PerElement, "Gives the index of an element, or of a part of a string; -1 if there is none.", `(.indexOf [1 2 3] 3) => 2`, collIndexOf),
		method("lastIndexOf", "x | x from", onColl|onString, PerElement, "Gives the last index of an element, or of a part of a string; -1 if there is none.", `(.lastIndexOf "hello" "l") => 3`, collLastIndexOf),
		method("isEmpty", "", onColl|onString, Constant, "Says whether a string or collection is empty.", `(.isEmpty []) => true`, func(t *value.Task, a []value.Value) value.Value {
			return value.Bool(t.Seq(a[0]).IsNil())
		}),
		method("size", "", onColl, PerElement, "Gives the number of elements.", `(.size [1 2]) => 2`, collCount),
		method("count", "", onColl|onString, PerElement, "Gives the number of elements.", `(.count [1 2]) => 2`, collCount),
		method("keySet", "", value.Maps, PerElement, "Gives the set of the keys.", `(.keySet {:a 1}) => #{:a}`, func(t *value.Task, a []value.Value) value.Value {
			return setHeld(t, []value.Value{t.MapSeqOf(a[0], value.SeqKeys, false)})
		}),
		method("values", "", value.Maps, Constant, "Gives the values.", `(.values {:a 1}) => (1)`, func(t *value.Task, a []value.Value) value.Value {
			return t.MapSeqOf(a[0], value.SeqVals, false)
		}),
		method("entrySet", "", value.Maps, PerElement, "Gives the set of the entries.", `(.entrySet {:a 1}) => #{[:a 1]}`, func(t *value.Task, a []value.Value) value.Value {
			return setHeld(t, a)
		}),
		method("getKey", "", value.Vectors, Constant, "Gives the key of a map entry.", `(.getKey (first {:a 1})) => :a`, entryPart("getKey", 0)),
		method("getValue", "", value.Vectors, Constant, "Gives the value of a map entry.", `(.getValue (first {:a 1})) => 1`, entryPart("getValue", 1)),
	}
}

func collGet(t *value.Task, a []value.Value) value.Value {
	if a[0].Is(value.Maps | value.Sets) {
		return t.Get(a[0], a[1], value.Nil)
	}
	return collNth(t, a)
}

func collNth(t *value.Task, a []value.Value) value.Value {
	i := value.ToInt(t, a[1])
	if x, ok := t.Nth(a[0], int(i)); ok {
		return x
	}
	if len(a) == 3 {
		return a[2]
	}
	t.Fail(diag.OutOfRange, "index %d out of range", i)
	return value.Nil
}

func collContains(t *value.Task, a []value.Value) value.Value {
	switch {
	case a[0].IsString():
		return tester("contains", includes)(t, a)
	case a[0].Is(value.Sets):
		return value.Bool(t.Contains(a[0], a[1]))
	case a[0].Is(value.Maps):
		noMethod(t, "contains", a[0], 1)
	}
	return value.Bool(indexIn(t, a[0], a[1], false) >= 0)
}

func collIndexOf(t *value.Task, a []value.Value) value.Value {
	if !a[0].IsString() {
		return value.Int(indexIn(t, a[0], a[1], false))
	}
	from := int64(0)
	if len(a) == 3 {
		from = value.ToInt(t, a[2])
	}
	return value.Int(int64(indexFrom(t, a[0].AsString(), codeOrText(t, a[1]), from)))
}

func collLastIndexOf(t *value.Task, a []value.Value) value.Value {
	if !a[0].IsString() {
		return value.Int(indexIn(t, a[0], a[1], true))
	}
	from := int64(t.Length(a[0].AsString()))
	if len(a) == 3 {
		from = value.ToInt(t, a[2])
	}
	return value.Int(int64(lastIndexFrom(t, a[0].AsString(), codeOrText(t, a[1]), from)))
}

// codeOrText gives what indexOf looks for: a text, or the character of a code.
func codeOrText(t *value.Task, v value.Value) string {
	if v.IsInt() {
		return string(rune(v.AsInt()))
	}
	return part(t, v, "indexOf")
}

// indexIn gives the index of the first, or last, element equal to x, -1 if there
// is none.
func indexIn(t *value.Task, coll, x value.Value, last bool) int64 {
	found, i := int64(-1), int64(0)
	t.Each(coll, func(y value.Value) bool {
		if value.Equal(t, x, y) {
			found = i
		}
		i++
		return last || found < 0
	})
	return found
}

func collCount(t *value.Task, a []value.Value) value.Value { return value.Int(int64(t.Count(a[0]))) }

func entryPart(name string, i int) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		if a[0].Kind() != value.KindMapEntry {
			noMethod(t, name, a[0], 0)
		}
		return value.VecAt(a[0], i)
	}
}

// The kinds of numbers that methods can be called on.
var (
	onNumber  = value.Numbers
	onDecimal = value.Kinds(value.KindDecimal)
	onBig     = value.Kinds(value.KindBigInt, value.KindDecimal)
)

// numberMethods are the methods of numbers.
func numberMethods() []Entry {
	return []Entry{
		method("intValue", "", onNumber, Constant, "Gives the low 32 bits of a number.", `(.intValue 3.7) => 3`, cut(func(n int64) value.Value { return value.Int(int64(int32(n))) })),
		method("longValue", "", onNumber, Constant, "Gives the low 64 bits of a number.", `(.longValue 3.7) => 3`, cut(func(n int64) value.Value { return value.Int(n) })),
		method("shortValue", "", onNumber, Constant, "Gives the low 16 bits of a number.", `(.shortValue 3.7) => 3`, cut(func(n int64) value.Value { return value.Int(int64(int16(n))) })),
		method("byteValue", "", onNumber, Constant, "Gives the low 8 bits of a number.", `(.byteValue 3.7) => 3`, cut(func(n int64) value.Value { return value.Int(int64(int8(n))) })),
		method("doubleValue", "", onNumber, Constant, "Gives a number as a double.", `(.doubleValue 1/2) => 0.5`, func(t *value.Task, a []value.Value) value.Value { return value.Float(value.ToDouble(t, a[0])) }),
		method("floatValue", "", onNumber, Constant, "Gives a number rounded to a float.", `(.floatValue 1/2) => 0.5`, func(t *value.Task, a []value.Value) value.Value { return value.Float(value.ToFloat(t, a[0])) }),
		method("isNaN", "", value.Kinds(value.KindFloat), Constant, "Says whether a double is not a number.", `(.isNaN ##NaN) => true`, func(_ *value.Task, a []value.Value) value.Value {
			return value.Bool(a[0].AsFloat() != a[0].AsFloat())
		}),
		method("isInfinite", "", value.Kinds(value.KindFloat), Constant, "Says whether a double is infinite.", `(.isInfinite ##Inf) => true`, func(_ *value.Task, a []value.Value) value.Value {
			f := a[0].AsFloat()
			return value.Bool(f == f && f-f != 0)
		}),
		method("negate", "", onBig, Constant, "Gives the negative of a number.", `(.negate 5M) => -5M`, unary(value.Neg)),
		method("abs", "", onBig, Constant, "Gives the absolute value of a number.", `(.abs -5M) => 5M`, unary(value.Abs)),
		method("signum", "", onBig, Constant, "Gives -1, 0 or 1 by the sign of a number.", `(.signum -5M) => -1`, func(t *value.Task, a []value.Value) value.Value {
			return value.Int(int64(btoi(value.IsPos(t, a[0])) - btoi(value.IsNeg(t, a[0]))))
		}),
		method("add", "y", onBig, Constant, "Adds two numbers.", `(.add 1M 2M) => 3M`, binary(value.Add)),
		method("subtract", "y", onBig, Constant, "Subtracts two numbers.", `(.subtract 3M 2M) => 1M`, binary(value.Sub)),
		method("multiply", "y", onBig, Constant, "Multiplies two numbers.", `(.multiply 3M 2M) => 6M`, binary(value.Mul)),
		method("mod", "y", value.Kinds(value.KindBigInt), Constant, "Gives a bigint modulo another.", `(.mod 7N 3N) => 1N`, binary(value.Mod)),
		method("pow", "n", onBig, Constant, "Raises a number to a power.", `(.pow 2M 3) => 8M`, methodPow),
		method("toBigInteger", "", onBig, Constant, "Gives a number as a bigint.", `(.toBigInteger 5M) => 5N`, unary(value.BigIntOf)),
		method("bitLength", "", value.Kinds(value.KindBigInt), Constant, "Gives the number of bits.", `(.bitLength 255N) => 8`, func(_ *value.Task, a []value.Value) value.Value {
			n := a[0].AsBigInt().N
			if n.Sign() < 0 { // in two's complement, -2^k takes k bits
				return value.Int(int64(n.BitLen()) - int64(btoi(n.TrailingZeroBits() == uint(n.BitLen()-1))))
			}
			return value.Int(int64(n.BitLen()))
		}),
		method("setScale", "scale | scale rounding", onDecimal, Constant, "Gives a decimal with another number of digits behind the point; rounding is a RoundingMode.", `(.setScale 1.255M 2 java.math.RoundingMode/HALF_UP) => 1.26M`, setScale),
		method("scale", "", onDecimal, Constant, "Gives the number of digits behind the point.", `(.scale 1.50M) => 2`, func(_ *value.Task, a []value.Value) value.Value {
			return value.Int(int64(a[0].AsDecimal().D.Scale()))
		}),
		method("precision", "", onDecimal, Constant, "Gives the number of digits.", `(.precision 1.50M) => 3`, func(t *value.Task, a []value.Value) value.Value {
			d := *a[0].AsDecimal().D
			t.Charge(num.PrecisionBytes(d))
			return value.Int(d.Precision())
		}),
		method("stripTrailingZeros", "", onDecimal, Constant, "Gives the decimal without zeros at its end.", `(.stripTrailingZeros 1.50M) => 1.5M`, func(t *value.Task, a []value.Value) value.Value {
			d := *a[0].AsDecimal().D
			t.Charge(num.StripBytes(d))
			return t.Decimal(d.StripTrailingZeros())
		}),
		method("toPlainString", "", onDecimal, Constant, "Gives the text of a decimal without an exponent.", `(.toPlainString 1E+3M) => "1000"`, func(t *value.Task, a []value.Value) value.Value {
			d := *a[0].AsDecimal().D
			t.Charge(num.PlainStringBytes(d))
			return t.CopyString(d.PlainString())
		}),
	}
}

// maxPower bounds the exponent of pow; the size of the result is bounded by the
// multiplications.
const maxPower = 100_000

func methodPow(t *value.Task, a []value.Value) value.Value {
	n := value.ToInt(t, a[1])
	if n < 0 || n > maxPower {
		t.Fail(diag.Arithmetic, "Invalid operation: power %d", n)
	}
	result := value.BigIntOf(t, value.Int(1))
	if a[0].Kind() == value.KindDecimal {
		result = value.ToDecimal(t, result)
	}
	for base := a[0]; ; base = value.Mul(t, base, base) {
		if n&1 == 1 {
			result = value.Mul(t, result, base)
		}
		if n >>= 1; n == 0 {
			return result
		}
	}
}

func setScale(t *value.Task, a []value.Value) value.Value {
	d := *a[0].AsDecimal().D
	scale := int32(value.ToInt(t, a[1]))
	mode := num.Unnecessary
	if len(a) == 3 {
		mode = roundingMode(t, a[2])
	}
	t.Charge(num.SetScaleBytes(d, scale))
	r, err := d.SetScale(scale, mode)
	if err != nil {
		t.Fail(diag.Arithmetic, "%s", err.Error())
	}
	return t.Decimal(r)
}

// roundingMode gives the mode that a constant of RoundingMode, or one of the old
// numbers of BigDecimal, means.
func roundingMode(t *value.Task, v value.Value) num.RoundingMode {
	if v.IsInt() && v.AsInt() >= 0 && v.AsInt() <= int64(num.Unnecessary) {
		return num.RoundingMode(v.AsInt())
	}
	if v.IsSymbol() || v.IsKeyword() {
		if mode, ok := num.ParseRoundingMode(nameOf(t, []value.Value{v}).AsString().S); ok {
			return mode
		}
	}
	t.Fail(diag.IllegalArgument, "got %s, want a rounding mode such as java.math.RoundingMode/HALF_UP", value.Describe(t, v))
	return 0
}
