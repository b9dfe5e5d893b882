// This file defines how a run asks the person at the terminal about its pending effects.

package main

import (
	"context"
	"io"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/cmd/ptc/internal/ask"
	"github.com/ptc-lang/ptc/cmd/ptc/internal/repl"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// asks returns the OnPending of a run that asks on the terminal, on standard error, so that standard output
// has only the output of the program. It returns nil if nobody types and reads there.
func (f *execution) asks(out *printer, p *progress, s streams) repl.OnPending {
	in, shown := file(s.in), file(s.err)
	if in == nil || shown == nil || s.interrupts == nil || !repl.IsTerminal(in) || !repl.IsTerminal(shown) {
		return nil
	}
	var lines *repl.Lines
	asker := f.asker(s.err, f.leave)
	asker.ReadLine = func(ctx context.Context, prompt string) (string, error) { return lines.ReadLine(ctx, prompt, "") }
	return func(ctx context.Context, all []effect.Pending) ([]effect.Settlement, error) {
		interrupts, back := s.interrupts()
		defer back()
		if lines == nil {
			lines = repl.NewLines(in, s.err, interrupts)
		}
		defer p.hold()()
		if stdout := file(out.output); out.inLine && stdout != nil && repl.IsTerminal(stdout) {
			io.WriteString(s.err, "\n")
			out.inLine = false
		}
		repl.DropTyped(in) // for something else, before the question was there
		return asker.Decide(ctx, all)
	}
}

// asker returns an Asker for the effects of a run, without ReadLine.
func (f *execution) asker(w io.Writer, left func(all []effect.Pending, interrupted bool) error) *ask.Asker {
	return &ask.Asker{Out: w, Width: repl.Width, Left: left, Tool: func(name string) effect.Tool {
		if t := f.tools.Lookup(name); t != nil {
			return t
		}
		return nil
	}}
}

// leave returns the error of a run whose person leaves: an interrupt cancels a run that can't be continued, and
// otherwise it is parked.
func (f *execution) leave(all []effect.Pending, interrupted bool) error {
	if !interrupted || f.journalFile != "" {
		return nil
	}
	return diag.New(diag.Cancelled, token.Span{}, "the run was cancelled while it waited for %s",
		diag.Counted(len(all), "settlement")).WithHint("%s", withJournal)
}

// withJournal is the hint for a run that can't be continued.
const withJournal = "with --journal FILE the run could be continued; its settlements are given to ptc resume"

// deferred returns the error of an evaluation of a session in which pending effects were not settled.
func deferred(all []effect.Pending, _ bool) error {
	parked := &ptc.Parked{Pending: all}
	e := parked.Diag()
	e.Err = parked
	return e.WithHint("a form that waits can't be continued later: evaluate it again on a terminal, and answer; ptc run " +
		"--journal FILE can be continued")
}
