package sched

import (
	"slices"
	"testing"
)

// claims is a state of two workers: their spans, and which elements they have run.
type claims struct {
	spans [2][2]int64
	run   [2][]int64
}

// TestClaims runs all orders in which two workers can take elements of their own spans and steal from each
// other: each element is run once, and a worker runs the elements of a span in order. An operation on a
// span is one compare-and-swap, and no value of a span recurs, because each element is claimed once. So
// there are no other orders.
func TestClaims(t *testing.T) {
	const n = 7
	orders, seen := 0, map[string]bool{}
	var step func(s claims)
	step = func(s claims) {
		moved := false
		for w := range 2 {
			next, ok := claimed(s, w)
			if !ok {
				continue
			}
			moved = true
			if key := string(appendClaims(nil, next)); !seen[key] {
				seen[key] = true
				step(next)
			}
		}
		if moved {
			return
		}
		orders++
		all := slices.Sorted(slices.Values(slices.Concat(s.run[0], s.run[1])))
		for i := range int64(n) {
			if int64(len(all)) != n || all[i] != i {
				t.Fatalf("ran %v and %v, want each of %d elements once", s.run[0], s.run[1], n)
			}
		}
	}
	for split := range int64(n + 1) {
		step(claims{spans: [2][2]int64{{0, split}, {split, n}}})
	}
	if orders < 100 {
		t.Fatalf("only %d orders were run", orders)
	}
}

// claimed returns the state after a worker has claimed and run an element of its own span, or
// of the upper half of the other span. ok is false if there is none.
func claimed(s claims, w int) (_ claims, ok bool) {
	var own, other span
	own.set(s.spans[w][0], s.spans[w][1])
	other.set(s.spans[1-w][0], s.spans[1-w][1])
	i, ok := own.take()
	if !ok {
		lo, hi, some := other.steal()
		if !some {
			return s, false
		}
		own.set(lo+1, hi)
		i = lo
	}
	s.run[w] = append(slices.Clip(s.run[w]), i)
	for n, of := range []*span{&own, &other} {
		lo, hi := bounds(of.lohi.Load())
		s.spans[[2]int{w, 1 - w}[n]] = [2]int64{lo, hi}
	}
	return s, true
}

// appendClaims appends a state as text.
func appendClaims(to []byte, s claims) []byte {
	for w := range 2 {
		to = append(to, byte(s.spans[w][0]), byte(s.spans[w][1]), '|')
		for _, i := range s.run[w] {
			to = append(to, byte(i))
		}
		to = append(to, '/')
	}
	return to
}
