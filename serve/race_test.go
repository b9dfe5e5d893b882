package serve_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/store"
)

// slowEnd is a store in which a run is parked for some time before the engine knows it.
type slowEnd struct {
	store.Store
	once   sync.Once
	parked chan struct{} // closed when the first run is parked
	known  chan struct{} // closed when the engine may know it
}

func (s *slowEnd) Update(ctx context.Context, id string, change func(*store.Run) error) (store.Run, error) {
	run, err := s.Store.Update(ctx, id, change)
	if err == nil && run.State == store.Parked {
		s.once.Do(func() {
			close(s.parked)
			<-s.known
		})
	}
	return run, err
}

// TestResumeWhileParking resumes a run that the store has as parked, and the engine as live: it continues when the
// engine has seen its end, and is known to the engine then.
func TestResumeWhileParking(t *testing.T) {
	st := &slowEnd{Store: openStore(t, t.TempDir()), parked: make(chan struct{}), known: make(chan struct{})}
	g := newGate()
	e := start(t, serve.Options{Store: st, Running: 2, Run: ptc.Options{Tools: g.tools(t)}})
	asks := wait(t, e, submit(t, e, `(ask {:question "a?"})`).ID)
	first := submit(t, e, `(tool/gate.wait "b")`)
	g.await(t)
	second := submit(t, e, `(tool/gate.wait "c")`) // which needs the room of the one that asks
	<-st.parked
	g.leave <- struct{}{}
	require.Equal(t, store.Succeeded, wait(t, e, first.ID).State)
	require.Equal(t, "c", g.await(t))
	resumed := make(chan error, 1)
	go func() {
		_, err := e.Resume(context.Background(), asks.ID, ann)
		resumed <- err
	}()
	require.Eventually(t, func() bool {
		run, err := st.Get(t.Context(), asks.ID)
		return err == nil && run.State != store.Parked
	}, time.Minute, time.Millisecond)
	g.leave <- struct{}{} // there is room for another attempt
	require.Equal(t, store.Succeeded, wait(t, e, second.ID).State)
	require.Eventually(t, func() bool { return e.Stats().Queued == 0 }, time.Minute, time.Millisecond)
	close(st.known)
	require.NoError(t, <-resumed)
	require.Equal(t, store.Waiting, wait(t, e, asks.ID).State)
	settle(t, e, asks.ID, answer("0#1", "1"))
	assert.Equal(t, store.Succeeded, wait(t, e, asks.ID).State)
}
