// This file defines the operations for the health of the service.

package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/serve/wire"
)

type healthReply struct {
	Body wire.Health
}

type readyReply struct {
	Body wire.Stats
}

// health adds the operations for load balancers and supervisors, which nobody needs a token for.
func (a *API) health() {
	healthy := operation(http.MethodGet, "/healthz", "health", "Report that the process answers", "service")
	huma.Register(a.huma, healthy, func(context.Context, *struct{}) (*healthReply, error) {
		return &healthReply{wire.Health{Status: "ok"}}, nil
	})
	ready := operation(http.MethodGet, "/readyz", "readiness", "Report whether the service takes runs", "service")
	huma.Register(a.huma, ready, func(ctx context.Context, _ *struct{}) (*readyReply, error) {
		stats := a.engine.Stats()
		if stats.Draining {
			return nil, a.problem(ctx, serve.ErrDraining)
		}
		if a.opts.Ready != nil {
			if err := a.opts.Ready(); err != nil {
				return nil, newProblem(serve.ErrUnavailable.Code, err.Error())
			}
		}
		return &readyReply{stats}, nil
	})
}
