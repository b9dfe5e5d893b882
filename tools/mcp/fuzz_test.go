package mcp

import (
	"encoding/json"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// FuzzResult checks that every answer of a server becomes valid JSON or an error, and that its shape
// includes the value.
func FuzzResult(f *testing.F) {
	for _, seed := range []string{`{}`, `{"content": [{"type": "text", "text": "[1]"}]}`, `{"structuredContent": {"a": 1e400}}`,
		`{"content": [{"type": "image", "data": "cG5n"}, {"type": "resource", "resource": {"uri": "a"}}], "isError": true}`,
		`{"resultType": "input_required", "inputRequests": {}}`, `{"content": [{"type": "text", "text": "{\"a\": {\"b\": [1, \"2\", null]}}"}]}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		res := &sdk.CallToolResult{}
		if json.Unmarshal([]byte(text), res) != nil {
			return
		}
		s := &server{Server: Server{Name: "s"}}
		if res.IsError {
			if s.toolError(res).Error() == "" {
				t.Error("a failure without a message")
			}
			return
		}
		value, err := valueOf(t.Context(), res)
		if err != nil {
			return
		}
		if !json.Valid(value) {
			t.Fatalf("got %q, want JSON", value)
		}
		sh := openShapes("", &s.Server)
		sh.learn("a", value)
		if l := sh.tools["a"]; l != nil {
			if schema := l.checked(); schema == nil {
				t.Errorf("no schema for the shape of %s", value)
			} else if err := schema.Check(value, nil); err != nil && len(value) < 4096 {
				t.Errorf("%s does not have its own shape %s: %v", value, schema, err)
			}
		}
	})
}
