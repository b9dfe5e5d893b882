// This file defines the methods on queues, executions and guards.

package client

import (
	"context"
	"iter"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/guard"
	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/serve/wire"
)

// Actions returns the actions of the service by name, with the state of their queues.
func (c *Client) Actions(ctx context.Context) iter.Seq2[wire.Action, error] {
	return pages(func(after string) ([]wire.Action, string, error) {
		r := get("/v1/actions")
		r.query = values("after", after)
		var page wire.Actions
		_, err := c.call(ctx, r, &page)
		return page.Actions, page.Next, err
	}, "")
}

// QueueStats returns the state of the queue of an action.
func (c *Client) QueueStats(ctx context.Context, action string) (s queue.Stats, err error) {
	_, err = c.call(ctx, get("/v1/actions/%s/queue-stats", action), &s)
	return s, err
}

// Executions returns the executions of an action: first the active ones, then the waiting ones, in order.
func (c *Client) Executions(ctx context.Context, action string) iter.Seq2[queue.Listed, error] {
	return pages(func(after string) ([]queue.Listed, string, error) {
		r := get("/v1/actions/%s/executions", action)
		r.query = values("after", after)
		var page queue.Page
		_, err := c.call(ctx, r, &page)
		return page.Executions, page.Next, err
	}, "")
}

// CancelExecution cancels a waiting execution by its queue.Listed.Name.
func (c *Client) CancelExecution(ctx context.Context, action, name string) error {
	_, err := c.call(ctx, post(nil, "/v1/actions/%s/executions/%s/cancel", action, name), nil)
	return err
}

// ClearQueue cancels all waiting executions of an action, and returns their number.
func (c *Client) ClearQueue(ctx context.Context, action string) (int, error) {
	var n wire.Cleared
	_, err := c.call(ctx, post(nil, "/v1/actions/%s/clear", action), &n)
	return n.Cancelled, err
}

// BeginExecution asks for a turn to do something outside of the service. It returns after at most the time wait, as
// soon as the execution no longer waits. Do it when its State is queue.Active, and call CompleteExecution then.
func (c *Client) BeginExecution(ctx context.Context, action string, e wire.NewExecution,
	wait time.Duration) (x queue.External, err error) {
	r := post(e, "/v1/actions/%s/executions", action)
	r.waits(wait)
	_, err = c.call(ctx, r, &x)
	return x, err
}

// Execution returns an execution that BeginExecution has begun: after at most the time wait, as soon as it no longer
// waits.
func (c *Client) Execution(ctx context.Context, id string, wait time.Duration) (x queue.External, err error) {
	r := get("/v1/executions/%s", id)
	r.waits(wait)
	_, err = c.call(ctx, r, &x)
	return x, err
}

// CompleteExecution ends an execution, so that the next one can start.
func (c *Client) CompleteExecution(ctx context.Context, id string, how effect.Ending) (x queue.External, err error) {
	_, err = c.call(ctx, post(wire.Completion{Outcome: how.String()}, "/v1/executions/%s/complete", id), &x)
	return x, err
}

// Guards returns who holds guards and who waits for them, and the rates: at most so many of each; 0 is the default of
// the service.
func (c *Client) Guards(ctx context.Context, most int) (s guard.Stats, err error) {
	r := get("/v1/guards")
	r.query = values()
	limited(r.query, most)
	_, err = c.call(ctx, r, &s)
	return s, err
}
