// This file defines the methods on the nodes of a cluster.

package client

import (
	"context"
	"net/http"

	"github.com/ptc-lang/ptc/serve/wire"
)

// Cluster returns the nodes of the cluster, its engine, and who has which duty, as the node knows it that answers.
func (c *Client) Cluster(ctx context.Context) (s wire.Cluster, err error) {
	_, err = c.call(ctx, get("/v1/cluster"), &s)
	return s, err
}

// NewJoin makes a token with which a node joins the cluster once.
func (c *Client) NewJoin(ctx context.Context, n wire.NewJoin) (j wire.Join, err error) {
	_, err = c.call(ctx, post(n, "/v1/cluster/tokens"), &j)
	return j, err
}

// Drain has a node take no runs and hand over those that it leads, or take runs again. It does not wait for that.
func (c *Client) Drain(ctx context.Context, node string, on bool) (s wire.Cluster, err error) {
	_, err = c.call(ctx, post(wire.Drained{Draining: on}, "/v1/cluster/members/%s/drain", node), &s)
	return s, err
}

// RemoveNode removes a node that does not run.
func (c *Client) RemoveNode(ctx context.Context, node string) (s wire.Cluster, err error) {
	r := request{method: http.MethodDelete, path: escaped("/v1/cluster/members/%s", []string{node})}
	_, err = c.call(ctx, r, &s)
	return s, err
}

// StepDown has the node that has a duty return it, so that another one gets it.
func (c *Client) StepDown(ctx context.Context, duty string) (s wire.Cluster, err error) {
	_, err = c.call(ctx, post(wire.StepDown{Duty: duty}, "/v1/cluster/step-down"), &s)
	return s, err
}

// Rebalance spreads the queued runs over the nodes, and returns how many prefer another node now.
func (c *Client) Rebalance(ctx context.Context) (int, error) {
	var n wire.Rebalanced
	_, err := c.call(ctx, post(nil, "/v1/cluster/rebalance"), &n)
	return n.Moved, err
}
