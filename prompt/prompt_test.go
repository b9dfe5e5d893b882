// This file defines the tests of the card as a whole: the golden files and the budgets.

package prompt_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/prompt"
	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/runtime/tool"
)

//go:generate go test -run TestGolden -update

var update = flag.Bool("update", false, "write the golden files")

// describedTools returns a registry of the tools in testdata.
func describedTools(t *testing.T) *tool.Registry {
	t.Helper()
	text, err := os.ReadFile("testdata/tools.json")
	require.NoError(t, err)
	all, err := prompt.ParseTools("tools.json", text)
	require.NoError(t, err)
	reg, err := tool.NewRegistry(all...)
	require.NoError(t, err)
	return reg
}

// fullOptions are options that bring everything into the card.
func fullOptions(t *testing.T) prompt.Options {
	t.Helper()
	q, err := queue.NewEnforcer(queue.Policies{
		Global:  queue.Policy{Quota: queue.Quota{Calls: 1000, Window: time.Hour}},
		Actions: map[string]queue.Policy{"search": {Concurrency: 4, Rate: queue.Rate{Calls: 10, Per: time.Minute}}},
	}, queue.New(queue.Options{}))
	require.NoError(t, err)
	return prompt.Options{
		Run: ptc.Options{Tools: describedTools(t), Queue: q, DataNames: []string{"orders", "customers"},
			Limits: ptc.Limits{Timeout: time.Minute, Memory: 1 << 30, Workers: 32, Steps: 5_000_000}},
		Data: map[string]any{
			"orders":    json.RawMessage(`[{"id": 1, "lines": [{"sku": "a", "price": 9.5}]}, {"id": 2, "lines": [], "note": null}]`),
			"customers": json.RawMessage(`{"by-region": {"north": ["Ada"]}}`),
		},
		Reach: []string{"URLs of: shop.example.com"},
	}
}

func TestGolden(t *testing.T) {
	full := fullOptions(t)
	for name, o := range map[string]prompt.Options{
		"default":   {},
		"tools":     full,
		"tools-350": {Run: full.Run, Data: full.Data, Reach: full.Reach, Tokens: 350},
		"tools-800": {Run: full.Run, Data: full.Data, Reach: full.Reach, Tokens: 800},
		"800":       {Tokens: 800},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := prompt.Card(context.Background(), o)
			require.NoError(t, err)
			file := "testdata/" + name + ".md"
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, string(want), got)
		})
	}
}

// TestBudgets checks that the card fits every budget, and that a larger budget keeps every line of a
// smaller one, except the line of omitted pieces.
func TestBudgets(t *testing.T) {
	for name, o := range map[string]prompt.Options{"default": {}, "tools": fullOptions(t)} {
		t.Run(name, func(t *testing.T) {
			whole, err := prompt.Card(context.Background(), o)
			require.NoError(t, err)
			o.Tokens = 1
			_, err = prompt.Card(context.Background(), o)
			var few *prompt.TooFewError
			require.ErrorAs(t, err, &few)
			require.Equal(t, 1, few.Tokens)
			var before []string
			step := testlevel.Size(12, 3)
			for o.Tokens = few.Least - 1; o.Tokens < prompt.Tokens(whole)+step; o.Tokens += step {
				text, err := prompt.Card(context.Background(), o)
				if o.Tokens < few.Least {
					require.ErrorAs(t, err, &few)
					continue
				}
				require.NoError(t, err)
				require.LessOrEqual(t, prompt.Tokens(text), o.Tokens)
				lines := told(text)
				for _, line := range before {
					require.Contains(t, lines, line, "with %d tokens", o.Tokens)
				}
				before = lines
			}
			require.Equal(t, told(whole), before)
		})
	}
}

// told returns the lines of a card without the line of omitted pieces.
func told(text string) []string {
	text, _, _ = strings.Cut(text, "\nLeft out here: ")
	return strings.Split(strings.TrimSpace(text), "\n")
}

// TestLeftOut requires the number of pieces that are left out to be right.
func TestLeftOut(t *testing.T) {
	o := fullOptions(t)
	o.Tokens = 800
	text, err := prompt.Card(context.Background(), o)
	require.NoError(t, err)
	whole, err := prompt.Card(context.Background(), prompt.Options{Run: o.Run, Data: o.Data, Reach: o.Reach})
	require.NoError(t, err)
	missing := strings.Count(whole, "```clojure") - strings.Count(text, "```clojure")
	require.Contains(t, text, fmt.Sprintf("examples (%d)", missing))
	require.NotContains(t, text, "\n        ; ")
	require.Contains(t, text, "documentation of tools (4)") // of each tool the first sentence, and the rest
	require.NotContains(t, whole, "Left out")
}

func TestBadLimits(t *testing.T) {
	_, err := prompt.Card(context.Background(), prompt.Options{Run: ptc.Options{Limits: ptc.Limits{Steps: -1}}})
	require.ErrorContains(t, err, "steps is -1")
	require.False(t, errors.As(err, new(*prompt.TooFewError)))
}

func TestContext(t *testing.T) {
	var none context.Context
	_, err := prompt.Card(none, prompt.Options{})
	require.ErrorContains(t, err, "nil context")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = prompt.Card(ctx, prompt.Options{})
	require.ErrorIs(t, err, context.Canceled)
}

// TestManyTools requires a card of a thousand tools to be made in little time, and to count them.
func TestManyTools(t *testing.T) {
	reg := &tool.Registry{}
	for i := range 1000 {
		require.NoError(t, reg.Add(tool.Dynamic(fmt.Sprintf("t%d", i), "Does it.", []byte(`{"type":"object"}`), nil, nil)))
	}
	text, err := prompt.Card(context.Background(), prompt.Options{Run: ptc.Options{Tools: reg}, Tokens: 2000})
	require.NoError(t, err)
	require.Contains(t, text, "1000 tools are granted:")
	require.LessOrEqual(t, prompt.Tokens(text), 2000)
}
