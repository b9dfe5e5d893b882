// This file defines the HTTP client of the tools: how requests and redirects are made.

package http

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// client makes the requests of a grant. It is safe for concurrent use.
type client struct {
	hosts   []Host
	private []netip.Prefix
	most    int64
	timeout time.Duration
	now     func() time.Time
	dialer  net.Dialer
	web     *http.Client
	pool    *http.Transport
}

// The bounds of a client on connections and waits.
const (
	maxConns       = 16 // of one host: as many as two runs have workers
	maxIdle        = 32
	maxIdlePerHost = 4
	maxIdleTime    = 30 * time.Second
	maxHandshake   = 10 * time.Second
	maxHeader      = 64 << 10 // of an answer; programs look at few of them
	maxRedirects   = 10
)

func newClient(g Grant) (*client, error) {
	c := &client{hosts: slices.Clone(g.Hosts), private: g.Private, most: g.MaxBytes, timeout: g.Timeout, now: time.Now}
	for i := range c.hosts {
		if err := c.hosts[i].check(); err != nil {
			return nil, err
		}
		for name, values := range c.hosts[i].Header {
			if err := checkHeader(name, strings.Join(values, " ")); err != nil {
				return nil, fmt.Errorf("the grant of %s: %w", c.hosts[i].Name, err)
			}
		}
	}
	if c.most < 1 {
		c.most = DefaultMaxBytes
	}
	if c.timeout < 1 {
		c.timeout = tool.DefaultTimeout
	}
	c.pool = &http.Transport{
		DialContext:            c.dial,
		TLSClientConfig:        &tls.Config{RootCAs: g.Roots, MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2:      true,
		MaxConnsPerHost:        maxConns,
		MaxIdleConns:           maxIdle,
		MaxIdleConnsPerHost:    maxIdlePerHost,
		IdleConnTimeout:        maxIdleTime,
		TLSHandshakeTimeout:    maxHandshake,
		MaxResponseHeaderBytes: maxHeader,
	}
	c.web = &http.Client{Transport: granted{c}, CheckRedirect: c.redirect}
	return c, nil
}

// granted is the way of each request, redirected ones included: it is granted, or fails.
type granted struct{ c *client }

// RoundTrip implements http.RoundTripper. It adds the headers of the grant and of the trace to a copy, so that no
// redirect carries them.
func (g granted) RoundTrip(req *http.Request) (*http.Response, error) {
	host, to, err := g.c.grant(req.Method, req.URL)
	if err != nil {
		if req.Body != nil {
			req.Body.Close()
		}
		return nil, err
	}
	trace, traced := effect.TraceOf(req.Context())
	if name := to.host(req.URL.Scheme); len(host.Header) > 0 || traced || name != req.URL.Host {
		req = req.Clone(req.Context())
		req.URL.Host, req.Host = name, name // the client dials and requests the granted name
		if traced {
			pass(req.Header, trace)
		}
		for name, values := range host.Header {
			req.Header[http.CanonicalHeaderKey(name)] = values
		}
	}
	return g.c.pool.RoundTrip(req)
}

// The headers of a trace, in their canonical form.
const (
	traceparent = "Traceparent"
	tracestate  = "Tracestate"
)

// pass adds the headers of a trace, unless the program has set its own.
func pass(header http.Header, trace effect.Trace) {
	if header.Get(traceparent) != "" {
		return
	}
	header.Set(traceparent, trace.Parent)
	if header.Del(tracestate); trace.State != "" {
		header.Set(tracestate, trace.State)
	}
}

// redirect decides about a redirect: req is the next request, via are the earlier ones. RoundTrip checks
// the request afterwards.
func (c *client) redirect(req *http.Request, via []*http.Request) error {
	first, before := via[0], via[len(via)-1]
	refused := func(code, format string, args ...any) error {
		return &tool.Error{Code: code, Message: fmt.Sprintf("%s redirects to %s: ", shownURL(before.URL),
			shownURL(req.URL)) + fmt.Sprintf(format, args...)}
	}
	if len(via) >= maxRedirects {
		return refused("too-many-redirects", "got redirect number %d, want at most %d",
			len(via), maxRedirects-1)
	}
	if before.URL.Scheme == "https" && req.URL.Scheme != "https" {
		return refused("refused", "want https, as before")
	}
	if _, _, err := c.grant(req.Method, req.URL); err != nil {
		return refused("refused", "%v", err)
	}
	from, _ := targetOf(first.URL)
	elsewhere := func(r *http.Request) bool {
		to, err := targetOf(r.URL)
		return err != nil || r.URL.Scheme != first.URL.Scheme || to != from
	}
	if !elsewhere(req) && !slices.ContainsFunc(via, elsewhere) {
		return nil
	}
	if req.Method != http.MethodGet && req.Method != http.MethodHead {
		return refused("refused", "a %s is not sent on to another host; send it there directly", req.Method)
	}
	for name := range req.Header {
		if !slices.Contains(forwarded, name) {
			delete(req.Header, name)
		}
	}
	return nil
}

// forwarded are the headers that go to another host, too.
var forwarded = []string{"Accept", "Accept-Language", "User-Agent"}

// Options are the arguments of every request.
type Options struct {
	URL       string            `json:"url"`
	Query     map[string]any    `json:"query,omitempty" jsonschema:"parameters of the URL: values or lists"`
	Headers   map[string]string `json:"headers,omitempty"`
	AnyStatus bool              `json:"any-status,omitempty" jsonschema:"if true, no status is an error"`
	Timeout   int64             `json:"timeout-ms,omitempty" jsonschema:"maximum time of the call in milliseconds"`
}

// Content is the content of a request: one of these.
type Content struct {
	JSON any            `json:"json,omitempty" jsonschema:"data to send as JSON"`
	Form map[string]any `json:"form,omitempty" jsonschema:"fields to send as a form"`
	Body string         `json:"body,omitempty" jsonschema:"text to send; set its type with the header content-type"`
}

// GetArgs are the arguments of http.get.
type GetArgs struct{ Options }

// PostArgs are the arguments of http.post.
type PostArgs struct {
	Options
	Content
}

// RequestArgs are the arguments of http.request.
type RequestArgs struct {
	Method string `json:"method" jsonschema:"GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS"`
	Options
	Content
}

// UnmarshalJSON keeps numbers as they are written.
func (a *GetArgs) UnmarshalJSON(text []byte) error {
	type plain GetArgs
	return decode(text, (*plain)(a))
}

// UnmarshalJSON keeps numbers as they are written.
func (a *PostArgs) UnmarshalJSON(text []byte) error {
	type plain PostArgs
	return decode(text, (*plain)(a))
}

// UnmarshalJSON keeps numbers as they are written.
func (a *RequestArgs) UnmarshalJSON(text []byte) error {
	type plain RequestArgs
	return decode(text, (*plain)(a))
}

func (c *client) get(ctx context.Context, in GetArgs) (Response, error) {
	return c.do(ctx, http.MethodGet, in.Options, Content{})
}

func (c *client) post(ctx context.Context, in PostArgs) (Response, error) {
	return c.do(ctx, http.MethodPost, in.Options, in.Content)
}

func (c *client) request(ctx context.Context, in RequestArgs) (Response, error) {
	method := strings.ToUpper(in.Method)
	if !slices.Contains(methods, method) {
		return Response{}, badArguments("got the method %.40q, want one of %s", in.Method, strings.Join(methods, ", "))
	}
	return c.do(ctx, method, in.Options, in.Content)
}

// do makes a request and reads the answer.
func (c *client) do(ctx context.Context, method string, o Options, content Content) (Response, error) {
	limit := c.timeout
	if o.Timeout < 0 {
		return Response{}, badArguments("got :timeout-ms %d, want more than 0", o.Timeout)
	} else if o.Timeout > 0 {
		limit = min(limit, time.Duration(min(o.Timeout, limit.Milliseconds()))*time.Millisecond)
	}
	own, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	req, err := newRequest(own, method, o, content)
	if err != nil {
		return Response{}, err
	}
	if _, _, err := c.grant(method, req.URL); err != nil {
		return Response{}, err
	}
	res, err := c.web.Do(req)
	if err != nil {
		return Response{}, c.failure(ctx, req, limit, err)
	}
	defer res.Body.Close()
	if res.Request.URL.Host == req.URL.Host { // a redirect may have led to another service
		c.heed(ctx, res.Header)
	}
	out, err := c.read(ctx, res, o.AnyStatus)
	if err != nil {
		return Response{}, c.failure(ctx, req, limit, err)
	}
	return out, nil
}
