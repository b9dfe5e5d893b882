package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cluster/config"
	"github.com/ptc-lang/ptc/cluster/internal/engine"
)

// TestLasting has a node that starts lose the majority again: it waits for it, and does not end.
func TestLasting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &Node{log: slog.New(slog.DiscardHandler), opts: Options{Config: &config.Config{}}}
		wrong := errors.New("wrong")
		errs := []error{fmt.Errorf("member node1: %w", engine.ErrUnavailable), context.DeadlineExceeded, wrong, nil}
		calls := 0
		next := func() error { calls++; return errs[calls-1] }
		require.ErrorIs(t, n.Lasting(t.Context(), next), wrong)
		require.Equal(t, 3, calls)
		require.NoError(t, n.Lasting(t.Context(), next))
		calls = 0
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, n.Lasting(ctx, next), engine.ErrUnavailable)
		calls = 0
		require.ErrorIs(t, (*Node)(nil).Lasting(t.Context(), next), engine.ErrUnavailable)
		require.Equal(t, 1, calls)
	})
}
