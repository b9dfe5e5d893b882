// This file defines the rules of the records about operations that are shared.

package dist

// open begins to share an operation, or continues one that a bound had ended for an owner who is dead. Claims count
// only after it: a follower that ran elements on its own would perform writes of a scope that the owner is about to
// end.
func (s *State) open(r *Record) bool {
	parent := parentOf(r.ID)
	if s.owner(parent) != r.Node && s.holds(openByOwner) || s.unneeded(parent) {
		return false
	}
	if o := s.operations[r.ID]; o != nil {
		if !o.closed || o.last >= 0 || r.Elements != o.n {
			return false
		}
		o.closed = false
		return true
	}
	if r.Elements < 1 || r.Elements > maxElements || r.Size < 1 || parent == "" {
		return false
	}
	o := newOperation(r)
	for out, i := range s.around(o.parent) {
		o.within, o.element = out, i
	}
	if o.within != nil {
		o.within.inner = append(o.within.inner, o)
	}
	s.operations[r.ID] = o
	if s.holds(openedIsAhead) {
		// An opened operation is known to follow: a new owner must not end a scope before it, while others run its
		// elements.
		p := s.past[o.parent]
		p.operation = max(p.operation, numberOf(r.ID))
		s.past[o.parent] = p
	}
	return true
}

func (s *State) claim(r *Record) bool {
	o := s.operations[r.ID]
	if o == nil && !s.holds(openFirst) { // as if a follower could begin to share
		o = newOperation(&Record{ID: r.ID, Elements: r.Unit + 1, Size: 1})
		s.operations[r.ID] = o
	}
	switch {
	case o == nil || r.Unit >= len(o.holders) || o.complete(r.Unit):
		return false
	case o.closed && r.Unit*o.size > o.last:
		return false
	case s.unneeded(o.parent) || s.ended(o.parent):
		return false
	case o.holders[r.Unit] != "" && s.holds(claimOnce):
		return false
	}
	o.holders[r.Unit] = r.Node
	o.claims++
	s.did(r.Node, 1, 0)
	return true
}

// values takes the outcomes of elements from the holder of their unit.
func (s *State) values(r *Record) (counts bool) {
	o := s.operations[r.ID]
	if o == nil {
		return false
	}
	for i := range r.Values {
		v := &r.Values[i]
		if v.Index >= o.n || o.given[v.Index] != nil || o.unneeded(v.Index) ||
			o.holders[v.Index/o.size] != r.Node && s.holds(valueByHolder) {
			continue
		}
		o.give(v.Index, &v.Given)
		s.did(r.Node, 0, 1)
		counts = true
	}
	return counts
}

// close ends an operation. The elements up to the last one that is needed have their outcomes.
func (s *State) close(r *Record) bool {
	o := s.operations[r.ID]
	if o == nil || o.closed || r.Last >= o.n || s.owner(o.parent) != r.Node && s.holds(closeByOwner) {
		return false
	}
	for i := range r.Last + 1 {
		if o.given[i] == nil && s.holds(closeComplete) {
			return false
		}
	}
	o.closed, o.last = true, r.Last
	return true
}
