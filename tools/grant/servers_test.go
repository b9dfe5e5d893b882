package grant

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/tools/mcp"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// serverWord, as the first argument, makes the test binary an MCP server with the tools get and set.
const serverWord = "grant-test-server"

func serveMCP() {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if json.Unmarshal(in.Bytes(), &m) != nil || m.ID == nil {
			continue
		}
		answer := `"error": {"code": -32601, "message": "no"}`
		switch m.Method {
		case "initialize":
			answer = `"result": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "t", "version": "1"}}`
		case "tools/list":
			answer = `"result": {"tools": [{"name": "get", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}},
				{"name": "set", "inputSchema": {"type": "object"}}, {"name": "twice", "inputSchema": {}}, {"name": "twice", "inputSchema": {}}]}`
		case "tools/call":
			text, _ := json.Marshal(os.Getenv("GREETING"))
			answer = `"result": {"content": [{"type": "text", "text": ` + string(text) + `}]}`
		}
		fmt.Println(strings.ReplaceAll(`{"jsonrpc": "2.0", "id": `+string(m.ID)+`, `+answer+`}`, "\n", " "))
	}
}

// TestServers grants a server by the JSON that other clients read, and calls its tools.
func TestServers(t *testing.T) {
	exe, err := os.Executable()
	require.NoError(t, err)
	t.Setenv("GREETING_SECRET", "s3cr3t-greeting")
	text, err := json.Marshal(map[string]any{"mcpServers": map[string]any{
		"own": map[string]any{"type": "stdio", "command": exe, "args": []string{serverWord}, "env": map[string]string{"GREETING": "${env:GREETING_SECRET}"},
			"autoApprove": []string{"get"}, "timeout": 2000, "classes": map[string]string{"set": "idempotent"}},
		"off": map[string]any{"command": "no-such-program", "disabled": true}},
		"approve": []string{"own.set"}, "hints": []any{map[string]any{"tool": "own.get", "guard": "global-exclusive"}}})
	require.NoError(t, err)
	var s Set
	require.NoError(t, s.ReadFile(filepath.Join(t.TempDir(), FileName), text), "JSON is YAML")
	require.Len(t, s.FromFile(), 1)
	assert.Contains(t, s.FromFile()[0], "--mcp own="+exe+" "+serverWord+" with the variables GREETING")
	assert.Equal(t, effect.Approvals{Tools: []string{"own.set"}}, s.Approvals())
	r, err := s.Registry(t.Context())
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	get, set := r.Lookup("own.get"), r.Lookup("own.set")
	assert.Equal(t, effect.Idempotent, set.Class())
	assert.Contains(t, get.Traits(""), "2s a call")
	assert.Equal(t, effect.GlobalExclusive, get.GuardsOf(nil))
	assert.Equal(t, []string{"s3cr3t-greeting"}, get.Credentials())
	assert.Contains(t, r.Withheld()["own.twice"], "the server declares it, and it is refused: the server declares it 2 times")
	p, err := ptc.Compile(t.Context(), "test", `(tool/own.get {})`, ptc.Options{Tools: r})
	require.NoError(t, err)
	res, err := p.Run(t.Context(), ptc.RunOptions{})
	require.NoError(t, err)
	value, err := res.EDN()
	require.NoError(t, err)
	assert.Equal(t, `"s3cr3t-greeting"`, value)
	require.NoError(t, CheckApprovals(effect.Approvals{Tools: []string{"own.set", "fs.read"}}, r))
	require.ErrorContains(t, CheckApprovals(effect.Approvals{Tools: []string{"own.st"}}, r), "there is no tool own.st; did you mean own.set?")
}

// TestServerFlag grants a server by the flag, for checking programs too.
func TestServerFlag(t *testing.T) {
	exe, err := os.Executable()
	require.NoError(t, err)
	s := Set{Describe: true}
	require.NoError(t, s.Grant("mcp", "own='"+exe+"' "+serverWord, ""))
	require.NoError(t, s.Grant("call-timeout", "7s", ""))
	r, err := s.Registry(t.Context())
	require.NoError(t, err)
	require.NoError(t, s.Close())
	assert.Contains(t, r.Lookup("own.get").Traits(""), "7s a call")
	assert.Len(t, s.Clone().mcp.Servers, 1)
	for value, want := range map[string]string{"own=other": "the name own is taken by another server",
		"fs=cmd": "the name fs is that of standard tools, such as tool/fs.", "x": "want NAME=COMMAND"} {
		require.ErrorContains(t, s.Grant("mcp", value, ""), want)
	}
	for _, hint := range []string{"own.nothing", "other.get"} {
		s := Set{Describe: true}
		require.NoError(t, s.Grant("mcp", "own='"+exe+"' "+serverWord, ""))
		require.NoError(t, s.ReadFile(FileName, []byte("hints: [{tool: "+hint+", class: read-only}]")))
		_, err := s.Registry(t.Context())
		require.ErrorContains(t, err, "hints: there is no tool "+hint)
		require.NoError(t, s.Close())
	}
}

func TestServersMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"mcpServers: [a]":                                    "ptc.yaml:1:13: mcpServers: want keys and values",
		"mcpServers: {a: b}":                                 "mcpServers: a: want keys and values",
		"mcpServers: {a: {}}":                                "want a command or a url",
		"mcpServers: {a: {command: b, url: 'http://c'}}":     "want a command or a url",
		"mcpServers: {a: {comand: b}}":                       "mcpServers: a has no key comand; did you mean command?",
		"mcpServers: {a: {command: b, args: c}}":             "args: want a list",
		"mcpServers: {a: {command: b, type: pipe}}":          "type: got pipe, want stdio, http or sse",
		"mcpServers: {a: {command: b, timeout: 0}}":          "timeout: want a time",
		"mcpServers: {a: {command: b, timeout: 48h}}":        "timeout: want a time",
		"mcpServers: {a: {command: b, concurrency: -1}}":     "concurrency: want a whole number above 0",
		"mcpServers: {a: {command: b, classes: {c: d}}}":     "classes: c: got d, want write, idempotent or read-only",
		"mcpServers: {a: {command: b, disabled: maybe}}":     "disabled: want true or false",
		"mcpServers: {a: {url: '${NO_SUCH_VARIABLE}'}}":      "there is no environment variable NO_SUCH_VARIABLE",
		"mcpServers: {a: {command: b, tokenFile: c}}":        "a token file and oauth are for a url",
		"mcpServers: {a: {url: 'http://b', oauth: c}}":       "mcpServers: a: oauth: want keys and values, of clientId, clientSecret",
		"mcpServers: {a: {url: 'http://b', oauth: {id: c}}}": "mcpServers: a: oauth has no key id",
		"mcpServers: {a: {url: 'http://b', oauth: {}}}":      "oauth: want an issuer",
		"mcpServers: {a b: {command: c}}":                    "got the name \"a b\"",
		"mcpServers: {sql: {command: c}}":                    "that of standard tools",
		"allow: {mcp: [a]}":                                  "ptc.yaml:1:15: mcp: a: want NAME=COMMAND",
		"mcpServers: {a: {command: b}}\nallow: {mcp: [a=b]}": "the name a is taken",
	} {
		var s Set
		require.ErrorContains(t, s.ReadFile(FileName, []byte(text)), want, text)
		assert.Equal(t, Set{}, s)
	}
	var s Set
	require.NoError(t, s.ReadFile("dir/"+FileName, []byte("mcpServers: {a: {command: ./b, cwd: c, timeout: 90s}, d: {url: 'https://e.test/?key=f'}}")))
	assert.Equal(t, "./dir/b", s.mcp.Servers[0].Command)
	assert.Equal(t, "dir/c", s.mcp.Servers[0].Dir)
	assert.Equal(t, 90*time.Second, s.mcp.Servers[0].Timeout)
	assert.Equal(t, []string{"--mcp a=./dir/b", "--mcp d=https://e.test/?…"}, s.FromFile())

	s = Set{}
	t.Setenv("CLIENT_SECRET", "the-secret-of-ptc")
	require.NoError(t, s.ReadFile("dir/"+FileName, []byte(`mcpServers:
  a: {url: "https://a.test", tokenFile: token}
  b: {url: "https://b.test", oauth: {issuer: "https://login.test", clientId: ptc, clientSecret: "${CLIENT_SECRET}"}}
  c: {url: "https://c.test", oauth: {issuer: "https://login.test", clientId: ptc, clientSecretFile: /run/secret}}
`)))
	assert.Equal(t, "dir/token", s.mcp.Servers[0].TokenFile)
	assert.Equal(t, &mcp.Login{Issuer: "https://login.test", ID: "ptc", Secret: "the-secret-of-ptc"}, s.mcp.Servers[1].Login)
	assert.Equal(t, []string{"the-secret-of-ptc"}, s.mcp.Servers[1].Credentials())
	assert.Equal(t, "/run/secret", s.mcp.Servers[2].Login.SecretFile)
	assert.Equal(t, []string{"--mcp a=https://a.test with the token in dir/token",
		"--mcp b=https://b.test as ptc of https://login.test", "--mcp c=https://c.test as ptc of https://login.test"},
		s.FromFile())
	var secrets []string
	for _, p := range s.protected() {
		if p.Secret {
			secrets = append(secrets, p.Path)
		}
	}
	assert.Equal(t, []string{"dir/token", "/run/secret"}, secrets)
}
