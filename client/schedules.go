// This file defines the methods on schedules and sessions.

package client

import (
	"context"
	"iter"
	"net/http"
	"strconv"
	"time"

	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// Schedules returns the schedules of a tenant, or all that the identity may see if it is "", each with its next time.
func (c *Client) Schedules(ctx context.Context, tenant string) iter.Seq2[wire.Schedule, error] {
	return pages(func(after string) ([]wire.Schedule, string, error) {
		r := get("/v1/schedules")
		r.query = values("tenant", tenant, "after", after)
		limited(r.query, store.MaxLimit)
		var list wire.Schedules
		_, err := c.call(ctx, r, &list)
		return list.Schedules, list.Next, err
	}, "")
}

// Schedule returns a schedule with its next times, at most n. The tenant of a reference is by default that of the
// identity.
func (c *Client) Schedule(ctx context.Context, ref wire.ScheduleRef, n int) (s wire.Schedule, err error) {
	r := get("/v1/schedules/%s", ref.Name)
	r.query = values("tenant", ref.Tenant)
	if n > 0 {
		r.query.Set("times", strconv.Itoa(n))
	}
	_, err = c.call(ctx, r, &s)
	return s, err
}

// PutSchedule puts a new version of a schedule. A Version that is not 0 must be the next one. If the source does not
// compile, errors.As finds the *ptc.Error.
func (c *Client) PutSchedule(ctx context.Context, ref wire.ScheduleRef,
	v wire.NewSchedule) (s wire.Schedule, err error) {
	r := put(v, "/v1/schedules/%s", ref.Name)
	r.query = values("tenant", ref.Tenant)
	_, err = c.call(ctx, r, &s)
	return s, compiled(err, &v.Run)
}

// DeleteSchedule deletes a schedule. Its runs stay.
func (c *Client) DeleteSchedule(ctx context.Context, ref wire.ScheduleRef) error {
	r := request{method: http.MethodDelete, path: escaped("/v1/schedules/%s", []string{ref.Name}),
		query: values("tenant", ref.Tenant)}
	_, err := c.call(ctx, r, nil)
	return err
}

// RunSchedule runs a schedule once, now. With a key the request is sent again if its answer is lost.
func (c *Client) RunSchedule(ctx context.Context, ref wire.ScheduleRef, key string) (run store.Run, err error) {
	r := post(nil, "/v1/schedules/%s/run", ref.Name)
	r.query = values("tenant", ref.Tenant)
	if key != "" {
		r.again, r.header = true, http.Header{"Idempotency-Key": {key}}
	}
	_, err = c.call(ctx, r, &run)
	return run, err
}

// BeginSession begins a session. Its end is that of the process of the service at the latest.
func (c *Client) BeginSession(ctx context.Context, given wire.NewSession) (s wire.Session, err error) {
	_, err = c.call(ctx, post(given, "/v1/sessions"), &s)
	return s, err
}

// Sessions returns the sessions that the identity may see, the oldest first.
func (c *Client) Sessions(ctx context.Context) ([]wire.Session, error) {
	var list wire.Sessions
	_, err := c.call(ctx, get("/v1/sessions"), &list)
	return list.Sessions, err
}

// Session returns a session.
func (c *Client) Session(ctx context.Context, id string) (s wire.Session, err error) {
	_, err = c.call(ctx, get("/v1/sessions/%s", id), &s)
	return s, err
}

// maxEvaluation is the time that an evaluation may take, besides its limits and ctx.
const maxEvaluation = 24 * time.Hour

// Evaluate evaluates a source in a session. A source that fails is no error; its error is in the outcome. The
// evaluation ends with ctx.
func (c *Client) Evaluate(ctx context.Context, id, source string) (out wire.Evaluated, err error) {
	r := post(wire.Evaluation{Source: source}, "/v1/sessions/%s/eval", id)
	r.wait = maxEvaluation
	_, err = c.call(ctx, r, &out)
	return out, err
}

// EndSession ends a session, and cancels its evaluation.
func (c *Client) EndSession(ctx context.Context, id string) error {
	r := request{method: http.MethodDelete, path: escaped("/v1/sessions/%s", []string{id})}
	_, err := c.call(ctx, r, nil)
	return err
}
