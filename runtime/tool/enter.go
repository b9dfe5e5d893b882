// This file defines the checks and waits of a call before it is made.

package tool

import (
	"context"
	"runtime/debug"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/secret"
)

// admission is the set of resources that a call has taken before it is made.
type admission struct {
	key       string            // its idempotency key
	execution *effect.Execution // of this attempt, in the queue
	use       *use              // of its tool
	started   bool              // the execution, in the queue
	held      effect.Held
	fence     uint64          // of held
	ctx       context.Context // of the call: it ends when a guard of held is lost
	stop      func()          // releases ctx; the caller of admit calls it
	waits     []effect.Wait
}

// attempts numbers the executions of calls that were attempted before, so that their names differ: the queue
// may be shared by all runs of the process.
var attempts atomic.Uint64

// leave releases the guards and the place that enter has taken.
func (r *Run) leave(a admission, how effect.Ending) {
	err := r.byHost("a queue", func() error { return a.use.action.Leave(a.execution.Name, how) })
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

// admit calls enter. If a function of the host panics, it releases them again, and the error ends the run.
func (r *Run) admit(ctx context.Context, in *call) (at admission, f *effect.Failure, err error) {
	err = r.byHost("a guard, a queue or a rate", func() error {
		f = r.enter(ctx, in, &at)
		return nil
	})
	switch {
	case err == nil:
	case at.started:
		r.leave(at, effect.EndCancelled)
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
	if in.tries > 1 {
		r.opts.Log.Debug("call attempted again", "tool", t.name, "call", in.ID, "attempt", in.tries)
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
	at.execution = r.execution(in, at.key)
	left := r.queues(at.use, in, at.execution)
	queued, err := at.use.action.Start(ctx, at.execution)
	left()
	if queued.Kind != "" {
		r.waited(in, at, queued)
	}
	if err != nil {
		r.release(*at)
		return effect.FailureOf(err)
	}
	at.started = true
	if rate := t.rateOf(in.Args, in.facts); rate.PerSecond > 0 {
		token := effect.GuardRequest{Hint: rate, Tool: t.name, ID: in.ID}
		if in.Caller != nil {
			token.Owner = in.Caller.Owner() // for the lists of waiters
		}
		_, err := r.opts.Guards.Acquire(ctx, &token)
		if r.waited(in, at, token.Waits...); err != nil {
			r.leave(*at, effect.EndCancelled)
			return effect.FailureOf(err)
		}
	}
	if r.opts.Ready != nil {
		r.opts.Ready(ctx, in.ID)
	}
	if ctx.Err() != nil || r.over() { // the end of other calls of the run may have let this one in
		r.leave(*at, effect.EndCancelled)
		return failure(diag.Cancelled, effect.CodeCancelled, "", "the run has ended")
	}
	at.fence = at.held.Fence()
	at.ctx, at.stop = effect.WhileHeld(ctx, at.held)
	return nil
}

// execution returns the execution of the present attempt of a call.
func (r *Run) execution(in *call, key string) *effect.Execution {
	e := &in.execution
	if in.tries > 1 {
		e = &effect.Execution{Host: e.Host} // the previous one may have been abandoned, and be under way
	}
	e.Name, e.Most, e.Priority, e.Run, e.ID, e.At = key, in.tool.concurrency, r.opts.Priority, r.opts.ID, in.ID, time.Now()
	e.Idle = r.idle
	if in.tries > 1 || r.opts.Journal.Recalls() {
		e.Name += "/" + strconv.FormatUint(attempts.Add(1), 10)
	}
	return e
}

// lock takes the locks of a call.
func (r *Run) lock(ctx context.Context, in *call, at *admission) error {
	kind := in.hint.Kind &^ effect.RateLimited
	if kind == effect.FullyParallel {
		at.held = effect.Unguarded
		return nil
	}
	request := &effect.GuardRequest{Hint: effect.Hint{Kind: kind}, Tool: in.tool.name, ID: in.ID}
	if in.Caller != nil {
		request.Owner, request.Rester = in.Caller.Owner(), in.Caller
	}
	if kind&effect.HostExclusive != 0 {
		if request.Host = in.host; request.Host == "" {
			request.Host = in.tool.hostOf(in.Args)
		}
		in.execution.Host = r.secrets.Text(request.Host)
	}
	held, err := r.opts.Guards.Acquire(ctx, request)
	if in.ruled && err != nil && effect.FailureOf(err).Kind == diag.GuardHeld {
		held, err = nil, nil // the program takes care of it itself
	}
	if held == nil {
		held = effect.Unguarded
	}
	at.held = held
	r.waited(in, at, request.Waits...)
	return err
}

// waited adds waits to those of a call and of its tool.
func (r *Run) waited(in *call, at *admission, waits ...effect.Wait) {
	for _, w := range waits {
		w.Key = r.secrets.Text(w.Key)
		at.waits = append(at.waits, w)
		at.use.waited(w)
	}
}
