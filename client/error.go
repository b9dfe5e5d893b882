// This file defines Error.

package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// Error is the error of every method: the problem that the service answers with, or one of the client itself, which has
// no Status.
//
// errors.Is finds an error of package store, or another Error, by its code. errors.As finds the *ptc.Error of a program
// that does not compile. Unwrap returns that, or the error of the connection, of a file or of a context.
type Error struct {
	wire.Problem
	Request    string        // such as "GET /v1/runs"; "" if there was none
	RetryAfter time.Duration // when the service wants it again; 0 if it does not say

	cause error
}

// The codes of errors of the client itself. Those of the service are in spec/api.md.
const (
	CodeUsage       = "client-usage"   // an option or an argument makes no sense
	CodeUnreachable = "unreachable"    // the service does not answer, or the connection was lost
	CodeForeign     = "not-a-service"  // the answer is not that of this API
	CodeCancelled   = "client-stopped" // the context of the call has ended
)

func newError(code, detail string) *Error {
	return &Error{Problem: wire.Problem{Type: "about:blank", Code: code, Detail: detail}}
}

// Error returns the detail of the problem.
func (e *Error) Error() string { return e.Detail }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// Is reports whether target is an error of package store, or an Error, with the same code.
func (e *Error) Is(target error) bool {
	switch t := target.(type) {
	case *store.Error:
		return t.Code == e.Code
	case *Error:
		return t.Code == e.Code
	}
	return false
}

// Temporary reports whether the request may succeed later: the service did not answer, is full, or is ending.
func (e *Error) Temporary() bool {
	switch e.Status {
	case 0:
		return e.Code == CodeUnreachable
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// maxProblem bounds the body of an error: a problem may have the errors of a program.
const maxProblem = 8 << 20

// refused returns the error of a response that is no success.
func refused(request string, resp *http.Response) *Error {
	e := &Error{Request: request, RetryAfter: retryAfter(resp.Header.Get("Retry-After"))}
	media, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxProblem))
	if media == wire.ProblemType && err == nil && json.Unmarshal(body, &e.Problem) == nil && e.Code != "" {
		e.Status = resp.StatusCode
		return e
	}
	e.Problem = foreign(resp).Problem
	return e
}

// foreign returns the error of a response that this API does not have.
func foreign(resp *http.Response) *Error {
	detail := fmt.Sprintf("got %s from %s, want an answer of ptcd: check the address", resp.Status, resp.Request.URL.Host)
	switch resp.StatusCode {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		detail = fmt.Sprintf("got %s from %s: a proxy before the service does not reach it", resp.Status,
			resp.Request.URL.Host)
	}
	if to := resp.Header.Get("Location"); to != "" && resp.StatusCode < http.StatusBadRequest {
		detail = fmt.Sprintf("%s redirects to %.200s, which is not followed: give the address of the service itself",
			resp.Request.URL.Host, to)
	}
	e := newError(CodeForeign, detail)
	e.Status, e.Title = resp.StatusCode, http.StatusText(resp.StatusCode)
	return e
}

// retryAfter returns the time of the header, in seconds or as a date; 0 if it has none.
func retryAfter(text string) time.Duration {
	if n, err := strconv.Atoi(text); err == nil {
		return time.Duration(max(n, 0)) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(time.Until(at), 0)
	}
	return 0
}

// failed returns the error of a request that has no answer.
func failed(ctx context.Context, request string, err error) *Error {
	e := newError(CodeUnreachable, "the service does not answer: "+plain(err))
	if ctx.Err() != nil {
		e = newError(CodeCancelled, context.Cause(ctx).Error())
		err = context.Cause(ctx)
		if !errors.Is(err, ctx.Err()) {
			err = errors.Join(err, ctx.Err())
		}
	}
	e.Request, e.cause = request, err
	return e
}

// Failure returns the error of a run that has one, so that it can be rendered with the lines of the source; nil for
// others.
func Failure(run store.Run) (*diag.Error, error) {
	if len(run.Error) == 0 {
		return nil, nil
	}
	e, err := diag.Decode(run.Error, map[string]string{run.Name: run.Source})
	if err != nil {
		return nil, &Error{Problem: newError(CodeForeign, err.Error()).Problem, cause: err}
	}
	return e, nil
}

// compiled adds the error of the program of a submission to an error.
func compiled(err error, sub *store.Submission) error {
	e, ok := err.(*Error)
	if !ok || len(e.Program) == 0 {
		return err
	}
	sources := map[string]string{}
	if sub.Source != "" {
		sources[sub.Name] = sub.Source
	}
	if program, derr := diag.Decode(e.Program, sources); derr == nil && program != nil {
		e.cause = program
	}
	return e
}
