// This file defines the views of the resources that runs share, for people who see and change them.

package serve

import (
	"context"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/guard"
	"github.com/ptc-lang/ptc/runtime/queue"
)

// Views are the views of the resources that runs share: in this process, or in a cluster, where the answers come from
// other nodes. A node that can't be reached is an error whose effect.Failure is retryable.
type Views struct {
	Queues  Queues
	Outside Externals
	Guards  Guards
}

// Queues are the queues and the policies that the runs share.
type Queues interface {
	// All returns the stats of the actions that were called, in alphabetical order.
	All(ctx context.Context) ([]queue.Stats, error)
	// Executions returns a page of the executions of an action, as queue.Set.Executions.
	Executions(ctx context.Context, action, after string, n int) (queue.Page, error)
	// Cancel removes a waiting execution from the queue of an action, and reports whether there was one.
	Cancel(ctx context.Context, action, execution string) (bool, error)
	// Clear removes all waiting executions from the queue of an action, and returns their number.
	Clear(ctx context.Context, action string) (int, error)
	Policies() queue.Policies
	// Replace replaces the policies. The error joins the Problems of the policies.
	Replace(ctx context.Context, p queue.Policies) error
}

// Externals are the executions that happen outside of the service, as queue.Externals.
type Externals interface {
	Begin(ctx context.Context, action, tenant string, e effect.Execution, lease time.Duration) (queue.External, error)
	Get(ctx context.Context, id string) (queue.External, error)
	Wait(ctx context.Context, id string) (queue.External, error)
	Complete(ctx context.Context, id string, how effect.Ending) (queue.External, error)
}

// Guards are the guards that the runs share.
type Guards interface {
	// Stats returns the holders and the waiters of guards, as guard.Set.Stats does.
	Stats(ctx context.Context, n int) (guard.Stats, error)
}

// complete sets the views that were left out, of the queues and guards of a process.
func (v *Views) complete(o *Options) {
	if q, ok := o.Run.Queue.(*queue.Enforcer); ok && v.Queues == nil {
		v.Queues, v.Outside = queuesHere{q}, externalsHere{queue.NewExternals(q)}
	}
	if g, ok := o.Run.Guards.(*guard.Set); ok && v.Guards == nil {
		v.Guards = guardsHere{g}
	}
}

// queuesHere are the queues of a process.
type queuesHere struct{ *queue.Enforcer }

// All implements Queues.
func (q queuesHere) All(context.Context) ([]queue.Stats, error) { return q.Queues().All(), nil }

// Executions implements Queues.
func (q queuesHere) Executions(_ context.Context, action, after string, n int) (queue.Page, error) {
	return q.Queues().Executions(action, after, n)
}

// Cancel implements Queues.
func (q queuesHere) Cancel(_ context.Context, action, execution string) (bool, error) {
	return q.Queues().Cancel(action, execution), nil
}

// Clear implements Queues.
func (q queuesHere) Clear(_ context.Context, action string) (int, error) {
	return q.Queues().Clear(action), nil
}

// Replace implements Queues.
func (q queuesHere) Replace(_ context.Context, p queue.Policies) error { return q.Enforcer.Replace(p) }

// externalsHere are the executions outside of a process.
type externalsHere struct{ *queue.Externals }

// Get implements Externals.
func (x externalsHere) Get(_ context.Context, id string) (queue.External, error) {
	return x.Externals.Get(id)
}

// Complete implements Externals.
func (x externalsHere) Complete(_ context.Context, id string, how effect.Ending) (queue.External, error) {
	return x.Externals.Complete(id, how)
}

// guardsHere are the guards of a process.
type guardsHere struct{ *guard.Set }

// Stats implements Guards.
func (g guardsHere) Stats(_ context.Context, n int) (guard.Stats, error) { return g.Set.Stats(n), nil }
