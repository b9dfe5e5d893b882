// Package mcp tests `ptc mcp` as its users run it: the real command, clients that others wrote, and processes that are
// killed.
package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ptc-lang/ptc/internal/commandtest"
	"github.com/ptc-lang/ptc/internal/ptcdtest"
	"github.com/ptc-lang/ptc/internal/testlevel"
)

var thorough = flag.Bool("thorough", false, "run the long tests, as before a release")

// testDir has the files that the tests of this package share, such as the commands.
var (
	testDir  string
	commands commandtest.Commands
)

func TestMain(m *testing.M) {
	if os.Getenv(clientVariable) != "" {
		if err := client(context.Background(), os.Args[len(os.Args)-1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	dir, err := os.MkdirTemp("", "ptc-mcp")
	if err == nil {
		testDir, commands.Dir = dir, dir
		err = os.Setenv("XDG_STATE_HOME", filepath.Join(dir, "state"))
	}
	if err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		os.RemoveAll(testDir)
		os.Exit(code)
	}))
}

func command(t testing.TB) string { return commands.Path(t, "ptc") }

// ptcd starts a service, and returns the address for clients with a token.
func ptcd(t *testing.T, flags []string) []string {
	t.Helper()
	s := ptcdtest.Start(t, []string{commands.Path(t, "ptcd")}, nil, t.TempDir(), append(flags, "--serve-mcp")...)
	return []string{s.URL + "/mcp", s.Token}
}

const token = "0123456789abcdef-token"

// service is a `ptc mcp --http` of a test.
type service struct {
	url  string
	cmd  *exec.Cmd
	errs *bufio.Reader // the rest of its standard error
}

// listen starts the command with more flags, and waits until it serves.
func listen(t testing.TB, flags ...string) *service {
	file := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(file, []byte(token+"\n"), 0o600))
	s := &service{cmd: exec.Command(command(t), append([]string{"mcp", "--http", "127.0.0.1:0", "--token-file", file}, flags...)...)}
	errs, err := s.cmd.StderrPipe()
	require.NoError(t, err)
	s.errs = bufio.NewReader(errs)
	require.NoError(t, s.cmd.Start())
	t.Cleanup(func() {
		s.cmd.Process.Kill()
		s.cmd.Wait()
	})
	var text strings.Builder
	for err == nil {
		var line string
		line, err = s.errs.ReadString('\n')
		text.WriteString(line)
		if m := regexp.MustCompile(`serving (http://\S+)`).FindStringSubmatch(line); m != nil {
			s.url = m[1]
			return s
		}
	}
	t.Fatal("ptc mcp did not start:\n" + text.String())
	return nil
}

// npm installs packages of the npm registry, and returns the folder. A test is skipped if there is
// no npm, or no registry: they are clients that others wrote, and nothing else here needs them.
func npm(t *testing.T, packages ...string) string {
	t.Helper()
	testlevel.System(t)
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("there is no npm")
	}
	dir := filepath.Join(testDir, "npm")
	require.NoError(t, os.MkdirAll(dir, 0o700))
	out, err := exec.Command("npm", append([]string{"install", "--prefix", dir, "--no-audit", "--no-fund", "--loglevel", "error"},
		packages...)...).CombinedOutput()
	if err != nil {
		t.Skipf("npm can't install %s: %v\n%s", packages, err, out)
	}
	return dir
}

// TestTypeScript runs a client of the TypeScript SDK, over both transports, and against a service.
func TestTypeScript(t *testing.T) {
	dir := npm(t, "@modelcontextprotocol/sdk@1.32.2")
	for name, at := range map[string]func(t *testing.T, flags []string) []string{
		"stdio": func(t *testing.T, flags []string) []string { return append([]string{command(t), "mcp"}, flags...) },
		"http":  func(t *testing.T, flags []string) []string { return []string{listen(t, flags...).url, token} },
		"ptcd": func(t *testing.T, flags []string) []string {
			return ptcd(t, flags)
		},
	} {
		t.Run(name, func(t *testing.T) {
			out := t.TempDir()
			text, err := os.ReadFile("testdata/client.mjs")
			require.NoError(t, err)
			script := filepath.Join(dir, "client-"+name+".mjs")
			require.NoError(t, os.WriteFile(script, text, 0o600))
			cmd := exec.CommandContext(t.Context(), "node", append([]string{script}, at(t, []string{"--allow-fs", out, "--allow-env", "HOME",
				"--approval", "write"})...)...)
			cmd.Env = append(os.Environ(), "OUT="+filepath.Join(out, "note.txt"))
			var errs bytes.Buffer
			cmd.Stderr = &errs
			lines, err := cmd.Output()
			require.NoError(t, err, "%s\n%s", lines, &errs)
			steps := make(map[string]any)
			for line := range strings.Lines(string(lines)) {
				var s struct {
					Step  string
					Value any
				}
				require.NoError(t, json.Unmarshal([]byte(line), &s), line)
				steps[s.Step] = s.Value
			}
			require.Equal(t, []any{"check_program", "describe_tools", "run_program", "search_tools"}, steps["tools"])
			require.EqualValues(t, 6, steps["value"].(map[string]any)["value"])
			require.Equal(t, "error", steps["error"].(map[string]any)["status"])
			require.Equal(t, "ok", steps["approved"].(map[string]any)["status"], "%v", steps["approved"])
			require.Contains(t, steps["elicit"], "tool/fs.write")
			written, err := os.ReadFile(filepath.Join(out, "note.txt"))
			require.NoError(t, err)
			require.Equal(t, "written", string(written))
			require.EqualValues(t, 200, steps["many"])
			require.Equal(t, true, steps["cancelled"])
			require.EqualValues(t, 2, steps["after"])
			require.Equal(t, []any{108891.0, 65536.0}, steps["page"])
			require.Equal(t, true, steps["prompt"])
			require.Equal(t, []any{"group-by"}, steps["completion"])
		})
	}
}

// TestInspector runs the command line of the MCP inspector.
func TestInspector(t *testing.T) {
	if !*thorough {
		t.Skip("the inspector is 150 MB: -thorough")
	}
	bin := filepath.Join(npm(t, "@modelcontextprotocol/inspector@0.17.2"), "node_modules", ".bin", "mcp-inspector")
	inspect := func(words ...string) map[string]any {
		out, err := exec.Command(bin, append([]string{"--cli", command(t), "mcp", "--method"}, words...)...).CombinedOutput()
		require.NoError(t, err, "%s", out)
		var v map[string]any
		require.NoError(t, json.Unmarshal(out, &v), "%s", out)
		return v
	}
	require.Len(t, inspect("tools/list")["tools"], 4)
	v := inspect("tools/call", "--tool-name", "run_program", "--tool-arg", "program=(+ 40 2)")
	require.EqualValues(t, 42, v["structuredContent"].(map[string]any)["value"])
	require.Len(t, inspect("prompts/list")["prompts"], 1)
	require.Len(t, inspect("resources/templates/list")["resourceTemplates"], 2)
}

// authorized returns an HTTP client that presents the token.
func authorized() *http.Client {
	return &http.Client{Transport: withToken{}}
}

type withToken struct{}

func (withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+token)
	return transport.RoundTrip(r)
}

// transport is shared by the clients of a test, and has no connections after it.
var transport = &http.Transport{DisableKeepAlives: true}
