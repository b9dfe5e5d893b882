// This file defines how a run is run: from its place among the live ones to its next state.

package serve

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// live is a run that runs.
type live struct {
	id       string
	ticket   *ticket
	ctx      context.Context
	cancel   context.CancelCauseFunc
	stream   *stream
	progress ptc.Progress
	wait     waiting
	waits    waits
	writes   writes
	quiet    chan struct{} // closed when calls of it must not begin any more; see Engine.Away
	done     chan struct{} // closed when the run has its next state, and is not live any more
	part     part          // with other nodes
	unkept   chan error    // gets why the store can't keep a state of the run now

	mu     sync.Mutex
	prints strings.Builder
}

// errInterrupted is the cause with which the context of a run ends when the engine does.
var errInterrupted = errors.New("serve: the engine is ending")

// errAway is that of a run which continues elsewhere.
var errAway = errors.New("serve: the run continues on another node")

// newLive returns the state of a run, or an evaluation of a session, that begins.
func newLive(id string, t *ticket, s *stream) *live {
	l := &live{id: id, ticket: t, stream: s, quiet: make(chan struct{}), done: make(chan struct{}),
		unkept: make(chan error, 1)}
	l.wait.room, l.wait.keeping = make(chan struct{}, 1), make(chan struct{}, 1)
	return l
}

// begin makes a run live and runs it; kept is the run in the store if it is running there already. The caller
// holds the lock.
func (e *Engine) begin(t *ticket, kept *store.Run) {
	l := newLive(t.run.ID, t, e.hold(t.run.ID))
	l.ctx, l.cancel = context.WithCancelCause(e.ctx)
	l.led()
	e.live[l.id] = l
	e.wg.Go(func() { e.run(l, kept) })
}

// led ends the context of a placed run with its lead, or at its deadline.
func (l *live) led() {
	t := l.ticket
	if t.lead == nil {
		return
	}
	stop := context.AfterFunc(t.lead.Context(), func() { l.cancel(errLost) })
	var late *time.Timer
	if t.late > 0 {
		late = time.AfterFunc(t.late, func() { l.cancel(errLate) })
	}
	context.AfterFunc(l.ctx, func() {
		stop()
		if late != nil {
			late.Stop()
		}
	})
}

// run runs a live run to its next state.
func (e *Engine) run(l *live, kept *store.Run) {
	defer close(l.done)
	defer l.cancel(nil)
	run, err := e.started(l, kept)
	if err == nil {
		given := l.options(&run)
		reported := e.report(l.ctx, run, &given)
		l.part.trace = reported.Trace
		l.observe(e, &given)
		res, runErr := e.perform(l, &run, given)
		reported.Ended(l.goesOn(runErr), res, runErr)
		run, err = e.settle(l, res, runErr)
	}
	e.ran(l, run, err)
}

// options returns the options of the evaluation of a run, and observe adds the observers of the engine.
func (l *live) options(run *store.Run) ptc.RunOptions {
	return ptc.RunOptions{ID: l.id, Output: l.print, Progress: &l.progress, Priority: run.Priority}
}

func (l *live) observe(e *Engine, given *ptc.RunOptions) {
	given.OnPending, given.Pending = l.pend(e), &l.wait.pending
	given.Around = l.around(e, given.Around)
	given.Observer = given.Observer.Also(l.observer(e))
}

// ran frees the resources of a run that this engine led.
func (e *Engine) ran(l *live, run store.Run, err error) {
	if l.ticket.lead != nil {
		e.part(l.ticket, run, err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.live, l.id)
	e.linger(l.stream)
	if err == nil && l.ticket.lead == nil {
		e.follow(run)
	}
	e.release(l.ticket)
}

// started makes the state of a run durable before its first instruction.
func (e *Engine) started(l *live, kept *store.Run) (store.Run, error) {
	if kept != nil {
		e.tell(l.id, stateOf(kept))
		return *kept, nil
	}
	run, err := e.lasting(l.id, func(r *store.Run) error {
		if r.State.Final() {
			return store.ErrEnded
		}
		r.State, r.Reason, r.Wake, r.Pending = store.Running, "", time.Time{}, nil
		r.Attempts++
		return nil
	})
	if err != nil && !errors.Is(err, store.ErrEnded) {
		e.log.Error("a run can't be started", "run", l.id, "error", err)
	}
	return run, err
}

// perform runs the program: with a new journal, or from where its journal ends.
func (e *Engine) perform(l *live, run *store.Run, given ptc.RunOptions) (*ptc.Result, error) {
	place, err := e.opts.Store.Journal(e.kept, l.id)
	if err != nil {
		return nil, err
	}
	if r := e.opts.Replicas; r != nil && l.ticket.lead != nil {
		if shares, err := r.Shares(l.ctx, l.id); err != nil {
			return nil, err
		} else if shares {
			return e.replicate(l, run, place, given)
		}
	}
	file := ptc.JournalFile{Place: place, Key: e.opts.Key, Run: l.id}
	opts, err := optionsOf(run, e.opts.Run)
	if err != nil {
		return nil, err
	}
	begun, err := hasBegun(e.kept, place)
	if err != nil {
		return nil, err
	}
	if !begun {
		given.Data, err = inputs(run.Data)
		if err != nil {
			return nil, err
		}
		prog, err := e.compiled.program(l.ctx, run, e.opts.Run)
		if err != nil {
			return nil, err
		}
		return prog.Record(l.ctx, file, given)
	}
	if file.Settled, err = e.unsettled(run, place); err != nil {
		return nil, err
	}
	res, err := ptc.Resume(l.ctx, file, opts, given)
	if errors.Is(err, journal.ErrFinished) { // the process ended between the end of the journal and that of the run
		l.forget()
		return ptc.Replay(l.ctx, file, opts, given)
	}
	return res, err
}

// hasBegun reports whether a journal has begun.
func hasBegun(ctx context.Context, place journal.Place) (bool, error) {
	r, err := place.Open(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, r.Close()
}

// settle brings a run whose program has stopped to its next state.
func (e *Engine) settle(l *live, res *ptc.Result, err error) (store.Run, error) {
	if l.lost() {
		return store.Run{}, errLost
	}
	next := e.outcome(l, res, err)
	units := l.part.units()
	run, uerr := e.lasting(l.id, func(r *store.Run) error {
		next(r)
		if units != nil {
			r.Units = units
		}
		return nil
	})
	if uerr != nil {
		e.log.Error("the end of a run can't be kept; the run is resumed when the service starts again", "run", l.id,
			"error", uerr)
	}
	return run, uerr
}

// lost reports whether another engine may run the run.
func (l *live) lost() bool { return l.ticket.lead != nil && l.ticket.lead.Context().Err() != nil }

// outcome returns the change of a run whose program has stopped.
func (e *Engine) outcome(l *live, res *ptc.Result, err error) func(*store.Run) {
	var failure *ptc.Error
	errors.As(err, &failure)
	cause := context.Cause(l.ctx)
	stopped := stopped(err)
	var cancelled errCancelled
	var parked *ptc.Parked
	switch {
	case stopped && errors.As(cause, &cancelled):
		return func(r *store.Run) {
			r.State, r.Reason, r.Result = store.Cancelled, string(cancelled), l.result(res, err)
		}
	case stopped && (errors.Is(cause, errInterrupted) || errors.Is(cause, errAway)):
		reason := "the service ended while it ran"
		if errors.Is(cause, errAway) {
			reason = "its node drains"
		}
		return func(r *store.Run) { // it has stopped in order
			r.State, r.Reason, r.Pending = store.Queued, reason, nil
			r.Crashes, r.Stalls = 0, 0
			r.Prints = l.printed()
		}
	case errors.As(err, &parked):
		return func(r *store.Run) {
			r.State, r.Reason, r.Pending, r.Settled = store.Parked, failure.Message, parked.Pending, nil
			r.Crashes, r.Stalls = 0, 0
			if failure.Code == diag.InDoubt {
				r.State = store.InDoubt
			}
			r.Prints = l.printed()
		}
	case retried(err):
		return func(r *store.Run) {
			r.State, r.Reason = store.Parked, "its journal can't be written: "+err.Error()
			r.Wake = time.Now().Add(journalRetry)
		}
	}
	result := l.result(res, err)
	return func(r *store.Run) {
		r.State, r.Reason, r.Result = store.Succeeded, "", result
		if result.Error != nil {
			r.State = store.Failed
		}
	}
}

// journalRetry is the time after which a run whose journal could not be written, because of a full disk for example,
// continues.
const journalRetry = 30 * time.Second

// retried reports whether an error comes from the disk, or from a person who resumes the journal by hand,
// and not from the run.
func retried(err error) bool {
	var failed *journal.Failure
	var system syscall.Errno
	var program *ptc.Error
	if errors.As(err, &program) && program.Code != diag.JournalFailed {
		return false
	}
	return errors.As(err, &failed) || errors.As(err, &system) || errors.Is(err, journal.ErrInUse)
}

// result returns the outcome of a run as the store keeps it.
func (l *live) result(res *ptc.Result, err error) store.Result {
	env := res.Envelope(err, 0)
	out := store.Result{Prints: l.printed()}
	if text, merr := json.Marshal(env.Usage); merr == nil {
		out.Usage = text
	}
	var b strings.Builder
	if env.Error == nil {
		out.Value = env.Value
		if out.Text, err = res.EDN(); err == nil {
			return out
		}
		out.Value, out.Text = nil, ""
		env.Error = &ptc.Error{Code: diag.HostFailed, Message: err.Error()}
		errors.As(err, &env.Error)
	}
	if text, merr := json.Marshal(env.Error); merr == nil {
		out.Error = text
	}
	env.Error.Render(&b, false)
	out.Text = b.String()
	return out
}

// print receives a print of the program.
func (l *live) print(p ptc.Print) {
	text := strings.ToValidUTF8(p.Text, "\uFFFD") // as the store keeps it, so that places are the same
	l.mu.Lock()
	defer l.mu.Unlock()
	known := min(l.part.again, len(text))
	if l.part.again -= known; known == len(text) {
		return
	}
	at := l.prints.Len()
	l.prints.WriteString(text[known:])
	if l.stream != nil {
		l.stream.add(wire.Printed{Element: p.Element, At: at, Text: text[known:]})
	}
}

// tell adds an event to the stream of the run. A run that another engine leads has none.
func (l *live) tell(data wire.EventData) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stream != nil {
		l.stream.add(data)
	}
}

// Prints returns the prints of a run so far. A run that is resumed prints again from its beginning.
func (e *Engine) Prints(ctx context.Context, id string) (string, error) {
	e.mu.Lock()
	l := e.live[id]
	e.mu.Unlock()
	if l != nil {
		return l.printed(), nil
	}
	run, err := e.Get(ctx, id)
	return run.Prints, err
}

func (l *live) printed() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.prints.String()
}

// forget forgets the prints: the program runs again from its beginning.
func (l *live) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.prints.Reset()
}

// follow takes the next step for the new state of a run; the caller holds the lock.
func (e *Engine) follow(run store.Run) {
	switch {
	case run.State == store.Queued && !e.draining:
		e.enqueue(newTicket(run, e.opts.Run.Limits))
	case run.State == store.Parked && !run.Wake.IsZero():
		e.sleep(run.ID, &run.Wake)
	}
}
