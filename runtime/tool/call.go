// This file defines the calls of one run: the one path to a tool.

package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/secret"
)

// Run is one run of a program as its tools see it. It is safe for concurrent use.
type Run struct {
	opts      RunOptions
	calls     atomic.Int64
	abandoned atomic.Int64 // calls that have not ended in time
	secrets   *secret.Set
	mu        sync.Mutex
	used      map[*Tool]*use
	spawn     func(func()) // starts the goroutine of a call; tests replace it
}

// RunOptions are the bounds of a run's calls, and the guards and queues that it shares with other
// runs.
type RunOptions struct {
	ArgumentBytes int // of each call
	ResultBytes   int // of each call
	ToolCalls     int // of one tool
	Guards        effect.Guards
	Queue         effect.Queues
	Journal       Journal       // of this run
	Around        effect.Around // is called around each call; optional
	Log           *slog.Logger  // the Logger of the journal's Secrets; optional
}

// Journal is the journal of a run with the secrets that it hides.
type Journal interface {
	effect.Journal
	Secrets() *secret.Set
}

// NewRun begins a run.
func NewRun(o RunOptions) *Run {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	r := &Run{opts: o, used: make(map[*Tool]*use), spawn: func(f func()) { go f() }}
	if o.Journal != nil {
		r.secrets = o.Journal.Secrets()
	}
	return r
}

// usable returns the error of a call that cannot be made, or of a run that cannot make any.
func (r *Run) usable(ctx context.Context, t *Tool) error {
	switch {
	case r.opts.Journal == nil || r.opts.Guards == nil || r.opts.Queue == nil:
		return invalid("a run without a journal, guards or a queue makes no calls: set all three in tool.RunOptions")
	case ctx == nil:
		return invalid("got a nil context, want one")
	case t == nil || t.fn == nil:
		return invalid("got a tool that is nil or zero, want one of tool.New or tool.Dynamic")
	}
	return t.err
}

func invalid(message string) error { return &diag.Error{Code: diag.IllegalArgument, Message: message} }

// call is a call under way.
type call struct {
	effect.Call
	tool  *Tool
	again bool // its outcome is recorded without a secret
	tries int  // attempts so far: Around may call next again
}

// Call makes a call of a *Tool, see the package comment for its path. It returns soon after ctx
// ends, even if the tool does not. The caller cancels ctx after the call. An error comes from the
// journal, or from a call that cannot be made, and must end the run.
func (r *Run) Call(ctx context.Context, c effect.Call) (effect.Outcome, error) {
	t, _ := c.Tool.(*Tool)
	if err := r.usable(ctx, t); err != nil {
		return effect.Outcome{}, err
	}
	in := &call{Call: c, tool: t}
	r.secrets.Note(in.Args, in.tool.secrets, false)
	if f := r.check(in); f != nil {
		return effect.Outcome{Failure: f}, nil
	}
	e := in.effect()
	recorded, done, err := r.opts.Journal.Recall(e)
	if in.again = done && r.withheld(in.tool, recorded); err != nil || done && !in.again {
		r.count(in.tool)
		// As in the recorded run: the journal's lines of secrets do not have all their forms.
		r.secrets.Note(recorded.Result, in.tool.secrets, in.tool.secretResult)
		return recorded.Outcome(), err
	}
	if r.opts.Around != nil {
		return r.around(ctx, in, e)
	}
	got := r.attempt(ctx, ctx, in, e, attempted{})
	if got.err != nil || got.over {
		return got.Outcome, got.err
	}
	return r.finish(ctx, in, e, got)
}

// attempted is the outcome of the attempts to make a call. Outcome and waits are those of the last one.
type attempted struct {
	effect.Outcome
	waits []effect.Wait // before it
	begun bool          // the journal has the beginning of the effect, which it has once for all attempts
	made  bool          // the function was called, at one of the attempts
	over  bool          // the evaluation has ended: the outcome is dropped
	err   error         // of the journal
}

// attempt takes all steps before a call, and makes the call. ctx is the context of the evaluation,
// and inner that of the call. before is the outcome of the earlier attempts.
func (r *Run) attempt(ctx, inner context.Context, in *call, e effect.Effect, before attempted) (got attempted) {
	got.begun, got.made = before.begun, before.made
	in.tries++
	at, f, err := r.admit(inner, in)
	got.waits, e.Waits = at.waits, at.waits
	if err != nil {
		got.err = err
		return got
	}
	if f != nil {
		if got.Failure, got.over = in.fate(ctx, cancelled(ctx, inner, f)); got.over {
			got.err = r.withdraw(in, got)
		} else {
			at.use.refused.Add(1)
		}
		return got
	}
	if !in.again && !got.begun {
		if _, _, got.err = r.opts.Journal.Begin(ctx, e); got.err != nil {
			at.stop()
			r.leave(at)
			return got
		}
		got.begun = true
	}
	began := time.Now()
	var made bool
	got.Outcome, made = r.perform(in, at)
	if made {
		got.made = true
		at.use.time.Add(int64(time.Since(began)))
	}
	if got.Failure == nil {
		return got
	}
	if made {
		at.use.errors.Add(1)
	}
	switch got.Failure, got.over = in.fate(ctx, cancelled(ctx, inner, got.Failure)); {
	case got.over:
		got.err = r.withdraw(in, got)
	case made:
		r.pause(in, got.Failure.RetryAfter)
	default:
		at.use.refused.Add(1)
	}
	return got
}

// withdraw records in the journal that a call was begun and never made.
func (r *Run) withdraw(in *call, got attempted) error {
	if !got.begun || got.made {
		return nil
	}
	return r.opts.Journal.Withdraw(in.ID)
}

// fate returns the failure of a call. If the context of its evaluation has ended, that is the
// reason, or the evaluation is over: then the outcome of the call is dropped.
func (in *call) fate(ctx context.Context, f *effect.Failure) (_ *effect.Failure, over bool) {
	switch {
	case ctx.Err() == nil:
		return f, false
	case errors.Is(context.Cause(ctx), effect.ErrGuardLost):
		return effect.GuardLost(), false
	case in.Scoped && effect.Late(ctx):
		return failure(diag.Timeout, effect.CodeTimeout, "", "the time of the body around the call was over"), false
	}
	return f, true
}

// cancelled returns the failure of a call whose context has ended before that of its evaluation,
// because Around has ended it.
func cancelled(ctx, inner context.Context, f *effect.Failure) *effect.Failure {
	if inner.Err() == nil || ctx.Err() != nil {
		return f
	}
	f = failure(diag.ToolFailed, effect.CodeCancelled, "", "the call was cancelled: %v", context.Cause(inner))
	f.Err = context.Cause(inner)
	return f
}

// finish records the end of a call. A call that was not begun has changed nothing.
func (r *Run) finish(ctx context.Context, in *call, e effect.Effect, got attempted) (effect.Outcome, error) {
	if in.again {
		return got.Outcome, nil
	}
	if !got.begun {
		e.Class, e.Waits = effect.ReadOnly, got.waits
		if _, _, err := r.opts.Journal.Begin(context.WithoutCancel(ctx), e); err != nil {
			return got.Outcome, err
		}
	}
	return got.Outcome, r.opts.Journal.End(in.ID, in.record(got.Outcome))
}

// effect returns the effect of a call, without the fields that are secret.
func (in *call) effect() effect.Effect {
	t := in.tool
	args := secret.Redact(in.Args, t.secrets)
	return effect.Effect{ID: in.ID, Worker: in.Worker, Kind: effect.KindCall, Name: t.name, Class: t.class,
		Args: args, Hidden: effect.Hide(in.Args, args)}
}

// withheld reports whether the journal has a recorded outcome only without its secrets, and the
// tool can be asked for it again. A call that has changed the world is not repeated for this
// purpose.
func (r *Run) withheld(t *Tool, o effect.Record) bool {
	return o.Hidden != nil && t.class == effect.ReadOnly && !o.Failed() && !r.opts.Journal.Replays()
}

// record returns the record of an outcome, without the fields that are secret.
func (in *call) record(o effect.Outcome) effect.Record {
	r := o.Record()
	switch t := in.tool; {
	case r.Failed():
		return r
	case t.secretResult && len(o.Result) > 0 && string(o.Result) != "null":
		r.Result = json.RawMessage(secret.Whole)
	default:
		r.Result = secret.Redact(o.Result, t.secrets)
	}
	r.Hidden = effect.Hide(o.Result, r.Result)
	return r
}

// check refuses calls for reasons that do not depend on timing, so that the refusal is not an
// effect.
func (r *Run) check(in *call) *effect.Failure {
	t := in.tool
	if len(in.Args) > r.opts.ArgumentBytes {
		return failure(diag.ArgumentTooLarge, effect.CodeTooLarge, "raise the limit (--argument-bytes), or hand it less",
			"the arguments have %d bytes, a call's may have %d", len(in.Args), r.opts.ArgumentBytes)
	}
	if err := t.args.Check(in.Args, t.secrets); err != nil {
		f := failure(diag.ToolFailed, effect.CodeBadArguments, t.Signature(), "argument %v", err)
		if bad := (*Mismatch)(nil); errors.As(err, &bad) && bad.Hint != "" {
			f.Hint = bad.Hint + " " + f.Hint
		}
		return f
	}
	return nil
}

// take counts a call of a tool, or refuses it at the limit. With parallel evaluations, timing
// decides which call is refused.
func (r *Run) take(t *Tool) (*use, *effect.Failure) {
	most := r.opts.ToolCalls
	if t.maxCalls > 0 {
		most = min(most, t.maxCalls)
	}
	u, calls := r.counted(t, true)
	if calls > most {
		return u, failure(diag.CallsExceeded, effect.CodeTooLarge, "call it less often, or raise the limit (--tool-calls)",
			"it was called %s in this run, which is all it may be", diag.Counted(most, "time"))
	}
	return u, nil
}

// count counts a call that takes no place in the queue.
func (r *Run) count(t *Tool) { r.counted(t, false) }

// counted counts a call of a tool, and returns its use and the number of calls so far. A call that is to be queued has
// the queue looked up, by the first of them, because that may be a function of the host.
func (r *Run) counted(t *Tool, queued bool) (*use, int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	u := r.used[t]
	if u == nil {
		u = &use{}
		r.used[t] = u
	}
	if queued && u.action == nil {
		u.action = r.opts.Queue.Action(t.name)
	}
	u.calls++
	return u, u.calls
}

func failure(kind diag.Code, code, hint, format string, args ...any) *effect.Failure {
	return &effect.Failure{Kind: kind, Code: code, Message: fmt.Sprintf(format, args...), Hint: hint}
}

// maxAbandoned is the number of abandoned calls at which a run makes no more calls, because each
// holds a goroutine of the host.
const maxAbandoned = 32

// grace is the time for which a call may continue after its context has ended. Then it is
// abandoned.
const grace = 5 * time.Millisecond

// perform calls the function of the tool on a goroutine of its own, so that the run can abandon a
// call that ignores the end of its context. An abandoned call keeps its guards, and stays an
// execution of its action, until it ends, because it may still be at work.
//
// If the context ends before the goroutine runs, the function is never called, and made is false.
func (r *Run) perform(in *call, at admission) (_ effect.Outcome, made bool) {
	defer at.stop()
	info := callInfo{min(in.Room, int64(r.opts.ResultBytes)), at.key, at.fence}
	ctx, cancel := within(context.WithValue(at.ctx, callKey{}, info), in.tool.timeout)
	defer cancel()
	ended := make(chan effect.Outcome, 1)
	var decided atomic.Bool // by the goroutine: the function is called; by the run: it never is
	r.spawn(func() {
		growStack(0)
		if !decided.CompareAndSwap(false, true) {
			return
		}
		r.calls.Add(1)
		at.use.made.Add(1)
		var o effect.Outcome
		defer func() {
			if o.Result == nil && o.Failure == nil { // by runtime.Goexit
				o.Failure = in.tool.failureOf(ctx, &Error{Code: effect.CodePanic, Message: "it ended its goroutine"})
			}
			r.leave(at) // before the caller continues, because it may take the same host
			ended <- o
		}()
		o = r.invoke(ctx, in)
	})
	select {
	case o := <-ended:
		return o, true
	case <-ctx.Done():
	}
	if decided.CompareAndSwap(false, true) {
		r.leave(at)
		return effect.Outcome{Failure: in.tool.failureOf(ctx, ctx.Err())}, false
	}
	late := time.NewTimer(grace)
	defer late.Stop()
	select {
	case o := <-ended:
		return o, true
	case <-late.C:
	}
	r.abandoned.Add(1)
	_ = r.byHost("a guard", func() error { // which logs a panic
		at.held.Abandon(fmt.Sprintf("the call %s of tool/%s", in.ID, in.tool.name))
		return nil
	})
	r.opts.Log.Warn("tool abandoned: it does not heed the end of its context", "tool", in.tool.name, "id", in.ID)
	return effect.Outcome{Failure: in.tool.failureOf(ctx, ctx.Err())}, true
}

// within returns a context that ends after d or with ctx. It returns ctx itself if the deadline of ctx
// comes first, so that most calls need no second context.
func within(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if end, ok := ctx.Deadline(); ok && time.Until(end) <= d {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, d)
}

// pause pauses the rate limit of a call, if it has one, until the call may be repeated.
func (r *Run) pause(in *call, ms int64) {
	if ms <= 0 {
		return
	}
	err := r.byHost("a rate", func() error {
		rate := in.tool.rateOf(in.Args)
		if rate.Key == "" {
			return nil
		}
		return r.opts.Guards.Pause(rate.Key, time.Now().Add(time.Duration(ms)*time.Millisecond))
	})
	if err != nil {
		r.opts.Log.Warn("rate limit not paused", "tool", in.tool.name, "error", err)
	}
}
