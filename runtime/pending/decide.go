// This file defines when a run is asked for settlements, and how it ends.

package pending

import (
	"context"
	"errors"
	"slices"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// errGoexit ends a run whose pending effects nobody can decide any more.
var errGoexit = errors.New("it ended its goroutine with runtime.Goexit, as t.FailNow does")

// decide is the goroutine that asks Decide whenever the run is quiet.
func (s *Set) decide(ctx context.Context) {
	returned := false
	defer func() {
		if !returned {
			s.end(func() error { return s.host.Fail(errGoexit) })
		}
		close(s.ended)
	}()
	s.rounds(ctx)
	returned = true
}

func (s *Set) rounds(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.signal:
		}
		for s.quiet.Load() && ctx.Err() == nil && s.round(ctx) {
		}
	}
}

// round asks once, and reports whether to ask again if the run is still quiet.
func (s *Set) round(ctx context.Context) (again bool) {
	s.mu.Lock()
	all, changes := s.list(), s.changes
	for _, e := range s.all {
		if e.busy != nil { // it wakes the run, or fails and its caller has the error
			busy := e.busy
			s.mu.Unlock()
			<-busy
			return true
		}
	}
	// An evaluation whose time is over only seems to rest: it continues, and nobody must be asked about its effect.
	if s.over || len(all) == 0 || s.clock.Expiring() {
		s.mu.Unlock()
		return false
	}
	asked, stop := s.asking(ctx, all)
	s.mu.Unlock()
	settle, err := s.host.Decide(asked, all)
	stop()
	switch {
	case ctx.Err() != nil:
		return false
	case err != nil:
		s.end(func() error { return s.host.Fail(err) })
		return false
	case len(settle) == 0:
		return !s.park(changes)
	}
	if err := s.apply(all, settle); err != nil {
		s.end(func() error { return s.host.Fail(err) })
		return false
	}
	return true
}

// asking returns the context of a call of Decide about all. It ends when all of it is settled. The caller holds mu, and
// must call stop after the call of Decide.
func (s *Set) asking(ctx context.Context, all []effect.Pending) (_ context.Context, stop func()) {
	asked, cancel := context.WithCancel(ctx)
	for i := range all {
		s.all[all[i].ID].asked = true
	}
	s.asked, s.answer = len(all), cancel
	return asked, func() {
		cancel()
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, e := range s.all {
			e.asked = false
		}
	}
}

// park ends the run, and reports whether it did: not if something was settled, or became pending, since the host was
// asked.
func (s *Set) park(changes int) bool {
	s.mu.Lock()
	parks := s.quiet.Load() && s.changes == changes && !s.over
	for _, e := range s.all {
		parks = parks && e.busy == nil
	}
	if parks { // and so nothing changes until the end
		all := s.list()
		s.finish(s.host.Park(all))
	}
	s.mu.Unlock()
	return parks
}

// apply settles the effects that Decide was asked about. Effects that were settled in the meantime, or are
// not needed any more, keep that state. Settlements of single effects take precedence over settlements of
// tools.
func (s *Set) apply(asked []effect.Pending, settle []effect.Settlement) error {
	for _, ofTools := range []bool{false, true} {
		for _, st := range settle {
			if st.OfTool() != ofTools {
				continue
			}
			switch err := s.Settle(st); {
			case err == nil, errors.Is(err, effect.ErrSettled), errors.Is(err, effect.ErrRunOver):
			case ofTools && errors.Is(err, effect.ErrNotPending) && slices.ContainsFunc(asked, st.Names):
				// All were settled one by one.
			default:
				return err
			}
		}
	}
	return nil
}

// Close ends the Set, when its run has ended: nothing can be settled from then on. It waits for settlements under
// way and for Decide. It may be called again.
func (s *Set) Close() {
	s.mu.Lock()
	s.over = true
	cancel, ended := s.cancel, s.ended
	s.mu.Unlock()
	s.work.Wait()
	if cancel != nil {
		cancel()
		<-ended
	}
}
