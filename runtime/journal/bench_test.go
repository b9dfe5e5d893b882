package journal_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
)

var (
	someArgs = []byte(`{"limit":3,"query":"x"}`)
	someDone = effect.Record{Result: []byte(`{"items":[1,2,3]}`)}
)

// BenchmarkMemory measures the cost of a journal for a read-only effect of an unrecorded run: Begin and
// End. The ids are made before, because the caller makes them.
func BenchmarkMemory(b *testing.B) {
	const run = 10_000
	ids := make([]string, run)
	for i := range ids {
		ids[i] = "0#" + strconv.Itoa(i)
	}
	b.ReportAllocs()
	j := journal.New(journal.Options{})
	for i := 0; b.Loop(); i++ {
		if i%run == 0 {
			j = journal.New(journal.Options{})
		}
		_, _, err := j.Begin(context.Background(), effect.Effect{ID: ids[i%run], Kind: effect.KindCall, Name: "search", Class: effect.ReadOnly, Args: someArgs})
		if err != nil {
			b.Fatal(err)
		}
		if err := j.End(ids[i%run], someDone); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFile measures the cost with a file: of read-only effects, without and with a key, and of
// write-effects by one and by many goroutines.
func BenchmarkFile(b *testing.B) {
	key := make(journal.Key, journal.KeyBytes)
	for _, c := range []struct {
		class   effect.Class
		writers int
		key     journal.Key
	}{{effect.ReadOnly, 1, nil}, {effect.ReadOnly, 1, key}, {effect.Write, 1, key}, {effect.Write, 8, key},
		{effect.Write, 64, key}} {
		b.Run(fmt.Sprintf("%s/%d/key=%t", c.class, c.writers, c.key != nil), func(b *testing.B) {
			j, err := journal.Create(filepath.Join(b.TempDir(), "run.journal"), journal.Header{Program: "bench"},
				journal.Options{Key: c.key})
			require.NoError(b, err)
			work := make(chan int)
			var wg sync.WaitGroup
			for range c.writers {
				wg.Go(func() {
					for i := range work {
						one(b, j, "0#"+strconv.Itoa(i), c.class)
					}
				})
			}
			n := 0
			for b.Loop() {
				work <- n
				n++
			}
			close(work)
			wg.Wait()
			b.ReportMetric(float64(j.Stats().Syncs)/float64(n), "syncs/effect")
			require.NoError(b, j.Close())
		})
	}
}

func one(b *testing.B, j *journal.Journal, id string, class effect.Class) {
	_, _, err := j.Begin(context.Background(), effect.Effect{ID: id, Kind: effect.KindCall, Name: "order", Class: class, Args: someArgs})
	if err == nil {
		err = j.End(id, someDone)
	}
	if err != nil {
		b.Error(err)
	}
}
