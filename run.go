// This file defines a run of a Program and its Result.

package ptc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/eval"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// runOwner tags the objects of a run's main evaluation.
const runOwner = 2

// Input is what one run is given.
type Input struct {
	// Data holds the values of data/name: Go values as encoding/json takes them
	// (maps, slices, structs through their json tags, numbers, strings, booleans,
	// nil), or json.RawMessage. Integers of any size keep their value. Keys become
	// keywords (see Options.StringKeys), bytes base64, and a time.Time its text.
	Data map[string]any
	// Journal takes the effects of the run, or gives those of an earlier one. Finish is
	// called when the run has come to an end of its own; Close is left to the host. The
	// seed of the run must be that of the journal: see Options.Seed. If nil, the effects
	// of a program with tools are kept in memory, and only for Result.Calls.
	Journal *journal.Journal
}

// Usage tells what a run took.
type Usage struct {
	Steps    int64         `json:"steps"`             // calls, jumps back and units of builtin work
	Memory   int64         `json:"memory"`            // bytes in the account at the end: live at the last mark and charged since
	Marks    int           `json:"marks"`             // times the account was full and was marked
	Printed  int           `json:"printed"`           // bytes printed, whether passed on or not
	Calls    int64         `json:"calls"`             // of tools
	Behind   int64         `json:"behind,omitempty"`  // calls that had not ended when the run went on without them
	Duration time.Duration `json:"duration"`          // nanoseconds
	Parallel Parallel      `json:"parallel,omitzero"` // nothing if nothing ran in parallel
}

// Parallel tells what a run did in parallel.
type Parallel struct {
	Operations int64 `json:"operations"` // calls of pmap, pcalls and their kind
	Elements   int64 `json:"elements"`   // that were run
	Spawned    int64 `json:"spawned"`    // goroutines started; the first worker of an operation needs none
	Stolen     int64 `json:"stolen"`     // times a worker took elements that another had claimed
	Refused    int64 `json:"refused"`    // operations that found no free slot
	Peak       int   `json:"peak"`       // most workers alive at once
	Blocked    int   `json:"blocked"`    // most evaluations that waited at once, for time to pass, a tool or their operation
	Queued     int   `json:"queued"`     // most elements that waited for a worker at once
}

// Result is what a run gives.
type Result struct {
	// Value is the value of the last form as a Go value: nil, bool, int64, float64 (NaN
	// and infinities included), string, *big.Int, map[string]any for maps and records,
	// []any for vectors, lists, sets and sequences. Characters, keywords (without the
	// colon) and symbols become strings, and so do the keys of maps; of keys with one
	// text, one is kept. Anything else becomes the text that EDN gives.
	Value any
	// Prints is what the program printed, if Options.Output is nil.
	Prints string
	Usage  Usage
	// Calls are the calls of tools that the run has made, or whose outcome an earlier one
	// has recorded; what a tool calls secret is left out.
	Calls []journal.Entry

	val    value.Value
	limits limits.Limits
}

// Run compiles and runs a source that reads no input. The error, if any, is a
// *Error; the Result is nil if the source does not compile.
func Run(ctx context.Context, source string, opts Options) (*Result, error) {
	if err := wantContext(ctx); err != nil {
		return nil, err
	}
	p, err := compileProgram(ctx, "program.ptc", source, opts)
	if err != nil {
		return nil, err
	}
	return p.Run(ctx, Input{})
}

// Run evaluates the program. The error, if any, is a *Error; the Result is then
// still given, with what was printed and used, and a nil Value. A cancelled ctx
// ends the run within milliseconds, wherever it is.
func (p *Program) Run(ctx context.Context, in Input) (*Result, error) {
	if err := wantContext(ctx); err != nil {
		return &Result{}, err
	}
	m := p.pool.Get().(*eval.Machine)
	defer func() {
		m.Reset()
		p.pool.Put(m)
	}()
	res := &Result{}
	r := &runner{m: m, opts: &p.opts, tools: p.tools, res: res}
	if err := r.start(ctx, &p.pool, p.prog, p.env, in.Journal); err != nil {
		return res, err
	}
	for _, d := range p.datas {
		if err := r.bind(in, d); err != nil {
			return res, err
		}
	}
	v := value.Nil
	var err *diag.Error
	for _, form := range p.prog.Forms {
		if v, err = m.Run(form); err != nil || m.Ended() {
			break
		}
	}
	r.end(v, err)
	if r.err != nil {
		return res, r.err
	}
	return res, nil
}

// runner is one evaluation under way.
type runner struct {
	root
	m       *eval.Machine
	opts    *Options
	tools   *toolbox
	fx      *effects
	res     *Result
	out     *strings.Builder
	began   time.Time
	session *Session // that evaluates; nil for a program
	hosted  bool     // the journal is the host's
	err     *diag.Error
}

func (r *runner) start(ctx context.Context, machines *sync.Pool, p *compile.Program, env *compile.Env, j *journal.Journal) error {
	if j != nil && (r.opts.Seed == 0 || r.opts.OnFull == Inline) {
		return diag.New(diag.IllegalArgument, token.Span{}, "a run with a journal needs a seed of its own, and operations that fail when they find no slot").
			WithHint("set Options.Seed to that of the journal, and leave Options.OnFull")
	}
	r.began = time.Now()
	r.res.limits = r.opts.Limits.OrDefault()
	o := eval.Options{Limits: r.res.limits, Owner: runOwner, Seed: r.opts.Seed, Output: r.opts.Output, Globals: p.Globals,
		Env: env}
	if o.Seed == 0 {
		o.Seed = rand.Uint64()
	}
	if o.Output == nil {
		o.Output = r.gather
	}
	r.prepare(r.res.limits.Workers, r.opts.Progress)
	r.fx, r.hosted = newEffects(r.tools, r.res.limits, r.opts, j), j != nil
	r.fx.began = r.began
	if r.session != nil {
		r.fx.began = r.session.began
	}
	r.opts.Progress.begun(r.fx)
	o.Effects, o.Journalled = r.fx, r.fx.journal != nil
	if j != nil {
		r.fx.began = r.began.Add(-j.Elapsed()) // a resumed run began in another process
		o.Recalls, o.Replays = j.Recalls(), j.Replays()
	}
	o.Place, o.Owners, o.Machines, o.Inline = r, &r.owners, machines, r.opts.OnFull == Inline
	r.m.Start(ctx, o)
	return nil
}

func (r *runner) gather(text string) {
	if r.out == nil {
		r.out = &strings.Builder{}
	}
	r.out.WriteString(text)
}

// bind gives the program one of its inputs.
func (r *runner) bind(in Input, d dataSlot) *diag.Error {
	x, ok := in.Data[d.name]
	if !ok {
		return diag.New(diag.UnknownData, d.span, "no input named data/%s", d.name).
			WithHint("the run was given %s", dataNames(in.Data))
	}
	v, err := r.m.Import(func(t *value.Task) (value.Value, error) { return toValue(t, x, !r.opts.StringKeys) })
	if err != nil {
		err.Span = d.span
		return err
	}
	r.m.SetGlobal(d.global, v)
	return nil
}

// end computes what is left of the value and fills the result.
func (r *runner) end(v value.Value, err *diag.Error) {
	if err == nil {
		v, err = r.m.Realise(v)
	}
	if n, limit := r.m.Printed(); n > limit {
		notice := fmt.Sprintf("\n[printing cut: the program printed %d bytes, the limit is %d]\n", n, limit)
		if r.opts.Output != nil {
			r.opts.Output(notice)
		} else {
			r.gather(notice)
		}
	}
	if r.out != nil {
		r.res.Prints = r.out.String()
	}
	if err == nil {
		r.res.val = v
		r.res.Value, err = r.export(v)
	}
	r.err = r.finishJournal(r.fx.secrets.Error(err))
	printed, _ := r.m.Printed()
	par, calls := r.finish(), r.fx.stats()
	r.opts.Progress.ended()
	r.res.Usage = Usage{Steps: r.m.TotalSteps(), Parallel: Parallel{par.Operations, par.Completed, par.Spawned, par.Stolen, par.Refused, par.Peak, par.MostBlocked, par.MostQueued},
		Memory: r.m.Used(), Marks: r.m.Marks(), Printed: printed, Calls: calls.Calls, Behind: calls.Behind, Duration: time.Since(r.began)}
}

// finishJournal ends the journal of the host, if the run has come to an end of its own:
// one that a bound has ended may be resumed with a wider one. It gives the error of the
// run.
func (r *runner) finishJournal(err *diag.Error) *diag.Error {
	if r.fx.journal != nil {
		r.res.Calls = r.fx.journal.Calls()
	}
	if !r.hosted {
		return err
	}
	if err != nil && !final(err.Code) {
		return r.noteStop(err)
	}
	var f journal.Final
	var failed error = err
	if err == nil {
		f.Value, failed = r.res.EDN() // a value may be too large
		f.Value = r.fx.secrets.Text(f.Value)
	}
	if failed != nil {
		f.Error, failed = finalError(failed)
	}
	if jerr := errors.Join(failed, r.fx.journal.Finish(f)); jerr != nil {
		return fatal(jerr)
	}
	return err
}

// noteStop has the journal keep how a bound that depends on timing has ended the run.
func (r *runner) noteStop(err *diag.Error) *diag.Error {
	how := r.m.Ending()
	if how == nil {
		return err
	}
	if jerr := r.fx.journal.Stop(how); jerr != nil {
		return fatal(jerr)
	}
	return err
}

// finalError gives what of an error does not depend on timing, as JSON.
func finalError(err error) (json.RawMessage, error) {
	var e *diag.Error
	if !errors.As(err, &e) {
		return nil, err
	}
	return json.Marshal(struct {
		Code    diag.Code `json:"code"`
		Message string    `json:"message"`
		Data    any       `json:"data,omitempty"`
		Place   string    `json:"place,omitempty"`
	}{e.Code, e.Message, e.Data, e.Span.String()})
}

// final says whether a run that ended with a code would do so again.
func final(code diag.Code) bool {
	switch code {
	case diag.Timeout, diag.StepsExceeded, diag.MemoryExceeded, diag.DepthExceeded, diag.CallsExceeded, diag.Cancelled,
		diag.Diverged, diag.InDoubt, diag.JournalFailed, diag.Internal:
		return false
	}
	return true
}

// export gives the value as a Go value. Like a text of it, it may take only so much.
func (r *runner) export(v value.Value) (x any, err *diag.Error) {
	if !v.Is(value.Colls) && v.Is(plainKinds) {
		return toGo(nil, v), nil
	}
	err = eval.Outside(r.m.Context(), r.res.limits, func(t *value.Task) { x = toGo(t, v) })
	if err != nil && err.Code == diag.MemoryExceeded {
		err = resultTooLarge(r.res.limits.ResultBytes)
	}
	return x, err
}

// dataNames lists the names of an input.
func dataNames(data map[string]any) string {
	if len(data) == 0 {
		return "no data"
	}
	return strings.Join(slices.Sorted(maps.Keys(data)), ", ")
}
