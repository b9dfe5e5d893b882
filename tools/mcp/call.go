// This file defines the calls, and how their failures are reported.

package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/tools/internal/detach"
)

// maxSends bounds the connections on which a call is tried that none of them has taken.
const maxSends = 3

// call makes a call of a tool. It returns when ctx ends, whatever the server does.
func (s *server) call(ctx context.Context, d *declared, args json.RawMessage) (json.RawMessage, error) {
	select {
	case s.places <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-s.places }()
	return detach.Do(ctx, &s.left, func(ctx context.Context) (json.RawMessage, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel() // the SDK may still read a response
		defer context.AfterFunc(s.ctx, cancel)()
		res, err := s.send(ctx, d, args)
		if err != nil {
			return nil, err
		}
		return s.result(ctx, d, res)
	}, nil)
}

// send sends a call, on another connection if one that was kept does not take it.
func (s *server) send(ctx context.Context, d *declared, args json.RawMessage) (*sdk.CallToolResult, error) {
	for sends := 1; ; sends++ {
		c, err := s.connection(ctx)
		if err != nil {
			return nil, err
		}
		a := &attempt{}
		own := withAttempt(ctx, a)
		if err = s.check(own, c, d); err == nil {
			params := &sdk.CallToolParams{Meta: trace(ctx), Name: d.name, Arguments: args}
			var res *sdk.CallToolResult
			if res, err = c.session.CallTool(own, params); err == nil {
				return res, nil
			}
		} else if own := (*tool.Error)(nil); errors.As(err, &own) {
			return nil, err
		}
		if err := s.ended(ctx); err != nil {
			return nil, err
		}
		if sends < maxSends && notSent(a, err) {
			s.lose(c)
			continue
		}
		return nil, s.failure(d, c, a, err)
	}
}

// trace returns the metadata of a call: the span that it is below.
func trace(ctx context.Context) sdk.Meta {
	t, ok := effect.TraceOf(ctx)
	if !ok {
		return nil
	}
	m := sdk.Meta{"traceparent": t.Parent}
	if t.State != "" {
		m["tracestate"] = t.State
	}
	return m
}

// ended returns the error of a call whose context has ended, and nil if it has not.
func (s *server) ended(ctx context.Context) error {
	if s.ctx.Err() != nil {
		return &tool.Error{Code: CodeClosed, Message: "the host has closed the connection to " + s.Name}
	}
	return ctx.Err()
}

// notSent reports whether a server cannot have begun a call that has failed.
func notSent(a *attempt, err error) bool {
	return errors.Is(err, sdk.ErrConnectionClosed) && !a.sent.Load() || errors.Is(err, sdk.ErrSessionMissing)
}

// failure returns the error of a call.
func (s *server) failure(d *declared, c *conn, a *attempt, err error) error {
	status := int(a.status.Load())
	e := &tool.Error{Code: CodeDisconnected, Retryable: d.class != effect.Write, Err: s.cleanError(err)}
	var answer *jsonrpc.Error
	isAnswer := errors.As(err, &answer) && answer.Code != rejectedByTransport
	switch {
	case status == http.StatusTooManyRequests:
		e.Code, e.Retryable, e.Message = CodeRateLimited, true, "the server "+s.Name+" wants fewer calls"
		e.RetryAfter = time.Duration(a.retryAfter.Load())
	case status == http.StatusServiceUnavailable:
		e.Code, e.Retryable, e.Message = CodeUnavailable, true, "the server "+s.Name+" takes no calls"
		e.RetryAfter = time.Duration(a.retryAfter.Load())
	case status == http.StatusUnauthorized || status == http.StatusForbidden || s.loggedOut() != nil:
		return s.unauthorized(err)
	case isAnswer:
		return s.refusal(answer)
	case s.web != nil && !a.sent.Load():
		e.Code, e.Retryable, e.Message = CodeUnavailable, true, "the server "+s.Name+" is not reached"
	case s.web != nil && status >= 300:
		e.Code, e.Message = CodeUnavailable, fmt.Sprintf("the server %s answers with the status %d", s.Name, status)
	case !c.isLost() && malformed(err) != "":
		e.Code, e.Retryable, e.Err = CodeProtocol, false, nil
		e.Message = "the server " + s.Name + " does not answer as the protocol has it: " + s.clean(malformed(err))
	default:
		s.lose(c)
		e.Message = "the connection to the server " + s.Name + " was lost while the call was under way"
		if d.class == effect.Write {
			e.Message += ": whether it has been done is not known"
		}
	}
	return e
}

// malformed describes a result with other types than those of the protocol; "" for another error. Text that is not JSON
// ends the connection. The error of the decoder names types of Go, which mean nothing to the author of a program.
func malformed(err error) string {
	var kind *json.UnmarshalTypeError
	if !errors.As(err, &kind) {
		return ""
	}
	at := "the result"
	if kind.Field != "" {
		at = "the field " + kind.Field + " of the result"
	}
	return fmt.Sprintf("%s: got %s, want %s", at, gotJSON(kind.Value), wantedJSON(kind.Type))
}

// wantedJSON returns the words for the JSON that becomes a type.
func wantedJSON(t reflect.Type) string {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil {
		return "another type"
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64, reflect.Float64:
		return "a number"
	}
	return "another type"
}

// gotJSON describes JSON by the text, or the name of the type, that a decoder reports.
func gotJSON(text string) string {
	for _, known := range []struct{ begin, words string }{{"\"", "a string"}, {"string", "a string"}, {"[", "an array"},
		{"array", "an array"}, {"{", "an object"}, {"object", "an object"}, {"t", "a boolean"}, {"f", "a boolean"},
		{"bool", "a boolean"}, {"null", "null"}} {
		if strings.HasPrefix(text, known.begin) {
			return known.words
		}
	}
	return "a number"
}

// rejectedByTransport is the code of the SDK's own errors of a transport. No server sends it.
const rejectedByTransport = -32005

// refusal returns the error for an answer of the server that is an error of the protocol.
func (s *server) refusal(answer *jsonrpc.Error) error {
	e := &tool.Error{Code: CodeProtocol, Message: "the server " + s.Name + " refuses the call: " + s.clean(answer.Message),
		Data: map[string]any{"rpc-code": answer.Code}}
	if answer.Code == jsonrpc.CodeInvalidParams {
		e.Code = effect.CodeBadArguments
	}
	return e
}
