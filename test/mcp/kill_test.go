package mcp_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/internal/testlevel"
)

// connect starts `ptc mcp` with flags, and returns a client that speaks to it over its standard input and output.
func connect(t testing.TB, flags ...string) (*sdk.ClientSession, *exec.Cmd) {
	cmd := exec.Command(command(t), append([]string{"mcp"}, flags...)...)
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).
		Connect(t.Context(), &sdk.CommandTransport{Command: cmd, TerminateDuration: 20 * time.Second}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return c, cmd
}

// value calls run_program, and returns the structured answer.
func value(ctx context.Context, c *sdk.ClientSession, args map[string]any) (map[string]any, error) {
	r, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "run_program", Arguments: args})
	if err != nil {
		return nil, err
	}
	v, _ := r.StructuredContent.(map[string]any)
	if v == nil {
		return nil, fmt.Errorf("%s", r.Content[0].(*sdk.TextContent).Text)
	}
	return v, nil
}

// A server that is killed at any moment leaves a journal, from which the same call continues: each line is written
// once, or is in doubt, and then it is not written again.
func TestKilledServer(t *testing.T) {
	rounds := testlevel.Size(2, 6)
	if *thorough {
		rounds = 200
	}
	for i := range rounds {
		dir, journals := t.TempDir(), t.TempDir()
		file := filepath.Join(dir, "lines")
		flags := []string{"--allow-exec", "sh", "--journal-dir", journals}
		call := map[string]any{"journal": "job", "program": fmt.Sprintf(
			`(doall (pmap #(tool/exec.run {:program "sh" :args ["-c" (str "echo " %% " >> %s; sleep 0.01")]}) (range 8)))`, file)}
		c, cmd := connect(t, flags...)
		over := make(chan error, 1)
		go func() {
			_, err := value(context.Background(), c, call)
			over <- err
		}()
		time.Sleep(time.Duration(i) * 12 * time.Millisecond)
		cmd.Process.Kill()
		<-over
		time.Sleep(50 * time.Millisecond) // the commands under way end by themselves
		again, _ := connect(t, flags...)
		a, err := value(t.Context(), again, call)
		require.NoError(t, err)
		text, _ := os.ReadFile(file)
		seen := make(map[string]int)
		for line := range strings.Lines(string(text)) {
			seen[line]++
			require.Equal(t, 1, seen[line], "line %q in round %d", line, i)
		}
		if a["status"] == "ok" {
			require.Len(t, seen, 8, "round %d", i)
			continue
		}
		require.Equal(t, "pending", a["status"], "%v", a)
		for _, p := range a["pending"].([]any) {
			require.Equal(t, "in-doubt", p.(map[string]any)["kind"])
		}
	}
}

// A client that is killed leaves no run and no process behind.
func TestKilledClient(t *testing.T) {
	mark := fmt.Sprintf("31%d.5", os.Getpid()) // seconds, which name the process that a tool starts
	cmd := exec.Command(command(t), "mcp", "--allow-exec", "sleep", "--timeout", "10m")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).
		Connect(t.Context(), &sdk.IOTransport{Reader: out, Writer: in}, nil)
	require.NoError(t, err)
	over := make(chan struct{})
	go func() {
		value(context.Background(), c, map[string]any{"program": `(tool/exec.run {:program "sleep" :args ["` + mark + `"]})`})
		close(over)
	}()
	running := func() bool { return exec.Command("pgrep", "-f", "sleep "+mark).Run() == nil }
	require.Eventually(t, running, time.Minute, 10*time.Millisecond)
	in.Close() // as the system does for a client that has died
	require.NoError(t, cmd.Wait())
	// The server has killed it; on a busy machine, the system takes a moment to end it.
	ended := func() bool { return !running() }
	require.Eventually(t, ended, time.Minute, 10*time.Millisecond, "the process of the tool ends with the server")
	c.Close()
	<-over
}
