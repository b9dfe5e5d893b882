// This file defines the methods on runs.

package client

import (
	"context"
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// Submit submits a run and returns it: at once if wait is 0, otherwise when it rests, see store.Run.Rests,
// but after at most the time wait. A submission with a key runs once, however often it is sent: a
// repetition returns the first run. A submission without a key is sent once; if the connection is lost
// then, it is unknown whether it runs.
//
// If the program does not compile, errors.As finds the *ptc.Error.
func (c *Client) Submit(ctx context.Context, sub store.Submission, wait time.Duration) (run store.Run, err error) {
	r := post(sub, "/v1/runs")
	r.again = sub.Key != ""
	r.waits(wait)
	_, err = c.call(ctx, r, &run)
	return run, compiled(err, &sub)
}

// waits has the service wait for a time.
func (r *request) waits(d time.Duration) {
	if d <= 0 {
		return
	}
	r.wait = d
	if r.query == nil {
		r.query = make(url.Values)
	}
	r.query.Set("wait", d.String())
}

// Get returns a run.
func (c *Client) Get(ctx context.Context, id string) (run store.Run, err error) {
	_, err = c.call(ctx, get("/v1/runs/%s", id), &run)
	return run, err
}

// oneWait is the time that one request waits: proxies cut connections on which nothing happens.
const oneWait = 50 * time.Second

// Wait waits until a run rests, see store.Run.Rests, and returns it. The service may restart in the meantime.
func (c *Client) Wait(ctx context.Context, id string) (run store.Run, err error) {
	for {
		r := get("/v1/runs/%s", id)
		r.waits(oneWait)
		if _, err := c.call(ctx, r, &run); err != nil || run.Rests() {
			return run, err
		}
	}
}

// List returns the runs that a query selects, each as store.Run.Brief returns it. It reads page after page; Query.Limit
// is the number of runs of one page. It ends after an error.
func (c *Client) List(ctx context.Context, q store.Query) iter.Seq2[store.Run, error] {
	return pages(func(after string) ([]store.Run, string, error) {
		q.After = after
		page, err := c.Page(ctx, q)
		return page.Runs, page.Next, err
	}, q.After)
}

// Page returns one page of the runs that a query selects.
func (c *Client) Page(ctx context.Context, q store.Query) (page store.Page, err error) {
	r := get("/v1/runs")
	r.query = values("program", q.Program, "tenant", q.Tenant, "after", q.After)
	states := make([]string, len(q.States))
	for i, s := range q.States {
		states[i] = string(s)
	}
	set(r.query, "state", strings.Join(states, ","))
	for name, value := range q.Labels {
		r.query.Add("label", name+"="+value)
	}
	for name, t := range map[string]time.Time{"since": q.Since, "until": q.Until} {
		if !t.IsZero() {
			r.query.Set(name, t.UTC().Format(time.RFC3339Nano))
		}
	}
	if q.Oldest {
		r.query.Set("oldest", "true")
	}
	limited(r.query, q.Limit)
	_, err = c.call(ctx, r, &page)
	return page, err
}

// Pending returns the runs of a tenant that wait for somebody, the oldest first, with the effects they wait
// for. "" is the tenant of the token, or all tenants for an operator.
func (c *Client) Pending(ctx context.Context, tenant string) iter.Seq2[store.Run, error] {
	return pages(func(after string) ([]store.Run, string, error) {
		r := get("/v1/pending")
		r.query = values("tenant", tenant, "after", after)
		var page store.Page
		_, err := c.call(ctx, r, &page)
		return page.Runs, page.Next, err
	}, "")
}

// Result returns the outcome of a run that has ended. The error of one that has not has the code run-not-ended.
func (c *Client) Result(ctx context.Context, id string) (result wire.Result, err error) {
	_, err = c.call(ctx, get("/v1/runs/%s/result", id), &result)
	return result, err
}

// Prints returns the output of a run so far, without the first bytes; after is their number.
func (c *Client) Prints(ctx context.Context, id string, after int) (string, error) {
	var b strings.Builder
	r := get("/v1/runs/%s/prints", id)
	r.accept, r.query = "text/plain", url.Values{"after": {strconv.Itoa(after)}}
	err := c.retried(ctx, &r, func(ctx context.Context) error {
		b.Reset()
		return c.copyOnce(ctx, &r, &sink{w: &b})
	})
	return b.String(), err
}

// Journal writes the journal of a run to w, up to its present end.
func (c *Client) Journal(ctx context.Context, id string, w io.Writer) error {
	r := get("/v1/runs/%s/journal", id)
	r.accept = "application/jsonl"
	return c.copyTo(ctx, r, w)
}

// Trace writes the page that draws a run to w.
func (c *Client) Trace(ctx context.Context, id string, w io.Writer) error {
	r := get("/v1/runs/%s/trace", id)
	r.accept = "text/html"
	return c.copyTo(ctx, r, w)
}

// Units returns which nodes of a cluster have run the elements of a run, by node.
func (c *Client) Units(ctx context.Context, id string) ([]store.Units, error) {
	var all wire.RunUnits
	_, err := c.call(ctx, get("/v1/runs/%s/units", id), &all)
	return all.Units, err
}

// Cancel cancels a run and returns it. It waits until the run has ended; a call of a tool that ignores the end of its
// context may outlast it.
func (c *Client) Cancel(ctx context.Context, id string) (run store.Run, err error) {
	_, err = c.call(ctx, post(nil, "/v1/runs/%s/cancel", id), &run)
	return run, err
}

// Resume continues a parked run before its time, and without the outcomes that it waits for.
func (c *Client) Resume(ctx context.Context, id string) (run store.Run, err error) {
	_, err = c.call(ctx, post(nil, "/v1/runs/%s/resume", id), &run)
	return run, err
}

// Settle settles pending effects of a run, and returns the run. The settlements are durable then. The error of one that
// is not pending any more has the code not-pending.
func (c *Client) Settle(ctx context.Context, id string, all ...effect.Settlement) (run store.Run, err error) {
	_, err = c.call(ctx, post(wire.Settlements{Settlements: all}, "/v1/runs/%s/settle", id), &run)
	return run, err
}

// Approve approves calls of a run, by the ids of the effects or the names of tools.
func (c *Client) Approve(ctx context.Context, id string, effects ...string) (store.Run, error) {
	return c.Settle(ctx, id, each(effects, effect.Settlement{As: effect.Approve})...)
}

// Refuse refuses calls of a run, by the ids of the effects or the names of tools. The program can catch the reason.
func (c *Client) Refuse(ctx context.Context, id, reason string, effects ...string) (store.Run, error) {
	return c.Settle(ctx, id, each(effects, effect.Settlement{As: effect.Refuse, Reason: reason})...)
}

// each returns a settlement for each effect.
func each(effects []string, s effect.Settlement) (all []effect.Settlement) {
	for _, s.ID = range effects {
		all = append(all, s)
	}
	return all
}

// Answer answers a question of a run with a value, which is sent as JSON.
func (c *Client) Answer(ctx context.Context, id, question string, answer any) (store.Run, error) {
	text, err := json.Marshal(answer)
	if err != nil {
		return store.Run{}, usage("the answer has no JSON: %w", err)
	}
	return c.Settle(ctx, id, effect.Settlement{ID: question, As: effect.Done, Result: text})
}

// pages returns the elements of a list that is read page by page. It ends after an error.
func pages[T any](read func(after string) ([]T, string, error), after string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for {
			all, next, err := read(after)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, one := range all {
				if !yield(one, nil) {
					return
				}
			}
			if next == "" {
				return
			}
			after = next
		}
	}
}

// values returns a query of names and values, without those that are empty.
func values(pairs ...string) url.Values {
	v := make(url.Values)
	for i := 0; i < len(pairs); i += 2 {
		set(v, pairs[i], pairs[i+1])
	}
	return v
}

func set(v url.Values, name, value string) {
	if value != "" {
		v.Set(name, value)
	}
}

func limited(v url.Values, n int) {
	if n > 0 {
		v.Set("limit", strconv.Itoa(n))
	}
}

// put returns a request that replaces something.
func put(body any, format string, parts ...string) request {
	return request{method: http.MethodPut, path: escaped(format, parts), body: body}
}
