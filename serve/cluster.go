// This file defines how people see and change the cluster that an engine belongs to.

package serve

import (
	"context"

	"github.com/ptc-lang/ptc/serve/wire"
)

// Cluster is the cluster of an engine, for people. Its errors have codes: store.ErrNotFound for a node or a duty that
// there is not, store.ErrInvalid, store.ErrTransition for a change that is not safe now, and ErrUnavailable.
type Cluster interface {
	// Status returns its nodes, its engine, and the node of each duty. It works without a majority.
	Status(ctx context.Context) (wire.Cluster, error)
	// NewJoin makes a token with which a node joins once.
	NewJoin(ctx context.Context, n wire.NewJoin) (wire.Join, error)
	// Drain makes a node take no runs and hand over the runs that it leads, or take runs again.
	Drain(ctx context.Context, node string, on bool) error
	// Remove removes a node that does not live. When it returns, the node has no vote.
	Remove(ctx context.Context, node string) error
	// StepDown has the node that has a duty return it, so that another one gets it.
	StepDown(ctx context.Context, duty string) error
	// Rebalance spreads the queued runs over the nodes, and returns how many prefer another node now.
	Rebalance(ctx context.Context) (int, error)
}
