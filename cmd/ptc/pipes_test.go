//go:build unix

package main

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPipes has commands whose file is a pipe that nobody writes to: an interrupt ends the wait for it.
func TestPipes(t *testing.T) {
	dir := t.TempDir()
	pipe, ok := filepath.Join(dir, "pipe"), filepath.Join(dir, "ok.ptc")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	require.NoError(t, os.WriteFile(ok, []byte("1"), 0o644))
	beside := filepath.Join(dir, "sub", "beside.ptc")
	require.NoError(t, os.Mkdir(filepath.Dir(beside), 0o755))
	require.NoError(t, os.WriteFile(beside, []byte("1"), 0o644))
	require.NoError(t, os.Symlink(pipe, filepath.Join(dir, "sub", "ptc.yaml")))
	for _, command := range []string{"run PIPE", "run OK --data PIPE", "run OK --policy PIPE", "run BESIDE", "check PIPE", "fmt PIPE", "replay PIPE", "trace PIPE",
		"prompt --data PIPE", "prompt --tools PIPE", "prompt --policy PIPE", "repl --data PIPE", "repl --policy PIPE"} {
		t.Run(command, func(t *testing.T) {
			got := interrupted(t, pipe, strings.Fields(strings.NewReplacer("PIPE", pipe, "OK", ok, "BESIDE", beside).Replace(command))...)
			wants{exitInterrupted, "", "ptc: interrupted"}.check(t, got)
		})
	}
	for command, want := range map[string]string{"resume " + pipe: "want a regular file", "run -e 1 --allow-sql db=" + pipe: "is not a regular file",
		"run -e 1 --allow-fs " + pipe: "not a directory"} {
		t.Run(command, func(t *testing.T) {
			wants{exitUsage, "", want}.check(t, interrupted(t, pipe, strings.Fields(command)...))
		})
	}
}

// interrupted runs a command whose context has ended. A reader of the pipe that the command has left
// is let go afterwards.
func interrupted(t *testing.T, pipe string, args ...string) outcome {
	t.Helper()
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out, errs strings.Builder
	done := make(chan outcome, 1)
	go func() {
		code := dispatch(ctx, args, streams{in: strings.NewReader(""), out: &output{Writer: &out}, err: &errs, printing: func() {}})
		done <- outcome{code, out.String(), errs.String()}
	}()
	var got outcome
	select {
	case got = <-done:
	case <-time.After(time.Minute): // so that a command that does not end fails the test
		t.Error("the command waits for the pipe")
	}
	release(t, pipe, before)
	return got
}

// release opens a pipe for writing until there are no more goroutines than before: none waits for that any more.
func release(t *testing.T, pipe string, before int) {
	t.Helper()
	for start := time.Now(); ; time.Sleep(time.Millisecond) {
		w, err := os.OpenFile(pipe, os.O_RDWR, 0)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		if runtime.NumGoroutine() <= before {
			return
		}
		require.Less(t, time.Since(start), time.Minute, "a goroutine is left")
	}
}

// TestLoadPipe loads a file that is a pipe without an end in ptc repl: an interrupt ends that.
func TestLoadPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	ctx, interrupt := context.WithCancel(t.Context())
	writer := make(chan *os.File, 1)
	go func() {
		w, err := os.OpenFile(pipe, os.O_WRONLY, 0) // waits until the session reads it
		assert.NoError(t, err)
		interrupt()
		writer <- w
	}()
	guard := time.AfterFunc(time.Minute, func() { // so that a session that waits fails the test
		t.Error("the session waits for the pipe")
		w := <-writer
		w.Close()
		writer <- w
	})
	defer guard.Stop()
	var out, errs strings.Builder
	dispatch(ctx, []string{"repl"}, streams{in: strings.NewReader(":load " + pipe + "\n"), out: &output{Writer: &out}, err: &errs, printing: func() {}})
	(<-writer).Close()
	assert.Contains(t, errs.String(), "pipe: interrupted")
}

// TestProcessSubstitution reads a program, its input and a journal from pipes, as a shell makes them.
func TestProcessSubstitution(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) string {
		pipe := filepath.Join(dir, "pipe")
		os.Remove(pipe)
		require.NoError(t, syscall.Mkfifo(pipe, 0o600))
		done := make(chan error, 1)
		go func() { done <- os.WriteFile(pipe, []byte(text), 0) }()
		t.Cleanup(func() { assert.NoError(t, <-done) })
		return pipe
	}
	wants{0, "3", ""}.check(t, ptcWith("", "run", write("(+ 1 2)")))
	wants{0, "7", ""}.check(t, ptcWith("", "run", "-e", "data/a", "--data", write(`{"a": 7}`)))
	record := filepath.Join(dir, "run.journal")
	wants{0, "6", ""}.check(t, ptcWith("", "run", "-e", "(* 2 3)", "--journal", record))
	text, err := os.ReadFile(record)
	require.NoError(t, err)
	wants{0, "6", ""}.check(t, ptcWith("", "replay", write(string(text))))
	wants{0, "<html", ""}.check(t, ptcWith("", "trace", "-o", "-", write(string(text))))
}
