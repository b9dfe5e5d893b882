// This file tests logins of persons, with an authorization server whose person says yes.

package mcp

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// people is an authorization server for persons. The fields in the second part are its faults.
type people struct {
	*httptest.Server
	mu        sync.Mutex
	clients   map[string]string     // their redirect addresses
	codes     map[string]url.Values // the requests that they answer
	refresh   map[string]string     // the resources of refresh tokens
	valid     map[string]bool       // access tokens
	scopes    map[string]string     // of access tokens, unless they were refreshed
	refreshed int
	lifetime  int
	asked     []url.Values // requests for tokens

	answer    func(url.Values) // changes the answer to the browser
	noRefresh bool
	issuer    string // in its metadata
	plain     bool   // it has no code challenges by S256
}

func newPeople(t *testing.T) *people {
	p := &people{clients: make(map[string]string), codes: make(map[string]url.Values), refresh: make(map[string]string),
		valid: make(map[string]bool), scopes: make(map[string]string), lifetime: 3600, answer: func(url.Values) {}}
	mux := http.NewServeMux()
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	p.issuer = p.URL
	mux.HandleFunc("GET /.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		methods := []string{"S256"}
		if p.plain {
			methods = []string{"plain"}
		}
		reply(w, http.StatusOK, map[string]any{"issuer": p.issuer, "token_endpoint": p.URL + "/token",
			"authorization_endpoint": p.URL + "/authorize", "registration_endpoint": p.URL + "/register",
			"response_types_supported": []string{"code"}, "code_challenge_methods_supported": methods,
			"authorization_response_iss_parameter_supported": true, "scopes_supported": []string{"offline_access"}})
	})
	mux.HandleFunc("POST /register", p.register)
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	return p
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v)
}

func (p *people) register(w http.ResponseWriter, r *http.Request) {
	var client struct {
		Redirects []string `json:"redirect_uris"`
		Method    string   `json:"token_endpoint_auth_method"`
		Kind      string   `json:"application_type"`
	}
	if json.NewDecoder(r.Body).Decode(&client) != nil || client.Method != "none" || client.Kind != "native" {
		reply(w, http.StatusBadRequest, map[string]string{"error": "invalid_client_metadata"})
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	id := fmt.Sprintf("client-%d", len(p.clients))
	p.clients[id] = client.Redirects[0]
	reply(w, http.StatusCreated, map[string]any{"client_id": id, "redirect_uris": client.Redirects})
}

func (p *people) authorize(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	q := r.URL.Query()
	if to := p.clients[q.Get("client_id")]; to == "" || to != q.Get("redirect_uri") || q.Get("code_challenge_method") != "S256" {
		http.Error(w, "this is no request of a client", http.StatusBadRequest)
		return
	}
	code := fmt.Sprintf("the-code-%d", len(p.codes))
	p.codes[code] = q
	back := url.Values{"code": {code}, "state": {q.Get("state")}, "iss": {p.URL}}
	p.answer(back)
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
}

func (p *people) token(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r.ParseForm()
	p.asked = append(p.asked, r.PostForm)
	resource := r.PostFormValue("resource")
	var q url.Values // the request of the person
	switch r.PostFormValue("grant_type") {
	case "authorization_code":
		q = p.codes[r.PostFormValue("code")]
		delete(p.codes, r.PostFormValue("code"))
		sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
		if q == nil || base64.RawURLEncoding.EncodeToString(sum[:]) != q.Get("code_challenge") || q.Get("resource") != resource {
			reply(w, http.StatusBadRequest, map[string]string{"error": "invalid_grant", "error_description": "the code is not valid"})
			return
		}
	case "refresh_token":
		given := r.PostFormValue("refresh_token")
		if p.refresh[given] == "" || p.refresh[given] != resource {
			reply(w, http.StatusBadRequest, map[string]string{"error": "invalid_grant", "error_description": "no " + given})
			return
		}
		delete(p.refresh, given) // each is for one use
		p.refreshed++
	}
	n := len(p.asked)
	access := fmt.Sprintf("access-token-%d", n)
	if q != nil {
		p.scopes[access] = q.Get("scope")
	}
	p.valid[access] = true
	out := map[string]any{"access_token": access, "token_type": "Bearer", "expires_in": p.lifetime}
	if !p.noRefresh {
		out["refresh_token"] = fmt.Sprintf("refresh-token-%d", n)
		p.refresh[fmt.Sprintf("refresh-token-%d", n)] = resource
	}
	reply(w, http.StatusOK, out)
}

func (p *people) accepts(token string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.valid[token]
}

// revoke ends the access tokens, and with all the refresh tokens.
func (p *people) revoke(all bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.valid)
	if all {
		clear(p.refresh)
	}
}

func (p *people) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

// person returns a grant for a server that takes tokens of p.
func (p *people) person(t *testing.T) (*webServer, Server) {
	w := protected(t, p.URL, p.accepts)
	return w, Server{Name: "s", URL: w.URL + "/mcp", Login: &Login{Issuer: p.URL, File: filepath.Join(t.TempDir(), "login")}}
}

// browse opens an address as a browser does, and returns the last page.
func browse(t *testing.T, address string) string {
	res, err := http.Get(address)
	require.NoError(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return string(text)
}

// signIn logs in.
func signIn(t *testing.T, s Server) error {
	_, err := signInAs(t, s, SignInOptions{})
	return err
}

func signInAs(t *testing.T, s Server, o SignInOptions) (time.Time, error) {
	o.Show = func(address string) { browse(t, address) }
	until, err := SignIn(t.Context(), Grant{}, s, o)
	http.DefaultClient.CloseIdleConnections()
	return until, err
}

func TestSignIn(t *testing.T) {
	p := newPeople(t)
	w, s := p.person(t)
	_, err := Open(t.Context(), Grant{Servers: []Server{s}})
	require.ErrorContains(t, err, "the server s: nobody has logged in: log in by ptc mcp login s")
	require.NoError(t, signIn(t, s))
	info, err := os.Stat(s.Login.File)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	var log bytes.Buffer
	_, r := opened(t, Grant{Servers: []Server{s}, Log: slog.New(slog.NewTextHandler(&log, nil))})
	require.Equal(t, `"a"`, value(t, r, `(tool/s.echo "a")`))
	hides(t, w, s, "access-token-1")
	// Twenty calls that are refused at the same time get one token, by a refresh token that can be used once.
	p.revoke(false)
	require.Equal(t, `20`, value(t, r, `(count (pmap #(tool/s.echo (str %)) (range 20)))`))
	require.Equal(t, 1, p.refreshed)
	// So do processes: each of these has its own connection, and its own login in memory.
	var others []func() error
	for range 4 {
		_, other := opened(t, Grant{Servers: []Server{s}})
		others = append(others, func() error { _, err := run(t, other, `(tool/s.echo "a")`); return err })
	}
	p.revoke(false)
	var wg sync.WaitGroup
	for _, other := range others {
		wg.Go(func() { assert.NoError(t, other()) })
	}
	wg.Wait()
	require.Equal(t, 2, p.refreshed)
	// A token that expires is replaced before it is refused.
	p.set(func() { p.lifetime = 1 })
	_, r = opened(t, Grant{Servers: []Server{s}, Log: slog.New(slog.NewTextHandler(&log, nil))}) // it has the last token
	p.revoke(false)
	for range 3 {
		require.Equal(t, `"a"`, value(t, r, `(tool/s.echo "a")`))
	}
	require.GreaterOrEqual(t, p.refreshed, 5)
	for _, q := range p.asked {
		require.Equal(t, s.URL, q.Get("resource"))
	}
	// A refresh token that is refused needs the person. The issuer has it in its message.
	p.revoke(true)
	_, err = run(t, r, `(tool/s.echo "a")`)
	require.ErrorContains(t, err, "the login has ended: log in by ptc mcp login s")
	require.Equal(t, ":unauthorized", value(t, r, `(try (tool/s.echo "a") (catch :tool-failed e (:code (ex-data e))))`))
	require.NotContains(t, fmt.Sprintf("%v %+v", err, err)+log.String(), "-token-")
	p.set(func() { p.lifetime = 3600 })
	require.NoError(t, signIn(t, s))
	require.Equal(t, `"a"`, value(t, r, `(tool/s.echo "a")`))
}

// TestStepUp has a server that wants one more scope for a call. The run continues with the login that a person
// repeats in the meantime, and later logins ask for the scope again.
func TestStepUp(t *testing.T) {
	p := newPeople(t)
	w, s := p.person(t)
	inner := *w.handler.Load()
	outer := http.Handler(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		p.mu.Lock()
		scope := p.scopes[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
		p.mu.Unlock()
		if bytes.Contains(body, []byte(`"name":"echo"`)) && scope != "echo:write offline_access" {
			rw.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="echo:write $(reboot) a;b"`)
			http.Error(rw, "no", http.StatusForbidden)
			return
		}
		inner.ServeHTTP(rw, r)
	}))
	w.handler.Store(&outer)
	require.NoError(t, signIn(t, s))
	_, r := opened(t, Grant{Servers: []Server{s}})
	_, err := run(t, r, `(tool/s.echo "a")`)
	require.ErrorContains(t, err, "the login does not allow this call, which wants the scopes echo:write: log in with them by "+
		"ptc mcp login s --scope NAME for each")
	require.Equal(t, ":unauthorized", value(t, r, `(try (tool/s.echo "a") (catch :tool-failed e (:code (ex-data e))))`))
	require.Contains(t, value(t, r, `(tool/s.secret {})`), "echo", "the other calls go on")
	require.Zero(t, p.refreshed)
	_, err = signInAs(t, s, SignInOptions{Scopes: []string{"echo:write"}})
	require.NoError(t, err)
	require.Equal(t, `"a"`, value(t, r, `(tool/s.echo "a")`))
	require.NoError(t, signIn(t, s))
	_, r = opened(t, Grant{Servers: []Server{s}})
	require.Equal(t, `"a"`, value(t, r, `(tool/s.echo "a")`))
}

// TestSignInAnswers has answers that are not those of this login.
func TestSignInAnswers(t *testing.T) {
	for want, answer := range map[string]func(url.Values){
		"the answer is of the issuer \"https://other.example.com\"": func(q url.Values) { q.Set("iss", "https://other.example.com") },
		"the answer is of the issuer \"\"":                          func(q url.Values) { q.Del("iss") },
		"the issuer answers access_denied: she said no": func(q url.Values) {
			q.Del("code")
			q.Set("error", "access_denied")
			q.Set("error_description", "she said no\x1b[2J")
		},
		"the issuer answers without a code": func(q url.Values) { q.Del("code") },
		"the login has ended":               func(q url.Values) { q.Set("code", "another code") },
	} {
		p := newPeople(t)
		_, s := p.person(t)
		p.answer = answer
		err := signIn(t, s)
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "\x1b")
		_, err = os.Stat(s.Login.File)
		require.ErrorIs(t, err, os.ErrNotExist)
	}
}

// TestSignInStrangers has other pages of the browser ask the port of a login. They do not end it, and get nothing.
func TestSignInStrangers(t *testing.T) {
	p := newPeople(t)
	_, s := p.person(t)
	_, err := SignIn(t.Context(), Grant{}, s, SignInOptions{Show: func(address string) {
		to, err := url.Parse(address)
		require.NoError(t, err)
		back := to.Query().Get("redirect_uri")
		require.True(t, strings.HasPrefix(back, "http://127.0.0.1:"), back)
		const no = "This is not an answer"
		require.Contains(t, browse(t, back), no)
		require.Contains(t, browse(t, back+"?code=c&state=guessed&iss="+url.QueryEscape(p.URL)), no)
		require.Contains(t, browse(t, back+"?error=access_denied"), no)
		right := back + "?code=c&state=" + to.Query().Get("state")
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, right, nil)
		require.NoError(t, err)
		req.Host = "rebound.example.com"
		res, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		res.Body.Close()
		require.Equal(t, http.StatusBadRequest, res.StatusCode)
		require.Empty(t, p.asked)
		require.Contains(t, browse(t, address), "ptc has the answer")
	}})
	require.NoError(t, err)
	http.DefaultClient.CloseIdleConnections()
}

// TestSignInElsewhere has servers and issuers that lead a login to other places.
func TestSignInElsewhere(t *testing.T) {
	p, thief := newPeople(t), newPeople(t)
	hostile := protected(t, thief.URL, p.accepts)
	_, s := p.person(t)
	good := s.URL
	s.URL = hostile.URL + "/mcp"
	require.ErrorContains(t, signIn(t, s), "it takes tokens of "+thief.URL+", and the grant has the issuer "+p.URL)

	// The metadata of a server for another resource.
	other := newWebServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/metadata" {
			reply(w, http.StatusOK, map[string]any{"resource": good, "authorization_servers": []string{p.URL}})
			return
		}
		w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="http://`+r.Host+`/metadata"`)
		http.Error(w, "no", http.StatusUnauthorized)
	}))
	s.URL = other.URL + "/mcp"
	require.ErrorContains(t, signIn(t, s), "got metadata resource")

	// Metadata of another issuer, without code challenges, and a redirect.
	s.URL = good
	p.issuer = thief.URL
	require.ErrorContains(t, signIn(t, s), "does not match issuer URL")
	p.issuer, p.plain = p.URL, true
	require.ErrorContains(t, signIn(t, s), "has no code challenges by S256")
	elsewhere := httptest.NewServer(http.RedirectHandler(thief.URL, http.StatusTemporaryRedirect))
	defer elsewhere.Close()
	_, s = p.person(t)
	s.URL, s.Login.Issuer = good, elsewhere.URL
	require.ErrorContains(t, signIn(t, s), elsewhere.URL)
	require.Empty(t, thief.asked)
	require.Empty(t, thief.clients)
	require.Empty(t, p.asked)

	// Nobody comes.
	p.plain = false
	_, s = p.person(t)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := SignIn(ctx, Grant{}, s, SignInOptions{Show: func(string) { cancel() }})
	require.ErrorContains(t, err, "nobody has logged in")
}

// TestPersonalFile has files of logins that are for another server, open to others, or damaged.
func TestPersonalFile(t *testing.T) {
	p := newPeople(t)
	_, s := p.person(t)
	require.NoError(t, signIn(t, s))
	fails := func(s Server, want string) {
		t.Helper()
		_, err := Open(t.Context(), Grant{Servers: []Server{s}})
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "-token-")
	}
	w, other := p.person(t)
	other.Login.File = s.Login.File
	fails(other, "want "+p.URL+" for "+w.URL+"/mcp: log in by ptc mcp login s")
	require.Zero(t, w.requests.Load(), "the other server gets no token")
	require.NoError(t, os.Chmod(s.Login.File, 0o644))
	fails(s, "login has the mode -rw-r--r--, want 0600: others can read it")
	require.NoError(t, os.Chmod(s.Login.File, 0o600))
	text, err := os.ReadFile(s.Login.File)
	require.NoError(t, err)
	for _, damaged := range []string{"", "{}", string(text[:len(text)/2])} {
		require.NoError(t, os.WriteFile(s.Login.File, []byte(damaged), 0o600))
		fails(s, "login has no login")
	}
	// Without a refresh token the login ends with its token.
	p.noRefresh = true
	until, err := signInAs(t, s, SignInOptions{})
	require.NoError(t, err)
	require.InDelta(t, 3600, time.Until(until).Seconds(), 60)
	_, r := opened(t, Grant{Servers: []Server{s}})
	p.revoke(false)
	_, err = run(t, r, `(tool/s.echo "a")`)
	require.ErrorContains(t, err, "the login has ended: log in by ptc mcp login s")
}
