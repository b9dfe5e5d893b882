package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ptc-lang/ptc/policy/ledger"
	"github.com/ptc-lang/ptc/runtime/queue"
)

// asProcess is the variable that has the test binary make calls, instead of tests.
const asProcess = "LEDGER_TEST_CALLS"

func TestMain(m *testing.M) {
	if path := os.Getenv(asProcess); path != "" {
		os.Exit(calls(path))
	}
	goleak.VerifyTestMain(m)
}

var quota = queue.Policies{Actions: map[string]queue.Policy{"a": {Quota: queue.Quota{Calls: 40, Window: time.Hour}}}}

// calls makes calls until the quota is used up, and writes one line for each, like a tool that acts at once.
func calls(path string) int {
	e, err := queue.NewEnforcer(quota, nil)
	if err != nil {
		return 1
	}
	e.Keep(ledger.New(path))
	for {
		switch err := e.Action("a").Admit(context.Background()); {
		case err == nil:
			fmt.Println("call")
		case errors.As(err, new(*queue.Violation)):
			return 0
		default:
			fmt.Println(err)
			return 1
		}
	}
}

// TestProcesses: concurrent processes share a quota, even if some of them are killed.
func TestProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.json")
	var mu sync.Mutex
	made := 0
	var wg sync.WaitGroup
	for i := range 5 {
		wg.Go(func() {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), asProcess+"="+path)
			out := &killer{cmd: cmd, after: 1 + 3*i}
			if i == 4 {
				out.after = 1 << 30
			}
			cmd.Stdout = out
			err := cmd.Run()
			mu.Lock()
			defer mu.Unlock()
			made += out.calls
			if i == 4 && err != nil {
				t.Errorf("%v: %s", err, out.text.String())
			}
		})
	}
	wg.Wait()
	require.LessOrEqual(t, made, 40)
	require.GreaterOrEqual(t, made, 40-4*40/16, "each that was killed has lost what it had reserved, and no more")
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	left, err := filepath.Glob(path + "-*")
	require.NoError(t, err)
	require.LessOrEqual(t, len(left), 4, "those that were killed may leave a file")
}

// killer kills a process after some lines.
type killer struct {
	cmd          *exec.Cmd
	calls, after int
	text         strings.Builder
}

func (k *killer) Write(p []byte) (int, error) {
	k.text.Write(p)
	if k.calls += strings.Count(string(p), "call\n"); k.calls >= k.after {
		_ = k.cmd.Process.Kill()
	}
	return len(p), nil
}

// TestWaitEnds: a process that waits for another one stops when its context ends.
func TestWaitEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.json")
	inside, leave := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		_ = ledger.New(path).Update(t.Context(), func(r queue.Records) error {
			close(inside)
			<-leave
			r.Put("x", []byte("1"))
			return nil
		})
	})
	<-inside
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	err := ledger.New(path).Update(ctx, func(queue.Records) error { return errors.New("it has not waited") })
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "is in use")
	close(leave)
	wg.Wait()
	require.NoError(t, ledger.New(path).Update(t.Context(), func(r queue.Records) error {
		require.Equal(t, "1", string(r.Get("x")))
		return nil
	}))
}

// TestDamage: a damaged file is an error that names it, and is not replaced. A change that fails writes nothing.
func TestDamage(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"empty": "", "cut": `{"version":1,"rec`, "newer": `{"version":2,"records":{}}`,
		"null": "null", "none": `{"version":1,"records":null}`, "list": "[]"} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		err := ledger.New(path).Update(t.Context(), func(queue.Records) error { return nil })
		if name == "null" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, path, name)
		after, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, text, string(after))
	}
	path, failed := filepath.Join(dir, "new"), errors.New("no")
	require.ErrorIs(t, ledger.New(path).Update(t.Context(), func(r queue.Records) error {
		r.Put("x", []byte("1"))
		return failed
	}), failed)
	require.NoFileExists(t, path)
	require.Error(t, ledger.New(filepath.Join(dir, "nowhere", "x")).Update(t.Context(), nil))
	require.Error(t, ledger.New(dir).Update(t.Context(), nil))
}

func BenchmarkUpdate(b *testing.B) {
	f := ledger.New(filepath.Join(b.TempDir(), "state.json"))
	for b.Loop() {
		if err := f.Update(b.Context(), func(r queue.Records) error { r.Put("x", []byte("1")); return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
