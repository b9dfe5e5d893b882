// This file defines the call of Around and the checks of its outcome.

package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"hash/maphash"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/secret"
)

// passage is a call of Around.
type passage struct {
	run *Run
	ctx context.Context // of the evaluation
	in  *call
	e   effect.Effect

	mu     sync.Mutex // held while next is under way
	closed bool       // Around has returned
	got    attempted  // of the calls of next
	kind   diag.Code  // of the failure of the last one, "" for none
	seed   maphash.Seed
	sum    uint64 // of its result
}

// around calls Around, and records the outcome that it returns.
func (r *Run) around(ctx context.Context, in *call, e effect.Effect) (effect.Outcome, error) {
	p := &passage{run: r, ctx: ctx, in: in, e: e, seed: maphash.MakeSeed()}
	o := p.call()
	p.mu.Lock() // wait for the end of a next that is under way
	defer p.mu.Unlock()
	p.closed = true
	got := p.got
	switch {
	case got.err != nil || got.over:
		return got.Outcome, got.err
	case in.tries == 0:
		r.count(in.tool) // as for a recalled call
	}
	got.Outcome = p.checked(o)
	if got.Failure != nil && got.settled == nil {
		if got.Failure, got.over = in.Ended(ctx, got.Failure); got.over {
			return got.Outcome, r.withdraw(in, got)
		}
	}
	return r.finish(ctx, in, p.e, got)
}

// call calls Around. A panic is the failure of the call.
func (p *passage) call() (o effect.Outcome) {
	defer func() {
		if v := recover(); v != nil {
			text := secret.Show(v)
			p.run.opts.Log.Error("Around panicked", "tool", p.in.tool.name, "id", p.in.ID, "panic", text,
				"stack", string(debug.Stack()))
			o = effect.Outcome{Failure: failure(diag.ToolFailed, effect.CodePanic, "", "Around panicked: %s", text)}
		}
	}()
	c := p.in.Call
	c.Args = slices.Clone(c.Args) // the journal keeps the original
	return p.run.opts.Around(p.ctx, c, p.next)
}

// next makes the call, or makes it again.
func (p *passage) next(ctx context.Context) effect.Outcome {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f := p.refusal(ctx); f != nil {
		return effect.Outcome{Failure: f}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(p.ctx, func() { cancel(context.Cause(p.ctx)) })() // if ctx is not derived from p.ctx
	p.got = p.run.attempt(p.ctx, ctx, p.in, p.e, p.got)
	if p.kind = ""; p.got.Failure != nil {
		p.kind = p.got.Failure.Kind
	}
	p.sum = maphash.Bytes(p.seed, p.got.Result)
	return p.got.Outcome
}

// refusal returns why next does nothing; nil if it makes the call.
func (p *passage) refusal(ctx context.Context) *effect.Failure {
	refuse := func(hint, format string, args ...any) *effect.Failure {
		return failure(diag.ToolFailed, effect.CodeFailed, hint, format, args...)
	}
	t := p.in.tool
	switch {
	case p.closed:
		return refuse("", "next was called after Around had returned")
	case ctx == nil:
		return refuse("", "next got a nil context, want one")
	case p.got.err != nil || p.got.over:
		return refuse("", "next was called again after the evaluation had ended")
	case p.got.made && p.in.class == effect.Write:
		return refuse("declare the tool Idempotent or ReadOnly if it may be called again",
			"next was called again for tool/%s, which writes and was called already", t.name)
	}
	return nil
}

// checked returns the outcome of Around as the program sees it. It checks an outcome that is not
// that of next.
func (p *passage) checked(o effect.Outcome) effect.Outcome {
	r, in := p.run, p.in
	if o.Failure != nil {
		return effect.Outcome{Failure: p.failure(*o.Failure)}
	}
	if in.tries > 0 && p.kind == "" && p.sum == maphash.Bytes(p.seed, o.Result) {
		return o
	}
	if len(o.Result) == 0 {
		o.Result = json.RawMessage("null")
	}
	result, err := oneLine(o.Result)
	if err != nil {
		return r.failed(p.ctx, in, err)
	}
	return r.checked(p.ctx, in, result, in.tool.result)
}

// failure returns a failure of Around within the bounds of a tool's failure. Its kind is that of
// next, or diag.ToolFailed.
func (p *passage) failure(f effect.Failure) *effect.Failure {
	if f.Kind != p.kind || p.kind == "" {
		f.Kind = diag.ToolFailed
	}
	if f.Code == "" {
		f.Code = effect.CodeFailed
	}
	if f.Message == "" {
		f.Message = "it failed with the code " + f.Code
	}
	f.Code, f.Message, f.Hint = clip(f.Code, maxName), clip(f.Message, maxMessage), clip(f.Hint, maxMessage)
	f.RetryAfter = max(f.RetryAfter, 0)
	if f.Data != nil {
		var line bytes.Buffer
		err := json.Compact(&line, f.Data)
		attach(&f, line.Bytes(), err)
		p.run.secrets.Note(f.Data, p.in.tool.secrets, false)
		f.Data = secret.Redact(f.Data, p.in.tool.secrets)
	}
	return &f
}
