// This file compares the table of executions with a map, and holds it to its size.

package queue

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestExecutionsAgainstMap puts in and takes out at random, many executions and few by
// turns. Their hashes are few, so that many want the same place, or one at the end.
func TestExecutionsAgainstMap(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 3))
		hashes := 1 + r.Uint64N(300)
		keys := make([]key, 400)
		for i := range keys {
			keys[i] = key{1<<63 | r.Uint64N(hashes)*r.Uint64N(3), strconv.Itoa(i)}
		}
		x, want := newExecutions(), map[key]*waiter{}
		for step := range 4_000 {
			k := keys[r.IntN(len(keys))]
			if _, here := want[k]; here {
				x.remove(x.find(k))
				delete(want, k)
			} else if step/500%2 == 0 || r.IntN(8) == 0 {
				want[k] = &waiter{}
				x.put(x.find(k), slot{k, want[k]})
			}
			if step%100 == 0 {
				compareExecutions(t, &x, keys, want)
			}
		}
	}
}

func compareExecutions(t *testing.T, x *executions, keys []key, want map[key]*waiter) {
	t.Helper()
	for _, k := range keys {
		w, here := want[k]
		if s := x.get(k); here != (s.key == k) || w != s.waiter {
			t.Fatalf("%v: got %v, want %v, %v", k, s, w, here)
		}
	}
	taken := 0
	for _, s := range x.slots {
		if s != (slot{}) {
			taken++
		}
	}
	require.Equal(t, len(want), taken, "a slot is free, or has an execution")
	require.Equal(t, len(want), x.length)
}

// TestExecutionsShrink: a queue that was long leaves no large table behind, and one that
// was not has its own again.
func TestExecutionsShrink(t *testing.T) {
	s := New(Options{})
	fill := func(n int) []slot {
		for i := range n {
			require.NoError(t, s.EnqueueAndWait(t.Context(), "a", strconv.Itoa(i), NoLimit, nil))
		}
		slots := s.lines.find(s.key("a")).executions.slots
		for i := range n {
			s.Complete("a", strconv.Itoa(i))
		}
		return slots
	}
	slots := func() []slot { return s.lines.find(s.key("a")).executions.slots }
	require.Len(t, fill(10_000), 16_384)
	require.Len(t, slots(), keepSlots)
	require.Same(t, &slots()[0], &fill(keepSlots / 4 * 3)[0])
	require.Same(t, &slots()[0], &fill(1)[0])
}
