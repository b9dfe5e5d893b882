// Package num holds the number semantics that JVM Clojure takes from Java and
// that Go's standard library does not have: the text of doubles, BigDecimal
// arithmetic, ratios, number parsing, hashes, and overflow-checked longs.
//
//   - int64.go: AddInt64, MulInt64, QuotInt64, … with an ok result instead of a panic
//   - float.go: FormatDouble, AppendDouble, FormatFloat32
//   - parse.go: ParseLong, ParseInt, ParseBigInt, ParseDouble
//   - decimal*.go: Decimal, MathContext, RoundingMode
//   - ratio.go: ReduceRatio, RatioString, Rationalize, …
//   - hash.go: BigIntHash, HashDouble, …
//   - cost.go: MaxBits and upper bounds, in bytes, of what operations allocate
//
// # Memory
//
// Every function states what it can allocate. Functions that can allocate in
// proportion to their input, or to a scale or precision chosen by a program,
// have a cost function (AddBytes, MulBytes, PlainStringLen …) that is cheap,
// allocates nothing and is an upper bound; callers charge it before the call.
// Decimal operations also refuse, with ErrTooLarge, to make an unscaled value
// of more than MaxBits bits, so that (+ 1E+2000000000M 1) cannot exhaust
// memory even in a caller that forgot to charge.
package num
