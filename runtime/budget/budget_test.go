package budget_test

import (
	"fmt"
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

// TestHammer has many goroutines acquire and release, and separately counts how many hold a slot at
// once.
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

// TestHammerOfWrongReleases has goroutines release slots that they do not hold. A release that
// panics changes nothing, and never are more slots held than the capacity.
func TestHammerOfWrongReleases(t *testing.T) {
	const goroutines, rounds, capacity = 8, 10_000, 2
	b := budget.New(capacity)
	var granted, released, caught atomic.Int64
	release := func() {
		defer func() {
			if recover() != nil {
				caught.Add(1)
			}
		}()
		b.Release()
		released.Add(1)
	}
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for range rounds {
				if b.TryAcquire() {
					granted.Add(1)
					release()
				}
			}
		})
	}
	wg.Go(func() {
		for range rounds {
			release()
		}
	})
	wg.Wait()
	require.Positive(t, caught.Load())
	require.EqualValues(t, granted.Load()-released.Load(), b.Held())
	for range b.Available() {
		require.True(t, b.TryAcquire())
	}
	require.False(t, b.TryAcquire())
}

// BenchmarkAcquireRelease compares with the minimum, two atomic adds.
func BenchmarkAcquireRelease(b *testing.B) {
	b.Run("budget", func(b *testing.B) {
		s := budget.New(8)
		for b.Loop() {
			if s.TryAcquire() {
				s.Release()
			}
		}
	})
	b.Run("floor", func(b *testing.B) {
		var n atomic.Int64
		for b.Loop() {
			n.Add(1)
			n.Add(-1)
		}
	})
	b.Run("full", func(b *testing.B) {
		s := budget.New(1)
		s.TryAcquire()
		for b.Loop() {
			if s.TryAcquire() {
				b.Fatal("a second slot of one")
			}
		}
	})
}

// BenchmarkContended has all processors acquire and release.
func BenchmarkContended(b *testing.B) {
	for _, capacity := range []int{1, 8} {
		b.Run(fmt.Sprint(capacity), func(b *testing.B) {
			s := budget.New(capacity)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if s.TryAcquire() {
						s.Release()
					}
				}
			})
		})
	}
}
