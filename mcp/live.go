// This file defines the runs that are under way.

package mcp

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// live is a run that is under way, or waits for its turn or for settlements.
type live struct {
	id, owner string
	session   *session // of which it is an evaluation; nil for a program of its own
	journal   string   // its name; "" without one
	progress  ptc.Progress
	cancel    context.CancelCauseFunc
	asked     chan []effect.Pending    // what it waits for, whenever nothing in it can go on
	settle    chan []effect.Settlement // the answer to asked; none ends the run as parked
	done      chan struct{}            // closed when res and err are set
	res       *ptc.Result
	err       error
	use       sync.Mutex       // held by the request that follows the run
	waiting   []effect.Pending // what it waits for; of that request
	idle      *time.Timer
	turn      bool // it has its turn; of the goroutine that runs it
}

// errGone is why a run ends for which nobody came back.
var errGone = errors.New("nobody came back to the run in time")

// newID returns a name that can't be guessed.
func newID() string { return rand.Text() }

// lives are the runs of a server by their ids.
type lives struct {
	mu    sync.Mutex
	all   map[string]*live
	ended bool
	wait  sync.WaitGroup
}

// start begins a run in a goroutine of its own, with the values of the request's context. do gets the options that
// belong to the run.
func (s *Server) start(ctx context.Context, l *live,
	do func(ctx context.Context, given ptc.RunOptions) (*ptc.Result, error)) error {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	l.cancel = cancel
	l.asked, l.settle, l.done = make(chan []effect.Pending), make(chan []effect.Settlement), make(chan struct{})
	l.idle = stopped(func() { cancel(errGone) }) // until its request ends before it does
	s.lives.mu.Lock()
	defer s.lives.mu.Unlock()
	switch {
	case s.lives.ended:
		cancel(nil)
		return errors.New("the server shuts down")
	case len(s.lives.all) >= maxLive:
		cancel(nil)
		return fmt.Errorf("%d runs are under way or wait, which is the most; try again later", len(s.lives.all))
	}
	s.lives.all[l.id] = l
	s.lives.wait.Go(func() {
		defer cancel(nil)
		l.res, l.err = s.execute(ctx, l, do)
		l.idle.Stop()
		if l.session != nil { // also if the run was cancelled before its turn
			l.session.release(s.opts.Lifetime)
		}
		s.lives.mu.Lock()
		delete(s.lives.all, l.id)
		s.lives.mu.Unlock()
		close(l.done)
	})
	return nil
}

// stopped returns a timer of a function that does not run until it is reset.
func stopped(f func()) *time.Timer {
	t := time.AfterFunc(math.MaxInt64, f)
	t.Stop()
	return t
}

// execute waits for the turn of a run, and runs it.
func (s *Server) execute(ctx context.Context, l *live,
	do func(context.Context, ptc.RunOptions) (*ptc.Result, error)) (*ptc.Result, error) {
	if err := s.turns.take(ctx); err != nil {
		return &ptc.Result{}, cancelled(ctx)
	}
	l.turn = true
	defer func() {
		if l.turn {
			s.turns.give()
		}
	}()
	given := ptc.RunOptions{ID: l.id, Progress: &l.progress, Log: s.opts.Log,
		OnPending: func(ctx context.Context, all []effect.Pending) ([]effect.Settlement, error) {
			return s.pend(ctx, l, all)
		}}
	end := func(*ptc.Result, error) {}
	if s.opts.Trace != nil {
		ctx, end = s.opts.Trace(ctx, l.id, &given)
	}
	res, err := do(ctx, given)
	end(res, err)
	if why := context.Cause(ctx); errors.Is(why, errGone) {
		return res, diag.New(diag.Cancelled, token.Span{}, "%v", why).
			WithHint("run the program again, and answer within %s", diag.Duration(s.opts.Lifetime))
	}
	return res, err
}

// pend waits for the settlements of a run. Meanwhile another program has its turn.
func (s *Server) pend(ctx context.Context, l *live, all []effect.Pending) (given []effect.Settlement, err error) {
	s.turns.give()
	l.turn = false
	defer func() { l.turn = s.turns.take(ctx) == nil }()
	select {
	case l.asked <- all:
	case <-ctx.Done():
		return nil, nil
	}
	select {
	case given = <-l.settle:
	case <-ctx.Done():
	}
	return given, nil
}

// cancelled returns the error of a run that ended before its turn.
func cancelled(ctx context.Context) error {
	return diag.New(diag.Cancelled, token.Span{}, "the run was cancelled while it waited for its turn: %v",
		context.Cause(ctx))
}

// find returns a run of an owner that is under way.
func (s *Server) find(id, owner string) *live {
	s.lives.mu.Lock()
	defer s.lives.mu.Unlock()
	if l := s.lives.all[id]; l != nil && l.owner == owner {
		return l
	}
	return nil
}

// findJournal returns the run under way that writes a journal.
func (s *Server) findJournal(name string) *live {
	s.lives.mu.Lock()
	defer s.lives.mu.Unlock()
	for _, l := range s.lives.all {
		if l.journal == name {
			return l
		}
	}
	return nil
}

// close ends all runs, and waits for them.
func (l *lives) close() {
	l.mu.Lock()
	l.ended = true
	for _, one := range l.all {
		one.cancel(errors.New("the server shuts down"))
	}
	l.mu.Unlock()
	l.wait.Wait()
}

// turns lets a number of programs run at once.
type turns chan struct{}

func (t turns) take(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	default:
	}
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t turns) give() { <-t }
