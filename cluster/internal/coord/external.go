// This file defines executions that happen outside of the cluster.

package coord

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/cluster/peer"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/queue"
)

// Externals are executions that happen outside of the cluster, such as jobs of another system. They pass the policies
// of the cluster, wait in its queues and take places there. The node at which one began keeps it, under an id that
// begins with the name of the node, and any node finds it there. The end of that node forgets it, and frees its place.
type Externals struct {
	node *Node

	mu    sync.Mutex
	all   map[string]*external
	ended []string       // the oldest first
	open  map[string]int // those that have not ended, by tenants
}

// external is an execution outside of the cluster. The mutex of Externals guards it.
type external struct {
	queue.External
	action  *Action
	request *request // nil if no policy bounds the action
	timer   *time.Timer
	done    bool
}

const (
	// keptEnded is the number of ended external executions whose state a node keeps.
	keptEnded = 1_000
	// maxOfTenant is the number of external executions of a tenant that a node has at once.
	maxOfTenant = 10_000
)

// methodExternal asks the node that keeps an external execution.
const methodExternal = "coord/external"

// The codes of its refusals.
const (
	codeNoExternal = "no-external"
	codeNotActive  = "not-active"
)

// externalQuery asks for the state of an external execution: at once, when it no longer waits, or after its end.
type externalQuery struct {
	ID   string         `json:"id"`
	Wait bool           `json:"wait,omitempty"`
	How  *effect.Ending `json:"how,omitempty"`
}

func newExternals(n *Node) *Externals {
	x := &Externals{node: n, all: make(map[string]*external), open: make(map[string]int)}
	n.network.Handle(methodExternal, func(ctx context.Context, _ string, request []byte) ([]byte, error) {
		var q externalQuery
		if err := json.Unmarshal(request, &q); err != nil {
			return nil, &peer.Error{Code: codeBadRequest, Message: err.Error()}
		}
		p, err := x.here(ctx, q)
		switch {
		case errors.Is(err, queue.ErrNoExternal):
			return nil, &peer.Error{Code: codeNoExternal, Message: err.Error()}
		case errors.As(err, new(*queue.NotActive)):
			return nil, &peer.Error{Code: codeNotActive, Message: string(p.State)}
		case err != nil:
			return nil, err
		}
		return json.Marshal(p)
	})
	return x
}

// Begin adds an execution, as queue.Externals does. If a policy bounds how many are under way, its state is Waiting
// until the coordinator has let it start. If a rate or a quota binds the action, Begin waits for the coordinator.
func (x *Externals) Begin(ctx context.Context, action, tenant string, e effect.Execution,
	lease time.Duration) (queue.External, error) {
	if lease == 0 {
		lease = queue.DefaultLease
	}
	if lease < 0 || lease > queue.MaxLease || !e.Priority.Valid() || action == "" {
		return queue.External{}, fmt.Errorf("coord: got an execution of %q with the priority %s for %s, want an action, one "+
			"of high, normal and low, and a time of at most %s", action, e.Priority, lease, queue.MaxLease)
	}
	a := x.node.queues.Action(action).(*Action)
	if err := a.Admit(ctx); err != nil {
		return queue.External{}, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if n := x.open[tenant]; n >= maxOfTenant {
		return queue.External{}, &queue.Full{Action: action, Priority: e.Priority, Waiting: n}
	}
	id := x.node.name + "." + rand.Text()
	p := &external{action: a, External: queue.External{ID: id, Action: action, Tenant: tenant, Priority: e.Priority,
		Until: time.Now().Add(lease)}}
	e.Name, e.At = "external/"+id, time.Now()
	if a.now().concurrency {
		p.request = x.node.client.begin(op{Kind: opStart, Action: action, Execution: &e}, nil, time.Time{})
		p.request.watched()
	}
	p.timer = time.AfterFunc(lease, func() {
		how := effect.EndTimedOut
		_, _ = x.here(context.Background(), externalQuery{ID: id, How: &how})
	})
	x.all[id] = p
	x.open[tenant]++
	return x.look(p), nil
}

// watched makes the channel that is closed at the end of the wait.
func (r *request) watched() {
	r.of.mu.Lock()
	defer r.of.mu.Unlock()
	if r.over = make(chan struct{}); r.state != waiting {
		close(r.over)
	}
}

// now returns the state of a request and its error.
func (r *request) now() (state, error) {
	r.of.mu.Lock()
	defer r.of.mu.Unlock()
	return r.state, r.err
}

// look returns the state of an execution. The caller holds mu.
func (x *Externals) look(p *external) queue.External {
	if p.done {
		return p.External
	}
	p.State = queue.Active
	if p.request == nil {
		return p.External
	}
	switch now, err := p.request.now(); now {
	case waiting:
		p.State = queue.Waiting
	case refused:
		how := effect.EndCancelled
		if errors.As(err, new(*queue.TimedOut)) {
			how = effect.EndTimedOut
		}
		if err != nil {
			p.Error = err.Error()
		}
		x.end(p, how)
	}
	return p.External
}

// end makes an execution one that has ended. The caller holds mu.
func (x *Externals) end(p *external, how effect.Ending) {
	p.done, p.State, p.Ending = true, queue.Ended, &how
	p.timer.Stop()
	if x.open[p.Tenant]--; x.open[p.Tenant] == 0 {
		delete(x.open, p.Tenant)
	}
	x.ended = append(x.ended, p.ID)
	if len(x.ended) > keptEnded {
		delete(x.all, x.ended[0])
		x.ended = x.ended[1:]
	}
}

// here answers a query at the node that keeps the execution.
func (x *Externals) here(ctx context.Context, q externalQuery) (queue.External, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	p := x.all[q.ID]
	if p == nil {
		return queue.External{}, queue.ErrNoExternal
	}
	if q.Wait && p.request != nil {
		over := p.request.over
		x.mu.Unlock()
		select {
		case <-over:
		case <-ctx.Done():
		}
		x.mu.Lock()
	}
	is := x.look(p)
	if q.How == nil {
		return is, nil
	}
	how := *q.How
	if is.State == queue.Waiting && (how == effect.EndCancelled || how == effect.EndTimedOut) && p.request.giveUp() {
		x.end(p, how)
		return p.External, nil
	}
	if is = x.look(p); is.State != queue.Active {
		return is, &queue.NotActive{Action: p.Action, Execution: q.ID}
	}
	if p.request != nil {
		p.request.finish(how)
	}
	x.end(p, how)
	return p.External, nil
}

// ask sends a query to the node that keeps the execution.
func (x *Externals) ask(ctx context.Context, q externalQuery) (p queue.External, err error) {
	i := strings.LastIndexByte(q.ID, '.')
	if i < 0 {
		return p, queue.ErrNoExternal
	}
	node := q.ID[:i]
	if node == x.node.name {
		return x.here(ctx, q)
	}
	text, err := json.Marshal(q)
	if err != nil {
		return p, err
	}
	text, err = x.node.network.Call(ctx, node, methodExternal, text)
	var refusal *peer.Error
	switch {
	case errors.As(err, &refusal) && refusal.Code == codeNoExternal:
		return p, queue.ErrNoExternal
	case errors.As(err, &refusal) && refusal.Code == codeNotActive:
		p.ID, p.State = q.ID, queue.State(refusal.Message)
		return p, &queue.NotActive{Action: p.Action, Execution: q.ID}
	case err != nil:
		return p, unreached(fmt.Sprintf("the node %s, which keeps the execution %s, can't be asked", node, q.ID), err)
	}
	return p, json.Unmarshal(text, &p)
}

// Get returns the state of an execution. The error is queue.ErrNoExternal, or one of the network.
func (x *Externals) Get(ctx context.Context, id string) (queue.External, error) {
	return x.ask(ctx, externalQuery{ID: id})
}

// Wait returns the state of an execution as soon as it no longer waits, or when ctx ends.
func (x *Externals) Wait(ctx context.Context, id string) (queue.External, error) {
	p, err := x.ask(ctx, externalQuery{ID: id, Wait: true})
	if err != nil && ctx.Err() != nil {
		return x.Get(context.WithoutCancel(ctx), id)
	}
	return p, err
}

// Complete ends an execution that is under way. One that waits can only be cancelled or time out. The error is
// queue.ErrNoExternal, a *queue.NotActive, or one of the network.
func (x *Externals) Complete(ctx context.Context, id string, how effect.Ending) (queue.External, error) {
	return x.ask(ctx, externalQuery{ID: id, How: &how})
}

// close forgets all executions.
func (x *Externals) close() {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, p := range x.all {
		p.timer.Stop()
	}
	clear(x.all)
}
