// This file defines the queues that calls wait in.

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
	// Start waits in the queue until the execution may begin. After a nil error the caller calls
	// Leave. most bounds the executions under way beside what the policies allow; 0 for no
	// bound. The wait is the zero Wait if the execution did not have to wait.
	Start(ctx context.Context, execution string, most int) (Wait, error)
	// Leave ends an execution that has started. An error says that it was not under way any
	// more.
	Leave(execution string) error
	// Bounds returns the policies of the action in short, "" for none.
	Bounds() string
}
