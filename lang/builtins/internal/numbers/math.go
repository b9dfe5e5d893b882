// This file defines clojure.math and the static methods of Math.

package numbers

import (
	"math"
	"slices"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/num"
	"github.com/ptc-lang/ptc/lang/value"
)

// mathFunctions are the functions of clojure.math and of Math, which differ in
// their names and in that Math has integer versions of some.
func mathFunctions() []entry.Entry {
	return slices.Concat(
		trig("sin", "sin", "Returns the sine of an angle in radians.", "0.0", "0.0", num.Sin),
		trig("cos", "cos", "Returns the cosine of an angle in radians.", "0.0", "1.0", num.Cos),
		trig("tan", "tan", "Returns the tangent of an angle in radians.", "0.0", "0.0", num.Tan),
		real("asin", "asin", "Returns the angle whose sine is x.", "0.0", "0.0", num.Asin),
		real("acos", "acos", "Returns the angle whose cosine is x.", "1.0", "0.0", num.Acos),
		real("atan", "atan", "Returns the angle whose tangent is x.", "0.0", "0.0", num.Atan),
		real("sinh", "sinh", "Returns the hyperbolic sine.", "0.0", "0.0", num.Sinh),
		real("cosh", "cosh", "Returns the hyperbolic cosine.", "0.0", "1.0", num.Cosh),
		real("tanh", "tanh", "Returns the hyperbolic tangent.", "0.0", "0.0", num.Tanh),
		real("to-radians", "toRadians", "Converts degrees to radians.", "180", "3.141592653589793",
			func(x float64) float64 { return x * (math.Pi / 180) }),
		real("to-degrees", "toDegrees", "Converts radians to degrees.", "0.0", "0.0",
			func(x float64) float64 { return x * (180 / math.Pi) }),
		real("exp", "exp", "Returns e to the power of x.", "0", "1.0", num.Exp),
		real("expm1", "expm1", "Returns e to the power of x, minus 1.", "0.0", "0.0", math.Expm1),
		real("log", "log", "Returns the natural logarithm.", "1", "0.0", num.Log),
		real("log10", "log10", "Returns the logarithm to base 10.", "1000", "3.0", num.Log10),
		real("log1p", "log1p", "Returns the natural logarithm of 1 + x.", "0.0", "0.0", math.Log1p),
		real("sqrt", "sqrt", "Returns the square root; NaN below 0.", "16", "4.0", math.Sqrt),
		real("cbrt", "cbrt", "Returns the cube root.", "27", "3.0", num.Cbrt),
		real("ceil", "ceil", "Returns the smallest whole number not below x, as a double.", "1.2", "2.0", math.Ceil),
		real("floor", "floor", "Returns the greatest whole number not above x, as a double.", "1.8", "1.0", math.Floor),
		real("rint", "rint", "Returns the nearest whole number, as a double; halves are rounded to the even one.", "2.5",
			"2.0", math.RoundToEven),
		overloaded(real("signum", "signum", "Returns -1.0, 0.0 or 1.0 by the sign of x.", "-3.5", "-1.0", signum)),
		overloaded(real("ulp", "ulp", "Returns the distance from x to the next double.", "1.0", "2.220446049250313E-16",
			ulp)),
		overloaded(real("next-up", "nextUp", "Returns the next double above x.", "1.0", "1.0000000000000002",
			func(x float64) float64 { return nextAfter(x, math.Inf(1)) })),
		overloaded(real("next-down", "nextDown", "Returns the next double below x.", "1.0", "0.9999999999999999",
			func(x float64) float64 { return nextAfter(x, math.Inf(-1)) })),
		real2("pow", "pow", "Returns x to the power of y, as a double.", "2 10", "1024.0", num.Pow),
		real2("atan2", "atan2", "Returns the angle in radians of the point with the coordinates x and y.", "0.0 1.0", "0.0",
			num.Atan2),
		real2("hypot", "hypot", "Returns the length of the hypotenuse of a right triangle with the legs x and y.", "3 4",
			"5.0", num.Hypot),
		real2("IEEE-remainder", "IEEEremainder", "Returns the remainder of x / y rounded to the nearest whole number.",
			"5.0 4.0", "1.0", math.Remainder),
		overloaded(real2("copy-sign", "copySign", "Returns x with the sign of y.", "1.0 -2.0", "-1.0", math.Copysign)),
		overloaded(real2("next-after", "nextAfter", "Returns the next double from x towards y.", "1.0 2.0",
			"1.0000000000000002", nextAfter)),
		whole("floor-div", "floorDiv", "Returns the quotient, rounded down.", "-7 2", "-4", floorDiv),
		whole("floor-mod", "floorMod", "Returns the remainder of floor-div, with the sign of y.", "-7 2", "1", floorMod),
		whole("add-exact", "addExact", "Returns the sum of two integers; throws on overflow of 64 bits.", "1 2", "3",
			exact2(value.Add)),
		whole("subtract-exact", "subtractExact", "Returns the difference of two integers; throws on overflow of 64 bits.",
			"5 2", "3", exact2(value.Sub)),
		whole("multiply-exact", "multiplyExact", "Returns the product of two integers; throws on overflow of 64 bits.", "6 7",
			"42", exact2(value.Mul)),
		whole1("increment-exact", "incrementExact", "Returns x + 1; throws on overflow of 64 bits.", "1", "2",
			func(t *value.Task, x int64) value.Value { return value.Inc(t, value.Int(x)) }),
		whole1("decrement-exact", "decrementExact", "Returns x - 1; throws on overflow of 64 bits.", "1", "0",
			func(t *value.Task, x int64) value.Value { return value.Dec(t, value.Int(x)) }),
		whole1("negate-exact", "negateExact", "Returns -x; throws on overflow of 64 bits.", "1", "-1",
			func(t *value.Task, x int64) value.Value { return value.Neg(t, value.Int(x)) }),
		[]entry.Entry{
			{NS: "clojure.math", Name: "round", Args: "x:num", Cost: entry.Constant, Purity: entry.Pure, Fn: round,
				Doc:      "Returns the nearest integer; halves are rounded up.",
				Examples: []string{"(clojure.math/round 2.5) => 3", "(clojure.math/round nil) !nil-value"}},
			{NS: "clojure.math", Name: "random", Args: "", Cost: entry.Constant, Doubles: entry.DoubleAlways, Fn: mathRandom,
				Doc:      "Returns a random double from 0 (inclusive) to 1 (exclusive).",
				Examples: []string{"(< -1 (clojure.math/random) 1) => true"}},
			{NS: "clojure.math", Name: "get-exponent", Args: "x:num", Cost: entry.Constant, Purity: entry.Pure, Fn: getExponent,
				Doc:      "Returns the exponent of a double.",
				Examples: []string{"(clojure.math/get-exponent 8.0) => 3", "(clojure.math/get-exponent nil) !nil-value"}},
			{NS: "clojure.math", Name: "scalb", Args: "x:num n:num", Cost: entry.Constant, Purity: entry.Pure,
				Doubles: entry.DoubleAlways, Fn: scalb,
				Doc:      "Returns x times 2 to the power of n.",
				Examples: []string{"(clojure.math/scalb 1.0 3) => 8.0", "(clojure.math/scalb nil 1) !nil-value"}},
			{NS: "Math", Name: "round", Args: "x:num", Cost: entry.Constant, Purity: entry.Pure, Fn: round,
				Doc:      "Returns the nearest integer; halves are rounded up.",
				Examples: []string{"(Math/round 2.5) => 3", "(Math/round nil) !nil-value"}},
			{NS: "Math", Name: "random", Args: "", Cost: entry.Constant, Doubles: entry.DoubleAlways, Fn: mathRandom,
				Doc:      "Returns a random double from 0 (inclusive) to 1 (exclusive).",
				Examples: []string{"(< -1 (Math/random) 1) => true"}},
			{NS: "Math", Name: "getExponent", Args: "x:num", Cost: entry.Constant, Purity: entry.Pure, Fn: getExponent,
				Doc:      "Returns the exponent of a double.",
				Examples: []string{"(Math/getExponent 8.0) => 3", "(Math/getExponent nil) !nil-value"}},
			{NS: "Math", Name: "scalb", Args: "x:num n:num", Cost: entry.Constant, Purity: entry.Pure,
				Doubles: entry.DoubleOfArgs, Fn: scalb,
				Doc:      "Returns x times 2 to the power of n.",
				Examples: []string{"(Math/scalb 1.0 3) => 8.0", "(Math/scalb nil 1) !nil-value"}},
			{NS: "Math", Name: "abs", Args: "x", Cost: entry.Constant, Purity: entry.Pure, Doubles: entry.DoubleOfArgs,
				Fn:  mathAbs,
				Doc: "Returns the absolute value.", Examples: []string{"(Math/abs -3) => 3", "(Math/abs nil) !illegal-argument"}},
			{NS: "Math", Name: "absExact", Args: "x:num", Cost: entry.Constant, Purity: entry.Pure, Fn: entry.Unary(absExact),
				Doc:      "Returns the absolute value; throws for the smallest integer.",
				Examples: []string{"(Math/absExact -3) => 3", "(Math/absExact nil) !nil-value"}},
			{NS: "Math", Name: "max", Args: "x y", Cost: entry.Constant, Purity: entry.Pure, Fn: mathPick("max", value.Max),
				Doc: "Returns the greater number.", Examples: []string{"(Math/max 1 2) => 2", "(Math/max 1 2.5) => " +
					"2.5", "(Math/max 1 nil) !illegal-argument"}},
			{NS: "Math", Name: "min", Args: "x y", Cost: entry.Constant, Purity: entry.Pure, Fn: mathPick("min", value.Min),
				Doc: "Returns the lesser number.", Examples: []string{"(Math/min 1 2) => 1", "(Math/min 1 nil) !illegal-argument"}},
			{NS: "Math", Name: "toIntExact", Args: "x:num", Cost: entry.Constant, Purity: entry.Pure, Fn: toIntExact,
				Doc:      "Returns x; throws if it does not fit in 32 bits.",
				Examples: []string{"(Math/toIntExact 5) => 5", "(Math/toIntExact 3000000000) !arithmetic"}},
			{NS: "Math", Name: "fma", Args: "x:num y:num z:num", Cost: entry.Constant, Purity: entry.Pure,
				Fn: func(t *value.Task, a []value.Value) value.Value {
					return value.Float(math.FMA(value.ToDouble(t, a[0]), value.ToDouble(t, a[1]), value.ToDouble(t, a[2])))
				}, Doc: "Returns x * y + z, rounded once.",
				Examples: []string{"(Math/fma 2.0 3.0 1.0) => 7.0", "(Math/fma nil 1 1) !nil-value"}},
		},
	)
}

// inBoth makes the entries of a function in clojure.math and in Math.
func inBoth(name, java, args, doc, in, out, bad string, fn value.NativeFunc) []entry.Entry {
	of := func(ns, name string) entry.Entry {
		call := "(" + ns + "/" + name + " "
		return entry.Entry{NS: ns, Name: name, Args: args, Doc: doc, Cost: entry.Constant, Purity: entry.Pure, Fn: fn,
			Examples: []string{call + in + ") => " + out, call + bad + ") !nil-value"}}
	}
	return []entry.Entry{of("clojure.math", name), of("Math", java)}
}

// doubles makes entries known to return doubles.
func doubles(entries []entry.Entry) []entry.Entry {
	for i, e := range entries {
		entries[i] = double(e)
	}
	return entries
}

func double(e entry.Entry) entry.Entry {
	e.Doubles = entry.DoubleAlways
	return e
}

// overloaded is for methods that Java has for floats too. Clojure's compiler knows the value to be
// a double only from the arguments. The function of clojure.math is declared to return a double.
func overloaded(both []entry.Entry) []entry.Entry {
	both[1].Doubles = entry.DoubleOfArgs
	return both
}

func real(name, java, doc, in, out string, f func(x float64) float64) []entry.Entry {
	return doubles(inBoth(name, java, "x:num", doc, in, out, "nil", func(t *value.Task, a []value.Value) value.Value {
		return value.Float(f(value.ToDouble(t, a[0])))
	}))
}

// trig is real for functions that reduce a large angle exactly.
func trig(name, java, doc, in, out string, f func(x float64) float64) []entry.Entry {
	return doubles(inBoth(name, java, "x:num", doc, in, out, "nil", func(t *value.Task, a []value.Value) value.Value {
		x := value.ToDouble(t, a[0])
		t.Charge(num.TrigBytes(x))
		return value.Float(f(x))
	}))
}

func real2(name, java, doc, in, out string, f func(x, y float64) float64) []entry.Entry {
	return doubles(inBoth(name, java, "x:num y:num", doc, in, out, "nil 1",
		func(t *value.Task, a []value.Value) value.Value {
			return value.Float(f(value.ToDouble(t, a[0]), value.ToDouble(t, a[1])))
		}))
}

func whole(name, java, doc, in, out string, f func(t *value.Task, x, y int64) value.Value) []entry.Entry {
	return inBoth(name, java, "x:num y:num", doc, in, out, "nil 1", func(t *value.Task, a []value.Value) value.Value {
		return f(t, value.ToLong(t, a[0]), value.ToLong(t, a[1]))
	})
}

func whole1(name, java, doc, in, out string, f func(t *value.Task, x int64) value.Value) []entry.Entry {
	return inBoth(name, java, "x:num", doc, in, out, "nil", func(t *value.Task, a []value.Value) value.Value {
		return f(t, value.ToLong(t, a[0]))
	})
}

func exact2(f binaryOp) func(t *value.Task, x, y int64) value.Value {
	return func(t *value.Task, x, y int64) value.Value { return f(t, value.Int(x), value.Int(y)) }
}

func signum(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return x
}

func ulp(x float64) float64 {
	switch {
	case math.IsInf(x, 0):
		return math.Inf(1)
	case x != x:
		return x
	case math.Abs(x) == math.MaxFloat64:
		return 0x1p971
	}
	x = math.Abs(x)
	return math.Nextafter(x, math.Inf(1)) - x
}

// nextAfter returns y itself for equal arguments, as Java does: the results differ for -0.0.
func nextAfter(x, y float64) float64 {
	if x == y {
		return y
	}
	return math.Nextafter(x, y)
}

func floorDiv(t *value.Task, x, y int64) value.Value {
	q, ok := num.FloorDivInt64(x, y)
	if !ok {
		t.Fail(diag.Arithmetic, "/ by zero")
	}
	return value.Int(q)
}

func floorMod(t *value.Task, x, y int64) value.Value {
	m, ok := num.ModInt64(x, y)
	if !ok {
		t.Fail(diag.Arithmetic, "/ by zero")
	}
	return value.Int(m)
}

// round is Math.round: the nearest integer, halves up; NaN returns 0.
func round(t *value.Task, a []value.Value) value.Value {
	if a[0].IsInt() {
		return a[0]
	}
	x := value.ToDouble(t, a[0])
	f := math.Floor(x)
	if x-f >= 0.5 {
		f++
	}
	return value.Int(javaLong(f))
}

func mathRandom(t *value.Task, _ []value.Value) value.Value { return value.Float(random(t)) }

func getExponent(t *value.Task, a []value.Value) value.Value {
	bits := math.Float64bits(value.ToDouble(t, a[0]))
	return value.Int(int64(bits>>52&0x7ff) - 1023)
}

func scalb(t *value.Task, a []value.Value) value.Value {
	return value.Float(math.Ldexp(value.ToDouble(t, a[0]), int(value.ToInt(t, a[1]))))
}

// mathAbs returns an integer for an integer, and a double for any other number.
func mathAbs(t *value.Task, a []value.Value) value.Value {
	if a[0].IsInt() {
		return value.Abs(t, a[0])
	}
	wantNumbers(t, "abs", a)
	return value.Float(math.Abs(value.ToDouble(t, a[0])))
}

func absExact(t *value.Task, x value.Value) value.Value {
	n := value.ToLong(t, x)
	if n < 0 {
		return value.Neg(t, value.Int(n))
	}
	return value.Int(n)
}

// wantNumbers fails as Java does for a method that has versions for several types
// but none for the arguments.
func wantNumbers(t *value.Task, name string, a []value.Value) {
	for _, x := range a {
		if !x.Is(value.Numbers) {
			t.FailHint(diag.IllegalArgument, name+": got "+value.Describe(t, x)+", want a number",
				"No matching method %s found taking %d args", name, len(a))
		}
	}
}

// mathPick makes Math/max or Math/min: for integers it returns an integer, else a double.
func mathPick(name string, f binaryOp) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		if a[0].IsInt() && a[1].IsInt() {
			return f(t, a[0], a[1])
		}
		wantNumbers(t, name, a)
		x, y := value.ToDouble(t, a[0]), value.ToDouble(t, a[1])
		return f(t, value.Float(x), value.Float(y))
	}
}

func toIntExact(t *value.Task, a []value.Value) value.Value {
	n := value.ToLong(t, a[0])
	if n != int64(int32(n)) {
		t.Fail(diag.Arithmetic, "integer overflow")
	}
	return value.Int(n)
}
