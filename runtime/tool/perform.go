// This file defines how the function of a tool is called.

package tool

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// maxAbandoned is the number of abandoned calls at which a run makes no more calls, because each
// holds a goroutine of the host.
const maxAbandoned = 32

// grace is the time for which a call may continue after its context has ended. Then it is
// abandoned.
const grace = 5 * time.Millisecond

// perform calls the function of the tool on a new goroutine, so that the run can abandon a
// call that ignores the end of its context. An abandoned call keeps its guards, and stays an
// execution of its action, until it ends, because it may still be at work.
//
// If the context ends before the goroutine runs, the function is never called, and made is false.
func (r *Run) perform(in *call, at admission, got *attempted) (_ effect.Outcome, made bool) {
	defer at.stop()
	info := callInfo{min(in.Room, int64(r.opts.ResultBytes)), at.key, at.fence, r.allow(in)}
	ctx, cancel := within(context.WithValue(at.ctx, callKey{}, info), in.tool.timeout)
	defer cancel()
	w := &work{run: r, ctx: ctx, in: in, at: at, ended: make(chan returned, 1)}
	r.spawn(func() { // this function has few lines, because Go searches those of the frames of a stack that grows
		growStack(0)
		w.do()
	})
	select {
	case o := <-w.ended:
		return r.arrived(in, at, o, got), true
	case <-ctx.Done():
	}
	if w.decided.CompareAndSwap(false, true) {
		r.leave(at, effect.EndCancelled)
		return effect.Outcome{Failure: in.tool.failureOf(ctx, ctx.Err())}, false
	}
	late := time.NewTimer(grace)
	defer late.Stop()
	select {
	case o := <-w.ended:
		return r.arrived(in, at, o, got), true
	case <-late.C:
	}
	r.abandoned.Add(1)
	_ = r.byHost("a guard", func() error { // which logs a panic
		at.held.Abandon(fmt.Sprintf("the call %s of tool/%s", in.ID, in.tool.name))
		return nil
	})
	r.opts.Log.Warn("tool abandoned: it ignores the end of its context", "tool", in.tool.name, "id", in.ID)
	return effect.Outcome{Failure: in.tool.failureOf(ctx, ctx.Err())}, true
}

// work is the call of a tool's function, for the goroutine that makes it.
type work struct {
	run     *Run
	ctx     context.Context
	in      *call
	at      admission
	decided atomic.Bool // by the goroutine: the function is called; by the run: it never is
	ended   chan returned
}

// do calls the function, unless the run has decided otherwise.
func (w *work) do() {
	if !w.decided.CompareAndSwap(false, true) {
		return
	}
	r, in := w.run, w.in
	r.calls.Add(1)
	w.at.use.made.Add(1)
	var o returned
	defer func() {
		if o.Result == nil && o.Failure == nil && o.later == nil { // by runtime.Goexit
			o.Failure = in.tool.failureOf(w.ctx, &Error{Code: effect.CodePanic, Message: "it ended its goroutine"})
		}
		if o.later == nil {
			r.leave(w.at, effect.EndingOf(o.Failure)) // before the caller continues, because it may take the same host
		}
		w.ended <- o
	}()
	o = r.invoke(w.ctx, in)
}

// returned is the return value of the function of a tool: an outcome, or a notice that it comes later.
type returned struct {
	effect.Outcome
	later *later
}

// within returns a context that ends after d or with ctx. It returns ctx itself if the deadline of ctx
// comes first, so that most calls need no second context.
func within(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if end, ok := ctx.Deadline(); ok && time.Until(end) <= d {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, d)
}
