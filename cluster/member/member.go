// Package member keeps track of the nodes of a cluster: who belongs to it, who is alive, how loaded each one is, and
// which node has a duty that only one may have.
//
//   - Cluster: the view that a node has of the cluster, and its own place in it. Join makes one.
//   - Info, Versions: a node's description of itself. Node: its state as others know it.
//   - Session: a time in which the node is alive for the others. Its Incarnation tells it from those before.
//   - Reach: whether this node sees a majority.
//   - Cluster.Elect: a duty that one node at a time has.
//
// # Which nodes are alive
//
// A node is alive as long as the lease of its session is renewed, and nothing else decides that. When the lease ends,
// the incarnation is dead forever: the node comes back as another one. The session of a node ends before others can
// see that its lease has.
//
// Heartbeats go from each node to each other one. They carry the load, and a node whose heartbeats fail is
// suspect: it gets no further work, but keeps the work it has. A node that reaches fewer than a majority of
// the members by heartbeats is in a minority, and one that reaches none is isolated.
//
// No wall clock is read. Times are leases, revisions, and durations that one node measures.
package member

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/internal/load"
	"github.com/ptc-lang/ptc/cluster/peer"
)

// Options are the settings of a Cluster. Engine, Network and Self.Name are required.
type Options struct {
	Engine  engine.Engine
	Network peer.Network
	Self    Info
	// Lease is the time without renewal after which a node is dead, in whole seconds; 0 is DefaultLease.
	Lease time.Duration
	// Heartbeat is the time between heartbeats; 0 is DefaultHeartbeat.
	Heartbeat time.Duration
	// Threshold is the number of heartbeats in a row that fail before a node is suspect; 0 is DefaultThreshold.
	Threshold int
	// Load returns the load of this node; nil is no load. It must not wait.
	Load func() load.Load
	Log  *slog.Logger // nil discards
}

// The defaults of Options.
const (
	DefaultLease     = 3 * time.Second
	DefaultHeartbeat = time.Second
	DefaultThreshold = 3
)

// The errors of a Cluster.
var (
	// ErrLost is the cause with which the context of a Session ends when its lease may have ended.
	ErrLost = errors.New("member: the lease of this node has ended: it reaches no majority, or was stopped for too long")
	// ErrLeft is the cause with which the context of a Session ends when the node leaves or stops.
	ErrLeft = errors.New("member: this node has left")
	// ErrUnknown is the error for a node that there is not.
	ErrUnknown = errors.New("member: there is no such node")
	// ErrAlive is the error of the removal of a node that lives.
	ErrAlive = errors.New("member: the node is alive")
)

// Cluster is the view that a node has of its cluster. It is safe for concurrent use.
type Cluster struct {
	opts Options
	log  *slog.Logger
	ctx  context.Context
	end  context.CancelCauseFunc
	wg   sync.WaitGroup

	mu        sync.Mutex
	known     map[string]*known          // by name
	duties    map[string]Holder          // by duty
	resign    map[string]engine.Revision // the fences of holders that are to give their duty back, by duty
	revision  engine.Revision            // that known and duties have reached
	session   *Session                   // nil while there is none
	changed   chan struct{}              // closed at the next change
	elections int
}

// known is the known state of a member. Its heartbeats are the ones that this node has received.
type known struct {
	Info
	registered bool // its record exists
	left       bool
	draining   bool

	incarnation engine.Revision // 0 while it is dead
	missed      int             // heartbeats in a row
	load        load.Load
}

// Join makes this node a member, and returns when the others can see it. It waits for the end of an earlier incarnation
// that has not ended yet, at most one lease. Close or Leave ends the membership.
func Join(ctx context.Context, o Options) (*Cluster, error) {
	c, err := open(o)
	if err != nil {
		return nil, err
	}
	if _, err := c.Session(ctx); err != nil {
		c.stop(ErrLeft)
		return nil, fmt.Errorf("node %s can't join: %w", o.Self.Name, err)
	}
	return c, nil
}

// Start is Join without the wait: the node becomes a member when it reaches a majority.
func Start(o Options) (*Cluster, error) { return open(o) }

func open(o Options) (*Cluster, error) {
	if o.Engine == nil || o.Network == nil {
		return nil, errors.New("member: Options.Engine or Options.Network is nil, want both")
	}
	if err := checkName(o.Self.Name); err != nil {
		return nil, err
	}
	o.Lease, o.Heartbeat = cmp.Or(o.Lease, DefaultLease), cmp.Or(o.Heartbeat, DefaultHeartbeat)
	o.Threshold = cmp.Or(o.Threshold, DefaultThreshold)
	if o.Load == nil {
		o.Load = func() load.Load { return load.Load{} }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Self.Tools = slices.Sorted(slices.Values(o.Self.Tools))
	c := &Cluster{opts: o, log: o.Log, known: make(map[string]*known), duties: make(map[string]Holder),
		resign:  make(map[string]engine.Revision),
		changed: make(chan struct{})}
	c.ctx, c.end = context.WithCancelCause(context.Background())
	o.Network.Handle(methodHeartbeat, c.answer)
	o.Network.Handle(methodRefused, c.answerRefused)
	o.Network.Stream(methodLife, c.life)
	c.wg.Go(c.follow)
	c.wg.Go(c.hold)
	c.wg.Go(c.beat)
	c.wg.Go(c.lives)
	return c, nil
}

// checkName returns an error for a name that can't be a part of a key.
func checkName(name string) error {
	bad := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r))
	}
	if name == "" || len(name) > 64 || strings.ContainsFunc(name, bad) {
		return fmt.Errorf("member: the node's name is %.100q, want 1 to 64 letters, digits and -_.", name)
	}
	return nil
}

// Close ends the session of this node, which stays a dead member until it joins again. The leases of its
// work end immediately, so that other nodes take the work over.
func (c *Cluster) Close() { c.stop(ErrLeft) }

// Leave ends the membership of this node for good: it does not count for a majority any more.
func (c *Cluster) Leave(ctx context.Context) error {
	info := c.opts.Self
	err := c.update(ctx, func() ([]engine.Condition, []engine.Op) {
		return nil, []engine.Op{engine.Put(keyInfo+info.Name, encode(record{Info: info, Left: true})),
			engine.Delete(keyDrain + info.Name)}
	})
	c.stop(ErrLeft)
	return err
}

func (c *Cluster) stop(cause error) {
	c.end(cause)
	c.wg.Wait()
}

// Remove removes a dead node from the members. The error is ErrAlive or ErrUnknown.
func (c *Cluster) Remove(ctx context.Context, name string) error {
	if _, ok := c.Node(name); !ok {
		return fmt.Errorf("%w: %.100q", ErrUnknown, name)
	}
	var alive bool
	err := c.apply(ctx, []engine.Condition{engine.Absent(keyAlive + name)}, &alive,
		engine.Delete(keyInfo+name), engine.Delete(keyDrain+name))
	if err == nil && !alive {
		err = fmt.Errorf("%w: %s; stop it, or drain it and let it leave", ErrAlive, name)
	}
	return err
}

// Drain marks a node as draining, or not any more. The mark stays when the node is started again. A draining node takes
// no further work and has no duties. When Drain returns, this node shows the change, unless it lags far behind.
func (c *Cluster) Drain(ctx context.Context, name string, on bool) error {
	if _, ok := c.Node(name); !ok {
		return fmt.Errorf("%w: %.100q", ErrUnknown, name)
	}
	op := engine.Delete(keyDrain + name)
	if on {
		op = engine.Put(keyDrain+name, []byte("{}"))
	}
	_, err := engine.Repeat(ctx, c.opts.Engine, drainTime, nil, op)
	if err == nil {
		c.seen(ctx, func() bool {
			k := c.known[name]
			return k == nil || k.draining == on
		})
	}
	return err
}

// drainTime is how long Drain tries: a drain is asked for by a person, who would only repeat it.
const drainTime = 15 * time.Second

// update makes a change that may be made twice.
func (c *Cluster) update(ctx context.Context, change func() ([]engine.Condition, []engine.Op)) error {
	conditions, ops := change()
	_, err := c.opts.Engine.Apply(ctx, conditions, ops...)
	return err
}

// apply makes a change if the conditions hold, and sets done to whether they did.
func (c *Cluster) apply(ctx context.Context, conditions []engine.Condition, done *bool, ops ...engine.Op) error {
	res, err := c.opts.Engine.Apply(ctx, conditions, ops...)
	*done = res.Done
	return err
}

// Self returns the description of this node.
func (c *Cluster) Self() Info { return c.opts.Self }

// Node returns the state of a member as this node knows it.
func (c *Cluster) Node(name string) (Node, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.known[name]
	if k == nil || !k.registered && k.incarnation == 0 {
		return Node{}, false
	}
	return c.node(k), true
}

// Nodes returns the members, by name.
func (c *Cluster) Nodes() []Node {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []Node
	for _, name := range slices.Sorted(maps.Keys(c.known)) {
		if k := c.known[name]; k.registered || k.incarnation != 0 {
			all = append(all, c.node(k))
		}
	}
	return all
}

// node returns the known state of a member; the caller holds the lock.
func (c *Cluster) node(k *known) Node {
	n := Node{Info: k.Info, Incarnation: k.incarnation, Draining: k.draining, Load: k.load, Missed: k.missed,
		Self: k.Name == c.opts.Self.Name}
	switch {
	case k.incarnation == 0 && k.left:
		n.State = Left
	case k.incarnation == 0:
		n.State = Dead
	case !n.Self && k.missed >= c.opts.Threshold:
		n.State = Suspect
	default:
		n.State = Alive
	}
	n.Problem = c.opts.Self.Versions.Differs(k.Versions)
	return n
}

// Changed returns a channel that is closed when anything that this node knows of the others changes, other than loads.
func (c *Cluster) Changed() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.changed
}

// change notifies the followers of a change; the caller holds the lock.
func (c *Cluster) change() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// Ended reports whether an incarnation of a node has ended, so that its leases have ended too. It reports
// false for an incarnation that this node has not heard of yet.
func (c *Cluster) Ended(name string, incarnation engine.Revision) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.revision < incarnation {
		return false
	}
	k := c.known[name]
	return k == nil || k.incarnation != incarnation
}

// Reach is how many of the members that vote a node reaches by heartbeats.
type Reach string

// The values of Reach.
const (
	Majority Reach = "majority" // this node and others are more than half of the members
	Minority Reach = "minority" // it reaches others, and they are not enough
	Isolated Reach = "isolated" // it reaches nobody
)

// Reach returns the members that this node reaches. A cluster of one node is its own majority.
func (c *Cluster) Reach() Reach {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reach()
}

func (c *Cluster) reach() Reach {
	members, reached := 1, 1 // this one
	if c.opts.Self.Worker {
		members, reached = 0, 0
	}
	for name, k := range c.known {
		if name == c.opts.Self.Name || k.left || k.Worker || !k.registered && k.incarnation == 0 {
			continue
		}
		members++
		if k.missed < c.opts.Threshold {
			reached++
		}
	}
	switch {
	case reached >= members/2+1:
		return Majority
	case reached > 1, reached == 1 && c.opts.Self.Worker:
		return Minority
	}
	return Isolated
}

// Elections returns how many times this node has seen a duty get a holder.
func (c *Cluster) Elections() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.elections
}
