// This file defines how a node answers requests, whatever carries them.

package peer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
)

// caller is a node that sends a request.
type caller struct {
	node, release string
	protocol      int
}

// answerer holds the handlers of a node.
type answerer struct {
	node, release string
	maxCalls      int // MaxCalls, except in tests

	mu        sync.Mutex
	handlers  map[string]Handler
	streamers map[string]Streamer
	calls     map[string]int // that are handled now, by the node that has sent them
}

// newAnswerer returns a node without handlers.
func newAnswerer(node, release string) *answerer {
	return &answerer{node: node, release: release, maxCalls: MaxCalls,
		handlers: make(map[string]Handler), streamers: make(map[string]Streamer), calls: make(map[string]int)}
}

// Node returns the name of the node.
func (a *answerer) Node() string { return a.node }

// Handle makes the node answer a method.
func (a *answerer) Handle(method string, h Handler) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.handlers[method] = h
}

// Stream makes the node answer a method with a stream.
func (a *answerer) Stream(method string, s Streamer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.streamers[method] = s
}

// accept returns an error if the node refuses a request, else it counts the request until done is called.
func (a *answerer) accept(from caller, method string, size int) (done func(), err error) {
	switch {
	case from.protocol != Protocol:
		return nil, a.refuse(CodeVersion, "%s has version %d of the messages between nodes, %s has version %d: "+
			"upgrade the older of them", a.node, Protocol, from.node, from.protocol)
	case strings.HasPrefix(method, SameRelease) && from.release != a.release:
		return nil, a.refuse(CodeVersion, "%s is the release %q, %s is %q: nodes of two releases share no work, "+
			"upgrade the older of them", a.node, a.release, from.node, from.release)
	case size > MaxMessage:
		return nil, tooLarge(method, size)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.calls[from.node] >= a.maxCalls {
		return nil, a.refuse(CodeBusy, "%s handles %d requests of %s already: try again later", a.node, a.maxCalls, from.node)
	}
	a.calls[from.node]++
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.calls[from.node]--; a.calls[from.node] == 0 {
			delete(a.calls, from.node)
		}
	}, nil
}

// handler returns the handler of a method.
func (a *answerer) handler(method string) (Handler, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if h := a.handlers[method]; h != nil {
		return h, nil
	}
	return nil, a.refuse(CodeMethod, "%s does not answer %q", a.node, method)
}

// streamer returns the streamer of a method.
func (a *answerer) streamer(method string) (Streamer, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s := a.streamers[method]; s != nil {
		return s, nil
	}
	return nil, a.refuse(CodeMethod, "%s has no stream %q", a.node, method)
}

// refuse returns an *Error.
func (a *answerer) refuse(code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// tooLarge is the error of a request that is too large.
func tooLarge(method string, size int) *Error {
	return &Error{CodeTooLarge, fmt.Sprintf("the request %q has %d bytes, want at most %d", method, size, MaxMessage)}
}

// call answers a request. The error is an *Error, or that of the context.
func (a *answerer) call(ctx context.Context, from caller, method string, request []byte) ([]byte, error) {
	done, err := a.accept(from, method, len(request))
	if err != nil {
		return nil, err
	}
	defer done()
	h, err := a.handler(method)
	if err != nil {
		return nil, err
	}
	answer, err := h(ctx, from.node, request)
	switch {
	case err != nil:
		return nil, a.failure(ctx, method, err)
	case len(answer) > MaxMessage:
		return nil, a.refuse(CodeAnswer, "%s has handled %q, but the answer has %d bytes, want at most %d",
			a.node, method, len(answer), MaxMessage)
	}
	return answer, nil
}

// stream answers a request with a stream that was accepted. The error is as that of call.
func (a *answerer) stream(ctx context.Context, from caller, method string, s Streamer, request []byte,
	w io.Writer) error {
	if err := s(ctx, from.node, request, w); err != nil {
		return a.failure(ctx, method, err)
	}
	return nil
}

// failure returns the error of a handler as an *Error, or as the error of a context that has ended.
func (a *answerer) failure(ctx context.Context, method string, err error) error {
	var refusal *Error
	switch {
	case errors.As(err, &refusal):
		return refusal
	case ctx.Err() != nil && (errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx))):
		return err
	}
	return a.refuse(CodeInternal, "%s failed to answer %q: %v", a.node, method, err)
}
