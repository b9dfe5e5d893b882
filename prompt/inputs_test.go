package prompt_test

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/prompt"
)

// shapeIn returns the shape of an input as the card has it.
func shapeIn(t *testing.T, input any) string {
	t.Helper()
	card, err := prompt.Card(context.Background(), prompt.Options{Data: map[string]any{"x": input}})
	require.NoError(t, err)
	_, shape, ok := strings.Cut(card, "\n    data/x ")
	require.True(t, ok, card)
	shape, _, _ = strings.Cut(shape, "\n")
	return shape
}

func TestShapes(t *testing.T) {
	for input, want := range map[string]string{
		`7`: "int", ` -7`: "int", `7.5`: "number", `1e3`: "number", `"e."`: "string", `true`: "bool", `null`: "nil", `[]`: "[any]", `{}`: "{string any}",
		`[1, 2.5, 3]`:      "[number]",
		`[1, "a", null]`:   "[int|string|nil]",
		`[[1], [], ["a"]]`: "[[int|string]]",
		`[{"id": 1, "name": "a"}, {"id": 2, "name": null, "tags": []}]`: "[{:id int :name string|nil :tags [any]?}]",
		`{"a b": 1, "c/d": {"e": {"f": []}}}`:                           `{"a b" int "c/d" {:e {:f [any]}}}`,
		"{\"a\\u2028b\\u001b\": 1}":                                     `{"a\u2028b\x1b" int}`,
		`[[[[[[[[1]]]]]]]]`:                                             "[[[[[[…]]]]]]",
		`{"a": 1, "a": "x"}`:                                            "{:a string}",
	} {
		require.Equal(t, want, shapeIn(t, json.RawMessage(input)), input)
	}
}

// TestShapesOfGo takes inputs as a host has them.
func TestShapesOfGo(t *testing.T) {
	type order struct {
		ID    int64    `json:"id"`
		Price float64  `json:"price"`
		Lines []string `json:"lines,omitempty"`
	}
	require.Equal(t, "[{:id int :lines [string]? :price number}]",
		shapeIn(t, []order{{1, 2.5, nil}, {2, 3, []string{"a"}}}))
	require.Equal(t, "{:a int :b nil}", shapeIn(t, map[string]any{"a": 1, "b": nil}))
	require.Equal(t, "any", shapeIn(t, math.NaN()))
	require.Equal(t, "any", shapeIn(t, json.RawMessage(`{"a":`)))
	require.Equal(t, "any", shapeIn(t, json.RawMessage(nil)))
}

// TestShapesOfTables requires an object whose keys are data shown as a table, and one with many members of several
// types as a record.
func TestShapesOfTables(t *testing.T) {
	table, mixed := make(map[string]any), map[string]any{"id": 1}
	for _, c := range "abcdefghijklmnopqrstuvwxyz" {
		table["2026-"+string(c)] = map[string]any{"n": 1, "last-" + string(c): "x"}
		mixed["field-"+string(c)] = "x"
	}
	require.Regexp(t, `^\{string \{:last-a string\? .*…\}\}$`, shapeIn(t, table))
	require.Contains(t, shapeIn(t, mixed), ":field-a string :field-b string")
}

// TestShapesAreBounded holds a large and deep input to a short text, made of its upper levels.
func TestShapesAreBounded(t *testing.T) {
	wide := func(below any) map[string]any {
		m := map[string]any{"id": 1}
		for i := range 20 {
			m["member-"+string(rune('a'+i))] = below
		}
		return m
	}
	got := shapeIn(t, []any{wide(wide(wide("x")))})
	require.LessOrEqual(t, len(got), 600)
	require.Contains(t, got, "[{:id int :member-a … :member-b …")
	require.Equal(t, "…", shapeIn(t, map[string]any{strings.Repeat("x", 1000): 1}))
	deep := json.RawMessage(strings.Repeat("[", 5000) + strings.Repeat("]", 5000))
	require.Equal(t, "[[[[[[…]]]]]]", shapeIn(t, deep))
	rest := append(make([]int, 2000), 0)
	require.Equal(t, "[int]", shapeIn(t, rest))
}

// TestInputNames requires the names of the host and those of the data once, and none that no program can read.
func TestInputNames(t *testing.T) {
	card, err := prompt.Card(context.Background(), prompt.Options{Run: ptc.Options{DataNames: []string{"orders", "day"}},
		Data: map[string]any{"orders": []any{}, "rows": 1, "a b": 1, "": 1, "x`\n": 1, "a/b": 1}})
	require.NoError(t, err)
	require.Contains(t, card, "## Input\n\n`data/orders`, `data/day`, `data/rows`\n\nShapes of a sample input; `?` "+
		"marks an optional field:\n\n    data/orders [any]\n    data/rows int\n\n")
}
