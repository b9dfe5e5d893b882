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
	"github.com/ptc-lang/ptc/runtime/guard"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/queue"
)

// Run is one run of a program as its tools see it. It is safe for concurrent use, by the
// run's evaluations.
type Run struct {
	opts    RunOptions
	calls   atomic.Int64
	behind  atomic.Int64 // calls that have not ended in time
	secrets *Secrets
	mu      sync.Mutex
	used    map[*Tool]*use
}

// RunOptions are the bounds of a run's calls, and what it shares with other runs.
type RunOptions struct {
	ArgumentBytes int // of each call
	ResultBytes   int // of each call
	ToolCalls     int // of one tool
	Guards        *guard.Set
	Queue         *queue.Enforcer
	Journal       *journal.Journal // of this run
	Log           *slog.Logger     // one of Secrets; nil takes nothing
	Secrets       *Secrets         // takes those of the calls; nil for some of the run's own
}

// NewRun begins a run.
func NewRun(o RunOptions) *Run {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Secrets == nil {
		o.Secrets = &Secrets{}
	}
	return &Run{opts: o, secrets: o.Secrets, used: make(map[*Tool]*use)}
}

// Invocation is one call.
type Invocation struct {
	ID   string // of the effect: the place of the evaluation and the number of the call in it
	Tool *Tool
	Args json.RawMessage // canonical: objects by key
	// Worker is the number of the worker that makes the call, for the journal.
	Worker int
	// Room is how many bytes the result may have at most, because the evaluation has no
	// room for more; the bound of the run holds too.
	Room int64
	// Scoped says that the program may go on when the deadline of the context has passed:
	// then the call has an outcome, a failure of kind diag.Timeout.
	Scoped bool
	// Owner gives the evaluation as guards know it.
	Owner func() *guard.Owner

	again bool // its outcome is recorded, but for a secret
}

// Outcome is what became of a call: a result, or a failure.
type Outcome struct {
	Result  json.RawMessage
	Failure *Failure
}

// Call makes a call, see the package comment for its path. It returns soon after ctx is
// done, whatever the tool does. An error is one of the journal: the run must end.
func (r *Run) Call(ctx context.Context, in Invocation) (Outcome, error) {
	r.secrets.note(in.Args, in.Tool.secrets, false)
	if f := r.check(in); f != nil {
		return Outcome{Failure: f}, nil
	}
	e := r.effect(in)
	recorded, done, err := r.opts.Journal.Recall(e)
	if in.again = done && r.withheld(in.Tool, recorded); err != nil || done && !in.again {
		r.count(in.Tool)
		// As when it was recorded: the lines of the journal that tell secrets are not all that stands for them.
		r.secrets.note(recorded.Result, in.Tool.secrets, in.Tool.secretResult)
		return outcomeOf(recorded), err
	}
	at, f := r.enter(ctx, in)
	e.Waits = at.waits
	if f != nil {
		if Late(ctx) && in.Scoped {
			f = failure(diag.Timeout, CodeTimeout, "", "the time of the body around the call was over")
		} else if ctx.Err() != nil {
			return Outcome{Failure: f}, nil // the evaluation is over
		}
		at.use.refused.Add(1)
		if in.again {
			return Outcome{Failure: f}, nil
		}
		e.Class = journal.ReadOnly // nothing was done
		return r.record(e, Outcome{Failure: f})
	}
	if in.again {
		return r.make(ctx, in, at)
	}
	if _, _, err := r.opts.Journal.Begin(e); err != nil {
		at.leave()
		return Outcome{}, err
	}
	return r.make(ctx, in, at)
}

// make makes a call, and counts it.
func (r *Run) make(ctx context.Context, in Invocation, at place) (Outcome, error) {
	r.calls.Add(1)
	at.use.made.Add(1)
	began := time.Now()
	o, err := r.perform(ctx, in, at)
	at.use.time.Add(int64(time.Since(began)))
	if o.Failure != nil {
		at.use.errors.Add(1)
	}
	return o, err
}

// record writes down a call that was refused.
func (r *Run) record(e journal.Effect, o Outcome) (Outcome, error) {
	_, _, err := r.opts.Journal.Begin(e)
	if err == nil {
		err = r.opts.Journal.End(e.ID, r.entry(nil, o))
	}
	return o, err
}

var classes = [...]journal.Class{Writes: journal.Write, Repeats: journal.Idempotent, Reads: journal.ReadOnly}

func (r *Run) effect(in Invocation) journal.Effect {
	t := in.Tool
	args := r.secrets.JSON(t.redact(in.Args))
	return journal.Effect{ID: in.ID, Worker: in.Worker, Kind: journal.Call, Name: t.name, Class: classes[t.effect],
		Args: args, Hidden: journal.Hide(in.Args, args)}
}

// withheld reports whether the journal has a recorded outcome only without its secrets, and the
// tool can be asked for it again. What has changed the world is not done again for that.
func (r *Run) withheld(t *Tool, o journal.Outcome) bool {
	return o.Hidden != nil && t.effect == Reads && !o.Failed() && !r.opts.Journal.Replays()
}

// entry returns an outcome as the journal keeps it.
func (r *Run) entry(t *Tool, o Outcome) journal.Outcome {
	if o.Failure == nil {
		result := r.secrets.JSON(t.redactResult(o.Result))
		return journal.Outcome{Result: result, Hidden: journal.Hide(o.Result, result)}
	}
	text, err := marshal(o.Failure)
	if err != nil { // its data is JSON, or there is none
		text = json.RawMessage(`{"kind":"tool-failed","code":"failed","message":"the failure has no JSON"}`)
	}
	shown := r.secrets.JSON(text)
	return journal.Outcome{Error: shown, Hidden: journal.Hide(text, shown)}
}

// outcomeOf gives a recorded outcome.
func outcomeOf(o journal.Outcome) Outcome {
	if !o.Failed() {
		return Outcome{Result: o.Result}
	}
	f := &Failure{}
	if err := json.Unmarshal(o.Error, f); err != nil {
		f = &Failure{Kind: diag.ToolFailed, Code: CodeFailed, Message: "the recorded failure can't be read: " + err.Error()}
	}
	return Outcome{Failure: f}
}

// check refuses what does not depend on timing, and so is no effect.
func (r *Run) check(in Invocation) *Failure {
	t := in.Tool
	if len(in.Args) > r.opts.ArgumentBytes {
		return failure(diag.ArgumentTooLarge, CodeTooLarge, "raise the limit (--argument-bytes), or hand it less",
			"the arguments have %d bytes, a call's may have %d", len(in.Args), r.opts.ArgumentBytes)
	}
	if err := t.args.Check(in.Args, t.secrets); err != nil {
		f := failure(diag.ToolFailed, CodeBadArguments, t.Signature(), "argument %v", err)
		if bad := (*Mismatch)(nil); errors.As(err, &bad) && bad.Hint != "" {
			f.Hint = bad.Hint + " " + f.Hint
		}
		return f
	}
	return nil
}

// take counts a call of a tool, if there may be one more. Which call of parallel
// evaluations is one too many depends on timing.
func (r *Run) take(t *Tool) (*use, *Failure) {
	most := r.opts.ToolCalls
	if t.maxCalls > 0 {
		most = min(most, t.maxCalls)
	}
	u, calls := r.count(t)
	if calls > most {
		return u, failure(diag.CallsExceeded, CodeTooLarge, "call it less often, or raise the limit (--tool-calls)", "it was called %s in this run, which is all it may be", diag.Counted(most, "time"))
	}
	return u, nil
}

// count counts a call of a tool, and returns its use and how many calls there have been.
func (r *Run) count(t *Tool) (*use, int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	u := r.used[t]
	if u == nil {
		u = &use{action: r.opts.Queue.Action(t.name)}
		r.used[t] = u
	}
	u.calls++
	return u, u.calls
}

// Late says whether a context has ended, and its deadline has passed: it may have been
// cancelled because somebody else has noticed that first.
func Late(ctx context.Context) bool {
	until, ok := ctx.Deadline()
	return ok && ctx.Err() != nil && !time.Now().Before(until)
}

func failure(kind diag.Code, code, hint, format string, args ...any) *Failure {
	return &Failure{Kind: kind, Code: code, Message: fmt.Sprintf(format, args...), Hint: hint}
}

// maxBehind is how many calls of a run may be left behind before no more are made: each
// holds a goroutine of the host.
const maxBehind = 32

// grace is how long a call may take to end after its context has: then it is left
// behind.
const grace = 5 * time.Millisecond

// perform calls the function of the tool on a goroutine of its own, so that one that
// does not heed its context can be left behind. It then keeps its guards and its place
// among the executions of its action until it does end: it may still be at work.
func (r *Run) perform(outer context.Context, in Invocation, at place) (Outcome, error) {
	ctx, cancel := context.WithTimeout(context.WithValue(outer, callKey{}, callInfo{min(in.Room, int64(r.opts.ResultBytes)), at.key}), in.Tool.timeout)
	defer cancel()
	ended := make(chan Outcome, 1)
	go func() {
		growStack(0)
		var o Outcome
		defer func() {
			if o.Result == nil && o.Failure == nil { // by runtime.Goexit
				o.Failure = in.Tool.failureOf(ctx, &Error{Code: CodePanic, Message: "it ended its goroutine"})
			}
			at.leave() // before the caller goes on, and perhaps takes the same host itself
			ended <- o
		}()
		o = r.invoke(ctx, in)
	}()
	select {
	case o := <-ended:
		return r.ended(outer, in, o)
	case <-ctx.Done():
	}
	late := time.NewTimer(grace)
	defer late.Stop()
	select {
	case o := <-ended:
		return r.ended(outer, in, o)
	case <-late.C:
	}
	r.behind.Add(1)
	at.held.LeaveBehind(fmt.Sprintf("the call %s of tool/%s", in.ID, in.Tool.name))
	r.opts.Log.Warn("tool left behind: it does not heed the end of its context", "tool", in.Tool.name, "id", in.ID)
	return r.ended(outer, in, Outcome{Failure: in.Tool.failureOf(ctx, ctx.Err())})
}

// ended writes down how a call ended. One that failed because the evaluation is over is
// not ended: nobody knows what it has done, and nobody hears of it.
func (r *Run) ended(outer context.Context, in Invocation, o Outcome) (Outcome, error) {
	if o.Failure != nil {
		if outer.Err() != nil && !(Late(outer) && in.Scoped) {
			return o, nil
		}
		if outer.Err() != nil {
			o.Failure = failure(diag.Timeout, CodeTimeout, "", "the time of the body around the call was over")
		}
		r.pause(in, o.Failure.RetryAfter)
	}
	if in.again {
		return o, nil
	}
	return o, r.opts.Journal.End(in.ID, r.entry(in.Tool, o))
}

// pause has the rate limit of a call wait, if it has one, when the call is to be repeated
// no sooner than after some milliseconds.
func (r *Run) pause(in Invocation, ms int64) {
	rate := in.Tool.rateOf(in.Args)
	if ms <= 0 || rate.Key == "" {
		return
	}
	if err := r.opts.Guards.Pause(rate.Key, time.Now().Add(time.Duration(ms)*time.Millisecond)); err != nil {
		r.opts.Log.Warn("rate limit not paused", "tool", in.Tool.name, "error", err)
	}
}
