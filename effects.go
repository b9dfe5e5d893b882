// This file wires the tools, guards, queues and the journal of a run together.

package ptc

import (
	"cmp"
	"context"
	"crypto/rand"
	"log/slog"
	"strings"
	"sync"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/eval"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/guard"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/limits"
	"github.com/ptc-lang/ptc/runtime/pending"
	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/runtime/secret"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/runtime/watch"
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
	world    eval.World
	box      *toolbox
	log      *slog.Logger // that shows no secrets; nil takes nothing
	id       string       // the host's name of the run
	journal  journal.Run  // nil if there is nothing to be written down
	run      *tool.Run    // nil without tools
	secrets  *secret.Set  // that its calls have met
	known    secret.Set   // those of a run without a journal
	pending  pending.Set
	once     sync.Once
	guards   effect.Guards // see guardSet
	topOnce  sync.Once
	top      effect.Owner // the ancestor of all owners of the run
	observer observer
	watch    *watch.Run    // counts, logs and reports the guards and queues
	queues   effect.Queues // of the host; nil if there is no policy
}

// newEffects makes the effects of a run. A run without tools and without a journal of the host records
// nothing.
func newEffects(box *toolbox, l *limits.Limits, opts *Options, given *RunOptions) *effects {
	j := given.Journal
	e := &effects{box: box, id: given.ID, journal: j}
	e.observer.follow(given.Observer)
	if !absent[guard.Set](opts.Guards) {
		e.guards = opts.Guards
	}
	if j == nil && len(box.tools) > 0 {
		e.journal = journal.New(journal.Options{})
	}
	if e.journal != nil {
		e.secrets = e.journal.Secrets()
	} else {
		e.secrets = &e.known
	}
	if given.Log != nil {
		e.log = e.secrets.Logger(given.Log)
		id := rand.Text()
		if e.journal != nil {
			id = strings.TrimSuffix(e.journal.Key(""), "/")
		}
		e.log = e.log.With("run", id)
	}
	e.watch = watch.New(e.log, e.secrets.Text, e.observer.safe)
	e.world = eval.World{Effects: e, Tools: box.tools, Observer: e.observer.safe, Log: e.log}
	if len(box.tools) == 0 {
		return e
	}
	for _, t := range box.tools {
		e.secrets.Meet(t.(*tool.Tool).Credentials()...)
	}
	q := opts.Queue
	if !absent[queue.Enforcer](q) {
		e.queues = q
	} else {
		q, _ = queue.NewEnforcer(queue.Policies{}, queue.New(queue.Options{})) // there is no policy that could be wrong
	}
	o := tool.RunOptions{ArgumentBytes: l.Arguments, ResultBytes: l.CallResult, ToolCalls: l.ToolCalls,
		ID: given.ID, Priority: given.Priority, Guards: e.guardSet(), Queue: e.watch.WatchQueues(q),
		Journal: e.journal, Around: given.Around, Pending: &e.pending, Approve: opts.Approve, Log: e.log}
	if given.Plan != nil {
		o.Plan = given.Plan.add
	}
	if e.observer.safe != nil {
		o.Ready = e.observer.safe.Ready // whose panics the run handles
	}
	e.run = tool.NewRun(o)
	return e
}

// absent reports whether an interface is nil or has a nil *T, because a host may pass a nil pointer.
func absent[T any](v any) bool {
	p, ok := v.(*T)
	return v == nil || ok && p == nil
}

// guardSet returns the guards that the host shares among runs, or else the run's own guards.
func (e *effects) guardSet() effect.Guards {
	e.once.Do(func() {
		if e.guards == nil {
			e.guards = &guard.Set{}
		}
		e.guards = e.watch.WatchGuards(e.guards)
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

// Traits implements eval.Effects.
func (e *effects) Traits(t effect.Tool) string {
	known, ok := t.(*tool.Tool)
	if !ok {
		return ""
	}
	if e.queues == nil {
		return known.Traits("")
	}
	var policy string
	orEnd("Options.Queue", func() {
		if a := e.queues.Action(known.Name()); a != nil {
			policy = a.Bounds()
		}
	})
	return known.Traits(policy)
}

// Call implements eval.Effects.
func (e *effects) Call(ctx context.Context, c effect.Call) (effect.Outcome, error) {
	if err := e.pending.Ended(); err != nil {
		return effect.Outcome{}, err
	}
	if e.log != nil {
		return e.loggedCall(ctx, c)
	}
	return e.call(ctx, c)
}

func (e *effects) call(ctx context.Context, c effect.Call) (effect.Outcome, error) {
	o, err := e.run.Call(ctx, c)
	if failed := e.observer.failed.Load(); failed != nil {
		return o, failed
	}
	if watch.Locked(o) {
		if t, ok := c.Tool.(*tool.Tool); ok && t.GuardsOf(c.Args) == effect.FullyParallel {
			e.watch.Busy(t.Name())
		}
	}
	return o, err
}

// Ask implements eval.Effects.
func (e *effects) Ask(ctx context.Context, c effect.Call) (effect.Outcome, error) {
	return e.pending.Ask(ctx, c)
}

// Owner implements eval.Effects.
func (e *effects) Owner(parent effect.Owner, path string) effect.Owner {
	set := e.guardSet()
	if parent == nil {
		e.topOnce.Do(func() { e.top = set.Owner(nil, e.id, "run") })
		parent = e.top
	}
	return set.Owner(parent, e.id, path)
}

// Acquire implements eval.Effects. It calls Lost on the acquired guard, so that a panic of Lost is found
// here, and not when the body makes a call.
func (e *effects) Acquire(ctx context.Context, r *effect.GuardRequest,
	owner func() effect.Owner) (held effect.Held, err error) {
	failed := byHost("a guard", func() {
		r.Owner = owner()
		if held, err = e.guardSet().Acquire(ctx, r); err == nil && held != nil {
			held.Lost()
		}
	})
	if failed == nil && err == nil { // a guard that the end of the run has released is nobody's
		failed = effect.RunError(e.pending.Ended())
	}
	failed = cmp.Or(failed, e.observer.failed.Load())
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
