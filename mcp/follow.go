// This file defines how a request follows a run.

package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// roundTrips is the revision of the protocol from which on a server asks by the answer to a call.
const roundTrips = "2026-07-28"

// formID is the id of the form in an answer that asks.
const formID = "decisions"

// given is the set of decisions in a request.
type given struct {
	answers map[string]json.RawMessage // to questions, by their ids
	asked   []string                   // the effects of the form
	forms   sdk.InputResponseMap
}

// errFollowed is the error of a second request for a run.
var errFollowed = errors.New("another request follows this run: wait for its answer")

// follow follows a run until it has ended, waits for something that nobody can be asked for, or needs another request.
func (s *Server) follow(ctx context.Context, r *sdk.CallToolRequest, l *live, given given) *sdk.CallToolResult {
	if !l.use.TryLock() {
		return refused(fmt.Errorf("run_program: %w", errFollowed))
	}
	defer l.use.Unlock()
	l.idle.Stop()
	stop := context.AfterFunc(ctx, func() { l.cancel(context.Cause(ctx)) })
	defer stop()
	defer s.reportProgress(ctx, r, l)()
	for {
		if l.waiting == nil {
			select {
			case <-l.done:
				return s.ended(l)
			case l.waiting = <-l.asked:
			}
		}
		decided, err := given.decided(l.waiting)
		asked := len(given.among(l.waiting)) > 0
		given.answers, given.asked = nil, nil
		if err == nil && len(decided) == 0 && !asked {
			decided, asked, err = s.ask(ctx, r, l.waiting)
			if errors.Is(err, errCallAgain) && stop() {
				defer s.rest(l)
				return s.form(l)
			}
		}
		switch {
		case ctx.Err() != nil:
			<-l.done
			return s.ended(l)
		case err != nil:
			stop()
			defer s.rest(l)
			return refused(fmt.Errorf("run_program: %w", err))
		case len(decided) == 0 && (s.opts.Service != nil || l.continues()):
			stop()
			defer s.rest(l)
			return s.pending(l, nil, asked)
		}
		select {
		case l.settle <- decided: // none parks the run
		case <-l.done:
		}
		l.waiting = nil
	}
}

// rest keeps a run for the next request, which has its decisions. A service keeps its runs itself.
func (s *Server) rest(l *live) {
	if s.opts.Service == nil {
		l.idle.Reset(s.opts.Lifetime)
		return
	}
	l.cancel(errGone)
	<-l.done
}

// continues reports whether a run is kept for answers that another request has.
func (l *live) continues() bool {
	return slices.ContainsFunc(l.waiting, func(p effect.Pending) bool { return p.Kind == effect.PendingQuestion })
}

// among returns the effects of the form that still wait.
func (g *given) among(waiting []effect.Pending) (some []effect.Pending) {
	for _, id := range g.asked {
		if i := slices.IndexFunc(waiting, func(p effect.Pending) bool { return p.ID == id }); i >= 0 {
			some = append(some, waiting[i])
		}
	}
	return some
}

// decided returns the settlements that a request has. If one of the effects of a form does not wait any
// more, the form decides nothing.
func (g *given) decided(waiting []effect.Pending) (all []effect.Settlement, err error) {
	for id, answer := range g.answers {
		i := slices.IndexFunc(waiting, func(p effect.Pending) bool { return p.ID == id })
		if i < 0 || waiting[i].Kind != effect.PendingQuestion {
			return nil, fmt.Errorf("answers: got one for %.100q, want the id of a question that is pending: %s", id,
				questions(waiting))
		}
		all = append(all, effect.Settlement{ID: id, As: effect.Done, Result: answer})
	}
	some := g.among(waiting)
	if filled, ok := g.forms[formID].(*sdk.ElicitResult); ok && len(some) == len(g.asked) {
		all = append(all, formOf(some).settlements(filled)...)
	}
	for i := range all {
		for _, p := range waiting {
			if p.ID == all[i].ID {
				if err := p.Fit(all[i], nil, 0); err != nil {
					return nil, err
				}
			}
		}
	}
	return all, nil
}

// questions lists the ids of the questions that are pending.
func questions(waiting []effect.Pending) string {
	var ids []string
	for _, p := range waiting {
		if p.Kind == effect.PendingQuestion {
			ids = append(ids, p.ID)
		}
	}
	if len(ids) == 0 {
		return "there is none"
	}
	return strings.Join(ids, ", ")
}

// errCallAgain reports that the client is asked by the answer to its call.
var errCallAgain = errors.New("the client calls again with the decisions")

// ask asks the person at the client, if the client can. asked reports whether there was somebody to ask.
func (s *Server) ask(ctx context.Context, r *sdk.CallToolRequest, waiting []effect.Pending) (
	all []effect.Settlement, asked bool, err error) {
	some := askable(waiting)
	if caps := r.ClientCapabilities(); len(some) == 0 || caps == nil || caps.Elicitation == nil {
		return nil, false, nil
	}
	if r.ProtocolVersion() >= roundTrips {
		return nil, true, errCallAgain
	}
	f := formOf(some)
	ctx, cancel := context.WithTimeout(ctx, s.opts.Lifetime)
	defer cancel()
	filled, err := r.Session.Elicit(ctx, f.params)
	if err != nil {
		s.opts.Log.Info("mcp: a person could not be asked", "err", err)
		return nil, true, nil
	}
	g := given{asked: ids(some), forms: sdk.InputResponseMap{formID: filled}}
	all, err = g.decided(waiting)
	if err != nil { // the client did not check the form
		s.opts.Log.Info("mcp: the answer of a person does not fit", "err", err)
		return nil, true, nil
	}
	return all, true, nil
}

// form returns the answer that asks the person at the client.
func (s *Server) form(l *live) *sdk.CallToolResult {
	some := askable(l.waiting)
	return &sdk.CallToolResult{RequestState: s.continuation(l, ids(some)...),
		InputRequests: sdk.InputRequestMap{formID: formOf(some).params}}
}

// ids returns the ids of effects.
func ids(all []effect.Pending) (names []string) {
	for _, p := range all {
		names = append(names, p.ID)
	}
	return names
}

// continuation returns the text that names a run to a later request.
func (s *Server) continuation(l *live, asked ...string) string {
	c := continuation{Run: l.id, Owner: l.owner, Journal: l.journal, Asked: asked,
		Expires: time.Now().Add(s.opts.Lifetime)}
	if s.kept(l) {
		c.Expires = time.Now().Add(journalLifetime)
	}
	return s.seal.write(c)
}

// kept reports whether a run continues, or can be continued, when this process has ended.
func (s *Server) kept(l *live) bool {
	return l.journal != "" || s.opts.Service != nil && l.session == ""
}

// journalLifetime is how long a continuation of a run that is kept can be used.
const journalLifetime = 30 * 24 * time.Hour

// reportProgress sends the progress of a run to the client, if it wants that, until the returned function is called.
func (s *Server) reportProgress(ctx context.Context, r *sdk.CallToolRequest, l *live) (stop func()) {
	token := r.Params.GetProgressToken()
	if token == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	over := make(chan struct{})
	go func() {
		defer close(over)
		tick := time.NewTicker(progressEvery)
		defer tick.Stop()
		var told float64
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			now := l.now()
			done := float64(now.Calls + now.Elements)
			if now == (ptc.Snapshot{}) || done <= told { // the protocol wants it to grow
				continue
			}
			told = done
			p := &sdk.ProgressNotificationParams{ProgressToken: token, Progress: done, Message: s.progressText(now)}
			if r.Session.NotifyProgress(ctx, p) != nil {
				return
			}
		}
	}()
	return func() {
		cancel()
		<-over
	}
}

// progressEvery is the time between two notifications.
const progressEvery = 250 * time.Millisecond

// progressText describes the progress of a run, and how much of its bounds it has used.
func (s *Server) progressText(now ptc.Snapshot) string {
	most := s.opts.Run.Limits
	return fmt.Sprintf("%d of at most %d calls, %d elements, %d of at most %d workers, %d of at most %d million steps, "+
		"%d of at most %d MB, %.1f of at most %.0f s", now.Calls, most.Calls, now.Elements, now.Workers, most.Workers,
		now.Steps/1_000_000, most.Steps/1_000_000, now.Memory>>20, most.Memory>>20, now.Elapsed.Seconds(),
		most.Timeout.Seconds())
}
