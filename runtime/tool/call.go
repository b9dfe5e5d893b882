// This file defines the calls of one run: the one path to a tool.

package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
)

// Run is one run of a program as its tools see it: the calls that were made. It is safe
// for concurrent use, by the run's evaluations.
type Run struct {
	opts      RunOptions
	calls     atomic.Int64
	left      atomic.Int64 // behind: calls that have not ended in time
	mu        sync.Mutex
	perTool   map[*Tool]int
	abandoned sync.WaitGroup
}

// RunOptions are the bounds of a run's calls, and what it shares with other runs.
type RunOptions struct {
	ArgumentBytes int // of each call
	ResultBytes   int // of each call
	ToolCalls     int // of one tool
	Log           *slog.Logger
}

// NewRun begins a run.
func NewRun(o RunOptions) *Run {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Run{opts: o, perTool: make(map[*Tool]int)}
}

// Invocation is one call.
type Invocation struct {
	ID   string // of the effect: the place of the evaluation and the number of the call in it
	Tool *Tool
	Args json.RawMessage // canonical: objects by key
	// Room is how many bytes the result may have at most, because the evaluation has no
	// room for more; the bound of the run holds too.
	Room int64
}

// Outcome is what became of a call: a result, or a failure.
type Outcome struct {
	Result  json.RawMessage
	Failure *Failure
}

// Stats tells of the calls of a run.
type Stats struct {
	Calls  int64 // made
	Behind int64 // that had not ended when the run went on without them
}

// Stats gives the counts so far.
func (r *Run) Stats() Stats { return Stats{r.calls.Load(), r.left.Load()} }

// grace is how long a call may take to end after its context has: then it is left
// behind.
const grace = 5 * time.Millisecond

// maxBehind is how many calls of a run may be left behind before no more are made: each
// holds a goroutine of the host.
const maxBehind = 32

// Call makes a call. It returns soon after ctx is done, whatever the tool does.
func (r *Run) Call(ctx context.Context, in Invocation) Outcome {
	if f := r.admit(in); f != nil {
		return Outcome{Failure: f}
	}
	ctx, cancel := context.WithTimeout(context.WithValue(ctx, callKey{}, in), in.Tool.timeout)
	defer cancel()
	r.calls.Add(1)
	return r.perform(ctx, in)
}

// admit checks what can be checked before anything happens.
func (r *Run) admit(in Invocation) *Failure {
	t := in.Tool
	if len(in.Args) > r.opts.ArgumentBytes {
		return t.failure(diag.ArgumentTooLarge, CodeTooLarge, "raise the limit (--argument-bytes), or hand it less",
			"the arguments have %d bytes, a call's may have %d", len(in.Args), r.opts.ArgumentBytes)
	}
	if err := t.args.Check(in.Args, t.secrets); err != nil {
		f := t.failure(diag.ToolFailed, CodeBadArguments, t.Signature(), "argument %v", err)
		if bad := (*Mismatch)(nil); errors.As(err, &bad) && bad.Hint != "" {
			f.Hint = bad.Hint + " " + f.Hint
		}
		return f
	}
	if n := r.left.Load(); n >= maxBehind {
		return t.failure(diag.ToolFailed, CodeStuck, "the tools do not heed the end of their context", "%d calls of this run have not ended in time", n)
	}
	most := r.opts.ToolCalls
	if t.maxCalls > 0 {
		most = min(most, t.maxCalls)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.perTool[t] >= most {
		return t.failure(diag.CallsExceeded, CodeTooLarge, "call it less often, or raise the limit (--tool-calls)", "it was called %d times in this run, which is all it may be", most)
	}
	r.perTool[t]++
	return nil
}

func (t *Tool) failure(kind diag.Code, code, hint, format string, args ...any) *Failure {
	return &Failure{Kind: kind, Code: code, Message: fmt.Sprintf(format, args...), Hint: hint}
}

// perform calls the function of the tool on a goroutine of its own, so that one that
// does not heed its context can be left behind.
func (r *Run) perform(ctx context.Context, in Invocation) Outcome {
	type returned struct {
		result json.RawMessage
		err    error
	}
	ended := make(chan returned, 1)
	go func() {
		var got returned
		defer func() {
			if p := recover(); p != nil {
				r.opts.Log.Error("tool panicked", "tool", in.Tool.name, "id", in.ID, "panic", p, "stack", string(debug.Stack()))
				got = returned{err: &Error{Code: CodePanic, Message: "it panicked: " + clip(fmt.Sprint(p))}}
			}
			ended <- got
		}()
		got.result, got.err = in.Tool.fn(ctx, in.Args)
	}()
	select {
	case got := <-ended:
		return r.outcome(ctx, in, got.result, got.err)
	case <-ctx.Done():
	}
	late := time.NewTimer(grace)
	defer late.Stop()
	select {
	case got := <-ended:
		return r.outcome(ctx, in, got.result, got.err)
	case <-late.C:
	}
	r.left.Add(1)
	r.opts.Log.Warn("tool left behind: it does not heed the end of its context", "tool", in.Tool.name, "id", in.ID)
	return r.outcome(ctx, in, nil, ctx.Err())
}

func (r *Run) outcome(ctx context.Context, in Invocation, result json.RawMessage, err error) Outcome {
	t := in.Tool
	if err != nil {
		return Outcome{Failure: t.failureOf(ctx, err)}
	}
	if most := r.opts.ResultBytes; len(result) > most {
		return Outcome{Failure: t.failure(diag.ResultTooLarge, CodeTooLarge, "ask for less, or raise the limit (--call-result-bytes)",
			"the result has %d bytes, a call's may have %d", len(result), most)}
	}
	if int64(len(result)) > in.Room {
		return Outcome{Failure: t.failure(diag.MemoryExceeded, CodeTooLarge, "ask for less, keep less, or raise the memory limit",
			"the result has %d bytes, the evaluation has room for %d", len(result), in.Room)}
	}
	return Outcome{Result: result}
}

// callKey is that of the Invocation in the context of a tool's function.
type callKey struct{}

// CallID gives the id of the call that a tool's function was called for: the same when a
// run is resumed and the call made again, and no other call's of the run. It serves as an
// idempotency key. It is "" outside of a call.
func CallID(ctx context.Context) string {
	in, _ := ctx.Value(callKey{}).(Invocation)
	return in.ID
}

// ResultRoom gives how many bytes the result of the call may have at most, so that a
// tool need not gather more; 0 outside of a call.
func ResultRoom(ctx context.Context) int64 {
	in, _ := ctx.Value(callKey{}).(Invocation)
	return in.Room
}
