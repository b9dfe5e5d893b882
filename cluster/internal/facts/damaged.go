// This file defines facts that can't be read, such as those that no master key opens.

package facts

import "github.com/ptc-lang/ptc/cluster/internal/engine"

// maxDamaged bounds the facts that are remembered to be damaged.
const maxDamaged = 10_000

// readable returns the fact of an entry. One that can't be read is left out of the exchange with other regions, so that
// it does not keep the others from them; Options.Damaged is told of it once.
func (s *Store) readable(e engine.Entry) (f Fact, ok bool) {
	f, err := s.decode(e)
	s.mu.Lock()
	was := s.damaged[e.Key]
	switch {
	case err == nil:
		delete(s.damaged, e.Key)
	case was != 0 || len(s.damaged) < maxDamaged:
		s.damaged[e.Key] = e.Modified
	}
	s.mu.Unlock()
	if err != nil && was != e.Modified {
		s.o.Damaged(err)
	}
	return f, err == nil
}

// Damaged returns the number of facts that this node could not read when it exchanged them with other regions.
func (s *Store) Damaged() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.damaged)
}
