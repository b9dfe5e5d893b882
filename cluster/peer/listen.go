// This file defines the network over HTTP/2 with certificates: how a node answers.

package peer

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/cluster/pki"
)

// Config is the configuration with which a node reaches others and is reached.
type Config struct {
	Identity *pki.Identity
	Address  string // HOST:PORT to listen on; port 0 chooses one
	// Find returns the address of another node now, HOST:PORT. It is called when a connection begins.
	Find func(node string) (address string, ok bool)
	// Release names the software of the node: see SameRelease.
	Release string
	// Admit lets nodes join over this port; nil refuses them.
	Admit *pki.Admitter
	Log   *slog.Logger
	// Dial is the time for a connection and its handshake; 0 for 5 s.
	Dial time.Duration
	// Silence is the time after which a connection on which nothing arrives is tested, and then again the time for the
	// answer to the test: a call over a dead link fails after twice the time. 0 for 5 s.
	Silence time.Duration
}

// The bounds of a node that answers.
const (
	dialTime      = 5 * time.Second
	silenceTime   = 5 * time.Second  // a machine may be busy: members notice a death earlier, by missed heartbeats
	bodyTime      = 30 * time.Second // for a request or an answer of MaxMessage to arrive
	maxHeader     = 64 << 10         // bytes of a header
	maxConnStream = 1000             // calls on one connection; a caller with more opens another one
	maxJoins      = 16               // nodes that join concurrently
	// maxBodies bounds the bytes of all requests that are handled concurrently, and maxCallerBodies those of
	// one caller: a broken node must not block the requests of the others.
	maxBodies       = 64 * MaxMessage
	maxCallerBodies = 16 * MaxMessage
	// maxError bounds the bytes of the message of an *Error.
	maxError = 8 << 10
)

// The headers of a request and of an answer.
const (
	headerProtocol = "Ptc-Protocol"
	headerRelease  = "Ptc-Release"
	headerTimeout  = "Ptc-Timeout" // nanoseconds that are left until the deadline
	headerEnd      = "Ptc-End"     // a trailer of a stream: "ok", or an *Error in JSON
	endOK          = "ok"
	pathCall       = "/call/"
	pathStream     = "/stream/"
	// statusRefused is the status of an answer with an *Error. No other part of HTTP answers with it.
	statusRefused = http.StatusUnprocessableEntity
)

// Node is a node of a network over HTTP/2, with certificates on both sides.
type Node struct {
	*answerer
	config Config
	socket net.Listener
	server *http.Server
	links  *links

	life    context.Context
	end     context.CancelCauseFunc
	bodies  bodies
	joins   chan struct{}
	ending  sync.Mutex
	closed  bool
	working sync.WaitGroup // handlers, joins, and the server
}

// Listen returns a node that listens at its address, and answers after Start. It can call others before Start.
func Listen(c Config) (*Node, error) {
	if c.Dial == 0 {
		c.Dial = dialTime
	}
	if c.Silence == 0 {
		c.Silence = silenceTime
	}
	socket, err := net.Listen("tcp", c.Address)
	if err != nil {
		return nil, fmt.Errorf("peer: %s can't listen: %w", c.Identity.Name(), err)
	}
	n := &Node{answerer: newAnswerer(c.Identity.Name(), c.Release), config: c, socket: socket,
		joins: make(chan struct{}, maxJoins)}
	n.life, n.end = context.WithCancelCause(context.Background())
	n.links = newLinks(c, n.life)
	protocols := new(http.Protocols)
	protocols.SetHTTP2(true)
	n.server = &http.Server{
		Handler: n, Protocols: protocols, TLSConfig: c.Identity.Server(c.Admit != nil, "h2"),
		ReadHeaderTimeout: c.Dial, MaxHeaderBytes: maxHeader,
		HTTP2: &http.HTTP2Config{MaxConcurrentStreams: maxConnStream, SendPingTimeout: c.Silence, PingTimeout: c.Silence,
			WriteByteTimeout: bodyTime},
		ErrorLog: slog.NewLogLogger(c.Log.With("node", n.node).Handler(), slog.LevelWarn),
		TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){
			pki.JoinProtocol: func(_ *http.Server, conn *tls.Conn, _ http.Handler) { n.admit(conn) }},
		BaseContext: func(net.Listener) context.Context { return n.life },
	}
	return n, nil
}

// Addr returns the address of the node.
func (n *Node) Addr() net.Addr { return n.socket.Addr() }

// Start makes the node answer, until Close.
func (n *Node) Start() {
	if !n.begin() {
		return
	}
	go func() {
		defer n.working.Done()
		if err := n.server.ServeTLS(n.socket, "", ""); !errors.Is(err, http.ErrServerClosed) {
			n.config.Log.Error("the node is not reachable any more", "node", n.node, "error", err)
		}
	}()
}

// Close ends all connections, the contexts of the handlers, and the calls of the node. It returns when the handlers
// have.
func (n *Node) Close() {
	n.ending.Lock()
	n.closed = true
	n.ending.Unlock()
	n.end(errClosed)
	n.server.Close()
	n.socket.Close()
	n.links.close()
	n.working.Wait()
}

// begin counts work of the node, and reports false if it is closed.
func (n *Node) begin() bool {
	n.ending.Lock()
	defer n.ending.Unlock()
	if !n.closed {
		n.working.Add(1)
	}
	return !n.closed
}

// admit serves a connection of a node that joins.
func (n *Node) admit(conn *tls.Conn) {
	select {
	case n.joins <- struct{}{}:
		defer func() { <-n.joins }()
	default:
		conn.Close()
		return
	}
	if n.config.Admit == nil || !n.begin() {
		conn.Close()
		return
	}
	defer n.working.Done()
	n.config.Admit.Serve(n.life, conn)
}

// ServeHTTP answers a request of another node.
func (n *Node) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !n.begin() {
		panic(http.ErrAbortHandler)
	}
	defer n.working.Done()
	if r.TLS == nil || r.ProtoMajor != 2 || r.Method != http.MethodPost {
		http.Error(w, "want POST over HTTP/2 with a certificate", http.StatusBadRequest)
		return
	}
	node, err := n.config.Identity.Node(*r.TLS)
	if err != nil {
		n.config.Log.Warn("a request was refused", "node", n.node, "address", r.RemoteAddr, "error", err)
		refuse(w, n.refuse(CodeIdentity, "%s refuses the certificate: %v", n.node, err))
		return
	}
	from := caller{node: node}
	from.protocol, _ = strconv.Atoi(r.Header.Get(headerProtocol))
	if from.release, err = strconv.Unquote(r.Header.Get(headerRelease)); err != nil {
		from.protocol = 0
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	if left, err := strconv.ParseInt(r.Header.Get(headerTimeout), 10, 64); err == nil {
		ctx, cancel = context.WithTimeout(ctx, time.Duration(left))
		defer cancel()
	}
	if method, ok := strings.CutPrefix(r.URL.Path, pathCall); ok {
		n.answerCall(ctx, w, r, from, method)
	} else if method, ok := strings.CutPrefix(r.URL.Path, pathStream); ok {
		n.answerStream(ctx, w, r, from, method)
	} else {
		http.NotFound(w, r)
	}
}

// bodies counts the bytes of the requests that are handled.
type bodies struct {
	mu   sync.Mutex
	all  int64
	from map[string]int64 // by callers
}

// add counts bytes of a caller, or removes them if size is negative. It reports false if there is no room.
func (b *bodies) add(from string, size int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.all+size > maxBodies || b.from[from]+size > maxCallerBodies {
		return false
	}
	if b.from == nil {
		b.from = make(map[string]int64)
	}
	b.all += size
	if b.from[from] += size; b.from[from] == 0 {
		delete(b.from, from)
	}
	return true
}

// body reads the request. done frees its room.
func (n *Node) body(w http.ResponseWriter, r *http.Request, from caller,
	method string) (body []byte, done func(), err error) {
	size := r.ContentLength
	switch {
	case size < 0:
		return nil, nil, n.refuse(CodeTooLarge, "the request %q has no length", method)
	case size > MaxMessage:
		return nil, nil, tooLarge(method, int(size))
	case !n.bodies.add(from.node, size):
		return nil, nil, n.refuse(CodeBusy, "%s handles requests of %d bytes, or of %d bytes of %s, already: try again later",
			n.node, maxBodies, maxCallerBodies, from.node)
	}
	done = func() { n.bodies.add(from.node, -size) }
	control := http.NewResponseController(w)
	control.SetReadDeadline(time.Now().Add(bodyTime))
	body = make([]byte, size)
	if _, err := io.ReadFull(r.Body, body); err != nil {
		done()
		return nil, nil, err
	}
	control.SetReadDeadline(time.Time{})
	return body, done, nil
}

func (n *Node) answerCall(ctx context.Context, w http.ResponseWriter, r *http.Request, from caller, method string) {
	body, done, err := n.body(w, r, from, method)
	if err != nil {
		refuse(w, err)
		return
	}
	defer done()
	answer, err := n.call(ctx, from, method, body)
	http.NewResponseController(w).SetWriteDeadline(time.Now().Add(bodyTime))
	if err != nil {
		refuse(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
	w.Write(answer)
}

func (n *Node) answerStream(ctx context.Context, w http.ResponseWriter, r *http.Request, from caller, method string) {
	body, freed, err := n.body(w, r, from, method)
	if err != nil {
		refuse(w, err)
		return
	}
	defer freed()
	done, err := n.accept(from, method, len(body))
	if err != nil {
		refuse(w, err)
		return
	}
	defer done()
	s, err := n.streamer(method)
	if err != nil {
		refuse(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	flush := flusher{w, http.NewResponseController(w)}
	if flush.Flush() != nil {
		return
	}
	end := endOK
	if err := n.stream(ctx, from, method, s, body, flush); err != nil {
		text, ok := encodeError(err)
		if !ok {
			panic(http.ErrAbortHandler) // the context has ended: there is nobody to answer
		}
		end = string(text)
	}
	w.Header().Set(http.TrailerPrefix+headerEnd, end)
}

// flusher sends each write immediately.
type flusher struct {
	w io.Writer
	*http.ResponseController
}

func (f flusher) Write(p []byte) (int, error) {
	k, err := f.w.Write(p)
	if err == nil {
		err = f.Flush()
	}
	return k, err
}

// refuse answers with an *Error. Any other error ends the stream of HTTP/2 without an answer.
func refuse(w http.ResponseWriter, err error) {
	text, ok := encodeError(err)
	if !ok {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(statusRefused)
	w.Write(text)
}

// encodeError returns an *Error as JSON in ASCII, which a header may have.
func encodeError(err error) (text []byte, ok bool) {
	var e *Error
	if !errors.As(err, &e) {
		return nil, false
	}
	short := *e
	if len(short.Message) > maxError {
		short.Message = short.Message[:maxError] + "…"
	}
	text, err = json.Marshal(short)
	if err != nil {
		return nil, false
	}
	return []byte(ascii(string(text))), true
}

// ascii escapes the characters of a JSON text that are not ASCII.
func ascii(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r < 0x7f:
			b.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		}
	}
	return b.String()
}
