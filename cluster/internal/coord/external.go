// This file defines executions that happen outside of the cluster.

package coord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
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
	kept *queue.Externals // by this node
}

// methodExternal asks the node that keeps an external execution.
const methodExternal = "coord/external"

// The codes of its refusals.
const (
	codeNoExternal = "no-external"
	codeNotActive  = "not-active"
)

// externalQuery asks for the state of an external execution: immediately, when it no longer waits, or after its end.
type externalQuery struct {
	ID   string         `json:"id"`
	Wait bool           `json:"wait,omitempty"`
	How  *effect.Ending `json:"how,omitempty"`
}

func newExternals(n *Node) *Externals {
	x := &Externals{node: n, kept: queue.NewExternalsOf(gate{n}, n.name+".")}
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
	return x.kept.Begin(ctx, action, tenant, e, lease)
}

// gate is the queue.Gate of the coordinator.
type gate struct{ node *Node }

// Admit implements queue.Gate.
func (g gate) Admit(ctx context.Context, action string) error {
	return g.node.queues.Action(action).(*Action).Admit(ctx)
}

// Enter implements queue.Gate.
func (g gate) Enter(_ context.Context, action string, e *effect.Execution) (queue.Turn, error) {
	if !g.node.queues.Action(action).(*Action).now().concurrency {
		return turn{}, nil
	}
	r := g.node.client.begin(op{Kind: opStart, Action: action, Execution: e}, nil, time.Time{})
	r.watched()
	return turn{r}, nil
}

// turn is the queue.Turn of a request, nil if no policy bounds how many executions of the action are under way.
type turn struct{ *request }

// State implements queue.Turn.
func (t turn) State() (queue.State, error) {
	if t.request == nil {
		return queue.Active, nil
	}
	switch now, err := t.now(); now {
	case waiting:
		return queue.Waiting, nil
	case refused:
		return queue.Ended, err
	}
	return queue.Active, nil
}

// Await implements queue.Turn.
func (t turn) Await(ctx context.Context) {
	if t.request == nil {
		return
	}
	select {
	case <-t.over:
	case <-ctx.Done():
	}
}

// GiveUp implements queue.Turn.
func (t turn) GiveUp() bool { return t.request != nil && t.giveUp() }

// Complete implements queue.Turn. A place that was lost with the coordinator needs nothing more.
func (t turn) Complete(how effect.Ending) bool {
	if t.request != nil {
		t.finish(how)
	}
	return true
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

// here answers a query at the node that keeps the execution.
func (x *Externals) here(ctx context.Context, q externalQuery) (queue.External, error) {
	switch {
	case q.How != nil:
		return x.kept.Complete(q.ID, *q.How)
	case q.Wait:
		return x.kept.Wait(ctx, q.ID)
	}
	return x.kept.Get(q.ID)
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
		return p, &queue.NotActive{Action: p.Action, Execution: "external/" + q.ID}
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
