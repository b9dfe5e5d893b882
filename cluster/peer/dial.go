// This file defines the network over HTTP/2 with certificates: how a node calls others.

package peer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// exchange is a request that a node has accepted, with its answer.
type exchange struct {
	node   string
	ctx    context.Context
	end    func() // ends ctx
	answer *http.Response
}

// send sends a request. The caller ends the exchange.
func (n *Node) send(ctx context.Context, node, path, method string, request []byte) (x *exchange, err error) {
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case len(request) > MaxMessage:
		return nil, tooLarge(method, len(request))
	case n.life.Err() != nil:
		return nil, unreachable(node, errClosed)
	}
	inner, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(n.life, func() { cancel(unreachable(node, errClosed)) })
	end := func() { stop(); cancel(nil) }
	x = &exchange{node: node, ctx: inner, end: end}
	defer func() {
		if err != nil {
			end()
		}
	}()
	u := &url.URL{Scheme: "https", Host: node, Path: path + method}
	r, err := http.NewRequestWithContext(inner, http.MethodPost, u.String(), bytes.NewReader(request))
	if err != nil {
		return nil, err
	}
	r.Header = http.Header{headerProtocol: {strconv.Itoa(Protocol)}, headerRelease: {strconv.QuoteToASCII(n.release)}}
	if at, ok := ctx.Deadline(); ok {
		r.Header.Set(headerTimeout, strconv.FormatInt(int64(time.Until(at)), 10))
	}
	conn, err := n.links.reserve(inner, node)
	if err != nil {
		return nil, x.failed(err)
	}
	if x.answer, err = conn.RoundTrip(r); err != nil {
		return nil, x.failed(err)
	}
	if x.answer.StatusCode == http.StatusOK {
		return x, nil
	}
	defer x.answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(x.answer.Body, 8*maxError))
	if err != nil {
		return nil, x.failed(err)
	}
	refusal := new(Error)
	if x.answer.StatusCode != statusRefused || json.Unmarshal(text, refusal) != nil {
		return nil, unreachable(node, fmt.Errorf("it answers %s: %.200q", x.answer.Status, text))
	}
	return nil, refusal
}

// failed returns the error of a call: the error of the context if it has ended, else ErrUnreachable. The
// other node has the same deadline, and its answer can come before the timer of this one.
func (x *exchange) failed(err error) error {
	if x.ctx.Err() != nil {
		return context.Cause(x.ctx)
	}
	if at, ok := x.ctx.Deadline(); ok && !time.Now().Before(at) {
		return context.DeadlineExceeded
	}
	return unreachable(x.node, err)
}

// Call sends a request to a node.
func (n *Node) Call(ctx context.Context, node, method string, request []byte) ([]byte, error) {
	if node == n.node {
		return n.callSelf(ctx, method, request)
	}
	x, err := n.send(ctx, node, pathCall, method, request)
	if err != nil {
		return nil, err
	}
	defer x.Close()
	size := x.answer.ContentLength
	if size < 0 || size > MaxMessage {
		return nil, unreachable(node, fmt.Errorf("the answer has a length of %d, want 0 to %d", size, MaxMessage))
	}
	answer := make([]byte, size)
	if _, err := io.ReadFull(x.answer.Body, answer); err != nil {
		return nil, x.failed(err)
	}
	return answer, nil
}

// Close ends the exchange, and the context of the handler.
func (x *exchange) Close() error {
	x.end()
	return x.answer.Body.Close()
}

// Open sends a request to a node and returns the stream of its answer.
func (n *Node) Open(ctx context.Context, node, method string, request []byte) (io.ReadCloser, error) {
	if node == n.node {
		return n.openSelf(ctx, method, request)
	}
	return n.OpenProcess(ctx, node, method, request)
}

// OpenProcess is Open over the network: if the node has the name of this one, it is another process of it.
func (n *Node) OpenProcess(ctx context.Context, node, method string, request []byte) (io.ReadCloser, error) {
	x, err := n.send(ctx, node, pathStream, method, request)
	if err != nil {
		return nil, err
	}
	return &answerStream{exchange: x}, nil
}

// answerStream is the reading end of a stream.
type answerStream struct {
	*exchange
	err error // of all further reads
}

func (s *answerStream) Read(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	k, err := s.answer.Body.Read(p)
	if err != nil {
		s.err = s.ended(err)
	}
	return k, s.err
}

// ended returns why the body of the answer has ended.
func (s *answerStream) ended(err error) error {
	if !errors.Is(err, io.EOF) {
		return s.failed(err)
	}
	refusal := new(Error)
	switch end := s.answer.Trailer.Get(headerEnd); {
	case end == endOK:
		return io.EOF
	case json.Unmarshal([]byte(end), refusal) == nil:
		return refusal
	}
	return unreachable(s.node, io.ErrUnexpectedEOF)
}
