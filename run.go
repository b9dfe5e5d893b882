// This file defines a run of a Program and its Result.

package ptc

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/eval"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/sched"
	"github.com/ptc-lang/ptc/runtime/secret"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// runOwner tags the objects of a run's main evaluation, and firstWorkerOwner is below the tags of
// those that workers make.
const (
	runOwner         = 2
	firstWorkerOwner = 15
)

// RunOptions belong to one run. The zero value is a run without input.
type RunOptions struct {
	// Data has the values of data/name: json.RawMessage, or Go values that encoding/json accepts
	// (maps, slices, structs with their json tags, numbers, strings, booleans, nil). The program
	// sees the value of the JSON that encoding/json writes, with two exceptions: a float stays a
	// float, also a whole one, and MarshalJSON and MarshalText of a pointer are called even if the
	// value has no address. So a nil slice or map is nil, bytes are base64, and a time.Time is its
	// JSON string. Keys become keywords (see Options.StringKeys). In strings and keys each byte that
	// is not UTF-8 becomes U+FFFD. An integer may have 13,600 bits. NaN, an infinity, a channel, a
	// function and whatever else JSON can't hold are errors with their path.
	//
	// The name StandardInput is another: its value, a string, is what *in*, read-line and the like read. Without it
	// they are at the end of the input. A program that has Program.ReadsInput needs it.
	Data map[string]any
	// Output receives the prints of the program. If nil, they are in Result.Prints. A print of a
	// parallel element arrives when it is final: at once if every element below has ended,
	// otherwise in order after them. If a bound or a cancelled context ends the run, everything
	// printed before arrives. The caller is the goroutine of the element that prints, or of one
	// whose end makes prints of others final; for the main evaluation it is that of Run. Calls
	// never overlap, and none comes after Run has returned. A slow Output delays only the elements
	// whose prints are due.
	//
	// No bound ends a call of Output: Run returns after the last one, also if the time of the run is over. So an
	// Output that may block must not outlast ctx.
	Output func(Print)
	// ID is the host's name of the run. The lists of guards and queues show it to operators. It is
	// optional.
	ID string
	// Priority is that of the calls of tools in the queues which the run shares with others: calls of
	// a higher priority start first, in a proportion that starves none. See package queue.
	Priority effect.Priority
	// Progress, if it is not nil, shows the run while it is under way.
	Progress *Progress
	// Seed is the seed of the random numbers; 0 is a new one. It must be 0 if the run has a journal
	// with a header, because the header has the seed.
	Seed uint64
	// Log receives messages about tool calls; nil discards them.
	Log *slog.Logger
	// Journal records the effects of the run, or returns those of an earlier run. A journal with a
	// header must be of this program (see Program.Header). Run calls Finish if the run was not
	// interrupted by a bound or its context. The host calls Close. If nil, the calls of tools are
	// kept in memory, only for Result.Calls. Record, Resume and Replay open a journal by its path.
	Journal journal.Run
	// OnPending settles what is pending: calls that have to be approved, questions of the program, calls whose outcome
	// comes later, and in a resumed run writes in doubt. It is called with all of it, by the ids of the effects, when
	// nothing else in the run can go on, and again when that is so the next time. It may settle a part. If it returns
	// nothing, or is nil, the run is parked: its error is a *Parked. If it returns an error, the run ends with it. The
	// time until it returns counts for no limit. It should return soon after ctx ends, which it does when the run ends,
	// and when all that it was called with is settled by Pending.
	OnPending func(ctx context.Context, all []effect.Pending) ([]effect.Settlement, error)
	// Pending, if it is not nil, shows what is pending while the run is under way, and settles it.
	Pending *Pending
	// Plan, if it is not nil, makes the run a dry run, and collects the calls that it does not make. Such a run has no
	// Journal.
	Plan *Plan
	// Around, if not nil, is called around every tool call: for telemetry, audit, approval, caching,
	// or to replace tools in tests. See effect.Around.
	Around effect.Around
	// Observer, if not nil, follows the parallel operations, their elements and the waits of the run.
	Observer *effect.Observer
}

// StandardInput is the name in RunOptions.Data of the standard input of a program. It is recorded, replayed and sent to
// other nodes as the other data.
const StandardInput = "*in*"

// input returns the standard input in the data of a run.
func input(data map[string]any) (string, *diag.Error) {
	x := data[StandardInput]
	if raw, ok := x.(json.RawMessage); ok {
		var v any
		if err := json.Unmarshal(raw, &v); err != nil {
			return "", wrongData(StandardInput, err)
		}
		x = v
	}
	text, ok := x.(string)
	if !ok && x != nil {
		return "", diag.New(diag.WrongType, token.Span{}, "the standard input, the data named %s, is a %T, want a string",
			StandardInput, x)
	}
	return strings.ToValidUTF8(text, "\ufffd"), nil
}

// Print is a string that a program has printed.
type Print struct {
	// Element is the path of the parallel element that has printed it, such as "0.3.1"; "" for the
	// main evaluation.
	Element string
	Text    string
}

// Usage is the resources that a run used. A failed run has it too.
type Usage struct {
	Steps     int64         `json:"steps"`               // calls, jumps back and units of builtin work
	Memory    int64         `json:"memory"`              // bytes live at the last mark, and those charged since
	Marks     int           `json:"marks"`               // times the account was full and was marked
	Printed   int           `json:"printed"`             // bytes printed, whether passed on or not
	Calls     int64         `json:"calls"`               // of tools
	Tools     []ToolUsage   `json:"tools,omitempty"`     // the same for each tool that was called, by name
	Guards    []GuardUsage  `json:"guards,omitempty"`    // hosts, the global guard, rate limits: the longest waits first
	Queues    []QueueUsage  `json:"queues,omitempty"`    // of the tools that have a limit, or for which calls waited
	Hints     []string      `json:"hints,omitempty"`     // declarations that probably do not fit, one sentence each
	Abandoned int64         `json:"abandoned,omitempty"` // calls that had not ended when the run went on without them
	Duration  time.Duration `json:"duration"`            // nanoseconds, without those of Quiet
	Quiet     time.Duration `json:"quiet,omitempty"`     // nanoseconds for which everything waited for settlements
	Parallel  Parallel      `json:"parallel,omitzero"`   // nothing if nothing ran in parallel

	MemoryPeak       int64 `json:"memory_peak"`                  // most bytes of Memory at any time of the run
	WorkerMemoryPeak int64 `json:"worker_memory_peak,omitempty"` // the same of the worker that had most
}

// ToolUsage has the totals of the calls of one tool: their number, their time and their waits.
type ToolUsage = tool.Usage

// GuardUsage is the use of one guard by a run. Usage has the 16 for which the run has waited longest, and the others of
// each kind together.
type GuardUsage = effect.GuardUsage

// QueueUsage is the use of the queue of one tool by a run.
type QueueUsage = effect.QueueUsage

// maxGuards is how many guards Usage has one by one: more than a person reads, and less than an envelope cuts.
const maxGuards = 16

// Result is the result of a run. It keeps the value of the last form as a value of the language, and its methods
// convert it: Value, Decode, EDN, JSON, WriteEDN, WriteJSON and Envelope.
type Result struct {
	// Prints has the prints of the program, if RunOptions.Output is nil.
	Prints string
	Usage  Usage
	// Calls are the tool calls of the run, with those whose outcome an earlier run has recorded.
	// Secrets are left out.
	Calls []journal.Entry

	val   value.Value
	after eval.Afterwards
}

// Run compiles and runs a source that reads no input. The error, if any, is a
// *Error; the Result is nil if the source does not compile.
func Run(ctx context.Context, source string, opts Options) (*Result, error) {
	p, err := Compile(ctx, "program.ptc", source, opts)
	if err != nil {
		return nil, err
	}
	return p.Run(ctx, RunOptions{})
}

// Run evaluates the program. The error, if any, is a *Error; the Result then has the prints and the usage, and its
// value is nil. A run ends within milliseconds when ctx is cancelled, and does not begin if ctx has ended. Two runs
// share only values that are in Options, or that the host passes to both in RunOptions.
func (p *Program) Run(ctx context.Context, given RunOptions) (*Result, error) {
	if err := cmp.Or(p.runnable(ctx), given.wantPriority()); err != nil {
		return &Result{}, err
	}
	m := p.pool.Get().(*eval.Evaluation)
	defer func() {
		m.Reset()
		p.pool.Put(m)
	}()
	res := &Result{}
	if absent[journal.Journal](given.Journal) {
		given.Journal = nil
	}
	if err := given.wantPlannable(); err != nil {
		return res, err
	}
	r := &runner{m: m, name: p.name, opts: &p.opts, given: given, tools: p.tools, types: &p.types, res: res}
	seed, err := p.seed(given.Seed, given.Journal)
	if err != nil {
		return res, err
	}
	if in, wrong := input(given.Data); wrong != nil {
		return res, wrong
	} else {
		r.input = in
	}
	r.start(ctx, &p.pool, p.env, seed)
	defer r.release()
	if err := r.pend(ctx); err != nil {
		return res, err
	}
	for _, d := range p.datas {
		if err := r.bind(given.Data, d); err != nil {
			return res, err
		}
	}
	v := value.Nil
	for _, form := range p.prog.Forms {
		if v, err = m.Run(form); err != nil || m.Ended() {
			break
		}
	}
	r.end(ctx, v, err)
	if r.err != nil {
		return res, r.err
	}
	return res, nil
}

// wantPriority refuses a priority that there is not.
func (o *RunOptions) wantPriority() error {
	if o.Priority.Valid() {
		return nil
	}
	return diag.New(diag.IllegalArgument, token.Span{}, "RunOptions.Priority is %d, want HighPriority, NormalPriority or "+
		"LowPriority of package effect", int8(o.Priority))
}

// runnable refuses a context that is nil or has ended, and a Program that Compile has not made.
func (p *Program) runnable(ctx context.Context) error {
	if err := wantContext(ctx); err != nil {
		return err
	}
	if p == nil || p.prog == nil {
		return diag.New(diag.IllegalState, token.Span{}, "the program is not compiled").
			WithHint("take the *Program that ptc.Compile returns")
	}
	return notEnded(ctx)
}

// runner is one evaluation under way.
type runner struct {
	root    sched.Root
	workers eval.Workers
	m       *eval.Evaluation
	name    string // of the program
	opts    *Options
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

// Header returns the header of a journal for runs of the program: its name and source. The caller adds
// the other fields.
func (p *Program) Header() journal.Header {
	if p == nil {
		return journal.Header{}
	}
	return journal.Header{Program: p.name, Source: p.source}
}

// seed returns the seed of a run. A journal with a header has it: with two seeds a replay would
// draw other numbers than the run.
func (p *Program) seed(own uint64, j journal.Run) (uint64, *diag.Error) {
	var h *journal.Header
	if j != nil {
		h = j.Header()
	}
	switch {
	case h == nil:
		return orRandom(own), nil
	case own != 0:
		return 0, diag.New(diag.IllegalArgument, token.Span{},
			"a run with a journal has the seed of the journal, %d, got RunOptions.Seed %d too", h.Seed, own).
			WithHint("leave RunOptions.Seed at 0; a new journal takes the seed from its journal.Header")
	}
	if err := h.Check(p.name, p.source); err != nil {
		return 0, effect.RunError(err)
	}
	return h.Seed, nil
}

// orRandom returns a seed, and a new one for 0.
func orRandom(seed uint64) uint64 {
	if seed != 0 {
		return seed
	}
	return rand.Uint64()
}

func (r *runner) start(ctx context.Context, machines *sync.Pool, env *compile.Env, seed uint64) {
	r.began = time.Now()
	l, j := r.opts.Limits.OrDefault(), r.given.Journal
	o := eval.Options{Limits: l, Owner: runOwner, Seed: seed, Env: env, Levels: int32(l.Workers),
		Shared: eval.Shared{Output: r.print, Input: &r.input}}
	r.workers.Owners.Store(firstWorkerOwner)
	r.fx, r.hosted = newEffects(r.tools, l, r.opts, &r.given), j != nil
	r.root.Begin(l.Workers, r.opts.Processors, ctx.Done(), &r.fx.pending)
	r.fx.began = r.began
	if r.session != nil {
		r.fx.began = r.session.began
	}
	o.Effects, o.Journal = r.fx, r.fx.journal
	if j != nil {
		r.fx.began = r.began.Add(-j.Elapsed()) // a resumed run began in another process
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
	r.res.after.Limits = r.opts.Limits.OrDefault()
	if err == nil {
		r.res.val = v
	}
	r.fx.pending.Close() // before the end is in the journal
	r.err = r.finishJournal(causedBy(ctx, r.explained(r.settledEnd(err))))
	printed, _ := r.m.Printed()
	r.root.Wait()
	calls := r.fx.stats()
	r.res.Usage = Usage{Steps: r.m.TotalSteps(), Parallel: parallelOf(&r.root),
		Memory: r.m.Used(), MemoryPeak: r.m.Peak(), WorkerMemoryPeak: r.workers.Peak(), Marks: r.m.Marks(),
		Printed: printed, Calls: calls.Calls + r.workers.Calls.Load(), Tools: calls.Tools, Abandoned: calls.Abandoned,
		Duration: time.Since(r.began) - r.m.Clock().Lost(), Quiet: r.m.Clock().Lost()}
	u := &r.res.Usage
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

// wantPlannable refuses a dry run with a journal, which would have effects that did not happen.
func (o *RunOptions) wantPlannable() *diag.Error {
	if o.Plan == nil || o.Journal == nil {
		return nil
	}
	return diag.New(diag.IllegalArgument, token.Span{}, "got RunOptions.Plan and a journal, want one of them").
		WithHint("a dry run can't be recorded: run it without a journal")
}

// dataNames lists the names of an input.
func dataNames(data map[string]any) string {
	if len(data) == 0 {
		return "no data"
	}
	names := slices.Sorted(maps.Keys(data))
	return strings.Join(slices.DeleteFunc(names, func(name string) bool { return name == StandardInput }), ", ")
}
