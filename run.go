// This file defines a run of a Program and its Result.

package ptc

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/eval"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// runOwner tags the objects of a run's main evaluation, and firstWorkerOwner is below the tags of the
// objects that workers make.
const (
	runOwner         = 2
	firstWorkerOwner = 15
)

// RunOptions belong to one run. The zero value is a run without input.
type RunOptions struct {
	// Data has the values of data/name: json.RawMessage, or Go values that encoding/json accepts
	// (maps, slices, structs with their json tags, numbers, strings, booleans, nil). The program
	// sees the value of the JSON that encoding/json writes, with two exceptions: a float stays a float, even
	// if it is whole, and MarshalJSON and MarshalText of a pointer are called even if the value has no
	// address. So a nil slice or map is nil, bytes are base64, and a time.Time is its JSON string. Keys become
	// keywords (see Options.StringKeys). In strings and keys each byte that is not UTF-8 becomes U+FFFD. An
	// integer may have 13,600 bits. NaN, infinities, channels, functions and other values that JSON can't hold
	// are errors that name their path.
	//
	// The name StandardInput is special: its value, a string, is the input that *in*, read-line and the like
	// read. Without it they are at the end of the input. A program that has Program.ReadsInput needs it.
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
	// OnPending settles pending effects: calls that have to be approved, questions of the program, calls whose outcome
	// comes later, and in a resumed run writes in doubt. It is called with all pending effects, ordered by id,
	// each time when nothing else in the run can continue. It may settle a part. If it returns nothing, or is
	// nil, the run is parked: its error is a *Parked. If it returns an error, the run ends with it. The time
	// until it returns counts for no limit. It should return soon after ctx ends, which it does when the run
	// ends, and when all that it was called with is settled by Pending.
	OnPending func(ctx context.Context, all []effect.Pending) ([]effect.Settlement, error)
	// Pending, if it is not nil, shows and settles pending effects while the run is under way.
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
	Abandoned int64         `json:"abandoned,omitempty"` // calls that had not ended when the run continued without them
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
	if absent[journal.Journal](given.Journal) {
		given.Journal = nil
	}
	if err := cmp.Or(p.runnable(ctx), given.wantPriority(), given.wantPlannable()); err != nil {
		return &Result{}, err
	}
	m := p.pool.Get().(*eval.Evaluation)
	defer func() {
		m.Reset()
		p.pool.Put(m)
	}()
	res := &Result{}
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

// wantPlannable refuses a dry run with a journal, which would have effects that did not happen.
func (o *RunOptions) wantPlannable() error {
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
