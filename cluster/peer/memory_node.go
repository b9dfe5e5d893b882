// This file defines a node of the network within a process.

package peer

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
)

// MemoryNode is a node of a Memory. It is reachable until it is closed.
type MemoryNode struct {
	*answerer
	net  *Memory
	life context.Context
	end  context.CancelCauseFunc

	ending  sync.Mutex
	closed  bool
	working sync.WaitGroup // handlers and streamers
}

// errClosed is the cause of contexts and streams that end with the node.
var errClosed = errors.New("the node has ended")

// begin counts a handler, and reports false if the node is closed.
func (n *MemoryNode) begin() bool {
	n.ending.Lock()
	defer n.ending.Unlock()
	if !n.closed {
		n.working.Add(1)
	}
	return !n.closed
}

// Close removes the node, as when its process is killed: its handlers and calls are cut, the contexts of
// its handlers end, and none of its bytes reach others any more. It returns when the handlers have
// returned.
func (n *MemoryNode) Close() {
	n.ending.Lock()
	n.closed = true
	n.ending.Unlock()
	m := n.net
	m.mu.Lock()
	if m.nodes[n.node] == n {
		delete(m.nodes, n.node)
		for f := range m.flights {
			if f.from == n.node || f.to == n.node {
				f.end(unreachable(f.to, errClosed))
			}
		}
	}
	m.mu.Unlock()
	n.end(errClosed)
	n.working.Wait()
}

func (n *MemoryNode) caller() caller {
	return caller{node: n.node, release: n.release, protocol: Protocol}
}

// Call sends a request to a node.
func (n *MemoryNode) Call(ctx context.Context, node, method string, request []byte) ([]byte, error) {
	if len(request) > MaxMessage {
		return nil, tooLarge(method, len(request))
	}
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	if n.life.Err() != nil {
		return nil, unreachable(node, errClosed)
	}
	f := n.net.depart(ctx, n.node, node)
	defer n.net.land(f)
	if node == n.node { // not over the network
		f.there, f.back, f.before, f.after, f.repeat = 0, 0, false, false, false
	}
	answer, err := n.send(f, method, request)
	if f.repeat && err == nil {
		answer, err = n.send(f, method, request)
	}
	if err != nil {
		return nil, err
	}
	return answer, n.net.answered(f)
}

// send has a request handled once, and returns when that is done or the flight ends. An *Error of the handler takes the
// way of an answer.
func (n *MemoryNode) send(f *flight, method string, request []byte) ([]byte, error) {
	to, err := n.net.arrive(f)
	if err != nil {
		return nil, err
	}
	type outcome struct {
		answer []byte
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		defer to.working.Done()
		ctx, end := to.handling(f)
		defer end()
		answer, err := to.call(ctx, n.caller(), method, slices.Clone(request))
		done <- outcome{slices.Clone(answer), err}
	}()
	select {
	case <-f.ctx.Done():
		return nil, context.Cause(f.ctx)
	case o := <-done:
		return o.answer, n.refused(f, to, o.err)
	}
}

// refused returns the error of a handler as the caller sees it.
func (n *MemoryNode) refused(f *flight, to *MemoryNode, err error) error {
	var refusal *Error
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &refusal):
		return to.over(f)
	}
	if lost := n.net.answered(f); lost != nil {
		return lost
	}
	return refusal
}

// over returns why the context of a handler of the node has ended: the flight, which has the same deadline, or the
// node.
func (n *MemoryNode) over(f *flight) error {
	select {
	case <-f.ctx.Done():
		return context.Cause(f.ctx)
	case <-n.life.Done():
		return unreachable(f.to, errClosed)
	}
}

// handling returns the context of a handler: it has the deadline of the caller, and none of its values. It ends with
// the flight, and with the node.
func (n *MemoryNode) handling(f *flight) (context.Context, func()) {
	ctx, end := context.WithCancelCause(n.life)
	stop := context.AfterFunc(f.ctx, func() { end(context.Cause(f.ctx)) })
	stopTime := func() {}
	if at, bounded := f.ctx.Deadline(); bounded {
		ctx, stopTime = context.WithDeadline(ctx, at)
	}
	return ctx, func() { stop(); stopTime(); end(nil) }
}

// Open sends a request to a node and returns the stream of its answer.
func (n *MemoryNode) Open(ctx context.Context, node, method string, request []byte) (io.ReadCloser, error) {
	if len(request) > MaxMessage {
		return nil, tooLarge(method, len(request))
	}
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	if n.life.Err() != nil {
		return nil, unreachable(node, errClosed)
	}
	f := n.net.depart(ctx, n.node, node)
	if node == n.node {
		f.there, f.back, f.before, f.after = 0, 0, false, false
	}
	s, err := n.open(f, method, request)
	if err != nil {
		n.net.land(f)
		return nil, err
	}
	return s, nil
}

// open begins a stream. The flight lands when the stream is closed.
func (n *MemoryNode) open(f *flight, method string, request []byte) (io.ReadCloser, error) {
	to, err := n.net.arrive(f)
	if err != nil {
		return nil, err
	}
	done, err := to.accept(n.caller(), method, len(request))
	if err != nil {
		to.working.Done()
		return nil, n.refused(f, to, err)
	}
	streamer, err := to.streamer(method)
	if err == nil {
		err = n.net.answered(f)
	}
	if err != nil {
		done()
		to.working.Done()
		return nil, err
	}
	r, w := io.Pipe()
	// A cut ends both sides immediately. Bytes that were written before and not read yet are lost, as on a connection.
	stop := context.AfterFunc(f.ctx, func() { w.CloseWithError(context.Cause(f.ctx)) })
	go func() {
		defer to.working.Done()
		defer done()
		defer stop()
		ctx, end := to.handling(f)
		defer end()
		err := to.stream(ctx, n.caller(), method, streamer, slices.Clone(request), cloner{w})
		var refusal *Error
		if err != nil && !errors.As(err, &refusal) {
			err = to.over(f)
		}
		w.CloseWithError(err)
	}()
	return &memoryStream{r, f, n.net}, nil
}

// cloner hides the methods of a pipe.
type cloner struct{ w io.Writer }

func (c cloner) Write(p []byte) (int, error) { return c.w.Write(p) }

// memoryStream is the reading end of a stream.
type memoryStream struct {
	*io.PipeReader
	f   *flight
	net *Memory
}

// Close ends the stream, and the context of its streamer.
func (s *memoryStream) Close() error {
	err := s.PipeReader.Close()
	s.net.land(s.f)
	return err
}
