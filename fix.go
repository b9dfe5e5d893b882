// This file defines Fix, which makes the edits that Check finds.

package ptc

import (
	"cmp"
	"slices"
	"strings"
)

// maxRounds is how often a text is checked and mended: a mended place can show another.
const maxRounds = 20

// Fix makes the edits of what Check finds in a program, until there are none that it
// can make, and gives the text and the number of edits. Edits after which the program
// would have more errors are not made.
func Fix(name, source string, opts Options) (fixed string, edits int) {
	found := Check(name, source, opts)
	for range maxRounds {
		text, n := apply(source, found.Diagnostics)
		if n == 0 {
			break
		}
		next := Check(name, text, opts)
		if errorsIn(next) > errorsIn(found) {
			break
		}
		source, edits, found = text, edits+n, next
	}
	return source, edits
}

func errorsIn(f *Findings) (n int) {
	for _, d := range f.Diagnostics {
		if d.Severity == SeverityError {
			n++
		}
	}
	return n
}

// apply makes the edits of findings in a text. Of findings whose edits overlap the first
// one's are made.
func apply(source string, found []Diagnostic) (text string, n int) {
	var edits []Edit
	overlaps := func(a Edit) bool {
		return slices.ContainsFunc(edits, func(b Edit) bool {
			return a.Span.Start < b.Span.End && b.Span.Start < a.Span.End || a.Span.Start == b.Span.Start
		})
	}
	for _, d := range found {
		if len(d.Fix) > 0 && !slices.ContainsFunc(d.Fix, overlaps) {
			edits = append(edits, d.Fix...)
		}
	}
	slices.SortFunc(edits, func(a, b Edit) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
	var out strings.Builder
	at := 0
	for _, e := range edits {
		out.WriteString(source[at:e.Span.Start] + e.Text)
		at = e.Span.End
	}
	return out.String() + source[at:], len(edits)
}
