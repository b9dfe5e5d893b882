package mcp

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/effect"

	"github.com/ptc-lang/ptc"
)

// webServer serves a handler, and notes the requests.
type webServer struct {
	*httptest.Server
	headers  chan http.Header // of the calls
	handler  atomic.Pointer[http.Handler]
	requests atomic.Int64
}

func newWebServer(t *testing.T, h http.Handler) *webServer {
	w := &webServer{headers: make(chan http.Header, 1000)}
	w.handler.Store(&h)
	w.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.requests.Add(1)
		body, _ := io.ReadAll(r.Body)
		if bytes.Contains(body, []byte(`"tools/call"`)) {
			w.headers <- r.Header
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		(*w.handler.Load()).ServeHTTP(rw, r)
	}))
	t.Cleanup(w.Close)
	return w
}

func (w *webServer) as(name string) Server {
	return Server{Name: name, URL: w.URL + "/mcp", Header: http.Header{"Authorization": {"Bearer s3cr3t-token"}}}
}

// streamable returns a handler of the current transport.
func streamable(t *testing.T, o *sdk.StreamableHTTPOptions) http.Handler {
	s := testServer(t.TempDir())
	t.Cleanup(func() { // a session that its client has lost remains
		for session := range s.Sessions() {
			_ = session.Close()
		}
	})
	return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, o)
}

// noDiscover is a server of an old revision: it does not know the probe.
func noDiscover(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if bytes.Contains(body, []byte("server/discover")) {
			http.Error(w, "Bad Request: no valid session ID provided", http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		h.ServeHTTP(w, r)
	})
}

// TestWeb has servers of all revisions over HTTP.
func TestWeb(t *testing.T) {
	sse := testServer(t.TempDir())
	for name, test := range map[string]struct {
		handler  http.Handler
		revision string
		sse      bool
	}{
		"new":           {streamable(t, &sdk.StreamableHTTPOptions{Stateless: true}), "2026-07-28", false},
		"new with JSON": {streamable(t, &sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true}), "2026-07-28", false},
		"old":           {noDiscover(streamable(t, nil)), "2025-11-25", false},
		"old with JSON": {noDiscover(streamable(t, &sdk.StreamableHTTPOptions{JSONResponse: true})), "2025-11-25", false},
		"2024-11-05":    {sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return sse }, nil), "2025-11-25", false},
		"sse":           {sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return sse }, nil), "2025-11-25", true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWebServer(t, test.handler)
			s := w.as("s")
			s.SSE = test.sse
			all, r := opened(t, Grant{Servers: []Server{s}})
			assert.Equal(t, `"hello"`, value(t, r, `(tool/s.echo "hello")`))
			assert.Equal(t, "Bearer s3cr3t-token", (<-w.headers).Get("Authorization"))
			assert.Equal(t, `20`, value(t, r, `(count (pmap #(tool/s.echo (str %)) (range 20)))`))
			_, err := run(t, r, `(tool/s.fails {})`)
			require.ErrorContains(t, err, "the disk is full")
			assert.Equal(t, test.revision, all.all[0].conn.session.InitializeResult().ProtocolVersion)
		})
	}
}

func TestWebTrace(t *testing.T) {
	w := newWebServer(t, streamable(t, nil))
	_, r := opened(t, Grant{Servers: []Server{w.as("s")}})
	trace := effect.Trace{Parent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", State: "a=b"}
	got, err := runWith(effect.WithTrace(t.Context(), trace), t, r, `(:traceparent (tool/s.meta {}))`, ptc.RunOptions{})
	require.NoError(t, err)
	assert.Equal(t, `"`+trace.Parent+`"`, got)
	h := <-w.headers
	assert.Equal(t, trace.Parent, h.Get("Traceparent"))
	assert.Equal(t, "a=b", h.Get("Tracestate"))
}

// TestWebStatus has the server refuse calls.
func TestWebStatus(t *testing.T) {
	good := streamable(t, &sdk.StreamableHTTPOptions{Stateless: true})
	for status, want := range map[int]string{
		http.StatusUnauthorized:        "[:unauthorized false nil]",
		http.StatusTooManyRequests:     "[:rate-limited true 7000]",
		http.StatusServiceUnavailable:  "[:unavailable true 7000]",
		http.StatusInternalServerError: "[:unavailable true nil]",
	} {
		w := newWebServer(t, good)
		_, r := opened(t, Grant{Servers: []Server{w.as("s")}})
		var refuse http.Handler = http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Retry-After", "7")
			http.Error(rw, "no", status)
		})
		w.handler.Store(&refuse)
		got := value(t, r, `(try (tool/s.echo "a") (catch :tool-failed e
			[(:code (ex-data e)) (:retryable? (ex-data e)) (:retry-after-ms (ex-data e))]))`)
		assert.Equal(t, want, got, status)
		w.handler.Store(&good)
		_, r = opened(t, Grant{Servers: []Server{w.as("s")}})
		w.handler.Store(&refuse)
		got = value(t, r, `(try (tool/s.slow_write {}) (catch :tool-failed e (:retryable? (ex-data e))))`)
		assert.Equal(t, status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable, got == "true", status)
		w.handler.Store(&good)
		assert.Equal(t, `"a"`, value(t, r, `(tool/s.echo "a")`), "it works again")
	}
}

// TestWebRestart has a server forget its sessions, as when it is started again: the call is sent on a new one.
func TestWebRestart(t *testing.T) {
	t.Parallel() // it mostly waits
	w := newWebServer(t, noDiscover(streamable(t, nil)))
	_, r := opened(t, Grant{Servers: []Server{w.as("s")}})
	assert.Equal(t, `"a"`, value(t, r, `(tool/s.echo "a")`))
	other := noDiscover(streamable(t, nil))
	w.handler.Store(&other)
	assert.Equal(t, `"a"`, value(t, r, `(tool/s.echo "a")`))
	w.CloseClientConnections()
	assert.Equal(t, `"a"`, value(t, r, `(retry {:times 3 :backoff-ms 10} (tool/s.echo "a"))`))
	w.Close()
	require.Eventually(t, func() bool { // the first call may find a connection that is being closed
		_, err := run(t, r, `(tool/s.echo "a")`)
		require.Error(t, err)
		return strings.Contains(err.Error(), "the server s is not reached")
	}, time.Minute, 10*time.Millisecond)
}

// TestWebElsewhere requires the headers of a grant to go to the granted place only.
func TestWebElsewhere(t *testing.T) {
	other := newWebServer(t, streamable(t, nil))
	w := newWebServer(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		http.Redirect(rw, r, other.URL, http.StatusTemporaryRedirect)
	}))
	_, err := Open(t.Context(), Grant{Servers: []Server{w.as("s")}})
	require.ErrorContains(t, err, "want the place that is granted")
	assert.Zero(t, other.requests.Load())
	// The next one names another place for messages.
	sse := newWebServer(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(rw, "event: endpoint\ndata: "+other.URL+"/messages\n\n")
	}))
	s := sse.as("s")
	s.SSE = true
	_, err = Open(t.Context(), Grant{Servers: []Server{s}})
	require.Error(t, err)
	assert.Zero(t, other.requests.Load())
}

// TestWebLarge makes a server answer without an end.
func TestWebLarge(t *testing.T) {
	good := streamable(t, &sdk.StreamableHTTPOptions{Stateless: true})
	for _, kind := range []string{"application/json", "text/event-stream"} {
		w := newWebServer(t, good)
		s := w.as("s")
		s.Timeout = 20 * time.Second
		_, r := opened(t, Grant{Servers: []Server{s}})
		var endless http.Handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			rw.Header().Set("Content-Type", kind)
			io.WriteString(rw, `data: {"jsonrpc": "2.0", "id": 1, "result": {"x": "`)
			for {
				if _, err := io.WriteString(rw, strings.Repeat("x", 1<<16)); err != nil {
					return
				}
			}
		})
		w.handler.Store(&endless)
		_, err := run(t, r, `(tool/s.echo "a")`)
		require.Error(t, err, kind)
		assert.NotContains(t, err.Error(), "it took longer", kind)
		w.handler.Store(&good)
		assert.Equal(t, `"a"`, value(t, r, `(tool/s.echo "a")`), kind)
	}
}
