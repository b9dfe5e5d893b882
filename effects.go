// This file joins the machine and what a run can do outside of its program: tools,
// guards, the clock, and the journal of all that.

package ptc

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/eval"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/guard"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/limits"
	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// toolbox is what programs know of a host's tools. It is made when they are compiled,
// and never changed.
type toolbox struct {
	tools []*value.Tool
	known compile.Tools
}

func newToolbox(opts Options) *toolbox {
	b := &toolbox{known: compile.Tools{Withheld: opts.Tools.Withheld()}}
	for _, t := range opts.Tools.All() {
		known := &value.Tool{Name: t.Name(), Doc: t.Doc(), Signature: t.Signature(), Sole: t.Sole(), Examples: t.Examples(),
			StringKeys: opts.StringKeys, Ref: t}
		b.tools = append(b.tools, known)
		if b.known.Granted == nil {
			b.known.Granted = make(map[string]value.Value)
		}
		b.known.Granted[known.Name] = builtins.ToolFunction(known)
	}
	return b
}

// effects are what one evaluation of a run does outside of the program.
type effects struct {
	*outside
	worker int // that it runs on; 0 for the main evaluation
}

// outside is what the evaluations of one run share of that.
type outside struct {
	box     *toolbox
	log     *slog.Logger     // that shows no secrets; nil takes nothing
	journal *journal.Journal // nil if there is nothing to be written down
	run     *tool.Run        // nil without tools
	secrets *tool.Secrets    // that its calls have met
	began   time.Time        // see Began
	once    sync.Once
	guards  *guard.Set // see guardSet
}

// newEffects makes the effects of a run. One without tools and without a journal of the
// host writes nothing down.
func newEffects(box *toolbox, l limits.Limits, opts *Options, given *RunOptions) *effects {
	j := given.Journal
	e := &effects{outside: &outside{box: box, journal: j, guards: opts.Guards, secrets: &tool.Secrets{}}}
	if given.Log != nil {
		e.log = e.secrets.Logger(given.Log)
	}
	if j != nil {
		e.secrets.Add(j.Secrets()...)
		e.secrets.Learned = j.Secret
	}
	for _, t := range box.tools {
		e.secrets.Meet(t.Ref.(*tool.Tool).Credentials()...)
	}
	if len(box.tools) == 0 {
		return e
	}
	if j == nil {
		e.journal = journal.New(journal.Options{})
	}
	q := opts.Queue
	if q == nil {
		q, _ = queue.NewEnforcer(queue.Policies{}, queue.New(queue.Options{})) // there is no policy that could be wrong
	}
	e.run = tool.NewRun(tool.RunOptions{ArgumentBytes: l.Arguments, ResultBytes: l.CallResult, ToolCalls: l.ToolCalls,
		Guards: e.guardSet(), Queue: q, Journal: e.journal, Log: e.log, Secrets: e.secrets})
	return e
}

// guardSet gives the guards: those that the host shares among runs, or else the run's own.
func (e *effects) guardSet() *guard.Set {
	e.once.Do(func() {
		if e.guards == nil {
			e.guards = guard.NewSet(guard.Options{Logger: e.log})
		}
	})
	return e.guards
}

// stats tells of the calls so far.
func (e *effects) stats() tool.Stats {
	if e.run == nil {
		return tool.Stats{}
	}
	return e.run.Stats()
}

// On implements eval.Effects.
func (e *effects) On(worker int) eval.Effects { return &effects{e.outside, worker} }

// Began implements eval.Effects.
func (e *effects) Began() time.Time { return e.began }

// Tools implements eval.Effects.
func (e *effects) Tools() []*value.Tool { return e.box.tools }

// Scratch implements eval.Effects.
func (e *effects) Scratch(args string) int64 { return tool.CheckSize(args) }

// Call implements eval.Effects.
func (e *effects) Call(ctx context.Context, c eval.ToolCall) (value.ToolOutcome, *diag.Error) {
	got, err := e.run.Call(ctx, tool.Invocation{ID: c.ID, Tool: c.Tool.Ref.(*tool.Tool), Args: json.RawMessage(c.Args), Room: c.Room, Scoped: c.Scoped, Worker: e.worker,
		Owner: func() *guard.Owner { return c.Actor().(*guard.Owner) }})
	if err != nil {
		return value.ToolOutcome{}, fatal(err)
	}
	if f := got.Failure; f != nil {
		return value.ToolOutcome{Failure: &value.ToolFailure{Kind: f.Kind, Code: f.Code, Message: f.Message, Hint: f.Hint,
			Retryable: f.Retryable, RetryAfter: f.RetryAfter, Data: f.Data, Err: f.Err}}, nil
	}
	return value.ToolOutcome{Result: got.Result}, nil
}

// fatal returns an error of the journal, which ends the run.
func fatal(err error) *diag.Error {
	var e *diag.Error
	if errors.As(err, &e) {
		return e
	}
	e = &diag.Error{Code: diag.JournalFailed, Message: err.Error()}
	var own interface{ Diag() *diag.Error }
	if errors.As(err, &own) {
		e = own.Diag()
	}
	e.Err = err
	return e
}

// Actor implements eval.Effects.
func (e *effects) Actor(parent any, path string) any {
	above, _ := parent.(*guard.Owner)
	return guard.NewOwner(above, path)
}

// Enter implements eval.Effects.
func (e *effects) Enter(ctx context.Context, w eval.GuardWish) (release func(), err *diag.Error, end bool) {
	request := guard.Request{Hint: hintOf(w.Guard), Host: hostOf(w.Guard), Owner: w.Actor.(*guard.Owner), Blocker: w.Waiting}
	if e.journal == nil {
		held, gerr := e.guardSet().Acquire(ctx, &request)
		return held.Release, guardError(gerr), false
	}
	effect := journal.Effect{ID: w.ID, Worker: e.worker, Kind: journal.Guard, Class: journal.ReadOnly,
		Name: w.Guard.Kind.String()}
	e.hide(&effect, guardArgs(w.Guard))
	recorded, done, jerr := e.journal.Recall(effect)
	switch {
	case jerr != nil:
		return nil, fatal(jerr), true
	case done && recorded.Failed():
		return nil, recordedError(recorded.Error), false
	case done && (w.Settled || e.journal.Replays()):
		return func() {}, nil, false
	}
	if !done {
		if _, _, jerr := e.journal.Begin(effect); jerr != nil {
			return nil, fatal(jerr), true
		}
	}
	held, gerr := e.guardSet().Acquire(ctx, &request)
	err = guardError(gerr)
	if done {
		return held.Release, notAgain(err), err != nil
	}
	if late := w.Scoped && tool.Late(ctx); late && err != nil {
		err = &diag.Error{Code: diag.Timeout, Message: "the time of the body around the guard was over"}
	} else if ctx.Err() != nil && err != nil {
		return held.Release, err, false // the evaluation is over
	}
	outcome := journal.Outcome{}
	if err != nil {
		outcome.Error, _ = json.Marshal(e.secrets.Error(err)) // of texts
		clear, _ := json.Marshal(err)
		outcome.Hidden = journal.Hide(clear, outcome.Error)
	}
	if jerr := e.journal.End(w.ID, outcome); jerr != nil {
		held.Release()
		return nil, fatal(jerr), true
	}
	return held.Release, err, false
}

// hide gives an effect its arguments as the journal may have them.
func (e *effects) hide(of *journal.Effect, args json.RawMessage) {
	of.Args = e.secrets.JSON(args)
	of.Hidden = journal.Hide(args, of.Args)
}

// notAgain makes the error that a guard which an earlier run was given can't be had: the
// program has gone on with it, so it can't be told.
func notAgain(err *diag.Error) *diag.Error {
	if err != nil {
		return &diag.Error{Code: diag.Diverged, Message: "a guard that the recorded run had can't be had again: " + err.Message, Hint: "resume the run again"}
	}
	return nil
}

// guardArgs names a guard in the journal.
func guardArgs(g value.Guard) json.RawMessage {
	switch g.Kind {
	case value.GuardHost:
		return text(g.Name)
	case value.GuardRate:
		return json.RawMessage(`[` + string(text(g.Name)) + `,` + strconv.FormatFloat(g.PerSecond, 'g', -1, 64) + `,` + strconv.Itoa(g.Burst) + `]`)
	}
	return nil
}

// text gives a text as JSON.
func text(s string) json.RawMessage {
	out, err := json.Marshal(s)
	if err != nil { // there is no such string
		return nil
	}
	return out
}

func hintOf(g value.Guard) guard.Hint {
	switch g.Kind {
	case value.GuardHost:
		return guard.Hint{Kind: guard.HostExclusive}
	case value.GuardRate:
		return guard.Hint{Kind: guard.RateLimited, Key: g.Name, PerSecond: g.PerSecond, Burst: g.Burst}
	}
	return guard.Hint{Kind: guard.GlobalExclusive}
}

func hostOf(g value.Guard) string {
	if g.Kind == value.GuardHost {
		return g.Name
	}
	return ""
}

// guardError gives the error of a guard that was not given; nil if it was.
func guardError(err error) *diag.Error {
	var g *guard.Error
	if !errors.As(err, &g) {
		return nil
	}
	return &diag.Error{Code: g.Code, Message: g.Message, Hint: g.Hint}
}

// recordedError reads an error that guardError gave.
func recordedError(data []byte) *diag.Error {
	var e struct {
		Code    diag.Code `json:"code"`
		Message string    `json:"message"`
		Hint    string    `json:"hint"`
	}
	if err := json.Unmarshal(data, &e); err != nil {
		return &diag.Error{Code: diag.JournalFailed, Message: "the recorded error can't be read: " + err.Error()}
	}
	return &diag.Error{Code: e.Code, Message: e.Message, Hint: e.Hint}
}

// Time implements eval.Effects.
func (e *effects) Time(id string, read func() int64) (int64, *diag.Error) {
	outcome, do, err := e.journal.Begin(journal.Effect{ID: id, Worker: e.worker, Kind: journal.Time, Class: journal.ReadOnly})
	if err != nil {
		return 0, fatal(err)
	}
	if !do {
		now, err := strconv.ParseInt(string(outcome.Result), 10, 64)
		if err != nil {
			return 0, fatal(err)
		}
		return now, nil
	}
	now := read()
	if err := e.journal.End(id, journal.Outcome{Result: strconv.AppendInt(nil, now, 10)}); err != nil {
		return 0, fatal(err)
	}
	return now, nil
}

// Print implements eval.Effects.
func (e *effects) Print(id, printed string) *diag.Error {
	effect := journal.Effect{ID: id, Worker: e.worker, Kind: journal.Print, Class: journal.ReadOnly}
	e.hide(&effect, text(printed))
	_, do, err := e.journal.Begin(effect)
	if err == nil && do {
		err = e.journal.End(id, journal.Outcome{})
	}
	if err != nil {
		return fatal(err)
	}
	return nil
}

// Choose implements eval.Effects.
func (e *effects) Choose(id, name string) (chosen []int, decided bool, err *diag.Error) {
	outcome, do, jerr := e.journal.Begin(journal.Effect{ID: id, Worker: e.worker, Kind: journal.Choice, Class: journal.ReadOnly, Name: name})
	if jerr == nil && !do {
		jerr = json.Unmarshal(outcome.Result, &chosen)
	}
	if jerr != nil {
		return nil, false, fatal(jerr)
	}
	return chosen, !do, nil
}

// Chosen implements eval.Effects.
func (e *effects) Chosen(id string, elements []int) *diag.Error {
	result, err := json.Marshal(elements)
	if err == nil {
		err = e.journal.End(id, journal.Outcome{Result: result})
	}
	if err != nil {
		return fatal(err)
	}
	return nil
}

// Limits implements eval.Effects.
func (e *effects) Limits(id string, left *value.Narrowed) *diag.Error {
	outcome, do, err := e.journal.Begin(journal.Effect{ID: id, Worker: e.worker, Kind: journal.Time, Class: journal.ReadOnly, Name: "limits"})
	switch {
	case err != nil:
	case !do:
		err = json.Unmarshal(outcome.Result, left)
	default:
		if outcome.Result, err = json.Marshal(left); err == nil {
			err = e.journal.End(id, outcome)
		}
	}
	if err != nil {
		return fatal(err)
	}
	return nil
}

// Decide implements eval.Effects. The decision is known from the beginning: a run that is
// interrupted before the end of the effect is resumed with it.
func (e *effects) Decide(id, name string, decision []byte) *diag.Error {
	_, do, err := e.journal.Begin(journal.Effect{ID: id, Worker: e.worker, Kind: journal.Choice, Class: journal.ReadOnly, Name: name, Args: decision})
	if err == nil && do {
		err = e.journal.End(id, journal.Outcome{})
	}
	if err != nil {
		return fatal(err)
	}
	return nil
}

// Ahead implements eval.Effects.
func (e *effects) Ahead(path string, effect int, operation uint64) eval.Ahead {
	a := e.journal.Ahead(path, effect, operation)
	got := eval.Ahead{Known: a.Known, End: a.Stop}
	if a.Next != nil && a.Next.Kind == journal.Choice {
		got.Name, got.Choice = a.Next.Name, a.Next.Args
	}
	return got
}

// Cut implements eval.Effects.
func (e *effects) Cut(id string) bool { return e.journal.Cut(id) }

// Had implements eval.Effects.
func (e *effects) Had(operation string) bool { return e.journal.Had(operation) }

// Excuse implements eval.Effects.
func (e *effects) Excuse(operation string, from int) { e.journal.Excuse(operation, from) }

// Pause implements eval.Effects.
func (e *effects) Pause(id string, d time.Duration) (over, late bool, err *diag.Error) {
	outcome, do, jerr := e.journal.Begin(journal.Effect{ID: id, Worker: e.worker, Kind: journal.Pause, Class: journal.ReadOnly, Args: strconv.AppendInt(nil, int64(d), 10)})
	if jerr != nil {
		return false, false, fatal(jerr)
	}
	return !do, outcome.Failed(), nil
}

// Paused implements eval.Effects.
func (e *effects) Paused(id string, late bool) *diag.Error {
	outcome := journal.Outcome{}
	if late {
		outcome.Error = text(string(diag.Timeout))
	}
	if err := e.journal.End(id, outcome); err != nil {
		return fatal(err)
	}
	return nil
}
