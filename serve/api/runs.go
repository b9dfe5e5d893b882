// This file defines the operations on runs.

package api

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/journal/trace"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// WaitParam is the time that a request waits for a run.
type WaitParam struct {
	Wait string `query:"wait" example:"10s" doc:"How long to wait until the run has ended or waits for somebody."`
}

// maxWait bounds the time of a request that waits.
const maxWait = 10 * time.Minute

// duration returns the time to wait.
func (w *WaitParam) duration() (time.Duration, error) {
	if w.Wait == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(w.Wait)
	if err != nil || d < 0 || d > maxWait {
		return 0, store.ErrInvalid.With("wait: got %.50q, want a time such as 10s, at most %v", w.Wait, maxWait)
	}
	return d, nil
}

// RunParam is the id in the path of an operation on a run.
type RunParam struct {
	ID string `path:"id" doc:"The id of a run."`
}

type runReply struct {
	Status   int
	Location string `header:"Location"`
	Body     store.Run
}

// runs adds the operations that submit and read runs.
func (a *API) runs() {
	submit := operation(http.MethodPost, "/v1/runs", "submit-run", "Submit a run", "runs")
	submit.Description = "Answers 201 with a new run, and 200 with an earlier one that has the same key."
	submit.DefaultStatus = http.StatusCreated
	submit.MaxBodyBytes = a.opts.MaxBody
	submit.BodyReadTimeout = bodyTimeout
	huma.Register(a.huma, submit, a.submit)
	answers := a.huma.OpenAPI().Paths[submit.Path].Post.Responses
	answers["200"] = &huma.Response{Description: "An earlier run", Content: answers["201"].Content}
	list := operation(http.MethodGet, "/v1/runs", "list-runs", "List runs, the newest first", "runs")
	huma.Register(a.huma, list, a.list)
	huma.Register(a.huma, operation(http.MethodGet, "/v1/runs/{id}", "get-run", "Get a run", "runs"), a.get)
	huma.Register(a.huma, operation(http.MethodGet, "/v1/runs/{id}/result", "get-result",
		"Get the value or the error of a run that has ended", "runs"), a.result)
	huma.Register(a.huma, operation(http.MethodGet, "/v1/runs/{id}/units", "get-units",
		"Get which nodes have run the elements of a run", "runs"), a.units)
	a.prints()
	a.file("journal", "get-journal", "Download the journal of a run", "application/jsonl", a.journal)
	a.file("trace", "get-trace", "Get the trace of a run as a page", "text/html", a.trace)
}

// bodyTimeout is the time in which the body of a submission must arrive.
const bodyTimeout = time.Minute

type submission struct {
	WaitParam
	IdempotencyKey string           `header:"Idempotency-Key" doc:"As key in the body."`
	Body           store.Submission `contentType:"application/json"`
}

func (a *API) submit(ctx context.Context, in *submission) (*runReply, error) {
	d, err := in.duration()
	if err != nil {
		return nil, a.problem(ctx, err)
	}
	if k := in.IdempotencyKey; k != "" && in.Body.Key != "" && k != in.Body.Key {
		return nil, a.problem(ctx, store.ErrInvalid.With("got the key %.100q in the body and %.100q in the header "+
			"Idempotency-Key, want one of them", in.Body.Key, k))
	}
	in.Body.Key = cmp.Or(in.Body.Key, in.IdempotencyKey)
	who := access.From(ctx)
	if !who.Changes(who.Tenant) {
		return nil, newProblem(codeForbidden, "a submitter or an operator may submit runs")
	}
	run, created, err := a.engine.Submit(ctx, in.Body, who)
	Taken(ctx)
	if err != nil {
		return nil, a.problem(ctx, err)
	}
	access.Note(ctx, "run", run.ID)
	out := &runReply{Status: http.StatusCreated, Location: "/v1/runs/" + run.ID, Body: run}
	if !created {
		out.Status = http.StatusOK
	}
	out.Body, err = a.waited(ctx, run, d)
	return out, err
}

// waited returns a run after a time, or as soon as it has ended or waits for somebody.
func (a *API) waited(ctx context.Context, run store.Run, d time.Duration) (store.Run, error) {
	if d == 0 {
		return run, nil
	}
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	run, err := a.engine.Wait(ctx, run.ID)
	return run, a.problem(ctx, err)
}

type listQuery struct {
	State   []string  `query:"state,explode" doc:"States, separated by commas; may be repeated."`
	Program string    `query:"program" doc:"A program as name or name@version."`
	Label   []string  `query:"label,explode" doc:"A label as name=value; if repeated, a run must have all of them."`
	Tenant  string    `query:"tenant" doc:"A tenant; only operators see others than their own."`
	Since   time.Time `query:"since"`
	Until   time.Time `query:"until"`
	Oldest  bool      `query:"oldest" doc:"List the oldest first."`
	After   string    `query:"after" doc:"next of the page before."`
	Limit   int       `query:"limit" minimum:"0" maximum:"1000" doc:"Runs of a page; 100 by default."`
}

// query returns the query for a store. It selects only runs that the request may see.
func (q *listQuery) query(who access.Who) (store.Query, error) {
	out := store.Query{Program: q.Program, Tenant: q.Tenant, Since: q.Since, Until: q.Until, Oldest: q.Oldest,
		After: q.After, Limit: q.Limit}
	for _, list := range q.State {
		for s := range strings.SplitSeq(list, ",") {
			out.States = append(out.States, store.State(s))
		}
	}
	for _, l := range q.Label {
		name, value, ok := strings.Cut(l, "=")
		if !ok {
			return out, store.ErrInvalid.With("label: got %.100q, want name=value", l)
		}
		if other, ok := out.Labels[name]; ok && other != value {
			return out, store.ErrInvalid.With("label: got %.100q and %.100q, and a run has one value", name+"="+other, l)
		}
		if out.Labels == nil {
			out.Labels = make(map[string]string)
		}
		out.Labels[name] = value
	}
	switch {
	case who.Role.Includes(access.Operator):
	case !who.Sees(who.Tenant):
		return out, newProblem(codeForbidden, "a viewer may list runs")
	case out.Tenant == "":
		out.Tenant = who.Tenant
	case !who.Sees(out.Tenant):
		return out, newProblem(codeForbidden, "only an operator sees the runs of other tenants")
	}
	return out, nil
}

type pageReply struct {
	Body store.Page
}

func (a *API) list(ctx context.Context, in *listQuery) (*pageReply, error) {
	q, err := in.query(access.From(ctx))
	if err != nil {
		return nil, a.problem(ctx, err)
	}
	page, err := a.engine.Options().Store.List(ctx, q)
	if page.Runs == nil {
		page.Runs = []store.Run{}
	}
	return &pageReply{page}, a.problem(ctx, err)
}

type getRun struct {
	RunParam
	WaitParam
}

func (a *API) get(ctx context.Context, in *getRun) (*runReply, error) {
	d, err := in.duration()
	if err != nil {
		return nil, a.problem(ctx, err)
	}
	run, err := a.seen(ctx, in.ID)
	if err == nil {
		run, err = a.waited(ctx, run, d)
	}
	if err != nil {
		return nil, err
	}
	return &runReply{Status: http.StatusOK, Body: run}, nil
}

type resultReply struct {
	Body wire.Result
}

func (a *API) result(ctx context.Context, in *getRun) (*resultReply, error) {
	out, err := a.get(ctx, in)
	if err != nil {
		return nil, err
	}
	run := out.Body
	if !run.State.Final() {
		return nil, newProblem(codeNotEnded, fmt.Sprintf("run %s is %s, and has no result yet", run.ID, run.State))
	}
	return &resultReply{wire.Result{ID: run.ID, State: run.State, Result: run.Result}}, nil
}

type unitsReply struct {
	Body wire.RunUnits
}

func (a *API) units(ctx context.Context, in *RunParam) (*unitsReply, error) {
	run, err := a.seen(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	units, err := a.engine.Units(ctx, run.ID)
	if err != nil {
		return nil, a.problem(ctx, err)
	}
	if units == nil {
		units = []store.Units{}
	}
	return &unitsReply{wire.RunUnits{ID: run.ID, Units: units}}, nil
}

// prints adds the operation that returns the prints of a run so far.
func (a *API) prints() {
	const media = "text/plain"
	op := operation(http.MethodGet, "/v1/runs/{id}/prints", "get-prints", "Get what a run has printed so far", "runs")
	op.Description = "A client that follows events gets here what it has missed. " +
		"A run that is resumed prints again from its beginning, so there may be less than before."
	op.Responses = map[string]*huma.Response{"200": {Description: "OK",
		Content: map[string]*huma.MediaType{media: {Schema: &huma.Schema{Type: huma.TypeString}}}}}
	huma.Register(a.huma, op, func(ctx context.Context, in *struct {
		RunParam
		After int `query:"after" minimum:"0" doc:"Leave out the first bytes, as many as this."`
	}) (*huma.StreamResponse, error) {
		if _, err := a.seen(ctx, in.ID); err != nil {
			return nil, err
		}
		text, err := a.engine.Prints(ctx, in.ID)
		if err != nil {
			return nil, a.problem(ctx, err)
		}
		return &huma.StreamResponse{Body: func(c huma.Context) {
			c.SetHeader("Content-Type", media+"; charset=utf-8")
			c.SetStatus(http.StatusOK)
			io.WriteString(c.BodyWriter(), text[min(in.After, len(text)):]) // the client may be gone
		}}, nil
	})
}

// file adds an operation that answers with a file of a run.
func (a *API) file(name, id, summary, media string,
	open func(ctx context.Context, run store.Run) (func(huma.Context) error, error)) {
	op := operation(http.MethodGet, "/v1/runs/{id}/"+name, id, summary, "runs")
	op.Responses = map[string]*huma.Response{"200": {Description: "OK",
		Content: map[string]*huma.MediaType{media: {Schema: &huma.Schema{Type: huma.TypeString}}}}}
	huma.Register(a.huma, op, func(ctx context.Context, in *RunParam) (*huma.StreamResponse, error) {
		run, err := a.seen(ctx, in.ID)
		if err != nil {
			return nil, err
		}
		send, err := open(ctx, run)
		if err != nil {
			return nil, a.problem(ctx, err)
		}
		return &huma.StreamResponse{Body: func(c huma.Context) {
			if err := send(c); err != nil {
				a.log.WarnContext(ctx, "a file of a run was not sent", "run", run.ID, "file", name, "error", err)
			}
		}}, nil
	})
}

// journal sends the bytes of the journal, up to its present end.
func (a *API) journal(ctx context.Context, run store.Run) (func(huma.Context) error, error) {
	place, err := a.engine.Options().Store.Journal(ctx, run.ID)
	if err != nil {
		return nil, err
	}
	f, err := place.Open(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		err = serve.ErrNoJournal
	}
	if err != nil {
		return nil, err
	}
	return func(c huma.Context) error {
		defer f.Close()
		c.SetHeader("Content-Type", "application/jsonl")
		c.SetHeader("Content-Disposition", `attachment; filename="`+run.ID+`.journal"`)
		c.SetStatus(http.StatusOK)
		_, err := io.Copy(c.BodyWriter(), f)
		return err
	}, nil
}

// trace sends the trace page of the journal. The page has no foreign scripts, and must not reach the API.
func (a *API) trace(ctx context.Context, run store.Run) (func(huma.Context) error, error) {
	var page bytes.Buffer
	err := a.engine.Draw(ctx, run.ID, func(rec *journal.Recording) error { return trace.HTML(&page, rec) })
	return func(c huma.Context) error {
		c.SetHeader("Content-Type", "text/html; charset=utf-8")
		c.SetHeader("Content-Security-Policy",
			"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; sandbox allow-scripts")
		c.SetStatus(http.StatusOK)
		_, err := page.WriteTo(c.BodyWriter())
		return err
	}, err
}
