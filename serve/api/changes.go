// This file defines the operations that change a run.

package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// cancelWait is the time in which a run should have ended that is cancelled. A call that ignores the end of its context
// takes longer.
const cancelWait = 10 * time.Second

// changes adds the operations that change runs.
func (a *API) changes() {
	cancel := operation(http.MethodPost, "/v1/runs/{id}/cancel", "cancel-run", "Cancel a run", "runs")
	cancel.Description = "Answers when the run has ended, with the run."
	huma.Register(a.huma, cancel, func(ctx context.Context, in *RunParam) (*runReply, error) {
		return a.change(ctx, in.ID, func(ctx context.Context, who access.Who) (store.Run, error) {
			ctx, cancel := context.WithTimeout(ctx, cancelWait)
			defer cancel()
			return a.engine.Cancel(ctx, in.ID, who)
		})
	})
	resume := operation(http.MethodPost, "/v1/runs/{id}/resume", "resume-run", "Resume a parked run", "runs")
	resume.Description = "The run continues before its time, and without the outcomes that it waits for."
	huma.Register(a.huma, resume, func(ctx context.Context, in *RunParam) (*runReply, error) {
		return a.change(ctx, in.ID, func(ctx context.Context, who access.Who) (store.Run, error) {
			return a.engine.Resume(ctx, in.ID, who)
		})
	})
}

// settling adds the operations on pending effects.
func (a *API) settling() {
	settle := operation(http.MethodPost, "/v1/runs/{id}/settle", "settle-run", "Settle pending effects of a run", "runs")
	settle.Description = "Approves or refuses calls, answers questions, and reports outcomes. All of it is durable with " +
		"the answer. A run that is parked continues; one with writes in doubt continues when all of them are settled."
	settle.MaxBodyBytes = a.opts.MaxBody
	huma.Register(a.huma, settle, func(ctx context.Context, in *struct {
		RunParam
		Body wire.Settlements
	}) (*runReply, error) {
		return a.change(ctx, in.ID, func(ctx context.Context, who access.Who) (store.Run, error) {
			access.Note(ctx, "settled", serve.Settled(in.Body.Settlements))
			return a.engine.Settle(ctx, in.ID, in.Body.Settlements, who)
		})
	})
	pending := operation(http.MethodGet, "/v1/pending", "list-pending", "List the runs that wait for somebody", "runs")
	pending.Description = "Runs with pending effects, the oldest first. One that is running continues with something " +
		"else meanwhile."
	huma.Register(a.huma, pending, func(ctx context.Context, in *struct {
		Tenant string `query:"tenant" doc:"A tenant; only operators see others than their own."`
		After  string `query:"after" doc:"next of the page before."`
		Limit  int    `query:"limit" minimum:"0" maximum:"1000" doc:"Runs of a page; 100 by default."`
	}) (*pageReply, error) {
		page, err := a.list(ctx, &listQuery{Tenant: in.Tenant, After: in.After, Limit: in.Limit, Oldest: true,
			State: []string{string(store.Running), string(store.Waiting), string(store.Parked), string(store.InDoubt)}})
		if err != nil {
			return nil, err
		}
		page.Body.Runs, err = a.whole(ctx, page.Body.Runs)
		return page, a.problem(ctx, err)
	})
}

// whole completes the pending effects of the runs of a list, which are without their arguments. It leaves out runs that
// wait for nobody any more, or only for a time.
func (a *API) whole(ctx context.Context, runs []store.Run) ([]store.Run, error) {
	all, asking := []store.Run{}, a.engine.Asking(ctx)
	for _, brief := range runs {
		run, err := a.engine.Get(ctx, brief.ID)
		asking(&run)
		switch {
		case errors.Is(err, store.ErrNotFound): // deleted in the meantime
		case err != nil:
			return nil, err
		case len(run.Pending) > 0:
			brief.State, brief.Pending = run.State, run.Pending
			all = append(all, brief)
		}
	}
	return all, nil
}

// change does something to a run that the request may change.
func (a *API) change(ctx context.Context, id string,
	do func(context.Context, access.Who) (store.Run, error)) (*runReply, error) {
	if _, err := a.changed(ctx, id); err != nil {
		return nil, err
	}
	run, err := do(ctx, access.From(ctx))
	if err != nil {
		return nil, a.problem(ctx, err)
	}
	return &runReply{Status: http.StatusOK, Body: run}, nil
}
