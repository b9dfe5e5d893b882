// This file defines the calls of a node to itself.

package peer

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
)

// self is this node as a caller.
func (n *Node) self() caller { return caller{n.node, n.release, Protocol} }

// callSelf answers a call of this node to itself, as one of another node.
func (n *Node) callSelf(ctx context.Context, method string, request []byte) ([]byte, error) {
	inner, end, err := n.within(ctx)
	if err != nil {
		return nil, err
	}
	type outcome struct {
		answer []byte
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		defer end()
		answer, err := n.call(inner, n.self(), method, slices.Clone(request))
		done <- outcome{slices.Clone(answer), err}
	}()
	select {
	case o := <-done:
		return o.answer, n.orEnded(ctx, o.err)
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// orEnded returns the error of a handler that this node has called itself.
func (n *Node) orEnded(ctx context.Context, err error) error {
	var refusal *Error
	switch {
	case err == nil || errors.As(err, &refusal):
		return err
	case n.life.Err() != nil:
		return unreachable(n.node, errClosed)
	}
	<-ctx.Done() // its deadline is that of the handler
	return context.Cause(ctx)
}

// within returns the context of a handler of a call of this node to itself: it has no values of the caller. end ends
// it.
func (n *Node) within(ctx context.Context) (inner context.Context, end func(), err error) {
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	if !n.begin() {
		return nil, nil, unreachable(n.node, errClosed)
	}
	inner, cancel := context.WithCancelCause(n.life)
	stop := context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
	stopTime := func() {}
	if at, ok := ctx.Deadline(); ok {
		inner, stopTime = context.WithDeadline(inner, at)
	}
	return inner, sync.OnceFunc(func() { stop(); stopTime(); cancel(nil); n.working.Done() }), nil
}

// openSelf opens a stream of this node to itself.
func (n *Node) openSelf(ctx context.Context, method string, request []byte) (io.ReadCloser, error) {
	inner, end, err := n.within(ctx)
	if err != nil {
		return nil, err
	}
	done, err := n.accept(n.self(), method, len(request))
	if err != nil {
		end()
		return nil, err
	}
	s, err := n.streamer(method)
	if err != nil {
		done()
		end()
		return nil, err
	}
	r, w := io.Pipe()
	stop := context.AfterFunc(inner, func() { w.CloseWithError(context.Cause(inner)) })
	closing, closeReader := context.WithCancel(inner)
	go func() {
		defer end()
		defer done()
		defer stop()
		defer closeReader()
		err := n.stream(closing, n.self(), method, s, slices.Clone(request), cloner{w})
		var refusal *Error
		if err != nil && !errors.As(err, &refusal) && inner.Err() != nil {
			err = context.Cause(inner)
		}
		w.CloseWithError(err)
	}()
	return &selfStream{r, closeReader}, nil
}

// selfStream is the reading end of a stream of this node to itself.
type selfStream struct {
	*io.PipeReader
	end func()
}

func (s *selfStream) Close() error {
	err := s.PipeReader.Close()
	s.end()
	return err
}
