package sched_test

import (
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/sched"
)

// chosen is a Chooser of two elements: the own worker gets element 1, and rests until it is released. Another worker
// gets element 0 in the meantime.
type chosen struct {
	release chan struct{}

	mu    sync.Mutex
	wake  func()
	first bool // element 0 may begin
	taken [2]bool
}

func (c *chosen) Begin(_ func() int64, wake func(), _ func(i int)) { c.wake = wake }

func (c *chosen) Next(own bool, w interface {
	Block()
	Unblock()
	Rest()
	Wake()
}) (int64, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case own && !c.taken[1]:
		c.taken[1] = true
		return 1, true
	case !own && c.first && !c.taken[0]:
		c.taken[0] = true
		return 0, true
	case !own:
		return 0, false
	}
	c.first = true
	c.mu.Unlock()
	c.wake()
	w.Block()
	w.Rest()
	<-c.release
	w.Wake()
	w.Unblock()
	c.mu.Lock()
	return 0, false
}

func (c *chosen) HasWork(n int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.first && !c.taken[0] && n < 1
}

func (c *chosen) Lowered()  {}
func (c *chosen) End(int64) {}

// TestChooserRests: an operation's own worker rests while it waits for elements, even if the last one that
// it has run is not needed any more. Otherwise nobody would be asked about the pending effects of its other
// elements.
func TestChooserRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &quietness{}
		var r sched.Root
		r.Begin(4, sched.NewProcessors(2), nil, q)
		c, ready, done := &chosen{release: make(chan struct{})}, make(chan struct{}), make(chan struct{})
		go func() {
			defer close(done)
			require.NoError(t, r.DoChosen(job{"chosen", func(e sched.Scheduler, i int) verdict {
				if i == 0 {
					e.StopAbove(0)
					rested(e, ready)
				}
				return fine
			}}, 2, c))
		}()
		synctest.Wait()
		require.Equal(t, [2]bool{true, true}, c.taken)
		require.True(t, q.is(), "both workers rest")
		close(ready)
		close(c.release)
		<-done
		r.Wait()
	})
}
