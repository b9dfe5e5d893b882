// This file defines Fix, which makes the edits that Check finds.

package ptc

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/token"
)

// maxRounds is the number of times that a source is checked and fixed: a fix can uncover another finding.
const maxRounds = 20

// Fix applies the edits that Check finds in a program, until none is left. It returns the source and the number of
// edits. It does not apply edits after which the program would have more errors. The error, if any, is a *Error: of
// code illegal-argument for a nil ctx or unusable limits, of code cancelled or timeout if ctx ended. Then fixed is
// source. A program that does not compile is no error.
func Fix(ctx context.Context, name, source string, opts Options) (fixed string, edits int, err error) {
	if err := usable(ctx, &opts); err != nil {
		return source, 0, err
	}
	fixed = source
	found := Check(ctx, name, fixed, opts)
	for range maxRounds {
		text, n := apply(fixed, found.Diagnostics)
		if n == 0 {
			break
		}
		next := Check(ctx, name, text, opts)
		if errorsIn(next) > errorsIn(found) {
			break
		}
		fixed, edits, found = text, edits+n, next
	}
	if ctx.Err() != nil { // a check that was ended has not seen all
		return source, 0, ended(ctx)
	}
	return fixed, edits, nil
}

// ended returns the error of a context that has ended.
func ended(ctx context.Context) *diag.Error {
	code, how := diag.Cancelled, "was cancelled"
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		code, how = diag.Timeout, "took longer than its context allows"
	}
	return causedBy(ctx, diag.New(code, token.Span{}, "the compilation %s", how))
}

func errorsIn(f *Findings) (n int) {
	for _, d := range f.Diagnostics {
		if d.Severity == SeverityError {
			n++
		}
	}
	return n
}

// apply makes the edits of findings in a text. If the edits of several findings overlap, it makes only
// those of the first.
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
