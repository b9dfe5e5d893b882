// This file defines the errors.

package queue

import (
	"context"
	"fmt"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
)

// Full is the error of an execution that finds its queue full.
type Full struct {
	Action  string
	Waiting int // executions, which is as many as may
	Active  int
	Limit   int // of those under way
}

// Code gives diag.QueueFull.
func (e *Full) Code() diag.Code { return diag.QueueFull }

func (e *Full) Error() string {
	return fmt.Sprintf("the queue of %s is full: %d executions wait, which is the limit, and %s are under way",
		e.Action, e.Waiting, ofLimit(e.Active, e.Limit))
}

// TimedOut is the error of an execution that has waited as long as it may.
type TimedOut struct {
	Action    string
	Execution string
	Waited    time.Duration
	Active    int // executions under way, for whose end it has waited
	Limit     int
}

// Code gives diag.QueueTimeout.
func (e *TimedOut) Code() diag.Code { return diag.QueueTimeout }

func (e *TimedOut) Error() string {
	return fmt.Sprintf("%s waited %s in the queue of %s, which is the limit, while %s were under way",
		e.Execution, diag.Duration(e.Waited), e.Action, ofLimit(e.Active, e.Limit))
}

// Cancelled is the error of an execution that somebody took out of its queue.
type Cancelled struct {
	Action    string
	Execution string
	Cleared   bool // by ClearAll, with all others that waited
}

// Code gives diag.QueueCancelled.
func (e *Cancelled) Code() diag.Code { return diag.QueueCancelled }

func (e *Cancelled) Error() string {
	if e.Cleared {
		return fmt.Sprintf("%s did not start: all queues were cleared while it waited for %s", e.Execution, e.Action)
	}
	return fmt.Sprintf("%s did not start: it was cancelled while it waited for %s", e.Execution, e.Action)
}

// stopped gives the error of an execution whose context has ended.
func stopped(ctx context.Context, action, execution string) error {
	return fmt.Errorf("%s stopped waiting for %s: %w", execution, action, context.Cause(ctx))
}

func ofLimit(active, limit int) string {
	if limit == NoLimit {
		return fmt.Sprint(active)
	}
	return fmt.Sprintf("%d of at most %d", active, limit)
}
