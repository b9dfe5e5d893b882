package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/client"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// answers is a connection whose answers are functions, one for each request, the last one for all others.
type answers struct {
	all  []func(*http.Request) (*http.Response, error)
	seen []*http.Request
}

func (a *answers) RoundTrip(r *http.Request) (*http.Response, error) {
	next := a.all[min(len(a.seen), len(a.all)-1)]
	a.seen = append(a.seen, r)
	resp, err := next(r)
	if resp != nil {
		resp.Request = r
	}
	return resp, err
}

// answer is an answer with a body, and headers as name and value.
func answer(status int, media, body string, headers ...string) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) {
		h := http.Header{"Content-Type": {media}}
		for i := 0; i < len(headers); i += 2 {
			h.Set(headers[i], headers[i+1])
		}
		return &http.Response{StatusCode: status, Status: http.StatusText(status), Header: h,
			Body: io.NopCloser(strings.NewReader(body))}, nil
	}
}

func run(body string) func(*http.Request) (*http.Response, error) {
	return answer(200, "application/json", body)
}

func problem(status int, code string, headers ...string) func(*http.Request) (*http.Response, error) {
	return answer(status, wire.ProblemType, `{"code": "`+code+`", "status": 429, "detail": "d"}`, headers...)
}

func cut(*http.Request) (*http.Response, error) { return nil, io.ErrUnexpectedEOF }

// client returns a client of the answers.
func (a *answers) client(t *testing.T, o client.Options) *client.Client {
	t.Helper()
	o.HTTPClient = &http.Client{Transport: a}
	c, err := client.New("http://a", o)
	require.NoError(t, err)
	return c
}

// TestRetry checks that safe requests are repeated at the time that the service names.
func TestRetry(t *testing.T) {
	get := func(c *client.Client) error { _, err := c.Get(context.Background(), "x"); return err }
	keyed := func(c *client.Client) error {
		_, err := c.Submit(context.Background(), store.Submission{Source: "1", Key: "k"}, 0)
		return err
	}
	plain := func(c *client.Client) error {
		_, err := c.Submit(context.Background(), store.Submission{Source: "1"}, 0)
		return err
	}
	settle := func(c *client.Client) error { _, err := c.Approve(context.Background(), "x", "0#1"); return err }
	type reply = func(*http.Request) (*http.Response, error)
	for name, c := range map[string]struct {
		do       func(*client.Client) error
		replies  []reply
		requests int
		least    time.Duration // that it takes
		code     string        // of the error; "" for none
	}{
		"at once":             {get, []reply{run(`{}`)}, 1, 0, ""},
		"full, then not":      {get, []reply{problem(429, "full", "Retry-After", "7"), run(`{}`)}, 2, 7 * time.Second, ""},
		"a date":              {get, []reply{problem(503, "draining", "Retry-After", "Sat, 01 Jan 2000 00:00:09 GMT"), run(`{}`)}, 2, 8 * time.Second, ""},
		"cut, then not":       {keyed, []reply{cut, cut, run(`{}`)}, 3, 100 * time.Millisecond, ""},
		"a proxy":             {keyed, []reply{answer(502, "text/html", "<p>"), run(`{}`)}, 2, 50 * time.Millisecond, ""},
		"no key":              {plain, []reply{problem(429, "full", "Retry-After", "1"), run(`{}`)}, 1, 0, "full"},
		"no key, cut":         {plain, []reply{cut, run(`{}`)}, 1, 0, client.CodeUnreachable},
		"a settlement":        {settle, []reply{problem(503, "draining"), run(`{}`)}, 1, 0, "draining"},
		"not found":           {get, []reply{problem(404, "not-found")}, 1, 0, "not-found"},
		"too long":            {get, []reply{problem(429, "full", "Retry-After", "3600")}, 1, 0, "full"},
		"for long":            {get, []reply{cut}, 0, 40 * time.Second, client.CodeUnreachable},
		"an answer of others": {get, []reply{answer(200, "text/html", "<html>")}, 1, 0, client.CodeForeign},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := &answers{all: c.replies}
				began := time.Now()
				err := c.do(a.client(t, client.Options{}))
				took := time.Since(began)
				assert.GreaterOrEqual(t, took, c.least)
				assert.LessOrEqual(t, took, client.DefaultPatience)
				if c.requests > 0 {
					assert.Len(t, a.seen, c.requests)
				}
				if c.code == "" {
					require.NoError(t, err)
					return
				}
				var e *client.Error
				require.ErrorAs(t, err, &e)
				assert.Equal(t, c.code, e.Code)
				assert.NotEmpty(t, e.Request)
			})
		})
	}
}

// TestImpatience ends with the context, and sends nothing again without patience.
func TestImpatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &answers{all: []func(*http.Request) (*http.Response, error){problem(429, "full", "Retry-After", "30")}}
		ctx, cancel := context.WithTimeoutCause(t.Context(), 10*time.Second, errors.New("the user has gone"))
		defer cancel()
		began := time.Now()
		_, err := a.client(t, client.Options{}).Get(ctx, "x")
		assert.ErrorContains(t, err, "the user has gone")
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, 10*time.Second, time.Since(began))
		a.seen = nil
		_, err = a.client(t, client.Options{Patience: -1}).Get(t.Context(), "x")
		assert.ErrorIs(t, err, &store.Error{Code: "full"})
		assert.Len(t, a.seen, 1)
	})
}

// TestSlowAnswer waits for an answer until the timeout, and until later if the service was asked to wait.
func TestSlowAnswer(t *testing.T) {
	silent := func(r *http.Request) (*http.Response, error) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	for wait, want := range map[time.Duration]time.Duration{0: 5 * time.Second, time.Minute: 65 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			a := &answers{all: []func(*http.Request) (*http.Response, error){silent}}
			began := time.Now()
			_, err := a.client(t, client.Options{Timeout: 5 * time.Second}).Submit(t.Context(), store.Submission{Source: "1"}, wait)
			assert.ErrorContains(t, err, "the service does not answer: the answer takes too long")
			assert.Equal(t, want, time.Since(began))
		})
	}
}

// prints is an answer with prints, which ends before its whole length, or is silent until the client closes it.
func prints(silent bool, text string) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		read, write := io.Pipe()
		go func() {
			io.WriteString(write, text)
			if silent {
				<-r.Context().Done()
			}
			write.CloseWithError(io.ErrUnexpectedEOF)
		}()
		context.AfterFunc(r.Context(), func() { read.CloseWithError(r.Context().Err()) })
		return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/plain; charset=utf-8"}}, Body: read}, nil
	}
}

// TestDownload reads prints again if the connection is cut or silent, sends nothing again after the first byte of a
// journal, and takes no page of somebody else for either.
func TestDownload(t *testing.T) {
	whole := answer(200, "text/plain; charset=utf-8", "one two")
	for name, first := range map[string]func(*http.Request) (*http.Response, error){"cut": prints(false, "one"), "silent": prints(true, "one")} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := &answers{all: []func(*http.Request) (*http.Response, error){first, whole}}
				text, err := a.client(t, client.Options{Timeout: 5 * time.Second}).Prints(t.Context(), "x", 0)
				require.NoError(t, err)
				assert.Equal(t, "one two", text)
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		a := &answers{all: []func(*http.Request) (*http.Response, error){func(r *http.Request) (*http.Response, error) {
			resp, err := prints(true, "one")(r)
			resp.Header.Set("Content-Type", "application/jsonl")
			return resp, err
		}}}
		var b strings.Builder
		err := a.client(t, client.Options{}).Journal(t.Context(), "x", &b)
		assert.ErrorContains(t, err, "the answer takes too long")
		assert.Equal(t, "one", b.String())
		assert.Len(t, a.seen, 1)
	})
	a := &answers{all: []func(*http.Request) (*http.Response, error){answer(200, "text/html", "<html>sign in")}}
	_, err := a.client(t, client.Options{}).Prints(t.Context(), "x", 0)
	assert.ErrorContains(t, err, "want an answer of ptcd")
	assert.ErrorContains(t, a.client(t, client.Options{}).Journal(t.Context(), "x", io.Discard), "want an answer of ptcd")
}

// TestToken checks that each request reads its token from the file anew, and that a redirect receives no token.
func TestToken(t *testing.T) {
	a := &answers{all: []func(*http.Request) (*http.Response, error){answer(302, "", "", "Location", "http://b/v1/runs/x")}}
	_, err := a.client(t, client.Options{Token: "t"}).Get(t.Context(), "x")
	assert.ErrorContains(t, err, "a redirects to http://b/v1/runs/x, which is not followed")
	require.Len(t, a.seen, 1)
	assert.Equal(t, "Bearer t", a.seen[0].Header.Get("Authorization"))
}
