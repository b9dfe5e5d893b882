package concurrent

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/ptctest"
	"github.com/ptc-lang/ptc/runtime/journal"
)

// TestRunsShareNothing makes concurrent runs of one program, each with its own data, output, seed,
// progress, log and journal. Each must see exactly what a run alone sees.
func TestRunsShareNothing(t *testing.T) {
	prog, err := ptc.Compile(t.Context(), "p.ptc",
		`(println "run" data/n) (print (pmap (fn [_] (rand-int 1000000)) (range data/n))) (def state (atom data/n)) (swap! state inc)`, ptc.Options{})
	require.NoError(t, err)
	run := func(n int) string {
		var prints, log strings.Builder
		progress := &ptc.Progress{}
		alive := false
		res, err := prog.Run(context.Background(), ptc.RunOptions{
			Data:     map[string]any{"n": n},
			Seed:     uint64(n),
			Journal:  journal.New(journal.Options{}),
			Log:      slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: timeless})),
			Progress: progress,
			Output: func(p ptc.Print) {
				prints.WriteString(p.Text)
				alive = alive || progress.Now().Elements == int64(n)
			},
		})
		assert.Equal(t, ptc.Snapshot{}, progress.Now())
		assert.True(t, alive, "the progress is that of the run")
		return fmt.Sprintf("%s%s%s", prints.String(), log.String(), ptctest.Outcome(res, err))
	}
	want := make([]string, 30)
	for n := 20; n < len(want); n++ {
		want[n] = run(n)
	}
	var wg sync.WaitGroup
	for range 2 {
		for n := 20; n < len(want); n++ {
			wg.Go(func() { assert.Equal(t, want[n], run(n)) })
		}
	}
	wg.Wait()
	assert.NotEqual(t, want[20], want[21])
}

// timeless removes the attributes of a log in which two equal runs differ.
func timeless(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey || a.Key == "run" || a.Key == "took" {
		return slog.Attr{}
	}
	return a
}
