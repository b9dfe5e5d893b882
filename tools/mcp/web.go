// This file defines the requests to servers that are URLs.

package mcp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// The bounds of requests.
const (
	// maxMessage bounds a message of a server, somewhat above the limit of a call's result.
	maxMessage   = 16 << 20
	maxHeader    = 64 << 10
	maxIdleTime  = 90 * time.Second
	maxHandshake = 10 * time.Second
	// maxRetryAfter bounds the time for which a server may make a program wait.
	maxRetryAfter = time.Hour
)

// web makes the requests to a server. It is an http.RoundTripper.
type web struct {
	s     *server
	to    *url.URL
	pool  *http.Transport
	login *login // nil for none
}

func (s *server) newWeb() (*web, error) {
	to, err := url.Parse(s.URL)
	if err != nil {
		return nil, errors.New("the url is malformed")
	}
	w := &web{s: s, to: to, pool: &http.Transport{
		DialContext:            (&net.Dialer{Timeout: maxHandshake}).DialContext,
		TLSClientConfig:        &tls.Config{RootCAs: s.grant.Roots, MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    s.Concurrency,
		IdleConnTimeout:        maxIdleTime,
		TLSHandshakeTimeout:    maxHandshake,
		MaxResponseHeaderBytes: maxHeader,
	}}
	if s.Login != nil {
		w.login = newLogin(w)
	}
	return w, nil
}

// transport returns the transport of a connection.
func (w *web) transport(sse bool) sdk.Transport {
	client := &http.Client{Transport: w, CheckRedirect: w.redirect}
	if sse {
		return &sdk.SSEClientTransport{Endpoint: w.s.URL, HTTPClient: client, MaxEventSize: maxMessage}
	}
	t := &sdk.StreamableClientTransport{Endpoint: w.s.URL, HTTPClient: client, MaxRetries: 1, DisableStandaloneSSE: true,
		MaxEventSize: maxMessage} // 0 means no bound, contrary to its documentation
	if w.login != nil {
		t.OAuthHandler = w.login
	}
	return t
}

// redirect refuses redirects to other places: the headers of the grant are for this one.
func (w *web) redirect(req *http.Request, via []*http.Request) error {
	if !w.here(req.URL) {
		return fmt.Errorf("it redirects to %s://%s, want the place that is granted", req.URL.Scheme, req.URL.Host)
	}
	if len(via) > 5 {
		return errors.New("it redirects too often")
	}
	return nil
}

func (w *web) here(u *url.URL) bool { return u.Scheme == w.to.Scheme && u.Host == w.to.Host }

// RoundTrip implements http.RoundTripper.
func (w *web) RoundTrip(req *http.Request) (*http.Response, error) {
	if !w.here(req.URL) {
		if req.Body != nil {
			req.Body.Close()
		}
		return nil, fmt.Errorf("it sends a request on to %s, want the place that is granted", req.URL.Host)
	}
	req = req.Clone(req.Context())
	if trace, ok := effect.TraceOf(req.Context()); ok {
		req.Header.Set("Traceparent", trace.Parent)
		if trace.State != "" {
			req.Header.Set("Tracestate", trace.State)
		}
	}
	for name, values := range w.s.Header {
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
	if err := w.s.authorize(req); err != nil {
		if req.Body != nil {
			req.Body.Close()
		}
		return nil, err
	}
	a := attemptOf(req.Context())
	res, err := w.pool.RoundTrip(req)
	if err != nil {
		var op *net.OpError
		if !errors.As(err, &op) || op.Op != "dial" {
			a.sent.Store(true)
		}
		return nil, err
	}
	a.sent.Store(true)
	a.status.Store(int64(res.StatusCode))
	after := strings.TrimSpace(res.Header.Get("Retry-After"))
	if seconds, err := strconv.ParseInt(after, 10, 64); err == nil && seconds > 0 {
		a.retryAfter.Store(int64(min(time.Duration(min(seconds, 1<<20))*time.Second, maxRetryAfter)))
	}
	if kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")); kind != "text/event-stream" {
		res.Body = &limited{ReadCloser: res.Body, room: maxMessage} // the SDK bounds each event of a stream
	}
	return res, nil
}

// limited is the content of a response, which is an error beyond room.
type limited struct {
	io.ReadCloser
	room int64
}

var errTooLarge = fmt.Errorf("its message has more than %d MB", maxMessage>>20)

func (l *limited) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	if l.room -= int64(n); l.room < 0 {
		return 0, errTooLarge
	}
	return n, err
}

// attempt is the outcome of the requests of a call.
type attempt struct {
	sent       atomic.Bool // something may have reached the server
	status     atomic.Int64
	retryAfter atomic.Int64 // nanoseconds
}

type attemptKey struct{}

func withAttempt(ctx context.Context, a *attempt) context.Context {
	return context.WithValue(ctx, attemptKey{}, a)
}

// attemptOf returns the attempt of a context; a new one if it has none.
func attemptOf(ctx context.Context) *attempt {
	if a, ok := ctx.Value(attemptKey{}).(*attempt); ok {
		return a
	}
	return &attempt{}
}
