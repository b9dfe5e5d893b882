// This file defines the reports of evaluations for telemetry.

package serve

import (
	"context"
	"errors"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/store"
)

// Reported is an evaluation that was reported to Options.Each.
type Reported struct {
	// Trace is the header traceparent of the span of the evaluation: the field Trace of the run on engines that take part
	// in it from now on. "" is that of the run here.
	Trace string
	// Ended is called when the program has stopped, with the results of Run of package ptc. left reports that the run
	// continues without this evaluation, on another engine or after the next start, and ends there. It is optional.
	Ended func(left bool, res *ptc.Result, err error)
}

// report calls Options.Each, if there is one.
func (e *Engine) report(ctx context.Context, run store.Run, given *ptc.RunOptions) (r Reported) {
	if e.opts.Each != nil {
		r = e.opts.Each(ctx, run, given)
	}
	if r.Trace == "" {
		r.Trace = run.Trace
	}
	if r.Ended == nil {
		r.Ended = func(bool, *ptc.Result, error) {}
	}
	return r
}

// goesOn reports whether a run whose program has stopped here with an error continues without this evaluation.
func (l *live) goesOn(err error) bool {
	cause := context.Cause(l.ctx)
	away := errors.Is(cause, errInterrupted) || errors.Is(cause, errAway)
	return l.lost() || away && stopped(err)
}

// stopped reports whether the program was stopped from outside.
func stopped(err error) bool {
	var failure *ptc.Error
	return errors.Is(err, context.Canceled) || errors.As(err, &failure) && failure.Code == diag.Cancelled
}
