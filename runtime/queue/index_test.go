// This file tests the index of the actions, above all that its readers need no lock.

package queue

import (
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/internal/table"
)

func newLines(n int) []*line {
	all := make([]*line, n)
	for i := range all {
		all[i] = &line{action: table.Key{Hash: uint64(i / 3), Name: strconv.Itoa(i)}} // three have one hash
	}
	return all
}

func TestIndex(t *testing.T) {
	var x index
	x.clear()
	all := newLines(1_000)
	for i, l := range all {
		require.Nil(t, x.find(l.action))
		x.add(l)
		require.Same(t, l, x.find(l.action))
		require.Equal(t, i+1, x.length)
	}
	require.Len(t, *x.chains.Load(), 1_024)
	for i := 0; i < len(all); i += 2 {
		x.remove(all[i])
	}
	require.Equal(t, 500, x.length)
	seen := map[*line]bool{}
	for l := range x.all {
		require.False(t, seen[l])
		seen[l] = true
	}
	for i, l := range all {
		require.Equal(t, i%2 == 1, seen[l])
		require.Equal(t, i%2 == 1, x.find(l.action) == l)
	}
	for l := range seen {
		x.remove(l)
	}
	require.Zero(t, x.length)
	require.Len(t, *x.chains.Load(), minChains, "an index that was large leaves nothing behind")
}

// TestIndexWhileItChanges: lines that stay are found at every moment, while others with
// the same hashes come and go and the chains become more.
func TestIndexWhileItChanges(t *testing.T) {
	var x index
	x.clear()
	all := newLines(3_000)
	for i := 0; i < len(all); i += 300 {
		x.add(all[i])
	}
	var wg sync.WaitGroup
	begun, end := make(chan struct{}), make(chan struct{})
	for range 2 {
		wg.Go(func() {
			begun <- struct{}{}
			for {
				for i := 0; i < len(all); i += 300 {
					if x.find(all[i].action) != all[i] {
						t.Error("a line that stays was not found")
						return
					}
				}
				n := 0
				for range x.all {
					n++
				}
				if n < len(all)/300 {
					t.Error("a line that stays was passed over")
					return
				}
				select {
				case <-end:
					return
				default:
				}
			}
		})
		<-begun
	}
	for range 5 {
		for _, change := range []func(*line){x.add, x.remove} {
			for i, l := range all {
				if i%300 != 0 {
					change(l)
				}
			}
		}
	}
	close(end)
	wg.Wait()
	require.Equal(t, len(all)/300, x.length)
}
