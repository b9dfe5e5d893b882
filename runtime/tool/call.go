// This file defines the calls of one run: the one path to a tool.

package tool

import (
	"bytes"
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
	spawn     func(func())         // starts the goroutine of a call; tests replace it
	idle      func() time.Duration // see effect.Execution; nil without Pending
}

// RunOptions are the bounds of a run's calls, and the guards and queues that it shares with other
// runs.
type RunOptions struct {
	ArgumentBytes int             // of each call
	ResultBytes   int             // of each call
	ToolCalls     int             // of one tool
	ID            string          // the host's name of the run, for the lists of queues; optional
	Priority      effect.Priority // of its calls in the queues
	Guards        effect.Guards
	Queue         effect.Queues
	Journal       Journal       // of this run
	Around        effect.Around // is called around each call; optional
	// Pending has the calls that have to be approved, or whose outcome comes later; if nil, no call has to be approved.
	Pending effect.Pendings
	Approve effect.Approvals // calls that have to be approved, in addition to those that tools declare
	// Plan gets the calls of a dry run that change something, and reports whether it has room for them. They are not
	// made, and have the result null. It may be called by many goroutines concurrently. If nil, the run is not a dry run.
	Plan  func(Planned) (room bool)
	Ready func(ctx context.Context, id string) // see effect.Observer.Ready; optional
	Log   *slog.Logger                         // the Logger of the journal's Secrets; optional
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
	if o.Pending != nil {
		r.idle = o.Pending.Idle
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
	tool *Tool
	facts
	again bool // its outcome is recorded without a secret
	tries int  // attempts so far: Around may call next again

	execution effect.Execution // of the first attempt; its Host is that of all
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
	in.facts = t.facts(in.Args)
	e := in.effect()
	if r.opts.Plan != nil && e.Class != effect.ReadOnly {
		return effect.Outcome{Failure: r.plan(in, e)}, nil
	}
	for {
		recorded, done, err := r.opts.Journal.Recall(ctx, e)
		if in.again = done && r.withheld(in, recorded); err != nil || done && !in.again {
			r.count(in.tool)
			// As in the recorded run: the journal's lines of secrets do not have all their forms.
			r.secrets.Note(recorded.Result, in.tool.secrets, in.tool.secretResult)
			return recorded.Outcome(), err
		}
		o, may, err := r.permit(ctx, in, e)
		if errors.Is(err, effect.ErrSettled) {
			continue // it is recalled now
		}
		if !may || err != nil {
			return o, err
		}
		break
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
	// settled is the record of a settlement that is the outcome; nil if there is none.
	settled *effect.Record
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
	if f != nil && r.over() {
		got.err = r.opts.Pending.Ended()
		return got
	}
	if f != nil {
		if got.Failure, got.over = in.Ended(ctx, cancelled(ctx, inner, f)); got.over {
			got.err = r.withdraw(in, got)
		} else {
			at.use.refused.Add(1)
		}
		return got
	}
	if !in.again && !got.begun {
		if _, _, got.err = r.opts.Journal.Begin(ctx, e); got.err != nil {
			at.stop()
			r.leave(at, effect.EndCancelled)
			return got
		}
		got.begun = true
	}
	began := time.Now()
	var made bool
	got.Outcome, made = r.perform(in, at, &got)
	if made {
		got.made = true
		at.use.time.Add(int64(time.Since(began)))
	}
	if got.Failure == nil || got.err != nil {
		return got
	}
	if made {
		at.use.errors.Add(1)
	}
	if got.settled != nil {
		return got
	}
	switch got.Failure, got.over = in.Ended(ctx, cancelled(ctx, inner, got.Failure)); {
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

// finish records the end of a call.
func (r *Run) finish(ctx context.Context, in *call, e effect.Effect, got attempted) (effect.Outcome, error) {
	if in.again {
		return got.Outcome, nil
	}
	record := in.record(got.Outcome)
	if !got.begun { // it has changed nothing
		e.Class, e.Waits = effect.ReadOnly, got.waits
		return got.Outcome, r.opts.Journal.Skip(ctx, e, record)
	}
	if s := got.settled; s != nil && bytes.Equal(*s.Payload(), *record.Payload()) && s.Failed() == record.Failed() {
		return got.Outcome, nil // the settlement is the end, unless Around has changed it
	}
	return got.Outcome, r.opts.Journal.End(in.ID, record)
}

// effect returns the effect of a call, without the fields that are secret.
func (in *call) effect() effect.Effect {
	t := in.tool
	args := secret.Redact(in.Args, t.secrets)
	return effect.Effect{ID: in.ID, Worker: in.Worker, Kind: effect.KindCall, Name: t.name, Class: in.class,
		Args: args, Hidden: effect.Hide(in.Args, args)}
}

// withheld reports whether the journal has a recorded outcome only without its secrets, and the
// tool can be asked for it again. A call that has changed the world is not repeated for this
// purpose.
func (r *Run) withheld(in *call, o effect.Record) bool {
	return o.Hidden != nil && in.class == effect.ReadOnly && !o.Failed() && !r.opts.Journal.Replays()
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

// counted counts a call of a tool, and returns its use and the number of calls so far. The first queued
// call looks up the queue, because that may call a function of the host.
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
