// This file defines Action, a call's way through the policies and the queue.

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

// Action is an action after the policies of an Enforcer, for any number of goroutines. It is an
// effect.Action. Enforcer.Action makes it; no execution of the zero Action starts.
type Action struct {
	of    *Enforcer
	name  string
	bound atomic.Pointer[bound]
}

// bound is what binds an action by the rules of a moment.
type bound struct {
	by          *rules
	concurrency int
	// meters are those of its own policy, of its pack's and of the global one. They are
	// locked in this order, so that the one that most calls need is locked last, and for
	// the shortest time.
	meters []*meter
}

// now returns what binds the action by the newest rules.
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

// Admit checks the rates and quotas that bind the action, and counts the call. It waits for
// nothing, and does not look at the context.
//
// A call that a policy refuses is *Violation, it has not waited, and it counts for no
// policy. One that passes counts for all, whatever becomes of it in the queue: were it
// to count only when it starts, those that wait could not know whether they may.
func (a *Action) Admit(context.Context) error {
	b := a.now()
	if len(b.meters) == 0 {
		return nil
	}
	if v := b.admit(time.Since(a.of.start)); v != nil {
		v.Action = a.name
		return v
	}
	return nil
}

// Start waits in the queue of the action as EnqueueAndWait does. After a nil error the
// execution is active, and the caller must Leave.
//
// most bounds the executions of the action that are under way at once beside what the
// policies say: what the action says of itself; 0 if that is nothing. The wait is the zero Wait
// if the execution did not have to wait.
func (a *Action) Start(ctx context.Context, execution string, most int) (w effect.Wait, err error) {
	if a.of == nil {
		return w, errors.New("queue: Start of the zero Action, want one of Enforcer.Action")
	}
	if most <= 0 {
		most = NoLimit
	}
	err = a.of.queues().enter(ctx, a.name, execution, limits{a.now().concurrency, most}, func(wait func()) {
		began := time.Now()
		wait()
		w = effect.Wait{Kind: effect.WaitQueue, Key: a.name, Start: began, Duration: time.Since(began)}
	})
	return w, err
}

// Leave ends an execution that has started, as Complete does. The error is a *NotActive.
func (a *Action) Leave(execution string) error {
	if a.of == nil {
		return &NotActive{a.name, execution}
	}
	return a.of.queues().Complete(a.name, execution)
}

// Concurrency returns how many executions of the action may be under way at once: the number of
// the most specific policy that has one, otherwise NoLimit.
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

// admit counts a call with all meters, or returns the violation and counts it with none.
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
		if v := m.refusal(now); v != nil && (worst == nil || v.RetryAfter > worst.RetryAfter) {
			worst = v
		}
	}
	return worst
}
