package etcd

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
)

// TestFollowing requires each member that answers and votes to lead in turn.
func TestFollowing(t *testing.T) {
	status := engine.Status{Leader: "node1"}
	for i := range 5 {
		status.Members = append(status.Members, engine.Member{Name: fmt.Sprintf("node%d", i+1), Healthy: i != 1, Learner: i == 3})
	}
	var all []string
	for range 4 {
		next, alone := following(status)
		require.False(t, alone)
		all = append(all, next)
		status.Leader = next
	}
	require.Equal(t, []string{"node3", "node5", "node1", "node3"}, all)
	for i := range status.Members {
		status.Members[i].Healthy = false
	}
	next, alone := following(status)
	require.Empty(t, next)
	require.False(t, alone)
	_, alone = following(engine.Status{Leader: "node1", Members: status.Members[:1]})
	require.True(t, alone)
}
