//go:build unix

package replay

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
)

// pendingChild names the journal of a child process that waits for settlements.
const pendingChild = "PTC_PENDING_TEST_JOURNAL"

const killedSource = `(pmap (fn [n] [(try (tool/gate {:n (+ 5 n)}) (catch Exception e nil)) (ask {:question "n?" :data n})]) (range 4))`

// TestKilledWhilePending kills a real process while its run waits for settlements. All effects that it was
// asked about are in the journal, and the run is resumed with them.
func TestKilledWhilePending(t *testing.T) {
	if path := os.Getenv(pendingChild); path != "" {
		waitForKill(t, path)
		return
	}
	t.Parallel()
	path := filepath.Join(t.TempDir(), "run.journal")
	for killed := 0; ; killed++ {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestKilledWhilePending$")
		cmd.Env = append(os.Environ(), pendingChild+"="+path)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		line, err := bufio.NewReader(out).ReadString('\n')
		require.NoError(t, err)
		if line == "done\n" {
			require.NoError(t, cmd.Wait())
			require.GreaterOrEqual(t, killed, 2)
			return
		}
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait()
		rec, err := journal.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, line, fmt.Sprintln(ids(rec.Pending())))
	}
}

func ids(all []effect.Pending) (ids []string) {
	for _, p := range all {
		ids = append(ids, string(p.Kind)+" "+p.ID)
	}
	return ids
}

// waitForKill runs or resumes the program of a journal: it settles the effects that an earlier process has
// left, and then waits.
func waitForKill(t *testing.T, path string) {
	opts := ptc.Options{Tools: pendingTools(t, true)}
	file := ptc.JournalFile{Path: path}
	given := ptc.RunOptions{OnPending: func(_ context.Context, all []effect.Pending) ([]effect.Settlement, error) {
		fmt.Println(ids(all))
		select {} // until it is killed
	}}
	rec, err := journal.ReadFile(path)
	if err != nil {
		prog, err := ptc.Compile(t.Context(), "p.ptc", killedSource, opts)
		require.NoError(t, err)
		_, err = prog.Record(t.Context(), file, given)
		require.NoError(t, err)
		return
	}
	for _, p := range rec.Pending() {
		s := effect.Settlement{ID: p.ID, As: effect.Refuse}
		if p.Kind == effect.PendingQuestion {
			s = effect.Settlement{ID: p.ID, As: effect.Done, Result: p.Data}
		}
		file.Settled = append(file.Settled, s)
	}
	_, _ = ptc.Resume(t.Context(), file, opts, given) // a refusal ends the run
	fmt.Println("done")
}
