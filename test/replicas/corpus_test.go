package replicas

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/dist"
)

// corpus returns the programs of the oracle, with their maps in parallel, and its expressions, each as an element of a
// parallel operation. every takes one of so many of both.
func corpus(t *testing.T, every int) (sources []string) {
	t.Helper()
	files, err := filepath.Glob("../../spec/oracle/programs/*.clj")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for i := 0; i < len(files); i += every {
		text, err := os.ReadFile(files[i])
		require.NoError(t, err)
		sources = append(sources, strings.NewReplacer("(map ", "(pmap ", "(mapv ", "(pmap ").Replace(string(text)))
	}
	files, err = filepath.Glob("../../spec/oracle/expr/*.jsonl")
	require.NoError(t, err)
	n := 0
	for _, name := range files {
		f, err := os.Open(name)
		require.NoError(t, err)
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<24)
		for lines.Scan() {
			if n++; n%every != 0 {
				continue
			}
			var x struct {
				Source string `json:"e"`
			}
			require.NoError(t, json.Unmarshal(lines.Bytes(), &x))
			sources = append(sources, "(pmap (fn [_] (println :in) "+x.Source+") (range 3))")
		}
		require.NoError(t, lines.Err())
		require.NoError(t, f.Close())
	}
	return sources
}

// TestCorpus has the programs of the oracle executed by 1, 2, 3 and 5 replicas: value, prints and error are those of a
// run without replicas.
func TestCorpus(t *testing.T) {
	every := 64
	if *thorough {
		every = 1
	} else if testlevel.Small() {
		every = 512
	}
	opts := ptc.Options{Limits: ptc.Limits{Workers: 8, Steps: 2_000_000, Timeout: time.Minute}}
	runs, shared, bounds := 0, int64(0), 0
	for _, source := range corpus(t, every) {
		var prints strings.Builder
		prog, err := ptc.Compile(t.Context(), "p.ptc", source, opts)
		if err != nil {
			continue
		}
		res, err := prog.Run(t.Context(), ptc.RunOptions{Seed: 7, Output: func(p ptc.Print) { prints.WriteString(p.Text) }})
		want := prints.String() + outcome(res, err)
		for _, nodes := range []int{1, 2, 3, 5} {
			c := newCluster(t, source, func(*process) ptc.Options { return opts },
				dist.Policy{Elements: 2, Unit: 1, Computing: true},
				dist.Faults{},
				newWorld(func() time.Duration { return 0 }))
			got := c.play("corpus", nodes, nil)
			runs++
			shared += c.stats.Taken + c.stats.Ran
			if bounded(err) { // where it ends depends on timing
				bounds++
				require.Contains(t, got, "halted", source)
				continue
			}
			require.Equal(t, want, got, "%d replicas of\n%s\n%s", nodes, source, c.log.Describe())
		}
	}
	t.Logf("%d runs, %d elements shared, %d ended by a bound", runs, shared, bounds)
	require.NotZero(t, shared)
}

// bounded reports whether a bound has ended a run.
func bounded(err error) bool {
	var e *ptc.Error
	return errors.Is(err, context.DeadlineExceeded) ||
		errors.As(err, &e) && (e.Code == diag.StepsExceeded || e.Code == diag.MemoryExceeded || e.Code == diag.DepthExceeded)
}
