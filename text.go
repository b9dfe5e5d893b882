// This file defines the forms of a Result: its value as a Go value, and as text in EDN and JSON.

package ptc

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strings"
	"unsafe"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/eval"
	"github.com/ptc-lang/ptc/lang/jsonio"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// Value returns the value of the last form as a new Go value: nil, bool, int64, *big.Int, float64 (for floats, NaN and
// infinities included, and for ratios), json.Number for decimals, string, map[string]any for maps and records, []any
// for vectors, lists, sets and sequences. Characters, keywords (without the colon), symbols, UUIDs and instants become
// strings, and so do the keys of maps. Anything else becomes the string that EDN returns. A part that the value shares
// is copied each time that it occurs. The JSON of the Go value is that of the method JSON, except for NaN and
// infinities: package encoding/json refuses them, and JSON writes null.
//
// The Go value may take the memory that the run has left of Limits.Memory, plus 256 KB; otherwise the error has the
// code memory-exceeded. The code is illegal-argument if a map has two keys that become the same string, such as :a and
// "a". The value of a failed run is nil. Value and the other methods are safe for concurrent use. Each may take the
// time that the run has left of Limits.Timeout.
func (r *Result) Value() (any, error) {
	if r = r.orZero(); r.val.Is(plainKinds) {
		return plain(r.val), nil
	}
	var x any
	err := r.afterwards().Do(context.Background(), func(t *value.Task) {
		e := exporter{t: t, path: jsonio.Path{Of: "the result as a Go value"}}
		x = e.toGo(r.val)
	})
	if err == nil {
		return x, nil
	}
	return nil, r.failure(err, "a Go value")
}

// EDN returns the value as the language prints it. If that is longer than Limits.ResultBytes, the error is a *Error of
// code result-too-large. The string is not in the account of the run; WriteEDN makes none.
func (r *Result) EDN() (string, error) {
	r = r.orZero()
	return r.text(r.edn)
}

// JSON returns the value as JSON. With pretty each element is on its own line. The mapping is that of Value, and
// NaN and infinities become null. Its errors are those of EDN, and one of code illegal-argument if a map has two keys
// that become the same string.
func (r *Result) JSON(pretty bool) (string, error) {
	r = r.orZero()
	return r.text(r.json(pretty))
}

// WriteEDN writes the result of EDN to w. It measures the output first, in the time that the run has left, and writes
// nothing if EDN would fail. Then it writes pieces of at most 32 KB, without a deadline. If w fails, or ctx ends, a
// part may have been written. The error is that of w, io.ErrShortWrite if w writes less without one, a *Error of code
// host-failed if w panics, or one of code cancelled or timeout.
func (r *Result) WriteEDN(ctx context.Context, w io.Writer) error {
	r = r.orZero()
	return r.write(ctx, w, r.edn)
}

// WriteJSON writes the result of JSON to w, as WriteEDN does.
func (r *Result) WriteJSON(ctx context.Context, w io.Writer, pretty bool) error {
	r = r.orZero()
	return r.write(ctx, w, r.json(pretty))
}

// Pretty returns the value as EDN, broken into lines of at most width characters where possible. Its
// errors are those of EDN.
func (r *Result) Pretty(width int) (text string, err error) {
	r = r.orZero()
	a := r.afterwards()
	a.Memory = int64(r.resultBytes())*prettyFactor + limits.MinMemory
	derr := a.Do(context.Background(), func(t *value.Task) { text = builtins.Pretty(t, r.val, width) })
	switch {
	case derr != nil && derr.Code == diag.MemoryExceeded, derr == nil && len(text) > r.resultBytes():
		return "", resultTooLarge(r.resultBytes())
	case derr != nil:
		return "", r.failure(derr, "text")
	}
	return text, nil
}

// prettyFactor is the memory that Pretty may take for each byte of its output, because it rereads the output.
const prettyFactor = 4

// IsNil reports whether the value is nil.
func (r *Result) IsNil() bool { return r == nil || r.val.IsNil() }

// orZero returns the zero Result for a nil one, such as that of a source that does not compile.
func (r *Result) orZero() *Result {
	if r == nil {
		return &Result{}
	}
	return r
}

// form writes the value in one of its forms to a builder.
type form func(t *value.Task, b *value.Buf)

func (r *Result) edn(t *value.Task, b *value.Buf) { t.PrintTo(b, r.val, true) }

func (r *Result) json(pretty bool) form {
	return func(t *value.Task, b *value.Buf) { jsonio.WriteResult(t, b, r.val, pretty) }
}

// writing is the state of an output that is being written.
type writing struct {
	size  int  // bytes
	ended bool // all of the text has been passed on, or is being so
	err   error
}

// pass calls f with b's text in pieces.
func (w *writing) pass(t *value.Task, f form, sink func(p []byte)) {
	b := t.BufTo(sink)
	f(t, b)
	w.ended = true
	b.Flush()
}

// measure finds the size of a text. A short one, which is passed on as a whole, is handed to short.
func (r *Result) measure(ctx context.Context, f form, short func(p []byte)) (size int, err error) {
	var w writing
	derr := r.afterwards().Do(ctx, func(t *value.Task) {
		w.pass(t, f, func(p []byte) {
			whole := w.ended && w.size == 0
			if w.size += len(p); w.size > r.resultBytes() {
				eval.End(resultTooLarge(r.resultBytes()))
			}
			if whole {
				short(p)
			}
		})
	})
	if derr != nil {
		return 0, r.failure(derr, "text")
	}
	return w.size, nil
}

// write writes p to a writer of the host. A panic of the writer is an error, and so is a write that ends early.
func write(to io.Writer, p []byte) (n int, err error) {
	if panicked := byHost("the writer", func() { n, err = to.Write(p) }); panicked != nil {
		return 0, panicked
	}
	if err == nil && n != len(p) {
		err = io.ErrShortWrite
	}
	return min(max(n, 0), len(p)), err
}

// wantWriter refuses a nil writer.
func wantWriter(w io.Writer) error {
	if w == nil {
		return diag.New(diag.IllegalArgument, token.Span{}, "got a nil writer, want one")
	}
	return nil
}

// write measures a text and then writes it; it writes a short text in one piece.
func (r *Result) write(ctx context.Context, to io.Writer, f form) error {
	if err := cmp.Or(wantContext(ctx), wantWriter(to)); err != nil {
		return err
	}
	if err := notEnded(ctx); err != nil {
		return err
	}
	var w writing
	put := func(p []byte) {
		if _, w.err = write(to, p); w.err != nil {
			eval.End(&diag.Error{Code: diag.Cancelled})
		}
		w.size += len(p)
	}
	size, err := r.measure(ctx, f, put)
	if err == nil && w.size < size {
		err = r.again(ctx, &w, f, put)
	}
	if w.err != nil {
		return w.err
	}
	var e *diag.Error
	if errors.As(err, &e) {
		err = causedBy(ctx, e)
	}
	return err
}

// again writes a text that has been measured. How long that takes is up to the one that reads it.
func (r *Result) again(ctx context.Context, w *writing, f form, sink func(p []byte)) error {
	a := r.afterwards()
	a.Untimed = true
	if err := a.Do(ctx, func(t *value.Task) { w.pass(t, f, sink) }); err != nil {
		return r.failure(err, "text")
	}
	return nil
}

// text returns a text as a string, and allocates its bytes in one piece.
func (r *Result) text(f form) (string, error) {
	var text []byte
	keep := func(p []byte) { text = append(text, p...) }
	size, err := r.measure(context.Background(), f, keep)
	if err == nil && len(text) < size {
		text = make([]byte, 0, size)
		err = r.again(context.Background(), &writing{}, f, keep)
	}
	if err != nil {
		return "", err
	}
	return unsafe.String(unsafe.SliceData(text), len(text)), nil
}

// recorded returns the value for a journal, without regard to time: another run must come to the same.
func (r *Result) recorded() (string, error) {
	untimed := Result{val: r.val, after: r.after}
	untimed.after.Untimed = true
	return untimed.EDN()
}

func (r *Result) resultBytes() int { return r.after.Limits.OrDefault().ResultBytes }

// roomAfter is the number of bytes that a conversion may take even if the run has used all of its memory.
const roomAfter = 256 << 10

// afterwards returns the bounds of a conversion. They are small for a program that did not run and has no value.
func (r *Result) afterwards() eval.Afterwards {
	a := r.after
	a.Limits = a.Limits.OrDefault()
	a.Memory += roomAfter
	return a
}

// failure completes the error of a conversion to some form.
func (r *Result) failure(err *diag.Error, form string) error {
	switch {
	case err.Code == diag.MemoryExceeded:
		return diag.New(diag.MemoryExceeded, token.Span{}, "the result takes more memory as %s than the run has left, %s",
			form, diag.Counted(r.after.Memory+roomAfter, "byte")).
			WithHint("take it as text (WriteJSON, WriteEDN), return less, or raise the memory limit (--memory)")
	case err.Code == diag.Cancelled:
		err.Message = "the writing of the result was cancelled"
	case err.Code == diag.Timeout && strings.HasPrefix(err.Message, "the run took"):
		err.Message += ", with the conversion of its result"
	}
	return err
}

func resultTooLarge(limit int) *diag.Error {
	return diag.New(diag.ResultTooLarge, token.Span{},
		"the result takes more than %s as text", diag.Counted(limit, "byte")).
		WithHint("return less, or raise the result limit (--output-limit)")
}
