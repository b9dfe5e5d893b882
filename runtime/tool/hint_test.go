package tool

import (
	"context"
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// TestRateDefaults declares rates without a key or a burst: the tool's name and the tokens of
// one second stand in for them.
func TestRateDefaults(t *testing.T) {
	none := func(context.Context, json.RawMessage) (json.RawMessage, error) { return nil, nil }
	args := json.RawMessage(`{"type":"object"}`)
	both := effect.RateLimited | effect.GlobalExclusive
	for _, c := range []struct{ hint, want effect.Hint }{
		{effect.Hint{Kind: effect.RateLimited, PerSecond: 10}, effect.Hint{Kind: effect.RateLimited, Key: "pay", PerSecond: 10, Burst: 10}},
		{effect.Hint{Kind: effect.RateLimited, PerSecond: 2.5}, effect.Hint{Kind: effect.RateLimited, Key: "pay", PerSecond: 2.5, Burst: 3}},
		{effect.Hint{Kind: effect.RateLimited, PerSecond: 0.01}, effect.Hint{Kind: effect.RateLimited, Key: "pay", PerSecond: 0.01, Burst: 1}},
		{effect.Hint{Kind: effect.RateLimited, PerSecond: effect.MaxPerSecond}, effect.Hint{Kind: effect.RateLimited, Key: "pay", PerSecond: 1e9, Burst: 1e9}},
		{effect.Hint{Kind: effect.RateLimited, PerSecond: 10, Key: "bank"}, effect.Hint{Kind: effect.RateLimited, Key: "bank", PerSecond: 10, Burst: 10}},
		{effect.Hint{Kind: effect.RateLimited, PerSecond: 10, Burst: 2}, effect.Hint{Kind: effect.RateLimited, Key: "pay", PerSecond: 10, Burst: 2}},
		{effect.Hint{Kind: both, PerSecond: 10}, effect.Hint{Kind: both, Key: "pay", PerSecond: 10, Burst: 10}},
		{effect.Hint{Kind: effect.GlobalExclusive}, effect.Hint{Kind: effect.GlobalExclusive}},
		{effect.Hint{}, effect.Hint{}},
	} {
		declared := Dynamic("pay", "", args, nil, none, Hint(c.hint))
		_, err := NewRegistry(declared)
		require.NoError(t, err, c.hint)
		assert.Equal(t, c.want, declared.Hint())
	}
	for _, hint := range []effect.Hint{
		{Kind: effect.RateLimited}, {Kind: effect.RateLimited, PerSecond: -1},
		{Kind: effect.RateLimited, PerSecond: math.NaN()},
		{Kind: effect.RateLimited, PerSecond: math.Inf(1)},
		{Kind: effect.RateLimited, PerSecond: 1, Burst: -1}, {PerSecond: 10},
	} {
		_, err := NewRegistry(Dynamic("pay", "", args, nil, none, Hint(hint)))
		require.Error(t, err, hint)
	}
	of := Dynamic("pay", "", args, nil, none, Rate(func(json.RawMessage) effect.Hint {
		return effect.Hint{Kind: effect.RateLimited, Key: "bank", PerSecond: 7}
	}))
	assert.Equal(t, effect.Hint{Kind: effect.RateLimited, Key: "bank", PerSecond: 7, Burst: 7}, of.rateOf(nil, facts{}))
	pause := Dynamic("pay", "", args, nil, none, Rate(func(json.RawMessage) effect.Hint { return effect.Hint{Kind: effect.RateLimited, Key: "bank"} }))
	assert.Equal(t, effect.Hint{Kind: effect.RateLimited, Key: "bank"}, pause.rateOf(nil, facts{}))
}
