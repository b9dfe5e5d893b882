// This file defines the text forms of a Result: EDN and JSON.

package ptc

import (
	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/eval"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
)

// EDN gives the value as the language prints it. A text longer than
// Limits.ResultBytes is a *Error of code result-too-large.
func (r *Result) EDN() (string, error) {
	return r.render(func(t *value.Task) string { return t.PrStr(r.val).AsString().S })
}

// JSON gives the value as JSON; pretty puts one element a line. Keywords become
// strings, keys that are no strings their text, and floats without JSON form null.
// Its errors are those of EDN.
func (r *Result) JSON(pretty bool) (string, error) {
	return r.render(func(t *value.Task) string { return builtins.EncodeJSON(t, r.val, pretty) })
}

// Pretty gives the value as EDN in lines of at most width characters, where it can be
// broken. Its errors are those of EDN.
func (r *Result) Pretty(width int) (string, error) {
	return r.render(func(t *value.Task) string { return builtins.Pretty(t, r.val, width) })
}

// IsNil says whether the value is nil.
func (r *Result) IsNil() bool { return r.val.IsNil() }

func (r *Result) render(write func(t *value.Task) string) (text string, err error) {
	limit := r.limits.ResultBytes
	text, derr := eval.Render(r.limits, write)
	switch {
	case derr != nil && derr.Code == diag.MemoryExceeded, derr == nil && len(text) > limit:
		return "", resultTooLarge(limit)
	case derr != nil:
		return "", derr
	}
	return text, nil
}

func resultTooLarge(limit int) *diag.Error {
	return diag.New(diag.ResultTooLarge, token.Span{}, "the result takes more than %s as text", diag.Counted(limit, "byte")).
		WithHint("return less, or raise the result limit (--output-limit)")
}
