//go:build unix

package examples

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ptc-lang/ptc/internal/filetest"
)

// filesServer is the command in the documents, which installs the server of npm.
const filesServer = "npx -y @modelcontextprotocol/server-filesystem"

// TestMCP follows examples/mcp/README.md, and runs its program as a client that has mcp.json.
func TestMCP(t *testing.T) {
	server := serverOfNPM(t)
	bin := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", bin, "../cmd/ptc").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	filetest.Document{Path: "mcp/README.md", Clone: "..", Bin: bin, Replace: []string{filesServer, server}}.Follow(t)

	var config struct {
		Servers map[string]struct {
			Command string
			Args    []string
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal([]byte(strings.ReplaceAll(read(t, "mcp/mcp.json"), filesServer, server)), &config); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(bin, config.Servers["ptc"].Command), config.Servers["ptc"].Args...)
	cmd.Dir = ".."
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
		&sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	res, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "run_program",
		Arguments: map[string]any{"program": read(t, "mcp/overdue.ptc"), "input": map[string]any{"day": "2026-02-01"}}})
	if err != nil {
		t.Fatal(err)
	}
	if got := res.Content[0].(*sdk.TextContent).Text; !strings.Contains(got, `[["bob",[["2026-01-31","Quotas of the object store"]]]]`) {
		t.Errorf("got %s", got)
	}
}

// serverOfNPM returns the command of the server: the one that the tests of tools/mcp have installed, or npx.
func serverOfNPM(t *testing.T) string {
	dir := filepath.Join(os.TempDir(), "ptc-mcp-servers")
	if _, err := os.Stat(filepath.Join(dir, "complete")); err == nil {
		return filepath.Join(dir, "node_modules", ".bin", "mcp-server-filesystem")
	}
	if _, err := exec.LookPath("npx"); err != nil {
		t.Skip("there is no npx")
	}
	if testing.Short() {
		t.Skip("installs a package of npm")
	}
	return filesServer
}
