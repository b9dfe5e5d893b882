// This file defines Action, the path of a call through the policies and the queue.

package queue

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// Action is an action with the policies of an Enforcer. It is an effect.Action, and safe for
// concurrent use. Enforcer.Action makes it; no execution of the zero Action starts.
type Action struct {
	of    *Enforcer
	name  string
	bound atomic.Pointer[bound]
	line  atomic.Pointer[line] // of its executions, so that it is looked up once; it may be forgotten
}

// bound has the policies of an action under some rules.
type bound struct {
	by          *rules
	concurrency int
	// meters are the meters of its own policy, of its pack's policy and of the global policy. They are locked
	// in this order, so that the meter that most calls need is locked last, and for the shortest time.
	meters []*meter
}

// now returns the policies of the action under the newest rules.
func (a *Action) now() *bound {
	if a.of == nil {
		return &bound{concurrency: NoLimit}
	}
	b, r := a.bound.Load(), a.of.current()
	if b == nil || b.by != r {
		b = r.bind(a.name)
		a.bound.Store(b)
	}
	return b
}

// Admit checks the rates and quotas that bind the action, and counts the call. It never waits in a queue, and
// ignores the context unless there is a Ledger: then it may wait for that.
//
// The error of a call that a policy refuses is a *Violation, that of a Ledger which fails an *Uncounted. Such a
// call has not waited, and counts for no policy. A call that passes counts for all policies, even if it
// never leaves the queue: if it counted only when it starts, waiting calls could not know whether they may
// start.
func (a *Action) Admit(ctx context.Context) error {
	b := a.now()
	if len(b.meters) == 0 {
		return nil
	}
	if k := a.of.keeper.Load(); k != nil {
		return k.admit(ctx, a.name, b)
	}
	if v := b.admit(time.Since(a.of.start)); v != nil {
		v.Action = a.name
		return v
	}
	return nil
}

// Start waits in the queue of the action as EnqueueAndWait does, in the lane of the execution's
// priority. After a nil error the execution is active, and the caller must Leave, and must not change e
// before. The wait is the zero Wait if the execution did not have to wait.
func (a *Action) Start(ctx context.Context, e *effect.Execution) (w effect.Wait, err error) {
	switch {
	case a.of == nil:
		return w, errors.New("queue: Start of the zero Action, want one of Enforcer.Action")
	case e == nil || !e.Priority.Valid():
		return w, fmt.Errorf("queue: Start of %s: got no execution, or an unknown priority", a.name)
	}
	limit := limits{a.now().concurrency, e.Most}
	if e.Most <= 0 {
		limit.own = NoLimit
	}
	if err := a.of.Queues().mayEnter(ctx, a.name, e.Name, limit); err != nil {
		return effect.Wait{}, err
	}
	err = a.open().enter(ctx, e.Name, e, limit, func(wait func(), ahead int) {
		began := time.Now()
		effect.BeginWait(ctx, effect.Begun{Kind: effect.WaitQueue, Key: a.name, Ahead: ahead})
		wait()
		w = effect.Wait{Kind: effect.WaitQueue, Key: a.name, Start: began, Duration: time.Since(began), Ahead: ahead}
	})
	return w, err
}

// open returns the line of the action, with its lock held.
func (a *Action) open() *line {
	known := a.line.Load()
	l := a.of.Queues().open(a.name, known)
	if l != known {
		a.line.Store(l)
	}
	return l
}

// Leave ends an execution that has started, as Complete does, and counts how. The error is a
// *NotActive.
func (a *Action) Leave(execution string, how effect.Ending) error {
	if a.of == nil {
		return &NotActive{a.name, execution}
	}
	if l := a.line.Load(); l != nil && l.complete(execution, how) {
		return nil
	}
	if l := a.of.Queues().find(a.name); l != nil && l.complete(execution, how) { // another Action has started it
		return nil
	}
	return &NotActive{a.name, execution}
}

// Concurrency returns the maximum number of concurrent executions of the action: the bound of the most
// specific policy that has one, otherwise NoLimit.
func (a *Action) Concurrency() int { return a.now().concurrency }

// Bounds returns the policies of the action in short, such as "at most 4 at
// once, 10 calls in 1m, with all of aws 1000 calls in 1h"; "" for none.
func (a *Action) Bounds() string {
	var parts []string
	b := a.now()
	if b.concurrency != NoLimit {
		parts = append(parts, fmt.Sprintf("at most %d at once", b.concurrency))
	}
	for _, m := range b.meters {
		parts = append(parts, m.bounds()...)
	}
	return strings.Join(parts, ", ")
}

// admit counts a call in all meters, or returns the violation and counts it in none.
func (b *bound) admit(now time.Duration) *Violation {
	b.lock()
	defer b.unlock()
	if v := b.refusal(now); v != nil {
		return v
	}
	for _, m := range b.meters {
		m.count(now)
	}
	return nil
}

func (b *bound) lock() {
	for _, m := range b.meters {
		m.mu.Lock()
	}
}

func (b *bound) unlock() {
	for _, m := range b.meters {
		m.mu.Unlock()
	}
}

// refusal returns the violation that lasts longest, nil if there is none.
func (b *bound) refusal(now time.Duration) *Violation {
	var worst *Violation
	for _, m := range b.meters {
		worst = longer(worst, m.refusal(now))
	}
	return worst
}
