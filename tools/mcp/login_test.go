// This file tests servers that want a token, with an authorization server.

package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"github.com/stretchr/testify/require"
)

// issuer is an authorization server for one client, whose secret and tokens can change.
type issuer struct {
	*httptest.Server
	mu        sync.Mutex
	secret    string
	lifetime  int // of tokens, in seconds
	given     []string
	valid     map[string]bool
	resources []string
}

func newIssuer(t *testing.T, secret string) *issuer {
	i := &issuer{secret: secret, lifetime: 3600, valid: make(map[string]bool)}
	mux := http.NewServeMux()
	i.Server = httptest.NewServer(mux)
	t.Cleanup(i.Close)
	mux.HandleFunc("GET /.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]any{"issuer": i.URL, "token_endpoint": i.URL + "/token",
			"authorization_endpoint": i.URL + "/authorize", "response_types_supported": []string{"code"},
			"grant_types_supported":                 []string{"client_credentials"},
			"token_endpoint_auth_methods_supported": []string{"client_secret_basic"},
			"code_challenge_methods_supported":      []string{"S256"}})
	})
	mux.HandleFunc("POST /token", i.token)
	return i
}

func (i *issuer) token(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	i.resources = append(i.resources, r.FormValue("resource"))
	if id, secret, _ := r.BasicAuth(); id != "ptc" || secret != i.secret || r.FormValue("grant_type") != "client_credentials" {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"error": "invalid_client", "error_description": "got %s"}`, secret)
		return
	}
	token := fmt.Sprintf("token-number-%d", len(i.given))
	i.given = append(i.given, token)
	i.valid[token] = true
	fmt.Fprintf(w, `{"access_token": %q, "token_type": "Bearer", "expires_in": %d}`, token, i.lifetime)
}

// revoke ends all tokens.
func (i *issuer) revoke() {
	i.mu.Lock()
	defer i.mu.Unlock()
	clear(i.valid)
}

func (i *issuer) tokens() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return len(i.given)
}

// protected is a server that wants a token for which valid holds. It names an issuer. The tool secret returns the
// token, the tool fails has it in its message.
func protected(t *testing.T, issuer string, valid func(token string) bool) *webServer {
	s := testServer(t.TempDir())
	token := func(r *sdk.CallToolRequest) string { return r.Extra.Header.Get("Authorization")[len("Bearer "):] }
	sdk.AddTool(s, &sdk.Tool{Name: "secret"}, func(_ context.Context, r *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult,
		map[string]any, error) {
		return nil, map[string]any{"echo": token(r)}, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "secret_failure"}, func(_ context.Context, r *sdk.CallToolRequest, _ struct{}) (
		*sdk.CallToolResult, any, error) {
		return nil, nil, fmt.Errorf("this token is not enough: %s", token(r))
	})
	mux := http.NewServeMux()
	w := newWebServer(t, mux)
	mux.Handle("/.well-known/oauth-protected-resource", auth.ProtectedResourceMetadataHandler(
		&oauthex.ProtectedResourceMetadata{Resource: w.URL + "/mcp", AuthorizationServers: []string{issuer}}))
	verify := func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
		if !valid(token) {
			return nil, auth.ErrInvalidToken
		}
		return &auth.TokenInfo{UserID: "ptc", Expiration: time.Now().Add(time.Hour)}, nil
	}
	mux.Handle("/mcp", auth.RequireBearerToken(verify, &auth.RequireBearerTokenOptions{
		ResourceMetadataURL: w.URL + "/.well-known/oauth-protected-resource"})(
		sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s },
			&sdk.StreamableHTTPOptions{Stateless: true})))
	return w
}

func (i *issuer) accepts(token string) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.valid[token]
}

// hides checks that neither results nor errors of tools have the token.
func hides(t *testing.T, w *webServer, s Server, token string) {
	_, r := opened(t, Grant{Servers: []Server{s}})
	require.NotContains(t, value(t, r, `(tool/s.secret {})`), token)
	_, err := run(t, r, `(tool/s.secret_failure {})`)
	require.ErrorContains(t, err, "this token is not enough")
	require.NotContains(t, err.Error(), token)
	require.Positive(t, w.requests.Load())
}

func TestLogin(t *testing.T) {
	i := newIssuer(t, "the-secret-of-ptc")
	w := protected(t, i.URL, i.accepts)
	s := Server{Name: "s", URL: w.URL + "/mcp", Login: &Login{Issuer: i.URL, ID: "ptc", Secret: "the-secret-of-ptc"}}
	_, r := opened(t, Grant{Servers: []Server{s}})
	require.Equal(t, `"a"`, value(t, r, `(tool/s.echo "a")`))
	require.Equal(t, 1, i.tokens())
	i.revoke()
	require.Equal(t, `20`, value(t, r, `(count (pmap #(tool/s.echo (str %)) (range 20)))`))
	require.Equal(t, 2, i.tokens(), "one token for all calls")
	require.Equal(t, []string{s.URL, s.URL}, i.resources)
	hides(t, w, s, "token-number")

	// A token that expires is replaced, also after the call that got the first one has ended.
	i.mu.Lock()
	i.lifetime = 1
	i.mu.Unlock()
	i.revoke()
	before := i.tokens()
	for range 3 {
		require.Equal(t, `"a"`, value(t, r, `(tool/s.echo "a")`))
	}
	require.GreaterOrEqual(t, i.tokens(), before+3)
}

// TestLoginSecret has the secret change, and an authorization server that repeats it.
func TestLoginSecret(t *testing.T) {
	i := newIssuer(t, "the-first-secret")
	w := protected(t, i.URL, i.accepts)
	file := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(file, []byte("the-first-secret\n"), 0o600))
	s := Server{Name: "s", URL: w.URL + "/mcp", Login: &Login{Issuer: i.URL, ID: "ptc", SecretFile: file}}
	_, r := opened(t, Grant{Servers: []Server{s}})
	require.Equal(t, `"a"`, value(t, r, `(tool/s.echo "a")`))
	i.mu.Lock()
	i.secret = "the-second-secret"
	i.mu.Unlock()
	i.revoke()
	_, err := run(t, r, `(tool/s.echo "a")`)
	require.ErrorContains(t, err, "the server s wants other credentials than those of its grant")
	require.NotContains(t, fmt.Sprintf("%v %+v", err, err), "the-first-secret")
	got := value(t, r, `(try (tool/s.echo "a") (catch :tool-failed e (:code (ex-data e))))`)
	require.Equal(t, ":unauthorized", got)
	require.NoError(t, os.WriteFile(file, []byte("the-second-secret\n"), 0o600))
	require.Equal(t, `"a"`, value(t, r, `(tool/s.echo "a")`))
}

// TestLoginElsewhere has a hostile server name other places for the secret, and for the metadata.
func TestLoginElsewhere(t *testing.T) {
	i, thief := newIssuer(t, "the-secret-of-ptc"), newIssuer(t, "the-secret-of-ptc")
	hostile := protected(t, thief.URL, i.accepts)
	login := &Login{Issuer: i.URL, ID: "ptc", Secret: "the-secret-of-ptc"}
	_, err := Open(t.Context(), Grant{Servers: []Server{{Name: "s", URL: hostile.URL + "/mcp", Login: login}}})
	require.ErrorContains(t, err, "wants other credentials")
	other := newWebServer(t, http.NotFoundHandler())
	hostile = newWebServer(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+other.URL+`/metadata"`)
		http.Error(w, "no", http.StatusUnauthorized)
	}))
	_, err = Open(t.Context(), Grant{Servers: []Server{{Name: "s", URL: hostile.URL + "/mcp", Login: login}}})
	require.ErrorContains(t, err, "wants other credentials")
	require.Zero(t, other.requests.Load())
	require.Empty(t, slices.Concat(i.resources, thief.resources), "nobody was asked for a token")
}

// TestTokenFile has another program replace the token.
func TestTokenFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	var mu sync.Mutex
	valid := "the-first-token"
	rotate := func(token string) {
		mu.Lock()
		defer mu.Unlock()
		valid = token
		require.NoError(t, os.WriteFile(file, []byte(token+"\n"), 0o600))
	}
	w := protected(t, "https://login.example.com", func(token string) bool {
		mu.Lock()
		defer mu.Unlock()
		return token == valid
	})
	rotate(valid)
	s := Server{Name: "s", URL: w.URL + "/mcp", TokenFile: file}
	_, r := opened(t, Grant{Servers: []Server{s}})
	require.Equal(t, `"a"`, value(t, r, `(tool/s.echo "a")`))
	for n := range 6 {
		rotate(fmt.Sprintf("the-next-token-%d", n))
		require.Equal(t, `"a"`, value(t, r, `(tool/s.echo "a")`))
	}
	hides(t, w, s, "the-next-token")
	for _, text := range []string{"", "two words", "a\x00b"} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		_, err := run(t, r, `(tool/s.echo "a")`)
		require.ErrorContains(t, err, "want one token")
	}
	require.NoError(t, os.Remove(file))
	_, err := run(t, r, `(tool/s.echo "a")`)
	require.ErrorContains(t, err, "the token file can't be used")
	rotate("the-last-token")
	require.Equal(t, `"a"`, value(t, r, `(tool/s.echo "a")`))
}

func TestLoginCheck(t *testing.T) {
	good := Login{Issuer: "https://login.example.com", ID: "ptc", Secret: "s"}
	bad := func(change func(*Login)) *Login {
		l := good
		change(&l)
		return &l
	}
	for want, s := range map[string]Server{
		"":                                 {URL: "https://a/mcp", Login: &good},
		"are for a url":                    {Command: "a", TokenFile: "b"},
		"want one of the header":           {URL: "https://a/mcp", TokenFile: "b", Login: &good},
		"want one of the header Author":    {URL: "https://a/mcp", TokenFile: "b", Header: http.Header{"Authorization": {"c"}}},
		"2024-11-05 has no oauth":          {URL: "https://a/mcp", SSE: true, Login: &good},
		"want an issuer":                   {URL: "https://a/mcp", Login: bad(func(l *Login) { l.Issuer = "login" })},
		"http://a, want https":             {URL: "https://a/mcp", Login: bad(func(l *Login) { l.Issuer = "http://a" })},
		"want a client id":                 {URL: "https://a/mcp", Login: bad(func(l *Login) { l.ID = "" })},
		"want a client secret or the file": {URL: "https://a/mcp", Login: bad(func(l *Login) { l.SecretFile = "f" })},
	} {
		s.Name = "s"
		err := s.Check()
		if want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, want)
	}
}
