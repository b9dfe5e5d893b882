// This file wires the tools, guards, queues and the journal of a run together.

package ptc

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/eval"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/guard"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/limits"
	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/runtime/secret"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// toolbox has the tools of a host as programs know them. It is made by the compilation and never
// changed.
type toolbox struct {
	tools []effect.Tool
	known compile.Tools
}

func newToolbox(opts Options) *toolbox {
	b := &toolbox{known: compile.Tools{Withheld: opts.Tools.Withheld()}}
	for _, t := range opts.Tools.All() {
		b.tools = append(b.tools, t)
		if b.known.Granted == nil {
			b.known.Granted = make(map[string]value.Value)
		}
		b.known.Granted[t.Name()] = builtins.ToolFunction(t, !opts.StringKeys)
	}
	return b
}

// effects reach the world for the evaluations of one run.
type effects struct {
	box     *toolbox
	log     *slog.Logger // that shows no secrets; nil takes nothing
	journal journal.Run  // nil if there is nothing to be written down
	run     *tool.Run    // nil without tools
	secrets *secret.Set  // that its calls have met
	began   time.Time    // see Began
	once    sync.Once
	guards  effect.Guards // see guardSet
}

// newEffects makes the effects of a run. A run without tools and without a journal of the host records
// nothing.
func newEffects(box *toolbox, l limits.Limits, opts *Options, given *RunOptions) *effects {
	j := given.Journal
	e := &effects{box: box, journal: j}
	if !absent[guard.Set](opts.Guards) {
		e.guards = opts.Guards
	}
	if j == nil && len(box.tools) > 0 {
		e.journal = journal.New(journal.Options{})
	}
	if e.journal != nil {
		e.secrets = e.journal.Secrets()
	} else {
		e.secrets = &secret.Set{}
	}
	if given.Log != nil {
		e.log = e.secrets.Logger(given.Log)
	}
	if len(box.tools) == 0 {
		return e
	}
	for _, t := range box.tools {
		e.secrets.Meet(t.(*tool.Tool).Credentials()...)
	}
	q := opts.Queue
	if absent[queue.Enforcer](q) {
		q, _ = queue.NewEnforcer(queue.Policies{}, queue.New(queue.Options{})) // there is no policy that could be wrong
	}
	e.run = tool.NewRun(tool.RunOptions{ArgumentBytes: l.Arguments, ResultBytes: l.CallResult, ToolCalls: l.ToolCalls,
		Guards: e.guardSet(), Queue: q, Journal: e.journal, Around: given.Around, Log: e.log})
	return e
}

// absent reports whether an interface is nil or has a nil *T, because a host may pass a nil pointer.
func absent[T any](v any) bool {
	p, ok := v.(*T)
	return v == nil || ok && p == nil
}

// guardSet returns the guards: those that the host shares among runs, or else the run's own.
func (e *effects) guardSet() effect.Guards {
	e.once.Do(func() {
		if e.guards == nil {
			e.guards = guard.NewSet(guard.Options{Logger: e.log})
		}
	})
	return e.guards
}

// stats returns the counts of the calls so far.
func (e *effects) stats() tool.Stats {
	if e.run == nil {
		return tool.Stats{}
	}
	return e.run.Stats()
}

// Began implements eval.Effects.
func (e *effects) Began() time.Time { return e.began }

// Tools implements eval.Effects.
func (e *effects) Tools() []effect.Tool { return e.box.tools }

// Call implements eval.Effects.
func (e *effects) Call(ctx context.Context, c effect.Call) (effect.Outcome, error) {
	return e.run.Call(ctx, c)
}

// Owner implements eval.Effects.
func (e *effects) Owner(parent effect.Owner, path string) effect.Owner {
	return e.guardSet().Owner(parent, path)
}

// Acquire implements eval.Effects. It asks what has been taken whether it can be lost, so that a panic of Lost is found
// here, and not when the body makes a call.
func (e *effects) Acquire(ctx context.Context, r *effect.GuardRequest,
	owner func() effect.Owner) (held effect.Held, err error) {
	failed := byHost("a guard", func() {
		r.Owner = owner()
		if held, err = e.guardSet().Acquire(ctx, r); err == nil && held != nil {
			held.Lost()
		}
	})
	if failed != nil {
		if held != nil {
			e.Release(held)
		}
		eval.End(failed)
	}
	if held == nil {
		held = effect.Unguarded
	}
	return held, err
}

// Release implements eval.Effects.
func (e *effects) Release(held effect.Held) {
	var err error
	if failed := byHost("Held.Release", func() { err = held.Release() }); failed != nil {
		err = failed
	}
	if err != nil && e.log != nil {
		e.log.Warn("guard not released", "error", err)
	}
}
