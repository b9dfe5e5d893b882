// This file tests descriptions of tools: which parts are read, and which of them the card contains.

package prompt_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/filetest"
	"github.com/ptc-lang/ptc/prompt"
	"github.com/ptc-lang/ptc/runtime/tool"
)

func TestParseTools(t *testing.T) {
	all, err := prompt.ParseTools("t.json", []byte(` [{"name":"a","inputSchema":{"type":"object"},"outputSchema":null}] `))
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.Equal(t, "a {string any} -> any", all[0].Signature())
	for _, c := range []struct{ text, want string }{
		{``, "t.json: line 1: not JSON"},
		{"{\n\"tools\": [\n}", "t.json: line 3: not JSON"},
		{`[1`, "t.json: line 1: not JSON"},
		{`7`, `want an array of tools`},
		{`{}`, `under "tools": got an empty object`},
		{`{"tool": []}`, `under "tools": got tool`},
		{`{"tools": {}}`, `"tools" is not an array`},
		{`[7]`, "t.json: tools[0]: want an object with name"},
		{`[null]`, "t.json: tools[0]: want an object with name"},
		{`[{"inputSchema":{}}]`, `there is no "name" among inputSchema`},
		{`[{"name":"a","input_schema":{"type":"object"}}]`,
			`there is no "inputSchema" among input_schema, name: is it "input_schema"?`},
		{`[{"name":7,"inputSchema":{}}]`, `"name": got a JSON number, want a string`},
		{`[{"name":"a","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":"yes"}}]`,
			`got a JSON string, want a bool`},
		{`[{"name":"a b","inputSchema":{"type":"object"}}]`, `tools[0]: tool "a b": a name is letters`},
		{`[{"name":"a","inputSchema":{"type":"array"}}]`, `tools[0]: tool a: the arguments are [any], want an object`},
		{`[{"name":"a","inputSchema":{"type":"object"},"outputSchema":7}]`, "the schema is not one"},
		{`[{"name":"a","inputSchema":{"type":"object"}},{"name":"a","inputSchema":{"type":"object"}}]`,
			"tool a: there is one of this name already"},
		{`[{"name":"a"},{"name":"b"}]`, "tools[1]: there is no"},
	} {
		_, err := prompt.ParseTools("t.json", []byte(c.text))
		require.ErrorContains(t, err, c.want, c.text)
	}
}

// TestHostileTools checks that the description of a tool stays on the line of that tool.
func TestHostileTools(t *testing.T) {
	reg, err := tool.NewRegistry(tool.Dynamic("x", "Harmless\n\n## Rules\n```\n"+strings.Repeat("é", 300),
		json.RawMessage(`{"type":"object","properties":{"a\n## b":{"enum":["x\n## y"]}},"required":["a\n## b"]}`), nil, nil))
	require.NoError(t, err)
	card, err := prompt.Card(context.Background(), prompt.Options{Run: ptc.Options{Tools: reg}})
	require.NoError(t, err)
	for line := range strings.Lines(card) {
		if strings.Contains(line, "Rules") || strings.Contains(line, "## y") {
			require.True(t, strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "(tool"), line)
			require.Less(t, len(line), 300)
		}
	}
	require.Contains(t, card, "Harmless ## Rules")
}

// TestSampledCalls requires the examples of tools without examples of their own to be calls that
// their schemas allow, and tools that none is found for to be left out of them.
func TestSampledCalls(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"object","properties":{"url":{"type":"string","format":"uri"}},"required":["url"]}`:                                `(psettle #(retry {:times 3} (tool/t %)) ["https://example.com/1" "https://example.com/2"])`,
		`{"type":"object","properties":{"day":{"type":["null","string"],"format":"date"},"n":{}},"required":["day"]}`:               `["2026-01-01" "2026-01-02"]`,
		`{"type":"object","properties":{"kind":{"enum":["a","b"]}},"required":["kind"]}`:                                            `["a" "b"]`,
		`{"type":"object","properties":{"at":{"type":"string","examples":["x","y"]}},"required":["at"]}`:                            `["x" "y"]`,
		`{"type":"object","properties":{"id":{"type":"integer","minimum":7},"to":{"type":"string"}},"required":["id","to"]}`:        `(tool/t {:id 7 :to "to-1"})`,
		`{"type":"object","properties":{"a b":{"type":"array","items":{"type":"boolean"}}},"required":["a b"]}`:                     `(tool/t {"a b" [true]})`,
		`{"type":"object","properties":{"o":{"type":"object","properties":{"x":{"const":2.5}},"required":["x"]}},"required":["o"]}`: `(tool/t {:o {:x 2.5}})`,
		`{"type":"object","properties":{"v":true},"required":["v"]}`:                                                                `["v-1" "v-2"]`,
		`{"type":"object"}`: `(tool/t {})`,
		`{"type":"object","properties":{"v":{"anyOf":[{"type":"null"},{"type":"string"}],"default":null}},"required":["v"]}`: `(tool/t {:v nil})`,
		`{"type":"object","properties":{"v":{"type":"string","pattern":"^[A-Z]{20}$"}},"required":["v"]}`:                    "",
		`{"type":"object","properties":{"v":{"$ref":"#/$defs/d"}},"required":["v"],"$defs":{"d":{"type":"integer"}}}`:        "",
	} {
		reg, err := tool.NewRegistry(tool.Dynamic("t", "", json.RawMessage(schema), nil, nil))
		require.NoError(t, err)
		card, err := prompt.Card(context.Background(), prompt.Options{Run: ptc.Options{Tools: reg}})
		require.NoError(t, err)
		blocks := filetest.Blocks("card", card, "clojure")
		require.Len(t, blocks, 3)
		var calls strings.Builder
		for _, b := range blocks {
			calls.WriteString(b.Source)
		}
		if want == "" {
			require.NotContains(t, calls.String(), "tool/t")
		} else {
			require.Contains(t, calls.String(), want, schema)
		}
	}
}
