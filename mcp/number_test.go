package mcp_test

import (
	"encoding/json"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/mcp"
)

// Whole numbers that a float does not hold are strings in the structured content, and have all digits in the text.
func TestLargeNumbers(t *testing.T) {
	c := dial(t, serve(t, mcp.Options{}), "new", nil)
	for program, want := range map[string]string{
		`9007199254740992`:      `9007199254740992`,
		`9007199254740993`:      `"9007199254740993"`,
		`-9007199254740993`:     `"-9007199254740993"`,
		`[9223372036854775807]`: `["9223372036854775807"]`,
		`{"a\"9007199254740993" [1.5e300 "9007199254740993" 0.12345678901234567 9007199254740994]}`: `{"a\"9007199254740993": [1.5e300, ` +
			`"9007199254740993", 0.12345678901234567, "9007199254740994"]}`,
	} {
		res, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "run_program", Arguments: map[string]any{"program": program}})
		require.NoError(t, err)
		got, err := json.Marshal(res.StructuredContent.(map[string]any)["value"])
		require.NoError(t, err)
		require.JSONEq(t, want, string(got), program)
	}
	a := run(t, c, map[string]any{"program": `[9007199254740993]`})
	require.Equal(t, "[9007199254740993]", a.text)
}
