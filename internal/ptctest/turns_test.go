package ptctest_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/internal/ptctest"
)

// TestInTurn checks that the calls are in order, and that all end when one ends its goroutine, as a failed test does.
func TestInTurn(t *testing.T) {
	for last, want := range map[int][]int{-1: {0, 1, 2, 3, 4, 5, 6}, 3: {0, 1, 2, 3}} {
		var calls []int
		ptctest.InTurn(3, 7, func(k int) {
			if calls = append(calls, k); k == last {
				runtime.Goexit()
			}
		})
		require.Equal(t, want, calls)
	}
}
