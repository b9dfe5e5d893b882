package ptc_test

import (
	"context"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/guard"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// recordRun runs a program with a journal in a file, and gives what it told and the
// recording.
func recordRun(t *testing.T, source string, opts ptc.Options) (string, *journal.Recording) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.journal")
	j, err := journal.Create(path, journal.Header{Program: "p.ptc", Source: source, Seed: opts.Seed}, journal.Options{})
	require.NoError(t, err)
	text := runOn(t, source, opts, j)
	require.NoError(t, j.Close())
	rec, err := journal.ReadFile(path)
	require.NoError(t, err)
	return text, rec
}

func runOn(t *testing.T, source string, opts ptc.Options, j *journal.Journal) string {
	t.Helper()
	prog, err := ptc.Compile("p.ptc", source, opts)
	require.NoError(t, err)
	return told(prog.Run(context.Background(), ptc.Input{Journal: j}))
}

// TestReplayOfChance has programs that see what depended on timing: the journal has it.
func TestReplayOfChance(t *testing.T) {
	few := tool.New("few", "May be called three times.", func(_ context.Context, in struct {
		N int `json:"n"`
	}) (int, error) {
		return in.N, nil
	}, tool.MaxCalls(3))
	for _, test := range []struct{ name, program string }{
		{"which calls were too many", `(mapv :ok (psettle (fn [i] (try (tool/few i) (catch Exception e :refused))) (range 8)))`},
		{"elements above the one that failed", `(try (pmap (fn [i] (if (= i 0) (do (reduce + (range 100000)) (throw (ex-info "first" {}))) (do (Thread/sleep 200) (tool/fetch (str i))))) (range 9))
			(catch Exception e (ex-message e)))`},
		{"a pause that was cut", `(try (with-limits {:ms 20} (Thread/sleep 5000)) (catch Exception e (ex-message e)))`},
		{"pauses that were cut in workers", `(try (with-limits {:ms 20} (pmap (fn [i] (Thread/sleep 5000)) (range 4))) (catch Exception e (ex-message e)))`},
		{"a guard that came too late", `(pmap (fn [i] (if (= i 0) (host-exclusive "a" (Thread/sleep 500))
				(do (Thread/sleep 100) (try (with-limits {:ms 20} (host-exclusive "a" i)) (catch Exception e (ex-message e)))))) (range 4))`},
	} {
		t.Run(test.name, func(t *testing.T) {
			opts := ptc.Options{Tools: testTools(t, few), Seed: 42}
			want, rec := recordRun(t, test.program, opts)
			for _, workers := range []int{8, 2, 8, 1, 8} {
				opts.Limits.Workers = workers
				assert.Equal(t, want, runOn(t, test.program, opts, journal.Replay(rec)), "%d workers", workers)
			}
		})
	}
}

// TestToolEndsGoroutine has a tool that ends the goroutine of its call.
func TestToolEndsGoroutine(t *testing.T) {
	exit := tool.New("exit", "Ends its goroutine.", func(context.Context, hostArgs) (int, error) {
		runtime.Goexit()
		return 0, nil
	}, tool.Hint(guard.Hint{Kind: guard.HostExclusive}), tool.Concurrency(1))
	assert.Equal(t, "[:panic :panic]", evalText(t, `(mapv (fn [_] (try (tool/exit "a") (catch Exception e (:code (ex-data e))))) [1 2])`,
		ptc.Options{Tools: testTools(t, exit)}))
}
