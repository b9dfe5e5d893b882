// This file defines the errors of the API.

package api

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/schedule"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// Problem is a problem as an answer: with the time of its Retry-After.
type Problem struct {
	wire.Problem
	after time.Duration // 0 for none
}

// The codes of problems that are not those of package store, of an engine or of a program.
const (
	codeBadRequest = "bad-request"
	codeForbidden  = access.CodeForbidden
	codeNotFound   = "not-found"
	codeMethod     = access.CodeMethod
	codeTooLarge   = "body-too-large"
	codeMedia      = "unsupported-media-type"
	codeInternal   = "internal"
	codeNotEnded   = "run-not-ended"
	codeDiskFull   = "disk-full"
	codeShare      = "share-used-up"
	codeSlow       = "request-timeout"
	codeNotActive  = "not-active"
	codePolicy     = string(diag.PolicyViolation)
	codeQueueFull  = string(diag.QueueFull)
)

// Errors for Refuse, of those who answer some requests in place of the API.
var (
	ErrBadRequest = &store.Error{Code: codeBadRequest, Message: "the request can't be read"}
	ErrTooLarge   = &store.Error{Code: codeTooLarge, Message: "the body of the request is too large"}
)

// Refuse answers a request with the problem for an error. The text of an error without a code stays in the service.
func Refuse(w http.ResponseWriter, err error) {
	p := new(Problem)
	errors.As(problemOf(err), &p)
	write(w, p)
}

// Codes lists the codes of problems, with the status and the meaning of each. Errors of programs have those of
// spec/errors.md.
func Codes() []Code {
	return []Code{
		{codeBadRequest, 400, "The request is not JSON, or lacks something that its operation needs."},
		{store.ErrInvalid.Code, 422, "The request is well-formed, but its contents are invalid."},
		{access.CodeUnauthenticated, 401, "The request has no token, and no client certificate that the service knows."},
		{access.CodeMalformed, 401, "The Authorization header is not Bearer with one token."},
		{access.CodeUnknown, 401, "There is no such token, or it was revoked."},
		{access.CodeExpired, 401, "The token has expired."},
		{access.CodeSignedOut, 401, "The browser is signed out."},
		{access.CodeHost, 403, "The Host header names a host that the service does not serve."},
		{access.CodeOrigin, 403, "A page of another site made the request, which is not allowed."},
		{serve.ErrOwnApproval.Code, 403, "Somebody other than the submitter must approve the call."},
		{codeForbidden, 403, "The request may not do this."},
		{codeNotFound, 404, "There is no such run, program, version, schedule or path, or it belongs to another tenant."},
		{serve.ErrNoJournal.Code, 404, "The run has not begun, so it has no journal."},
		{codeMethod, 405, "The path does not have this method."},
		{codeSlow, 408, "The body of the request did not arrive in time."},
		{store.ErrTransition.Code, 409, "The state of the run, schedule or session does not allow this."},
		{serve.ErrNotPending.Code, 409, "The effect is already settled, is no longer needed, or was never pending."},
		{store.ErrEnded.Code, 409, "The run has ended and can no longer change."},
		{codeNotEnded, 409, "The run has not ended, so it has no result."},
		{serve.ErrLarge.Code, 409, "The journal is too large for the service to draw."},
		{store.ErrKeyReused.Code, 409, "The key was used for another submission."},
		{store.ErrConflict.Code, 409, "The version is not the next one: somebody else has stored one."},
		{codeNotActive, 409, "The execution has ended, or still waits for its turn."},
		{serve.ErrGone.Code, 410, "The session has ended, or never existed; its definitions are lost."},
		{codeTooLarge, 413, "The body of the request is too large."},
		{codeMedia, 415, "The body of the request is not JSON."},
		{serve.ErrFull.Code, 429, "The service is full; try again after Retry-After."},
		{access.CodeAttempts, 429, "Too many wrong tokens came from the client's address."},
		{access.CodeRequests, 429, "Too many requests with the token are in progress, or too many with large bodies."},
		{codeShare, 429, "The share of the tenant or of the token is used up."},
		{codePolicy, 429, "A rate or quota of the policies is used up; try again after Retry-After."},
		{codeQueueFull, 429, "Too many executions of the action are waiting."},
		{codeInternal, 500, "The service has a bug, or its disk has an error."},
		{store.ErrDamaged.Code, 500, "The files of the run cannot be read."},
		{serve.ErrDraining.Code, 503, "The service is stopping; another one takes over."},
		{serve.ErrUnavailable.Code, 503, "The service cannot answer now."},
		{codeDiskFull, 507, "The disk of the service is full, and nothing was kept; a run that was to be cancelled has " +
			"stopped. Try again after Retry-After."},
	}
}

// Code is a code of problems.
type Code struct {
	Code   string
	Status int
	About  string
}

func statusOf(code string) int {
	for _, c := range Codes() {
		if c.Code == code {
			return c.Status
		}
	}
	return http.StatusInternalServerError
}

// newProblem returns a problem of a code.
func newProblem(code, detail string) *Problem {
	status := statusOf(code)
	return &Problem{Problem: wire.Problem{Type: "about:blank", Title: http.StatusText(status), Status: status,
		Detail: detail, Code: code}}
}

func (p *Problem) Error() string { return p.Detail }

// GetStatus implements huma.StatusError.
func (p *Problem) GetStatus() int { return p.Status }

// ContentType implements huma.ContentTypeFilter.
func (p *Problem) ContentType(string) string { return wire.ProblemType }

// GetHeaders implements huma.HeadersError.
func (p *Problem) GetHeaders() http.Header {
	if p.after == 0 {
		return nil
	}
	return http.Header{"Retry-After": {access.Seconds(p.after)}}
}

// fullAgain is when a client tries again that was refused because the service was full.
const fullAgain = time.Second

// diskAgain is when a client tries again that was refused because the disk was full: a person makes room.
const diskAgain = 30 * time.Second

// problemOf returns the problem for an error of an engine or its store.
func problemOf(err error) error {
	var problem *Problem
	var program *ptc.Error
	var known *store.Error
	var refusal *access.Refusal
	var mistakes schedule.Mistakes
	var majority interface{ Unavailable() bool }
	switch {
	case err == nil:
		return nil
	case errors.As(err, &mistakes):
		return ofMistakes(mistakes)
	case errors.Is(err, schedule.ErrForbidden):
		return newProblem(codeForbidden, err.Error())
	case errors.As(err, &problem):
		return problem
	case errors.As(err, &program):
		return problemOfProgram(program)
	case errors.As(err, &refusal):
		p := newProblem(codeShare, err.Error())
		p.after = refusal.After
		return p
	case errors.Is(err, store.ErrDamaged): // its message names files of the service
		return newProblem(store.ErrDamaged.Code, store.ErrDamaged.Message+"; the log of the service has the reason")
	case errors.As(err, &known):
		p := newProblem(known.Code, known.Message)
		if p.Status == http.StatusTooManyRequests || p.Status == http.StatusServiceUnavailable {
			p.after = fullAgain
		}
		return p
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return newProblem(serve.ErrUnavailable.Code, "the request ended, or a node has not answered in "+
			"time, so whether this was done is unknown: see, and try again")
	case errors.As(err, &majority):
		p := newProblem(serve.ErrUnavailable.Code, "the node reaches no majority of the nodes of its cluster now, so "+
			"whether this was done is unknown: see, and try again")
		p.after = fullAgain
		return p
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		p := newProblem(codeDiskFull, "the disk of the service is full, so nothing was kept: free space, and try again")
		p.after = diskAgain
		return p
	}
	if f := effect.FailureOf(err); f.Retryable { // such as a full queue, or a node that can't be reached
		p := newProblem(f.Code, err.Error())
		p.after = max(fullAgain, time.Duration(f.RetryAfter)*time.Millisecond)
		return p
	}
	return newProblem(codeInternal, "the service has failed; its log has the reason")
}

// problemOfProgram returns the problem for a program that does not compile.
func problemOfProgram(err *ptc.Error) *Problem {
	text, _ := json.Marshal(err) // has JSON
	const status = http.StatusUnprocessableEntity
	return &Problem{Problem: wire.Problem{Type: "about:blank", Title: http.StatusText(status), Status: status,
		Detail: err.Error(), Code: string(err.Code), Program: text}}
}

// maxDetails bounds the mistakes that an answer lists: a body may have a million.
const maxDetails = 10

// ofHuma returns the problem for an error that huma makes: the error of a request that does not match its schema.
func ofHuma(ctx huma.Context, schemas huma.Registry, m *huma.ErrorModel) *Problem {
	code := map[int]string{
		http.StatusForbidden: codeForbidden, http.StatusNotFound: codeNotFound,
		http.StatusRequestTimeout: codeSlow, http.StatusRequestEntityTooLarge: codeTooLarge,
		http.StatusUnsupportedMediaType: codeMedia, http.StatusUnprocessableEntity: store.ErrInvalid.Code,
		http.StatusInternalServerError: codeInternal,
	}[m.Status]
	if code == "" {
		code = codeBadRequest
	}
	p := newProblem(code, m.Detail)
	p.Status, p.Title = m.Status, http.StatusText(m.Status)
	for _, d := range m.Errors[:min(len(m.Errors), maxDetails)] {
		if d != nil { // without the value, which may be large or secret
			p.Errors = append(p.Errors, wire.Detail{Location: d.Location, Message: d.Message + expected(ctx, schemas, d)})
			p.Detail += "; " + d.Location + ": " + p.Errors[len(p.Errors)-1].Message
		}
	}
	if code == codeInternal {
		p.Detail, p.Errors = "the service has failed; its log has the reason", nil
	}
	return p
}

// expected returns the part of the schema of a body at the place of a mistake: the possible properties
// instead of an unexpected one, or the description of the property with the wrong value.
func expected(ctx huma.Context, schemas huma.Registry, d *huma.ErrorDetail) string {
	location, ok := strings.CutPrefix(d.Location, "body.")
	body := ctx.Operation().RequestBody
	if !ok || body == nil || body.Content["application/json"] == nil {
		return ""
	}
	at := body.Content["application/json"].Schema
	for _, name := range strings.Split(location, ".") {
		if at.Ref != "" {
			at = schemas.SchemaFromRef(at.Ref)
		}
		next := at.Properties[name]
		if next == nil {
			if d.Message == validation.MsgUnexpectedProperty {
				return ", want one of " + strings.Join(slices.Sorted(maps.Keys(at.Properties)), ", ")
			}
			return ""
		}
		at = next
	}
	if at.Description == "" {
		return ""
	}
	return ": " + at.Description
}

// asProblem returns a transformer of responses that makes the errors of huma problems.
func asProblem(schemas huma.Registry) huma.Transformer {
	return func(ctx huma.Context, _ string, v any) (any, error) {
		if m, ok := v.(*huma.ErrorModel); ok {
			return ofHuma(ctx, schemas, m), nil
		}
		return v, nil
	}
}
