// This file defines how a person logs in: the authorization code grant of OAuth 2.1 for a native
// application (RFC 8252).

package mcp

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

// SignInOptions are the settings of SignIn.
type SignInOptions struct {
	// Show gets the address that the person opens in a browser.
	Show func(address string)
	// Port is that of this machine to which the browser comes back; 0 is a free one.
	Port int
	// Scopes are requested in addition to the ones that the server names, and the ones of the login in the file.
	Scopes []string
}

// SignIn has a person log in for a server with Login.File, and writes that file. The time is that of the end of the
// login; it is zero if the login can be refreshed, or if the end is not known.
func SignIn(ctx context.Context, g Grant, of Server, o SignInOptions) (until time.Time, err error) {
	if of.Login == nil || of.Login.File == "" {
		return until, fmt.Errorf("the server %s: want oauth with a loginFile in its grant", of.Name)
	}
	s, err := newServer(&g, of)
	if err != nil {
		return until, err
	}
	defer s.stop()
	defer s.web.pool.CloseIdleConnections()
	if until, err = s.web.login.signIn(ctx, o); err != nil {
		return until, fmt.Errorf("the server %s: %w", of.Name, s.cleanError(err))
	}
	return until, nil
}

// signIn does the work of SignIn.
func (l *login) signIn(ctx context.Context, o SignInOptions) (until time.Time, err error) {
	scopes, err := l.scopes(ctx)
	if err != nil {
		return until, err
	}
	scopes = append(scopes, o.Scopes...)
	if before, err := readPersonal(l.web.s.Login.File); err == nil && l.same(before) {
		scopes = append(scopes, before.Scopes...)
	}
	meta, err := l.metadata(ctx)
	if err != nil {
		return until, err
	}
	back, err := listenBack(ctx, o.Port)
	if err != nil {
		return until, err
	}
	defer back.close()
	p := &personal{Issuer: l.web.s.Login.Issuer, Server: l.web.s.URL, Resource: l.resource, TokenURL: meta.TokenEndpoint}
	secret, err := l.register(ctx, meta, p, back.url)
	if err != nil {
		return until, err
	}
	var more []oauth2.AuthCodeOption
	if slices.Contains(meta.ScopesSupported, offlineAccess) && !slices.Contains(scopes, offlineAccess) {
		scopes = append(scopes, offlineAccess)
	}
	if slices.Contains(scopes, offlineAccess) {
		more = append(more, oauth2.SetAuthURLParam("prompt", "consent")) // OpenID Connect wants it for this scope
	}
	slices.Sort(scopes)
	scopes = slices.Compact(scopes)
	p.Scopes = scopes
	verifier := oauth2.GenerateVerifier()
	config := p.config(secret)
	config.Endpoint.AuthURL, config.RedirectURL, config.Scopes = meta.AuthorizationEndpoint, back.url, scopes
	back.issuer, back.named = p.Issuer, meta.AuthorizationResponseIssParameterSupported
	o.Show(config.AuthCodeURL(back.state, append(more, oauth2.S256ChallengeOption(verifier),
		oauth2.SetAuthURLParam("resource", p.Resource))...))
	code, err := back.wait(ctx)
	if err != nil {
		return until, err
	}
	l.web.s.tokens.note(code)
	ctx = context.WithValue(ctx, oauth2.HTTPClient, l.client)
	t, err := config.Exchange(ctx, code, oauth2.VerifierOption(verifier))
	if err != nil {
		return until, l.refusal(err)
	}
	if t.Type() != "Bearer" {
		return until, fmt.Errorf("%s issues a token of the type %.40q, want Bearer", p.Issuer, t.Type())
	}
	p.take(t)
	if p.Refresh == "" {
		until = p.Expiry
	}
	unlock, err := lockPersonal(ctx, l.web.s.Login.File)
	if err != nil {
		return until, err
	}
	defer unlock()
	return until, p.write(l.web.s.Login.File)
}

// offlineAccess is the scope with which issuers of OpenID Connect issue refresh tokens.
const offlineAccess = "offline_access"

// scopes returns the scopes that the server wants, and sets the resource. A server that names other issuers than that
// of the grant is refused.
func (l *login) scopes(ctx context.Context) ([]string, error) {
	place, scope, err := l.challenge(ctx)
	named := place != ""
	if err == nil && !named {
		place, err = l.guess(ctx)
	}
	if err != nil {
		return nil, err
	}
	l.resource = l.web.s.URL
	if place == "" { // a server of the revision 2025-03-26 or older
		return strings.Fields(scope), nil
	}
	if host := (url.URL{Scheme: l.web.to.Scheme, Host: l.web.to.Host}); !named && place == host.String()+wellKnown {
		l.resource = host.String()
	}
	meta, err := oauthex.GetProtectedResourceMetadata(ctx, place, l.resource, l.client)
	if err != nil {
		return nil, err
	}
	if issuer := l.web.s.Login.Issuer; !slices.Contains(meta.AuthorizationServers, issuer) {
		return nil, fmt.Errorf("it takes tokens of %s, and the grant has the issuer %s",
			printable(strings.Join(meta.AuthorizationServers, ", "), 200), issuer)
	}
	if scope != "" {
		return strings.Fields(scope), nil
	}
	return meta.ScopesSupported, nil
}

// challenge has the server refuse a request without a token. It returns the place of its metadata, and the scopes that
// it wants; "" is none.
func (l *login) challenge(ctx context.Context) (place, scope string, err error) {
	const ping = `{"jsonrpc": "2.0", "id": 1, "method": "ping"}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.web.s.URL, strings.NewReader(ping))
	if err != nil {
		return "", "", err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	res, err := l.client.Do(req)
	if err != nil {
		return "", "", fmt.Errorf("it is not reached: %w", err)
	}
	res.Body.Close()
	return challenged(res.Header)
}

// challenged returns the results of challenge for an answer.
func challenged(answer http.Header) (place, scope string, err error) {
	challenges, err := oauthex.ParseWWWAuthenticate(answer.Values("WWW-Authenticate"))
	if err != nil {
		return "", "", fmt.Errorf("its challenge can't be read: %w", err)
	}
	for _, c := range challenges {
		if c.Scheme == "bearer" {
			return c.Params["resource_metadata"], c.Params["scope"], nil
		}
	}
	return "", "", nil
}

// wellKnown is the path of the metadata of a host, before that of a server.
const wellKnown = "/.well-known/oauth-protected-resource"

// guess returns the place where the metadata of a server is that does not name it; "" if it has none (RFC 9728).
func (l *login) guess(ctx context.Context) (place string, err error) {
	for _, path := range []string{l.web.to.Path, ""} {
		at := url.URL{Scheme: l.web.to.Scheme, Host: l.web.to.Host, Path: wellKnown + path}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
		if err != nil {
			return "", err
		}
		res, err := l.client.Do(req)
		if err != nil {
			return "", fmt.Errorf("its metadata is not reached: %w", err)
		}
		res.Body.Close()
		if res.StatusCode == http.StatusOK {
			return at.String(), nil
		}
	}
	return "", nil
}

// metadata returns the metadata of the issuer.
func (l *login) metadata(ctx context.Context) (*oauthex.AuthServerMeta, error) {
	issuer := l.web.s.Login.Issuer
	meta, err := auth.GetAuthServerMetadata(ctx, issuer, l.client)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the issuer %s can't be used: %w", issuer, err)
	case meta == nil || meta.AuthorizationEndpoint == "" || meta.TokenEndpoint == "":
		return nil, fmt.Errorf("the issuer %s says nothing about itself, want metadata as in RFC 8414", issuer)
	case !slices.Contains(meta.CodeChallengeMethodsSupported, "S256"):
		return nil, fmt.Errorf("the issuer %s has no code challenges by S256", issuer)
	}
	return meta, nil
}

// register sets the client of a login: the client of the grant, or one that the issuer registers. It
// returns its secret.
func (l *login) register(ctx context.Context, meta *oauthex.AuthServerMeta, p *personal, back string) (string, error) {
	methods := meta.TokenEndpointAuthMethodsSupported
	p.InBody = slices.Contains(methods, "client_secret_post") && !slices.Contains(methods, "client_secret_basic")
	if p.ID = l.web.s.Login.ID; p.ID != "" {
		return l.clientSecret()
	}
	if meta.RegistrationEndpoint == "" {
		return "", fmt.Errorf("the issuer %s registers no clients: want a clientId in the grant", p.Issuer)
	}
	made, err := oauthex.RegisterClient(ctx, meta.RegistrationEndpoint, &oauthex.ClientRegistrationMetadata{
		ClientName: "ptc", ApplicationType: "native", RedirectURIs: []string{back}, TokenEndpointAuthMethod: "none",
		GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"}}, l.client)
	if err != nil {
		return "", fmt.Errorf("the issuer %s registers no client: %w", p.Issuer, err)
	}
	p.ID, p.Secret = made.ClientID, made.ClientSecret
	l.note(p)
	return p.Secret, nil
}

// back is the server to which the browser of the person comes back.
type back struct {
	url, host, state string
	issuer           string // which the answer names
	named            bool   // the answer must name it
	server           *http.Server
	over             chan struct{} // closed when the server has ended
	answer           chan result
}

// result is the answer of an issuer.
type result struct {
	code string
	err  error
}

func listenBack(ctx context.Context, port int) (*back, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return nil, fmt.Errorf("the browser can't come back: %w", err)
	}
	b := &back{host: l.Addr().String(), state: oauth2.GenerateVerifier(), answer: make(chan result, 1),
		over: make(chan struct{})}
	b.url = "http://" + b.host + "/callback"
	b.server = &http.Server{Handler: b, ReadHeaderTimeout: maxHandshake, MaxHeaderBytes: maxHeader}
	go func() {
		defer close(b.over)
		_ = b.server.Serve(l) // until it is closed
	}()
	return b, nil
}

// close ends the server when its page has been sent.
func (b *back) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if b.server.Shutdown(ctx) != nil {
		b.server.Close()
	}
	<-b.over
}

func (b *back) wait(ctx context.Context) (string, error) {
	select {
	case r := <-b.answer:
		return r.code, r.err
	case <-ctx.Done():
		return "", fmt.Errorf("nobody has logged in: %w", context.Cause(ctx))
	}
}

// ServeHTTP takes the first request with the state of this login. Others may be of any page in the browser: they change
// nothing.
func (b *back) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	q := r.URL.Query()
	if r.Method != http.MethodGet || r.Host != b.host || r.URL.Path != "/callback" ||
		subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(b.state)) != 1 {
		http.Error(w, "This is not an answer to the login that ptc waits for.", http.StatusBadRequest)
		return
	}
	got := b.read(q)
	select {
	case b.answer <- got:
	default:
		http.Error(w, "This login has been answered.", http.StatusBadRequest)
		return
	}
	if got.err != nil {
		http.Error(w, "ptc does not log in: "+got.err.Error(), http.StatusForbidden)
		return
	}
	fmt.Fprintln(w, "ptc has the answer. You can close this page.")
}

// read returns the answer in the parameters of a request.
func (b *back) read(q url.Values) result {
	issuer := q.Get("iss")
	switch {
	case issuer != b.issuer && (issuer != "" || b.named): // RFC 9207: another issuer would get the code
		return result{err: fmt.Errorf("the answer is of the issuer %q, want %s", printable(issuer, 200), b.issuer)}
	case q.Has("error"):
		return result{err: fmt.Errorf("the issuer answers %s: %s", printable(q.Get("error"), 100),
			printable(q.Get("error_description"), 200))}
	case q.Get("code") == "":
		return result{err: errors.New("the issuer answers without a code")}
	}
	return result{code: q.Get("code")}
}
