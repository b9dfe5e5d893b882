// This file defines run_program.

package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/telemetry/spans"
)

// request is the arguments of run_program.
type request struct {
	Program      *string                    `json:"program"`
	Input        map[string]json.RawMessage `json:"input"`
	Session      string                     `json:"session"`
	Restart      bool                       `json:"restart"`
	Limits       ptc.Limits                 `json:"limits"`
	Journal      string                     `json:"journal"`
	Continuation string                     `json:"continuation"`
	Answers      map[string]json.RawMessage `json:"answers"`
}

// programName is the name of a program in errors and journals.
const programName = "program"

// run carries out a call of run_program.
func (s *Server) run(ctx context.Context, r *sdk.CallToolRequest, args json.RawMessage) (*sdk.CallToolResult, error) {
	var q request
	if err := json.Unmarshal(args, &q); err != nil {
		return refused(fmt.Errorf("run_program: %w", err)), nil
	}
	ctx = spans.Under(ofRequest(ctx, r), spans.Meta(r.Params.Meta))
	l, asked, err := s.begun(ctx, r, &q)
	if compiled := (*compileError)(nil); errors.As(err, &compiled) {
		return s.failed(compiled.run, compiled.err), nil
	}
	if err != nil {
		return refused(fmt.Errorf("run_program: %w", err)), nil
	}
	return s.follow(ctx, r, l, given{q.Answers, asked, r.Params.InputResponses}), nil
}

// compileError is the error of a program that does not compile.
type compileError struct {
	run string
	err error
}

func (e *compileError) Error() string { return e.err.Error() }

// begun returns the run that a call begins or continues, and the ids of the effects of the form that the call
// fills in.
func (s *Server) begun(ctx context.Context, r *sdk.CallToolRequest, q *request) (l *live, asked []string, err error) {
	if state := cmp.Or(r.Params.RequestState, q.Continuation); state != "" {
		return s.again(ctx, callerOf(r), state)
	}
	l, err = s.first(ctx, callerOf(r), q)
	return l, nil, err
}

// first returns the run of a call that continues with none.
func (s *Server) first(ctx context.Context, owner string, q *request) (*live, error) {
	switch {
	case q.Program == nil:
		return nil, errors.New("want the argument program, or continuation")
	case len(q.Answers) > 0:
		return nil, errors.New("answers belong to a continuation: pass the one that the pending answer had")
	case q.Restart && q.Session == "":
		return nil, errors.New("restart forgets the definitions of a session: pass the session too")
	}
	o := s.opts.Run
	if err := cmp.Or(q.Limits.Validate(), q.Limits.Exceeds(o.Limits)); err != nil {
		return nil, err
	}
	o.Limits = q.Limits.Or(o.Limits)
	switch {
	case s.opts.Service != nil:
		return s.submitted(ctx, owner, q)
	case q.Journal != "":
		return s.recorded(ctx, owner, q, o)
	case q.Session != "":
		return s.inSession(ctx, owner, q, o)
	}
	prog, err := compiled(ctx, q, o)
	if err != nil {
		return nil, err
	}
	l := &live{id: newID(), owner: owner}
	return l, s.start(ctx, l, s.here(l, func(ctx context.Context, given ptc.RunOptions) (*ptc.Result, error) {
		given.Data = q.input()
		return prog.Run(ctx, given)
	}))
}

// input returns the input of a program, whose members stay JSON.
func (q *request) input() map[string]any {
	in := make(map[string]any, len(q.Input))
	for name, v := range q.Input {
		in[name] = v
	}
	return in
}

// compiled returns the program of a request.
func compiled(ctx context.Context, q *request, o ptc.Options) (*ptc.Program, error) {
	o.DataNames = slices.AppendSeq([]string{}, maps.Keys(q.Input)) // nil would be any
	prog, err := ptc.Compile(ctx, programName, *q.Program, o)
	if err != nil {
		return nil, &compileError{newID(), err}
	}
	return prog, nil
}

// inSession begins the run of a program in a session.
func (s *Server) inSession(ctx context.Context, owner string, q *request, o ptc.Options) (*live, error) {
	if q.Session != newSession && q.Limits != (ptc.Limits{}) {
		return nil, errors.New("a session keeps the limits of its first program: leave out the limits, or begin a new " +
			"session")
	}
	n, err := s.open(owner, q.Session, o)
	if err != nil {
		return nil, err
	}
	if q.Restart {
		n.restart()
	}
	l := &live{id: newID(), owner: owner, session: n.name, over: func() { n.release(s.opts.Lifetime) }}
	err = s.start(ctx, l, s.here(l, func(ctx context.Context, given ptc.RunOptions) (*ptc.Result, error) {
		return n.evaluate(ctx, *q.Program, q.input(), given)
	}))
	if err != nil {
		n.release(s.opts.Lifetime)
	}
	return l, err
}

// again returns the run of a continuation, and the ids of the effects that its form asked about.
func (s *Server) again(ctx context.Context, owner, state string) (*live, []string, error) {
	c, err := s.seal.read(state, owner)
	if err != nil {
		return nil, nil, err
	}
	if l := s.find(c.Run, owner); l != nil {
		return l, c.Asked, nil
	}
	if s.opts.Service != nil {
		l, err := s.followed(ctx, &live{id: c.Run, owner: owner, journal: c.Journal})
		return l, c.Asked, err
	}
	if c.Journal == "" {
		return nil, nil, fmt.Errorf("the run is over: nobody came back to it within %s; run the program again",
			s.opts.Lifetime)
	}
	l, err := s.resumed(ctx, owner, c.Journal)
	return l, c.Asked, err
}
