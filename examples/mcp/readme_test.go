//go:build unix

// Package mcp has the example of an MCP server behind ptc mcp. Its tests follow README.md, and count the
// cost of ten tasks by direct calls and by programs.
package mcp

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ptc-lang/ptc/internal/commandtest"
	"github.com/ptc-lang/ptc/internal/filetest"
	"github.com/ptc-lang/ptc/internal/testlevel"
)

// filesServer is the command in the documents, which installs the server of npm.
const filesServer = "npx -y @modelcontextprotocol/server-filesystem"

// TestReadme follows README.md, and runs its program as a client that has mcp.json.
func TestReadme(t *testing.T) {
	server, program := serverOfNPM(t), read(t, "overdue.ptc")
	ptc := command(t)
	filetest.Document{Path: "README.md", Clone: "../..", Bin: commands.Dir, Replace: []string{filesServer, server}}.Follow(t)

	var config struct {
		Servers map[string]struct {
			Command string
			Args    []string
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal([]byte(strings.ReplaceAll(read(t, "mcp.json"), filesServer, server)), &config); err != nil {
		t.Fatal(err)
	}
	t.Chdir("../..")
	c := started(t, append([]string{ptc}, config.Servers["ptc"].Args...)...)
	res, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "run_program",
		Arguments: map[string]any{"program": program, "input": map[string]any{"day": "2026-02-01"}}})
	if err != nil {
		t.Fatal(err)
	}
	if got := res.Content[0].(*sdk.TextContent).Text; !strings.Contains(got, `{"bob":["Quotas of the object store"]}`) {
		t.Errorf("got %s", got)
	}
}

// serverOfNPM returns the command of the server: the one that the tests of tools/mcp have installed, or npx.
func serverOfNPM(t *testing.T) string {
	testlevel.System(t)
	dir := filepath.Join(os.TempDir(), "ptc-mcp-servers")
	if _, err := os.Stat(filepath.Join(dir, "complete")); err == nil {
		return filepath.Join(dir, "node_modules", ".bin", "mcp-server-filesystem")
	}
	if _, err := exec.LookPath("npx"); err != nil {
		t.Skip("there is no npx")
	}
	return filesServer
}

// read returns the text of a file.
func read(t *testing.T, name string) string {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// commands has the command ptc.
var commands commandtest.Commands

func TestMain(m *testing.M) { os.Exit(commands.Run(m)) }

// command returns the path of ptc.
func command(t testing.TB) string { return commands.Path(t, "ptc") }
