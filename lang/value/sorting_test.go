// This file tests the sort that returns the pairs to compare.

package value

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// run completes a sort by the order of integers and returns the number of comparisons.
func (s *Sorting) run(t *Task) (calls int) {
	last := Nil
	for {
		right, left, more := s.Next(t, last)
		if !more {
			return calls
		}
		calls++
		last = Bool(right.AsInt() < left.AsInt())
	}
}

func TestSorting(tt *testing.T) {
	t := newTask()
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 200 {
		model := make([]int64, n)
		keys, vals := t.Blocks(n), t.Blocks(n)
		for i := range model {
			model[i] = r.Int64N(50)<<32 | int64(i) // the index shows whether the sort is stable
			*keys.At(i), *vals.At(i) = Int(model[i]>>32), Int(model[i])
		}
		slices.Sort(model)
		s := t.Sorting(keys, vals).AsSorting()
		calls := s.run(t)
		for i := range model {
			if x := s.Sorted().At(i).AsInt(); x != model[i] || s.Keys().At(i).AsInt() != model[i]>>32 {
				tt.Fatalf("%d elements: place %d has %d, want %d", n, i, x, model[i])
			}
		}
		if most := n * (bits.Len(uint(n)) + 1); calls > most {
			tt.Errorf("%d elements: %d comparisons, want at most %d", n, calls, most)
		}
	}
}

// TestSortingInOrder checks that ordered input takes one comparison for each pair of runs.
func TestSortingInOrder(tt *testing.T) {
	t := newTask()
	s := t.Sorting(Blocks{Vals: ints(1000)}, Blocks{}).AsSorting()
	if calls := s.run(t); calls != 999 {
		tt.Errorf("%d comparisons, want 999", calls)
	}
	if got := s.Sorted().Vals; !slices.Equal(got, ints(1000)) {
		tt.Error("not in order")
	}
}

// TestSortingChargedIsLive checks that the charge of a sort equals the size that a mark finds.
func TestSortingChargedIsLive(tt *testing.T) {
	for _, n := range accountSizes {
		for _, vals := range []int{0, n} {
			t := newTask()
			t.SetUsed(0)
			s := t.Sorting(t.Blocks(n), t.Blocks(vals))
			if charged, live := t.Used(), liveOf(t, s); live != charged {
				tt.Errorf("%d keys, %d values: charged %d, live %d", n, vals, charged, live)
			}
		}
	}
}

func TestSortingAllocatesNothing(tt *testing.T) {
	t := newTask()
	keys := ints(5000)
	slices.Reverse(keys)
	s := t.Sorting(Blocks{Vals: keys}, Blocks{}).AsSorting()
	used, last := t.Used(), Nil
	if n := testing.AllocsPerRun(1000, func() {
		if right, left, more := s.Next(t, last); more {
			last = Bool(right.AsInt() < left.AsInt())
		}
	}); n != 0 || t.Used() != used {
		tt.Errorf("a step takes %v allocations and %d bytes", n, t.Used()-used)
	}
}
