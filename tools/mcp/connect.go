// This file defines the connection to a server, which is made again when it is lost.

package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ptc-lang/ptc/runtime/secret"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/tools/internal/detach"
)

// The codes of failures, besides those of the server.
const (
	CodeUnavailable  = "unavailable"  // the server is not reached; nothing was sent
	CodeDisconnected = "disconnected" // the connection was lost while the call was under way
	CodeUnauthorized = "unauthorized" // the server wants other credentials
	CodeRateLimited  = "rate-limited" // the server wants fewer calls
	CodeChanged      = "changed"      // the tool is not the one that the program was compiled with
	CodeNeedsInput   = "needs-input"  // the server wants to ask a person or a model
	CodeProtocol     = "protocol"     // the server does not answer as the protocol has it
	CodeToolError    = "tool-error"   // the tool reports that it has failed
	CodeClosed       = "closed"       // the host has closed the connection
)

// maxPause is the longest pause before a connection is made again. Tests shorten it.
var maxPause = 5 * time.Second

const (
	firstPause = 100 * time.Millisecond // before the second attempt
	// lasting is the age from which a connection has worked, so that the next one is made without a pause.
	lasting = 10 * time.Second
	// redials is the number of further attempts to make a connection again.
	redials = 4
)

// legacyRevision is the newest revision that begins with initialize.
const legacyRevision = "2025-11-25"

// server is a granted server with its connection. It is safe for concurrent use.
type server struct {
	Server
	grant  *Grant
	log    *slog.Logger
	hidden *secret.Set
	tokens tokens        // secrets that change, in addition to hidden
	places chan struct{} // of calls under way
	web    *web          // nil for a command
	listed listing       // the findings of Open; immutable after it
	shapes *shapes

	ctx  context.Context // of the connections
	stop context.CancelFunc
	wg   sync.WaitGroup
	left detach.Group

	mu     sync.Mutex
	closed bool
	conn   *conn
	dial   *dialing // the connection that is being made
	short  int      // connections in a row that did not last
	legacy bool     // the server answers only initialize
	sse    bool     // and only in the transport of 2024-11-05
}

// dialing is a connection that is being made.
type dialing struct {
	done chan struct{} // closed at the end
	err  error
}

// conn is a connection.
type conn struct {
	session *sdk.ClientSession
	child   *child // nil for a URL
	since   time.Time
	lost    chan struct{} // closed when it is lost

	mu      sync.Mutex
	stale   bool              // the server has reported a change of its tools
	changed map[string]string // the tools that are others than at Open, and how
}

// isLost reports whether the connection is lost.
func (c *conn) isLost() bool {
	select {
	case <-c.lost:
		return true
	default:
		return false
	}
}

// connection returns the connection, and makes it if there is none.
func (s *server) connection(ctx context.Context) (*conn, error) {
	for {
		s.mu.Lock()
		if s.closed {
			s.mu.Unlock()
			return nil, &tool.Error{Code: CodeClosed, Message: "the host has closed the connection to " + s.Name}
		}
		if c := s.conn; c != nil {
			s.mu.Unlock()
			return c, nil
		}
		d := s.dial
		if d == nil {
			d = &dialing{done: make(chan struct{})}
			s.dial = d
			s.wg.Go(func() { s.redial(d) })
		}
		s.mu.Unlock()
		select {
		case <-d.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if d.err != nil {
			return nil, d.err
		}
	}
}

// redial makes the connection again.
func (s *server) redial(d *dialing) {
	ctx, cancel := context.WithTimeout(s.ctx, s.grant.Connect)
	defer cancel()
	s.mu.Lock()
	pause := time.Duration(0)
	if s.short > 0 {
		pause = min(firstPause<<min(s.short-1, 10), maxPause)
	}
	s.mu.Unlock()
	var c *conn
	var err error
	for attempt := 0; ; attempt++ {
		if !sleep(ctx, pause) {
			err = errors.Join(err, ctx.Err())
			break
		}
		c, err = s.connect(ctx)
		if own := (*tool.Error)(nil); err == nil || attempt >= redials || errors.As(err, &own) {
			break
		}
		pause = min(2*max(pause, firstPause/2), maxPause)
	}
	if err == nil {
		if c.changed, err = s.changes(ctx, c); err != nil {
			s.end(c)
			close(c.lost)
			c = nil
		}
	}
	if own := (*tool.Error)(nil); errors.As(err, &own) {
		d.err = own
	} else if err != nil {
		d.err = &tool.Error{Code: CodeUnavailable, Message: "the server " + s.Name + " is not reached", Retryable: true,
			Err: err}
	}
	s.enter(c)
	s.mu.Lock()
	s.dial = nil
	s.mu.Unlock()
	close(d.done)
}

// enter makes a connection the one of the server. It may be nil.
func (s *server) enter(c *conn) {
	if c == nil {
		return
	}
	s.mu.Lock()
	closed := s.closed
	if !closed {
		s.conn = c
	}
	s.mu.Unlock()
	s.wg.Go(func() {
		_ = c.session.Wait() // the calls that it loses say how it ended
		s.lose(c)
	})
	if closed {
		s.end(c)
	}
}

// lose notes that a connection is lost.
func (s *server) lose(c *conn) {
	s.mu.Lock()
	if s.conn == c {
		s.conn = nil
		if s.short++; time.Since(c.since) >= lasting {
			s.short = 0
		}
	}
	if !c.isLost() {
		close(c.lost)
	}
	s.mu.Unlock()
	s.wg.Go(func() { s.end(c) })
}

// end closes a connection, and ends its process.
func (s *server) end(c *conn) {
	if c.child != nil {
		c.child.close()
	}
	_ = c.session.Close() // the server may be gone
}

// sleep waits, and reports whether the context has not ended.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// connect makes a connection with the newest revision that the server has. Most servers that do not know it say so,
// and the SDK continues with initialize. Others end or do not answer: they are asked once more.
func (s *server) connect(ctx context.Context) (*conn, error) {
	s.mu.Lock()
	legacy, sse := s.legacy, s.sse || s.SSE
	s.mu.Unlock()
	var first error
	if !legacy && !sse {
		probe, cancel := s.grant.probe(ctx)
		c, a, err := s.attempt(probe, "", false)
		cancel()
		if err == nil || s.hopeless(a) || ctx.Err() != nil {
			return c, err
		}
		first, sse = err, old(a)
	}
	c, a, err := s.attempt(ctx, legacyRevision, sse)
	if err != nil {
		if first != nil && a.status.Load() >= http.StatusBadRequest {
			err = first // the answer to the transport that was granted
		}
		return nil, err
	}
	s.mu.Lock()
	s.legacy, s.sse = true, sse
	s.mu.Unlock()
	return c, nil
}

// halfOf returns a context that ends after half of the time of ctx, whose deadline is that of a connection.
func halfOf(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, _ := ctx.Deadline()
	return context.WithTimeout(ctx, time.Until(deadline)/2)
}

// hopeless reports whether a server that did not answer as wanted will not answer another revision either.
func (s *server) hopeless(a *attempt) bool {
	if s.web == nil {
		return !a.sent.Load() // it did not start
	}
	status := a.status.Load()
	return !a.sent.Load() || status == http.StatusUnauthorized || status == http.StatusForbidden ||
		status >= http.StatusInternalServerError
}

// old reports whether a server of a URL refuses requests as one of the revision 2024-11-05 does.
func old(a *attempt) bool {
	status := a.status.Load()
	return status == http.StatusNotFound || status == http.StatusMethodNotAllowed || status == http.StatusBadRequest
}

// attempt makes a connection; revision is "" for the newest one.
func (s *server) attempt(ctx context.Context, revision string, sse bool) (*conn, *attempt, error) {
	a := &attempt{}
	own, cancel := context.WithCancel(withAttempt(s.ctx, a)) // the connection lives longer than ctx
	c := &conn{since: time.Now(), lost: make(chan struct{})}
	var transport sdk.Transport
	if s.web != nil {
		transport = s.web.transport(sse)
	} else {
		started, err := s.start()
		if err != nil {
			cancel()
			return nil, a, err
		}
		a.sent.Store(true)
		c.child, transport = started, started
	}
	stop := context.AfterFunc(ctx, cancel)
	client := sdk.NewClient(&sdk.Implementation{Name: "ptc", Version: "1"}, &sdk.ClientOptions{
		Capabilities:           &sdk.ClientCapabilities{},
		MultiRoundTrip:         &sdk.MultiRoundTripOptions{Disabled: true},
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { c.setStale() },
	})
	session, err := s.session(own, client, transport, revision, c.child)
	late := !stop()
	if err == nil && !late {
		c.session = session
		go func() { <-c.lost; cancel() }()
		return c, a, nil
	}
	cancel()
	if session != nil {
		_ = session.Close() // it was late
	}
	if c.child != nil {
		c.child.close()
	}
	status := a.status.Load()
	if status == http.StatusUnauthorized || status == http.StatusForbidden || s.loggedOut() != nil {
		return nil, a, s.unauthorized(err)
	}
	return nil, a, s.whyNot(ctx, err, c.child)
}

// unauthorized returns the error of a server that refuses the credentials of its grant.
func (s *server) unauthorized(err error) error {
	e := &tool.Error{Code: CodeUnauthorized, Err: s.cleanError(err),
		Message: "the server " + s.Name + " wants other credentials than those of its grant"}
	why := s.loggedOut()
	if narrow := (*narrowLogin)(nil); errors.As(err, &narrow) {
		why = narrow
	}
	if why != nil {
		e.Message = "the server " + s.Name + ": " + s.clean(why.Error())
	}
	return e
}

// session begins a session.
func (s *server) session(ctx context.Context, client *sdk.Client, transport sdk.Transport, revision string,
	child *child) (*sdk.ClientSession, error) {
	if child != nil {
		defer context.AfterFunc(ctx, child.close)() // a write to a process that does not read does not see ctx
	}
	return client.Connect(ctx, transport, &sdk.ClientSessionOptions{ProtocolVersion: revision})
}

// whyNot returns the error of a connection that was not made.
func (s *server) whyNot(ctx context.Context, err error, c *child) error {
	if ctx.Err() != nil {
		err = errors.New("it has not answered in time")
	}
	if c == nil {
		return s.cleanError(err)
	}
	if last := c.stderr.last(); last != "" {
		return fmt.Errorf("%w; its standard error ends with: %s", s.cleanError(err), s.clean(last))
	}
	return s.cleanError(err)
}

// clean returns a text of the server without secrets, on one line.
func (s *server) clean(text string) string {
	return s.tokens.hidden().Text(s.hidden.Text(printable(text, maxText)))
}

// cleanError returns an error without secrets, and with the text of a server cut at a bound.
func (s *server) cleanError(err error) error { return &cleaned{s.clean(err.Error()), err} }

// cleaned is an error whose text is safe to show.
type cleaned struct {
	text string
	err  error
}

func (c *cleaned) Error() string { return c.text }
func (c *cleaned) Unwrap() error { return c.err }

func (c *conn) setStale() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stale = true
}

// close ends the connection, and the calls that are under way.
func (s *server) close() {
	s.mu.Lock()
	s.closed = true
	c := s.conn
	s.mu.Unlock()
	s.stop() // calls that are under way end, or closing the session would wait for them
	if c != nil {
		s.end(c)
	}
	s.wg.Wait()
	s.left.Wait()
	if s.web != nil {
		s.web.pool.CloseIdleConnections()
	}
}
