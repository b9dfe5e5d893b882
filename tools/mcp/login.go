// This file defines the bearer tokens of requests that change while a server is used: those of a file, and those of an
// authorization server.

package mcp

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/auth/extauth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"github.com/ptc-lang/ptc/runtime/secret"
)

// Login is a grant of OAuth 2: an authorization server issues tokens. With a File they are those of a person, who has
// logged in by SignIn. Without it they are for the credentials of this client. The authorization server is asked for a
// token when the server of the URL wants one, and when that has expired.
type Login struct {
	// Issuer is the URL of the authorization server. No other server gets the secret, whichever one the server
	// of the URL names.
	Issuer string
	// ID and Secret are the client. With a File both are optional: without an ID, the authorization server registers a
	// client for each login.
	ID     string
	Secret string
	// SecretFile has the secret, instead of Secret. It is read for each token, so that the secret can change.
	SecretFile string
	// File has the login of a person, with tokens. SignIn writes it, and each process that refreshes it.
	File string
}

// Check returns an error if the declaration makes no sense.
func (l *Login) Check() error {
	u, err := url.Parse(l.Issuer)
	switch {
	case err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "":
		return errors.New("oauth: want an issuer such as https://login.example.com")
	case !confidential(u):
		return fmt.Errorf("oauth: got the issuer %s://%s, want https: it gets the secret", u.Scheme, u.Host)
	case l.File != "" && l.ID == "" && (l.Secret != "" || l.SecretFile != ""):
		return errors.New("oauth: want the client id of the client secret")
	case l.File != "" && l.Secret != "" && l.SecretFile != "":
		return errors.New("oauth: want a client secret or the file of one, and not both")
	case l.File != "":
		return nil
	case l.ID == "":
		return errors.New("oauth: want a client id")
	case (l.Secret == "") == (l.SecretFile == ""):
		return errors.New("oauth: want a client secret or the file of one, and not both")
	}
	return nil
}

// confidential reports whether requests to a URL can't be read by others.
func confidential(u *url.URL) bool {
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback())
}

// checkLogin returns an error if the declarations of tokens make no sense together.
func (s *Server) checkLogin() error {
	ways := 0
	for _, given := range []bool{s.TokenFile != "", s.Login != nil, s.Header.Get("Authorization") != ""} {
		if given {
			ways++
		}
	}
	switch {
	case ways > 1:
		return errors.New("want one of the header Authorization, a token file and oauth")
	case s.Login == nil:
		return nil
	case s.SSE:
		return errors.New("the transport of 2024-11-05 has no oauth: give it a token file")
	}
	return s.Login.Check()
}

// maxToken bounds a file with a token or a secret.
const maxToken = 64 << 10

// readToken returns the word in a file.
func readToken(name string) (string, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe would have its reader wait
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a regular file", filepath.Base(name))
	}
	text, err := io.ReadAll(io.LimitReader(f, maxToken+1))
	if err != nil {
		return "", err
	}
	word := strings.TrimSpace(string(text))
	if word == "" || len(text) > maxToken || strings.ContainsFunc(word, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", fmt.Errorf("%s: want one token, of printable ASCII", filepath.Base(name))
	}
	return word, nil
}

// tokens are the last tokens of a server, which no error, result or log may have. Older ones are not kept: their number
// has no bound.
type tokens struct {
	mu   sync.Mutex
	last [12]string
	set  *secret.Set
}

// note adds a token.
func (t *tokens) note(token string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, known := range t.last {
		if known == token {
			return
		}
	}
	copy(t.last[1:], t.last[:])
	t.last[0] = token
	t.set = &secret.Set{}
	t.set.Add(t.last[:]...)
}

// hidden returns the set of the tokens.
func (t *tokens) hidden() *secret.Set {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.set
}

// authorize adds the token of the file to a request.
func (s *server) authorize(req *http.Request) error {
	if s.TokenFile == "" {
		return nil
	}
	token, err := readToken(s.TokenFile)
	if err != nil {
		return fmt.Errorf("the token file can't be used: %w", err)
	}
	s.tokens.note(token)
	req.Header.Set("Authorization", "Bearer "+token)
	return nil
}

// login gets tokens from an authorization server. It is an auth.OAuthHandler for concurrent calls: the SDK's own is not
// safe for them, ends with the first call, and names no resource.
type login struct {
	web    *web
	client *http.Client

	mu     sync.Mutex
	secret string
	sdk    *extauth.ClientCredentialsHandler
	source oauth2.TokenSource
	token  string // the last one that it returned
	person *personal
	failed error // why there is no token of the person

	resource string // the resource of the tokens; "" is the URL of the server
}

func newLogin(w *web) *login {
	l := &login{web: w}
	l.client = &http.Client{Transport: l, Timeout: 3 * maxHandshake,
		CheckRedirect: func(*http.Request, []*http.Request) error { return errors.New("it redirects, want an answer") }}
	return l
}

// TokenSource implements auth.OAuthHandler.
func (l *login) TokenSource(ctx context.Context) (oauth2.TokenSource, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.web.s.Login.File != "" {
		token, err := l.personal(ctx, "")
		if l.failed = err; err != nil {
			return nil, err
		}
		return oauth2.StaticTokenSource(&oauth2.Token{AccessToken: token}), nil
	}
	if l.source == nil {
		return nil, nil
	}
	return noting{l, l.source}, nil
}

// noting notes the tokens of a source.
type noting struct {
	login  *login
	source oauth2.TokenSource
}

func (n noting) Token() (*oauth2.Token, error) {
	t, err := n.source.Token()
	if err == nil {
		n.login.web.s.tokens.note(t.AccessToken)
	}
	return t, err
}

// Authorize implements auth.OAuthHandler. If several calls are refused at the same time, one of them gets a
// token for all.
func (l *login) Authorize(ctx context.Context, req *http.Request, res *http.Response) error {
	defer res.Body.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.web.s.Login.File != "" {
		return l.renewPersonal(ctx, req, res)
	}
	if l.token != "" && req.Header.Get("Authorization") != "Bearer "+l.token {
		return nil
	}
	if err := l.renew(); err != nil {
		return err
	}
	// The source outlives the call.
	if err := l.sdk.Authorize(context.WithoutCancel(ctx), req, res); err != nil {
		return fmt.Errorf("no token from %s: %w", l.web.s.Login.Issuer, err)
	}
	var err error
	if l.source, err = l.sdk.TokenSource(ctx); err != nil {
		return err
	}
	t, err := noting{l, l.source}.Token()
	if err == nil {
		l.token = t.AccessToken
	}
	return err
}

// renewPersonal gets another token of the person than that of a request, which was refused.
func (l *login) renewPersonal(ctx context.Context, req *http.Request, res *http.Response) error {
	refused := strings.TrimPrefix(req.Header.Get("Authorization"), "Bearer ")
	if res.StatusCode == http.StatusForbidden { // a token by the refresh token would have the same scopes
		return l.repeated(refused, res.Header)
	}
	_, l.failed = l.personal(ctx, refused)
	return l.failed
}

// renew makes the handler of the SDK, if there is none for the secret. It has the scopes that were granted.
func (l *login) renew() (err error) {
	of := l.web.s.Login
	now, err := l.clientSecret()
	if err != nil || l.sdk != nil && now == l.secret {
		return err
	}
	l.sdk, err = extauth.NewClientCredentialsHandler(&extauth.ClientCredentialsHandlerConfig{HTTPClient: l.client,
		Credentials: &oauthex.ClientCredentials{ClientID: of.ID, Issuer: of.Issuer,
			ClientSecretAuth: &oauthex.ClientSecretAuth{ClientSecret: now}}})
	l.secret = now
	return err
}

// maxLogin bounds an answer of an authorization server.
const maxLogin = 1 << 20

// RoundTrip implements http.RoundTripper for the requests of a login. The server of the URL decides where
// they go, so only its place and that of the issuer are allowed. The SDK makes the request with the secret
// after it has compared the issuer.
func (l *login) RoundTrip(req *http.Request) (*http.Response, error) {
	issuer, err := url.Parse(l.web.s.Login.Issuer)
	if err != nil {
		return nil, err
	}
	atIssuer := req.URL.Scheme == issuer.Scheme && req.URL.Host == issuer.Host
	asks := req.Method == http.MethodPost
	if asks && !atIssuer && !confidential(req.URL) || !asks && !atIssuer && !l.web.here(req.URL) {
		if req.Body != nil {
			req.Body.Close()
		}
		return nil, fmt.Errorf("the login continues at %s://%s, want the server or the issuer", req.URL.Scheme, req.URL.Host)
	}
	if asks && req.Header.Get("Content-Type") == "application/x-www-form-urlencoded" { // for a token
		if req, err = l.withResource(req); err != nil {
			return nil, err
		}
	}
	res, err := l.web.pool.RoundTrip(req)
	if err == nil {
		res.Body = &limited{ReadCloser: res.Body, room: maxLogin}
	}
	return res, err
}

// withResource adds the parameter resource (RFC 8707) to a request for a token: it is only for this server.
func (l *login) withResource(req *http.Request) (*http.Request, error) {
	text, err := io.ReadAll(io.LimitReader(req.Body, maxLogin))
	req.Body.Close()
	if err != nil {
		return nil, err
	}
	form, err := url.ParseQuery(string(text))
	if err != nil {
		return nil, err
	}
	form.Set("resource", cmp.Or(l.resource, l.web.s.URL))
	body := form.Encode()
	req = req.Clone(req.Context())
	req.Body, req.ContentLength = io.NopCloser(bytes.NewReader([]byte(body))), int64(len(body))
	req.Header.Set("Content-Length", strconv.Itoa(len(body)))
	return req, nil
}
