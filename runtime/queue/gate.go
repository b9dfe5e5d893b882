// This file defines how external executions pass the policies and enter the queues.

package queue

import (
	"context"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// Gate is how external executions pass the policies and enter the queues.
type Gate interface {
	// Admit counts an execution of an action towards its rates and quotas, and waits for a rate. Its error refuses the
	// execution. Externals calls it before the execution has an id.
	Admit(ctx context.Context, action string) error
	// Enter lets an execution take a place or wait for one. It does not block: Externals calls it for one execution at
	// a time, in the order of Begin. The error refuses the execution.
	Enter(ctx context.Context, action string, e *effect.Execution) (Turn, error)
}

// Turn is the wait of an external execution for its turn, and its place afterwards. Await may be called at any time,
// the other methods are called by one goroutine at a time.
type Turn interface {
	// State returns Waiting, Active, or Ended with the reason if the execution will not start.
	State() (State, error)
	// Await blocks while the state is Waiting and ctx continues.
	Await(ctx context.Context)
	// GiveUp ends a wait. It returns false if the state is not Waiting.
	GiveUp() bool
	// Complete frees the place of an active execution. It returns false if there is none.
	Complete(how effect.Ending) bool
}

// enforced is the gate of an enforcer.
type enforced struct{ *Enforcer }

// Admit implements Gate: Enter counts the execution, so that the order is that of the calls of Begin.
func (enforced) Admit(context.Context, string) error { return nil }

// Enter implements Gate.
func (g enforced) Enter(ctx context.Context, action string, e *effect.Execution) (Turn, error) {
	a := g.Action(action).(*Action)
	if err := a.Admit(ctx); err != nil {
		return nil, err
	}
	limit := limits{a.now().concurrency, e.Most}
	if e.Most <= 0 {
		limit.own = NoLimit
	}
	if err := g.Queues().mayEnter(ctx, action, e.Name, limit); err != nil {
		return nil, err
	}
	t := &turn{line: a.open(), name: e.Name}
	var err error
	t.wait, err = t.line.arrive(e.Name, e, limit)
	return t, err
}

// turn is a Turn in a line.
type turn struct {
	line *line
	name string
	wait *waiter // nil if it could start immediately
}

// State implements Turn.
func (t *turn) State() (State, error) {
	switch {
	case t.wait == nil:
		return Active, nil
	case !t.wait.out():
		return Waiting, nil
	case t.wait.err != nil:
		return Ended, t.wait.err
	}
	return Active, nil
}

// Await implements Turn.
func (t *turn) Await(ctx context.Context) {
	if t.wait != nil {
		t.wait.wait(ctx)
	}
}

// GiveUp implements Turn.
func (t *turn) GiveUp() bool { return t.line.cancel(t.name) }

// Complete implements Turn.
func (t *turn) Complete(how effect.Ending) bool { return t.line.complete(t.name, how) }
