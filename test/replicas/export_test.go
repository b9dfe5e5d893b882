package replicas

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/dist"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/journal/trace"
)

// TestExport has the log of a run written as an ordinary journal, after deaths of nodes too. Its replay
// ends like the run, with the same prints, and its effects are the ones that happened in the world.
func TestExport(t *testing.T) {
	lives := 0
	for i := range max(len(programs), count(17)) {
		rng := rand.New(rand.NewPCG(uint64(i), 55))
		k := i % len(programs)
		w := newWorld(func() time.Duration { return time.Duration(rand.IntN(400)) * time.Microsecond })
		c := newCluster(t, programs[k], options(t, w), dist.Policy{Elements: 2, Unit: 1 + rng.IntN(4)},
			dist.Faults{Delay: 100 * time.Microsecond, Seed: uint64(i)}, w)
		c.decide = w.settle
		got := c.play(fmt.Sprintf("export %d, program %d", i, k), 3, func() { c.chaos(rng, 2, 2*time.Millisecond) })

		path := filepath.Join(t.TempDir(), "run.journal")
		f, err := os.Create(path)
		require.NoError(t, err)
		require.NoError(t, dist.Export(f, c.log.Records(), key))
		require.NoError(t, f.Close())
		rec, err := journal.ReadFile(path, key)
		require.NoError(t, err, "%s\n%s", programs[k], c.log.Describe())
		require.True(t, rec.Authentic)
		require.NotNil(t, rec.Final)
		lives += len(rec.Resumed)
		var prints strings.Builder
		res, err := ptc.Replay(t.Context(), ptc.JournalFile{Path: path, Key: key}, options(t, w)(&process{}),
			ptc.RunOptions{Output: func(p ptc.Print) { prints.WriteString(p.Text) }})
		require.Equal(t, got, prints.String()+outcome(res, err), "%s\n%s", programs[k], c.log.Describe())
		done := 0
		for _, e := range rec.Entries {
			if e.Kind == effect.KindCall && e.Class == effect.Write && e.Done && !e.Outcome.Failed() {
				done++
				require.JSONEq(t, string(w.result["RUN/"+e.ID]), string(e.Outcome.Result), "effect %s", e.ID)
			}
		}
		for id := range w.times { // one of a dead node, that the run did not need any more, has no end
			e, ok := rec.Entry(strings.TrimPrefix(id, "RUN/"))
			require.True(t, ok && e.Attempt > 0, "write %s is not in the journal", id)
			if e.Done {
				done--
			}
		}
		require.Zero(t, done, "the journal has writes that were not made")
		require.NoError(t, trace.HTML(io.Discard, rec))
	}
	t.Logf("%d times that effects were begun again", lives)
}

// TestExportHalted has the journal of a run that waits for people continued by one process.
func TestExportHalted(t *testing.T) {
	w := newWorld(func() time.Duration { return 0 })
	c := newCluster(t, programs[len(programs)-1], options(t, w), dist.Policy{Elements: 2, Unit: 2}, dist.Faults{}, w)
	first := true
	c.decide = func(ctx context.Context, all []effect.Pending) ([]effect.Settlement, error) {
		if first && all[0].Kind == effect.PendingQuestion { // "go?"
			first = false
			return w.settle(ctx, all)
		}
		return nil, nil
	}
	require.Contains(t, c.play("halted", 1, nil), "halted")
	var text bytes.Buffer
	require.NoError(t, dist.Export(&text, c.log.Records(), key))
	path := filepath.Join(t.TempDir(), "run.journal")
	require.NoError(t, os.WriteFile(path, text.Bytes(), 0o600))
	rec, err := journal.ReadFile(path, key)
	require.NoError(t, err)
	require.Nil(t, rec.Final)
	require.NotEmpty(t, rec.Pending())
	res, err := ptc.Resume(t.Context(), ptc.JournalFile{Path: path, Key: key}, options(t, w)(&process{}),
		ptc.RunOptions{OnPending: w.settle})
	require.Equal(t, alone(t, programs[len(programs)-1]), outcome(res, err))
	for id, n := range w.times {
		require.Equal(t, 1, n, id)
	}
}
