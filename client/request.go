// This file defines how requests are made, and sent again.

package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// request is a request to the service.
type request struct {
	method, path string
	query        url.Values
	body         any           // as JSON; nil for none
	wait         time.Duration // that the service may wait
	again        bool          // it may be sent again
	accept       string        // the media type; "" is JSON
	header       http.Header   // besides those of all requests
}

func (r *request) String() string { return r.method + " " + r.path }

// get returns a request that reads. Parts of the path are escaped.
func get(format string, parts ...string) request {
	return request{method: http.MethodGet, path: escaped(format, parts), again: true}
}

// post returns a request that changes something.
func post(body any, format string, parts ...string) request {
	return request{method: http.MethodPost, path: escaped(format, parts), body: body}
}

func escaped(format string, parts []string) string {
	args := make([]any, len(parts))
	for i, p := range parts {
		args[i] = url.PathEscape(p)
	}
	return fmt.Sprintf(format, args...)
}

// maxAnswer bounds the body of an answer: a run has its source, data, prints, value and text, each of a few
// megabytes at most.
const maxAnswer = 512 << 20

// call makes a request and decodes the answer into out, which may be nil.
func (c *Client) call(ctx context.Context, r request, out any) (status int, err error) {
	err = c.retried(ctx, &r, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeoutCause(ctx, r.wait+c.opts.Timeout, errTimeout)
		defer cancel()
		resp, err := c.send(ctx, &r)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
		if err != nil {
			return c.lost(ctx, &r, err)
		}
		status = resp.StatusCode
		if out == nil {
			return nil
		}
		if err := json.Unmarshal(text, out); err != nil {
			e := foreign(resp)
			e.Request, e.cause = r.String(), err
			return e
		}
		return nil
	})
	return status, err
}

// errTimeout is the cause of a context of a request that takes too long.
var errTimeout = errors.New("the answer takes too long")

// lost returns the error of a request whose connection has failed, or whose context has ended.
func (c *Client) lost(ctx context.Context, r *request, err error) *Error {
	if errors.Is(context.Cause(ctx), errTimeout) {
		ctx, err = context.Background(), errTimeout
	}
	return failed(ctx, r.String(), err)
}

// copyTo makes a request and copies the body of the answer. Nothing is sent again after the first byte.
func (c *Client) copyTo(ctx context.Context, r request, w io.Writer) error {
	out := &sink{w: w}
	return c.retried(ctx, &r, func(ctx context.Context) error {
		err := c.copyOnce(ctx, &r, out)
		r.again = r.again && !out.used
		return err
	})
}

// copyOnce sends a request once and copies the body of the answer. It may take long, but not be silent for longer than
// the timeout of the client.
func (c *Client) copyOnce(ctx context.Context, r *request, out *sink) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	idle := time.AfterFunc(c.opts.Timeout, func() { cancel(errTimeout) })
	defer idle.Stop()
	resp, err := c.send(ctx, r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if media, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";"); media != r.accept {
		return foreign(resp)
	}
	_, err = io.Copy(out, &awaited{resp.Body, idle, c.opts.Timeout})
	switch {
	case out.err != nil:
		return out.err
	case err != nil:
		return c.lost(ctx, r, err)
	}
	return nil
}

// sink keeps the error of a writer, which is not one of the connection.
type sink struct {
	w    io.Writer
	used bool // something was written
	err  error
}

func (s *sink) Write(p []byte) (n int, err error) {
	s.used = true
	n, s.err = s.w.Write(p)
	return n, s.err
}

// awaited is a body with a timer that runs only while it is read.
type awaited struct {
	body  io.Reader
	timer *time.Timer
	most  time.Duration
}

func (a *awaited) Read(p []byte) (int, error) {
	a.timer.Reset(a.most)
	defer a.timer.Stop()
	return a.body.Read(p)
}

// send sends a request once. An answer that is no success is an error.
func (c *Client) send(ctx context.Context, r *request) (*http.Response, error) {
	if c.http == nil {
		return nil, usage("the Client is empty, want one of New")
	}
	var body io.Reader
	if r.body != nil {
		text, err := json.Marshal(r.body)
		if err != nil {
			return nil, usage("the request has no JSON: %w", err)
		}
		body = bytes.NewReader(text)
	}
	address := c.base + r.path
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, r.method, address, body)
	if err != nil {
		return nil, usage("%s: %w", r, err)
	}
	for name, values := range r.header {
		req.Header[name] = values
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", "application/json, application/problem+json")
	if r.accept != "" {
		req.Header.Set("Accept", r.accept+", application/problem+json")
	}
	req.Header.Set("User-Agent", c.opts.UserAgent)
	token, err := c.token()
	if err != nil {
		return nil, err
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.lost(ctx, r, err)
	}
	if resp.StatusCode < http.StatusOK || resp.StatusCode >= http.StatusMultipleChoices {
		defer resp.Body.Close()
		return nil, refused(r.String(), resp)
	}
	return resp, nil
}

// The times between attempts. The first is that of a connection that was cut, and the last one that of a restart.
const (
	firstRetry = 100 * time.Millisecond
	maxRetry   = 5 * time.Second
)

// backoff returns the time to wait before the n-th attempt. It is random, so that clients do not retry all at once.
func backoff(n int) time.Duration {
	d := min(firstRetry<<min(n, 10), maxRetry)
	return d/2 + rand.N(d/2)
}

// retried calls a function until it succeeds, fails for good, or the patience of the client has ended.
func (c *Client) retried(ctx context.Context, r *request, try func(context.Context) error) error {
	if ctx == nil {
		ctx = context.Background()
	}
	began := time.Now()
	for n := 0; ; n++ {
		err := try(ctx)
		var e *Error
		if err == nil || !r.again || !errors.As(err, &e) || !e.Temporary() {
			return err
		}
		pause := max(backoff(n), e.RetryAfter)
		if time.Since(began)+pause > c.opts.Patience {
			return err
		}
		if !sleep(ctx, pause) {
			return failed(ctx, r.String(), err)
		}
	}
}

// sleep waits for a time, and reports whether ctx has not ended before.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// plain returns an error of the connection in few words: without the method and the address, which the user knows.
func plain(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "the connection was cut"
	}
	return err.Error()
}
