//go:build unix

// This file defines the tests with another process: one that is killed, and one on a full disk.

package dir_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/store"
	"github.com/ptc-lang/ptc/store/dir"
	"github.com/ptc-lang/ptc/store/storetest"
)

// childVar names the directory that a child process of the test uses.
const childVar = "PTC_STORE_TEST_DIR"

func TestMain(m *testing.M) {
	if path := os.Getenv(childVar); path != "" {
		child(path)
		return
	}
	goleak.VerifyTestMain(m)
}

var thorough = flag.Bool("thorough", false, "kill a process 100 times, not 4")

// report is a confirmed change of a child process: a run that a method has returned, or a run that it has deleted.
type report struct {
	Run     store.Run
	Deleted bool
	Doc     int
}

// child creates and changes runs until it is killed. It reports each change when its method has returned.
func child(path string) {
	s, err := dir.Open(path)
	if err != nil {
		fmt.Println("error:", err)
		return
	}
	var mu sync.Mutex
	out := json.NewEncoder(os.Stdout)
	tell := func(r report, err error) bool {
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			fmt.Println("error:", err)
			return false
		}
		return out.Encode(r) == nil
	}
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for n := 0; ; n++ {
				if !oneRun(s, fmt.Sprintf("%d %d %d", os.Getpid(), i, n), n, tell) {
					return
				}
			}
		})
	}
	wg.Wait()
}

// oneRun passes a run through some states, and deletes some runs.
func oneRun(s *dir.Store, key string, n int, tell func(report, error) bool) bool {
	ctx := context.Background()
	run := storetest.Submitted()
	run.Key = key
	if n%3 == 0 {
		run.Source = strings.Repeat("x", 40_000)
	}
	run, _, err := s.Create(ctx, run)
	if !tell(report{Run: run.Brief()}, err) {
		return false
	}
	for _, state := range []store.State{store.Running, store.Parked, store.Running, store.Succeeded} {
		run, err = s.Update(ctx, run.ID, func(r *store.Run) error {
			r.State, r.Attempts = state, r.Attempts+1
			if state.Final() {
				r.Value = json.RawMessage(`"` + strings.Repeat("v", 50_000) + `"`)
			}
			return nil
		})
		if !tell(report{Run: run.Brief()}, err) {
			return false
		}
	}
	doc, err := s.Put(ctx, store.Document{Kind: store.Policies, Name: "p", Body: json.RawMessage(`"` + key + `"`)})
	if !tell(report{Doc: doc.Version}, err) {
		return false
	}
	if n%4 > 0 {
		return true
	}
	return tell(report{Run: run.Brief(), Deleted: true}, s.Delete(ctx, run.ID))
}

// TestKill kills a process that writes, again and again: each confirmed change is kept, and each run is in
// the state after one of its changes.
func TestKill(t *testing.T) {
	path := t.TempDir()
	random := rand.New(rand.NewPCG(1, uint64(time.Now().UnixNano())))
	told := map[string]report{}
	docs, rounds := 0, testlevel.Size(2, 4)
	if *thorough {
		rounds = 100
	}
	for range rounds {
		docs = max(docs, killed(t, path, 5+random.IntN(120), told))
		s := open(t, path)
		c := storetest.Read(t, s)
		require.Empty(t, c.Damaged)
		for id, want := range told {
			got, there := c.Runs[id]
			switch {
			case want.Deleted:
				require.False(t, there, "run %s was deleted", id)
				delete(told, id)
			case !there: // it was being deleted
				require.Equal(t, store.Succeeded, want.Run.State)
				delete(told, id)
			default:
				require.GreaterOrEqual(t, got.Revision, want.Run.Revision)
				require.LessOrEqual(t, got.Revision, want.Run.Revision+1)
				require.EqualValues(t, got.Revision, got.Attempts+1)
			}
		}
		versions, err := s.Versions(t.Context(), store.Policies, "p")
		if docs > 0 {
			require.NoError(t, err)
			require.GreaterOrEqual(t, versions[0].Version, docs)
		}
		left, err := os.ReadDir(filepath.Join(path, "tmp"))
		require.NoError(t, err)
		require.Empty(t, left)
		forget(t, s, told, random)
		require.NoError(t, s.Close())
	}
}

// forget deletes most of the runs that have ended and were checked, so that a round takes about as long as
// the previous one.
func forget(t *testing.T, s *dir.Store, told map[string]report, random *rand.Rand) {
	t.Helper()
	for id, r := range told {
		if r.Run.State.Final() && random.IntN(4) > 0 {
			require.NoError(t, s.Delete(t.Context(), id))
			delete(told, id)
		}
	}
}

// killed runs a child until it has reported so many changes, kills it, and notes the last report of each run. It
// returns the last version of the document.
func killed(t *testing.T, path string, changes int, told map[string]report) (docs int) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childVar+"="+path)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewReader(out)
	for n := 0; ; n++ {
		if n == changes {
			_, err = dir.Open(path)
			require.ErrorIs(t, err, store.ErrInUse)
			require.ErrorContains(t, err, fmt.Sprintf("in use by process %d", cmd.Process.Pid))
			require.NoError(t, cmd.Process.Signal(syscall.SIGKILL))
		}
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) { // the last line may be a part
			break
		}
		require.NoError(t, err)
		var r report
		require.NoError(t, json.Unmarshal(line, &r), "%s", line)
		docs = max(docs, r.Doc)
		if r.Doc == 0 {
			told[r.Run.ID] = r
		}
	}
	_ = cmd.Wait()
	return docs
}

// TestFullDisk fills a small file system: confirmed changes are kept, failed ones are not, and the store
// continues when there is space again.
func TestFullDisk(t *testing.T) {
	path := smallDisk(t, 3<<20)
	s := open(t, path)
	var done []store.Run
	var failed error
	for range 10_000 {
		run := storetest.Submitted()
		run.Prints = strings.Repeat("x", 5_000)
		kept, _, err := s.Create(t.Context(), run)
		if failed = err; err != nil {
			break
		}
		if len(done) < 50 {
			kept = storetest.Become(t, s, kept.ID, store.Failed)
		}
		done = append(done, kept)
	}
	require.ErrorIs(t, failed, syscall.ENOSPC)
	big := strings.Repeat("y", 100_000)
	_, err := s.Update(t.Context(), done[60].ID, func(r *store.Run) error {
		r.State, r.Prints = store.Running, big
		return nil
	})
	require.ErrorIs(t, err, syscall.ENOSPC)
	_, err = s.Put(t.Context(), store.Document{Kind: store.Programs, Name: "p", Body: json.RawMessage(`"` + big + `"`)})
	require.ErrorIs(t, err, syscall.ENOSPC)
	for _, want := range done {
		got, err := s.Get(t.Context(), want.ID)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	n, err := s.Expire(t.Context(), store.Retention{Count: 1}, time.Now())
	require.NoError(t, err, "makes room on a full disk")
	require.Equal(t, 49, n)
	storetest.Become(t, s, done[60].ID, store.Running)
	want := storetest.Read(t, s)
	require.Len(t, want.Runs, len(done)-49)
	require.Empty(t, want.Damaged)
	require.NoError(t, s.Close())
	require.Equal(t, want, storetest.Read(t, open(t, path)))
}

// smallDisk returns the path of a file system with so many bytes.
func smallDisk(t *testing.T, size int) string {
	path := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", fmt.Sprintf("size=%d", size), "tmpfs", path).CombinedOutput(); err != nil {
		t.Skipf("a file system can't be mounted, which takes root: %s", out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", path).CombinedOutput(); err != nil {
			t.Errorf("umount: %s", out)
		}
	})
	return path
}
