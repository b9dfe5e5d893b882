// This file defines the gate: the handler in front of a service.

package access

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync/atomic"
	"time"
)

// Options configure a gate. Tokens are required.
type Options struct {
	Tokens     *Tokens
	Identities Identities // of client certificates
	Audit      *Audit     // nil: no audit log
	Log        *slog.Logger
	Listen     string   // the address of the listener; one of the machine itself takes only the machine's own names
	Hosts      []string // more names of the service; with none of both, it takes all names
	Origins    []string // of pages that may call the API, with tokens
	MaxBody    int64    // bytes of a request's body; 0: DefaultBody
	Rules      []Rule   // beside those of Rules
	// SignIn writes the page on which a token is typed, with the status that is set. nil: a plain one.
	SignIn func(w http.ResponseWriter, r *http.Request, form Form)
}

// A Gate checks requests before a service has them.
type Gate struct {
	o        Options
	rules    *rulebook
	origins  *origins
	attempts attempts // to sign in
	refused  attempts // requests without permission
	busy     busy
	sessions sessions
	// identities are those of client certificates.
	identities atomic.Pointer[Identities]
}

// NewGate returns a gate. It panics if two rules have the same pattern, because that is a mistake of the program.
func NewGate(o Options) (*Gate, error) {
	if o.Tokens == nil {
		return nil, errors.New("access: got no tokens, want those of Open")
	}
	g := &Gate{o: o}
	if err := g.Identify(o.Identities); err != nil {
		return nil, err
	}
	origins, err := newOrigins(o.Listen, o.Hosts, o.Origins)
	if err != nil {
		return nil, err
	}
	g.rules, g.origins = newRulebook(append(Rules(), o.Rules...)), origins
	if o.Log == nil {
		g.o.Log = slog.New(slog.DiscardHandler)
	}
	if o.MaxBody == 0 {
		g.o.MaxBody = DefaultBody
	}
	if o.SignIn == nil {
		g.o.SignIn = plainSignIn
	}
	return g, nil
}

// Identify replaces the identities of client certificates, from the next request on. Streams of events
// whose certificate has no identity any more end.
func (g *Gate) Identify(all Identities) error {
	if err := all.Check(); err != nil {
		return err
	}
	all = slices.Clone(all)
	g.identities.Store(&all)
	return nil
}

// Identity returns the current identity of a name, of a token or of client certificates; false if there is
// none, or it has expired.
func (g *Gate) Identity(name string) (Who, bool) {
	if who, ok := g.o.Tokens.Identity(name); ok {
		return who, true
	}
	return g.identities.Load().named(name)
}

// Handler returns a handler that passes requests to next which may be made, with their identity in the context. It
// answers /login and /logout itself.
func (g *Gate) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { g.serve(w, r, next) })
}

func (g *Gate) serve(w http.ResponseWriter, r *http.Request, next http.Handler) {
	out := newResponse(w)
	defer out.end()
	if r.Body != nil && r.Body != http.NoBody {
		b := &body{ReadCloser: http.MaxBytesReader(w, r.Body, g.o.MaxBody), control: out.control}
		r.Body = b
		defer b.abandon()
	}
	rule := g.rules.of(r)
	g.headers(out.Header(), r)
	cross, p := g.origins.check(r)
	switch health := rule.Open && (r.URL.Path == "/healthz" || r.URL.Path == "/readyz"); {
	case health: // a probe uses the address of the machine as the host
		next.ServeHTTP(out, r)
	case p != nil:
		g.refuse(out, r, p, Entry{})
	case g.origins.preflight(out, r):
	case r.URL.Path == "/login":
		g.login(out, r)
	case r.URL.Path == "/logout":
		g.logout(out, r)
	case rule.Open:
		next.ServeHTTP(out, r)
	default:
		g.admit(out, r, rule, cross, next)
	}
}

// admit passes a request of a known identity whose role is enough.
func (g *Gate) admit(w *response, r *http.Request, rule Rule, cross bool, next http.Handler) {
	id, p := g.authenticate(r, cross)
	if p != nil {
		g.unauthenticated(w, r, p)
		return
	}
	if !id.who.Role.Includes(rule.Role) {
		g.refuse(w, r, &problem{http.StatusForbidden, CodeForbidden, r.Method + " " + r.URL.Path + " needs the role " +
			string(rule.Role) + "; " + id.who.Name + " has the role " + string(id.who.Role), 0}, id.entry())
		return
	}
	if !g.busy.enter(id.who.Name) {
		g.refuse(w, r, &problem{http.StatusTooManyRequests, CodeRequests, fmt.Sprintf("%s has %d requests under way, "+
			"which is the most; try again later", id.who.Name, maxRequests), requestsAgain}, id.entry())
		return
	}
	defer g.busy.leave(id.who.Name)
	ctx, cancel := context.WithCancelCause(With(r.Context(), id.who))
	defer cancel(nil)
	w.watch(id.still, cancel)
	if safe(r) && !rule.Audited {
		next.ServeHTTP(w, r.WithContext(ctx))
		return
	}
	noted := &notes{}
	e, began := id.entry(), time.Now()
	defer func() { // also if the handler panics
		e.Event, e.Status, e.Millis, e.Notes = "request", w.status, time.Since(began).Milliseconds(), noted.all()
		g.audit(r, e)
	}()
	next.ServeHTTP(w, r.WithContext(context.WithValue(ctx, notesKey{}, noted)))
	if w.status == 0 {
		w.status = http.StatusOK // by the server
	}
}

// safe reports whether a request changes nothing.
func safe(r *http.Request) bool {
	return r.Method == http.MethodGet || r.Method == http.MethodHead || r.Method == http.MethodOptions
}

// headers sets the headers of all responses. A page sets its own policy.
func (g *Gate) headers(h http.Header, r *http.Request) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'")
	h.Set("Referrer-Policy", "same-origin") // no-referrer would hide the origin of the forms from the service too
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	if r.TLS != nil && !loopback(r.Host) { // else it would hold for all other services of the machine
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
	g.origins.allowOrigin(h, r)
}

// refuse answers a forbidden request, and adds it to the audit log.
func (g *Gate) refuse(w http.ResponseWriter, r *http.Request, p *problem, e Entry) {
	e.Event, e.Status, e.Code = "refused", p.status, p.code
	if wait, missed := g.refused.failed(network(r), time.Now()); wait == 0 {
		e.Missed = missed
		g.audit(r, e)
	}
	p.write(w)
}

// audit adds a line to the audit log.
func (g *Gate) audit(r *http.Request, e Entry) {
	if g.o.Audit == nil {
		return
	}
	e.From, e.Method, e.Path = r.RemoteAddr, r.Method, shortened(r.URL.Path)
	e.Forwarded = shortened(r.Header.Get("X-Forwarded-For"))
	if err := g.o.Audit.Write(e); err != nil {
		g.o.Log.Error("a line of the audit log was not written", "error", err)
	}
}

// maxAudited bounds the text of a client in a line: the path of a run has 40 bytes.
const maxAudited = 300

func shortened(text string) string {
	if len(text) > maxAudited {
		return text[:maxAudited] + "…"
	}
	return text
}
