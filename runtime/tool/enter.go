// This file defines what a call passes before it is made.

package tool

import (
	"context"
	"runtime/debug"
	"strconv"
	"sync/atomic"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/secret"
)

// admission is what a call has taken before it is made.
type admission struct {
	key       string // its idempotency key
	execution string // the name of its execution in the queue: of this attempt
	use       *use   // of its tool
	started   bool   // the execution, in the queue
	held      effect.Held
	fence     uint64          // of held
	ctx       context.Context // of the call: it ends when a guard of held is lost
	stop      func()          // releases ctx; the caller of admit calls it
	waits     []effect.Wait
}

// attempts numbers the executions of calls that were attempted before, so that their names differ: the queue
// may be shared by all runs of the process.
var attempts atomic.Uint64

// leave releases what enter has taken.
func (r *Run) leave(a admission) {
	err := r.byHost("a queue", func() error { return a.use.action.Leave(a.execution) })
	if err != nil {
		r.opts.Log.Warn("place in the queue was lost", "call", a.key, "error", err)
	}
	r.release(a)
}

// release releases the guards.
func (r *Run) release(a admission) {
	if err := r.byHost("a guard", func() error { return a.held.Release() }); err != nil {
		r.opts.Log.Warn("guard not released", "call", a.key, "error", err)
	}
}

// byHost calls a function that the host may have implemented. Its panic is a *diag.Error.
func (r *Run) byHost(what string, call func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			e := &diag.Error{Code: diag.HostFailed, Message: what + " panicked: " + secret.Show(v), Stack: debug.Stack(),
				Hint: "this is a bug of the host"}
			r.opts.Log.Error(e.Message, "stack", string(e.Stack))
			err = e
		}
	}()
	return call()
}

// admit calls enter. If a function of the host panics, it releases what was taken, and the error
// ends the run.
func (r *Run) admit(ctx context.Context, in *call) (at admission, f *effect.Failure, err error) {
	err = r.byHost("a guard, a queue or a rate", func() error {
		f = r.enter(ctx, in, &at)
		return nil
	})
	switch {
	case err == nil:
	case at.started:
		r.leave(at)
	case at.held != nil:
		r.release(at)
	}
	return at, f, err
}

// enter passes the policies, takes the locks of a call, waits in the queue and takes the token of
// its rate: see the package comment for the order. The admission has its waits, even if it fails.
func (r *Run) enter(ctx context.Context, in *call, at *admission) (f *effect.Failure) {
	t := in.tool
	at.use, f = r.take(t)
	if f != nil {
		return f
	}
	if n := r.abandoned.Load(); n >= maxAbandoned {
		return failure(diag.ToolFailed, effect.CodeStuck, "the tools do not heed the end of their context",
			"%d calls of this run have not ended in time", n)
	}
	if err := at.use.action.Admit(ctx); err != nil {
		return effect.FailureOf(err)
	}
	if err := r.lock(ctx, in, at); err != nil {
		return effect.FailureOf(err)
	}
	at.key = r.opts.Journal.Key(in.ID)
	at.execution = at.key
	if in.tries > 1 || r.opts.Journal.Recalls() { // an attempt before may have been abandoned, and be under way
		at.execution += "/" + strconv.FormatUint(attempts.Add(1), 10)
	}
	queued, err := at.use.action.Start(ctx, at.execution, t.concurrency)
	if queued.Kind != "" {
		r.waited(at, queued)
	}
	if err != nil {
		r.release(*at)
		return effect.FailureOf(err)
	}
	at.started = true
	if rate := t.rateOf(in.Args); rate.PerSecond > 0 {
		token := effect.GuardRequest{Hint: rate}
		_, err := r.opts.Guards.Acquire(ctx, &token)
		if r.waited(at, token.Waits...); err != nil {
			r.leave(*at)
			return effect.FailureOf(err)
		}
	}
	at.fence = at.held.Fence()
	at.ctx, at.stop = effect.WhileHeld(ctx, at.held)
	return nil
}

// lock takes the locks of a call.
func (r *Run) lock(ctx context.Context, in *call, at *admission) error {
	kind := in.tool.hint.Kind &^ effect.RateLimited
	if kind == effect.FullyParallel {
		at.held = effect.Unguarded
		return nil
	}
	request := &effect.GuardRequest{Hint: effect.Hint{Kind: kind}}
	if in.Owner != nil {
		request.Owner = in.Owner()
	}
	if kind&effect.HostExclusive != 0 {
		request.Host = in.tool.hostOf(in.Args)
	}
	held, err := r.opts.Guards.Acquire(ctx, request)
	if held == nil {
		held = effect.Unguarded
	}
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
