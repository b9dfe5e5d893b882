// This file defines what a call passes before it is made.

package tool

import (
	"context"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// admission is what a call has taken before it is made.
type admission struct {
	key   string // its idempotency key, and the name of its execution
	use   *use   // of its tool
	held  effect.Held
	waits []effect.Wait
}

// leave releases what enter has taken.
func (r *Run) leave(a admission) {
	if err := a.use.action.Leave(a.key); err != nil {
		r.opts.Log.Warn("place in the queue was lost", "call", a.key, "error", err)
	}
	r.release(a)
}

// release releases the guards.
func (r *Run) release(a admission) {
	if err := a.held.Release(); err != nil {
		r.opts.Log.Warn("guard not released", "call", a.key, "error", err)
	}
}

// enter passes the policies, takes the locks of a call, waits in the queue and takes the token of
// its rate: see the package comment for the order. The admission has its waits, even if it fails.
func (r *Run) enter(ctx context.Context, in *call) (at admission, f *effect.Failure) {
	t := in.tool
	at.use, f = r.take(t)
	if f != nil {
		return at, f
	}
	if n := r.abandoned.Load(); n >= maxAbandoned {
		return at, failure(diag.ToolFailed, effect.CodeStuck, "the tools do not heed the end of their context",
			"%d calls of this run have not ended in time", n)
	}
	if err := at.use.action.Admit(ctx); err != nil {
		return at, effect.FailureOf(err)
	}
	if err := r.lock(ctx, in, &at); err != nil {
		return at, effect.FailureOf(err)
	}
	at.key = r.opts.Journal.Key(in.ID)
	queued, err := at.use.action.Start(ctx, at.key, t.concurrency)
	if queued.Kind != "" {
		r.waited(&at, queued)
	}
	if err != nil {
		r.release(at)
		return at, effect.FailureOf(err)
	}
	if rate := t.rateOf(in.Args); rate.PerSecond > 0 {
		token := effect.GuardRequest{Hint: rate}
		_, err := r.opts.Guards.Acquire(ctx, &token)
		if r.waited(&at, token.Waits...); err != nil {
			r.leave(at)
			return at, effect.FailureOf(err)
		}
	}
	return at, nil
}

// lock takes the locks of a call.
func (r *Run) lock(ctx context.Context, in *call, at *admission) error {
	kind := in.tool.hint.Kind &^ effect.RateLimited
	if kind == effect.FullyParallel {
		at.held = effect.Unguarded
		return nil
	}
	request := &effect.GuardRequest{Hint: effect.Hint{Kind: kind}, Owner: in.Owner()}
	if kind&effect.HostExclusive != 0 {
		request.Host = in.tool.hostOf(in.Args)
	}
	held, err := r.opts.Guards.Acquire(ctx, request)
	at.held = held
	r.waited(at, request.Waits...)
	return err
}

// waited adds waits to those of a call and of its tool.
func (r *Run) waited(at *admission, waits ...effect.Wait) {
	for _, w := range waits {
		w.Key = r.secrets.Text(w.Key)
		at.waits = append(at.waits, w)
		at.use.waited(w)
	}
}
