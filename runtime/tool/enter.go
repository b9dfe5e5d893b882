// This file defines what a call passes before it is made.

package tool

import (
	"context"
	"errors"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/guard"
	"github.com/ptc-lang/ptc/runtime/queue"
)

// place is what a call has taken before it is made.
type place struct {
	key   string // its idempotency key, and the name of its execution
	use   *use   // of its tool
	held  guard.Held
	waits []effect.Wait
}

// leave gives back what enter has taken.
func (p place) leave() {
	p.use.action.Leave(p.key)
	p.held.Release()
}

// enter passes the policies, takes the locks of a call, waits in the queue and takes the
// token of its rate: see the package comment for the order. Its waits are in the place, also
// if it fails.
func (r *Run) enter(ctx context.Context, in Invocation) (at place, f *Failure) {
	t := in.Tool
	at.use, f = r.take(t)
	if f != nil {
		return at, f
	}
	if n := r.behind.Load(); n >= maxBehind {
		return at, failure(diag.ToolFailed, CodeStuck, "the tools do not heed the end of their context",
			"%d calls of this run have not ended in time", n)
	}
	if err := at.use.action.Admit(); err != nil {
		return at, refusedByQueue(err)
	}
	request := guard.Request{Hint: guard.Hint{Kind: t.hint.Kind &^ guard.RateLimited}}
	if request.Hint.Kind != guard.FullyParallel {
		request.Owner = in.Owner()
	}
	if t.hint.Kind&guard.HostExclusive != 0 {
		request.Host = t.hostOf(in.Args)
	}
	var err error
	at.held, err = r.opts.Guards.Acquire(ctx, &request)
	if r.waited(&at, request.Waits...); err != nil {
		return at, refusedByGuard(err)
	}
	at.key = r.opts.Journal.Key(in.ID)
	if err := at.use.action.Start(ctx, at.key, t.concurrency, func(wait func()) {
		began := time.Now()
		wait()
		r.waited(&at, effect.Wait{Kind: effect.Queue, Key: t.name, Start: began, Duration: time.Since(began)})
	}); err != nil {
		at.held.Release()
		return at, refusedByQueue(err)
	}
	if rate := t.rateOf(in.Args); rate.PerSecond > 0 {
		token := guard.Request{Hint: rate}
		_, err := r.opts.Guards.Acquire(ctx, &token)
		if r.waited(&at, token.Waits...); err != nil {
			at.leave()
			return at, refusedByGuard(err)
		}
	}
	return at, nil
}

// waited adds waits to those of a call and of its tool.
func (r *Run) waited(at *place, waits ...effect.Wait) {
	for _, w := range waits {
		w.Key = r.secrets.Text(w.Key)
		at.waits = append(at.waits, w)
		at.use.waited(w)
	}
}

// refusedByQueue makes a failure of an error of the policies or the queue.
func refusedByQueue(err error) *Failure {
	var coded interface{ Code() diag.Code }
	if !errors.As(err, &coded) { // of the context
		return failure(diag.Cancelled, CodeCancelled, "", "%v", err)
	}
	f := failure(coded.Code(), string(coded.Code()), "call it less often, or have the operator change the policy", "%v", err)
	f.Retryable = true
	if v := (*queue.Violation)(nil); errors.As(err, &v) {
		f.Message, f.RetryAfter = v.Reason(), v.RetryAfter.Milliseconds()+1 // of the tool that the error names anyway
	}
	return f
}

// refusedByGuard makes a failure of an error of a guard.
func refusedByGuard(err error) *Failure {
	var g *guard.Error
	if !errors.As(err, &g) {
		return failure(diag.Internal, CodeFailed, "", "%v", err)
	}
	f := failure(g.Code, string(g.Code), g.Hint, "%s", g.Message)
	f.Retryable = g.Code == diag.GuardBusy
	return f
}
