// This file defines the pending effects of a run: approvals, questions, outcomes that come later, and writes in
// doubt.

package ptc

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/eval"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/pending"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// Parked is the reason of a run that was ended because everything in it waits for settlements, and
// RunOptions.OnPending had none. errors.As finds it in the error of the run, which has the code parked, or in-doubt
// if one of the effects is a write in doubt. A run with a journal continues with Resume, and the settlements in
// JournalFile.Settled.
type Parked struct {
	Pending []effect.Pending // by their ids
}

// maxParked is the number of effects that the message of a Parked lists.
const maxParked = 5

func (p *Parked) Error() string {
	doubts := p.doubts()
	if len(doubts) == 1 && len(p.Pending) == 1 {
		d := &doubts[0]
		return fmt.Sprintf("effect %s, %s, was begun at %s, and the run was interrupted before its outcome was known",
			d.ID, described(d), d.Since.UTC().Format("2006-01-02 15:04:05 UTC"))
	}
	if len(doubts) > 0 {
		return fmt.Sprintf("%d writes were begun, and the run was interrupted before their outcome was known: %s",
			len(doubts), listPending(doubts))
	}
	return fmt.Sprintf("the run waits for %s: %s", diag.Counted(len(p.Pending), "settlement"), listPending(p.Pending))
}

// listPending returns the first pending effects in a few words.
func listPending(all []effect.Pending) string {
	var parts []string
	for i := range all {
		if i == maxParked {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, all[i].ID+" ("+described(&all[i])+")")
	}
	return strings.Join(parts, ", ")
}

// described returns a pending effect in a few words.
func described(p *effect.Pending) string {
	switch p.Kind {
	case effect.PendingQuestion:
		return "the question " + quoted(p.Question)
	case effect.PendingDoubt:
		return "call " + p.Tool + " " + clipped(string(p.Args), maxShownArgs)
	}
	return fmt.Sprintf("%s of call %s %s", p.Kind, p.Tool, clipped(string(p.Args), maxShownArgs))
}

// maxShownArgs is the number of bytes of arguments that a message shows.
const maxShownArgs = 200

// doubts returns the writes in doubt.
func (p *Parked) doubts() (all []effect.Pending) {
	for _, one := range p.Pending {
		if one.Kind == effect.PendingDoubt {
			all = append(all, one)
		}
	}
	return all
}

// Diag returns the error of the run.
func (p *Parked) Diag() *diag.Error { return &diag.Error{Code: diag.Parked, Message: p.Error()} }

// finish completes the error of a parked run.
func (p *Parked) finish(e *diag.Error, recorded bool) {
	switch doubts := p.doubts(); {
	case len(doubts) > 0:
		e.Code = diag.InDoubt
		e.Hint = fmt.Sprintf("find out whether it happened; then resume with --settle '%[1]s=done' "+
			"(or '%[1]s=done:RESULT', RESULT as JSON) if it did, with --settle '%[1]s=retry' if it did not", doubts[0].ID)
	case recorded:
		e.Hint = "settle them, and resume the run from its journal"
	default:
		e.Hint = "set RunOptions.OnPending to settle them, or record the run, so that it can be resumed"
	}
}

// undecided is the error of a run that OnPending, or a settlement, has ended.
type undecided struct{ err *diag.Error }

func (u *undecided) Error() string { return u.err.Error() }

// Diag returns the error of the run. Each waiting evaluation gets its own error.
func (u *undecided) Diag() *diag.Error {
	e := *u.err
	return &e
}

// Pending shows and settles the pending effects of one run, or of one evaluation of a Session: the last one
// that began with this Pending in its RunOptions or EvalOptions. The zero value is ready for use. It is
// safe for concurrent use.
type Pending struct {
	mu  sync.Mutex
	set *pending.Set // nil when nothing runs
}

// Now returns the pending effects, ordered by id; none if nothing runs.
func (p *Pending) Now() []effect.Pending {
	if set := p.of(); set != nil {
		return set.Now()
	}
	return nil
}

// Settle settles a pending effect, or all pending calls of a tool that the settlement fits. It may be called at any
// time while the run lives. If the run has a journal, the settlement is durable when Settle returns. errors.Is finds
// the reason of an error: effect.ErrSettled, effect.ErrNotPending or effect.ErrRunOver. Any other error means that
// the settlement does not fit, or that the journal can't be written.
func (p *Pending) Settle(s effect.Settlement) error {
	set := p.of()
	if set == nil {
		return fmt.Errorf("%.200s: %w", s.ID, effect.ErrRunOver)
	}
	return set.Settle(s)
}

// Quiet reports whether everything in the run waits for settlements, or for other nodes of the run.
func (p *Pending) Quiet() bool {
	set := p.of()
	return set != nil && set.IsQuiet()
}

func (p *Pending) of() *pending.Set {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.set
}

func (p *Pending) begun(set *pending.Set) {
	if p != nil {
		p.mu.Lock()
		p.set = set
		p.mu.Unlock()
	}
}

// ended undoes begun, unless another run has begun since.
func (p *Pending) ended(set *pending.Set) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.set == set {
		p.set = nil
	}
}

// pend connects a run with its pending effects, and applies the settlements with which its journal was resumed.
func (r *runner) pend(ctx context.Context) *diag.Error {
	var j effect.Journal
	var left []effect.Pending
	if r.fx.journal != nil {
		j = r.fx.journal
		left = r.fx.journal.LeftPending()
	}
	r.fx.pending.Begin(ctx, r.m.Clock(), j, left, r)
	if r.hosted {
		for _, s := range r.fx.journal.Given() {
			if err := r.fx.pending.Settle(s); err != nil {
				return wrongSettlement(err)
			}
		}
	}
	if replicas := r.fx.replicas(); replicas != nil {
		replicas.OnSettled(r.fx.pending.Known)
	}
	r.given.Pending.begun(&r.fx.pending)
	return nil
}

// wrongSettlement returns the error of a run that got a settlement which can't be applied.
func wrongSettlement(err error) *diag.Error {
	var known interface{ Diag() *diag.Error }
	if errors.As(err, &known) {
		return effect.RunError(err) // of the journal
	}
	e := diag.New(diag.IllegalArgument, token.Span{}, "%v", err)
	e.Err = err
	return e
}

// release ends everything that a run has started besides its evaluations.
func (r *runner) release() {
	r.fx.pending.Close()
	r.given.Pending.ended(&r.fx.pending)
	r.given.Progress.ended(r.fx)
	r.root.End()
}

// Decide implements pending.Host.
func (r *runner) Decide(ctx context.Context, all []effect.Pending) (settle []effect.Settlement, err error) {
	if r.given.OnPending == nil {
		return nil, nil
	}
	if failed := byHost("OnPending", func() { settle, err = r.given.OnPending(ctx, all) }); failed != nil {
		return nil, failed
	}
	return settle, err
}

// Accept implements pending.Host.
func (r *runner) Accept(p effect.Pending, s effect.Settlement) (effect.Outcome, effect.Record, error) {
	if p.Kind == effect.PendingQuestion {
		if err := p.Fit(s, nil, r.limits.CallResult); err != nil {
			return effect.Outcome{}, effect.Record{}, err
		}
		o, err := s.Outcome()
		return o, o.Record(), err
	}
	if r.fx.run == nil {
		return effect.Outcome{}, effect.Record{},
			fmt.Errorf("effect %s is a call of tool/%s, and the run has no tools", p.ID, p.Tool)
	}
	return r.fx.run.Accept(r.fx.tool(p.Tool), p, s)
}

// tool returns the tool with a name, nil if there is none.
func (e *effects) tool(name string) *tool.Tool {
	i, ok := slices.BinarySearchFunc(e.box.tools, name, func(t effect.Tool, name string) int {
		return cmp.Compare(t.Name(), name)
	})
	if !ok {
		return nil
	}
	t, _ := e.box.tools[i].(*tool.Tool)
	return t
}

// Waiting implements pending.Host.
func (r *runner) Waiting(p effect.Pending) (over func()) {
	w := effect.Wait{Kind: effect.WaitKind(p.Kind), Key: p.Tool, Start: time.Now()}
	r.fx.watch.Pending(p)
	return func() {
		w.Duration = time.Since(w.Start)
		r.fx.watch.Over(p.ID, w)
		if failed := r.fx.observer.failed.Load(); failed != nil {
			eval.End(failed)
		}
	}
}

// Hide implements pending.Host.
func (r *runner) Hide(args json.RawMessage) json.RawMessage { return r.fx.secrets.JSON(args) }

// Park implements pending.Host.
func (r *runner) Park(all []effect.Pending) error { return &Parked{all} }

// Fail implements pending.Host.
func (r *runner) Fail(err error) error {
	if own := (*diag.Error)(nil); errors.As(err, &own) {
		return &undecided{own}
	}
	e := wrongSettlement(err)
	if e.Code == diag.IllegalArgument {
		e.Code, e.Message = diag.HostFailed, "OnPending: "+e.Message
	}
	return &undecided{e}
}

// settledEnd completes the error of a run that was parked, or ended by OnPending, and returns any other
// error unchanged.
func (r *runner) settledEnd(err *diag.Error) *diag.Error {
	if err == nil || !errors.Is(err, effect.ErrRunOver) {
		return err
	}
	if parked := (*Parked)(nil); errors.As(err, &parked) {
		parked.finish(err, r.hosted)
	} else if failed := (*undecided)(nil); errors.As(err, &failed) {
		err.Err = failed.err.Err
	}
	return err
}

// Plan collects the calls of a dry run that change something. Set RunOptions.Plan to make a run a dry run: its tools
// that are ReadOnly are called, and questions are asked. The calls of other tools are not made, need no approval,
// and have the result null. So a program that uses the result of a change may take another way than in a real run,
// or fail. The arguments of all calls may have 64 MB: a call beyond that fails with memory-exceeded. The zero value is
// ready for use. It is safe for concurrent use.
type Plan struct {
	mu    sync.Mutex
	calls []PlannedCall
	bytes int
}

// maxPlanned bounds the bytes of the arguments in a Plan. The limits on calls and their arguments allow 40 GB.
const maxPlanned = 64 << 20

// PlannedCall is a call that a dry run has not made.
type PlannedCall = tool.Planned

// Calls returns the calls so far, in the order of their effects: those of parallel elements one element after the
// other.
func (p *Plan) Calls() []PlannedCall {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	all := slices.Clone(p.calls)
	slices.SortFunc(all, func(a, b PlannedCall) int { return effect.CompareIDs(a.ID, b.ID) })
	return all
}

// add adds a call, and reports whether there was room for it.
func (p *Plan) add(c PlannedCall) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bytes += len(c.Args); p.bytes > maxPlanned {
		return false
	}
	p.calls = append(p.calls, c)
	return true
}
