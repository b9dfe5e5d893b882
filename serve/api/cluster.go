// This file defines the operations on the nodes of a cluster.

package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// NodeParam is the name in the path of an operation on a node.
type NodeParam struct {
	Node string `path:"node" doc:"The name of a node."`
}

type clusterReply struct {
	Body wire.Cluster
}

// cluster adds the operations on the nodes of a cluster.
func (a *API) cluster() {
	const tag = "cluster"
	status := operation(http.MethodGet, "/v1/cluster", "get-cluster",
		"Get the nodes of the cluster, its engine and who has which duty", tag)
	status.Description = "It is answered without a majority too, with what the node knows. A service that is not a node " +
		"of a cluster answers with not-found."
	huma.Register(a.huma, status, func(ctx context.Context, _ *struct{}) (*clusterReply, error) {
		c, err := a.clusterFor(ctx, access.Viewer)
		if err != nil {
			return nil, err
		}
		return a.clusterStatus(ctx, c)
	})
	join := operation(http.MethodPost, "/v1/cluster/tokens", "create-join-token",
		"Make a token with which a node joins once", tag)
	join.Description = "ptcd cluster join uses it. A voter copies the data first, and votes then. A node that replaces " +
		"a dead one takes its name and its place."
	join.DefaultStatus = http.StatusCreated
	huma.Register(a.huma, join, a.newJoin)
	drain := operation(http.MethodPost, "/v1/cluster/members/{node}/drain", "drain-node",
		"Have a node take no runs and hand over those that it leads, or take runs again", tag)
	drain.Description = "It gives its duties to other nodes too, and serves requests as before. A run goes to another " +
		"node as soon as no write of it is under way. The node can be stopped when it leads no run. The mark holds after a " +
		"restart."
	huma.Register(a.huma, drain, a.drainNode)
	remove := operation(http.MethodDelete, "/v1/cluster/members/{node}", "remove-node",
		"Remove a node that does not run", tag)
	remove.Description = "Its vote ends, and its certificate is no longer accepted. A voter is removed only while " +
		"all other voters run. To replace it, make a token instead, with replaces."
	huma.Register(a.huma, remove, a.removeNode)
	down := operation(http.MethodPost, "/v1/cluster/step-down", "step-down",
		"Have the node that has a duty return it, so that another one gets it", tag)
	huma.Register(a.huma, down, a.stepDown)
	balance := operation(http.MethodPost, "/v1/cluster/rebalance", "rebalance",
		"Spread the queued runs over the nodes now", tag)
	balance.Description = "The same number of runs prefers each node then, as far as regions and labels allow it. Runs " +
		"that a node leads stay there."
	huma.Register(a.huma, balance, a.rebalance)
}

// clusterFor returns the cluster for a request that needs a role.
func (a *API) clusterFor(ctx context.Context, role access.Role) (serve.Cluster, error) {
	if !access.From(ctx).Role.Includes(role) {
		return nil, newProblem(codeForbidden, "the role "+string(role)+" may do this")
	}
	if c := a.engine.Options().Cluster; c != nil {
		return c, nil
	}
	return nil, a.problem(ctx, store.ErrNotFound.With("this service is not a node of a cluster"))
}

func (a *API) clusterStatus(ctx context.Context, c serve.Cluster) (*clusterReply, error) {
	s, err := c.Status(ctx)
	if err != nil {
		return nil, a.problem(ctx, err)
	}
	return &clusterReply{s}, nil
}

func (a *API) newJoin(ctx context.Context, in *struct{ Body wire.NewJoin }) (*struct{ Body wire.Join }, error) {
	c, err := a.clusterFor(ctx, access.Operator)
	if err != nil {
		return nil, err
	}
	access.Note(ctx, "node", in.Body.Node)
	access.Note(ctx, "role", in.Body.Role)
	j, err := c.NewJoin(ctx, in.Body)
	if err != nil {
		return nil, a.problem(ctx, err)
	}
	return &struct{ Body wire.Join }{j}, nil
}

func (a *API) drainNode(ctx context.Context, in *struct {
	NodeParam
	Body wire.Drained
}) (*clusterReply, error) {
	c, err := a.clusterFor(ctx, access.Operator)
	if err != nil {
		return nil, err
	}
	if err := c.Drain(ctx, in.Node, in.Body.Draining); err != nil {
		return nil, a.problem(ctx, err)
	}
	return a.clusterStatus(ctx, c)
}

func (a *API) removeNode(ctx context.Context, in *NodeParam) (*clusterReply, error) {
	c, err := a.clusterFor(ctx, access.Operator)
	if err != nil {
		return nil, err
	}
	if err := c.Remove(ctx, in.Node); err != nil {
		return nil, a.problem(ctx, err)
	}
	return a.clusterStatus(ctx, c)
}

func (a *API) stepDown(ctx context.Context, in *struct{ Body wire.StepDown }) (*clusterReply, error) {
	c, err := a.clusterFor(ctx, access.Operator)
	if err != nil {
		return nil, err
	}
	access.Note(ctx, "duty", in.Body.Duty)
	if err := c.StepDown(ctx, in.Body.Duty); err != nil {
		return nil, a.problem(ctx, err)
	}
	return a.clusterStatus(ctx, c)
}

func (a *API) rebalance(ctx context.Context, _ *struct{}) (*struct{ Body wire.Rebalanced }, error) {
	c, err := a.clusterFor(ctx, access.Operator)
	if err != nil {
		return nil, err
	}
	n, err := c.Rebalance(ctx)
	if err != nil {
		return nil, a.problem(ctx, err)
	}
	return &struct{ Body wire.Rebalanced }{wire.Rebalanced{Moved: n}}, nil
}
