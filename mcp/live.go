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
	"github.com/ptc-lang/ptc/runtime/journal"
)

// live is a run that is under way, or waits for its turn or for settlements.
type live struct {
	id, owner string
	session   string              // the name of the session that it is an evaluation of; "" for a program
	journal   string              // its name; "" without one
	now       func() ptc.Snapshot // how far it is
	over      func()              // called at its end; optional
	cancel    context.CancelCauseFunc
	asked     chan []effect.Pending    // the effects it waits for, whenever nothing in it can continue
	settle    chan []effect.Settlement // the answer to asked; none ends the run as parked
	done      chan struct{}            // closed when out is set
	out       Outcome
	use       sync.Mutex       // held by the request that follows the run
	waiting   []effect.Pending // the effects it waits for; of that request
	refusal   string           // why the service did not take the last settlements; of that request
	idle      *time.Timer
	turn      bool // whether it has its turn; of the goroutine that runs it
}

// Outcome is the end of a run, or the effects it waits for.
type Outcome struct {
	ptc.Envelope
	// Calls are those of a run that has failed, without secrets.
	Calls []journal.Entry
}

// outcomeOf returns the outcome of a run of package ptc.
func outcomeOf(res *ptc.Result, err error) (out Outcome) {
	out.Envelope = *res.Envelope(err, 0)
	if res != nil {
		out.Calls = res.Calls
	}
	return out
}

// errGone is why a run ends for which nobody came back.
var errGone = errors.New("nobody came back to the run in time")

// errClosing is why runs end with the server.
var errClosing = errors.New("the server shuts down")

// newID returns a name that can't be guessed.
func newID() string { return rand.Text() }

// lives are the runs of a server by their ids.
type lives struct {
	mu    sync.Mutex
	all   map[string]*live
	ended bool
	wait  sync.WaitGroup
}

// start follows a run, or runs a program, in its own goroutine, with the values of the request's context.
func (s *Server) start(ctx context.Context, l *live, do func(ctx context.Context) Outcome) error {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	l.cancel = cancel
	l.asked, l.settle, l.done = make(chan []effect.Pending), make(chan []effect.Settlement), make(chan struct{})
	l.idle = stopped(func() { cancel(errGone) }) // until its request ends before it does
	s.lives.mu.Lock()
	defer s.lives.mu.Unlock()
	switch {
	case s.lives.ended:
		cancel(nil)
		return errClosing
	case s.lives.all[l.id] != nil:
		cancel(nil)
		return errFollowed
	case len(s.lives.all) >= maxLive && s.opts.Service == nil:
		cancel(nil)
		return fmt.Errorf("%d runs are under way or wait, which is the most; try again later", len(s.lives.all))
	}
	s.lives.all[l.id] = l
	s.lives.wait.Go(func() {
		defer cancel(nil)
		l.out = do(ctx)
		l.idle.Stop()
		if l.over != nil { // also if the run was cancelled before its turn
			l.over()
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

// here returns the function that waits for the turn of a run, and runs it in this process. do gets the options that
// belong to the run.
func (s *Server) here(l *live,
	do func(context.Context, ptc.RunOptions) (*ptc.Result, error)) func(context.Context) Outcome {
	p := &ptc.Progress{}
	l.now = p.Now
	return func(ctx context.Context) Outcome { return outcomeOf(s.execute(ctx, l, p, do)) }
}

func (s *Server) execute(ctx context.Context, l *live, p *ptc.Progress,
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
	given := ptc.RunOptions{ID: l.id, Progress: p, Log: s.opts.Log,
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
func (s *Server) pend(ctx context.Context, l *live, all []effect.Pending) ([]effect.Settlement, error) {
	s.turns.give()
	l.turn = false
	defer func() { l.turn = s.turns.take(ctx) == nil }()
	return l.ask(ctx, all), nil
}

// ask returns the decisions of the request that follows the run.
func (l *live) ask(ctx context.Context, all []effect.Pending) (given []effect.Settlement) {
	select {
	case l.asked <- all:
	case <-ctx.Done():
		return nil
	}
	select {
	case given = <-l.settle:
	case <-ctx.Done():
	}
	return given
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
		one.cancel(errClosing)
	}
	l.mu.Unlock()
	l.wait.Wait()
}

// turns lets a number of programs run concurrently.
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
