// This file defines how a node answers requests that another node must answer: about runs that it leads, sessions that
// it has, and schedules if it runs them.

package cluster

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	clusterstore "github.com/ptc-lang/ptc/cluster/internal/store"
	"github.com/ptc-lang/ptc/cluster/member"
	"github.com/ptc-lang/ptc/cluster/peer"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/api"
	"github.com/ptc-lang/ptc/store"
)

// methodAPI is the method of requests of the API that a node sends to another one, such as the leader of a
// run. Nodes of two releases can forward to each other: the API of the newer one extends that of the older
// one.
const methodAPI = "api"

// maxForwarded bounds the body of a request on its way to another node, in bytes. Its JSON is longer by a third.
const maxForwarded = peer.MaxMessage / 2

// request is a request of the API on its way to another node.
type request struct {
	Method string      `json:"method"`
	URL    string      `json:"url"`
	Header http.Header `json:"header"`
	Who    access.Who  `json:"who"`
	Body   []byte      `json:"body,omitempty"`
}

// head is the first line of the answer.
type head struct {
	Status int         `json:"status"`
	Header http.Header `json:"header"`
}

// Serve makes the node take runs with an engine. It returns the handler of the API and the pages for this node:
// requests about a run that another node leads, or a session that it has, are answered by that node, those about
// schedules by the node that runs them, and the others by h. Requests come with an identity, see access.With.
func (n *Node) Serve(e *serve.Engine, h http.Handler) http.Handler {
	n.handler.Store(&h)
	n.worker.Engine(e)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		node := n.nodeOf(r)
		away := node != "" && node != n.opts.Config.Node
		kind, _ := about(r.URL)
		switch {
		case reads(r) && !n.majority() && !(away && kind == "sessions"): // only its node knows a session
			// An answer that may be old is better than none. Runs are marked as stale.
			n.local(h, w, r.WithContext(clusterstore.Stale(r.Context())))
		case away:
			n.forward(node, h, w, r)
		default:
			n.local(h, w, r)
		}
	})
}

// reads reports whether a request only reads.
func reads(r *http.Request) bool {
	return r.Method == http.MethodGet || r.Method == http.MethodHead
}

// majority reports whether this node reaches a majority of the voters, as far as it knows.
func (n *Node) majority() bool {
	m := n.members.Load()
	return m != nil && m.Reach() == member.Majority
}

// DutySchedules is the duty of the node that runs the schedules, see Elect.
const DutySchedules = "schedules"

// nodeOf returns the node that must answer a request; "" if any can.
func (n *Node) nodeOf(r *http.Request) string {
	kind, id := about(r.URL)
	switch kind {
	case "runs":
		return n.Leader(id)
	case "sessions":
		if name := serve.SessionNode(id); n.lives(name) {
			return name
		}
	case "schedules", "schedule":
		if m := n.members.Load(); m != nil {
			if h, ok := m.Holder(DutySchedules); ok {
				return h.Node
			}
		}
	}
	return ""
}

// about returns the subject of a request to the API or for a page: the first part of its path, and the id after it.
func about(u *url.URL) (kind, id string) {
	kind, rest, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(u.Path, "/v1"), "/"), "/")
	if kind == "changes" { // the events of a page
		kind = u.Query().Get("of")
	}
	id, _, _ = strings.Cut(rest, "/")
	return kind, id
}

// lives reports whether a node is a live member, as far as this node knows. Without a majority it reports
// true for every member.
func (n *Node) lives(name string) bool {
	m := n.members.Load()
	if m == nil || name == "" {
		return false
	}
	node, ok := m.Node(name)
	return ok && (node.State == member.Alive || node.State == member.Suspect || !n.majority())
}

// local answers a request here. A stream of the events of a run, which this node leads, or no node that can be reached,
// ends when another node comes to lead the run: the client comes back, and is answered by that node, or from the store.
func (n *Node) local(h http.Handler, w http.ResponseWriter, r *http.Request) {
	kind, run := about(r.URL)
	if kind != "runs" || !strings.HasSuffix(r.URL.Path, "/events") {
		h.ServeHTTP(w, r)
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	led := n.Leader(run)
	go n.follow(ctx, cancel, run, led)
	go n.watch(ctx, cancel, run, led)
	h.ServeHTTP(w, r.WithContext(ctx))
}

// followRetry is the time after which a run is followed again that the engine could not be asked for.
const followRetry = 200 * time.Millisecond

// follow calls cut when another node has changed a run. led is its leader as the caller has seen it.
func (n *Node) follow(ctx context.Context, cut context.CancelFunc, run, led string) {
	for first := true; ctx.Err() == nil; {
		err := n.store.Follow(ctx, run, func(store.Run) error {
			if now := n.Leader(run); now != n.opts.Config.Node && (!first || now != led) {
				cut()
			}
			first = false
			return ctx.Err()
		})
		switch {
		case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrClosed):
			return
		case ctx.Err() == nil:
			n.log.Debug("a run can't be followed; trying again", "run", run, "error", err)
		}
		select {
		case <-time.After(followRetry):
		case <-ctx.Done():
		}
	}
}

// leaderEvery is the time between two looks at the leader of a run. This node may learn of a leader after it has seen
// the last change that the leader makes for long.
const leaderEvery = 250 * time.Millisecond

// watch calls cut when another node has come to lead a run.
func (n *Node) watch(ctx context.Context, cut context.CancelFunc, run, led string) {
	tick := time.NewTicker(leaderEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		now := n.Leader(run)
		if now != led && now != "" && now != n.opts.Config.Node {
			cut()
		}
		led = now
	}
}

// forward makes another node answer a request. If that node can't be reached, this node answers requests
// that read a run, from its store.
func (n *Node) forward(node string, h http.Handler, w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxForwarded))
	if large := new(http.MaxBytesError); errors.As(err, &large) {
		api.Refuse(w, api.ErrTooLarge.With("%s answers this request, and one that is passed on to it has at most %d bytes: "+
			"send it to that node", node, large.Limit))
		return
	} else if err != nil {
		api.Refuse(w, api.ErrBadRequest.With("the body of the request can't be read: %v", err))
		return
	}
	header := r.Header.Clone()
	header.Del("Authorization")
	header.Del("Cookie")
	text, err := json.Marshal(request{r.Method, r.URL.RequestURI(), header, access.From(r.Context()), body})
	if err != nil { // it has JSON
		api.Refuse(w, fmt.Errorf("a request can't be encoded: %w", err))
		return
	}
	in, first, err := n.ask(r.Context(), node, text)
	if err != nil {
		n.log.Debug("the node that must answer a request can't be reached", "node", node, "error", err)
		kind, _ := about(r.URL)
		if kind != "runs" || !reads(r) {
			api.Refuse(w, refusal(node, err))
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		n.local(h, w, r)
		return
	}
	defer in.Close()
	for name, values := range first.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(first.Status)
	copyFlushing(w, in)
}

// refusal returns the problem of a request that another node must answer, and has not.
func refusal(node string, err error) error {
	if refused := new(peer.Error); errors.As(err, &refused) {
		return serve.ErrUnavailable.With("%s must answer this request, and does not take it: %s", node, refused.Message)
	}
	return serve.ErrUnavailable.With("%s must answer this request, and can't be reached, so whether it was done is "+
		"unknown: look, and try again", node)
}

// forwarded is the key of the context of requests that come from another node.
type forwarded struct{}

// ask sends a request to a node and returns the head of its answer, and the rest.
func (n *Node) ask(ctx context.Context, node string, text []byte) (_ io.ReadCloser, first head, err error) {
	stream, err := n.network.Open(ctx, node, methodAPI, text)
	if err != nil {
		return nil, first, err
	}
	in := bufio.NewReader(stream)
	line, err := in.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &first)
	}
	if err != nil {
		return nil, first, errors.Join(err, stream.Close())
	}
	return struct {
		io.Reader
		io.Closer
	}{in, stream}, first, nil
}

// copyFlushing copies an answer, and sends on each part as it arrives.
func copyFlushing(w http.ResponseWriter, in io.Reader) {
	out := http.NewResponseController(w)
	for buf := make([]byte, 32<<10); ; {
		k, err := in.Read(buf)
		if k > 0 {
			if _, err := w.Write(buf[:k]); err != nil {
				return
			}
			_ = out.Flush() // a writer that can't is one without a client
		}
		if err != nil {
			return
		}
	}
}

// answer answers a request that another node has got.
func (n *Node) answer(ctx context.Context, _ string, text []byte, out io.Writer) error {
	h := n.handler.Load()
	if h == nil {
		return errStarting
	}
	var q request
	if err := json.Unmarshal(text, &q); err != nil {
		return &peer.Error{Code: "invalid", Message: "the request can't be read: " + err.Error()}
	}
	ctx = context.WithValue(access.With(ctx, q.Who), forwarded{}, true)
	r, err := http.NewRequestWithContext(ctx, q.Method, q.URL, bytes.NewReader(q.Body))
	if err != nil {
		return &peer.Error{Code: "invalid", Message: "the request can't be read: " + err.Error()}
	}
	r.Header, r.RequestURI = q.Header, q.URL
	w := &response{out: out, header: http.Header{}}
	n.local(*h, w, r)
	w.WriteHeader(http.StatusOK)
	return w.err
}

// response writes an answer to another node.
type response struct {
	out    io.Writer
	header http.Header
	began  bool
	err    error
}

func (w *response) Header() http.Header { return w.header }

// WriteHeader writes the first line, once.
func (w *response) WriteHeader(status int) {
	if w.began {
		return
	}
	w.began = true
	line, err := json.Marshal(head{status, w.header})
	if err == nil {
		_, err = w.out.Write(append(line, '\n'))
	}
	w.err = err
}

func (w *response) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if w.err != nil {
		return 0, w.err
	}
	k, err := w.out.Write(b)
	w.err = err
	return k, err
}

// FlushError implements the interface of http.ResponseController. It has nothing to do: a stream between
// nodes sends each part immediately.
func (w *response) FlushError() error { return w.err }
