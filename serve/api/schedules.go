// This file defines the operations on schedules.

package api

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/schedule"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// ScheduleParam is the schedule of an operation.
type ScheduleParam struct {
	Name   string `path:"name" doc:"The name of a schedule."`
	Tenant string `query:"tenant" doc:"The tenant of the schedule; by default that of the request."`
}

// ref returns the schedule. The audit log has the tenant that a request names; its name is in the path.
func (p *ScheduleParam) ref(ctx context.Context) wire.ScheduleRef {
	if p.Tenant != "" {
		access.Note(ctx, "tenant", p.Tenant)
	}
	return wire.ScheduleRef{Tenant: p.Tenant, Name: p.Name}
}

type scheduleReply struct {
	Body wire.Schedule
}

type schedulesReply struct {
	Body wire.Schedules
}

// schedules adds the operations on schedules.
func (a *API) schedules() {
	huma.Register(a.huma, operation(http.MethodGet, "/v1/schedules", "list-schedules", "List the schedules", "schedules"),
		a.listSchedules)
	get := operation(http.MethodGet, "/v1/schedules/{name}", "get-schedule", "Get a schedule", "schedules")
	get.Description = "It has its next times, and what has become of the last ones."
	huma.Register(a.huma, get, a.getSchedule)
	put := operation(http.MethodPut, "/v1/schedules/{name}", "put-schedule", "Put a version of a schedule", "schedules")
	put.Description = "Who puts a new schedule is its owner: its runs are submitted under the owner's identity, tenant " +
		"and share. The owner and operators may change it. The answer has the next times."
	put.MaxBodyBytes = a.opts.MaxBody
	put.BodyReadTimeout = bodyTimeout
	huma.Register(a.huma, put, a.putSchedule)
	remove := operation(http.MethodDelete, "/v1/schedules/{name}", "delete-schedule", "Delete a schedule", "schedules")
	remove.Description = "Its runs stay."
	remove.DefaultStatus = http.StatusNoContent
	huma.Register(a.huma, remove, a.deleteSchedule)
	run := operation(http.MethodPost, "/v1/schedules/{name}/run", "run-schedule", "Run a schedule once, now", "schedules")
	run.Description = "Answers with the run, which is of the owner of the schedule. A key that was used before answers " +
		"with the run of that time. A paused schedule can be run too."
	run.DefaultStatus = http.StatusCreated
	huma.Register(a.huma, run, a.runSchedule)
}

// scheduler returns the scheduler of the service.
func (a *API) scheduler() (*schedule.Scheduler, error) {
	if a.opts.Schedules == nil {
		return nil, problemOf(schedule.ErrNone)
	}
	s, err := a.opts.Schedules.Scheduler()
	return s, problemOf(err)
}

func (a *API) listSchedules(ctx context.Context, in *struct {
	Tenant string `query:"tenant" doc:"A tenant; only operators see others than their own."`
	After  string `query:"after" doc:"next of the page before."`
	Limit  int    `query:"limit" minimum:"0" maximum:"1000" doc:"Schedules of a page; 100 by default."`
}) (*schedulesReply, error) {
	s, err := a.scheduler()
	if err != nil {
		return nil, err
	}
	who := access.From(ctx)
	if !who.Sees(who.Tenant) || in.Tenant != "" && !who.Sees(in.Tenant) {
		return nil, newProblem(codeForbidden, "only an operator sees the schedules of other tenants")
	}
	var after wire.ScheduleRef
	if i := strings.LastIndex(in.After, " "); i >= 0 { // a name has none, and a tenant may
		after.Tenant, after.Name = in.After[:i], in.After[i+1:]
	}
	n := pageSize(in.Limit)
	all := s.List(in.Tenant, after, n+1, who)
	out := &schedulesReply{wire.Schedules{Schedules: all[:min(n, len(all))]}}
	if len(all) > n {
		last := all[n-1]
		out.Body.Next = last.Tenant + " " + last.Name
	}
	return out, nil
}

func (a *API) getSchedule(ctx context.Context, in *struct {
	ScheduleParam
	Times int `query:"times" minimum:"0" maximum:"100" doc:"Next times in the answer; 5 by default."`
}) (*scheduleReply, error) {
	s, err := a.scheduler()
	if err != nil {
		return nil, err
	}
	one, err := s.Get(in.ref(ctx), in.Times, access.From(ctx))
	if err != nil {
		return nil, a.problem(ctx, err)
	}
	return &scheduleReply{one}, nil
}

func (a *API) putSchedule(ctx context.Context, in *struct {
	ScheduleParam
	Body wire.NewSchedule
}) (*scheduleReply, error) {
	s, err := a.scheduler()
	if err != nil {
		return nil, err
	}
	one, err := s.Put(ctx, in.ref(ctx), in.Body.ScheduleSetting, in.Body.Version, access.From(ctx))
	if err != nil {
		return nil, a.problem(ctx, err)
	}
	return &scheduleReply{one}, nil
}

func (a *API) deleteSchedule(ctx context.Context, in *ScheduleParam) (*struct{}, error) {
	s, err := a.scheduler()
	if err == nil {
		err = a.problem(ctx, s.Delete(ctx, in.ref(ctx), access.From(ctx)))
	}
	return nil, err
}

func (a *API) runSchedule(ctx context.Context, in *struct {
	ScheduleParam
	Key string `header:"Idempotency-Key" maxLength:"100" doc:"A repetition with the same key makes no other run."`
}) (*runReply, error) {
	s, err := a.scheduler()
	if err != nil {
		return nil, err
	}
	run, err := s.RunNow(ctx, in.ref(ctx), in.Key, access.From(ctx))
	if err != nil {
		return nil, a.problem(ctx, err)
	}
	access.Note(ctx, "run", run.ID)
	return &runReply{Status: http.StatusCreated, Location: "/v1/runs/" + run.ID, Body: run}, nil
}

// ofMistakes returns the problem for the mistakes in a schedule, place by place.
func ofMistakes(all schedule.Mistakes) *Problem {
	p := newProblem(store.ErrInvalid.Code, "the schedule can't be used: "+all.Error())
	for _, m := range all {
		p.Errors = append(p.Errors, wire.Detail{Location: "body." + m.Field, Message: m.Message})
	}
	return p
}
