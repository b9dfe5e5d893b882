// This file defines the operations on sessions.

package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/wire"
)

// SessionParam is the id in the path of an operation on a session.
type SessionParam struct {
	ID string `path:"id" doc:"The id of a session."`
}

type sessionReply struct {
	Location string `header:"Location"`
	Body     wire.Session
}

type sessionsReply struct {
	Body wire.Sessions
}

type evaluatedReply struct {
	Body wire.Evaluated
}

// sessions adds the operations on sessions.
func (a *API) sessions() {
	begin := operation(http.MethodPost, "/v1/sessions", "begin-session", "Begin a session", "sessions")
	begin.Description = "A session keeps definitions between evaluations. It holds the memory of a run until it ends. " +
		"It ends when it is deleted, when it is idle for too long, and with the process of the service: nothing of it is " +
		"kept. In a cluster, its id begins with the name of the node that has it, and any node can be asked."
	begin.DefaultStatus = http.StatusCreated
	begin.MaxBodyBytes = a.opts.MaxBody
	begin.BodyReadTimeout = bodyTimeout
	huma.Register(a.huma, begin, a.beginSession)
	list := operation(http.MethodGet, "/v1/sessions", "list-sessions", "List sessions, the oldest first", "sessions")
	list.Description = "Those of the request's identity; an operator sees all."
	huma.Register(a.huma, list, func(ctx context.Context, _ *struct{}) (*sessionsReply, error) {
		if err := submits(ctx); err != nil {
			return nil, err
		}
		return &sessionsReply{wire.Sessions{Sessions: a.engine.SessionsOf(ctx, access.From(ctx))}}, nil
	})
	huma.Register(a.huma, operation(http.MethodGet, "/v1/sessions/{id}", "get-session", "Get a session", "sessions"),
		func(ctx context.Context, in *SessionParam) (*sessionReply, error) {
			if err := submits(ctx); err != nil {
				return nil, err
			}
			one, err := a.engine.Session(in.ID, access.From(ctx))
			if err != nil {
				return nil, a.problem(ctx, err)
			}
			return &sessionReply{Body: one}, nil
		})
	eval := operation(http.MethodPost, "/v1/sessions/{id}/eval", "evaluate", "Evaluate a source in a session", "sessions")
	eval.Description = "Only who has begun the session may. The evaluation ends with the request. A source that fails " +
		"is answered with its error, and leaves the definitions as they were. Effects have no journal: for writes that " +
		"must outlive a crash, submit a run."
	eval.MaxBodyBytes = a.opts.MaxBody
	eval.BodyReadTimeout = bodyTimeout
	huma.Register(a.huma, eval, a.evaluate)
	end := operation(http.MethodDelete, "/v1/sessions/{id}", "end-session", "End a session", "sessions")
	end.DefaultStatus = http.StatusNoContent
	huma.Register(a.huma, end, func(ctx context.Context, in *SessionParam) (*struct{}, error) {
		if err := submits(ctx); err != nil {
			return nil, err
		}
		return nil, a.problem(ctx, a.engine.CloseSession(in.ID, access.From(ctx)))
	})
}

// submits returns an error for a request that is not allowed to run code.
func submits(ctx context.Context) error {
	if who := access.From(ctx); !who.Changes(who.Tenant) {
		return newProblem(codeForbidden, "a submitter or an operator may have sessions")
	}
	return nil
}

func (a *API) beginSession(ctx context.Context, in *struct{ Body wire.NewSession }) (*sessionReply, error) {
	if err := submits(ctx); err != nil {
		return nil, err
	}
	one, err := a.engine.OpenSession(in.Body, access.From(ctx))
	if err != nil {
		return nil, a.problem(ctx, err)
	}
	access.Note(ctx, "session", one.ID)
	return &sessionReply{Location: "/v1/sessions/" + one.ID, Body: one}, nil
}

func (a *API) evaluate(ctx context.Context, in *struct {
	SessionParam
	Body wire.Evaluation
}) (*evaluatedReply, error) {
	if err := submits(ctx); err != nil {
		return nil, err
	}
	res, err := a.engine.Evaluate(ctx, in.ID, in.Body.Source, access.From(ctx))
	if err != nil {
		return nil, a.problem(ctx, err)
	}
	return &evaluatedReply{wire.Evaluated{Result: res}}, nil
}
