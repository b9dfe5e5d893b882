package effect_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/effect"
)

func TestHint(t *testing.T) {
	limited := func(key string, perSecond float64, burst int) effect.Hint {
		return effect.Hint{Kind: effect.RateLimited, Key: key, PerSecond: perSecond, Burst: burst}
	}
	all := limited("search", 2.5, 7)
	all.Kind |= effect.HostExclusive | effect.GlobalExclusive
	for want, h := range map[string]effect.Hint{
		"fully-parallel":                      {},
		"host-exclusive":                      {Kind: effect.HostExclusive},
		"global-exclusive":                    {Kind: effect.GlobalExclusive},
		`rate-limited "search" 10/s burst 20`: limited("search", 10, 20),
		`global-exclusive, host-exclusive, rate-limited "search" 2.5/s burst 7`: all,
	} {
		require.Equal(t, want, h.String())
		require.NoError(t, h.Validate())
	}
	require.Equal(t, limited("a", 1, 1), limited("a", 1, 1))
}

// leased is a Held that can be lost.
type leased struct {
	effect.Held
	lost context.Context
}

func (l leased) Lost() context.Context { return l.lost }

// TestWhileHeld makes a context end when one of two guards is lost, and not otherwise.
func TestWhileHeld(t *testing.T) {
	lost, lose := context.WithCancel(t.Context())
	held := leased{effect.Unguarded, lost}

	ctx, stop := effect.WhileHeld(t.Context(), effect.Unguarded)
	require.Equal(t, t.Context(), ctx, "guards that can't be lost cost no context")
	stop()

	ctx, stop = effect.WhileHeld(t.Context(), effect.Unguarded, held)
	require.NoError(t, ctx.Err())
	stop()
	require.Equal(t, context.Canceled, context.Cause(ctx), "it was stopped, not lost")

	ctx, stop = effect.WhileHeld(t.Context(), effect.Unguarded, held)
	defer stop()
	lose()
	select {
	case <-ctx.Done():
	case <-time.After(time.Minute):
		t.Fatal("the context does not end")
	}
	require.Equal(t, effect.ErrGuardLost, context.Cause(ctx))
}
