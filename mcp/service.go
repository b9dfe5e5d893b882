// This file defines runs of a service, which a server only follows.

package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// Service runs the programs of a server, and keeps the runs: they continue, and can be continued, after the server
// has ended. ctx has the values of the HTTP request, such as the identity of its caller; a service refuses runs and
// sessions that the caller may not use.
type Service interface {
	// Submit begins a run of a program, and returns its id, or that of the run of an earlier submission with its key.
	// The error is a *ptc.Error if the program does not compile.
	Submit(ctx context.Context, p Submission) (run string, err error)
	// Wait waits until a run has ended, or waits for somebody: its Pending has the effects. The error is that of ctx if
	// it ends first.
	Wait(ctx context.Context, run string) (Outcome, error)
	// Settle settles pending effects of a run. Effects that are already settled are left out.
	Settle(ctx context.Context, run string, all []effect.Settlement) error
	// Cancel ends a run.
	Cancel(ctx context.Context, run string) error
	// Progress returns how far a run is; the zero Snapshot if that is not known.
	Progress(ctx context.Context, run string) ptc.Snapshot
	// OpenSession begins a session, and returns its name. The input of its programs is that of p, without a program.
	OpenSession(ctx context.Context, p Submission) (session string, err error)
	// Evaluate runs a program in a session, until ctx ends.
	Evaluate(ctx context.Context, session, program string) (Outcome, error)
}

// Submission is a program for a Service.
type Submission struct {
	Name, Program string
	Input         json.RawMessage // an object
	Limits        ptc.Limits      // lower ones than those of the service
	Key           string          // "" for an independent run
}

// submission returns the submission of a request to a service.
func (q *request) submission() (p Submission, err error) {
	p = Submission{Name: programName, Program: *q.Program, Limits: q.Limits, Key: q.Journal}
	if len(q.Input) > 0 {
		p.Input, err = json.Marshal(q.Input)
	}
	return p, err
}

// submitted begins a run of the service, or an evaluation of one of its sessions.
func (s *Server) submitted(ctx context.Context, owner string, q *request) (*live, error) {
	p, err := q.submission()
	if err != nil {
		return nil, err
	}
	if q.Session != "" {
		return s.evaluated(ctx, owner, q, p)
	}
	run, err := s.opts.Service.Submit(ctx, p)
	if own := (*ptc.Error)(nil); errors.As(err, &own) {
		return nil, &compileError{newID(), err}
	}
	if err != nil {
		return nil, err
	}
	return s.followed(ctx, &live{id: run, owner: owner, journal: q.Journal})
}

// followed follows a run of the service.
func (s *Server) followed(ctx context.Context, l *live) (*live, error) {
	if other := s.find(l.id, l.owner); other != nil {
		return other, nil
	}
	values := context.WithoutCancel(ctx)
	l.now = func() ptc.Snapshot { return s.opts.Service.Progress(values, l.id) }
	return l, s.start(ctx, l, func(ctx context.Context) Outcome { return s.settled(ctx, l) })
}

// settled follows a run of the service until it has ended, or nobody decides about its pending effects.
func (s *Server) settled(ctx context.Context, l *live) Outcome {
	for {
		out, err := s.opts.Service.Wait(ctx, l.id)
		switch {
		case ctx.Err() != nil:
			return s.left(ctx, l)
		case err != nil:
			return outcomeOf(nil, err)
		case len(out.Pending) == 0:
			return out
		}
		given := l.ask(ctx, out.Pending)
		switch {
		case ctx.Err() != nil:
			return s.left(ctx, l)
		case len(given) == 0:
			return out
		}
		if err := s.opts.Service.Settle(ctx, l.id, given); err != nil {
			l.refusal = err.Error() // read after the end
			return out
		}
	}
}

// cancelTime bounds the time in which a run of the service must have been cancelled.
const cancelTime = 30 * time.Second

// left cancels a run of the service whose request has ended, unless it is to continue.
func (s *Server) left(ctx context.Context, l *live) Outcome {
	why := context.Cause(ctx)
	if l.journal == "" && !errors.Is(why, errGone) && !errors.Is(why, errClosing) {
		ctx, end := context.WithTimeout(context.WithoutCancel(ctx), cancelTime)
		defer end()
		if err := s.opts.Service.Cancel(ctx, l.id); err != nil {
			s.opts.Log.Info("mcp: a run was not cancelled", "run", l.id, "err", err)
		}
	}
	return outcomeOf(nil, why)
}

// evaluated begins an evaluation of a session of the service.
func (s *Server) evaluated(ctx context.Context, owner string, q *request, p Submission) (*live, error) {
	name := q.Session
	switch {
	case q.Restart:
		return nil, errors.New("a session of this service can't be restarted: begin another one with the session new")
	case q.Journal != "":
		return nil, errors.New("a program of a session can't be recorded: leave out the session or the journal")
	case name == newSession:
		var err error
		if name, err = s.opts.Service.OpenSession(ctx, p); err != nil {
			return nil, err
		}
	case q.Limits != (ptc.Limits{}) || len(q.Input) > 0:
		return nil, errors.New("a session keeps the limits and the input of its first program: leave them out, or begin " +
			"a new session")
	}
	l := &live{id: newID(), owner: owner, session: name}
	l.now = func() ptc.Snapshot { return ptc.Snapshot{} }
	return l, s.start(ctx, l, func(ctx context.Context) Outcome {
		out, err := s.opts.Service.Evaluate(ctx, name, p.Program)
		if err != nil {
			return outcomeOf(nil, err)
		}
		return out
	})
}
