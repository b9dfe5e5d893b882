// This file defines how a request proves its identity.

package access

import (
	"context"
	"crypto/x509"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// proven is the identity of a request, with its proof.
type proven struct {
	who   Who
	by    string       // for the audit log
	still func() error // the present error of the proof
}

func (p *proven) entry() Entry {
	return Entry{Name: p.who.Name, Tenant: p.who.Tenant, Role: p.who.Role, By: p.by}
}

// authenticate returns the identity of a request: of its token, else of its certificate, else of its
// cookie. A browser sends certificates and cookies automatically, so they prove nothing in a request from a
// page of another origin.
func (g *Gate) authenticate(r *http.Request, cross bool) (*proven, *problem) {
	text, given, err := bearer(r)
	if err != nil {
		return nil, unauthorized(CodeMalformed, err.Error())
	}
	if given {
		t, err := g.o.Tokens.Verify(text)
		if err != nil {
			return nil, refusedToken(err)
		}
		return &proven{t.Who, "token " + t.ID, g.stillToken(t)}, nil
	}
	if r.TLS != nil && len(r.TLS.VerifiedChains) > 0 && !cross {
		cert := r.TLS.PeerCertificates[0]
		if who, ok := g.identities.Load().of(cert); ok {
			return &proven{who, "certificate " + cert.SerialNumber.Text(16), g.stillIdentity(cert, who)}, nil
		}
	}
	if cookie := cookieOf(r); cookie != "" && !cross {
		return g.browser(cookie)
	}
	return nil, unauthorized(CodeUnauthenticated, "the request has no token; want the header Authorization: Bearer TOKEN")
}

// browser returns the identity of a browser that has signed in.
func (g *Gate) browser(cookie string) (*proven, *problem) {
	s, ok := g.sessions.find(cookie, time.Now())
	if !ok {
		return nil, unauthorized(CodeSignedOut, "the browser is signed out; sign in again")
	}
	t, err := g.o.Tokens.verifyID(s.token, s.hash)
	if err != nil {
		g.sessions.remove(cookie)
		return nil, refusedToken(err)
	}
	still := g.stillToken(t)
	return &proven{t.Who, "browser " + t.ID, func() error {
		if _, ok := g.sessions.find(cookie, time.Now()); !ok {
			return errors.New("the browser is signed out")
		}
		return still()
	}}, nil
}

func (g *Gate) stillToken(t Token) func() error {
	return func() error { _, err := g.o.Tokens.verifyID(t.ID, t.Hash); return err }
}

func (g *Gate) stillIdentity(cert *x509.Certificate, was Who) func() error {
	return func() error {
		if who, ok := g.identities.Load().of(cert); !ok || who != was {
			return errors.New("the certificate stands for nobody, or somebody else, by now")
		}
		return nil
	}
}

func unauthorized(code, detail string) *problem {
	return &problem{http.StatusUnauthorized, code, detail, 0}
}

func refusedToken(err error) *problem {
	var expired *ExpiredError
	if errors.As(err, &expired) {
		return unauthorized(CodeExpired, err.Error())
	}
	return unauthorized(CodeUnknown, err.Error())
}

// unauthenticated answers a request without a valid proof: a browser is sent to the page on which it can sign in.
func (g *Gate) unauthenticated(w http.ResponseWriter, r *http.Request, p *problem) {
	if r.Method == http.MethodGet && r.Header.Get("Authorization") == "" &&
		strings.Contains(r.Header.Get("Accept"), "text/html") {
		http.Redirect(w, r, "/login?next="+url.QueryEscape(r.URL.RequestURI()), http.StatusSeeOther)
		return
	}
	g.failed(w, r, p, func(p *problem) { p.write(w) })
}

// failed counts a failed attempt, and answers it.
func (g *Gate) failed(w http.ResponseWriter, r *http.Request, p *problem, answer func(*problem)) {
	wait, missed := g.attempts.failed(network(r), time.Now())
	if wait > 0 {
		answer(&problem{http.StatusTooManyRequests, CodeAttempts,
			"too many attempts to sign in failed; " + p.detail, wait})
		return
	}
	g.audit(r, Entry{Event: "login-failed", Status: p.status, Code: p.code, Missed: missed})
	answer(p)
}

// notes are the notes that handlers add to the line of a request in the audit log.
type notes struct {
	mu sync.Mutex
	by map[string]string
}

type notesKey struct{}

// maxNotes bounds the notes of a request, and maxNote the bytes of each value: one form or request answers some hundred
// pending effects.
const (
	maxNotes = 10
	maxNote  = 8 << 10
)

// Note adds a fact to the line of a request in the audit log, such as the id of the run that it made. A value must
// not be a secret. Without an audit log it does nothing.
func Note(ctx context.Context, key, value string) {
	n, ok := ctx.Value(notesKey{}).(*notes)
	if !ok {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.by == nil {
		n.by = make(map[string]string)
	}
	if len(value) > maxNote {
		value = value[:maxNote] + "…"
	}
	if _, known := n.by[key]; known || len(n.by) < maxNotes {
		n.by[key] = value
	}
}

// all returns a copy: a handler may have left a goroutine that still adds notes.
func (n *notes) all() map[string]string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.by) == 0 {
		return nil
	}
	out := make(map[string]string, len(n.by))
	for key, value := range n.by {
		out[key] = value
	}
	return out
}
