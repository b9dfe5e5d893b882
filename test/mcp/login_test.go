// This file tests the login of a person with an authorization server that others wrote.

package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// startIssuer starts oidc-provider, and returns its address. Its access tokens live for ten seconds: ptc replaces a
// token ten seconds before its end, and so before each use.
func startIssuer(t *testing.T) string {
	dir := npm(t, "oidc-provider@9.13.3")
	text, err := os.ReadFile("testdata/issuer.mjs")
	require.NoError(t, err)
	script := filepath.Join(dir, "issuer.mjs")
	require.NoError(t, os.WriteFile(script, text, 0o600))
	cmd := exec.CommandContext(t.Context(), "node", script)
	cmd.Env = append(os.Environ(), "LIFETIME=10")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	return strings.TrimSpace(line)
}

// startTickets starts a server that wants a token of the issuer for itself, and returns its address. Its tool returns
// the token that it was called with.
func startTickets(t *testing.T, issuer string) string {
	s := sdk.NewServer(&sdk.Implementation{Name: "tickets", Version: "1"}, nil)
	sdk.AddTool(s, &sdk.Tool{Name: "count", Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, r *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, map[string]any, error) {
			return nil, map[string]any{"tickets": 12, "token": r.Extra.Header.Get("Authorization")}, nil
		})
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	at, metadata := server.URL+"/mcp", "/.well-known/oauth-protected-resource"
	client := &http.Client{Transport: transport}
	verify := func(ctx context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, issuer+"/check?token="+url.QueryEscape(token), nil)
		if err != nil {
			return nil, err
		}
		res, err := client.Do(req)
		if err != nil {
			return nil, err
		}
		defer res.Body.Close()
		var info struct {
			Valid    bool
			Audience string
		}
		if err := json.NewDecoder(res.Body).Decode(&info); err != nil || !info.Valid || info.Audience != at {
			return nil, auth.ErrInvalidToken
		}
		return &auth.TokenInfo{UserID: "ann", Expiration: time.Now().Add(time.Hour)}, nil
	}
	mux.Handle(metadata, auth.ProtectedResourceMetadataHandler(&oauthex.ProtectedResourceMetadata{Resource: at,
		AuthorizationServers: []string{issuer}, ScopesSupported: []string{"tools"}}))
	bearer := auth.RequireBearerToken(verify, &auth.RequireBearerTokenOptions{ResourceMetadataURL: server.URL + metadata})
	mux.Handle("/mcp", bearer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s },
		&sdk.StreamableHTTPOptions{Stateless: true})))
	return at
}

// browse logs in as a person does: it opens an address, fills in the forms, and returns the last page.
func browse(t *testing.T, address string) string {
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	client := &http.Client{Transport: transport, Jar: jar}
	res, err := client.Get(address)
	for range 5 {
		require.NoError(t, err)
		text, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		res.Body.Close()
		action := regexp.MustCompile(`<form[^>]* action="([^"]+)"`).FindSubmatch(text)
		prompt := regexp.MustCompile(`name="prompt" value="([^"]+)"`).FindSubmatch(text)
		if action == nil || prompt == nil {
			return string(text)
		}
		to, err := res.Request.URL.Parse(string(action[1]))
		require.NoError(t, err)
		res, err = client.PostForm(to.String(), url.Values{"prompt": {string(prompt[1])}, "login": {"ann"}, "password": {"x"}})
		require.NoError(t, err)
	}
	t.Fatal("there are more than 5 forms")
	return ""
}

// TestLogin has a person log in, and runs use the login.
func TestLogin(t *testing.T) {
	issuer := startIssuer(t)
	dir := t.TempDir()
	config, script := filepath.Join(dir, "ptc.yaml"), filepath.Join(dir, "count.ptc")
	at := startTickets(t, issuer)
	require.NoError(t, os.WriteFile(config, []byte("mcpServers:\n  tickets:\n    url: "+at+"\n    oauth: {issuer: \""+issuer+
		"\", loginFile: tickets.login}\n"), 0o600))
	require.NoError(t, os.WriteFile(script, []byte(`(let [r (tool/tickets.count)] (println r) (:tickets r))`), 0o600))
	out, err := exec.Command(command(t), "run", script).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "nobody has logged in: log in by ptc mcp login tickets")

	cmd := exec.CommandContext(t.Context(), command(t), "mcp", "login", "tickets", "--config", config)
	errs, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(errs)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "http") {
	}
	require.Contains(t, browse(t, lines.Text()), "ptc has the answer")
	rest, err := io.ReadAll(errs)
	require.NoError(t, err)
	require.NoError(t, cmd.Wait(), "%s", rest)

	file := filepath.Join(dir, "tickets.login")
	last := ""
	for range 3 { // each needs another token, and gets another refresh token with it
		journal := filepath.Join(dir, "run.journal")
		out, err := exec.Command(command(t), "run", "--log", "trace", "--journal", journal, script).CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Contains(t, string(out), "\n12\n")
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var login map[string]any
		require.NoError(t, json.Unmarshal(text, &login))
		recorded, err := os.ReadFile(journal)
		require.NoError(t, err)
		require.NoError(t, os.Remove(journal))
		for _, key := range []string{"accessToken", "refreshToken"} {
			require.NotEmpty(t, login[key])
			require.NotContains(t, string(out)+string(recorded), login[key])
		}
		require.NotEqual(t, last, login["refreshToken"])
		last = login["refreshToken"].(string)
	}
	// The issuer ends a login whose refresh token is used twice.
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			out, err := exec.Command(command(t), "run", script).CombinedOutput()
			assert.NoError(t, err, "%s", out)
		})
	}
	wg.Wait()
}
