package journal

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// TestHammer has many goroutines use and inspect a journal with a file concurrently. The file has exactly
// their effects.
func TestHammer(t *testing.T) {
	const goroutines, effects = 16, 60
	path := filepath.Join(t.TempDir(), "run.journal")
	j, err := Create(path, Header{Program: "hammer"}, Options{Entries: 500, Bytes: 20_000})
	require.NoError(t, err)
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(g), 9))
			for i := range effects {
				id := fmt.Sprintf("0.1.%d#%d", g, i)
				class := []effect.Class{effect.ReadOnly, effect.ReadOnly, effect.Idempotent, effect.Write}[r.IntN(4)]
				_, do, err := j.Begin(context.Background(), effect.Effect{ID: id, Kind: effect.KindCall, Name: "act", Class: class, Worker: g, Args: []byte(`{"a":1}`)})
				require.True(t, do && err == nil, "%v", err)
				switch r.IntN(20) {
				case 0:
					require.LessOrEqual(t, len(j.Entries()), 500)
				case 1:
					require.LessOrEqual(t, j.Stats().Ended, int64(goroutines*effects))
				case 2:
					require.LessOrEqual(t, len(j.InDoubt()), goroutines)
				case 3:
					_, err := ReadFile(path)
					require.NoError(t, err)
				}
				require.NoError(t, j.End(id, effect.Record{Result: fmt.Appendf(nil, "%d", i)}))
			}
		})
	}
	wg.Wait()
	require.NoError(t, j.Finish(Final{Value: "1"}))
	require.NoError(t, j.Close())
	require.EqualValues(t, goroutines*effects-500, j.Stats().Dropped)

	rec, err := ReadFile(path)
	require.NoError(t, err)
	require.Len(t, rec.Entries, goroutines*effects)
	for g := range goroutines {
		for i := range effects {
			e, ok := rec.Entry(fmt.Sprintf("0.1.%d#%d", g, i))
			require.True(t, ok && e.Done && e.Worker == g)
			require.Equal(t, fmt.Sprint(i), string(e.Outcome.Result))
		}
	}
	replayed(t, rec, goroutines)
}

// replayed has many goroutines replay a recording concurrently.
func replayed(t *testing.T, rec *Recording, goroutines int) {
	j := Replay(rec)
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			for i := range rec.Entries {
				if e := &rec.Entries[i]; e.Worker == g {
					o, do, err := j.Begin(context.Background(), e.Effect)
					require.True(t, !do && err == nil && string(o.Result) == string(e.Outcome.Result), "%v", err)
				}
			}
		})
	}
	wg.Wait()
	require.NoError(t, j.Finish(*rec.Final))
	require.NoError(t, j.Close())
}

// TestLateEnds: journals are closed while effects end.
func TestLateEnds(t *testing.T) {
	for range 50 {
		j, err := Create(filepath.Join(t.TempDir(), "run.journal"), Header{}, Options{})
		require.NoError(t, err)
		var wg sync.WaitGroup
		for g := range 8 {
			wg.Go(func() {
				for i := 0; ; i++ {
					id := fmt.Sprintf("0.1.%d#%d", g, i)
					if _, _, err := j.Begin(context.Background(), effectOf(id, effect.ReadOnly)); err != nil {
						return
					}
					if j.End(id, effect.Record{}) != nil {
						return
					}
				}
			})
		}
		require.NoError(t, j.Close())
		wg.Wait()
	}
}
