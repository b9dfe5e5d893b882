//go:build unix

package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestConfigOfOthers refuses a ptc.yaml that others can write, that belongs to somebody else,
// or is no file.
func TestConfigOfOthers(t *testing.T) {
	program := script(t, "1", "allow:\n  time: true\n")
	name := filepath.Join(filepath.Dir(program), "ptc.yaml")
	for _, mode := range []os.FileMode{0o666, 0o646} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
		for _, command := range []string{"run", "check"} {
			wants{2, "",
				"ptc.yaml: not read, because other users can write it, its mode is 0" + map[os.FileMode]string{0o666: "666",
					0o646: "646"}[mode] + "; chmod go-w fixes that; --no-config ignores the file"}.check(t,
				ptcWith("", command, program))
		}
		wants{0, "1\n", ""}.check(t, ptcWith("", "run", program, "--no-config"))
	}
	if os.Geteuid() == 0 { // only root can give a file to somebody else
		if err := os.Chmod(name, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(name, 12345, 12345); err != nil {
			t.Fatal(err)
		}
		wants{2, "",
			"ptc.yaml: not read, because it belongs to the user with the id 12345, want this user, 0, or root"}.check(t,
			ptcWith("", "run", program))
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(name, 0o644); err != nil {
		t.Fatal(err)
	}
	wants{2, "", "ptc.yaml: want a regular file"}.check(t, ptcWith("", "run", program))
}

// TestJournalPipe has a journal be a pipe: a command that waits for it ends when it is
// interrupted, and a run does not continue with one.
func TestJournalPipe(t *testing.T) {
	newPipe := func() (name string) {
		name = filepath.Join(t.TempDir(), "pipe")
		if err := syscall.Mkfifo(name, 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	pipe := newPipe()
	wants{2, "", pipe + ": want a regular file, in which the run can continue"}.check(t, resume(pipe))
	for _, command := range []string{"replay", "trace"} {
		pipe := newPipe()
		ctx, cancel := context.WithCancel(context.Background())
		var out, errs strings.Builder
		code := make(chan int)
		go func() {
			code <- dispatch(ctx, []string{command, pipe}, streams{in: strings.NewReader(""),
				out: &output{Writer: &out}, err: &errs, printing: func() {}})
		}()
		other, err := os.OpenFile(pipe, os.O_WRONLY, 0) // when the command has opened it
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		if got := <-code; got != exitInterrupted || out.Len() > 0 {
			t.Errorf("%s: got the exit code %d, %q, %q", command, got, out.String(), errs.String())
		}
		other.Close()
	}
}

// TestForgedFlags has a forged journal ask for grants that are commands where they are copied into
// a shell, or pass for another message.
func TestForgedFlags(t *testing.T) {
	t.Chdir(t.TempDir())
	back := otherUser(t)
	name := "x'$(touch pwned)`touch pwned`;touch pwned\nptc: verified"
	writeFiles(t, ".", map[string]string{"out/x": "", name + "/x": ""})
	forged := interruptedRun(t, "--allow-fs", name)
	back()
	got := resume(forged)
	_, flags, found := strings.Cut(got.err, "as flags: ")
	if !found || strings.Count(got.err, "\n") != 1 {
		t.Fatalf("got %+v", got)
	}
	out, err := exec.Command("sh", "-c", "printf '%s|' "+flags).CombinedOutput()
	want := "--allow-fs|out|--allow-fs|" + strings.ReplaceAll(name, "\n", "␤") + "|"
	if err != nil || string(out) != want {
		t.Errorf("got %q, %v, want %q", out, err, want)
	}
	if _, err := os.Stat("pwned"); err == nil {
		t.Error("a grant was run as a command")
	}
	program := script(t, "1", "allow:\n  fs: [\"a\\nptc: all is well:ro\"]\n")
	writeFiles(t, filepath.Dir(program), map[string]string{"a\nptc: all is well/x": ""})
	wants{0, "1\n", "grants --allow-fs a␤ptc: all is well:ro (shown"}.check(t, ptcWith("", "run", program))
}
