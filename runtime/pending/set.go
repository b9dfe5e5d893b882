// Package pending implements the pending effects of one run: calls that have to be approved, questions, calls whose
// outcome comes later, and writes in doubt.
//
//   - Set: the pending effects of a run. Ask and Wait wait for a settlement, Settle settles an effect from any
//     goroutine, Now lists.
//   - Host.Decide is asked when the run is quiet: each evaluation rests, or waits for one that does. It gets all
//     that is pending, and settles some of it, or parks the run.
//
// A Set is a sched.Watcher, so it knows when the run is quiet. Its goroutine, which asks Decide, exists from the
// first wait to Close. A run without pending effects pays for a Set only its memory.
//
// # Who settles first
//
// The first settlement of an effect holds. It is in the journal before the program sees it. Settle may be called
// while Decide is at work: a settlement of Decide that comes second is dropped, and any other that comes second is
// an error.
package pending

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// Host connects a Set with its run.
type Host interface {
	// Decide is called with all pending effects, ordered by id, while the run is quiet. The run is parked if
	// it returns nothing. Its context ends when all of these effects are settled, and when the run ends. Calls
	// never overlap.
	Decide(ctx context.Context, all []effect.Pending) ([]effect.Settlement, error)
	// Accept checks a settlement, and returns its outcome for the program and for the journal.
	Accept(p effect.Pending, s effect.Settlement) (effect.Outcome, effect.Record, error)
	// Waiting is called when an evaluation begins to wait for an effect, and its result when the wait is over,
	// both by the waiting goroutine.
	Waiting(p effect.Pending) (over func())
	// Hide replaces secrets in the arguments of a question.
	Hide(args json.RawMessage) json.RawMessage
	// Park returns the error of a run that waits for its pending effects, by ids. Fail returns that of a run which Decide
	// or the journal has ended by an error. All evaluations that wait get it. Neither may call the Set.
	Park(all []effect.Pending) error
	Fail(err error) error
}

// Set is the pending effects of one run. The zero Set is not ready for use: see Begin. It is safe for concurrent use.
type Set struct {
	host Host
	// journal records pending effects and their settlements; nil if nothing is recorded.
	journal effect.Journal
	ctx     context.Context // of the run
	clock   *limits.Clock   // is stopped while the run is quiet
	quiet   atomic.Bool
	stop    atomic.Pointer[ended] // why the run was ended; nil if it was not

	mu      sync.Mutex
	all     map[string]*entry   // by id
	settled map[string]struct{} // the ids of effects that are not pending any more
	changes int                 // increases when an effect is added or settled
	over    bool                // nothing can be settled
	asked   int                 // the number of unsettled effects that Decide was asked about
	answer  context.CancelFunc  // ends the context of that call
	signal  chan struct{}       // to the goroutine: the run may be quiet; nil if there is none
	ended   chan struct{}       // the goroutine has ended
	cancel  context.CancelFunc  // ends the goroutine
	work    sync.WaitGroup      // settlements under way
}

// entry is a pending effect.
type entry struct {
	p effect.Pending
	// by is the evaluation that waits; nil if the run has not come to the effect. It may never do so: the operation
	// around it may have ended before.
	by effect.Rester
	// asked reports that a call of Decide under way was asked about it.
	asked bool
	busy  chan struct{} // closed when the settlement under way has succeeded or failed; nil if there is none

	done    chan struct{} // closed when it is settled
	verdict effect.Verdict
	outcome effect.Outcome
	err     error // of the run, which ends
}

// Begin makes the Set that of a run with a context and a clock. j is optional. left are the effects that an earlier
// run has left, which the run will come to.
func (s *Set) Begin(ctx context.Context, clock *limits.Clock, j effect.Journal, left []effect.Pending, h Host) {
	s.host, s.journal, s.ctx, s.clock = h, j, ctx, clock
	if len(left) == 0 {
		return
	}
	s.all = make(map[string]*entry, len(left))
	for _, p := range left {
		s.all[p.ID] = &entry{p: p, done: make(chan struct{})}
	}
}

// Quiet implements sched.Watcher.
func (s *Set) Quiet(quiet bool) {
	s.quiet.Store(quiet)
	if !quiet {
		s.clock.Start()
		return
	}
	s.clock.Stop()
	s.wakeUp()
}

// IsQuiet reports whether the run is quiet.
func (s *Set) IsQuiet() bool { return s.quiet.Load() }

// wakeUp makes the goroutine check whether the run is quiet. It does not wait.
func (s *Set) wakeUp() {
	select {
	case s.signal <- struct{}{}:
	default:
	}
}

// Wait implements effect.Pendings.
func (s *Set) Wait(ctx context.Context, p effect.Pending, left bool,
	by effect.Rester) (as effect.Verdict, o effect.Outcome, err error) {
	e, err := s.enter(p, left, by)
	if err != nil {
		return "", effect.Outcome{}, err
	}
	if by != nil {
		defer by.Wake()
	}
	defer s.host.Waiting(p)()
	select {
	case <-e.done:
	case <-ctx.Done():
		if !s.leave(e) {
			return "", effect.Outcome{}, context.Cause(ctx)
		}
	}
	return e.verdict, e.outcome, e.err
}

// enter adds an effect, and has its evaluation rest.
func (s *Set) enter(p effect.Pending, left bool, by effect.Rester) (*entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return nil, s.why()
	}
	e := s.all[p.ID]
	if e == nil && left {
		return nil, effect.ErrSettled
	}
	if e == nil {
		e = &entry{p: p, done: make(chan struct{})}
		if s.all == nil {
			s.all = make(map[string]*entry)
		}
		s.all[p.ID] = e
		delete(s.settled, p.ID) // an approved call may be in doubt, or have its outcome later
	}
	e.p.Place, e.p.Host = p.Place, p.Host // which the record of an earlier run may lack
	s.changes++
	if s.signal == nil {
		s.signal, s.ended = make(chan struct{}, 1), make(chan struct{})
		var ctx context.Context
		ctx, s.cancel = context.WithCancel(s.ctx)
		go s.decide(ctx)
	}
	if e.by = by; by != nil {
		by.Rest()
	}
	return e, nil
}

// leave removes an effect whose evaluation no longer waits, unless it is settled, or is being settled and then is.
func (s *Set) leave(e *entry) (settled bool) {
	for {
		s.mu.Lock()
		if e.verdict != "" || e.err != nil {
			s.mu.Unlock()
			return true
		}
		busy := e.busy
		if busy == nil {
			s.remove(e)
			s.mu.Unlock()
			return false
		}
		s.mu.Unlock()
		<-busy
	}
}

// remove removes an effect from the list. The caller holds mu.
func (s *Set) remove(e *entry) {
	delete(s.all, e.p.ID)
	if s.settled == nil {
		s.settled = make(map[string]struct{})
	}
	s.settled[e.p.ID] = struct{}{}
	s.changes++
	if e.asked {
		if s.asked--; s.asked == 0 {
			s.answer()
		}
	}
}

// Now returns the pending effects, by ids.
func (s *Set) Now() []effect.Pending {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.list()
}

// list is Now for a caller that holds mu.
func (s *Set) list() []effect.Pending {
	if len(s.all) == 0 {
		return nil
	}
	all := make([]effect.Pending, 0, len(s.all))
	for id, e := range s.all {
		if e.by != nil || s.journal == nil || !s.journal.Excused(id) {
			all = append(all, e.p)
		}
	}
	slices.SortFunc(all, func(a, b effect.Pending) int { return effect.CompareIDs(a.ID, b.ID) })
	return all
}

// Settle settles a pending effect, or all pending calls of a tool that the verdict fits. The settlements are in the
// journal when it returns. The error is effect.ErrNotPending, effect.ErrSettled, effect.ErrRunOver, the
// error of a settlement that does not fit, or an error of the journal, which ends the run; of several calls
// of a tool, those before the error are settled.
func (s *Set) Settle(st effect.Settlement) error {
	if !st.OfTool() {
		return s.settle(st)
	}
	s.mu.Lock()
	all, over := s.list(), s.over
	s.mu.Unlock()
	if over {
		return fmt.Errorf("%.200s: %w", st.ID, effect.ErrRunOver)
	}
	found := false
	for i := range all {
		if !st.Names(all[i]) {
			continue
		}
		found = true
		one := st
		one.ID = all[i].ID
		if err := s.settle(one); err != nil && !errors.Is(err, effect.ErrSettled) {
			return err
		}
	}
	if !found {
		return fmt.Errorf("%.200s: %w", st.ID, effect.ErrNotPending)
	}
	return nil
}

// settle settles one effect.
func (s *Set) settle(st effect.Settlement) error {
	e, p, err := s.begin(st.ID)
	if err != nil {
		return err
	}
	defer s.work.Done()
	o, r, err := s.host.Accept(p, st)
	if err == nil && s.journal != nil {
		if err = s.journal.Settle(st.ID, st.As, r); errors.Is(err, effect.ErrSettled) {
			defer s.Known(st.ID)
		} else if err != nil {
			s.end(func() error { return s.host.Fail(err) })
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && e.err == nil {
		e.verdict, e.outcome = st.As, o
		s.remove(e)
		if e.by != nil {
			e.by.Wake()
		}
		close(e.done)
	}
	close(e.busy)
	e.busy = nil
	return err
}

// Known ends the wait for an effect whose outcome has become known in another way: its evaluation asks the journal for
// it. It ignores effects that are not pending.
func (s *Set) Known(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.all[id]
	if e == nil || e.busy != nil || e.verdict != "" || e.err != nil {
		return
	}
	e.err = effect.ErrSettled
	s.remove(e)
	if e.by != nil {
		e.by.Wake()
	}
	close(e.done)
}

// begin begins the settlement of an effect. It waits for a settlement under way, which may fail. The run
// may reach the effect in the meantime, so p is its current state.
func (s *Set) begin(id string) (e *entry, p effect.Pending, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		e = s.all[id]
		_, before := s.settled[id]
		switch {
		case s.over:
			return nil, p, fmt.Errorf("%.200s: %w", id, effect.ErrRunOver)
		case e == nil && s.elsewhere(id):
			continue
		case e == nil && before:
			return nil, p, fmt.Errorf("%.200s: %w", id, effect.ErrSettled)
		case e == nil:
			return nil, p, fmt.Errorf("%.200s: %w", id, effect.ErrNotPending)
		case e.busy == nil:
			e.busy = make(chan struct{})
			s.work.Add(1)
			return e, e.p, nil
		}
		busy := e.busy
		s.mu.Unlock()
		<-busy
		s.mu.Lock()
	}
}

// elsewhere adds an effect that is pending on another node of the run, and reports whether it does. The caller holds
// mu.
func (s *Set) elsewhere(id string) bool {
	if s.journal == nil {
		return false
	}
	p, ok := s.journal.Pending(id)
	if ok {
		if s.all == nil {
			s.all = make(map[string]*entry)
		}
		s.all[id] = &entry{p: p, done: make(chan struct{})}
	}
	return ok
}

// ended is the error of a wait in a run that was parked, or has failed.
type ended struct{ cause error }

func (e *ended) Error() string { return e.cause.Error() }

// Unwrap returns effect.ErrRunOver and the cause.
func (e *ended) Unwrap() []error { return []error{effect.ErrRunOver, e.cause} }

// Ended implements effect.Pendings.
func (s *Set) Ended() error {
	if why := s.stop.Load(); why != nil {
		return why
	}
	return nil
}

// Idle implements effect.Pendings.
func (s *Set) Idle() time.Duration { return s.clock.Lost() }

// why returns the error of a wait in a run that is over.
func (s *Set) why() error {
	if err := s.Ended(); err != nil {
		return err
	}
	return effect.ErrRunOver
}

// end ends the run with an error.
func (s *Set) end(cause func() error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.over {
		s.finish(cause())
	}
}

// finish ends the run: all waiting evaluations get an error, and so do those that are about to wait. The
// caller holds mu.
func (s *Set) finish(cause error) {
	s.over = true
	why := &ended{cause}
	s.stop.Store(why)
	for _, e := range s.all {
		if e.by == nil {
			continue
		}
		e.err = why
		e.by.Wake()
		close(e.done)
	}
}
