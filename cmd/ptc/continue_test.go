//go:build unix

package main

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestContinue interrupts real runs with SIGINT, and runs the commands that they write, in a shell. The names of their
// journals mean something to a shell, or to ptc.
func TestContinue(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"it's a.journal", "-o", `$(touch pwned);"x"\` + "`touch pwned`", "=ls ~ é*?", "日本 !!"} {
		t.Run(name, func(t *testing.T) { continues(t, name) })
	}
}

func continues(t *testing.T, journal string) {
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"out/x": "", "wait.ptc": `(println "waiting")
(loop [] (if (next (tool/fs.list "out")) :done (do (Thread/sleep 10) (recur))))`})
	env := append(os.Environ(), "PATH="+filepath.Dir(self(t))+":"+os.Getenv("PATH"), "XDG_STATE_HOME="+t.TempDir())
	command := `ptc run wait.ptc --timeout 1h --workers 3 --allow-fs out --journal='` +
		strings.ReplaceAll(journal, "'", `'\''`) + "'"
	for range 2 {
		code, errs := untilInterrupted(t, dir, env, command)
		if code != exitInterrupted {
			t.Fatalf("got the exit code %d, %s", code, errs)
		}
		_, next, _ := strings.Cut(errs, "ptc: the run can be continued: ")
		if !strings.HasPrefix(next, "ptc resume --timeout 1h ") || strings.Count(next, "\n") != 1 {
			t.Fatalf("got %q", errs)
		}
		command = next
	}
	writeFiles(t, dir, map[string]string{"out/go": ""})
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir, cmd.Env = dir, env
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "waiting\n:done\n" {
		t.Errorf("got %q, %v", out, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
		t.Error("the name of the journal was run as a command")
	}
}

// untilInterrupted runs a command until it has printed a line, and sends it SIGINT twice. It returns its exit code and
// standard error.
func untilInterrupted(t *testing.T, dir string, env []string, command string) (code int, errs string) {
	t.Helper()
	cmd := exec.Command("sh", "-c", "exec "+command)
	var stderr bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stderr = dir, env, &stderr
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	guard := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	defer guard.Stop()
	if line, _ := bufio.NewReader(stdout).ReadString('\n'); line != "waiting\n" {
		t.Errorf("printed %q", line)
	}
	for range 2 { // as timeout(1) does, which signals the command and its group
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) {
		t.Fatalf("got %v, %s", err, stderr.String())
	}
	return exit.ExitCode(), stderr.String()
}

// TestContinueAfterLimit: a run that a limit of steps or calls has ended continues with a higher limit.
func TestContinueAfterLimit(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	writeFiles(t, dir, map[string]string{"out/x": ""})
	for name, c := range map[string]struct{ flag, program, want string }{
		"steps":   {"--steps", "(loop [] (recur))", "ptc resume --steps 2000 steps.journal\n"},
		"calls":   {"--calls", `(dotimes [_ 2000] (tool/fs.list "out"))`, "ptc resume --calls 2000 calls.journal\n"},
		"timeout": {"--timeout", "(Thread/sleep 100000)", "ptc resume timeout.journal\n"},
		"failed":  {"--steps", "(/ 1 0)", ""},
	} {
		value := "1000"
		if name == "timeout" {
			value = "200ms"
		}
		got := ptcWith("", "run", "-e", c.program, "--allow-fs", "out", "--journal", name+".journal", c.flag, value)
		if _, next, _ := strings.Cut(got.err, "can be continued: "); next != c.want {
			t.Errorf("%s: got %q, want %q", name, got.err, c.want)
		}
	}
}
