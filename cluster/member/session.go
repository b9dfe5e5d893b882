// This file defines the sessions of a node: how it is announced, and how that ends.

package member

import (
	"context"
	"fmt"
	"time"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
)

// Session is a time in which a node is alive for the others.
type Session struct {
	// Incarnation names the session among those of the node. It is the revision of its announcement.
	Incarnation engine.Revision
	// Lease is the lease that work of the node is bound to.
	Lease engine.LeaseID

	node string
	ctx  context.Context
	end  context.CancelCauseFunc
}

// Context ends when the session does, before others can see that, with ErrLost or ErrLeft as its cause.
func (s *Session) Context() context.Context { return s.ctx }

// Holds is the condition that the session has not ended.
func (s *Session) Holds() engine.Condition { return engine.CreatedAt(keyAlive+s.node, s.Incarnation) }

// Session returns the session of this node. While there is none it waits for the next.
func (c *Cluster) Session(ctx context.Context) (*Session, error) {
	for {
		c.mu.Lock()
		s, changed := c.session, c.changed
		c.mu.Unlock()
		if s != nil {
			return s, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-c.ctx.Done():
			return nil, context.Cause(c.ctx)
		}
	}
}

// Now returns the session of this node; nil while there is none.
func (c *Cluster) Now() *Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session
}

// The times between attempts to announce this node.
const (
	announceRetry    = 100 * time.Millisecond
	maxAnnounceRetry = 2 * time.Second
)

// hold keeps this node announced until the Cluster ends.
func (c *Cluster) hold() {
	retry := announceRetry
	for c.ctx.Err() == nil {
		s, lease, err := c.announce()
		if err != nil {
			if c.ctx.Err() == nil {
				c.log.Warn("the node can't be announced; trying again", "node", c.opts.Self.Name, "error", err,
					"after", retry)
			}
			c.pause(retry)
			retry = min(2*retry, maxAnnounceRetry)
			continue
		}
		retry = announceRetry
		c.log.Info("the node is a member", "node", s.node, "incarnation", s.Incarnation)
		c.set(s)
		cause := ErrLeft
		select {
		case <-lease.Lost():
			cause = ErrLost
		case <-c.ctx.Done():
		}
		s.end(cause)
		c.set(nil)
		c.log.Warn("the session of the node has ended", "node", s.node, "incarnation", s.Incarnation, "cause", cause)
		c.drop(lease)
	}
}

// pause waits for a time, or the end of the Cluster.
func (c *Cluster) pause(d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-c.ctx.Done():
	}
}

// dropTime is the time that the end of a lease may take. A lease that can't be ended in it expires.
const dropTime = 500 * time.Millisecond

// drop ends a lease.
func (c *Cluster) drop(l engine.Lease) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), dropTime)
	defer cancel()
	if err := l.Close(ctx); err != nil {
		c.log.Debug("a lease can't be ended; it expires", "node", c.opts.Self.Name, "error", err)
	}
}

func (c *Cluster) set(s *Session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session = s
	c.change()
}

// announce begins a session.
func (c *Cluster) announce() (*Session, engine.Lease, error) {
	name := c.opts.Self.Name
	if err := c.predecessor(name); err != nil {
		return nil, nil, err
	}
	lease, err := c.opts.Engine.Grant(c.ctx, c.opts.Lease)
	if err != nil {
		return nil, nil, err
	}
	res, err := c.opts.Engine.Apply(c.ctx, []engine.Condition{engine.Absent(keyAlive + name)},
		engine.Op{Key: keyAlive + name, Value: encode(c.opts.Self), Lease: lease.ID()},
		engine.Put(keyInfo+name, encode(record{Info: c.opts.Self})))
	if err == nil && !res.Done {
		err = fmt.Errorf("a node %s is alive, with the incarnation %d: stop that process, or name this one otherwise", name,
			res.Found[0].Created)
	}
	if err != nil { // if the announcement was made all the same, it ends with the lease
		c.drop(lease)
		return nil, nil, err
	}
	s := &Session{Incarnation: res.Revision, Lease: lease.ID(), node: name}
	s.ctx, s.end = context.WithCancelCause(context.Background())
	return s, lease, nil
}

// predecessor waits for the end of an earlier session of this node, at most one lease and a half.
func (c *Cluster) predecessor(name string) error {
	ctx, cancel := context.WithTimeout(c.ctx, c.opts.Lease*3/2)
	defer cancel()
	for {
		changed := c.Changed()
		if _, alive, err := c.opts.Engine.Get(ctx, keyAlive+name); err != nil || !alive {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("a node %s is alive: stop that process, or name this one otherwise", name)
		}
	}
}
