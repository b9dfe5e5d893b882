// This file defines how engines evaluate runs together: one leads the run, and others follow it.

package serve

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// Replicas evaluate the runs of an engine together with the engines of other nodes.
type Replicas interface {
	// Shares reports whether other engines can take part in a run. An engine evaluates the others on its own.
	Shares(ctx context.Context, run string) (bool, error)
	// Replica returns the part of this engine in a run. Its Run is called once.
	Replica(Evaluation) Replica
	// Units returns the units that each node has run, for a run whose journal is not yet the final one.
	Units(ctx context.Context, run string) ([]store.Units, error)
}

// Evaluation describes the evaluation of a run by an engine, for a Replica.
type Evaluation struct {
	Run    string
	Header journal.Header // with which the run begins, if it has not begun
	Nodes  int            // the most nodes that take part; 0 for all
	Calls  bool           // the program can reach a tool
	Leads  bool           // this engine leads the run
	Trace  string         // the header traceparent of its span, for engines that take part: see Placed
	// Settled are settlements that the journal may not have yet.
	Settled []effect.Settlement
	// Waiting returns the part of the evaluations that wait at the moment, from 0 to 1, and false if nothing runs in
	// parallel.
	Waiting func() (float64, bool)
	// Idle waits until no call that changes something is under way.
	Idle func(ctx context.Context) error
	// Leave ends the part of an engine that does not lead the run, in order. It does not wait.
	Leave func()
}

// Replica is the part of an engine in a run.
type Replica interface {
	// Run takes part until the run has ended, or ctx does. evaluate evaluates the program with a journal, and returns the
	// error of the run: it is called again if the evaluation has to begin again, with the same prints. If Run returns
	// nil, the last evaluation has the outcome of the run. The error is a *ptc.Error if the run was ended by a bound, and
	// journal.ErrFinished if it had ended before.
	Run(ctx context.Context, evaluate func(context.Context, *journal.Journal) error) error
	// Lead reports that this engine leads the run from now on.
	Lead()
	// Others returns how many units of elements other nodes have, and how many nobody has.
	Others() (held, free int)
	// Pending returns the pending effects on all nodes.
	Pending() []effect.Pending
	// Units returns the units that each node has run.
	Units() []store.Units
}

// part is the part of this engine in a run that several engines evaluate. The zero part is for a run that
// one engine evaluates.
type part struct {
	replica Replica
	trace   string // see Reported
	again   int    // bytes of prints that the evaluation makes again; guarded by the lock of the live run

	// Guarded by the lock of the engine.
	follows bool          // another engine leads the run
	leaves  bool          // it ends here
	led     chan struct{} // closed when this engine has come to lead the run
}

// units returns the units that each node has run; nil for a run that one engine has evaluated.
func (p *part) units() []store.Units {
	if p.replica == nil {
		return nil
	}
	return p.replica.Units()
}

// Units returns the work of the nodes of a cluster for a run, by node; nothing if one engine has run it.
func (e *Engine) Units(ctx context.Context, id string) ([]store.Units, error) {
	run, err := e.opts.Store.Get(ctx, id)
	if err != nil || run.State.Final() || e.opts.Replicas == nil {
		return run.Units, err
	}
	return e.opts.Replicas.Units(ctx, id)
}

// pending returns the pending effects of a live run, on all nodes.
func (l *live) pending() []effect.Pending {
	l.mu.Lock()
	r := l.part.replica
	l.mu.Unlock()
	if r == nil {
		return l.wait.pending.Now()
	}
	return r.Pending()
}

// replicate is perform for a run that other engines evaluate too.
func (e *Engine) replicate(l *live, run *store.Run, place journal.Place, given ptc.RunOptions) (*ptc.Result, error) {
	prog, err := e.compiled.program(l.ctx, run, e.opts.Run)
	if err != nil {
		return nil, err
	}
	ev, err := e.evaluation(l, run, place, prog)
	if err != nil {
		return nil, err
	}
	if given.Data, err = inputs(run.Data); err != nil {
		return nil, err
	}
	r := e.opts.Replicas.Replica(ev)
	l.join(e, r)
	res := &ptc.Result{}
	ended := r.Run(l.ctx, func(ctx context.Context, j *journal.Journal) error {
		l.mu.Lock()
		l.part.again = l.prints.Len()
		l.mu.Unlock()
		given.Journal = j
		res, err = prog.Run(ctx, given)
		return err
	})
	var own *ptc.Error
	var bound *ptc.Error
	switch {
	case ended == nil:
		return res, err
	case errors.Is(ended, journal.ErrFinished): // the process ended between the end of the journal and that of the run
		l.forget()
		opts, oerr := optionsOf(run, e.opts.Run)
		if oerr != nil {
			return nil, oerr
		}
		return ptc.Replay(l.ctx, ptc.JournalFile{Place: place, Key: e.opts.Key, Run: l.id}, opts, l.options(run))
	case l.ctx.Err() != nil:
		return res, cmp.Or(err, ended)
	case errors.As(ended, &bound) && errors.As(err, &own) && own.Code != diag.Cancelled && own.Code != diag.JournalFailed:
		return res, err
	}
	return &ptc.Result{}, ended
}

// join makes a Replica that of a live run. The run may have come to be led here since the Replica was made.
func (l *live) join(e *Engine, r Replica) {
	l.mu.Lock()
	l.part.replica = r
	l.mu.Unlock()
	e.mu.Lock()
	leads := !l.part.follows
	e.mu.Unlock()
	if leads {
		r.Lead()
	}
}

// evaluation returns the Evaluation for a Replica.
func (e *Engine) evaluation(l *live, run *store.Run, place journal.Place, prog *ptc.Program) (Evaluation, error) {
	ev := Evaluation{Run: l.id, Trace: l.part.trace, Nodes: run.Nodes, Calls: len(run.Tools) > 0, Waiting: l.restPart,
		Idle: l.quietened}
	e.mu.Lock()
	ev.Leads = !l.part.follows
	e.mu.Unlock()
	ev.Leave = func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.leaveRun(l)
	}
	ev.Header = prog.Header()
	ev.Header.Run, ev.Header.Seed = l.id, max(rand.Uint64(), 1)
	if len(run.Data) > 0 {
		var data bytes.Buffer
		if err := json.Compact(&data, run.Data); err != nil {
			return ev, err
		}
		ev.Header.Data = data.Bytes()
	}
	var err error
	if ev.Leads {
		ev.Settled, err = e.unsettled(run, place)
	}
	return ev, err
}

// restPart is Evaluation.Waiting. The main evaluation waits for its operation, and does not count.
func (l *live) restPart() (float64, bool) {
	now := l.progress.Now()
	waiting := max(now.Blocked-1, 0)
	if now.Workers == 0 || waiting+now.Running == 0 {
		return 0, false
	}
	return float64(waiting) / float64(waiting+now.Running), true
}

// quietened waits until no call of a run that changes something is under way.
func (l *live) quietened(ctx context.Context) error {
	poll(ctx, func() bool { return !l.writes.underWay(nil) })
	return ctx.Err()
}

// Follow makes the engine take part in a run that another one leads, while it has room. left is called when it has
// ended; if Follow returns false it is not called.
func (e *Engine) Follow(p Placed, left func()) bool {
	t := &ticket{run: store.Run{ID: p.ID, Tenant: p.Tenant, By: p.By, Trace: p.Trace}, bound: p.Memory}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.draining || e.away || e.live[p.ID] != nil || e.following[p.ID] != nil || e.running >= e.opts.Running ||
		t.bound > e.opts.Memory-e.memory {
		return false
	}
	e.used.add(t, 1, 0, t.bound)
	e.memory += t.bound
	e.running++
	l := newLive(t.run.ID, t, nil)
	l.ctx, l.cancel = context.WithCancelCause(e.ctx)
	l.part = part{follows: true, led: make(chan struct{})}
	e.following[l.id] = l
	e.wg.Go(func() {
		defer left()
		e.followRun(l)
	})
	return true
}

// followRun evaluates a run that another engine leads. If this one has come to lead it in the meantime, it
// brings the run to its next state.
func (e *Engine) followRun(l *live) {
	defer close(l.done)
	defer l.cancel(nil)
	run, err := e.opts.Store.Get(l.ctx, l.id)
	var res *ptc.Result
	reported := Reported{Ended: func(bool, *ptc.Result, error) {}}
	if err == nil {
		given := l.options(&run)
		run.Trace = cmp.Or(l.ticket.run.Trace, run.Trace)
		reported = e.report(l.ctx, run, &given)
		l.part.trace = reported.Trace
		l.observe(e, &given)
		var place journal.Place
		if place, err = e.opts.Store.Journal(l.ctx, l.id); err == nil {
			res, err = e.replicate(l, &run, place, given)
		}
	}
	e.mu.Lock()
	led := !l.part.follows
	if !led {
		delete(e.following, l.id)
		e.release(l.ticket)
	}
	e.mu.Unlock()
	reported.Ended(!led || l.goesOn(err), res, err)
	if !led {
		e.log.Debug("the part in a run that another node leads has ended", "run", l.id, "error", err)
		return
	}
	<-l.part.led
	run, err = e.settle(l, res, err)
	e.ran(l, run, err)
}

// leaveRun ends the part of this engine in a run that another one leads, as soon as no call that changes something is
// under way. No further one begins. The caller holds the lock.
func (e *Engine) leaveRun(l *live) {
	if !l.part.follows || l.part.leaves {
		return
	}
	l.part.leaves = true
	close(l.quiet)
	e.wg.Go(func() {
		poll(l.ctx, func() bool { return !l.writes.underWay(l.wait.pending.Now()) })
		l.cancel(errLeft)
	})
}

// errLeft is the cause with which the context of a run ends in which this engine does not take part any more.
var errLeft = errors.New("serve: this engine takes no further part in the run")

// follower returns the part of this engine in a run that another one has led; nil if there is none, or if it ends: then
// follower has waited for that.
func (e *Engine) follower(id string) *live {
	e.mu.Lock()
	defer e.mu.Unlock()
	for {
		l := e.following[id]
		if l == nil || !l.part.leaves {
			return l
		}
		e.mu.Unlock()
		<-l.done
		e.mu.Lock()
	}
}

// promote makes an engine lead a run that it has followed, and reports whether it does. t is the ticket of the lead.
func (e *Engine) promote(l *live, t *ticket) bool {
	e.mu.Lock()
	if e.following[l.id] != l || l.part.leaves || e.draining || e.alone != nil && e.suspected(&t.run) {
		e.mu.Unlock()
		return false
	}
	l.part.follows = false
	delete(e.following, l.id)
	e.live[l.id] = l
	l.ticket.lead, l.ticket.release, l.ticket.late = t.lead, t.release, t.late
	stream := e.hold(l.id)
	e.mu.Unlock()
	defer close(l.part.led)
	l.led()
	if _, err := e.started(l, nil); err != nil {
		l.cancel(errLost)
	}
	e.mu.Lock()
	l.mu.Lock()
	l.stream = stream
	if l.prints.Len() > 0 {
		stream.add(wire.Printed{Text: l.prints.String()})
	}
	r := l.part.replica
	l.mu.Unlock()
	e.mu.Unlock()
	if r != nil { // otherwise it is about to be made, and leads
		r.Lead()
	}
	e.log.Info("this node leads a run that it has followed", "run", l.id)
	return true
}

// The times of a run in which everything on a node waits.
const (
	handOver = 500 * time.Millisecond // after which a follower leaves its pending effects to the leader
	askPause = 50 * time.Millisecond  // between two checks of the other nodes
	askLooks = 4                      // without a finding: an effect may be about to begin, here or elsewhere
)

// asks waits until this engine is the one that asks people: it leads the run, everything in it waits, and no other node
// has anything to do. A follower leaves the run, so that the leader comes to the pending effects. It returns false if
// that is not so any more.
func (l *live) asks(ctx context.Context, e *Engine) bool {
	tick := time.NewTicker(askPause)
	defer tick.Stop()
	began, alone := time.Now(), 0
	for {
		e.mu.Lock()
		follows := l.part.follows
		if follows && time.Since(began) > handOver {
			e.leaveRun(l)
		}
		e.mu.Unlock()
		if !follows {
			if l.part.replica == nil {
				return true
			}
			switch held, free := l.part.replica.Others(); {
			case held > 0:
				alone = 0
			case free == 0 || alone == askLooks:
				return true
			default:
				alone++
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return false
		}
		if !l.wait.pending.Quiet() {
			return false
		}
	}
}
