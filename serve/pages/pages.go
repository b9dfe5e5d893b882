// Package pages shows a service to people: its runs, their pending effects, queues, guards, policies, programs,
// schedules, sessions, and the nodes of a cluster. They can submit and cancel runs, settle pending effects,
// and change schedules and nodes.
//
//	gate, err := access.NewGate(access.Options{Tokens: tokens, Rules: pages.Rules(), SignIn: pages.SignIn})
//	mux.Handle("/v1/", api.New(engine, api.Options{}))
//	mux.Handle("/", pages.New(engine, pages.Options{}))
//	http.Serve(l, gate.Handler(mux))
//
// The server renders each page, and a page can be read and used without JavaScript. One script makes it live: it
// waits for events, requests the page again, and replaces the parts that have changed.
//
// Each string of a run may come from an attacker. Package html/template escapes it by its place in the page, and the
// policy of the pages lets a browser run no other script than theirs, and load nothing from elsewhere.
package pages

import (
	"bytes"
	"embed"
	"errors"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal/trace"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/schedule"
	"github.com/ptc-lang/ptc/store"
)

// Options are the settings of the pages. The zero value is ready for use.
type Options struct {
	Schedules schedule.Source // of the engine; nil: there are no schedules
	Log       *slog.Logger    // nil discards messages
}

// Pages is the handler. New makes one.
type Pages struct {
	engine *serve.Engine
	source schedule.Source
	log    *slog.Logger
	mux    *http.ServeMux
}

var (
	//go:embed static
	staticFiles embed.FS
	//go:embed templates
	templateFiles embed.FS
)

// policy is the Content-Security-Policy of the pages.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// endpoint is a page, or the action of a form.
type endpoint struct {
	rule   access.Rule
	handle func(*Pages, http.ResponseWriter, *http.Request) error
}

// endpoints returns all endpoints.
func endpoints() []endpoint {
	return []endpoint{
		{access.Rule{Pattern: "GET /{$}", Role: access.Viewer}, (*Pages).home},
		{access.Rule{Pattern: "GET /static/", Open: true}, (*Pages).static},
		{access.Rule{Pattern: "GET /changes", Role: access.Viewer}, (*Pages).changes},
		{access.Rule{Pattern: "GET /runs", Role: access.Viewer}, (*Pages).runs},
		{access.Rule{Pattern: "GET /runs/{id}", Role: access.Viewer}, (*Pages).run},
		{access.Rule{Pattern: "POST /runs/{id}/cancel", Role: access.Submitter}, (*Pages).cancel},
		{access.Rule{Pattern: "POST /runs/{id}/resume", Role: access.Submitter}, (*Pages).resume},
		{access.Rule{Pattern: "GET /submit", Role: access.Submitter}, (*Pages).form},
		{access.Rule{Pattern: "POST /submit", Role: access.Submitter}, (*Pages).submit},
		{access.Rule{Pattern: "GET /pending", Role: access.Viewer}, (*Pages).pending},
		{access.Rule{Pattern: "POST /pending", Role: access.Submitter}, (*Pages).settle},
		{access.Rule{Pattern: "GET /queues", Role: access.Viewer}, (*Pages).queues},
		{access.Rule{Pattern: "POST /queues", Role: access.Operator}, (*Pages).dequeue},
		{access.Rule{Pattern: "GET /policies", Role: access.Viewer}, (*Pages).policies},
		{access.Rule{Pattern: "GET /programs", Role: access.Viewer}, (*Pages).programs},
		{access.Rule{Pattern: "GET /programs/{name}", Role: access.Viewer}, (*Pages).program},
		{access.Rule{Pattern: "GET /schedules", Role: access.Viewer}, (*Pages).schedules},
		{access.Rule{Pattern: "GET /schedules/{name}", Role: access.Viewer}, (*Pages).schedule},
		{access.Rule{Pattern: "POST /schedules", Role: access.Submitter}, (*Pages).changeSchedule},
		{access.Rule{Pattern: "GET /schedule", Role: access.Submitter}, (*Pages).scheduleForm},
		{access.Rule{Pattern: "POST /schedule", Role: access.Submitter}, (*Pages).putSchedule},
		{access.Rule{Pattern: "GET /sessions", Role: access.Submitter}, (*Pages).sessions},
		{access.Rule{Pattern: "POST /sessions/{id}/end", Role: access.Submitter}, (*Pages).endSession},
		{access.Rule{Pattern: "GET /nodes", Role: access.Viewer}, (*Pages).nodes},
		{access.Rule{Pattern: "POST /nodes", Role: access.Operator}, (*Pages).changeNodes},
	}
}

// Rules returns the rules of the pages, for the gate in front of them.
func Rules() []access.Rule {
	var all []access.Rule
	for _, e := range endpoints() {
		all = append(all, e.rule)
	}
	return all
}

// New returns the handler of the pages of an engine. The identity of a request is access.From its context.
func New(engine *serve.Engine, o Options) *Pages {
	p := &Pages{engine: engine, source: o.Schedules, log: o.Log, mux: http.NewServeMux()}
	if p.log == nil {
		p.log = slog.New(slog.DiscardHandler)
	}
	for _, e := range endpoints() {
		p.mux.HandleFunc(e.rule.Pattern, func(w http.ResponseWriter, r *http.Request) {
			err := errForbidden // also without a gate
			if e.rule.Open || access.From(r.Context()).Role.Includes(e.rule.Role) {
				err = e.handle(p, w, r)
			}
			if err != nil {
				p.fail(w, r, err)
			}
		})
	}
	return p
}

// ServeHTTP implements http.Handler.
func (p *Pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	secure(w)
	if _, pattern := p.mux.Handler(r); pattern == "" && r.Method == http.MethodGet {
		p.fail(w, r, store.ErrNotFound.With("there is no page %.200s", r.URL.Path))
		return
	}
	p.mux.ServeHTTP(w, r)
}

// secure sets the headers of a page.
func secure(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// templates are the pages by their names. Each has the layout around it.
var templates = sync.OnceValue(parsed)

func parsed() map[string]*template.Template {
	layout := template.Must(template.New("layout.html").Funcs(functions).ParseFS(templateFiles, "templates/layout.html"))
	names, err := fs.Glob(templateFiles, "templates/*.html")
	if err != nil {
		panic(err)
	}
	all := make(map[string]*template.Template)
	for _, name := range names {
		page := strings.TrimSuffix(strings.TrimPrefix(name, "templates/"), ".html")
		all[page] = template.Must(template.Must(layout.Clone()).ParseFS(templateFiles, name))
	}
	return all
}

// layout is the data of a page.
type layout struct {
	Title string
	Page  string // the name of the template
	Who   access.Who
	Live  string // the URL of events after which the page is requested again; "" for a static page
	Body  any    // the data of the page

	Cluster bool // the service is a node of a cluster
}

// May reports whether the reader has a role.
func (l layout) May(role access.Role) bool { return l.Who.Role.Includes(role) }

// show writes a page.
func (p *Pages) show(w http.ResponseWriter, r *http.Request, status int, l layout) error {
	l.Who, l.Cluster = access.From(r.Context()), p.engine.Options().Cluster != nil
	return write(w, status, l)
}

func write(w http.ResponseWriter, status int, l layout) error {
	var b bytes.Buffer
	if err := templates()[l.Page].ExecuteTemplate(&b, "layout.html", l); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	w.Write(b.Bytes()) // the reader may be gone
	return nil
}

// fail writes the page of an error.
func (p *Pages) fail(w http.ResponseWriter, r *http.Request, err error) {
	status, message := statusOf(err)
	if status == http.StatusInternalServerError {
		p.log.ErrorContext(r.Context(), "a page failed", "path", r.URL.Path, "error", err)
		message = "the service could not answer; its log has the reason"
	}
	if err := p.show(w, r, status, layout{Title: http.StatusText(status), Page: "error", Body: message}); err != nil {
		p.log.ErrorContext(r.Context(), "the page of an error failed", "error", err)
		http.Error(w, message, status)
	}
}

// statusOf returns the status for an error, and its message for the reader.
func statusOf(err error) (status int, message string) {
	for _, known := range []struct {
		err    error
		status int
	}{
		{store.ErrNotFound, http.StatusNotFound},
		{errForbidden, http.StatusForbidden},
		{schedule.ErrForbidden, http.StatusForbidden},
		{serve.ErrGone, http.StatusGone},
		{store.ErrInvalid, http.StatusBadRequest},
		{store.ErrEnded, http.StatusConflict},
		{store.ErrTransition, http.StatusConflict},
		{store.ErrKeyReused, http.StatusConflict},
		{store.ErrConflict, http.StatusConflict},
		{serve.ErrNotPending, http.StatusConflict},
		{serve.ErrOwnApproval, http.StatusForbidden},
		{serve.ErrFull, http.StatusTooManyRequests},
		{serve.ErrDraining, http.StatusServiceUnavailable},
		{serve.ErrUnavailable, http.StatusServiceUnavailable},
	} {
		if errors.Is(err, known.err) {
			return known.status, strings.TrimPrefix(err.Error(), "store: ")
		}
	}
	if majority := (interface{ Unavailable() bool })(nil); errors.As(err, &majority) {
		return http.StatusServiceUnavailable, "this node reaches no majority of the nodes of its cluster now; try again"
	}
	if effect.FailureOf(err).Retryable { // such as a node of a cluster that can't be reached
		return http.StatusServiceUnavailable, err.Error()
	}
	return http.StatusInternalServerError, ""
}

var errForbidden = errors.New("your role does not allow this: a submitter may submit, and cancel and answer runs " +
	"of the same tenant; an operator may do everything")

// home sends a reader to the runs.
func (p *Pages) home(w http.ResponseWriter, r *http.Request) error {
	http.Redirect(w, r, "/runs", http.StatusSeeOther)
	return nil
}

// SignIn writes the page on which a token is typed.
func SignIn(w http.ResponseWriter, _ *http.Request, form access.Form) {
	secure(w)
	var b bytes.Buffer
	l := layout{Title: "Sign in", Page: "login", Body: form}
	if err := templates()[l.Page].ExecuteTemplate(&b, "layout.html", l); err != nil {
		http.Error(w, "the page can't be shown", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Write(b.Bytes())
}

// static writes a style sheet, a script or the icon.
func (p *Pages) static(w http.ResponseWriter, r *http.Request) error {
	h := w.Header()
	h.Set("Cache-Control", "no-cache") // but kept for If-None-Match
	switch name := strings.TrimPrefix(r.URL.Path, "/static/"); name {
	case "trace.css":
		h.Set("Content-Type", "text/css; charset=utf-8")
		serveText(w, r, name, trace.Style())
	case "trace.js":
		h.Set("Content-Type", "text/javascript; charset=utf-8")
		serveText(w, r, name, trace.Script())
	default:
		http.ServeFileFS(w, r, staticFiles, "static/"+name)
	}
	return nil
}

func serveText(w http.ResponseWriter, r *http.Request, name, text string) {
	http.ServeContent(w, r, name, time.Time{}, strings.NewReader(text))
}
