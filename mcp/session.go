// This file defines sessions, which keep definitions between programs.

package mcp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ptc-lang/ptc"
)

// session is a session of an owner.
type session struct {
	name, owner string
	opts        ptc.Options
	busy        sync.Mutex // held by the run that evaluates
	eval        *ptc.Session
	idle        *time.Timer // ends it
}

// sessions are the sessions of a server by their names.
type sessions struct {
	mu    sync.Mutex
	all   map[string]*session
	ended bool
}

// newSession is the word that asks for a new session.
const newSession = "new"

// errBusy is the error of a second program for a session.
var errBusy = errors.New("the session runs another program: wait for its answer, or use another session")

// open returns the session with a name, or a new one, for one run. It must be released.
func (s *Server) open(owner, name string, o ptc.Options) (*session, error) {
	s.sessions.mu.Lock()
	defer s.sessions.mu.Unlock()
	if name != newSession {
		found := s.sessions.all[name]
		if found == nil || found.owner != owner {
			return nil, fmt.Errorf("there is no session %.100q: it was not used for %s, or never existed; pass %q for another, "+
				"and define again what the program needs", name, s.opts.Lifetime, newSession)
		}
		if !found.busy.TryLock() {
			return nil, errBusy
		}
		found.idle.Stop()
		return found, nil
	}
	if len(s.sessions.all) >= maxSessions || s.sessions.ended {
		return nil, fmt.Errorf("%d sessions are open, which is the most; they end when they are not used for %s",
			len(s.sessions.all), s.opts.Lifetime)
	}
	n := &session{name: newID(), owner: owner, opts: o, eval: ptc.NewSession(o)}
	n.busy.Lock()
	n.idle = stopped(func() { s.sessions.end(n) })
	s.sessions.all[n.name] = n
	return n, nil
}

// restart forgets the definitions of an open session.
func (n *session) restart() { n.eval = ptc.NewSession(n.opts) }

// release ends the use of an open session.
func (n *session) release(lifetime time.Duration) {
	n.idle.Reset(lifetime)
	n.busy.Unlock()
}

// end ends a session that is not in use.
func (all *sessions) end(n *session) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if n.busy.TryLock() {
		delete(all.all, n.name)
		n.busy.Unlock()
	}
}

// close ends all sessions. Nothing uses them any more.
func (all *sessions) close() {
	all.mu.Lock()
	defer all.mu.Unlock()
	all.ended = true
	for name, n := range all.all {
		n.idle.Stop()
		delete(all.all, name)
	}
}

// evaluate runs a program in an open session.
func (n *session) evaluate(ctx context.Context, source string, input map[string]any, given ptc.RunOptions) (
	*ptc.Result, error) {
	if err := n.eval.SetData(input); err != nil {
		return &ptc.Result{}, err
	}
	return n.eval.Eval(ctx, source, ptc.EvalOptions{ID: given.ID, Output: given.Output, Progress: given.Progress,
		Around: given.Around, Observer: given.Observer, Log: given.Log, OnPending: given.OnPending, Pending: given.Pending})
}
