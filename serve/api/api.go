// This file defines the handler, and the common parts of all operations.

package api

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"path"
	"reflect"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/ptc-lang/ptc/runtime/limits"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/schedule"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// Options are the settings of the API. The zero value is ready for use.
type Options struct {
	Version string // of the service, in the OpenAPI document
	// MaxBody bounds the body of a submission, in bytes; 0 is DefaultBody.
	MaxBody int64
	// Ready returns why the service is not ready, beside an engine that ends; optional.
	Ready func() error
	// Schedules has the scheduler of the engine; optional.
	Schedules schedule.Source
	// MCP serves clients of the Model Context Protocol at /mcp; optional. It calls Taken.
	MCP http.Handler
	Log *slog.Logger // nil discards messages
}

// DefaultBody is the default of Options.MaxBody: a program of the default size, and data of some megabytes.
const DefaultBody = 16 << 20

// API is the handler, and the document of its operations.
type API struct {
	engine *serve.Engine
	opts   Options
	log    *slog.Logger
	mux    *http.ServeMux
	huma   huma.API
	bodies *bodies
	doc    func() []byte
}

// New returns the handler of the API of an engine.
func New(engine *serve.Engine, o Options) *API {
	a := &API{engine: engine, opts: o, log: o.Log, mux: http.NewServeMux(), bodies: newBodies()}
	a.opts.MaxBody = cmp.Or(o.MaxBody, DefaultBody)
	if a.log == nil {
		a.log = slog.New(slog.DiscardHandler)
	}
	a.huma = humago.New(a.mux, config(o.Version))
	a.runs()
	a.changes()
	a.settling()
	a.events()
	a.programs()
	a.tools()
	a.actions()
	a.executions()
	a.policies()
	a.schedules()
	a.sessions()
	a.cluster()
	a.health()
	withProblems(a.huma.OpenAPI())
	withRoles(a.huma.OpenAPI())
	a.doc = sync.OnceValue(func() []byte {
		text, err := json.Marshal(a.huma.OpenAPI())
		if err != nil {
			a.log.Error("the OpenAPI document can't be made", "error", err)
		}
		return text
	})
	if o.MCP != nil {
		a.mux.Handle("/mcp", o.MCP)
	}
	a.mux.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/openapi+json")
		w.Write(a.doc())
	})
	return a
}

// config returns the settings of huma: no documents from elsewhere, and no links in the bodies.
func config(version string) huma.Config {
	c := huma.DefaultConfig("PTC service", cmp.Or(version, "devel"))
	c.OpenAPIPath, c.DocsPath, c.SchemasPath = "", "", ""
	c.CreateHooks = nil
	c.Components.Schemas = huma.NewMapRegistry("#/components/schemas/", schemaName)
	timeout := c.Components.Schemas.Schema(reflect.TypeFor[limits.Limits](), false, "").Properties["timeout"]
	*timeout = huma.Schema{Type: huma.TypeString, Description: `run time, such as "30s"`, Examples: []any{"30s"}}
	timeout.PrecomputeMessages()
	c.RejectUnknownQueryParameters = true
	c.Transformers = []huma.Transformer{asProblem(c.Components.Schemas)}
	c.Servers = []*huma.Server{{URL: "/"}} // validators want one
	c.Info.License = &huma.License{Name: "Apache License 2.0", Identifier: "Apache-2.0"}
	c.Info.Description = "Runs programs of PTC, keeps their results, and resumes them after a crash."
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"token": {Type: "http", Scheme: "bearer", Description: "A token of the service."}}
	return c
}

// schemaName returns the name of the schema of a type. Packages of the runtime have types of the same name.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch path.Base(t.PkgPath()) {
	case "queue":
		return "Queue" + name
	case "guard":
		return "Guard" + name
	case "tool":
		return "Tool" + name
	}
	return name
}

// withProblems makes each operation answer with a Problem in place of huma's own errors.
func withProblems(doc *huma.OpenAPI) {
	schemas := doc.Components.Schemas
	problem := &huma.Response{Description: "An error", Content: map[string]*huma.MediaType{
		wire.ProblemType: {Schema: schemas.Schema(reflect.TypeFor[Problem](), true, "")}}}
	for _, p := range doc.Paths {
		for _, op := range []*huma.Operation{p.Get, p.Put, p.Post, p.Delete, p.Patch} {
			if op != nil {
				op.Responses["default"] = problem
			}
		}
	}
	delete(schemas.Map(), "ErrorModel")
	delete(schemas.Map(), "ErrorDetail")
}

// withRoles sets the role that each operation needs, by the rules of the gate.
func withRoles(doc *huma.OpenAPI) {
	for path, item := range doc.Paths {
		for method, op := range map[string]*huma.Operation{"GET": item.Get, "PUT": item.Put, "POST": item.Post,
			"DELETE": item.Delete, "PATCH": item.Patch} {
			switch rule := access.RuleOf(method, path); {
			case op == nil:
			case rule.Open:
				op.Security = []map[string][]string{}
			default:
				op.Security = []map[string][]string{{"token": {string(rule.Role)}}}
			}
		}
	}
}

// OpenAPI returns the document of the API as JSON.
func (a *API) OpenAPI() []byte { return a.doc() }

// ServeHTTP implements http.Handler.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h, pattern := a.mux.Handler(r)
	if pattern != "" {
		r, leave, p := a.bodies.enter(r)
		if p != nil {
			if r.ProtoMajor == 1 { // or the server reads the rest of the body before it answers
				w.Header().Set("Connection", "close")
			}
			write(w, p)
			return
		}
		defer leave()
		a.mux.ServeHTTP(w, r)
		return
	}
	refused := &refusedResponse{header: http.Header{}}
	h.ServeHTTP(refused, r)
	if refused.status != http.StatusNotFound && refused.status != http.StatusMethodNotAllowed {
		a.mux.ServeHTTP(w, r) // a redirect to the clean form of the path
		return
	}
	p := newProblem(codeNotFound, "there is no "+shortPath(r.URL.Path)+"; /openapi.json lists all paths")
	if refused.status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", refused.header.Get("Allow"))
		p = newProblem(codeMethod, shortPath(r.URL.Path)+" has the methods "+refused.header.Get("Allow")+", got "+r.Method)
	}
	write(w, p)
}

func shortPath(path string) string {
	const most = 100
	if len(path) > most {
		path = strings.ToValidUTF8(path[:most], "") + "…"
	}
	return path
}

// write answers a request with a problem.
func write(w http.ResponseWriter, p *Problem) {
	w.Header().Set("Content-Type", wire.ProblemType)
	for name, values := range p.GetHeaders() {
		w.Header()[name] = values
	}
	w.WriteHeader(p.Status)
	json.NewEncoder(w).Encode(p) // the client may be gone
}

// refusedResponse receives the answer of http.ServeMux for a request that no pattern matches.
type refusedResponse struct {
	header http.Header
	status int
}

func (r *refusedResponse) Header() http.Header         { return r.header }
func (r *refusedResponse) Write(p []byte) (int, error) { return len(p), nil }
func (r *refusedResponse) WriteHeader(status int)      { r.status = status }

// seen returns a run that a request may see. One of another tenant is not found.
func (a *API) seen(ctx context.Context, id string) (store.Run, error) {
	return a.allowed(ctx, id, access.Who.Sees)
}

// changed returns a run that a request may change.
func (a *API) changed(ctx context.Context, id string) (store.Run, error) {
	run, err := a.seen(ctx, id)
	if err == nil && !access.From(ctx).Changes(run.Tenant) {
		return run, newProblem(codeForbidden, "a submitter of the run's tenant, or an operator, may do this")
	}
	return run, err
}

// allowed returns a run that a request may see or change. The error is the same for a forbidden run and for
// a run that does not exist.
func (a *API) allowed(ctx context.Context, id string, may func(access.Who, string) bool) (store.Run, error) {
	run, err := a.engine.Get(ctx, id)
	if err == nil && !may(access.From(ctx), run.Tenant) || errors.Is(err, store.ErrNotFound) {
		run, err = store.Run{}, store.ErrNotFound.With("there is no run %.100q", id)
	}
	return run, a.problem(ctx, err)
}

// problem returns the problem for an error, and logs one that nobody expects.
func (a *API) problem(ctx context.Context, err error) error {
	p := problemOf(err)
	if known, ok := p.(*Problem); ok && known.Status == http.StatusInternalServerError {
		a.log.ErrorContext(ctx, "a request failed", "error", err)
	}
	return p
}

// operation returns an operation of a path.
func operation(method, path, id, summary string, tags ...string) huma.Operation {
	return huma.Operation{Method: method, Path: path, OperationID: id, Summary: summary, Tags: tags}
}
