// This file defines the login of a person: the file that SignIn writes, and the tokens that a run gets by it.

package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"github.com/ptc-lang/ptc/internal/durable"
)

// personal is the contents of the file of a person's login.
type personal struct {
	Issuer   string    `json:"issuer"`
	Server   string    `json:"server"`   // its URL
	Resource string    `json:"resource"` // the resource of the tokens: the server, or all of its host
	TokenURL string    `json:"tokenEndpoint"`
	ID       string    `json:"clientId"`
	Scopes   []string  `json:"scopes,omitempty"`       // that the person was asked for
	Secret   string    `json:"clientSecret,omitempty"` // of a client that the issuer has registered for the login
	InBody   bool      `json:"secretInBody,omitempty"` // of requests, and not in their header
	Access   string    `json:"accessToken"`
	Expiry   time.Time `json:"expiry,omitzero"`
	Refresh  string    `json:"refreshToken,omitempty"`
}

// early is how long before its end a token is replaced.
const early = 10 * time.Second

// lives reports whether the access token has not expired.
func (p *personal) lives() bool {
	return p.Access != "" && (p.Expiry.IsZero() || time.Until(p.Expiry) > early)
}

// take sets the tokens.
func (p *personal) take(t *oauth2.Token) {
	p.Access, p.Expiry = t.AccessToken, t.Expiry
	if t.RefreshToken != "" {
		p.Refresh = t.RefreshToken
	}
}

// config returns the client of the login.
func (p *personal) config(secret string) *oauth2.Config {
	c := &oauth2.Config{ClientID: p.ID, ClientSecret: secret, Endpoint: oauth2.Endpoint{TokenURL: p.TokenURL,
		AuthStyle: oauth2.AuthStyleInParams}}
	if secret != "" && !p.InBody {
		c.Endpoint.AuthStyle = oauth2.AuthStyleInHeader
	}
	return c
}

// readPersonal reads the file of a login, which nobody else may read.
func readPersonal(name string) (*personal, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", filepath.Base(name))
	case runtime.GOOS != "windows" && info.Mode()&0o077 != 0:
		return nil, fmt.Errorf("%s has the mode %v, want 0600: others can read it", filepath.Base(name), info.Mode().Perm())
	}
	text, err := io.ReadAll(io.LimitReader(f, maxToken))
	p := new(personal)
	if err == nil {
		err = json.Unmarshal(text, p)
	}
	if err != nil || p.Access == "" && p.Refresh == "" {
		return nil, fmt.Errorf("%s has no login", filepath.Base(name)) // the error would have a part of it
	}
	return p, nil
}

// write writes the file of a login.
func (p *personal) write(name string) error {
	text, err := json.MarshalIndent(p, "", "  ")
	if err == nil {
		_, err = durable.Replace(name, filepath.Dir(name), append(text, '\n'))
	}
	return err
}

// lockPersonal waits for the lock of the file of a login: a refresh token is for one use, and several processes may
// have the login.
func lockPersonal(ctx context.Context, name string) (unlock func(), err error) {
	f, err := os.OpenFile(name+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, maxRefresh)
	defer cancel()
	for {
		release, err := durable.Lock(f)
		if err == nil {
			return func() { release(); f.Close() }, nil
		}
		if !errors.Is(err, durable.ErrHeld) || !sleep(ctx, 50*time.Millisecond) {
			return nil, errors.Join(fmt.Errorf("another process has the login: %w", err), f.Close())
		}
	}
}

// maxRefresh bounds how long another process may have a login.
const maxRefresh = time.Minute

// again is the error of a login that a person has to repeat.
func (l *login) again(why string) error {
	return fmt.Errorf("%s: log in by ptc mcp login %s", why, l.web.s.Name)
}

// personal returns a token of the login of a person. It is not the refused one, which may be "". The caller has mu.
func (l *login) personal(ctx context.Context, refused string) (string, error) {
	if p := l.person; p != nil && p.lives() && p.Access != refused {
		return p.Access, nil
	}
	name := l.web.s.Login.File
	unlock, err := lockPersonal(ctx, name)
	if err != nil {
		return "", err
	}
	defer unlock()
	p, err := readPersonal(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", l.again("nobody has logged in")
	case err != nil:
		return "", err
	case !l.same(p):
		return "", l.again(fmt.Sprintf("the login in %s is one at %s for %s, want %s for %s", filepath.Base(name), p.Issuer,
			shownURL(p.Server), l.web.s.Login.Issuer, shownURL(l.web.s.URL)))
	}
	l.note(p)
	if !p.lives() || p.Access == refused {
		if err := l.refresh(ctx, p); err != nil {
			return "", err
		}
		l.note(p)
		if err := p.write(name); err != nil {
			return "", fmt.Errorf("the refreshed login can't be kept: %w", err)
		}
	}
	l.person = p
	return p.Access, nil
}

// same reports whether a login is one for the server at the issuer of the grant.
func (l *login) same(p *personal) bool {
	return p.Issuer == l.web.s.Login.Issuer && p.Server == l.web.s.URL
}

// narrowLogin is the error of a call for which the login of a person has too few scopes.
type narrowLogin struct{ wants string }

func (n *narrowLogin) Error() string { return n.wants }

// repeated takes the login of a person who has logged in again, with more scopes, since the refused token was issued.
// If there is none, the error says which scopes the server wants.
func (l *login) repeated(refused string, answer http.Header) error {
	if p, err := readPersonal(l.web.s.Login.File); err == nil && l.same(p) && p.lives() && p.Access != refused {
		l.note(p)
		l.person = p
		return nil
	}
	_, wanted, err := challenged(answer)
	// A person copies them to a command: none has another meaning for a shell.
	named := slices.DeleteFunc(strings.Fields(wanted), func(scope string) bool {
		return strings.Trim(scope, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:/@+=-") != ""
	})
	if err != nil || len(named) == 0 {
		return &narrowLogin{"the login does not allow this call"}
	}
	scopes := printable(strings.Join(named, " "), 200)
	return &narrowLogin{fmt.Sprintf("the login does not allow this call, which wants the scopes %s: log in with them by "+
		"ptc mcp login %s --scope NAME for each", scopes, l.web.s.Name)}
}

// loggedOut returns why there is no token of a person; nil if there is one, or none is wanted.
func (s *server) loggedOut() error {
	if s.web == nil || s.web.login == nil {
		return nil
	}
	s.web.login.mu.Lock()
	defer s.web.login.mu.Unlock()
	return s.web.login.failed
}

// note hides the secrets of a login.
func (l *login) note(p *personal) {
	for _, text := range []string{p.Secret, p.Refresh, p.Access} {
		if text != "" {
			l.web.s.tokens.note(text)
		}
	}
}

// refresh gets tokens by the refresh token. The request continues when ctx ends: its answer may have the only token
// that works from then on.
func (l *login) refresh(ctx context.Context, p *personal) error {
	if p.Refresh == "" {
		return l.again("the login has ended")
	}
	secret, err := l.clientSecret()
	if err != nil {
		return err
	}
	if secret == "" {
		secret = p.Secret
	}
	l.resource = p.Resource
	ctx = context.WithValue(context.WithoutCancel(ctx), oauth2.HTTPClient, l.client)
	t, err := p.config(secret).TokenSource(ctx, &oauth2.Token{RefreshToken: p.Refresh}).Token()
	if err != nil {
		return l.refusal(err)
	}
	p.take(t)
	return nil
}

// refusal returns the error of a request for a token. It has the code of the issuer, and none of its other words.
func (l *login) refusal(err error) error {
	var of *oauth2.RetrieveError
	if !errors.As(err, &of) {
		return fmt.Errorf("no token from %s: %w", l.web.s.Login.Issuer, err)
	}
	if of.ErrorCode == "invalid_grant" {
		return l.again("the login has ended")
	}
	code := printable(of.ErrorCode, 100)
	if code == "" {
		code = http.StatusText(of.Response.StatusCode)
	}
	return fmt.Errorf("no token from %s: it answers with the status %d, %s", l.web.s.Login.Issuer,
		of.Response.StatusCode, code)
}

// clientSecret returns the secret of the grant; "" if it has none.
func (l *login) clientSecret() (string, error) {
	of := l.web.s.Login
	secret := of.Secret
	if of.SecretFile != "" {
		var err error
		if secret, err = readToken(of.SecretFile); err != nil {
			return "", fmt.Errorf("the file of the client secret can't be used: %w", err)
		}
	}
	if secret != "" {
		l.web.s.tokens.note(secret)
	}
	return secret, nil
}
