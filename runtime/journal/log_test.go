package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// disk is a sink that can fail.
type disk struct {
	mu      sync.Mutex
	text    []byte
	synced  int
	writes  int
	ops     int
	failAt  int           // the number of the operation that fails, and all after it
	partial int           // bytes that a failing write writes
	gate    chan struct{} // a sync waits for it, if there is one
	closed  bool
}

var errDisk = errors.New("no space left on device")

func (d *disk) fails() bool {
	d.ops++
	return d.failAt > 0 && d.ops >= d.failAt
}

func (d *disk) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fails() {
		n := min(d.partial, len(p))
		d.text = append(d.text, p[:n]...)
		return n, errDisk
	}
	d.writes++
	d.text = append(d.text, p...)
	return len(p), nil
}

func (d *disk) Sync() error {
	if d.gate != nil {
		<-d.gate
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fails() {
		return errDisk
	}
	d.synced = len(d.text)
	return nil
}

func (d *disk) Close() error {
	d.closed = true
	return nil
}

func (d *disk) lines() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Split(strings.TrimSuffix(string(d.text), "\n"), "\n")
}

func (d *disk) writesDone() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.writes
}

func on(t *testing.T, d *disk) *Journal {
	t.Helper()
	j, err := record(d, Header{Run: "R"}, Options{})
	require.NoError(t, err)
	return j
}

func effectOf(id string, class effect.Class) effect.Effect {
	return effect.Effect{ID: id, Kind: effect.KindCall, Name: "act", Class: class, Args: []byte("1")}
}

// TestWhatIsDurable: the header is written first, and becomes durable with the first durable effect. The
// beginning of an effect that changes the world is durable before it happens, and the end of a write-effect
// before the program continues; everything appended earlier becomes durable with them.
func TestWhatIsDurable(t *testing.T) {
	d := &disk{}
	j := on(t, d)
	durable := func() string { return string(d.text[:d.synced]) }
	require.Contains(t, d.lines()[0], `"t":"run"`)
	require.Empty(t, durable())
	for i, c := range []struct {
		class      effect.Class
		begin, end bool
	}{{effect.ReadOnly, false, false}, {effect.Idempotent, true, false}, {effect.Write, true, true}} {
		id := fmt.Sprintf("0#%d", i)
		_, _, err := j.Begin(context.Background(), effectOf(id, c.class))
		require.NoError(t, err)
		require.Equal(t, c.begin, strings.Contains(durable(), `"t":"begin","id":"`+id), c.class)
		require.NoError(t, j.End(id, effect.Record{}))
		require.Equal(t, c.end, strings.Contains(durable(), `"t":"end","id":"`+id), c.class)
	}
	require.Len(t, d.lines(), 7)
	require.Contains(t, durable(), `"t":"end","id":"0#0"`, "what was before goes with it")
	require.Contains(t, durable(), `"t":"run"`)
	require.NoError(t, j.Finish(Final{Value: "1"}))
	require.Contains(t, durable(), `"t":"final"`)
	require.NoError(t, j.Close())
	require.True(t, d.closed)
}

// TestClosePersists: a line without a waiter is durable after Close.
func TestClosePersists(t *testing.T) {
	d := &disk{}
	j := on(t, d)
	_, _, err := j.Begin(context.Background(), effectOf("0#1", effect.ReadOnly))
	require.NoError(t, err)
	require.NoError(t, j.Close())
	require.Contains(t, string(d.text[:d.synced]), `"t":"begin","id":"0#1"`)
}

// TestFlushAfterAWhile: a line without a waiter is written after flushDelay.
func TestFlushAfterAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &disk{}
		j := on(t, d)
		for i := range 3 {
			_, _, err := j.Begin(context.Background(), effectOf(fmt.Sprintf("0#%d", i), effect.ReadOnly))
			require.NoError(t, err)
		}
		require.Len(t, d.lines(), 1)
		time.Sleep(flushDelay)
		synctest.Wait()
		require.Len(t, d.lines(), 4)
		require.Equal(t, 2, d.writesDone(), "together")
		require.NoError(t, j.End("0#1", effect.Record{}))
		time.Sleep(flushDelay)
		synctest.Wait()
		require.Len(t, d.lines(), 5)
		require.NoError(t, j.Close())
	})
}

// TestFlushWhenFull: many lines are written before the delay is over.
func TestFlushWhenFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &disk{}
		j := on(t, d)
		for i := 0; d.writesDone() < 3; i++ {
			_, _, err := j.Begin(context.Background(), effectOf(fmt.Sprintf("0#%d", i), effect.ReadOnly))
			require.NoError(t, err)
		}
		require.NoError(t, j.Close())
	})
}

// TestGroupCommit: while one sync is under way others append, and are served by one
// more.
func TestGroupCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &disk{}
		j := on(t, d)
		d.gate = make(chan struct{})
		before := j.Stats().Syncs
		var wg sync.WaitGroup
		for i := range 64 {
			wg.Go(func() {
				_, _, err := j.Begin(context.Background(), effectOf(fmt.Sprintf("0.1.%d#1", i), effect.Write))
				require.NoError(t, err)
			})
		}
		synctest.Wait() // one syncs, the others wait
		close(d.gate)
		wg.Wait()
		require.LessOrEqual(t, j.Stats().Syncs-before, int64(2))
		require.NoError(t, j.Close())
	})
}

// TestPendingIsBounded: while a sync hangs, appending waits when too much has
// gathered.
func TestPendingIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &disk{gate: make(chan struct{}, 1)}
		d.gate <- struct{}{} // for the header
		j := on(t, d)
		big := []byte(`"` + strings.Repeat("x", 1<<20) + `"`)
		var wg sync.WaitGroup
		for i := range 30 {
			wg.Go(func() {
				e := effectOf(fmt.Sprintf("0.1.%d#1", i), effect.Write)
				e.Args = big
				_, _, err := j.Begin(context.Background(), e)
				require.NoError(t, err)
			})
		}
		synctest.Wait()
		j.log.(*fileLog).mu.Lock()
		require.Less(t, len(j.log.(*fileLog).buf), pendingBytes+2<<20)
		require.Greater(t, len(j.log.(*fileLog).buf), pendingBytes)
		j.log.(*fileLog).mu.Unlock()
		close(d.gate)
		wg.Wait()
		require.NoError(t, j.Close())
	})
}

// TestDiskFails lets each operation of the disk fail in turn. The effect whose
// beginning could not be written does not happen, nothing begins after it, and the file is a sound
// recording of the effects that happened.
func TestDiskFails(t *testing.T) {
	whole := &disk{}
	require.NoError(t, threeWrites(t, whole, func() {}))
	for failAt := 1; failAt <= whole.ops; failAt++ {
		for _, partial := range []int{0, 20, 10_000} {
			d := &disk{failAt: failAt, partial: partial}
			happened := 0
			err := threeWrites(t, d, func() { happened++ })
			require.ErrorIs(t, err, errDisk)
			var f *Failure
			require.ErrorAs(t, err, &f)
			require.Contains(t, f.Diag().Error(), "journal-failed: the journal cannot be written: no space left on device")

			rec, err := Read(bytes.NewReader(d.text))
			if err != nil {
				require.Zero(t, happened)
				continue
			}
			require.GreaterOrEqual(t, len(rec.Entries), happened)
			for i, e := range rec.Entries {
				require.True(t, i < happened || !e.Done, "%d operations, %d happened", failAt, happened)
			}
		}
	}
}

// threeWrites has three write-effects happen, and ends the run. It returns the first error; later
// operations fail too.
func threeWrites(t *testing.T, d *disk, happen func()) error {
	j, err := record(d, Header{Run: "R"}, Options{})
	if err != nil {
		return err
	}
	for i := range 3 {
		id := fmt.Sprintf("0#%d", i)
		if _, _, err = j.Begin(context.Background(), effectOf(id, effect.Write)); err == nil {
			happen()
			err = j.End(id, effect.Record{})
		}
		if err != nil {
			break
		}
	}
	if err == nil {
		err = j.Finish(Final{Value: "1"})
	} else {
		_, _, again := j.Begin(context.Background(), effectOf("0#9", effect.ReadOnly))
		require.ErrorIs(t, again, errDisk)
	}
	require.Equal(t, err != nil, j.Close() != nil, "Close tells of a failure, again")
	return err
}

// TestFull: a file that has reached its bound takes no more lines, and can be read.
func TestFull(t *testing.T) {
	d := &disk{}
	j := on(t, d)
	j.log.(*fileLog).max = int64(len(d.text)) + 1_000
	begun := 0
	var err error
	for err == nil {
		if _, _, err = j.Begin(context.Background(), effectOf(fmt.Sprintf("0#%d", begun), effect.Write)); err == nil {
			begun++
		}
	}
	require.ErrorIs(t, err, errFull)
	require.Error(t, j.Close())
	rec, err := Read(bytes.NewReader(d.text))
	require.NoError(t, err)
	require.Len(t, rec.Entries, begun)
	require.Greater(t, begun, 3)
}

func TestLineTooLong(t *testing.T) {
	d := &disk{}
	j := on(t, d)
	e := effectOf("0#1", effect.Write)
	e.Args = []byte(`"` + strings.Repeat("x", MaxLine) + `"`)
	_, _, err := j.Begin(context.Background(), e)
	require.ErrorContains(t, err, "the most is 67108864")
	_, _, err = j.Begin(context.Background(), effectOf("0#2", effect.Write))
	require.NoError(t, err, "the file is as it was")
	require.NoError(t, j.Close())
	require.Len(t, d.lines(), 2)
}

// TestLateEnd: an abandoned tool ends after the journal is closed.
func TestLateEnd(t *testing.T) {
	d := &disk{}
	j := on(t, d)
	_, _, err := j.Begin(context.Background(), effectOf("0#1", effect.Write))
	require.NoError(t, err)
	require.NoError(t, j.Close())
	size := len(d.text)
	require.ErrorIs(t, j.End("0#1", effect.Record{}), ErrClosed)
	_, err = j.log.Append([]byte("late\n"))
	require.ErrorIs(t, err, ErrClosed)
	require.Equal(t, size, len(d.text))
}
