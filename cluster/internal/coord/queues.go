// This file defines the queues and policies of the cluster as the runs of a node use them.

package coord

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/queue"
)

// Queues are the queues and the policies that the runs of all nodes share. It is the effect.Queues of a node.
//
// The bounds of a policy hold for the cluster, and a call that it binds needs the coordinator. The bound of a tool
// itself (effect.Execution.Most) holds for each node. A call that no policy binds does not leave its node.
type Queues struct {
	client *client
	local  *queue.Enforcer // without policies: the bounds of the tools
	shape  *queue.Enforcer // with the policies of the cluster; nothing is counted in it

	mu     sync.Mutex
	active map[place]*request // the executions that have a place in the cluster
}

// place is an execution under way.
type place struct{ action, execution string }

var _ effect.Queues = (*Queues)(nil)

func newQueues(c *client, o queue.Options) (*Queues, error) {
	local, err := queue.NewEnforcer(queue.Policies{}, queue.New(o))
	if err != nil {
		return nil, err
	}
	shape, err := queue.NewEnforcer(queue.Policies{}, nil)
	if err != nil {
		return nil, err
	}
	return &Queues{client: c, local: local, shape: shape, active: make(map[place]*request)}, nil
}

// Action implements effect.Queues.
func (q *Queues) Action(name string) effect.Action {
	return &Action{of: q, name: name, local: q.local.Action(name), shape: q.shape.Action(name).(*queue.Action)}
}

// Approvals implements effect.Queues.
func (q *Queues) Approvals() effect.Approvals { return q.shape.Approvals() }

// Policies returns the policies of the cluster as this node knows them.
func (q *Queues) Policies() queue.Policies { return q.client.node.policies.current() }

// Local returns the queues of this node, in which executions wait for the bounds of the tools themselves.
func (q *Queues) Local() *queue.Set { return q.local.Queues() }

// Replace replaces the policies of the cluster: see Node.SetPolicies. It waits for some time for a majority.
func (q *Queues) Replace(ctx context.Context, p queue.Policies) error {
	ctx, cancel := context.WithTimeout(ctx, 4*q.client.node.lease)
	defer cancel()
	return q.client.node.SetPolicies(ctx, p)
}

// Action is an action of the cluster. Queues.Action makes it.
type Action struct {
	of    *Queues
	name  string
	local effect.Action
	shape *queue.Action
	bound atomic.Pointer[binding]
}

// binding is how the policies bind an action.
type binding struct {
	policies    int64 // the version
	metered     bool  // a rate or a quota binds it
	concurrency bool
}

// now returns how the newest policies bind the action.
func (a *Action) now() *binding {
	p := &a.of.client.node.policies
	p.mu.Lock()
	version, newest := int64(p.revision), p.newest
	p.mu.Unlock()
	if b := a.bound.Load(); b != nil && b.policies == version {
		return b
	}
	b := &binding{policies: version, concurrency: a.shape.Concurrency() != queue.NoLimit}
	for _, p := range []queue.Policy{newest.Actions[a.name], newest.Packs[queue.Pack(a.name)], newest.Global} {
		b.metered = b.metered || p.Rate != (queue.Rate{}) || p.Quota != (queue.Quota{})
	}
	a.bound.Store(b)
	return b
}

// Bounds implements effect.Action.
func (a *Action) Bounds() string { return a.shape.Bounds() }

// Admit implements effect.Action. The call waits for the coordinator until its context ends.
func (a *Action) Admit(ctx context.Context) error {
	if !a.now().metered {
		return nil
	}
	if ctx == nil {
		return fmt.Errorf("coord: Admit of %s: got a nil context, want one", a.name)
	}
	deadline, _ := ctx.Deadline()
	r := a.of.client.begin(op{Kind: opAdmit, Action: a.name}, nil, deadline)
	if _, done := r.wait(ctx, nil, func(effect.Wait) {}); !done {
		return stopped(ctx, a.name, "a call", a.of.client.why(nil))
	}
	return r.err
}

// Start implements effect.Action. The execution waits for the bound of its tool on this node first, and then for that
// of the policies in the cluster.
func (a *Action) Start(ctx context.Context, e *effect.Execution) (effect.Wait, error) {
	w, err := a.local.Start(ctx, e)
	if err != nil || !a.now().concurrency {
		return w, err
	}
	deadline, _ := ctx.Deadline()
	r := a.of.client.begin(op{Kind: opStart, Action: a.name, Execution: e}, e.Rester, deadline)
	began := time.Now()
	last, done := r.wait(ctx, nil, func(of effect.Wait) {
		if w.Kind == "" {
			w = of
		} else {
			w.Duration = time.Since(w.Start)
		}
	})
	if !done {
		err = stopped(ctx, a.name, e.Name, fmt.Sprintf(" after %s%s", time.Since(began).Round(time.Millisecond),
			a.of.client.why(last)))
	} else {
		err = r.err
	}
	if err != nil {
		_ = a.local.Leave(e.Name, effect.EndCancelled) // it is active there
		return w, err
	}
	a.of.mu.Lock()
	a.of.active[place{a.name, e.Name}] = r
	a.of.mu.Unlock()
	return w, nil
}

// Leave implements effect.Action. An execution whose node had lost its session was no longer counted in the cluster,
// which is an error.
func (a *Action) Leave(execution string, how effect.Ending) error {
	at := place{a.name, execution}
	a.of.mu.Lock()
	r := a.of.active[at]
	delete(a.of.active, at)
	a.of.mu.Unlock()
	err := a.local.Leave(execution, how)
	if r == nil || err != nil {
		return err
	}
	if was, first := r.finish(how); !first && was == lost {
		return fmt.Errorf("%s of %s: its place in the queue of the cluster was lost, because this node could not reach "+
			"the coordinator for the time of a lease", execution, a.name)
	}
	return nil
}

// Waiters implements effect.Queues. It returns the waiters of the cluster, and those for the bounds of
// tools on this node.
func (q *Queues) Waiters(n int) []effect.Waiter {
	all := q.local.Waiters(n)
	if l, err := q.client.list(context.Background(), listing{Most: n}); err == nil {
		all = append(all, l.Waiters...)
	}
	return all[:min(len(all), max(n, 0))]
}
