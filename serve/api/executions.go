// This file defines the operations on executions that happen outside of the service.

package api

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// ExecutionParam is the id in the path of an operation on an execution.
type ExecutionParam struct {
	ID string `path:"id" doc:"The id of an execution that a request has begun; to complete a call: RUN/EFFECT."`
}

type executionReply struct {
	Body queue.External
}

// executions adds the operations on executions outside of the service.
func (a *API) executions() {
	const tag = "executions"
	begin := operation(http.MethodPost, "/v1/actions/{ref}/executions", "begin-execution",
		"Ask for a turn to do something outside of the service", tag)
	begin.Description = "The execution passes the policies and waits in the queue as calls of tools do. Do it when its " +
		"state is active, and complete it then: it holds its place until that, or until its lease ends. " +
		"The end of the service forgets it."
	begin.DefaultStatus = http.StatusCreated
	huma.Register(a.huma, begin, a.beginExecution)
	huma.Register(a.huma, operation(http.MethodGet, "/v1/executions/{id}", "get-execution",
		"Get the state of an execution; with wait, as soon as it no longer waits", tag), a.getExecution)
	complete := operation(http.MethodPost, "/v1/executions/{id}/complete", "complete-execution",
		"End an execution, so that the next one can start", tag)
	complete.Description = "Also settles a call of a run whose outcome comes from outside, or is in doubt. Its id is " +
		"that of the run, /, and that of the effect: the idempotency key that its tool has got (tool.CallID)."
	complete.MaxBodyBytes = a.opts.MaxBody
	huma.Register(a.huma, complete, a.completeExecution)
}

func (a *API) beginExecution(ctx context.Context, in *struct {
	ActionParam
	WaitParam
	Body wire.NewExecution
}) (*executionReply, error) {
	who := access.From(ctx)
	if !who.Changes(who.Tenant) {
		return nil, newProblem(codeForbidden, "a submitter or an operator may begin executions")
	}
	d, err := in.duration()
	e := effect.Execution{Run: in.Body.Name, Host: in.Body.Host}
	var lease time.Duration
	if err == nil {
		err = e.Priority.UnmarshalText([]byte(in.Body.Priority))
	}
	if err == nil && in.Body.Lease != "" {
		if lease, err = time.ParseDuration(in.Body.Lease); err != nil || lease <= 0 || lease > queue.MaxLease {
			err = store.ErrInvalid.With("lease: got %.50q, want a time such as 30m, at most %s", in.Body.Lease, queue.MaxLease)
		}
	}
	if err != nil {
		return nil, a.problem(ctx, err)
	}
	x, err := a.externals()
	if err != nil {
		return nil, err
	}
	q, err := a.queues(ctx, access.Submitter)
	if err == nil {
		_, err = a.known(ctx, q, in.Ref) // otherwise anybody could add names to the lists of all tenants
	}
	if err != nil {
		return nil, err
	}
	p, err := x.Begin(ctx, in.Ref, who.Tenant, e, lease)
	if err != nil {
		return nil, a.problem(ctx, err)
	}
	access.Note(ctx, "execution", p.ID)
	return a.turn(ctx, x, p, d)
}

// externals returns the executions outside of the service.
func (a *API) externals() (serve.Externals, error) {
	if x := a.engine.Options().Views.Outside; x != nil {
		return x, nil
	}
	return nil, newProblem(codeNotFound, "this service has no queues for executions outside of it")
}

// turn returns the state of an execution, after a time or as soon as it no longer waits.
func (a *API) turn(ctx context.Context, x serve.Externals, p queue.External,
	d time.Duration) (*executionReply, error) {
	if d > 0 && p.State == queue.Waiting {
		ctx, cancel := context.WithTimeout(ctx, d)
		defer cancel()
		var err error
		if p, err = x.Wait(ctx, p.ID); err != nil {
			return nil, a.problem(ctx, executionError(p.ID, err))
		}
	}
	return &executionReply{p}, nil
}

func noExecution(id string) error { return store.ErrNotFound.With("there is no execution %.100q", id) }

// executionError returns the error of a request about an execution: not found, or the failure to ask its node.
func executionError(id string, err error) error {
	if errors.Is(err, queue.ErrNoExternal) {
		return noExecution(id)
	}
	return err
}

// execution returns an execution that the request may see or change.
func (a *API) execution(ctx context.Context, id string,
	may func(access.Who, string) bool) (serve.Externals, queue.External, error) {
	x, err := a.externals()
	if err != nil {
		return nil, queue.External{}, err
	}
	p, err := x.Get(ctx, id)
	if err == nil && !may(access.From(ctx), p.Tenant) {
		err = queue.ErrNoExternal
	}
	return x, p, a.problem(ctx, executionError(id, err))
}

func (a *API) getExecution(ctx context.Context, in *struct {
	ExecutionParam
	WaitParam
}) (*executionReply, error) {
	d, err := in.duration()
	if err != nil {
		return nil, a.problem(ctx, err)
	}
	x, p, err := a.execution(ctx, in.ID, access.Who.Sees)
	if err != nil {
		return nil, err
	}
	return a.turn(ctx, x, p, d)
}

func (a *API) completeExecution(ctx context.Context, in *struct {
	ExecutionParam
	Body wire.Completion
}) (*executionReply, error) {
	var how effect.Ending
	if err := how.UnmarshalText([]byte(in.Body.Outcome)); err != nil {
		return nil, a.problem(ctx, store.ErrInvalid.With("%w", err))
	}
	if run, id, ok := strings.Cut(in.ID, "/"); ok {
		return a.completeCall(ctx, run, id, how, &in.Body)
	}
	x, _, err := a.execution(ctx, in.ID, access.Who.Changes)
	if err == nil && (in.Body.Result != nil || in.Body.Failure != nil) {
		err = a.problem(ctx, store.ErrInvalid.With("got a result or a failure, which only a call of a run has"))
	}
	if err != nil {
		return nil, err
	}
	p, err := x.Complete(ctx, in.ID, how)
	if errors.As(err, new(*queue.NotActive)) {
		return nil, newProblem(codeNotActive, "the execution is "+string(p.State)+", want one that is active; "+
			"one that waits can be cancelled")
	}
	if err != nil {
		return nil, a.problem(ctx, executionError(in.ID, err))
	}
	return &executionReply{p}, nil
}

// completeCall settles a call of a run whose outcome comes from outside.
func (a *API) completeCall(ctx context.Context, run, id string, how effect.Ending, c *wire.Completion) (*executionReply,
	error) {
	as := effect.Settlement{ID: id, As: effect.Done, Result: c.Result, Failure: c.Failure}
	if how != effect.Succeeded {
		as.As = effect.Failed
		if as.Failure == nil {
			as.Failure = &effect.Failure{Code: c.Outcome, Message: "it ended with the outcome " + c.Outcome}
		}
	}
	if !strings.Contains(id, "#") { // the name of a tool would settle others too
		return nil, a.problem(ctx, noExecution(run+"/"+id))
	}
	out, err := a.change(ctx, run, func(ctx context.Context, who access.Who) (store.Run, error) {
		all := []effect.Settlement{as}
		access.Note(ctx, "settled", serve.Settled(all))
		return a.engine.Settle(ctx, run, all, who)
	})
	if err != nil {
		return nil, err
	}
	return &executionReply{queue.External{ID: run + "/" + id, Tenant: out.Body.Tenant, Priority: out.Body.Priority,
		State: queue.Ended, Ending: &how}}, nil
}
