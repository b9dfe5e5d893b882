// Package strfmt is java.util.Formatter in the extent that clojure.core/format
// needs: the conversions b B h H s S c C d o x X e E f g G n %, with argument
// indices, flags, width and precision, and Java's error messages. Dates (%t) and
// hexadecimal floats (%a) are not supported.
//
// Formatting takes two steps, so that memory can be charged between them:
//
//	job, err := strfmt.Prepare(format, args, work) // checks everything, asks for strings
//	charge(job.OutputBytes() + job.WorkBytes())
//	out := job.Append(buf, func() {})
//
// The package knows no value types: the caller describes each argument by an
// Arg. Differences from Java: widths and precisions of text count code points,
// not UTF-16 units; they are refused above MaxWidth; the digits of doubles are
// the shortest ones (those of JDK 19), which JDK 17 does not always find above
// 2^53 and at powers of two; the locale is the root's (1,234.5) always; %S turns
// each rune to upper case by itself (ß stays).
package strfmt
