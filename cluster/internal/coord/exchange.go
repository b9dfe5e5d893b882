// This file defines the messages between this node and the coordinator within a session.

package coord

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/ptc-lang/ptc/cluster/peer"
)

// call sends a request, and waits for the answer for some time.
func (c *client) call(ctx context.Context, node, method string, request, answer any, most time.Duration) error {
	text, err := json.Marshal(request)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	text, err = c.node.network.Call(ctx, node, method, text)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, answer)
}

// sender sends operations, in their order.
func (c *client) sender(ctx context.Context, stop context.CancelFunc, l leader) {
	defer stop()
	for {
		b, ok := c.next(l)
		if !ok {
			select {
			case <-c.wake:
				continue
			case <-ctx.Done():
				return
			}
		}
		for {
			b.Ack = c.acked()
			err := c.exchange(ctx, l, methodOps, b, c.node.lease/4)
			if err == nil {
				break
			}
			if c.broken(err) || !pause(ctx, c.node.lease/50) {
				return
			}
		}
	}
}

// next returns the next batch, if there is something to send.
func (c *client) next(l leader) (batch, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.outbox) == 0 || c.session == "" {
		return batch{}, false
	}
	n, size := 0, 0
	for n < min(len(c.outbox), maxBatch) && (n == 0 || size < maxBatchBytes) {
		size += c.outbox[n].size()
		n++
	}
	c.batch++
	b := batch{Term: l.Term, Session: c.session, Number: c.batch, Ops: c.outbox[:n:n]}
	if c.outbox = c.outbox[n:]; len(c.outbox) == 0 {
		c.outbox = nil
	}
	return b, true
}

func (c *client) acked() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seen
}

// poller waits for events.
func (c *client) poller(ctx context.Context, stop context.CancelFunc, l leader) {
	defer stop()
	c.mu.Lock()
	b := batch{Term: l.Term, Session: c.session}
	c.mu.Unlock()
	for b.Session != "" && ctx.Err() == nil {
		c.idle()
		b.Ack = c.acked()
		err := c.exchange(ctx, l, methodPoll, b, c.node.lease/6+c.node.lease/4)
		if err != nil && (c.broken(err) || !pause(ctx, c.node.lease/50)) {
			return
		}
	}
}

// idle reports to the coordinator for how long the runs of waiting executions have been idle.
func (c *client) idle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.idleAt) < c.node.lease/6 {
		return
	}
	c.idleAt = time.Now()
	for _, r := range c.requests {
		if e := r.op.Execution; e != nil && e.Idle != nil && r.state == waiting {
			if d := e.Idle(); d != r.op.For {
				r.op.For = d
				c.send(op{Kind: opIdle, ID: r.op.ID, For: d})
			}
		}
	}
}

// broken reports whether an error ends the session. If the coordinator has no session, all held guards are lost.
func (c *client) broken(err error) bool {
	var refusal *peer.Error
	if !errors.As(err, &refusal) {
		return false
	}
	switch refusal.Code {
	case codeBadRequest:
		c.node.log.Error("the coordinator refuses the messages of this node", "node", c.node.name, "error", err)
		return c.expire(true)
	case codeNoSession:
		return c.expire(true)
	}
	return false // for a moment, or the coordinator changes
}

// exchange sends a batch, and handles the events of the answer.
func (c *client) exchange(ctx context.Context, l leader, method string, b batch, most time.Duration) error {
	began := time.Now()
	var answer events
	if err := c.call(ctx, l.Node, method, b, &answer, most); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session != b.Session || !time.Now().Before(c.until) {
		return nil // it is over, whatever the answer is
	}
	if until := began.Add(c.valid); until.After(c.until) {
		c.until = until
	}
	c.note(answer.Clock)
	for i := range answer.Events {
		if number := answer.First + uint64(i); number == c.seen+1 {
			c.seen = number
			c.happened(&answer.Events[i])
		}
	}
	return nil
}

// happened handles an event. The caller holds mu.
func (c *client) happened(e *event) {
	r := c.requests[e.ID]
	if r == nil {
		return // it was given up in the meantime
	}
	if e.Number > 0 {
		r.number = e.Number
	}
	switch e.Kind {
	case eventLost:
		if r.state == granted {
			r.lostNow()
			delete(c.requests, e.ID)
		}
		return
	case eventRest, eventWake:
		if r.state == waiting && r.rester != nil {
			if e.Kind == eventRest {
				r.rester.Rest()
			} else {
				r.rester.Wake()
			}
		}
		return
	}
	if r.state != waiting {
		return
	}
	switch e.Kind {
	case eventWaits:
		if e.Wait != "" {
			r.waits = append(r.waits, *e)
		}
	case eventGranted:
		r.end(granted, nil)
		if r.fence = e.Fence; r.op.Kind == opAdmit || r.op.Kind == opAcquire && e.Fence == 0 {
			delete(c.requests, e.ID) // nothing is held
		} else if r.op.Kind == opAcquire {
			r.lost, r.lose = context.WithCancelCause(context.Background())
		}
	case eventRefused:
		delete(c.requests, e.ID)
		r.end(refused, e.Error.err())
	}
	r.tell()
}
