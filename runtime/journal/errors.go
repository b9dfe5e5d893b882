// This file defines the errors of a journal.

package journal

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// ErrFinished is the error of a journal whose run has ended, so that there is nothing to resume.
var ErrFinished = errors.New("journal: the run has ended, nothing is left to do")

// ErrInUse is the error of a file that another process, or another journal of this one, writes.
var ErrInUse = errors.New("journal: the file is in use by another run")

// ErrClosed is the error of methods of a journal after Finish or Close.
var ErrClosed = errors.New("journal: the journal was closed, or its run has ended")

var errNoPath = errors.New("journal: the path is empty, want that of a file")

// Divergence is the error of a run that differs from its recording. One of the effects is nil if
// the recording, or the run, does not have it.
type Divergence struct {
	Recorded, Actual *effect.Effect
	// Text describes both, with a bounded length.
	Text string
}

func (d *Divergence) Error() string { return "journal: " + d.Text }

// Is reports whether target is effect.ErrUnrecorded, and the recording does not have the effect.
func (d *Divergence) Is(target error) bool {
	return target == effect.ErrUnrecorded && d.Actual != nil && (d.Recorded == nil || d.Recorded.ID != d.Actual.ID)
}

// Diag returns the error of the run.
func (d *Divergence) Diag() *diag.Error {
	return diag.New(diag.Diverged, token.Span{}, "%s", d.Text).
		WithHint("the program, its input, a tool or the version of ptc is not that of the recording")
}

// Check returns a *Divergence unless the journal is of the program with this name and source.
func (h *Header) Check(program, source string) error {
	d := &Divergence{}
	switch { // without the sources, which may be long
	case h.Program == program && h.Source == source:
		return nil
	case h.Source == source:
		d.Text = fmt.Sprintf("the journal is of a program named %s, this one is named %s", quoted(h.Program), quoted(program))
	case h.Program != program:
		d.Text = fmt.Sprintf("the journal is of another program, %s, got %s", quoted(h.Program), quoted(program))
	default:
		line := 1 + strings.Count(source[:firstDifference(h.Source, source)], "\n")
		d.Text = fmt.Sprintf("the journal is of another version of %s, which differs from line %d on", quoted(program), line)
	}
	return d
}

func quoted(name string) string { return strconv.Quote(cut(name, 0)) }

// differs describes two effects of one id.
func differs(recorded, actual *effect.Effect) *Divergence {
	d := &Divergence{Recorded: recorded, Actual: actual}
	at := firstDifference(string(recorded.Args), string(actual.Args))
	if recorded.Kind != actual.Kind || recorded.Name != actual.Name {
		at = 0
	}
	show := func(e *effect.Effect) string {
		return fmt.Sprintf("%s %s %s", e.Kind, cut(e.Name, 0), cut(string(e.Args), at))
	}
	d.Text = fmt.Sprintf("the run differs from its recording at effect %s: recorded %s, got %s",
		cut(actual.ID, 0), show(recorded), show(actual))
	if at > 0 && bytes.Equal(recorded.Args, actual.Args) {
		d.Text += ", with another secret"
	}
	return d
}

// InDoubt is the error of a write-effect that was begun before the run was interrupted, and may
// have happened or not.
type InDoubt struct{ Entry Entry }

func (e *InDoubt) text() string {
	return fmt.Sprintf("effect %s, %s, was begun at %s, and the run was interrupted before its outcome was known",
		e.Entry.ID, describe(&e.Entry.Effect), e.Entry.Start.UTC().Format("2006-01-02 15:04:05 UTC"))
}

func (e *InDoubt) hint() string {
	return fmt.Sprintf("find out whether it happened; then resume with --settle '%[1]s=done' "+
		"(or '%[1]s=done:RESULT', RESULT as JSON) if it did, with --settle '%[1]s=retry' if it did not", e.Entry.ID)
}

func (e *InDoubt) Error() string { return "journal: in doubt: " + e.text() + "; " + e.hint() }

// Diag returns the error of the run.
func (e *InDoubt) Diag() *diag.Error {
	return diag.New(diag.InDoubt, token.Span{}, "%s", e.text()).WithHint("%s", e.hint())
}

// Withheld is the error of a recorded outcome with secrets that the journal does not have, so that
// the run can't continue.
type Withheld struct {
	ID   string // of the effect
	Text string
	Hint string
}

func (w *Withheld) Error() string { return "journal: " + w.Text }

// Diag returns the error of the run.
func (w *Withheld) Diag() *diag.Error {
	return diag.New(diag.JournalFailed, token.Span{}, "%s", w.Text).WithHint("%s", w.Hint)
}

// Failure is the error of a journal that cannot be written. The effect that was to begin has not
// happened, and no other may happen.
type Failure struct{ Cause error }

func (f *Failure) Error() string { return fmt.Sprintf("journal: cannot be written: %v", f.Cause) }

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Cause }

// Diag returns the error of the run.
func (f *Failure) Diag() *diag.Error {
	return diag.New(diag.JournalFailed, token.Span{}, "the journal cannot be written: %v", f.Cause).
		WithHint("what happened until now is in the file: fix the cause, then resume the run")
}

// Damage is the error of a line of a journal that was changed.
type Damage struct {
	Line   int
	Reason string
}

func (d *Damage) Error() string { return fmt.Sprintf("journal: line %d: %s", d.Line, d.Reason) }

// shown is the number of bytes of a text that an error shows, and lead the number of them before
// the byte where two texts differ.
const (
	shown = 200
	lead  = 40
)

// cut returns the part of a text that an error shows, around byte at.
func cut(s string, at int) string {
	before, after := "", ""
	if at > lead && len(s) > shown {
		s, before = s[at-lead:], "…"
	}
	if len(s) > shown {
		s, after = s[:shown], "…"
	}
	return before + trimUTF8(s) + after
}

func firstDifference(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
