// This file defines duties: tasks of one node for all.

package member

import (
	"context"
	"slices"
	"time"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
)

// Holder is the node that has a duty.
type Holder struct {
	Node        string          `json:"node"`
	Incarnation engine.Revision `json:"incarnation"`
	// Fence grows with each holder: changes of one that has lost the duty are refused by the condition Holds.
	Fence engine.Revision `json:"-"`
}

// Duty is the right to do something for all nodes, while its context lasts.
type Duty struct {
	Name  string
	Fence engine.Revision
	ctx   context.Context
}

// Context ends before another node can have the duty.
func (d *Duty) Context() context.Context { return d.ctx }

// Holds is the condition that the duty has not been lost.
func (d *Duty) Holds() engine.Condition { return engine.CreatedAt(keyDuty+d.Name, d.Fence) }

// Holder returns the node that has a duty; false if none has it.
func (c *Cluster) Holder(duty string) (Holder, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h, ok := c.duties[duty]
	return h, ok
}

// takeResign takes over a request that a holder return its duty; the caller holds the lock.
func (c *Cluster) takeResign(duty string, change engine.Change) {
	var fence engine.Revision
	if c.decode(change, &fence) {
		c.resign[duty] = fence
	} else {
		delete(c.resign, duty)
	}
}

// takeDuty takes a changed duty over; the caller holds the lock.
func (c *Cluster) takeDuty(duty string, change engine.Change) {
	var h Holder
	if !c.decode(change, &h) {
		delete(c.duties, duty)
		return
	}
	h.Fence = change.Created
	if c.duties[duty].Fence != h.Fence {
		c.elections++
	}
	c.duties[duty] = h
}

// StepDown asks the node that has a duty to return it. That node does not ask for it again for one lease, so that
// another one gets it. StepDown waits a short time until this node knows the next holder.
func (c *Cluster) StepDown(ctx context.Context, duty string) error {
	h, ok := c.Holder(duty)
	if !ok {
		return nil
	}
	err := c.update(ctx, func() ([]engine.Condition, []engine.Op) {
		return []engine.Condition{engine.CreatedAt(keyDuty+duty, h.Fence)},
			[]engine.Op{engine.Put(keyResign+duty, encode(h.Fence))}
	})
	if err == nil {
		c.seen(ctx, func() bool {
			next, ok := c.duties[duty]
			return ok && next.Fence != h.Fence
		})
	}
	return err
}

// Elect asks for a duty whenever no node has it, and calls have while this node has it, until ctx ends. have returns
// when the context of the duty ends; if it returns before, the duty is free. A witness, a draining node and
// one that is in a minority by its heartbeats do not ask, and lose the duty. duty is a word that is part of a key.
func (c *Cluster) Elect(ctx context.Context, duty string, have func(*Duty)) {
	for ctx.Err() == nil && c.ctx.Err() == nil {
		s := c.candidate(ctx, duty)
		if s == nil {
			return
		}
		fence, err := c.ask(ctx, duty, s)
		if err != nil {
			c.log.Debug("a duty can't be asked for; trying again", "duty", duty, "error", err)
		}
		if fence == 0 {
			c.pause(announceRetry)
			continue
		}
		c.log.Info("this node has a duty", "node", s.node, "duty", duty, "fence", fence)
		if resigned := c.serve(ctx, &Duty{Name: duty, Fence: fence}, s, have); resigned {
			c.pause(c.opts.Lease)
		}
	}
}

// candidate waits until this node may ask for a duty that no node has. It returns nil if ctx or the Cluster ends.
func (c *Cluster) candidate(ctx context.Context, duty string) *Session {
	for {
		c.mu.Lock()
		s, changed := c.session, c.changed
		h, taken := c.duties[duty]
		if s != nil && h.Incarnation == s.Incarnation && h.Node == s.node { // by a request whose answer was lost
			taken = false
		}
		free := s != nil && !taken && c.fit()
		rank := c.rank()
		c.mu.Unlock()
		if free {
			// Nodes ask one after the other, so that usually one of them asks.
			if c.waited(ctx, changed, time.Duration(rank)*electStep) {
				return s
			}
			if ctx.Err() == nil && c.ctx.Err() == nil {
				continue
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		case <-c.ctx.Done():
			return nil
		}
	}
}

// electStep is the additional delay of each further candidate. It is longer than a commit.
const electStep = 20 * time.Millisecond

// waited waits for a time, and reports whether nothing has changed in it.
func (c *Cluster) waited(ctx context.Context, changed <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-changed:
	case <-ctx.Done():
	case <-c.ctx.Done():
	}
	return false
}

// fit reports whether this node may have duties; the caller holds the lock.
func (c *Cluster) fit() bool {
	k := c.known[c.opts.Self.Name]
	return !c.opts.Self.Witness && (k == nil || !k.draining) && c.reach() == Majority
}

// rank returns the number of nodes that ask before this one; the caller holds the lock.
func (c *Cluster) rank() int {
	var names []string
	for name, k := range c.known {
		if k.incarnation != 0 && !k.draining && !k.Witness {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	i, _ := slices.BinarySearch(names, c.opts.Self.Name)
	return i
}

// ask asks for a duty, and returns its fence, or 0 if another node has it.
func (c *Cluster) ask(ctx context.Context, duty string, s *Session) (engine.Revision, error) {
	value := encode(Holder{Node: s.node, Incarnation: s.Incarnation})
	res, err := c.opts.Engine.Apply(ctx, []engine.Condition{engine.Absent(keyDuty + duty), s.Holds()},
		engine.Op{Key: keyDuty + duty, Value: value, Lease: s.Lease})
	if err == nil && res.Done {
		return res.Revision, nil
	}
	if err == nil && res.Found[0].Lease == s.Lease { // an earlier request whose answer was lost
		return res.Found[0].Created, nil
	}
	return 0, err
}

// serve calls have until the duty ends, and reports whether it was asked to give the duty back. No other node can have
// the duty before have has returned, unless the session ends first.
func (c *Cluster) serve(ctx context.Context, d *Duty, s *Session, have func(*Duty)) (resigned bool) {
	var end context.CancelCauseFunc
	d.ctx, end = context.WithCancelCause(s.ctx)
	stop := context.AfterFunc(ctx, func() { end(context.Cause(ctx)) })
	defer stop()
	done := make(chan struct{})
	go func() {
		defer close(done)
		have(d)
	}()
	for over := false; !over; {
		c.mu.Lock()
		resigned = c.resign[d.Name] == d.Fence
		unfit, changed := !c.fit(), c.changed
		c.mu.Unlock()
		if resigned || unfit {
			break
		}
		select {
		case <-changed:
		case <-done:
			over = true
		case <-d.ctx.Done():
			over = true
		case <-c.ctx.Done():
			over = true
		}
	}
	end(ErrLost)
	<-done
	give, cancel := context.WithTimeout(context.WithoutCancel(ctx), dropTime)
	defer cancel()
	if err := c.update(give, func() ([]engine.Condition, []engine.Op) {
		return []engine.Condition{d.Holds()}, []engine.Op{engine.Delete(keyDuty + d.Name), engine.Delete(keyResign + d.Name)}
	}); err != nil {
		c.log.Debug("a duty can't be given back, and ends with the session", "duty", d.Name, "error", err)
	}
	return resigned
}
