// This file defines Node, and how the nodes of a cluster choose the coordinator.

package coord

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/peer"
	"github.com/ptc-lang/ptc/runtime/queue"
)

// The default leases.
const (
	DefaultLease    = 3 * time.Second
	DefaultElection = time.Second
	MinLease        = 2 * DefaultElection
)

// Options are the options of a Node.
type Options struct {
	// Engine and Network are those of this node. The Network carries requests to the other nodes; its Node is the name
	// of this one.
	Engine  engine.Engine
	Network peer.Network
	// Lease is the time after which a node that is not heard of has lost its guards, 0 is DefaultLease. Election is the
	// time after which another coordinator follows one that is not heard of, in whole seconds, as leases of the engine
	// are; 0 is DefaultElection. All nodes have the same. Lease is at least twice as long as Election, or nodes would
	// lose their guards before they can assert them at the next coordinator.
	Lease, Election time.Duration
	// Observer has this node never be the coordinator.
	Observer bool
	// Queue are the bounds of the queues.
	Queue queue.Options
	// Logger gets the messages for an operator. It is optional.
	Logger *slog.Logger
}

// Node is the part of a node that shares guards, queues and policies with the other nodes. New makes it; Close ends it.
type Node struct {
	options     Options
	name        string
	incarnation string
	engine      engine.Engine
	network     peer.Network
	lease       time.Duration
	election    time.Duration
	log         *slog.Logger
	guardLog    *slog.Logger

	term     atomic.Pointer[term] // nil unless this node is the coordinator
	policies policies
	client   *client
	queues   *Queues
	guards   *Guards
	outside  *Externals

	cancel context.CancelFunc
	work   sync.WaitGroup

	mu      sync.Mutex
	aside   bool          // it is not to be the coordinator
	stepped bool          // its term was ended by StepDown
	leader  leader        // Term 0 if there is none
	changed chan struct{} // closed at the next change of leader
}

// New returns a node that takes part, and makes its Network answer the other nodes: it is called before the node is
// reachable.
func New(o Options) (*Node, error) {
	o.Lease, o.Election = cmp.Or(o.Lease, DefaultLease), cmp.Or(o.Election, DefaultElection)
	if o.Engine == nil || o.Network == nil {
		return nil, fmt.Errorf("coord: got an engine: %t, a network: %t; want both", o.Engine != nil, o.Network != nil)
	}
	if o.Election < time.Second || o.Election%time.Second != 0 || o.Lease < 2*o.Election {
		return nil, fmt.Errorf("coord: got the lease %s and the election %s, want an election of whole seconds and a lease "+
			"of at least twice that", o.Lease, o.Election)
	}
	n := &Node{options: o, name: o.Network.Node(), incarnation: rand.Text(), engine: o.Engine, network: o.Network,
		lease: o.Lease, election: o.Election, log: o.Logger, guardLog: o.Logger, changed: make(chan struct{})}
	if n.log == nil {
		n.log = slog.New(slog.DiscardHandler)
	}
	n.client = newClient(n)
	n.guards = &Guards{n.client}
	var err error
	if n.queues, err = newQueues(n.client, o.Queue); err != nil {
		return nil, err
	}
	n.outside = newExternals(n)
	answer(n, methodHello, func(ctx context.Context, t *term, from string, h hello) (welcome, error) {
		return t.hello(ctx, from, h)
	})
	answer(n, methodOps, func(_ context.Context, t *term, from string, b batch) (events, error) { return t.ops(from, b) })
	answer(n, methodPoll, func(ctx context.Context, t *term, from string, b batch) (events, error) {
		return t.poll(ctx, from, b)
	})
	answer(n, methodBye, func(_ context.Context, t *term, from string, b batch) (struct{}, error) {
		s, err := t.renew(from, b.Session)
		if err == nil {
			t.end(s)
		}
		return struct{}{}, err
	})
	n.network.Handle(methodLocal, n.queues.answer)
	answer(n, methodList, func(_ context.Context, t *term, _ string, l listing) (listed, error) { return t.list(l) })
	ctx, cancel := context.WithCancel(context.Background())
	n.cancel = cancel
	n.work.Go(func() { n.watch(ctx) })
	n.work.Go(func() { n.client.run(ctx) })
	if !o.Observer {
		n.work.Go(func() { n.stand(ctx) })
	}
	return n, nil
}

// Guards returns the guards of the cluster.
func (n *Node) Guards() *Guards { return n.guards }

// Queues returns the queues of the cluster.
func (n *Node) Queues() *Queues { return n.queues }

// Externals returns the executions outside of the cluster.
func (n *Node) Externals() *Externals { return n.outside }

// Close releases all guards and queue slots of the node and ends its part: the guards of its runs are lost.
// If it is the coordinator, another node follows immediately.
func (n *Node) Close() error {
	n.client.leave()
	n.outside.kept.Close()
	n.cancel()
	n.work.Wait()
	return nil
}

// answer makes the node answer a method as long as it is the coordinator.
func answer[Q, A any](n *Node, method string, f func(ctx context.Context, t *term, from string, q Q) (A, error)) {
	n.network.Handle(method, func(ctx context.Context, from string, request []byte) ([]byte, error) {
		t := n.term.Load()
		if t == nil {
			return nil, n.notCoordinator()
		}
		t.mu.Lock()
		leads := t.leads()
		t.mu.Unlock()
		var of struct {
			Term uint64 `json:"term"`
		}
		var q Q
		if err := errors.Join(json.Unmarshal(request, &of), json.Unmarshal(request, &q)); err != nil {
			return nil, &peer.Error{Code: codeBadRequest, Message: err.Error()}
		}
		if !leads || of.Term != 0 && of.Term != t.number {
			return nil, n.notCoordinator()
		}
		a, err := f(ctx, t, from, q)
		if err != nil {
			return nil, asPeerError(err)
		}
		return json.Marshal(a)
	})
}

func asPeerError(err error) error {
	if errors.As(err, new(*peer.Error)) {
		return err
	}
	return &peer.Error{Code: codeBadRequest, Message: err.Error()}
}

func (n *Node) notCoordinator() error {
	return &peer.Error{Code: codeNotCoordinator, Message: n.name + " is not the coordinator of this term"}
}

// current returns the coordinator that this node knows, and a channel that is closed when it changes.
func (n *Node) current() (leader, <-chan struct{}) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.leader, n.changed
}

// Coordinator returns the name of the coordinator that this node knows, and the number of its term; "" and that of the
// last one if there is none.
func (n *Node) Coordinator() (node string, term uint64) {
	l, _ := n.current()
	return l.Node, l.Term
}

// Aside prevents the node from being the coordinator while it is set: another node follows it, if there is one.
func (n *Node) Aside(on bool) {
	n.mu.Lock()
	if n.aside == on {
		n.mu.Unlock()
		return
	}
	n.aside = on
	close(n.changed)
	n.changed = make(chan struct{})
	n.mu.Unlock()
	if on {
		n.StepDown()
	}
}

// StepDown ends the term of this node, if it is the coordinator, so that another node follows.
func (n *Node) StepDown() {
	if t := n.term.Load(); t != nil {
		n.mu.Lock()
		n.stepped = true
		n.mu.Unlock()
		t.cancel()
	}
}

// rest returns the time for which this node does not stand after a term, so that others come first.
func (n *Node) rest() time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.stepped {
		n.stepped = false
		return n.election
	}
	return retryPause
}

// may reports whether this node may become the coordinator.
func (n *Node) may() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return !n.aside
}

// unfollow forgets the coordinator of a term, if there is no later one.
func (n *Node) unfollow(term uint64) {
	if l, _ := n.current(); l.Term <= term {
		n.follow(leader{Term: term})
	}
}

func (n *Node) follow(l leader) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if l == n.leader || l.Term > 0 && l.Term < n.leader.Term {
		return
	}
	if l.Term == 0 {
		l.Term = n.leader.Term
	}
	n.leader = l
	close(n.changed)
	n.changed = make(chan struct{})
}

// retryPause is the pause after an error of the engine.
const retryPause = 100 * time.Millisecond

// pause waits. It reports whether ctx has not ended.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// watch follows the records of the coordinator and of the policies.
func (n *Node) watch(ctx context.Context) {
	for {
		page, err := n.engine.List(ctx, engine.Query{Prefix: watchedKeys})
		if err == nil {
			found := false
			for _, e := range page.Entries {
				found = found || e.Key == leaderKey
				n.see(engine.Change{Entry: e})
			}
			if !found {
				n.follow(leader{})
			}
			err = n.engine.Watch(ctx, watchedKeys, page.Revision, func(c engine.Commit) error {
				for _, change := range c.Changes {
					n.see(change)
				}
				return nil
			})
		}
		if ctx.Err() == nil {
			n.log.Debug("the record of the coordinator can't be watched", "node", n.name, "error", err)
		}
		if !pause(ctx, retryPause) {
			return
		}
	}
}

// see learns of a record.
func (n *Node) see(c engine.Change) {
	switch c.Key {
	case policiesKey:
		if c.Deleted {
			c.Value = nil
		}
		n.learn(c.Value, c.Modified)
	case leaderKey:
		var l leader
		if !c.Deleted {
			if err := json.Unmarshal(c.Value, &l); err != nil {
				n.log.Error("the record of the coordinator is damaged", "node", n.name, "error", err)
				return
			}
		}
		n.follow(l)
	}
}

// stand makes this node the coordinator whenever there is none.
func (n *Node) stand(ctx context.Context) {
	for ctx.Err() == nil {
		l, changed := n.current()
		if l.Node != "" || !n.may() {
			select {
			case <-changed:
			case <-ctx.Done():
			}
			continue
		}
		t, err := n.elect(ctx)
		switch {
		case err != nil && ctx.Err() == nil:
			n.log.Debug("this node can't become the coordinator", "node", n.name, "error", err)
			pause(ctx, retryPause)
		case err != nil:
		case t == nil: // another node was faster, and will be seen
			select {
			case <-changed:
			case <-time.After(n.election / 4):
			case <-ctx.Done():
			}
		default:
			t.serve(ctx)
			n.unfollow(t.number)
			pause(ctx, n.rest())
		}
	}
}
