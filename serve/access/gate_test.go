package access

import (
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
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// house is a service behind a gate, on a real listener of the machine.
type house struct {
	t      *testing.T
	dir    string
	url    string
	gate   *Gate
	texts  map[Role]string
	client *http.Client
}

// newHouse starts a service whose handler writes the name of the identity.
func newHouse(t *testing.T, change func(*Options), handler http.HandlerFunc) *house {
	t.Helper()
	dir, tokens, operator := opened(t)
	audit, err := OpenAudit(dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, audit.Close()) })
	h := &house{t: t, dir: dir, texts: map[Role]string{Operator: operator}}
	for _, role := range []Role{Viewer, Submitter} {
		h.texts[role] = created(t, dir, string(role)+"-1", role)
	}
	if handler == nil {
		handler = func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello "+From(r.Context()).Name) }
	}
	server := httptest.NewUnstartedServer(nil)
	o := Options{Tokens: tokens, Audit: audit, Listen: server.Listener.Addr().String()}
	if change != nil {
		change(&o)
	}
	h.gate, err = NewGate(o)
	require.NoError(t, err)
	server.Config = Server(h.gate.Handler(handler), nil)
	server.Start()
	t.Cleanup(server.Close)
	h.url = server.URL
	h.client = server.Client()
	h.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return h
}

// answer is a response with its body.
type answer struct {
	*http.Response
	body string
}

// code returns the code of a problem.
func (a answer) code() string {
	var p struct {
		Code   string
		Status int
	}
	if json.Unmarshal([]byte(a.body), &p) != nil || p.Status != a.StatusCode {
		return ""
	}
	return p.Code
}

// do makes a request with headers.
func (h *house) do(method, path string, body string, headers ...string) answer {
	h.t.Helper()
	var in io.Reader
	if body != "" {
		in = strings.NewReader(body)
	}
	r, err := http.NewRequest(method, h.url+path, in)
	require.NoError(h.t, err)
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
			continue
		}
		r.Header.Add(headers[i], headers[i+1])
	}
	resp, err := h.client.Do(r)
	require.NoError(h.t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(h.t, err)
	return answer{resp, string(text)}
}

// as makes a request with the token of a role.
func (h *house) as(role Role, method, path string, headers ...string) answer {
	h.t.Helper()
	return h.do(method, path, "", append(headers, "Authorization", "Bearer "+h.texts[role])...)
}

// entries returns the lines of the audit log.
func (h *house) entries() (all []Entry) {
	h.t.Helper()
	text, err := os.ReadFile(filepath.Join(h.dir, AuditFile))
	require.NoError(h.t, err)
	for line := range strings.Lines(string(text)) {
		var e Entry
		require.NoError(h.t, json.Unmarshal([]byte(line), &e))
		all = append(all, e)
	}
	return all
}

// TestRulesByRole asks each rule's endpoint with each role. A rule with a role that no row expects fails.
func TestRulesByRole(t *testing.T) {
	h := newHouse(t, nil, nil)
	for _, rule := range append(Rules(), Rule{Pattern: "PUT /v1/policies", Role: Operator}, Rule{Pattern: "GET /no/such", Role: Operator}) {
		method, path, ok := strings.Cut(rule.Pattern, " ")
		if !ok {
			method, path = "POST", rule.Pattern
		}
		path = strings.NewReplacer("{", "", "}", "").Replace(path)
		for _, role := range Roles() {
			got := h.as(role, method, path)
			want := http.StatusForbidden
			if rule.Open || role.Includes(rule.Role) {
				want = http.StatusOK
			}
			assert.Equal(t, want, got.StatusCode, "%s %s", role, rule.Pattern)
		}
		want := http.StatusUnauthorized
		if rule.Open {
			want = http.StatusOK
		}
		assert.Contains(t, []int{want, http.StatusTooManyRequests}, h.do(method, path, "").StatusCode, rule.Pattern)
	}
}

func TestRoles(t *testing.T) {
	for _, c := range []struct {
		role, other Role
		want        bool
	}{
		{Viewer, Viewer, true}, {Viewer, Submitter, false}, {Submitter, Viewer, true}, {Submitter, Operator, false},
		{Operator, Viewer, true}, {Operator, Operator, true}, {"", "", false}, {Operator, "", false}, {"", Viewer, false},
		{"root", Viewer, false}, {Operator, "root", false},
	} {
		assert.Equal(t, c.want, c.role.Includes(c.other), "%q includes %q", c.role, c.other)
	}
	assert.True(t, Who{"a", "x", Viewer}.Sees("x"))
	assert.False(t, Who{"a", "x", Viewer}.Sees("y"))
	assert.False(t, Who{"a", "x", Viewer}.Changes("x"))
	assert.True(t, Who{"a", "x", Submitter}.Changes("x"))
	assert.False(t, Who{"a", "x", Submitter}.Changes("y"))
	assert.True(t, Who{"a", "x", Operator}.Changes("y"))
	assert.False(t, Who{}.Sees(""))
	assert.Equal(t, Who{}, From(t.Context()))
}

func TestAuthorizationHeader(t *testing.T) {
	h := newHouse(t, nil, nil)
	good := "Bearer " + h.texts[Viewer]
	assert.Equal(t, "hello viewer-1", h.do("GET", "/v1/runs", "", "Authorization", good).body)
	assert.Equal(t, "hello viewer-1", h.do("GET", "/v1/runs", "", "Authorization", "bearer  "+h.texts[Viewer]).body)
	for _, c := range []struct {
		headers []string
		code    string
	}{
		{nil, "unauthenticated"},
		{[]string{"Authorization", h.texts[Viewer]}, "token-malformed"},
		{[]string{"Authorization", "Basic " + h.texts[Viewer]}, "token-malformed"},
		{[]string{"Authorization", ""}, "token-malformed"},
		{[]string{"Authorization", "Bearer "}, "token-malformed"}, // the server trims it
		{[]string{"Authorization", good, "Authorization", good}, "token-malformed"},
		{[]string{"Authorization", good + "," + good}, "token-unknown"},
		{[]string{"Authorization", "Bearer " + newText()}, "token-unknown"},
		{[]string{"Cookie", "ptc=" + h.texts[Viewer]}, "signed-out"},
	} {
		got := h.do("GET", "/v1/runs", "", c.headers...)
		assert.Equal(t, http.StatusUnauthorized, got.StatusCode, c.headers)
		assert.Equal(t, c.code, got.code(), c.headers)
		assert.Equal(t, `Bearer realm="ptcd"`, got.Header.Get("WWW-Authenticate"))
		assert.Equal(t, "application/problem+json", got.Header.Get("Content-Type"))
		assert.NotContains(t, got.body, h.texts[Viewer])
	}
}

func TestExpiredTokenSaysSo(t *testing.T) {
	dir, tokens, _ := opened(t)
	text := created(t, dir, "old", Viewer)
	path := filepath.Join(dir, TokensFile)
	write(t, path, strings.Replace(read(t, path), `"name": "old",`, `"name": "old", "expires": "2026-01-01T00:00:00Z",`, 1))
	g, err := NewGate(Options{Tokens: tokens})
	require.NoError(t, err)
	w := httptest.NewRecorder()
	r := httptest.NewRequest("GET", "/v1/runs", nil)
	r.Header.Set("Authorization", "Bearer "+text)
	g.Handler(http.NotFoundHandler()).ServeHTTP(w, r)
	assert.Equal(t, http.StatusUnauthorized, w.Code)
	assert.Contains(t, w.Body.String(), "token-expired")
	assert.Contains(t, w.Body.String(), "the token old expired at 2026-01-01T00:00:00Z")
}

// TestFailedAttempts makes more attempts than an address may. A valid token passes all the same.
func TestFailedAttempts(t *testing.T) {
	h := newHouse(t, nil, nil)
	wrong := "Bearer " + newText()
	for range attemptsBurst {
		assert.Equal(t, http.StatusUnauthorized, h.do("GET", "/v1/runs", "", "Authorization", wrong).StatusCode)
	}
	for range 5 {
		got := h.do("GET", "/v1/runs", "", "Authorization", wrong)
		assert.Equal(t, http.StatusTooManyRequests, got.StatusCode)
		assert.Equal(t, "too-many-attempts", got.code())
		assert.Equal(t, "6", got.Header.Get("Retry-After"))
	}
	assert.Equal(t, http.StatusOK, h.as(Viewer, "GET", "/v1/runs").StatusCode)
	assert.Len(t, h.entries(), attemptsBurst, "the log must not be flooded")
}

func TestHosts(t *testing.T) {
	h := newHouse(t, func(o *Options) { o.Hosts = []string{"ptc.acme.example"} }, nil)
	auth := []string{"Authorization", "Bearer " + h.texts[Viewer]}
	for host, want := range map[string]int{
		"localhost": 200, "localhost:80": 200, "LOCALHOST.": 200, "127.0.0.1:99": 200, "[::1]:80": 200, "[::1]": 200,
		"ptc.acme.example": 200, "evil.example": 403, "127.0.0.1.evil.example": 403, "localhost.evil.example": 403, "10.0.0.1": 403,
	} {
		got := h.do("GET", "/v1/runs", "", append(auth, "Host", host)...)
		assert.Equal(t, want, got.StatusCode, host)
		if want == 403 {
			assert.Equal(t, "host-refused", got.code())
		}
		assert.Equal(t, 200, h.do("GET", "/healthz", "", "Host", host).StatusCode, "a probe has any host")
	}
}

func TestHostsOfOtherListeners(t *testing.T) {
	_, tokens, _ := opened(t)
	for _, c := range []struct {
		listen string
		hosts  []string
		host   string
		want   bool
	}{
		{"0.0.0.0:80", nil, "any.example", true}, {":80", nil, "any.example", true},
		{"0.0.0.0:80", []string{"a.example"}, "b.example", false}, {"0.0.0.0:80", []string{"A.example"}, "a.example:80", true},
		{"[::1]:80", nil, "any.example", false}, {"localhost:80", nil, "localhost:80", true}, {"127.0.0.5:80", nil, "127.0.0.5", true},
	} {
		g, err := NewGate(Options{Tokens: tokens, Listen: c.listen, Hosts: c.hosts})
		require.NoError(t, err)
		r := httptest.NewRequest("GET", "/", nil)
		r.Host = c.host
		_, p := g.origins.check(r)
		assert.Equal(t, c.want, p == nil, "%+v", c)
	}
}

func TestOrigins(t *testing.T) {
	h := newHouse(t, func(o *Options) { o.Origins = []string{"https://ui.acme.example"} }, nil)
	auth := []string{"Authorization", "Bearer " + h.texts[Submitter]}
	for _, c := range []struct {
		method  string
		headers []string
		want    int
	}{
		{"GET", nil, 200},
		{"POST", nil, 200},
		{"POST", []string{"Origin", h.url}, 200},
		{"POST", []string{"Origin", "https://ui.acme.example"}, 200},
		{"GET", []string{"Origin", "https://ui.acme.example", "Sec-Fetch-Site", "cross-site"}, 200},
		{"POST", []string{"Origin", "https://ui.acme.example", "Sec-Fetch-Site", "cross-site"}, 200},
		{"POST", []string{"Origin", "null", "Sec-Fetch-Site", "same-origin"}, 200},
		{"GET", []string{"Sec-Fetch-Site", "cross-site"}, 200}, // a link on another page
		{"GET", []string{"Origin", "https://evil.example"}, 403},
		{"POST", []string{"Origin", "https://evil.example"}, 403},
		{"POST", []string{"Origin", "http://ui.acme.example"}, 403},
		{"POST", []string{"Origin", "https://ui.acme.example:444"}, 403},
		{"POST", []string{"Origin", "https://ui.acme.example.evil.example"}, 403},
		{"POST", []string{"Origin", "null"}, 403},
		{"POST", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"POST", []string{"Sec-Fetch-Site", "same-site"}, 403},
		{"POST", []string{"Origin", h.url, "Sec-Fetch-Site", "cross-site"}, 403},
	} {
		got := h.do(c.method, "/v1/runs", "", append(c.headers, auth...)...)
		assert.Equal(t, c.want, got.StatusCode, "%s %v", c.method, c.headers)
		if c.want == 403 {
			assert.Contains(t, []string{"origin-refused", ""}, got.code(), "%s", got.body)
			assert.Empty(t, got.Header.Get("Access-Control-Allow-Origin"))
		}
		assert.Empty(t, got.Header.Get("Access-Control-Allow-Credentials"))
	}

	c := h.signIn(h.texts[Submitter])
	got := h.do("GET", "/v1/runs", "", "Origin", "https://ui.acme.example", "Cookie", c.Name+"="+c.Value)
	assert.Equal(t, CodeUnauthenticated, got.code(), "a page of another origin must not use the cookie")

	ask := []string{"Origin", "https://ui.acme.example", "Access-Control-Request-Method", "POST"}
	got = h.do("OPTIONS", "/v1/runs", "", ask...)
	assert.Equal(t, http.StatusNoContent, got.StatusCode)
	assert.Equal(t, "https://ui.acme.example", got.Header.Get("Access-Control-Allow-Origin"))
	assert.Contains(t, got.Header.Get("Access-Control-Allow-Headers"), "Authorization")
	assert.Contains(t, got.Header.Values("Vary"), "Origin")
	ask[1] = "https://evil.example"
	assert.Equal(t, http.StatusForbidden, h.do("OPTIONS", "/v1/runs", "", ask...).StatusCode)

	for _, bad := range []string{"*", "https://a.example/", "a.example", "ftp://a.example", "https://"} {
		_, err := newOrigins("", nil, []string{bad})
		assert.ErrorContains(t, err, "want scheme://host", bad)
	}
}

func TestHeaders(t *testing.T) {
	h := newHouse(t, nil, nil)
	for _, path := range []string{"/healthz", "/v1/runs", "/login"} {
		got := h.do("GET", path, "")
		assert.Equal(t, "nosniff", got.Header.Get("X-Content-Type-Options"), path)
		assert.Contains(t, got.Header.Get("Content-Security-Policy"), "default-src 'none'", path)
		assert.Equal(t, "no-store", got.Header.Get("Cache-Control"), path)
		assert.Empty(t, got.Header.Get("Strict-Transport-Security"))
		assert.Empty(t, got.Header.Get("Access-Control-Allow-Origin"))
	}
}

func TestBodyLimit(t *testing.T) {
	var failed error
	h := newHouse(t, func(o *Options) { o.MaxBody = 100 }, func(w http.ResponseWriter, r *http.Request) {
		if _, failed = io.ReadAll(r.Body); failed != nil {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
		}
	})
	auth := []string{"Authorization", "Bearer " + h.texts[Submitter]}
	assert.Equal(t, 200, h.do("POST", "/v1/runs", long(100), auth...).StatusCode)
	assert.Equal(t, 413, h.do("POST", "/v1/runs", long(101), auth...).StatusCode)
	var tooLarge *http.MaxBytesError
	assert.ErrorAs(t, failed, &tooLarge)
}

// signIn returns the cookie of a browser.
func (h *house) signIn(text string) *http.Cookie {
	h.t.Helper()
	got := h.do("POST", "/login", url.Values{"token": {" " + text + "\n"}, "next": {"/runs?state=failed"}}.Encode(),
		"Content-Type", "application/x-www-form-urlencoded", "Origin", h.url)
	require.Equal(h.t, http.StatusSeeOther, got.StatusCode, got.body)
	assert.Equal(h.t, "/runs?state=failed", got.Header.Get("Location"))
	cookies := got.Cookies()
	require.Len(h.t, cookies, 1)
	return cookies[0]
}

func TestSignIn(t *testing.T) {
	h := newHouse(t, nil, nil)
	got := h.do("GET", "/v1/runs?a=b", "", "Accept", "text/html,*/*")
	assert.Equal(t, http.StatusSeeOther, got.StatusCode)
	assert.Equal(t, "/login?next=%2Fv1%2Fruns%3Fa%3Db", got.Header.Get("Location"))
	got = h.do("GET", got.Header.Get("Location"), "")
	assert.Contains(t, got.body, `value="/v1/runs?a=b"`)

	c := h.signIn(h.texts[Submitter])
	assert.True(t, c.HttpOnly)
	assert.Equal(t, http.SameSiteStrictMode, c.SameSite)
	assert.Equal(t, "/", c.Path)
	assert.NotContains(t, h.texts[Submitter], c.Value)
	cookie := []string{"Cookie", c.Name + "=" + c.Value}
	assert.Equal(t, "hello submitter-1", h.do("GET", "/v1/runs", "", cookie...).body)
	assert.Equal(t, 200, h.do("POST", "/v1/runs", "", append(cookie, "Origin", h.url)...).StatusCode)
	assert.Equal(t, 403, h.do("POST", "/v1/runs", "", append(cookie, "Origin", "https://evil.example")...).StatusCode)
	assert.Equal(t, 403, h.do("POST", "/v1/actions/a/clear", "", cookie...).StatusCode, "the role holds in a browser too")

	got = h.do("POST", "/logout", "", append(cookie, "Origin", h.url)...)
	assert.Equal(t, http.StatusSeeOther, got.StatusCode)
	require.Len(t, got.Cookies(), 1)
	assert.Negative(t, got.Cookies()[0].MaxAge)
	assert.Equal(t, "signed-out", h.do("GET", "/v1/runs", "", cookie...).code())
	assert.Equal(t, 405, h.do("GET", "/logout", "").StatusCode, "a link must not sign out")
	assert.Equal(t, 405, h.do("PUT", "/login", "").StatusCode)
}

func TestSignInFails(t *testing.T) {
	h := newHouse(t, nil, nil)
	form := []string{"Content-Type", "application/x-www-form-urlencoded"}
	got := h.do("POST", "/login", "token=wrong&next=%22%3E%3Cscript%3E", form...)
	assert.Equal(t, http.StatusUnauthorized, got.StatusCode)
	assert.Contains(t, got.body, "unknown or was revoked")
	assert.NotContains(t, got.body, "<script>")
	assert.Empty(t, got.Cookies())
	assert.Equal(t, 403, h.do("POST", "/login", "token="+h.texts[Viewer], append(form, "Origin", "https://evil.example")...).StatusCode)
	assert.Equal(t, 401, h.do("POST", "/login?token="+h.texts[Viewer], "", form...).StatusCode, "a token in a URL gets into logs")
	assert.Equal(t, 400, h.do("POST", "/login", "token="+long(maxForm), form...).StatusCode)
	for range attemptsBurst {
		got = h.do("POST", "/login", "token=wrong", form...)
	}
	assert.Equal(t, http.StatusTooManyRequests, got.StatusCode)
	assert.Equal(t, "6", got.Header.Get("Retry-After"))
}

// TestBrowserOfRevokedToken revokes the token of a browser that has signed in.
func TestBrowserOfRevokedToken(t *testing.T) {
	h := newHouse(t, nil, nil)
	c := h.signIn(h.texts[Viewer])
	_, err := Revoke(h.dir, "viewer-1")
	require.NoError(t, err)
	assert.Equal(t, "token-unknown", h.do("GET", "/v1/runs", "", "Cookie", c.Name+"="+c.Value).code())
	assert.Equal(t, "signed-out", h.do("GET", "/v1/runs", "", "Cookie", c.Name+"="+c.Value).code())
}

// TestSignInBehindProxy signs in by a proxy that ends TLS.
func TestSignInBehindProxy(t *testing.T) {
	h := newHouse(t, nil, nil)
	proxied := []string{"X-Forwarded-Proto", "https", "X-Forwarded-For", "10.9.8.7"}
	got := h.do("POST", "/login", "token="+h.texts[Viewer],
		append(proxied, "Content-Type", "application/x-www-form-urlencoded")...)
	require.Len(t, got.Cookies(), 1)
	c := got.Cookies()[0]
	assert.True(t, c.Secure)
	assert.Equal(t, "__Host-ptc", c.Name)
	assert.Equal(t, 200, h.do("GET", "/v1/runs", "", append(proxied, "Cookie", c.Name+"="+c.Value)...).StatusCode)
	assert.Equal(t, "10.9.8.7", h.entries()[0].Forwarded)
	assert.True(t, strings.HasPrefix(h.entries()[0].From, "127.0.0.1:"), "what a header says is no address")
}

// TestSignInAgain signs in from a browser that is signed in, and out while it reads events.
func TestSignInAgain(t *testing.T) {
	h := newHouse(t, nil, nil)
	old := h.signIn(h.texts[Viewer])
	got := h.do("POST", "/login", "token="+h.texts[Submitter], "Content-Type", "application/x-www-form-urlencoded",
		"Cookie", old.Name+"="+old.Value)
	require.Len(t, got.Cookies(), 1)
	assert.Equal(t, "signed-out", h.do("GET", "/v1/runs", "", "Cookie", old.Name+"="+old.Value).code())

	cookie := got.Cookies()[0].Value
	id, p := h.gate.browser(cookie)
	require.Nil(t, p)
	assert.NoError(t, id.still())
	h.gate.sessions.remove(cookie)
	assert.ErrorContains(t, id.still(), "signed out")
}

func TestLocalPath(t *testing.T) {
	for next, want := range map[string]string{
		"": "/", "/": "/", "/runs/1?a=b#c": "/runs/1?a=b#c", "runs": "/", "//evil.example": "/", `/\evil.example`: "/",
		"https://evil.example": "/", "javascript:alert(1)": "/", "/\t/evil.example": "/", "/\n": "/", `\\evil.example`: "/",
		"///evil.example": "/", "/%2F/evil": "/%2F/evil", "/ x": "/",
	} {
		assert.Equal(t, want, localPath(next), next)
	}
}

func TestSessionsEnd(t *testing.T) {
	var s sessions
	now := time.Now()
	cookie := s.add(Token{ID: "a"}, now)
	for at := time.Duration(0); at < sessionTime; at += sessionIdle / 2 {
		_, ok := s.find(cookie, now.Add(at))
		require.True(t, ok, at)
	}
	_, ok := s.find(cookie, now.Add(sessionTime))
	assert.False(t, ok)

	cookie = s.add(Token{ID: "a"}, now)
	_, ok = s.find(cookie, now.Add(sessionIdle))
	assert.False(t, ok)

	first := s.add(Token{ID: "a"}, now)
	const added = 100 // each looks at all sessions: the others are there already
	for i := range sessionsMax - added {
		s.by[fmt.Sprint(i)] = &session{token: fmt.Sprint(i / 50), began: now.Add(time.Second), lastUsed: now.Add(time.Second)}
	}
	for i := range added {
		s.add(Token{ID: fmt.Sprint("added ", i/50)}, now.Add(time.Second))
	}
	assert.Len(t, s.by, sessionsMax)
	_, ok = s.find(first, now.Add(time.Second))
	assert.False(t, ok)
}

// TestSessionsOfOneToken: somebody who signs in again and again signs out nobody else.
func TestSessionsOfOneToken(t *testing.T) {
	var s sessions
	now := time.Now()
	other := s.add(Token{ID: "other"}, now)
	own := s.add(Token{ID: "own"}, now)
	for range sessionsMax + 1 {
		s.add(Token{ID: "own"}, now.Add(time.Second))
	}
	assert.Len(t, s.by, sessionsOwn+1)
	_, ok := s.find(own, now.Add(time.Second))
	assert.False(t, ok)
	_, ok = s.find(other, now.Add(time.Second))
	assert.True(t, ok)
}

// TestRequestsAtOnce: an identity has so many requests under way, and others have theirs.
func TestRequestsAtOnce(t *testing.T) {
	_, tokens, operator := opened(t)
	g, err := NewGate(Options{Tokens: tokens})
	require.NoError(t, err)
	ask := func(handler http.HandlerFunc) *httptest.ResponseRecorder {
		r := httptest.NewRequest("GET", "/v1/runs", nil)
		r.Header.Set("Authorization", "Bearer "+operator)
		w := httptest.NewRecorder()
		g.Handler(handler).ServeHTTP(w, r)
		return w
	}
	for range maxRequests - 1 {
		require.True(t, g.busy.enter("operator"))
	}
	inner := 0
	assert.Equal(t, 200, ask(func(http.ResponseWriter, *http.Request) { inner = ask(http.NotFound).Code }).Code)
	assert.Equal(t, 429, inner, "the one within is one too many")
	require.True(t, g.busy.enter("other"))
	g.busy.leave("other")
	for range maxRequests - 1 {
		g.busy.leave("operator")
	}
	assert.Empty(t, g.busy.by)
}

func TestNewGateRefuses(t *testing.T) {
	_, err := NewGate(Options{})
	assert.ErrorContains(t, err, "got no tokens")
	_, tokens, _ := opened(t)
	_, err = NewGate(Options{Tokens: tokens, Identities: Identities{{}}})
	assert.ErrorContains(t, err, "identity 1")
	_, err = NewGate(Options{Tokens: tokens, Hosts: []string{"http://a"}})
	assert.ErrorContains(t, err, "got the host")
	assert.Panics(t, func() { NewGate(Options{Tokens: tokens, Rules: []Rule{{Pattern: "GET /v1/runs", Role: Viewer}}}) })
}

func FuzzAuthorization(f *testing.F) {
	dir := f.TempDir()
	tokens, err := Open(dir, slog.New(slog.DiscardHandler))
	require.NoError(f, err)
	raw, err := os.ReadFile(filepath.Join(dir, OperatorFile))
	require.NoError(f, err)
	text := strings.TrimSpace(string(raw))
	g, err := NewGate(Options{Tokens: tokens})
	require.NoError(f, err)
	passed := false
	handler := g.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { passed = true }))
	for _, seed := range []string{"", "Bearer", "Bearer ", "Bearer " + newText(), "Basic x", "Bearer ptc_________________", "\x00"} {
		f.Add(seed, "ptc="+seed)
	}
	f.Fuzz(func(t *testing.T, header, cookie string) {
		if strings.Contains(header, text) {
			return
		}
		r := httptest.NewRequest("GET", "/v1/runs", nil)
		r.Header["Authorization"], r.Header["Cookie"] = []string{header}, []string{cookie}
		w := httptest.NewRecorder()
		passed = false
		handler.ServeHTTP(w, r)
		assert.False(t, passed)
		assert.Contains(t, []int{http.StatusUnauthorized, http.StatusTooManyRequests}, w.Code)
	})
}
