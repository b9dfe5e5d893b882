// This file defines the fences of runs that this node leads.

package store

import "github.com/ptc-lang/ptc/cluster/internal/engine"

// fence is the condition of the changes of one run.
type fence struct{ engine.Condition }

// Fence makes changes of a run by this node fail with ErrDeposed as soon as a condition does not hold any
// more, until release is called. The condition is that this node leads the run, see package
// cluster/internal/place. It applies to Update, and to journals that are opened afterwards. A later Fence
// of the run replaces it.
func (s *Store) Fence(run string, holds engine.Condition) (release func()) {
	f := &fence{holds}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fences[run] = f
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.fences[run] == f {
			delete(s.fences, run)
		}
	}
}

// fence returns the fence of a run; nil without one.
func (s *Store) fence(run string) *fence {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fences[run]
}
