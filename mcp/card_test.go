package mcp_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/mcp"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// maxDescription is the number of characters that Claude Code 2.1 shows of the description of a tool.
const maxDescription = 4096

// TestDescription requires clients that cut long descriptions to show run_program whole, however many tools
// there are, and the rest of the card to be within reach.
func TestDescription(t *testing.T) {
	for _, n := range []int{0, 3, 100} {
		var all []*tool.Tool
		var reach []string
		for i := range n {
			all = append(all, tool.New(fmt.Sprintf("area%d.find_things", i), "Finds things. "+strings.Repeat("It has more to say. ", 5),
				func(context.Context, struct{}) (string, error) { return "", nil }, tool.ReadOnly()))
			if i%10 == 0 {
				reach = append(reach, fmt.Sprintf("Hosts: host-%d.example.com", i))
			}
		}
		reg, err := tool.NewRegistry(all...)
		require.NoError(t, err)
		c := dial(t, serve(t, mcp.Options{Run: ptc.Options{Tools: reg}, Reach: reach}), "new", nil)
		listed, err := c.ListTools(t.Context(), nil)
		require.NoError(t, err)
		for _, one := range listed.Tools {
			require.LessOrEqual(t, len(one.Description), maxDescription, "%s with %d tools", one.Name, n)
			if one.Name == "run_program" {
				require.Contains(t, one.Description, "Left out here: ")
				require.Contains(t, one.Description, "returns a longer card for the name card.")
			}
		}
		res, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "describe_tools", Arguments: map[string]any{"names": []string{"card"}}})
		require.NoError(t, err)
		require.False(t, res.IsError)
		card := res.Content[0].(*sdk.TextContent).Text
		require.Greater(t, len(card), maxDescription)
		if n <= 3 {
			require.Contains(t, card, "## Additions to Clojure")
		}
	}
}
