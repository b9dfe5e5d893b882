// Package strfmt implements the part of java.util.Formatter that clojure.core/format needs: the
// conversions b B h H s S c C d o x X e E f g G n %, with argument indices, flags, width and
// precision, and Java's error messages. It does not support dates (%t) and hexadecimal floats (%a).
//
// Formatting takes two steps, so that the caller can charge memory between them:
//
//	job, err := strfmt.Prepare(format, args, work) // checks everything, asks for strings
//	charge(job.OutputBytes() + job.WorkBytes())
//	out := job.Append(buf, func() {})
//
// The package knows no value types: the caller describes each argument by an Arg. It differs from
// Java as follows:
//
//   - Widths and precisions of strings count code points, not UTF-16 code units, and must not
//     exceed MaxWidth.
//   - The digits of doubles are the shortest ones, as in JDK 19. JDK 17 does not always find them
//     above 2^53 and at powers of two.
//   - The locale is always the root locale (1,234.5).
//   - %S converts each rune to upper case separately, so ß stays.
package strfmt
