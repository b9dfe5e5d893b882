// This file defines the operations on queues and guards.

package api

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"sort"

	"github.com/danielgtaylor/huma/v2"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/guard"
	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// ActionParam is the name in the path of an operation on an action.
type ActionParam struct {
	Ref string `path:"ref" doc:"The name of an action: of a tool."`
}

type actionsReply struct {
	Body wire.Actions
}

type statsReply struct {
	Body queue.Stats
}

type executionsReply struct {
	Body queue.Page
}

type clearedReply struct {
	Body wire.Cleared
}

type guardsReply struct {
	Body guard.Stats
}

// actions adds the operations on queues and guards.
func (a *API) actions() {
	huma.Register(a.huma, operation(http.MethodGet, "/v1/actions", "list-actions",
		"List the actions, by name: the tools, and what has a policy or a queue", "queues"), a.listActions)
	huma.Register(a.huma, operation(http.MethodGet, "/v1/actions/{ref}/queue-stats", "get-queue-stats",
		"Get the state of the queue of an action", "queues"), a.queueStats)
	list := operation(http.MethodGet, "/v1/actions/{ref}/executions", "list-executions",
		"List the executions of an action: those under way, then those that wait, in order", "queues")
	huma.Register(a.huma, list, a.listExecutions)
	cancel := operation(http.MethodPost, "/v1/actions/{ref}/executions/{execution}/cancel", "cancel-execution",
		"Cancel a waiting execution", "queues")
	cancel.Description = "Its call fails with queue-cancelled. The name of the execution is escaped as a part of a path."
	huma.Register(a.huma, cancel, a.cancelExecution)
	huma.Register(a.huma, operation(http.MethodPost, "/v1/actions/{ref}/clear", "clear-action",
		"Cancel all waiting executions of an action", "queues"), a.clearAction)
	huma.Register(a.huma, operation(http.MethodGet, "/v1/guards", "get-guards",
		"Get who holds guards and who waits for them, and the rates", "queues"), a.guards)
}

// queues returns the queues of the engine, for a role that may use them so.
func (a *API) queues(ctx context.Context, least access.Role) (serve.Queues, error) {
	if !access.From(ctx).Role.Includes(least) {
		return nil, newProblem(codeForbidden, "this needs the role "+string(least))
	}
	if q := a.engine.Options().Views.Queues; q != nil {
		return q, nil
	}
	return nil, newProblem(codeNotFound, "this service has no queues that can be looked into")
}

// stats returns the stats of all actions, by their names.
func (a *API) stats(ctx context.Context, q serve.Queues) (map[string]queue.Stats, error) {
	called, err := q.All(ctx)
	if err != nil {
		return nil, a.problem(ctx, err)
	}
	all, policies := make(map[string]queue.Stats), q.Policies()
	idle := func(name string) {
		s := new(queue.Set).Stats(name)
		if n := policies.Concurrency(name); n != queue.NoLimit {
			s.Limit = n
		}
		all[name] = s
	}
	for name := range policies.Actions {
		idle(name)
	}
	for _, t := range a.engine.Options().Run.Tools.All() {
		idle(t.Name())
	}
	for _, s := range called {
		all[s.Action] = s
	}
	return all, nil
}

func (a *API) listActions(ctx context.Context, in *struct {
	After string `query:"after" doc:"next of the page before."`
	Limit int    `query:"limit" minimum:"0" maximum:"1000" doc:"Actions of a page; 100 by default."`
}) (*actionsReply, error) {
	q, err := a.queues(ctx, access.Viewer)
	if err != nil {
		return nil, err
	}
	all, err := a.stats(ctx, q)
	if err != nil {
		return nil, err
	}
	names := slices.Sorted(maps.Keys(all))
	names = names[sort.Search(len(names), func(i int) bool { return names[i] > in.After }):]
	out := &actionsReply{wire.Actions{Actions: []wire.Action{}}}
	n := pageSize(in.Limit)
	for _, name := range names[:min(n, len(names))] {
		bounds := a.engine.Options().Run.Queue.Action(name).Bounds()
		out.Body.Actions = append(out.Body.Actions, wire.Action{Stats: all[name], Policies: bounds})
	}
	if len(names) > n {
		out.Body.Next = names[n-1]
	}
	return out, nil
}

// pageSize returns the number of entries of a page that asks for n.
func pageSize(n int) int {
	if n == 0 {
		return 100
	}
	return n
}

// known returns the stats of an action, and an error for one that does not exist.
func (a *API) known(ctx context.Context, q serve.Queues, name string) (queue.Stats, error) {
	all, err := a.stats(ctx, q)
	s, ok := all[name]
	if err == nil && !ok {
		err = newProblem(codeNotFound, "there is no action "+shortPath(name)+"; GET /v1/actions lists all")
	}
	return s, err
}

func (a *API) queueStats(ctx context.Context, in *ActionParam) (*statsReply, error) {
	q, err := a.queues(ctx, access.Viewer)
	if err != nil {
		return nil, err
	}
	s, err := a.known(ctx, q, in.Ref)
	if err != nil {
		return nil, err
	}
	return &statsReply{s}, nil
}

func (a *API) listExecutions(ctx context.Context, in *struct {
	ActionParam
	After string `query:"after" doc:"next of the page before."`
	Limit int    `query:"limit" minimum:"0" maximum:"1000" doc:"Executions of a page; 100 by default."`
}) (*executionsReply, error) {
	q, err := a.queues(ctx, access.Operator) // it shows the runs and hosts of all tenants
	if err == nil {
		_, err = a.known(ctx, q, in.Ref)
	}
	if err != nil {
		return nil, err
	}
	page, err := q.Executions(ctx, in.Ref, in.After, pageSize(in.Limit))
	if err != nil && !effect.FailureOf(err).Retryable {
		err = store.ErrInvalid.With("%w", err)
	}
	if err != nil {
		return nil, a.problem(ctx, err)
	}
	return &executionsReply{page}, nil
}

func (a *API) cancelExecution(ctx context.Context, in *struct {
	ActionParam
	Execution string `path:"execution" doc:"The name of an execution."`
}) (*clearedReply, error) {
	q, err := a.queues(ctx, access.Operator)
	if err != nil {
		return nil, err
	}
	switch done, err := q.Cancel(ctx, in.Ref, in.Execution); {
	case err != nil:
		return nil, a.problem(ctx, err)
	case !done:
		return nil, newProblem(codeNotFound, "the action "+shortPath(in.Ref)+" has no such execution that waits; "+
			"one that is under way ends with its run")
	}
	access.Note(ctx, "execution", in.Execution)
	return &clearedReply{wire.Cleared{Cancelled: 1}}, nil
}

func (a *API) clearAction(ctx context.Context, in *ActionParam) (*clearedReply, error) {
	q, err := a.queues(ctx, access.Operator)
	if err == nil {
		_, err = a.known(ctx, q, in.Ref)
	}
	if err != nil {
		return nil, err
	}
	access.Note(ctx, "action", in.Ref)
	n, err := q.Clear(ctx, in.Ref)
	if err != nil {
		return nil, a.problem(ctx, err)
	}
	return &clearedReply{wire.Cleared{Cancelled: n}}, nil
}

// list returns a list whose JSON is not null.
func list[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}

func (a *API) guards(ctx context.Context, in *struct {
	Limit int `query:"limit" minimum:"0" maximum:"1000" doc:"Maximum number of hosts, rates and waiters; by default 100."`
}) (*guardsReply, error) {
	if !access.From(ctx).Role.Includes(access.Operator) { // it shows the hosts of all tenants
		return nil, newProblem(codeForbidden, "this needs the role operator")
	}
	g := a.engine.Options().Views.Guards
	if g == nil {
		return nil, newProblem(codeNotFound, "this service has no guards that can be looked into")
	}
	s, err := g.Stats(ctx, pageSize(in.Limit))
	if err != nil {
		return nil, a.problem(ctx, err)
	}
	s.Hosts, s.Rates, s.Waiters = list(s.Hosts), list(s.Rates), list(s.Waiters)
	return &guardsReply{s}, nil
}
