package dir

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/store"
	"github.com/ptc-lang/ptc/store/storetest"
)

var manyRuns = flag.Int("runs", 10_000, "runs of the benchmarks of lists")

func BenchmarkCreate(b *testing.B) {
	s := openAt(b, b.TempDir())
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, _, err := s.Create(b.Context(), storetest.Submitted()); err != nil {
				b.Error(err)
			}
		}
	})
}

func BenchmarkUpdate(b *testing.B) {
	s := openAt(b, b.TempDir())
	b.RunParallel(func(pb *testing.PB) {
		run := storetest.Create(b, s, storetest.Submitted())
		for pb.Next() {
			_, err := s.Update(b.Context(), run.ID, func(r *store.Run) error { r.Attempts++; return nil })
			if err != nil {
				b.Error(err)
			}
		}
	})
}

func BenchmarkGet(b *testing.B) {
	s := openAt(b, b.TempDir())
	run := storetest.Create(b, s, storetest.Submitted())
	for b.Loop() {
		if _, err := s.Get(b.Context(), run.ID); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkIndex times the part of a change that follows the sync of its file.
func BenchmarkIndex(b *testing.B) {
	s := openAt(b, b.TempDir())
	run := storetest.Create(b, s, storetest.Submitted())
	states := []store.State{store.Queued, store.Running}
	for i := 0; b.Loop(); i++ {
		run.State = states[i%2]
		s.follow(&run)
	}
}

// many returns the path of a directory with many runs, written without syncs.
func many(b *testing.B) string {
	path := b.TempDir()
	s := openAt(b, path)
	at := time.Now()
	for i := range *manyRuns {
		run := storetest.Submitted()
		run.Tenant, run.Labels["n"] = fmt.Sprint("tenant", i%10), fmt.Sprint(i%1000)
		run, err := store.New(run, s.ids.Next(at.Add(time.Duration(i)*time.Second)))
		require.NoError(b, err)
		run, err = store.Change(run, func(r *store.Run) error { r.State = store.Running; return nil }, at)
		require.NoError(b, err)
		if i%50 > 0 {
			run, err = store.Change(run, func(r *store.Run) error {
				r.State, r.Value = store.Succeeded, json.RawMessage(`{"hosts":[1,2,3]}`)
				return nil
			}, at)
			require.NoError(b, err)
		}
		file, _, err := encode(&run, "")
		require.NoError(b, err)
		require.NoError(b, os.Mkdir(s.file(runsDir, run.ID), 0o700))
		require.NoError(b, os.WriteFile(s.file(runsDir, run.ID, runFile), file, 0o600))
	}
	require.NoError(b, s.Close())
	require.NoError(b, os.Remove(s.file(sumFile))) // the index has none of them
	return path
}

// BenchmarkMany opens a directory with -runs runs, with a new index and with the one of before, and lists 100 of them.
func BenchmarkMany(b *testing.B) {
	path := many(b)
	b.Run("rebuild", func(b *testing.B) {
		for b.Loop() {
			_ = os.Remove(path + "/" + sumFile)
			s, err := Open(path)
			require.NoError(b, err)
			b.StopTimer()
			require.NoError(b, s.Close())
			b.StartTimer()
		}
	})
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			s, err := Open(path)
			require.NoError(b, err)
			b.StopTimer()
			require.NoError(b, s.Close())
			b.StartTimer()
		}
	})
	s := openAt(b, path)
	for name, q := range map[string]store.Query{
		"newest": {}, "oldest": {Oldest: true}, "tenant": {Tenant: "tenant3"},
		"running": {States: []store.State{store.Running}}, "label": {Labels: map[string]string{"n": "7"}},
		"all":  {Tenant: "tenant7", States: []store.State{store.Succeeded}, Program: "deploy", Labels: map[string]string{"n": "7"}},
		"none": {Labels: map[string]string{"n": "7"}, Tenant: "tenant8"},
	} {
		b.Run("list/"+name, func(b *testing.B) {
			for b.Loop() {
				page, err := s.List(b.Context(), q)
				require.NoError(b, err)
				require.Equal(b, name == "none", len(page.Runs) == 0)
			}
		})
	}
	b.Run("count", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Count(b.Context(), ""); err != nil {
				b.Fatal(err)
			}
		}
	})
}
