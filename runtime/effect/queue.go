// This file defines the queues of calls.

package effect

import (
	"context"
)

// Queues are the queues of actions, with policies in front of them. *queue.Enforcer is the
// implementation for one process.
type Queues interface {
	// Action returns the queue of an action. A caller that makes many calls keeps it.
	Action(name string) Action
	// Waiters returns the waiters in the order of actions, the first of each queue first; at
	// most n.
	Waiters(n int) []Waiter
}

// Action is one action behind its policies. Its errors are ones that FailureOf knows.
type Action interface {
	// Admit checks the rates and quotas of the policies, and counts the call. It does not wait in a
	// queue.
	Admit(ctx context.Context) error
	// Start waits in the queue until the execution may begin. After a nil error the caller must
	// call Leave. most is a bound on the executions under way, in addition to the policies; 0 is no
	// bound. The Wait is zero if the execution did not have to wait.
	Start(ctx context.Context, execution string, most int) (Wait, error)
	// Leave ends an execution that has started. It returns an error if the execution was no longer
	// under way.
	Leave(execution string) error
	// Bounds returns the policies of the action in short, "" for none.
	Bounds() string
}
