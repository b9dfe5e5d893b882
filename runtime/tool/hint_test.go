package tool

import (
	"context"
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/guard"
)

// TestRateDefaults declares rates without a key or a burst: the tool's name and the tokens of
// one second stand in for them.
func TestRateDefaults(t *testing.T) {
	none := func(context.Context, json.RawMessage) (json.RawMessage, error) { return nil, nil }
	args := json.RawMessage(`{"type":"object"}`)
	both := guard.RateLimited | guard.GlobalExclusive
	for _, c := range []struct{ hint, want guard.Hint }{
		{guard.Hint{Kind: guard.RateLimited, PerSecond: 10}, guard.Hint{Kind: guard.RateLimited, Key: "pay", PerSecond: 10, Burst: 10}},
		{guard.Hint{Kind: guard.RateLimited, PerSecond: 2.5}, guard.Hint{Kind: guard.RateLimited, Key: "pay", PerSecond: 2.5, Burst: 3}},
		{guard.Hint{Kind: guard.RateLimited, PerSecond: 0.01}, guard.Hint{Kind: guard.RateLimited, Key: "pay", PerSecond: 0.01, Burst: 1}},
		{guard.Hint{Kind: guard.RateLimited, PerSecond: guard.MaxPerSecond}, guard.Hint{Kind: guard.RateLimited, Key: "pay", PerSecond: 1e9, Burst: 1e9}},
		{guard.Hint{Kind: guard.RateLimited, PerSecond: 10, Key: "bank"}, guard.Hint{Kind: guard.RateLimited, Key: "bank", PerSecond: 10, Burst: 10}},
		{guard.Hint{Kind: guard.RateLimited, PerSecond: 10, Burst: 2}, guard.Hint{Kind: guard.RateLimited, Key: "pay", PerSecond: 10, Burst: 2}},
		{guard.Hint{Kind: both, PerSecond: 10}, guard.Hint{Kind: both, Key: "pay", PerSecond: 10, Burst: 10}},
		{guard.Hint{Kind: guard.GlobalExclusive}, guard.Hint{Kind: guard.GlobalExclusive}},
		{guard.Hint{}, guard.Hint{}},
	} {
		declared := Dynamic("pay", "", args, nil, none, Hint(c.hint))
		_, err := Registered(declared)
		require.NoError(t, err, c.hint)
		assert.Equal(t, c.want, declared.Hint())
	}
	for _, hint := range []guard.Hint{
		{Kind: guard.RateLimited}, {Kind: guard.RateLimited, PerSecond: -1}, {Kind: guard.RateLimited, PerSecond: math.NaN()},
		{Kind: guard.RateLimited, PerSecond: math.Inf(1)}, {Kind: guard.RateLimited, PerSecond: 1, Burst: -1}, {PerSecond: 10},
	} {
		_, err := Registered(Dynamic("pay", "", args, nil, none, Hint(hint)))
		require.Error(t, err, hint)
	}
	of := Dynamic("pay", "", args, nil, none, Rate(func(json.RawMessage) guard.Hint {
		return guard.Hint{Kind: guard.RateLimited, Key: "bank", PerSecond: 7}
	}))
	assert.Equal(t, guard.Hint{Kind: guard.RateLimited, Key: "bank", PerSecond: 7, Burst: 7}, of.rateOf(nil))
	pause := Dynamic("pay", "", args, nil, none, Rate(func(json.RawMessage) guard.Hint { return guard.Hint{Kind: guard.RateLimited, Key: "bank"} }))
	assert.Equal(t, guard.Hint{Kind: guard.RateLimited, Key: "bank"}, pause.rateOf(nil))
}
