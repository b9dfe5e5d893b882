package budget_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ptc-lang/ptc/runtime/budget"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestAcquireUntilFull(t *testing.T) {
	b := budget.New(3)
	for held := range 3 {
		require.Equal(t, held, b.Held())
		require.Equal(t, 3-held, b.Available())
		require.True(t, b.TryAcquire())
	}
	require.False(t, b.TryAcquire(), "a fourth slot of three")
	require.Equal(t, 3, b.Held(), "a refused acquisition holds nothing")
	b.Release()
	require.True(t, b.TryAcquire(), "a slot given back can be taken")
	require.Equal(t, 3, b.Capacity())
}

func TestReleaseOfNothing(t *testing.T) {
	b := budget.New(1)
	require.Panics(t, b.Release)
	require.True(t, b.TryAcquire(), "the refused release changed nothing")
	require.False(t, b.TryAcquire())
	b.Release()
	require.Panics(t, b.Release)
	require.Equal(t, 0, b.Held())
}

func TestCapacityOutOfRange(t *testing.T) {
	for _, n := range []int{-1, 0, budget.MaxCapacity + 1} {
		require.Panics(t, func() { budget.New(n) }, "capacity %d", n)
	}
	require.Equal(t, budget.MaxCapacity, budget.New(budget.MaxCapacity).Available())
}

// TestHammer has many goroutines acquire and release, and counts for itself how
// many hold a slot at once.
func TestHammer(t *testing.T) {
	const goroutines, rounds, capacity = 16, 20_000, 5
	b := budget.New(capacity)
	var inside, most, granted atomic.Int64
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for range rounds {
				if !b.TryAcquire() {
					continue
				}
				granted.Add(1)
				n := inside.Add(1)
				for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
				}
				inside.Add(-1)
				b.Release()
			}
		})
	}
	wg.Wait()
	require.LessOrEqual(t, most.Load(), int64(capacity))
	require.Positive(t, granted.Load())
	require.Equal(t, 0, b.Held())
	require.Equal(t, capacity, b.Available())
	require.Panics(t, b.Release)
}

func BenchmarkAcquireRelease(b *testing.B) {
	s := budget.New(8)
	for b.Loop() {
		if s.TryAcquire() {
			s.Release()
		}
	}
}

func BenchmarkContended(b *testing.B) {
	s := budget.New(1)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if s.TryAcquire() {
				s.Release()
			}
		}
	})
}
