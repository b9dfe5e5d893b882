package users_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/internal/engine/memory"
	"github.com/ptc-lang/ptc/cluster/internal/users"
	"github.com/ptc-lang/ptc/serve/access"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func token(t *testing.T, name string) (string, access.Token) {
	t.Helper()
	text, made, err := access.NewToken(access.Token{Who: access.Who{Name: name, Role: access.Viewer}})
	require.NoError(t, err)
	return text, made
}

func open(t *testing.T, e engine.Engine, begin ...access.Token) *users.Users {
	t.Helper()
	u, err := users.Open(t.Context(), users.Options{Engine: e, Seal: shift{}, Log: slog.New(slog.DiscardHandler)},
		func() ([]access.Token, error) { return begin, nil })
	require.NoError(t, err)
	t.Cleanup(u.Close)
	return u
}

// shift seals for tests.
type shift struct{}

func (shift) Seal(place string, data []byte) ([]byte, error) {
	return []byte(place + "|" + string(data)), nil
}

func (shift) Open(place string, data []byte) ([]byte, error) {
	rest, ok := bytes.CutPrefix(data, []byte(place+"|"))
	if !ok {
		return nil, fmt.Errorf("it was sealed for another place than %s", place)
	}
	return rest, nil
}

// TestUsers has one node begin the tokens, and two change them.
func TestUsers(t *testing.T) {
	members := memory.New(memory.Options{}, "node1", "node2")
	var first []access.Token
	for i := range 250 { // of several commits
		_, made := token(t, fmt.Sprint("first", i))
		first = append(first, made)
	}
	one := open(t, members.Member("node1"), first...)
	_, other := token(t, "other")
	two := open(t, members.Member("node2"), other)
	all, err := two.List(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 250)

	text, made := token(t, "ann")
	require.NoError(t, one.Add(t.Context(), made))
	_, err = one.Known().Verify(text)
	require.NoError(t, err)
	known := func(u *users.Users) bool { _, err := u.Known().Verify(text); return err == nil }
	require.Eventually(t, func() bool { return known(two) }, time.Minute, time.Millisecond)
	_, again := token(t, "ann")
	require.ErrorIs(t, two.Add(t.Context(), again), users.ErrExists)
	again.Name, again.ID = "bob", made.ID
	require.ErrorIs(t, two.Add(t.Context(), again), users.ErrExists)

	revoked, err := two.Revoke(t.Context(), made.ID)
	require.NoError(t, err)
	assert.Equal(t, made, revoked)
	assert.False(t, known(two))
	require.Eventually(t, func() bool { return !known(one) }, time.Minute, time.Millisecond)
	_, err = one.Revoke(t.Context(), "ann")
	require.ErrorContains(t, err, "no token")
}

// TestDamaged requires a token that can't be read to let nobody in, and the others to stay.
func TestDamaged(t *testing.T) {
	e := memory.New(memory.Options{}, "node1").Member("node1")
	text, made := token(t, "ann")
	_, bad := token(t, "bob")
	u := open(t, e, made, bad)
	moved, _, err := e.Get(t.Context(), users.Prefix+"ann")
	require.NoError(t, err)
	_, err = e.Apply(t.Context(), nil, engine.Put(users.Prefix+"bob", moved.Value))
	require.NoError(t, err)
	require.Eventually(t, func() bool { _, ok := u.Known().Identity("bob"); return !ok }, time.Minute, time.Millisecond)
	_, err = u.Known().Verify(text)
	require.NoError(t, err)
}

// TestMinority checks that a node without a majority continues with the tokens it knows, and refuses changes.
func TestMinority(t *testing.T) {
	members := memory.New(memory.Options{Timeout: 10 * time.Millisecond}, "node1", "node2", "node3")
	text, made := token(t, "ann")
	u := open(t, members.Member("node1"), made)
	members.Cut("node1")
	_, next := token(t, "bob")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	require.Error(t, u.Add(ctx, next))
	_, err := u.Known().Verify(text)
	require.NoError(t, err)
}
