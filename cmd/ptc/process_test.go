//go:build unix

package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// linked links the test program to its other name, once for all tests, and returns the path.
var linked = sync.OnceValues(func() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	bin := filepath.Join(testDir, asCommand)
	return bin, os.Symlink(self, bin)
})

// self returns the path of the command.
func self(t *testing.T) string {
	t.Helper()
	bin, err := linked()
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

// TestProcess runs the real program, and interrupts it: in an endless loop, and
// while it waits for its input.
func TestProcess(t *testing.T) {
	bin := self(t)
	t.Run("run", func(t *testing.T) {
		out, err := exec.Command(bin, "run", "-e", "(+ 1 2)").Output()
		if err != nil || string(out) != "3\n" {
			t.Errorf("got %q, %v", out, err)
		}
	})
	t.Run("loop", func(t *testing.T) {
		cmd := exec.Command(bin, "run", "--timeout", "1h", "--steps", "1_000_000_000_000_000", "-e",
			`(println "looping") (loop [] (recur))`)
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		interrupt(t, cmd, func() {
			if line, _ := bufio.NewReader(stdout).ReadString('\n'); line != "looping\n" {
				t.Errorf("printed %q", line)
			}
		})
	})
	t.Run("input", func(t *testing.T) {
		cmd := exec.Command(bin, "run", "-")
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		interrupt(t, cmd, func() {
			// More than a pipe holds: when all is written, the program is reading.
			if _, err := stdin.Write(make([]byte, 1<<20)); err != nil {
				t.Error(err)
			}
		})
	})
}

// interrupt starts a command, sends it SIGINT when ready returns, and wants it to
// end with the exit code for that.
func interrupt(t *testing.T, cmd *exec.Cmd, ready func()) {
	t.Helper()
	cmd.Stderr = io.Discard
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ready()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	// so that a program that does not end fails the test
	guard := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	defer guard.Stop()
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
		t.Errorf("got %v, want the exit code %d", err, exitInterrupted)
	}
}
