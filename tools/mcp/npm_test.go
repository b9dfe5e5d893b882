package mcp

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/internal/testlevel"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// packages are the servers of the protocol's own repository.
var packages = []string{"@modelcontextprotocol/server-everything@2026.8.31", "@modelcontextprotocol/server-filesystem@2026.8.31",
	"@modelcontextprotocol/server-memory@2026.8.31"}

// installed returns the folder of the programs of packages. They are kept in the folder for temporary files, for later
// runs.
func installed(t *testing.T) string {
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("there is no npm")
	}
	testlevel.System(t)
	if testing.Short() {
		t.Skip("installs packages of npm")
	}
	dir := filepath.Join(os.TempDir(), "ptc-mcp-servers")
	bin := filepath.Join(dir, "node_modules", ".bin")
	if _, err := os.Stat(filepath.Join(dir, "complete")); err == nil {
		return bin
	}
	require.NoError(t, os.MkdirAll(dir, 0o755))
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, npm, append([]string{"install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", dir}, packages...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("npm can't install the servers: %v\n%s", err, out)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "complete"), nil, 0o600))
	return bin
}

// TestServersOfNPM calls servers that others have written.
func TestServersOfNPM(t *testing.T) {
	bin := installed(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for i := range 20 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, string(rune('a'+i))+".txt"), []byte(strings.Repeat("x", i)), 0o600))
	}
	_, r := opened(t, Grant{Connect: time.Minute, Servers: []Server{
		{Name: "files", Command: filepath.Join(bin, "mcp-server-filesystem"), Args: []string{dir}},
		{Name: "memory", Command: filepath.Join(bin, "mcp-server-memory"), Env: map[string]string{"MEMORY_FILE_PATH": filepath.Join(dir, "memory")}},
		{Name: "everything", Command: filepath.Join(bin, "mcp-server-everything")}}})

	got := value(t, r, `(let [names (map #(.substring % 7) (filter #(.endsWith % ".txt") (.split (:content (tool/files.list_directory "`+dir+`")) "\n")))]
		(reduce + (pmap #(count (:content (tool/files.read_text_file {:path (str "`+dir+`/" %)}))) names)))`)
	assert.Equal(t, "190", got)
	got = value(t, r, `(try (tool/files.read_text_file "/etc/passwd") (catch :tool-failed e (:code (ex-data e))))`)
	assert.Equal(t, ":tool-error", got)
	got = value(t, r, `(do (tool/memory.create_entities {:entities [{:name "PTC" :entityType "language" :observations ["small"]}]})
		(map :name (:entities (tool/memory.search_nodes "small"))))`)
	assert.Equal(t, `("PTC")`, got)
	assert.Equal(t, `"Echo: hello"`, value(t, r, `(tool/everything.echo "hello")`))
	assert.Equal(t, `["text" "image" "text"]`, value(t, r, `(mapv #(if (string? %) "text" (:type %)) (tool/everything.get-tiny-image {}))`))
	assert.Contains(t, value(t, r, `(tool/everything.get-structured-content {:location "Chicago"})`), ":temperature")
}

// TestServerOfNPMKilled kills a server in the middle of a pmap, which comes to its end on another one.
func TestServerOfNPMKilled(t *testing.T) {
	bin := installed(t)
	all, r := opened(t, Grant{Connect: time.Minute, Servers: []Server{{Name: "everything", Command: filepath.Join(bin, "mcp-server-everything"),
		Classes: map[string]effect.Class{"*": effect.ReadOnly}}}})
	first := all.all[0].conn.child.cmd.Process
	killed := make(chan error, 1)
	time.AfterFunc(time.Second, func() { killed <- first.Kill() })
	got := value(t, r, `(frequencies (map string? (pmap (fn [_] (retry {:times 9 :backoff-ms 50}
		(tool/everything.trigger-long-running-operation {:duration 0.4 :steps 2}))) (range 40))))`)
	require.NoError(t, <-killed)
	assert.Equal(t, "{true 40}", got)
	assert.NotEqual(t, first.Pid, all.all[0].conn.child.cmd.Process.Pid)
}
