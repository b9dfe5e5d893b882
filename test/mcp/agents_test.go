// This file tests coding agents that others wrote, as clients of ptc mcp: with the configurations of docs/llm.md, and a
// scripted model.

package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// agent is an application, installed, with folders for one test.
type agent struct {
	bin, home, project, data string
	model                    *model
	env                      []string
}

// newAgent installs the packages of an application, whose model reads a file.
func newAgent(t *testing.T, packages ...string) *agent {
	if runtime.GOOS != "linux" {
		t.Skip("the applications keep their settings elsewhere on other systems")
	}
	modules := filepath.Join(npm(t, packages...), "node_modules")
	dir := t.TempDir()
	a := &agent{bin: filepath.Join(modules, ".bin"), home: filepath.Join(dir, "home"), project: filepath.Join(dir, "project"),
		data: filepath.Join(dir, "data"), model: newModel(t)}
	a.model.script = a.readScript()
	for _, d := range []string{a.home, a.project, a.data} {
		require.NoError(t, os.Mkdir(d, 0o700))
	}
	require.NoError(t, os.WriteFile(filepath.Join(a.data, "a.txt"), []byte("twelve bytes"), 0o600))
	node, err := exec.LookPath("node")
	require.NoError(t, err)
	a.env = []string{"HOME=" + a.home, "PATH=" + strings.Join([]string{filepath.Dir(command(t)), a.bin, filepath.Dir(node),
		"/usr/bin", "/bin"}, ":")}
	return a
}

// configuration returns a file of docs/llm.md, for the folder and the flags of this test.
func (a *agent) configuration(t *testing.T, name string, flags ...string) string {
	text, err := os.ReadFile("../../docs/llm.md")
	require.NoError(t, err)
	_, block, found := strings.Cut(string(text), " file="+name+"\n")
	require.True(t, found, "docs/llm.md has no %s", name)
	block, _, _ = strings.Cut(block, "```")
	grant := `"` + a.data + `:ro"`
	if len(flags) > 0 {
		grant = `"` + a.data + `", "` + strings.Join(flags, `", "`) + `"`
	}
	require.Contains(t, block, `"/home/ann/data:ro"`)
	return strings.ReplaceAll(block, `"/home/ann/data:ro"`, grant)
}

// write writes a file of the application.
func write(t *testing.T, text string, path ...string) {
	name := filepath.Join(path...)
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
}

// cmd returns a command of the application.
func (a *agent) cmd(t *testing.T, words ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // an application of seconds, on a busy machine
	t.Cleanup(cancel)
	name := filepath.Join(a.bin, words[0])
	if words[0] == "sh" {
		name = "/bin/sh"
	}
	cmd := exec.CommandContext(ctx, name, words[1:]...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = a.project, a.env, time.Second
	return cmd
}

// run runs the application until the model has said its last word.
func (a *agent) run(t *testing.T, words ...string) {
	out, err := a.cmd(t, words...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "All done.")
}

// readScript reads a file, makes a mistake, and ends.
func (a *agent) readScript() []say {
	return []say{
		{tool: "run_program", args: object{"program": `(count (tool/fs.read "` + a.data + `/a.txt"))`}},
		{tool: "run_program", args: object{"program": `(+ 1 nil)`}},
		{words: "All done."},
	}
}

// checkRead wants the model to have been offered the tools as they are, and to have seen a value and an error.
func (a *agent) checkRead(t *testing.T) {
	q := a.model.last()
	require.Len(t, q.results, 2, "%+v", a.model.strange)
	require.Contains(t, q.results[0], "12")
	require.Contains(t, q.results[1], "+: got nil, want a number")
	require.Contains(t, q.results[1], "a look-up of a missing key returns nil")
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	c, err := client.Connect(t.Context(), &sdk.CommandTransport{Command: exec.Command(command(t), "mcp", "--allow-fs", a.data+":ro")}, nil)
	require.NoError(t, err)
	defer c.Close()
	listed, err := c.ListTools(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, listed.Tools, 4)
	for _, want := range listed.Tools {
		got := q.named(want.Name)
		require.Equal(t, strings.TrimSpace(want.Description), strings.TrimSpace(got.Description))
		var schema struct{ Properties map[string]any }
		require.NoError(t, json.Unmarshal(got.Schema, &schema))
		for name := range want.InputSchema.(map[string]any)["properties"].(map[string]any) {
			require.Contains(t, schema.Properties, name, want.Name)
		}
	}
}

// writeScript writes a file.
func (a *agent) writeScript() []say {
	return []say{
		{tool: "run_program", args: object{"program": `(tool/fs.write {:path "` + a.note() + `" :text "written"})`}},
		{words: "All done."},
	}
}

func (a *agent) note() string { return filepath.Join(a.data, "note.txt") }

// wantNote wants the note that an approved call has written, or a model that knows that the person has declined.
func (a *agent) wantNote(t *testing.T, want string) {
	t.Helper()
	text, _ := os.ReadFile(a.note())
	require.Equal(t, want, string(text))
	if want == "" {
		require.Contains(t, a.model.last().results[0], "the person declined")
	}
}

// slow is a service that a program calls, and whose caller goes away.
type slow struct {
	*httptest.Server
	begun, ended chan struct{}
}

func newSlow(t *testing.T) *slow {
	s := &slow{begun: make(chan struct{}, 1), ended: make(chan struct{}, 1)}
	s.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		s.begun <- struct{}{}
		<-r.Context().Done()
		s.ended <- struct{}{}
	}))
	t.Cleanup(s.Close)
	return s
}

// host is the grant of the service.
func (s *slow) host() string { return strings.TrimPrefix(s.URL, "http://") }

// script calls the service.
func (s *slow) script() []say {
	return []say{{tool: "run_program", args: object{"program": `(tool/http.get "` + s.URL + `/")`}}, {words: "All done."}}
}

// await waits for an event.
func await(t *testing.T, c <-chan struct{}, what string) {
	select {
	case <-c:
	case <-time.After(5 * time.Minute):
		t.Fatal(what + " did not happen within five minutes")
	}
}

const gemini = "@google/gemini-cli@0.61.0"

// TestGemini runs Gemini CLI.
func TestGemini(t *testing.T) {
	thoroughAgents(t)
	a := newAgent(t, gemini)
	settings := a.configuration(t, "settings.json")
	write(t, `{"security": {"auth": {"selectedType": "gemini-api-key"}},`+strings.TrimPrefix(settings, "{"), a.home, ".gemini", "settings.json")
	a.env = append(a.env, "GOOGLE_GEMINI_BASE_URL="+a.model.URL, "GEMINI_API_KEY=scripted", "GEMINI_CLI_TRUST_WORKSPACE=true")
	a.run(t, "gemini", "-p", "go", "-m", "gemini-2.5-pro", "--approval-mode", "yolo")
	a.checkRead(t)
}

// TestOpenCode runs OpenCode.
func TestOpenCode(t *testing.T) {
	thoroughAgents(t)
	a := newAgent(t, "opencode-ai@1.18.33")
	write(t, a.configuration(t, "opencode.json"), a.project, "opencode.json")
	write(t, `{"model": "script/scripted", "provider": {"script": {"npm": "@ai-sdk/openai-compatible", "models": {"scripted": {}},
		"options": {"baseURL": "`+a.model.URL+`/v1", "apiKey": "scripted"}}}}`, a.home, ".config", "opencode", "opencode.json")
	a.env = append(a.env, "OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1")
	a.run(t, "opencode", "run", "go")
	a.checkRead(t)
}

// thoroughAgents skips a test of an application whose packages are large.
func thoroughAgents(t *testing.T) {
	if !*thorough {
		t.Skip("the packages of this application are up to 570 MB: -thorough")
	}
}

// newCodex returns Codex CLI.
func newCodex(t *testing.T) *agent {
	thoroughAgents(t)
	return newAgent(t, "@openai/codex@0.171.0")
}

// configureCodex writes the configuration of Codex CLI.
func (a *agent) configureCodex(t *testing.T, flags ...string) {
	write(t, "model = \"scripted\"\nmodel_provider = \"script\"\n\n[model_providers.script]\nname = \"script\"\nbase_url = \""+
		a.model.URL+"/v1\"\nwire_api = \"responses\"\n\n"+a.configuration(t, "config.toml", flags...), a.home, ".codex", "config.toml")
}

// TestCodex runs Codex CLI.
func TestCodex(t *testing.T) {
	a := newCodex(t)
	a.configureCodex(t)
	a.run(t, "codex", "exec", "--skip-git-repo-check", "go")
	a.checkRead(t)
}

// newClaude returns Claude Code, whose model sees the tools at once.
func newClaude(t *testing.T) *agent {
	thoroughAgents(t)
	a := newAgent(t, "@anthropic-ai/claude-code@2.1.332")
	a.env = append(a.env, "ANTHROPIC_BASE_URL="+a.model.URL, "ANTHROPIC_API_KEY=scripted", "ENABLE_TOOL_SEARCH=false",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1")
	return a
}

// TestClaude runs Claude Code.
func TestClaude(t *testing.T) {
	a := newClaude(t)
	write(t, a.configuration(t, ".mcp.json"), a.project, ".mcp.json")
	a.run(t, "claude", "-p", "go", "--allowedTools", "mcp__ptc__run_program")
	a.checkRead(t)
}

// added runs the command of docs/llm.md that begins so, with which an application adds ptc mcp to its servers.
func (a *agent) added(t *testing.T, begin string, replace ...string) {
	text, err := os.ReadFile("../../docs/llm.md")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(text), begin)
	require.True(t, found, "docs/llm.md has no command %s", begin)
	line, _, _ := strings.Cut(begin+rest, "\n")
	line = strings.NewReplacer(append(replace, "/home/ann/data", a.data)...).Replace(line)
	out, err := a.cmd(t, "sh", "-c", line).CombinedOutput()
	require.NoError(t, err, "%s: %s", line, out)
}

// TestAdded has the applications add ptc mcp by a command, as a process and over HTTP.
func TestAdded(t *testing.T) {
	t.Run("codex", func(t *testing.T) {
		a := newCodex(t)
		a.configureCodex(t)
		config := filepath.Join(a.home, ".codex", "config.toml")
		text, err := os.ReadFile(config)
		require.NoError(t, err)
		before, _, _ := strings.Cut(string(text), "[mcp_servers")
		write(t, before, config)
		a.added(t, "codex mcp add ptc -- ")
		a.run(t, "codex", "exec", "--skip-git-repo-check", "go")
		a.checkRead(t)
	})
	t.Run("claude", func(t *testing.T) {
		a := newClaude(t)
		a.added(t, "claude mcp add ptc -- ")
		a.run(t, "claude", "-p", "go", "--allowedTools", "mcp__ptc__run_program")
		a.checkRead(t)
	})
	t.Run("http", func(t *testing.T) {
		a := newClaude(t)
		write(t, token, a.project, "token")
		a.added(t, "claude mcp add --transport http ptc ", "http://127.0.0.1:8765/mcp", listen(t, "--allow-fs", a.data+":ro").url)
		a.run(t, "claude", "-p", "go", "--allowedTools", "mcp__ptc__run_program")
		a.checkRead(t)
	})
}

// TestClaudeApproval has Claude Code ask about a call, and a hook answer.
func TestClaudeApproval(t *testing.T) {
	for action, want := range map[string]string{
		`"action":"accept","content":{"decision_1":"approve"}`: "written",
		`"action":"decline"`: "",
	} {
		a := newClaude(t)
		a.model.script = a.writeScript()
		write(t, a.configuration(t, ".mcp.json", "--approval", "write"), a.project, ".mcp.json")
		asked := filepath.Join(a.home, "asked.json")
		hook, err := json.Marshal("cat > " + asked + `; echo '{"hookSpecificOutput":{"hookEventName":"Elicitation",` + action + `}}'`)
		require.NoError(t, err)
		write(t, `{"hooks":{"Elicitation":[{"matcher":"ptc","hooks":[{"type":"command","command":`+string(hook)+`}]}]}}`,
			a.project, ".claude", "settings.json")
		a.run(t, "claude", "-p", "go", "--allowedTools", "mcp__ptc__run_program")
		text, err := os.ReadFile(asked)
		require.NoError(t, err)
		require.Contains(t, string(text), "Call tool/fs.write (idempotent), at program:1:1")
		a.wantNote(t, want)
	}
}

// TestClaudeCancel interrupts Claude Code in a call.
func TestClaudeCancel(t *testing.T) {
	s := newSlow(t)
	a := newClaude(t)
	a.model.script = s.script()
	write(t, a.configuration(t, ".mcp.json", "--allow-http", s.host()+"=GET"), a.project, ".mcp.json")
	cmd := a.cmd(t, "claude", "-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose",
		"--allowedTools", "mcp__ptc__run_program")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	var out bytes.Buffer
	cmd.Stdout = &out
	require.NoError(t, cmd.Start())
	_, err = in.Write([]byte(`{"type":"user","message":{"role":"user","content":"go"}}` + "\n"))
	require.NoError(t, err)
	await(t, s.begun, "the call")
	_, err = in.Write([]byte(`{"type":"control_request","request_id":"1","request":{"subtype":"interrupt"}}` + "\n"))
	require.NoError(t, err)
	await(t, s.ended, "the end of the call")
	require.NoError(t, in.Close())
	cmd.Wait() // its status is that of an interrupted task
	require.Contains(t, out.String(), "Request interrupted by user")
}
