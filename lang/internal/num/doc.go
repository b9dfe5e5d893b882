// Package num implements the number semantics that JVM Clojure takes from Java and that Go's
// standard library lacks: the printing of doubles, BigDecimal arithmetic, ratios, number parsing,
// hashes, and overflow-checked longs.
//
//   - int64.go: AddInt64, MulInt64, QuotInt64, … with an ok result instead of a panic
//   - float.go: FormatDouble, AppendDouble, FormatFloat32
//   - parse.go: ParseLong, ParseInt, ParseBigInt, ParseDouble
//   - decimal*.go: Decimal, MathContext, RoundingMode
//   - ratio.go: ReduceRatio, RatioString, Rationalize, …
//   - hash.go: BigIntHash, HashDouble, …
//   - cost.go: MaxBits and upper bounds, in bytes, of the allocations of operations
//
// # Memory
//
// The documentation of every function states what it can allocate. A function that can allocate in
// proportion to its input, or to a scale or precision chosen by a program, has a cost function
// (AddBytes, MulBytes, PlainStringLen …). A cost function is a cheap upper bound and allocates
// nothing. Callers charge it before the call. Decimal operations also return ErrTooLarge rather
// than make an unscaled value of more than MaxBits bits, so that (+ 1E+2000000000M 1) cannot
// exhaust memory even in a caller that forgot to charge.
package num
