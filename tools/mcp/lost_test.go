//go:build unix

package mcp

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/internal/testlog"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// pid returns the process of a server.
func pid(t *testing.T, r *tool.Registry) int {
	t.Helper()
	n, err := strconv.Atoi(value(t, r, `(:pid (tool/s.pid {}))`))
	require.NoError(t, err)
	return n
}

// TestServerDies has the process of a server end in the middle of a pmap: calls of a read-only tool are made again on
// another process.
func TestServerDies(t *testing.T) {
	_, r := opened(t, Grant{Servers: []Server{command(t, "s", "sdk")}})
	first := pid(t, r)
	got := value(t, r, `(pmap (fn [i] (retry {:times 5 :backoff-ms 10} (tool/s.once (str i)))) (range 40))`)
	var want []string
	for i := range 40 {
		want = append(want, strconv.Quote(strconv.Itoa(i)))
	}
	assert.Equal(t, "("+strings.Join(want, " ")+")", got)
	assert.NotEqual(t, first, pid(t, r))
}

// TestServerKilled kills the process of a server while calls are under way. Only writes must not be repeated.
func TestServerKilled(t *testing.T) {
	for name, retryable := range map[string]bool{"slow": true, "slow_idempotent": true, "slow_write": false} {
		t.Run(name, func(t *testing.T) {
			s := command(t, "s", "sdk")
			_, r := opened(t, Grant{Servers: []Server{s}})
			first := pid(t, r)
			killed := make(chan error, 1)
			go func() {
				for range 6000 {
					if strings.Contains(notes(s), "begun "+name) {
						killed <- syscall.Kill(first, syscall.SIGKILL)
						return
					}
					time.Sleep(10 * time.Millisecond)
				}
				killed <- fmt.Errorf("the call has not begun")
			}()
			got := value(t, r, `(try (tool/s.`+name+` {}) (catch :tool-failed e
				[(:code (ex-data e)) (:retryable? (ex-data e)) (boolean (re-find #"is not known" (ex-message e)))]))`)
			require.NoError(t, <-killed)
			assert.Equal(t, fmt.Sprintf("[:disconnected %v %v]", retryable, !retryable), got)
			assert.NotEqual(t, first, pid(t, r), "the next call starts the server again")
		})
	}
}

// TestChanged has a server change its tools, while it lives and when it is started again: those of a program that is
// compiled are refused if they are others.
func TestChanged(t *testing.T) {
	s := command(t, "s", "sdk")
	all, r := opened(t, Grant{Servers: []Server{s}})
	require.Equal(t, `"changed"`, value(t, r, `(tool/s.change {})`))
	c := all.all[0].conn
	require.Eventually(t, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.stale
	}, time.Minute, time.Millisecond)
	for source, want := range map[string]string{
		`(tool/s.parts {})`:   "tool/s.parts has changed since the program was compiled: the server does not have it any more",
		`(tool/s.nothing {})`: "tool/s.nothing has changed since the program was compiled: the server declares other arguments, results or effects",
	} {
		_, err := run(t, r, source)
		require.ErrorContains(t, err, want)
	}
	assert.Equal(t, `"a"`, value(t, r, `(tool/s.echo "a")`))
	require.NoError(t, syscall.Kill(pid(t, r), syscall.SIGKILL))
	<-c.lost
	assert.Equal(t, `nil`, value(t, r, `(tool/s.nothing {})`), "the new process has the first tools again")
}

// TestUnavailable has a server that does not start again: a call fails, after some attempts, and may be retried.
func TestUnavailable(t *testing.T) {
	t.Parallel() // it mostly waits
	exe := filepath.Join(t.TempDir(), "server")
	self, err := os.Executable()
	require.NoError(t, err)
	require.NoError(t, os.Symlink(self, exe))
	s := command(t, "s", "sdk")
	s.Command = exe
	log := &testlog.Buffer{}
	_, r := opened(t, Grant{Servers: []Server{s}, Log: slog.New(slog.NewTextHandler(log, nil))})
	require.NoError(t, os.Remove(exe))
	require.NoError(t, syscall.Kill(pid(t, r), syscall.SIGKILL))
	require.Eventually(t, func() bool { // the connection is lost some time after the process
		_, err := run(t, r, `(tool/s.echo "a")`)
		return err != nil && strings.Contains(err.Error(), "the server s is not reached: there is no program")
	}, time.Minute, 10*time.Millisecond)
	require.NoError(t, os.Symlink(self, exe))
	assert.Equal(t, `"a"`, value(t, r, `(retry {:times 9} (tool/s.echo "a"))`))
}

// TestClose ends the calls that are under way, and the process.
func TestClose(t *testing.T) {
	s := command(t, "s", "sdk")
	all, r := opened(t, Grant{Servers: []Server{s}})
	p := pid(t, r)
	failed := make(chan error, 1)
	go func() {
		_, err := run(t, r, `(tool/s.slow {})`)
		failed <- err
	}()
	awaitNote(t, s, "begun slow")
	require.NoError(t, all.Close())
	require.ErrorContains(t, <-failed, "the host has closed the connection to s")
	assert.Equal(t, syscall.ESRCH, syscall.Kill(p, 0), "the process")
	_, err := run(t, r, `(tool/s.echo "a")`)
	require.ErrorContains(t, err, "the host has closed the connection to s")
}

// TestGroup has a server that has started another process and does not end with its standard input: all are killed.
func TestGroup(t *testing.T) {
	t.Parallel() // it mostly waits
	self, err := os.Executable()
	require.NoError(t, err)
	dir := t.TempDir()
	s := Server{Name: "s", Command: "sh", Args: []string{"-c", `trap "" TERM; sleep 300 & echo $! > ` + dir + `/child; "$0" ` + serverWord + ` sdk ` +
		dir + `; sleep 300`, self}}
	all, r := opened(t, Grant{Servers: []Server{s}})
	assert.Equal(t, `"a"`, value(t, r, `(tool/s.echo "a")`))
	text, err := os.ReadFile(filepath.Join(dir, "child"))
	require.NoError(t, err)
	child, err := strconv.Atoi(strings.TrimSpace(string(text)))
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(child, 0))
	require.NoError(t, all.Close())
	require.Eventually(t, func() bool { return ended(child) }, time.Minute, 10*time.Millisecond)
}

// ended reports whether a process has ended; init may not have collected its status yet.
func ended(pid int) bool {
	if syscall.Kill(pid, 0) == syscall.ESRCH {
		return true
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(stat), ") Z ")
}
