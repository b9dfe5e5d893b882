// This file defines Sorting: a sort by a comparator of the program.

package value

import "github.com/ptc-lang/ptc/lang/diag"

// Sorting is a merge sort in progress, from the bottom up: runs of width are merged in pairs,
// keys[i:mid] and keys[mid:hi] to tmpKeys[k:]. It calls no function. Instead, it returns the pairs
// to compare: the machine calls the comparator between two steps, and a step does not allocate. If
// there are vals, they are moved along with the keys.
type Sorting struct {
	Header
	keys, tmpKeys  Blocks
	vals, tmpVals  Blocks // empty: the keys themselves are sorted
	i, j, k        int
	mid, hi, width int
	state          sortState
}

type sortState uint8

const (
	sortBegins sortState = iota // no pair has been returned
	sortProbes                  // the pair is the border between the runs
	sortMerges                  // the pair is the first of each run
)

var sizeSorting = objectSize[Sorting]()

// Sorting returns a sort of vals by keys. The caller must not use the arrays afterwards. Without
// vals, the keys themselves are sorted.
func (t *Task) Sorting(keys, vals Blocks) Value {
	t.Charge(sizeSorting)
	s := &Sorting{Header: t.header(KindSorting), keys: keys, vals: vals, tmpKeys: t.Blocks(keys.Len()),
		tmpVals: t.Blocks(vals.Len()), width: 1}
	return Value{h: &s.Header}
}

// AsSorting returns v as a sort in progress.
func (v Value) AsSorting() *Sorting {
	if v.Kind() != KindSorting {
		badKind()
	}
	return as[Sorting](v)
}

// Sorted returns the sorted array.
func (s *Sorting) Sorted() *Blocks {
	if s.vals.Len() > 0 {
		return &s.vals
	}
	return &s.keys
}

// Keys returns the keys, which are in order when the sort has ended.
func (s *Sorting) Keys() *Blocks { return &s.keys }

// Next takes the comparator's value for the last pair and returns the next pair: an element of the
// right run, which comes first if it is less, and one of the left run. They are valid until the
// next call. Next returns false when the sort has ended.
func (s *Sorting) Next(t *Task, r Value) (right, left *Value, more bool) {
	switch s.state {
	case sortBegins:
		return s.nextRuns(t)
	case sortProbes:
		if !IsBefore(t, r) {
			break
		}
		s.state = sortMerges
		return s.keys.At(s.j), s.keys.At(s.i), true
	default:
		from := s.i
		if IsBefore(t, r) {
			from = s.j
			s.j++
		} else {
			s.i++
		}
		*s.tmpKeys.At(s.k) = *s.keys.At(from)
		if s.vals.Len() > 0 {
			*s.tmpVals.At(s.k) = *s.vals.At(from)
		}
		s.k++
		if s.i < s.mid && s.j < s.hi {
			return s.keys.At(s.j), s.keys.At(s.i), true
		}
	}
	s.flush(t)
	return s.nextRuns(t)
}

// flush copies the rest of the two runs.
func (s *Sorting) flush(t *Task) {
	s.tmpKeys.Move(t, s.k, &s.keys, s.i, s.mid)
	s.tmpKeys.Move(t, s.k+s.mid-s.i, &s.keys, s.j, s.hi)
	if s.vals.Len() > 0 {
		s.tmpVals.Move(t, s.k, &s.vals, s.i, s.mid)
		s.tmpVals.Move(t, s.k+s.mid-s.i, &s.vals, s.j, s.hi)
	}
}

// nextRuns finds the next pair of runs. It first compares at their border, so an ordered pair costs
// one comparison.
func (s *Sorting) nextRuns(t *Task) (right, left *Value, more bool) {
	n := s.keys.Len()
	for s.width < n {
		if s.hi >= n {
			s.keys, s.tmpKeys = s.tmpKeys, s.keys
			s.vals, s.tmpVals = s.tmpVals, s.vals
			s.width *= 2
			s.hi = 0
			continue
		}
		s.i, s.k = s.hi, s.hi
		s.mid = min(s.i+s.width, n)
		s.j, s.hi = s.mid, min(s.mid+s.width, n)
		if s.mid < n {
			s.state = sortProbes
			return s.keys.At(s.j), s.keys.At(s.mid - 1), true
		}
		s.flush(t)
	}
	return nil, nil, false
}

// IsBefore reports whether a comparator's value means that the first argument comes first: true, or
// a number whose integer part is negative.
func IsBefore(t *Task, r Value) bool {
	switch r.Kind() {
	case KindBool:
		return r.AsBool()
	case KindInt:
		return int32(r.AsInt()) < 0
	case KindNil:
		t.Fail(diag.NilValue, "comparator: got nil, want a number or a boolean")
	}
	if !r.Is(Numbers) {
		t.Fail(diag.WrongType, "comparator: got %s, want a number or a boolean", Describe(t, r))
	}
	return ToDouble(t, r) <= -1
}
