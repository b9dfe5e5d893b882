package serve_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// full is a store whose disk is full: the next changes fail, and journals are in a folder that is not there.
type full struct {
	store.Store
	failing atomic.Int32 // changes that fail
	folder  string       // of journals; "" is that of the store
}

func (f *full) Update(ctx context.Context, id string, change func(*store.Run) error) (store.Run, error) {
	if f.failing.Add(-1) >= 0 {
		return store.Run{}, &os.PathError{Op: "write", Path: "run.json", Err: syscall.ENOSPC}
	}
	return f.Store.Update(ctx, id, change)
}

func (f *full) Journal(ctx context.Context, id string) (journal.Place, error) {
	if f.folder == "" {
		return f.Store.Journal(ctx, id)
	}
	return journal.File(filepath.Join(f.folder, id)), nil
}

// TestFullDisk requires the end of a run to be kept as soon as there is room on the disk.
func TestFullDisk(t *testing.T) {
	st := &full{Store: openStore(t, t.TempDir())}
	e := start(t, serve.Options{Store: st})
	st.failing.Store(3)
	run := submit(t, e, `(+ 1 2)`)
	run = wait(t, e, run.ID)
	assert.Equal(t, store.Succeeded, run.State)
	assert.Equal(t, "3", run.Text)
	assert.Negative(t, st.failing.Load())
}

// TestNoJournal requires a run whose journal can't be made to wait for the disk, and to continue then.
func TestNoJournal(t *testing.T) {
	st := &full{Store: openStore(t, t.TempDir()), folder: filepath.Join(t.TempDir(), "later")}
	g := newGate()
	e := start(t, serve.Options{Store: st, Run: ptc.Options{Tools: g.tools(t)}})
	run := submit(t, e, `(tool/gate.note "a")`)
	sub, err := e.Subscribe(t.Context(), run.ID, 0)
	require.NoError(t, err)
	defer sub.Close()
	for state := store.Running; state != store.Parked; {
		ev, err := sub.Next(t.Context())
		require.NoError(t, err)
		if c, ok := ev.Data.(wire.Changed); ok {
			state = c.State
		}
	}
	run, err = e.Get(t.Context(), run.ID)
	require.NoError(t, err)
	assert.False(t, run.Wake.IsZero())
	assert.Contains(t, run.Reason, "no such file")
	assert.Empty(t, g.noted())
	require.NoError(t, os.Mkdir(st.folder, 0o700))
	_, err = e.Resume(t.Context(), run.ID, ann)
	require.NoError(t, err)
	run = wait(t, e, run.ID)
	assert.Equal(t, store.Succeeded, run.State, run.Text)
	assert.Equal(t, []string{"a"}, g.noted())
}

// TestAnswerOnFullDisk checks that, while the store can't keep the states of runs, an answer takes effect
// immediately, because the journal has it, and a cancellation is refused immediately. When there is space
// again, both runs end.
func TestAnswerOnFullDisk(t *testing.T) {
	st := &full{Store: openStore(t, t.TempDir())}
	e := start(t, serve.Options{Store: st})
	answered, cancelled := submit(t, e, `(ask {:question "?"})`), submit(t, e, `(ask {:question "?"})`)
	for _, run := range []store.Run{answered, cancelled} {
		require.Equal(t, store.Waiting, wait(t, e, run.ID).State)
	}
	st.failing.Store(1 << 20)
	run := settle(t, e, answered.ID, answer("0#1", "1"))
	assert.Empty(t, run.Pending)
	require.Eventually(t, func() bool { // the first answer holds, and then the run has stopped
		_, err := e.Settle(t.Context(), answered.ID, []effect.Settlement{answer("0#1", "2")}, ann)
		require.Error(t, err)
		return errors.Is(err, syscall.ENOSPC)
	}, time.Minute, time.Millisecond)
	_, err := e.Cancel(t.Context(), cancelled.ID, ann)
	require.ErrorIs(t, err, syscall.ENOSPC)
	st.failing.Store(0)
	require.Eventually(t, func() bool {
		return wait(t, e, answered.ID).State == store.Succeeded && wait(t, e, cancelled.ID).State == store.Cancelled
	}, time.Minute, 10*time.Millisecond)
}
