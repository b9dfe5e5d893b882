// This file defines the session of this node with the coordinator.

package coord

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// client has the requests of this node, and its session with the coordinator.
//
// The node counts the lease of the session from before it sent a message, and makes it an eighth shorter
// than the coordinator, which counts from the arrival of the message. So the node knows that its guards are
// lost before another node can get them, as long as the speeds of both clocks differ by less than an eighth
// and the process is scheduled in time.
type client struct {
	node  *Node
	valid time.Duration // of a lease here

	mu       sync.Mutex
	session  string    // "" for none
	proposed string    // the name of the next one, "" if it has none yet
	sessions int       // that had a name
	until    time.Time // the end of its lease, zero for none
	cut      time.Time // when the last session ended; zero if none has
	batch    uint64    // the number of the last batch, in this term
	seen     uint64    // the last event, in this term
	outbox   []op
	wake     chan struct{} // of the sender
	requests map[uint64]*request
	last     uint64 // number of a request or an owner
	pauses   map[string]rateChange
	slows    map[string]rateChange
	closed   bool
	opened   chan struct{} // closed when there is a session; nil if nobody waits for one

	clock   time.Duration // of the cluster; 0 if it is not known
	clockAt time.Time
	idleAt  time.Time // when idle times were last sent
}

// rateChange is a pause of a rate limit, or a lower rate.
type rateChange struct {
	until     time.Time
	perSecond float64
}

func newClient(n *Node) *client {
	return &client{node: n, valid: n.lease - n.lease/8, wake: make(chan struct{}, 1), requests: make(map[uint64]*request),
		pauses: make(map[string]rateChange), slows: make(map[string]rateChange)}
}

// number returns a new number.
func (c *client) number() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	return c.last
}

// clockNow returns the least that the clock of the cluster can show now; 0 if it is not known. It allows for a clock of
// this machine that runs a thousandth too fast.
func (c *client) clockNow() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.clock == 0 {
		return 0
	}
	passed := time.Since(c.clockAt)
	return c.clock + passed - passed/1000
}

// begin sends a new request. The caller waits for its end.
func (c *client) begin(o op, rester effect.Rester, deadline time.Time) *request {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	o.ID = c.last
	r := &request{of: c, op: o, rester: rester, deadline: deadline, news: make(chan struct{}, 1)}
	r.op.Rests = rester != nil
	if !c.closed {
		c.requests[o.ID] = r
		c.send(r.again())
	} else {
		r.state, r.err = refused, errLeaves
		r.tell()
	}
	return r
}

// send puts an operation into the next batch. The caller holds mu.
func (c *client) send(o op) {
	if c.session == "" {
		return // the items are sent with the next session
	}
	c.outbox = append(c.outbox, o)
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// run keeps a session with the coordinator until ctx ends.
func (c *client) run(ctx context.Context) {
	for ctx.Err() == nil {
		l, changed := c.node.current()
		if l.Node == "" {
			c.await(ctx, changed)
			continue
		}
		name, began := c.name(), time.Now()
		h := hello{Term: l.Term, Session: name, Incarnation: c.node.incarnation, Clock: c.clockNow()}
		var w welcome
		if err := c.call(ctx, l.Node, methodHello, h, &w, c.node.lease/4); err != nil {
			c.node.log.Debug("no session with the coordinator", "node", c.node.name, "coordinator", l.Node, "error", err)
			c.expire(false)
			select {
			case <-changed:
			case <-time.After(c.node.lease / 50):
			case <-ctx.Done():
			}
			continue
		}
		if c.open(name, began, w) {
			c.hold(ctx, l, changed)
		}
	}
	c.expire(true)
}

// Ready waits until the node has a session with the coordinator.
func (n *Node) Ready(ctx context.Context) error {
	c := n.client
	c.mu.Lock()
	if c.session != "" {
		c.mu.Unlock()
		return nil
	}
	if c.opened == nil {
		c.opened = make(chan struct{})
	}
	opened := c.opened
	c.mu.Unlock()
	select {
	case <-opened:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", c.reach(), context.Cause(ctx))
	}
}

// await waits for a coordinator, and ends the session when its lease is over.
func (c *client) await(ctx context.Context, changed <-chan struct{}) {
	for {
		select {
		case <-changed:
			return
		case <-ctx.Done():
			return
		case <-time.After(max(c.left(), time.Millisecond)):
			c.expire(false)
		}
	}
}

// left returns the rest of the lease, and a long time if there is none.
func (c *client) left() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session == "" {
		return time.Hour
	}
	return time.Until(c.until)
}

// name returns the name of the session: the one that still has a lease, or a new one.
func (c *client) name() string {
	c.expire(false)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session != "" {
		return c.session
	}
	if c.proposed == "" {
		c.sessions++
		c.proposed = fmt.Sprintf("%s-%d", c.node.incarnation, c.sessions)
	}
	return c.proposed
}

// open begins the session of a term. Everything that the node holds or waits for is sent again. It reports false if the
// session is over already.
func (c *client) open(name string, began time.Time, w welcome) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session != "" && (w.Over || !time.Now().Before(c.until)) {
		c.lapse()
	}
	if time.Since(began) >= c.valid {
		return false
	}
	c.session, c.until, c.proposed = name, began.Add(c.valid), ""
	if c.opened != nil {
		close(c.opened)
		c.opened = nil
	}
	c.batch, c.seen = 0, 0
	c.note(w.Clock)
	c.outbox = nil
	for _, id := range slices.Sorted(maps.Keys(c.requests)) {
		r := c.requests[id]
		o := r.again()
		switch {
		case r.state == granted && o.Kind == opAcquire:
			o.Kind, o.Fence, o.Call = opHold, r.fence, r.call
		case r.state == granted:
			o.Kind = opActive
		case r.state != waiting:
			continue
		}
		c.outbox = append(c.outbox, o)
	}
	for kind, all := range map[opKind]map[string]rateChange{opPause: c.pauses, opSlow: c.slows} {
		for key, p := range all {
			left := time.Until(p.until)
			if left <= 0 {
				delete(all, key)
				continue
			}
			c.outbox = append(c.outbox, op{Kind: kind, Key: key, For: left, PerSecond: p.perSecond})
		}
	}
	c.send(op{Kind: opAsserted})
	return true
}

// note keeps the time of the cluster. The caller holds mu.
func (c *client) note(clock time.Duration) {
	if clock > 0 {
		c.clock, c.clockAt = clock, time.Now()
	}
}

// hold keeps a session until the coordinator changes, or the session is over.
func (c *client) hold(ctx context.Context, l leader, changed <-chan struct{}) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var both sync.WaitGroup
	both.Go(func() { c.sender(ctx, cancel, l) })
	both.Go(func() { c.poller(ctx, cancel, l) })
	for ctx.Err() == nil {
		select {
		case <-changed:
			cancel()
		case <-ctx.Done():
		case <-time.After(max(c.left(), time.Millisecond)):
			if c.expire(false) {
				cancel()
			}
		}
	}
	cancel()
	both.Wait()
}

// expire ends the session if its lease is over, or in any case with now: all that is held is lost. It reports whether
// there is no session any more.
func (c *client) expire(now bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session != "" && (now || !time.Now().Before(c.until)) {
		c.lapse()
	}
	return c.session == ""
}

// lapse ends the session. The caller holds mu.
func (c *client) lapse() {
	c.session, c.until, c.outbox, c.cut = "", time.Time{}, nil, time.Now()
	for id, r := range c.requests {
		switch r.state {
		case granted:
			r.lostNow()
			delete(c.requests, id)
		case waiting:
			r.number = 0
			if r.rester != nil {
				r.rester.Wake()
			}
		}
	}
}

// reach describes why the coordinator does not answer; "" if there is a session.
func (c *client) reach() string {
	l, _ := c.node.current()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session != "" {
		return ""
	}
	since := ""
	if !c.cut.IsZero() {
		since = fmt.Sprintf(" since %s", time.Since(c.cut).Round(time.Millisecond))
	}
	if l.Node == "" {
		return fmt.Sprintf("the cluster has no coordinator that node %s knows of%s", c.node.name, since)
	}
	return fmt.Sprintf("node %s can't reach the coordinator %s%s", c.node.name, l.Node, since)
}

// leave notifies the coordinator that this node holds nothing any more, and ends the session.
func (c *client) leave() {
	c.mu.Lock()
	c.closed = true
	session := c.session
	for id, r := range c.requests {
		if r.state == waiting {
			r.end(refused, errLeaves)
			delete(c.requests, id)
			r.tell()
		}
	}
	c.mu.Unlock()
	c.expire(true)
	if l, _ := c.node.current(); session != "" && l.Node != "" {
		ctx := context.Background()
		b := batch{Term: l.Term, Session: session}
		if err := c.call(ctx, l.Node, methodBye, b, &struct{}{}, c.node.lease/4); err != nil {
			c.node.log.Debug("the coordinator does not know that this node leaves", "node", c.node.name, "error", err)
		}
	}
}
