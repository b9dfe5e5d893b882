// This file defines the methods of Java's BigInteger that bigints have.

package numbers

import (
	"math/big"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/num"
	"github.com/ptc-lang/ptc/lang/value"
)

// OnBigInt are the values that a method of BigInteger can be called on.
var OnBigInt = value.Kinds(value.KindBigInt)

// bigIntMethods are the methods of BigInteger, besides those of all large numbers.
func bigIntMethods() []entry.Entry {
	return []entry.Entry{
		entry.Method("gcd", "y", OnBigInt, entry.Constant, "Returns the greatest common divisor of two bigints.",
			`(.gcd (biginteger 12) (biginteger 18)) => 6`, bigGCD),
		entry.Method("modPow", "exponent modulus", OnBigInt, entry.Constant, "Raises a bigint to a power, modulo another.",
			`(.modPow (biginteger 2) (biginteger 10) (biginteger 1000)) => 24`, bigModPow),
		entry.Method("modInverse", "modulus", OnBigInt, entry.Constant,
			"Returns the multiplicative inverse of a bigint modulo another.",
			`(.modInverse (biginteger 3) (biginteger 11)) => 4`, bigModInverse),
		entry.Method("isProbablePrime", "certainty", OnBigInt, entry.Constant,
			"Returns true if a bigint is a prime; the certainty does not matter if it is above 0.",
			`(.isProbablePrime (biginteger 97) 10) => true`, func(t *value.Task, a []value.Value) value.Value {
				return value.Bool(value.ToInt(t, a[1]) <= 0 || isPrime(t, a[0].AsBigInt().N))
			}),
		entry.Method("nextProbablePrime", "", OnBigInt, entry.Constant, "Returns the next greater prime.",
			`(.nextProbablePrime (biginteger 97)) => 101`, nextPrime),
		entry.Method("testBit", "n", OnBigInt, entry.Constant, "Returns true if a bit is set.",
			`(.testBit (biginteger 5) 2) => true`,
			func(t *value.Task, a []value.Value) value.Value {
				n := value.ToInt(t, a[1])
				if n < 0 {
					t.Fail(diag.Arithmetic, "Negative bit address")
				}
				return value.Bool(a[0].AsBigInt().N.Bit(int(n)) == 1)
			}),
		entry.Method("bitCount", "", OnBigInt, entry.Constant, "Returns the number of bits that differ from the sign.",
			`(.bitCount (biginteger 255)) => 8`, bigBitCount),
		entry.Method("getLowestSetBit", "", OnBigInt, entry.Constant,
			"Returns the index of the lowest bit that is set, -1 for 0.",
			`(.getLowestSetBit (biginteger 8)) => 3`, func(_ *value.Task, a []value.Value) value.Value {
				n := a[0].AsBigInt().N
				return value.Int(int64(n.TrailingZeroBits()) - int64(entry.Btoi(n.Sign() == 0)))
			}),
		entry.Method("shiftLeft", "n", OnBigInt, entry.Constant, "Shifts the bits to the left.",
			`(.shiftLeft (biginteger 1) 70) => 1180591620717411303424`, bigShift(1)),
		entry.Method("shiftRight", "n", OnBigInt, entry.Constant, "Shifts the bits to the right.",
			`(.shiftRight (biginteger 8) 2) => 2`,
			bigShift(-1)),
		entry.Method("and", "y", OnBigInt, entry.Constant, "Returns the bitwise and of two bigints.",
			`(.and (biginteger 12) (biginteger 10)) => 8`, bigBits((*big.Int).And)),
		entry.Method("or", "y", OnBigInt, entry.Constant, "Returns the bitwise or of two bigints.",
			`(.or (biginteger 12) (biginteger 10)) => 14`, bigBits((*big.Int).Or)),
		entry.Method("xor", "y", OnBigInt, entry.Constant, "Returns the bitwise exclusive or of two bigints.",
			`(.xor (biginteger 12) (biginteger 10)) => 6`, bigBits((*big.Int).Xor)),
		entry.Method("andNot", "y", OnBigInt, entry.Constant,
			"Returns the bits of the first bigint that the second does not have.",
			`(.andNot (biginteger 12) (biginteger 10)) => 4`, bigBits((*big.Int).AndNot)),
	}
}

// bigArg returns the bigint argument of a method.
func bigArg(t *value.Task, v value.Value, method string) *big.Int {
	if v.IsNil() {
		t.Fail(diag.NilValue, ".%s: got nil, want a bigint", method)
	}
	if !v.Is(value.Integers) {
		t.Fail(diag.IllegalArgument, ".%s: got %s, want a bigint", method, value.Describe(t, v))
	}
	return value.BigIntOf(t, v).AsBigInt().N
}

// javaBig makes a method of an operation. Its result on a bigint is a BigInteger.
func javaBig(f value.NativeFunc) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		r := f(t, a)
		if a[0].Is(OnBigInt) {
			return value.BigIntegerOf(t, r)
		}
		return r
	}
}

// WorkProduct accounts for n multiplications or divisions of numbers of as many words as x.
func WorkProduct(t *value.Task, x *big.Int, n int64) {
	words := int64(len(x.Bits())) + 1
	t.Work(n * (words*words>>9 + 1))
}

func bigGCD(t *value.Task, a []value.Value) value.Value {
	x, y := a[0].AsBigInt().N, bigArg(t, a[1], "gcd")
	WorkProduct(t, x, 64)
	WorkProduct(t, y, 64)
	t.Charge(2 * num.ReduceBytes(x, y))
	return t.BigInteger(new(big.Int).GCD(nil, nil, new(big.Int).Abs(x), new(big.Int).Abs(y)))
}

func bigModInverse(t *value.Task, a []value.Value) value.Value {
	return t.BigInteger(modInverse(t, a[0].AsBigInt().N, positiveModulus(t, a[1], "modInverse")))
}

func positiveModulus(t *value.Task, v value.Value, method string) *big.Int {
	m := bigArg(t, v, method)
	if m.Sign() <= 0 {
		t.Fail(diag.Arithmetic, "BigInteger: modulus not positive")
	}
	return m
}

func modInverse(t *value.Task, x, m *big.Int) *big.Int {
	WorkProduct(t, x, 128)
	WorkProduct(t, m, 128)
	t.Charge(4 * num.ReduceBytes(x, m))
	if m.IsInt64() && m.Int64() == 1 {
		return new(big.Int)
	}
	inverse := new(big.Int).ModInverse(x, m)
	if inverse == nil {
		t.Fail(diag.Arithmetic, "BigInteger not invertible.")
	}
	return inverse
}

func bigModPow(t *value.Task, a []value.Value) value.Value {
	x, e, m := a[0].AsBigInt().N, bigArg(t, a[1], "modPow"), positiveModulus(t, a[2], "modPow")
	if e.Sign() < 0 {
		x = modInverse(t, x, m)
		t.Charge(num.AddBytes(e, e))
		e = new(big.Int).Neg(e)
	}
	return t.BigInteger(modPow(t, x, e, m))
}

// modPow is x^e modulo m, for an e that is not negative. big.Int.Exp can't be interrupted by the
// end of the run.
func modPow(t *value.Task, x, e, m *big.Int) *big.Int {
	WorkProduct(t, x, 1)
	t.Charge(8*num.MulBytes(m, m) + num.DivBytes(x, m))
	base := new(big.Int).Mod(x, m)
	result, product, quotient := new(big.Int).Mod(big.NewInt(1), m), new(big.Int), new(big.Int)
	times := func(y *big.Int) {
		product.Mul(result, y)
		quotient.QuoRem(product, m, result)
	}
	for i := e.BitLen() - 1; i >= 0; i-- {
		WorkProduct(t, m, 4)
		times(result)
		if e.Bit(i) == 1 {
			times(base)
		}
	}
	return result
}

// witnesses are the bases of the test for primes. The first thirteen decide it for numbers below
// 3.3e24; no composite number is known that passes all of them.
var witnesses = [...]int64{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89}

// isPrime is the test of Miller and Rabin.
func isPrime(t *value.Task, n *big.Int) bool {
	t.Charge(8*num.MulBytes(n, n) + 1024)
	n = new(big.Int).Abs(n)
	if n.IsInt64() && n.Int64() < 2 {
		return false
	}
	rest, divisor := new(big.Int), new(big.Int)
	for _, p := range witnesses {
		if rest.Mod(n, divisor.SetInt64(p)); rest.Sign() == 0 {
			return n.IsInt64() && n.Int64() == p
		}
	}
	one := big.NewInt(1)
	least := new(big.Int).Sub(n, one)
	twos := int(least.TrailingZeroBits())
	odd := new(big.Int).Rsh(least, uint(twos))
	for _, p := range witnesses {
		x := modPow(t, divisor.SetInt64(p), odd, n)
		prime := x.Cmp(one) == 0 || x.Cmp(least) == 0
		for i := 1; i < twos && !prime; i++ {
			WorkProduct(t, n, 2)
			rest.Mul(x, x)
			divisor.QuoRem(rest, n, x)
			prime = x.Cmp(least) == 0
		}
		if !prime {
			return false
		}
	}
	return true
}

func nextPrime(t *value.Task, a []value.Value) value.Value {
	n := a[0].AsBigInt().N
	if n.Sign() < 0 {
		t.Fail(diag.Arithmetic, "start < 0: %s", value.Show(t, a[0]))
	}
	t.Charge(2 * num.AddBytes(n, n))
	next := new(big.Int).Add(n, big.NewInt(1))
	if n.Sign() == 0 {
		next.SetInt64(2)
	}
	if next.Cmp(big.NewInt(2)) > 0 && next.Bit(0) == 0 {
		next.Add(next, big.NewInt(1))
	}
	for !isPrime(t, next) {
		next.Add(next, big.NewInt(2))
	}
	return t.BigInteger(next)
}

func bigSqrt(t *value.Task, a []value.Value) value.Value {
	n := a[0].AsBigInt().N
	if n.Sign() < 0 {
		t.Fail(diag.Arithmetic, "Negative BigInteger")
	}
	WorkProduct(t, n, 32)
	t.Charge(32 * num.AddBytes(n, n))
	return t.BigInteger(new(big.Int).Sqrt(n))
}

func bigBitCount(t *value.Task, a []value.Value) value.Value {
	n := a[0].AsBigInt().N
	WorkProduct(t, n, 1)
	count := int64(0)
	for i := range n.BitLen() + 1 {
		count += int64(n.Bit(i))
	}
	if n.Sign() < 0 {
		count = int64(n.BitLen()+1) - count
	}
	return value.Int(count)
}

// bigShift makes a shift of a bigint to the left, or to the right if sign is -1.
func bigShift(sign int64) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		x, n := a[0].AsBigInt().N, sign*value.ToInt(t, a[1])
		if n < 0 {
			t.Charge(num.AddBytes(x, x))
			return t.BigInteger(new(big.Int).Rsh(x, uint(-n)))
		}
		if n > num.MaxBits {
			t.Fail(diag.Arithmetic, "number too large: shifted by %d bits", n)
		}
		t.Charge(num.AddBytes(x, x) + n/8)
		return t.BigInteger(new(big.Int).Lsh(x, uint(n)))
	}
}

// bigBits makes a method of the bits of two bigints.
func bigBits(f func(z, x, y *big.Int) *big.Int) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		x, y := a[0].AsBigInt().N, bigArg(t, a[1], "and")
		t.Charge(2 * (num.AddBytes(x, y) + num.AddBytes(y, y)))
		return t.BigInteger(f(new(big.Int), x, y))
	}
}
