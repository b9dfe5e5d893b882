// This file defines Action, a call's way through the policies and the queue.

package queue

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/runtime/internal/table"
)

// Action is an action behind the policies of an Enforcer, for any number of goroutines.
type Action struct {
	set         *Set
	start       time.Time // what times are counted from
	key         table.Key
	concurrency int
	// meters are those of its own policy, of its pack's and of the global one. They are
	// locked in this order, so that the one that most calls need is locked last, and for
	// the shortest time.
	meters []*meter
}

// Enter is Admit and then Start, for those who take nothing else between the two.
func (a *Action) Enter(ctx context.Context, execution string, most int, blocking func(wait func())) error {
	if err := a.Admit(); err != nil {
		return err
	}
	return a.Start(ctx, execution, most, blocking)
}

// Admit checks the rates and quotas that bind the action, and counts the call.
//
// A call that a policy refuses is *Violation, it has not waited, and it counts for no
// policy. One that passes counts for all, whatever becomes of it in the queue: were it
// to count only when it starts, those that wait could not know whether they may.
func (a *Action) Admit() error {
	if len(a.meters) == 0 {
		return nil
	}
	if v := a.admit(); v != nil {
		v.Action = a.key.Name
		return v
	}
	return nil
}

// Start waits in the queue of the action as EnqueueAndWait does. After a nil error the
// execution is active, and whoever called must Leave.
//
// most bounds the executions of the action that are under way at once beside what the
// policies say: what the action says of itself; 0 if that is nothing.
func (a *Action) Start(ctx context.Context, execution string, most int, blocking func(wait func())) error {
	limit := a.concurrency
	if most > 0 {
		limit = min(limit, most)
	}
	return a.set.enter(ctx, a.key, execution, limit, blocking)
}

// Leave ends an execution that has entered, as Complete does.
func (a *Action) Leave(execution string) { a.set.leave(a.key, execution) }

// Concurrency gives how many executions of the action may be under way at once: what
// the most specific policy says that says something, otherwise NoLimit.
func (a *Action) Concurrency() int { return a.concurrency }

// Bounds tells in short what the policies lay down for the action, such as "at most 4 at
// once, 10 calls in 1m, with all of aws 1000 calls in 1h"; "" for nothing.
func (a *Action) Bounds() string {
	var parts []string
	if a.concurrency != NoLimit {
		parts = append(parts, fmt.Sprintf("at most %d at once", a.concurrency))
	}
	for _, m := range a.meters {
		parts = append(parts, m.bounds()...)
	}
	return strings.Join(parts, ", ")
}

// admit counts a call with all meters, or with none and says why.
func (a *Action) admit() *Violation {
	a.lock()
	defer a.unlock()
	now := time.Since(a.start)
	if v := a.refusal(now); v != nil {
		return v
	}
	for _, m := range a.meters {
		m.count(now)
	}
	return nil
}

func (a *Action) lock() {
	for _, m := range a.meters {
		m.mu.Lock()
	}
}

func (a *Action) unlock() {
	for _, m := range a.meters {
		m.mu.Unlock()
	}
}

// refusal gives the violation that lasts longest, nil if there is none.
func (a *Action) refusal(now time.Duration) *Violation {
	var worst *Violation
	for _, m := range a.meters {
		if v := m.refusal(now); v != nil && (worst == nil || v.RetryAfter > worst.RetryAfter) {
			worst = v
		}
	}
	return worst
}
