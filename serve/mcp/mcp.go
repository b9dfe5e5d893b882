// Package mcp begins the runs of an engine for clients of the Model Context Protocol. They are runs as any other: in
// lists, pages, shares, journals and the audit log.
package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
	protocol "github.com/ptc-lang/ptc/mcp"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/api"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// New returns a server whose programs an engine runs. It uses only the options of the card and the log. The caller
// closes it before the engine ends.
func New(e *serve.Engine, o protocol.Options) (*protocol.Server, error) {
	o.Run, o.Service, o.Lifetime = e.Options().Run, runs{e}, e.Options().SessionIdle
	o.Journals.Key = e.Options().Key // which signs continuations, for all nodes and processes
	return protocol.New(o)
}

// Handler serves clients of a server by HTTP, behind an access.Gate.
func Handler(s *protocol.Server) http.Handler {
	return s.Behind(func(r *http.Request) string { return access.From(r.Context()).Name })
}

// runs are those of an engine, for callers whose identities their contexts have.
type runs struct{ engine *serve.Engine }

// submitter returns the identity of a request that runs code.
func submitter(ctx context.Context) (access.Who, error) {
	who := access.From(ctx)
	if !who.Changes(who.Tenant) {
		return who, errors.New("this needs the role submitter")
	}
	return who, nil
}

// own returns an error for a run that the caller must not change, the same as for one that does not exist.
func (r runs) own(ctx context.Context, id string) (access.Who, error) {
	who, err := submitter(ctx)
	if err != nil {
		return who, err
	}
	run, err := r.engine.Options().Store.Get(ctx, id)
	if err == nil && !who.Changes(run.Tenant) || errors.Is(err, store.ErrNotFound) {
		err = store.ErrNotFound.With("there is no run %.100q", id)
	}
	return who, err
}

// Submit implements protocol.Service.
func (r runs) Submit(ctx context.Context, p protocol.Submission) (string, error) {
	who, err := submitter(ctx)
	if err != nil {
		return "", err
	}
	run, _, err := r.engine.Submit(ctx, store.Submission{Name: p.Name, Source: p.Program, Data: p.Input, Limits: p.Limits,
		Key: p.Key}, who)
	api.Taken(ctx)
	if err != nil {
		return "", err
	}
	access.Note(ctx, "run", run.ID)
	return run.ID, nil
}

// settledAgain is the time between checks of a run that continues soon, because its effects were settled.
const settledAgain = 10 * time.Millisecond

// Wait implements protocol.Service.
func (r runs) Wait(ctx context.Context, id string) (protocol.Outcome, error) {
	if _, err := r.own(ctx, id); err != nil {
		return protocol.Outcome{}, err
	}
	for {
		run, err := r.engine.Wait(ctx, id)
		switch {
		case ctx.Err() != nil:
			return protocol.Outcome{}, context.Cause(ctx)
		case err != nil:
			return protocol.Outcome{}, err
		case len(run.Pending) > 0 || run.State != store.Waiting && run.State != store.Parked:
			return r.outcome(ctx, &run), nil
		}
		select {
		case <-time.After(settledAgain):
		case <-ctx.Done():
		}
	}
}

// outcome returns the outcome of a run that rests.
func (r runs) outcome(ctx context.Context, run *store.Run) protocol.Outcome {
	out := outcomeOf(run.Result, map[string]string{run.Name: run.Source})
	switch out.Pending = run.Pending; {
	case len(run.Pending) > 0 || run.State == store.Succeeded:
		return out
	case out.Error == nil:
		code := diag.HostFailed
		if run.State == store.Cancelled {
			code = diag.Cancelled
		}
		out.Status = ptc.StatusError
		out.Error = &ptc.Error{Code: code, Message: "the run is " + string(run.State) + ": " + run.Reason}
	}
	err := r.engine.Draw(ctx, run.ID, func(rec *journal.Recording) error {
		out.Calls = rec.Entries
		return nil
	})
	if err != nil && !errors.Is(err, serve.ErrNoJournal) {
		out.Error.Hint = "what it has written is not listed here: " + err.Error()
	}
	return out
}

// outcomeOf returns the outcome of a result that the engine keeps. Its JSON is that of an envelope.
func outcomeOf(res store.Result, sources map[string]string) (out protocol.Outcome) {
	out.Status, out.Value, out.Prints = ptc.StatusOK, res.Value, res.Prints
	if len(out.Value) == 0 {
		out.Value = json.RawMessage("null")
	}
	_ = json.Unmarshal(res.Usage, &out.Usage) // a run that was cancelled before it began has none
	if len(res.Error) == 0 {
		return out
	}
	var err error
	if out.Error, err = diag.Decode(res.Error, sources); err != nil {
		out.Error = &ptc.Error{Code: diag.HostFailed, Message: err.Error()}
	}
	out.Status = ptc.StatusError
	return out
}

// Settle implements protocol.Service.
func (r runs) Settle(ctx context.Context, id string, all []effect.Settlement) error {
	who, err := r.own(ctx, id)
	if err != nil {
		return err
	}
	access.Note(ctx, "run", id)
	access.Note(ctx, "settled", serve.Settled(all))
	for _, one := range all {
		_, err := r.engine.Settle(ctx, id, []effect.Settlement{one}, who)
		if err != nil && !errors.Is(err, serve.ErrNotPending) && !errors.Is(err, store.ErrEnded) {
			return err
		}
	}
	return nil
}

// Cancel implements protocol.Service.
func (r runs) Cancel(ctx context.Context, id string) error {
	who, err := r.own(ctx, id)
	if err != nil {
		return err
	}
	if _, err = r.engine.Cancel(ctx, id, who); errors.Is(err, store.ErrEnded) {
		return nil
	}
	return err
}

// progressTime bounds the time in which another node must have told how far a run is.
const progressTime = time.Second

// Progress implements protocol.Service.
func (r runs) Progress(ctx context.Context, id string) (now ptc.Snapshot) {
	ctx, cancel := context.WithTimeout(ctx, progressTime)
	defer cancel()
	var u ptc.Usage
	if json.Unmarshal(r.engine.Used(ctx, id, access.From(ctx)), &u) != nil {
		return now
	}
	return ptc.Snapshot{Elements: u.Parallel.Elements, Calls: u.Calls, Steps: u.Steps, Memory: u.Memory,
		Elapsed: u.Duration}
}

// OpenSession implements protocol.Service.
func (r runs) OpenSession(ctx context.Context, p protocol.Submission) (string, error) {
	who, err := submitter(ctx)
	if err != nil {
		return "", err
	}
	session, err := r.engine.OpenSession(wire.NewSession{Limits: p.Limits, Data: p.Input}, who)
	if err != nil {
		return "", err
	}
	access.Note(ctx, "session", session.ID)
	return session.ID, nil
}

// Evaluate implements protocol.Service.
func (r runs) Evaluate(ctx context.Context, session, program string) (protocol.Outcome, error) {
	who, err := submitter(ctx)
	if err != nil {
		return protocol.Outcome{}, err
	}
	api.Taken(ctx)
	res, err := r.engine.Evaluate(ctx, session, program, who)
	if err != nil {
		return protocol.Outcome{}, err
	}
	return outcomeOf(res, nil), nil
}
