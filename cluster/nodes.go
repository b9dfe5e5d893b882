// This file defines the requests of the engine of this node to the engines of the other nodes.

package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/cluster/member"
	"github.com/ptc-lang/ptc/cluster/peer"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// methodHere asks a node for the state that its engine has in memory.
const methodHere = peer.SameRelease + "here"

// methodWaits asks a node which effects of a run wait there, and for what.
const methodWaits = peer.SameRelease + "waits"

// hereTime bounds how long a list waits for a node that does not answer.
const hereTime = 2 * time.Second

// nodes are the nodes for the engine of this one.
type nodes struct{ *Node }

// Nodes returns the nodes for the engine of this one.
func (n *Node) Nodes() serve.Nodes { return nodes{n} }

// Self implements serve.Nodes.
func (n nodes) Self() string { return n.opts.Config.Node }

// Others implements serve.Nodes.
func (n nodes) Others(ctx context.Context) []serve.Here {
	return asked[serve.Here](ctx, n.Node, methodHere, nil)
}

// Waits implements serve.Nodes.
func (n nodes) Waits(ctx context.Context, run string) (all []serve.Wait) {
	for _, waits := range asked[[]serve.Wait](ctx, n.Node, methodWaits, []byte(run)) {
		all = append(all, waits...)
	}
	return all
}

// Changed implements serve.Nodes.
func (n nodes) Changed(ctx context.Context, run string, after uint64) {
	err := n.store.Follow(ctx, run, func(r store.Run) error {
		if r.Revision > after {
			return errChanged
		}
		return nil
	})
	if errors.Is(err, errChanged) || ctx.Err() != nil {
		return
	}
	n.log.Debug("a run can't be followed; trying again", "run", run, "error", err)
	select {
	case <-time.After(followRetry):
	case <-ctx.Done():
	}
}

// errChanged ends a wait for a change of a run.
var errChanged = errors.New("the run has changed")

// asked returns the answers of the other nodes to a request. They are asked concurrently, and unreachable
// nodes are left out.
func asked[T any](ctx context.Context, n *Node, method string, request []byte) (all []T) {
	ctx, cancel := context.WithTimeout(ctx, hereTime)
	defer cancel()
	var mu sync.Mutex
	var asking sync.WaitGroup
	for _, other := range n.others() {
		asking.Go(func() {
			var one T
			text, err := n.network.Call(ctx, other, method, request)
			if err == nil {
				err = json.Unmarshal(text, &one)
			}
			if err != nil {
				n.log.Debug("a node can't be asked for its state", "node", other, "method", method, "error", err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, one)
		})
	}
	asking.Wait()
	return all
}

// others returns the names of the other nodes that run runs, and live.
func (n *Node) others() (names []string) {
	if m := n.members.Load(); m != nil {
		for _, other := range m.Nodes() {
			if !other.Self && !other.Witness && other.State == member.Alive {
				names = append(names, other.Name)
			}
		}
	}
	return names
}

// here answers another node.
func (n *Node) here(context.Context, string, []byte) ([]byte, error) {
	e := n.worker.Runs()
	if e == nil {
		return nil, errStarting
	}
	return json.Marshal(e.Here())
}

// waits answers another node.
func (n *Node) waits(_ context.Context, _ string, run []byte) ([]byte, error) {
	e := n.worker.Runs()
	if e == nil {
		return nil, errStarting
	}
	return json.Marshal(e.WaitsHere(string(run)))
}

// errStarting is the refusal of a node whose engine is not there yet.
var errStarting = &peer.Error{Code: "starting", Message: "the node is starting"}

// methodReach asks a node which tools a program can reach.
const methodReach = peer.SameRelease + "reach"

// Reach implements serve.Nodes.
func (n nodes) Reach(ctx context.Context, p serve.Reachable) (all serve.Reached, ok bool) {
	text, err := json.Marshal(p)
	if err != nil {
		return all, false
	}
	ctx, cancel := context.WithTimeout(ctx, reachTime)
	defer cancel()
	for _, other := range n.granting() {
		answer, err := n.network.Call(ctx, other, methodReach, text)
		if err == nil {
			err = json.Unmarshal(answer, &all)
		}
		if err == nil {
			return all, true
		}
		n.log.Debug("a program does not compile on a node that grants further tools", "node", other, "error", err)
	}
	return all, false
}

// reachTime bounds how long a submission waits for nodes that compile it.
const reachTime = 10 * time.Second

// granting returns the names of the other nodes that live and grant tools which this one does not.
func (n *Node) granting() (names []string) {
	m := n.members.Load()
	if m == nil {
		return nil
	}
	self := m.Self()
	for _, other := range m.Nodes() {
		if !other.Self && !other.Witness && other.State == member.Alive && len(self.Missing(other.Tools)) > 0 {
			names = append(names, other.Name)
		}
	}
	return names
}

// reach answers another node.
func (n *Node) reach(ctx context.Context, _ string, text []byte) ([]byte, error) {
	e := n.worker.Runs()
	if e == nil {
		return nil, errStarting
	}
	var p serve.Reachable
	if err := json.Unmarshal(text, &p); err != nil {
		return nil, &peer.Error{Code: "invalid", Message: "the program can't be read: " + err.Error()}
	}
	all, err := e.Reach(ctx, p)
	if err != nil {
		return nil, &peer.Error{Code: "compile", Message: err.Error()}
	}
	return json.Marshal(all)
}

// Settle implements serve.Nodes.
func (n nodes) Settle(ctx context.Context, node, run string, all []effect.Settlement,
	who access.Who) (store.Run, error) {
	return n.change(ctx, node, run, "settle", wire.Settlements{Settlements: all}, who)
}

// Used implements serve.Nodes.
func (n nodes) Used(ctx context.Context, node, run string, who access.Who) json.RawMessage {
	of, err := n.aboutRun(ctx, node, run, request{Method: http.MethodGet, URL: runPath(run), Who: who}, nil)
	if err != nil {
		n.log.Debug("the progress of a run is unknown", "run", run, "node", node, "error", err)
		return nil
	}
	return of.Usage
}

// Cancel implements serve.Nodes.
func (n nodes) Cancel(ctx context.Context, node, run string, who access.Who) (store.Run, error) {
	return n.change(ctx, node, run, "cancel", nil, who)
}

// change has a node change a run that it leads, with the request of the API. The role is that of an operator, because
// the engine here would have done it.
func (n nodes) change(ctx context.Context, node, run, what string, body any,
	who access.Who) (out store.Run, err error) {
	if ctx.Value(forwarded{}) != nil { // by a node that takes this one for the leader
		return out, serve.ErrUnavailable.With("run %s is about to be led by another node; try again", run)
	}
	who.Role = access.Operator
	return n.aboutRun(ctx, node, run, request{Method: http.MethodPost, URL: runPath(run) + "/" + what, Who: who,
		Header: http.Header{"Content-Type": {"application/json"}}}, body)
}

func runPath(run string) string { return "/v1/runs/" + url.PathEscape(run) }

// aboutRun returns the run that a node answers a request of the API with.
func (n nodes) aboutRun(ctx context.Context, node, run string, q request, body any) (out store.Run, err error) {
	if body != nil {
		if q.Body, err = json.Marshal(body); err != nil {
			return out, err
		}
	}
	text, err := json.Marshal(q)
	if err != nil {
		return out, err
	}
	in, first, err := n.ask(ctx, node, text)
	if err == nil {
		defer in.Close()
		text, err = io.ReadAll(in)
	}
	if err != nil {
		return out, serve.ErrUnavailable.With("the node %s, which leads run %s, can't be reached: whether the request was "+
			"done is unknown: %w", node, run, err)
	}
	if first.Status >= http.StatusBadRequest {
		var p wire.Problem
		if err := json.NewDecoder(bytes.NewReader(text)).Decode(&p); err != nil {
			return out, errors.New("the node " + node + " has refused a request without a reason")
		}
		return out, &store.Error{Code: p.Code, Message: p.Detail}
	}
	return out, json.Unmarshal(text, &out)
}
