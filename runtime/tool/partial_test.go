package tool

import (
	"context"
	"encoding/json"
	"testing"
)

func TestCheckPartial(t *testing.T) {
	schema := `{"type":"object","properties":{"q":{"type":"string","maxLength":3},"n":{"type":"integer","maximum":9},
		"kind":{"enum":["a",["b"]]},"tags":{"type":"array","items":{"type":"string"},"minItems":2},
		"at":{"anyOf":[{"type":"integer"},{"type":"object","properties":{"day":{"type":"integer"}},"required":["day"]}]}},
		"required":["q"],"additionalProperties":false}`
	fn := func(context.Context, json.RawMessage) (json.RawMessage, error) { return nil, nil }
	tl := Dynamic("x", "", json.RawMessage(schema), nil, fn, Secret("q"))
	if tl.err != nil {
		t.Fatal(tl.err)
	}
	hole := Unknown{}
	for _, c := range []struct {
		args map[string]any
		want string // "" for nothing
	}{
		{map[string]any{"q": "abc"}, ""},
		{map[string]any{"q": hole}, ""},
		{map[string]any{}, `:q: got nothing, want string, at most 3 characters`},
		{map[string]any{"n": hole}, `:q: got nothing, want string, at most 3 characters`},
		{map[string]any{"q": hole, "n": 10.0}, `:n: got 10, want int, at most 9`},
		{map[string]any{"q": "abcd", "n": hole}, `:q: got a value that is not shown, want string, at most 3 characters`},
		{map[string]any{"q": hole, "m": 1.0}, `got the unknown key :m, want {:q string :n int? :kind "a"|["b"]? :tags [string]? :at int|{:day int}?}`},
		{map[string]any{"q": hole, "kind": "c"}, `:kind: got the string "c", want "a"|["b"]`},
		{map[string]any{"q": "a", "kind": []any{hole}}, ""},
		{map[string]any{"q": "a", "tags": []any{hole, 1.0}}, `[:tags 1]: got 1, want string`},
		{map[string]any{"q": "a", "tags": []any{hole}}, `:tags: got the list ["…"], want [string], at least 2 items`},
		{map[string]any{"q": "a", "at": map[string]any{"day": hole}}, ""},
		{map[string]any{"q": "a", "at": hole}, ""},
		{map[string]any{"q": hole, "at": "noon"}, `:at: got the string "noon", want int|{:day int}`},
	} {
		got := ""
		if m := tl.CheckPartial(c.args); m != nil {
			got = m.Error()
		}
		if got != c.want {
			t.Errorf("%v: got %s, want %s", c.args, got, c.want)
		}
	}
}
