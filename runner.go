// This file defines a run under way.

package ptc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/eval"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/sched"
	"github.com/ptc-lang/ptc/runtime/secret"
)

// runner is one evaluation under way.
type runner struct {
	root    sched.Root
	workers eval.Workers
	m       *eval.Evaluation
	name    string // of the program
	opts    *Options
	limits  Limits // none is 0
	given   RunOptions
	tools   *toolbox
	types   *goTypes // of the host's data
	fx      *effects
	res     *Result
	out     *strings.Builder
	began   time.Time
	session *Session // that evaluates; nil for a program
	input   string   // see StandardInput
	hosted  bool     // the journal is the host's
	err     *diag.Error
}

func (r *runner) start(ctx context.Context, machines *sync.Pool, env *compile.Env, seed uint64) {
	r.began = time.Now()
	r.limits = r.opts.Limits.OrDefault()
	l, j := &r.limits, r.given.Journal
	o := eval.Options{Limits: l, Owner: runOwner, Seed: seed, Env: env, Levels: int32(l.Workers),
		Shared: eval.Shared{Output: r.print, Input: &r.input}}
	r.workers.Owners.Store(firstWorkerOwner)
	r.fx, r.hosted = newEffects(r.tools, l, r.opts, &r.given), j != nil
	r.root.Begin(l.Workers, r.opts.Processors, ctx.Done(), &r.fx.pending)
	r.fx.world.Began = r.began
	if r.session != nil {
		r.fx.world.Began = r.session.began
	}
	o.World, o.Journal = &r.fx.world, r.fx.journal
	if j != nil {
		r.fx.world.Began = r.began.Add(-j.Elapsed()) // a resumed run began in another process
		o.Recalls, o.Replays = j.Recalls(), j.Replays()
		r.workers.Replicas = r.fx.replicas()
	}
	o.Scheduler, o.Workers, o.Evaluations, o.Strict = &r.root, &r.workers, machines, r.opts.OnFull == OnFullFail
	if r.session == nil {
		r.fx.logBegun(r.name)
	}
	r.m.Start(ctx, o)
	r.m.SetPoll(r.root.Poll)
	r.given.Progress.begun(r.fx, &r.root, &r.m.Meter, &r.workers.Calls)
}

// print receives a print of the run; see eval.Shared.Output.
func (r *runner) print(element, text string) {
	if r.given.Output != nil {
		if err := r.pass(Print{Element: element, Text: text}); err != nil {
			eval.End(err)
		}
		return
	}
	if r.out == nil {
		r.out = &strings.Builder{}
	}
	r.out.WriteString(text)
}

// pass calls Output.
func (r *runner) pass(p Print) *diag.Error { return byHost("Output", func() { r.given.Output(p) }) }

// byHost calls a function of the host. Its panic is an error.
func byHost(name string, call func()) (err *diag.Error) {
	defer func() {
		if v := recover(); v != nil {
			err = &diag.Error{Code: diag.HostFailed, Message: name + " panicked: " + secret.Show(v), Stack: debug.Stack(),
				Hint: "this is a bug of the host"}
		}
	}()
	call()
	return nil
}

// bind binds one of the inputs of the program.
func (r *runner) bind(data map[string]any, d dataSlot) *diag.Error {
	x, ok := data[d.name]
	if !ok {
		return diag.New(diag.UnknownData, d.span, "no input named data/%s", d.name).
			WithHint("the run was given %s", dataNames(data))
	}
	v, err := r.m.Import(func(t *value.Task) (value.Value, *diag.Error) {
		v, err := newImporter(t, r.types, !r.opts.StringKeys).value(x, 0)
		if err != nil {
			return value.Nil, wrongData(d.name, err)
		}
		return v, nil
	})
	if err != nil {
		err.Span = d.span
		return err
	}
	r.m.SetGlobal(d.global, v)
	return nil
}

// end computes the lazy parts of the value and fills the result.
func (r *runner) end(ctx context.Context, v value.Value, err *diag.Error) {
	if err == nil {
		v, err = r.m.Complete(v)
	}
	if n, limit := r.m.Printed(); n > limit {
		notice := fmt.Sprintf("\n[printing cut: the program printed %d bytes, the limit is %d]\n", n, limit)
		if r.given.Output == nil {
			r.print("", notice)
		} else if perr := r.pass(Print{Text: notice}); err == nil {
			err = perr
		}
	}
	if r.out != nil {
		r.res.Prints = r.out.String()
	}
	r.res.after.Limits = r.limits
	if err == nil {
		r.res.val = v
	}
	r.fx.pending.Close() // before the end is in the journal
	r.err = r.finishJournal(causedBy(ctx, r.explained(r.settledEnd(err))))
	printed, _ := r.m.Printed()
	r.root.Wait()
	calls := r.fx.stats()
	u := &r.res.Usage // whose fields are set one by one, because it is large
	u.Steps, u.Memory, u.Marks, u.Printed = r.m.TotalSteps(), r.m.Used(), r.m.Marks(), printed
	u.MemoryPeak, u.WorkerMemoryPeak = r.m.Peak(), r.workers.Peak()
	u.Calls, u.Tools, u.Abandoned = calls.Calls+r.workers.Calls.Load(), calls.Tools, calls.Abandoned
	u.Quiet = r.m.Clock().Lost()
	u.Duration = time.Since(r.began) - u.Quiet
	if r.root.Used() {
		u.Parallel = parallelOf(&r.root)
	}
	u.Guards, u.Queues, u.Hints = r.fx.watch.Guards(maxGuards), r.fx.watch.Queues(), r.fx.watch.Hints(u.Parallel.Peak > 1)
	r.fx.logEnded(r.err, u)
	r.res.after.Elapsed = u.Duration
	if r.err != nil {
		r.res.val = value.Nil
	} else { // last, as it changes what the account holds
		r.res.after.Memory = max(r.m.Cap()-r.m.Kept(v, r.session == nil), 0)
	}
}

// causedBy adds the cause of a context that has ended the run.
func causedBy(ctx context.Context, err *diag.Error) *diag.Error {
	if err == nil || err.Code != diag.Cancelled && err.Code != diag.Timeout {
		return err
	}
	root := err // where errors.Is comes to an Err
	for root.Cause != nil {
		root = root.Cause
	}
	if root.Err == nil {
		root.Err = context.Cause(ctx) // nil if a limit of the run was hit
	}
	return err
}

// finishJournal ends the journal of the host, unless a bound has ended the run: then it may be resumed
// with a wider bound. It returns the error of the run, without secrets.
func (r *runner) finishJournal(err *diag.Error) *diag.Error {
	if r.fx.journal != nil {
		r.res.Calls = r.fx.journal.Calls()
	}
	shown := r.fx.secrets.Error(err)
	if !r.hosted {
		return shown
	}
	if err != nil && !final(err.Code) {
		if replicas := r.fx.replicas(); replicas != nil {
			return r.halt(replicas, shown)
		}
		return r.noteStop(shown)
	}
	f, failed := r.outcome(err, shown)
	if jerr := errors.Join(failed, r.fx.journal.Finish(f)); jerr != nil {
		return effect.RunError(jerr)
	}
	return shown
}

// outcome returns the end of the run for the journal, without secrets, and the secrets apart.
func (r *runner) outcome(err, shown *diag.Error) (f journal.Final, failed error) {
	if err == nil {
		clear, verr := r.res.recorded()
		if verr == nil {
			f.Value = r.fx.secrets.Text(clear)
			f.Hidden = effect.Hide([]byte(clear), []byte(f.Value))
			return f, nil
		}
		if !errors.As(verr, &err) { // it is too large
			return f, verr
		}
		shown = err
	}
	clear, failed := finalError(err)
	if failed == nil {
		f.Error, failed = finalError(shown)
	}
	f.Hidden = effect.Hide(clear, f.Error)
	return f, failed
}

// noteStop records how a bound that depends on timing has ended the run.
func (r *runner) noteStop(err *diag.Error) *diag.Error {
	how := r.m.Ending()
	if how == nil {
		return err
	}
	if jerr := r.fx.journal.Stop(how); jerr != nil {
		return effect.RunError(jerr)
	}
	return err
}

// finalError returns the parts of an error that do not depend on timing, as JSON.
func finalError(e *diag.Error) (json.RawMessage, error) {
	return json.Marshal(struct {
		Code    diag.Code `json:"code"`
		Message string    `json:"message"`
		Data    any       `json:"data,omitempty"`
		Place   string    `json:"place,omitempty"`
	}{e.Code, e.Message, e.Data, e.Span.String()})
}

// final reports whether a run that ended with a code would end with it again.
func final(code diag.Code) bool {
	switch code {
	case diag.Timeout, diag.StepsExceeded, diag.MemoryExceeded, diag.DepthExceeded, diag.CallsExceeded, diag.Cancelled,
		diag.Parked, diag.Diverged, diag.InDoubt, diag.JournalFailed, diag.HostFailed, diag.Internal:
		return false
	}
	return true
}
