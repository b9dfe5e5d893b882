package roster_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ptc-lang/ptc/cluster/config"
	"github.com/ptc-lang/ptc/cluster/internal/engine/memory"
	"github.com/ptc-lang/ptc/cluster/internal/roster"
	"github.com/ptc-lang/ptc/cluster/pki"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var controllers = []config.Controller{
	{Name: "node1", Address: "h1:1", EngineAddress: "h1:2", Role: config.Voter},
	{Name: "node2", Address: "h2:1", EngineAddress: "h2:2", Role: config.Voter},
}

// TestRoster changes the list, and restarts a node with another file.
func TestRoster(t *testing.T) {
	e := memory.New(memory.Options{}, "node1").Member("node1")
	defer e.Close()
	log := slog.New(slog.DiscardHandler)
	ctx := t.Context()
	one, err := roster.Open(ctx, e, "node1", controllers, log)
	require.NoError(t, err)
	defer one.Close()
	names := func(r *roster.Roster) (all []string) {
		for _, n := range r.Nodes() {
			all = append(all, n.Name+" "+n.Address)
		}
		return all
	}
	require.Equal(t, []string{"node1 h1:1", "node2 h2:1"}, names(one))
	node3 := roster.Node{Controller: config.Controller{Name: "node3", Address: "h3:1", EngineAddress: "h3:2", Role: config.Worker}}
	require.NoError(t, one.Add(ctx, node3))
	require.ErrorIs(t, one.Add(ctx, node3), roster.ErrExists)
	require.NoError(t, one.Remove(ctx, "node1"))
	require.ErrorIs(t, one.Removing(ctx, "node1"), roster.ErrUnknown)
	require.NoError(t, one.Removing(ctx, "node3"))

	// The file of node2 has an old list and a new address: its own address counts, and nothing else of it.
	moved := []config.Controller{controllers[0], controllers[1]}
	moved[1].Address, moved[1].EngineAddress, moved[1].Role = "h9:1", "h9:2", config.Worker
	two, err := roster.Open(ctx, e, "node2", moved, log)
	require.NoError(t, err)
	defer two.Close()
	require.Equal(t, []string{"node2 h9:1", "node3 h3:1"}, names(two))
	n, ok := two.Node("node2")
	require.True(t, ok)
	assert.Equal(t, []string{"h2:2", config.Voter}, []string{n.EngineAddress, n.Role})
	require.Eventually(t, func() bool { // the other one follows
		n, ok := one.Node("node3")
		return len(names(one)) == 2 && names(one)[0] == "node2 h9:1" && ok && n.Removing
	}, time.Minute, time.Millisecond)
	_, err = roster.Open(ctx, e, "node1", controllers, log)
	require.ErrorIs(t, err, roster.ErrUnknown, "it was removed")

	two.Close() // it does not follow any more
	require.NoError(t, one.Set(ctx, roster.Node{Controller: controllers[0]}))
	require.Equal(t, []string{"node2 h9:1", "node3 h3:1"}, names(two))
	latest, err := two.Latest(ctx)
	require.NoError(t, err)
	require.Equal(t, controllers[0], latest[0].Controller)
	require.Len(t, latest, 3)
}

// TestTokens uses a token once, and forgets one that has ended.
func TestTokens(t *testing.T) {
	e := memory.New(memory.Options{}, "node1").Member("node1")
	defer e.Close()
	tokens := roster.Tokens{Engine: e, Seal: shift{}}
	ctx := t.Context()
	_, old, err := pki.NewToken([32]byte{}, "node3", nil, -time.Second)
	require.NoError(t, err)
	require.NoError(t, tokens.Put(ctx, old))
	_, ok, err := tokens.Find(ctx, old.ID)
	require.NoError(t, err)
	require.False(t, ok)
	_, g, err := pki.NewToken([32]byte{}, "node4", nil, time.Hour)
	require.NoError(t, err)
	g.Role, g.Replaces = config.Voter, true
	require.NoError(t, tokens.Put(ctx, g))
	got, ok, err := tokens.Find(ctx, g.ID)
	require.NoError(t, err)
	require.True(t, ok)
	assert.Equal(t, g.Key, got.Key)
	assert.Equal(t, "node4 voter true", got.Node+" "+got.Role+" "+map[bool]string{true: "true"}[got.Replaces])
	for _, want := range []bool{true, false} {
		taken, err := tokens.Take(ctx, g.ID)
		require.NoError(t, err)
		require.Equal(t, want, taken)
	}
}

// shift is a cipher that is good enough to see that it is used.
type shift struct{}

func (shift) Seal(_ string, b []byte) ([]byte, error) {
	out := make([]byte, len(b))
	for i := range b {
		out[i] = b[i] + 1
	}
	return out, nil
}

func (shift) Open(_ string, b []byte) ([]byte, error) {
	out := make([]byte, len(b))
	for i := range b {
		out[i] = b[i] - 1
	}
	return out, nil
}
