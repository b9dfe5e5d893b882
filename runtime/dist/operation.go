// This file defines the state of the operations whose elements are shared, and finds those around a path.

package dist

import (
	"iter"
	"strconv"
	"strings"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// operation is an operation whose elements are shared.
type operation struct {
	path, parent      string // parent is the path of the evaluation that waits for it
	n, size, effects  int
	shape             uint64
	holders           []string        // of the units; "" for none
	given             []*effect.Given // the outcomes of elements that have ended
	missing           []int           // of each unit, the elements without an outcome
	left              []bool          // of each unit, whether a node has left it incomplete, see sharing.unit
	closed            bool
	last              int        // of a closed one: the last element that was needed, -1 for none
	within            *operation // the innermost shared operation around it; nil for none
	element           int        // of within
	inner             []*operation
	known             int // elements with an outcome
	claims, abandoned int // of statistics
}

func newOperation(r *Record) *operation {
	units := (r.Elements + r.Size - 1) / r.Size
	o := &operation{path: r.ID, parent: parentOf(r.ID), n: r.Elements, size: r.Size, effects: r.Effects, shape: r.Shape,
		holders: make([]string, units), given: make([]*effect.Given, r.Elements), missing: make([]int, units),
		left: make([]bool, units)}
	for u := range o.missing {
		o.missing[u] = min((u+1)*o.size, o.n) - u*o.size
	}
	return o
}

// unneeded reports whether element i is not needed any more.
func (o *operation) unneeded(i int) bool { return o.closed && i > o.last }

// complete reports whether all elements of a unit have an outcome.
func (o *operation) complete(unit int) bool { return o.missing[unit] == 0 }

// give records the outcome of an element.
func (o *operation) give(i int, g *effect.Given) {
	o.given[i] = g
	o.missing[i/o.size]--
	o.known++
}

// free takes from a node all units that it holds.
func (o *operation) free(node string) {
	for u, h := range o.holders {
		if h == node {
			o.holders[u] = ""
			if !o.complete(u) {
				o.left[u] = true
				o.abandoned++
			}
		}
	}
}

// busy reports whether nodes other than self hold elements above last, or elements of operations in those.
// Closing waits for them, so that nothing after the operation happens beside their remaining effects.
func (o *operation) busy(last int, self string) bool {
	for u, h := range o.holders {
		if h != "" && h != self && !o.complete(u) && min((u+1)*o.size, o.n)-1 > last {
			return true
		}
	}
	for _, in := range o.inner {
		if in.element > last && in.busy(-1, self) {
			return true
		}
	}
	return false
}

// parentOf returns the path of the evaluation that an operation belongs to.
func parentOf(operation string) string {
	i := strings.LastIndexByte(operation, '.')
	if i < 0 {
		return ""
	}
	return operation[:i]
}

// numberOf returns the number of an operation in its evaluation.
func numberOf(operation string) uint64 {
	n, err := strconv.ParseUint(operation[strings.LastIndexByte(operation, '.')+1:], 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// around yields the shared operations around the evaluation at a path, from the outermost, each with the element that
// the path is in.
func (s *State) around(path string) iter.Seq2[*operation, int] {
	return func(yield func(*operation, int) bool) {
		if len(s.operations) == 0 {
			return
		}
		for from := strings.IndexByte(path, '.'); from >= 0 && from < len(path); {
			next := strings.IndexByte(path[from+1:], '.')
			if next < 0 {
				return
			}
			end := from + 1 + next
			digits := path[end+1:]
			if i := strings.IndexByte(digits, '.'); i >= 0 {
				digits = digits[:i]
			}
			if o := s.operations[path[:end]]; o != nil {
				if i, err := strconv.Atoi(digits); err == nil && 0 <= i && i < o.n && !yield(o, i) {
					return
				}
			}
			from = end + 1 + len(digits)
		}
	}
}

// owner returns the node that decides for the evaluation at a path: the holder of the innermost unit around it, or the
// leader. It is "" if nobody does: the unit is free, or the evaluation has ended, or the run has.
func (s *State) owner(path string) string {
	if s.final != nil {
		return ""
	}
	owner := s.leader
	for o, i := range s.around(path) {
		if owner = o.holders[i/o.size]; o.given[i] != nil {
			return ""
		}
	}
	return owner
}

// unneeded reports whether the evaluation at a path is in an element that is not needed any more.
func (s *State) unneeded(path string) bool {
	for o, i := range s.around(path) {
		if o.unneeded(i) {
			return true
		}
	}
	return false
}

// ended reports whether the evaluation at a path is in an element that has an outcome.
func (s *State) ended(path string) bool {
	for o, i := range s.around(path) {
		if o.given[i] != nil {
			return true
		}
	}
	return false
}

// finished reports whether the evaluation at a path has ended, or the run: nobody decides there any more.
func (s *State) finished(path string) bool { return s.final != nil || s.ended(path) }

// innermost returns the innermost shared operation around the evaluation at a path, nil for none, and the element.
func (s *State) innermost(path string) (in *operation, element int) {
	for o, i := range s.around(path) {
		in, element = o, i
	}
	return in, element
}

// cutID returns the path and the number of the id of an effect.
func cutID(id string) (path string, number int) {
	path, digits, _ := strings.Cut(id, "#")
	number, err := strconv.Atoi(digits)
	if err != nil {
		return path, 0
	}
	return path, number
}
