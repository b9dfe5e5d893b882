//go:build unix

// This file follows a document as a reader would: it writes the files, runs the commands and
// compares their output.

package filetest

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Document is a Markdown file whose fenced blocks are followed in order, in a separate folder. The
// info string after the fence is the kind of a block:
//
//	clojure           facts, see Text
//	LANG file=NAME    a file of the folder
//	console           commands after "$ " (continued after "> "), each followed by its output
//	console clone     the same, in the top folder of the repository
//	text, or nothing  for the reader only
//
// A command that ends with " &" runs in the background until the document ends.
//
// The output must equal the text in the document, except for placeholders: see expected.
type Document struct {
	Path  string // of the file
	Clone string // the top folder of the repository
	// Bin is a folder in PATH, into which go install writes. If it is "", a new folder is used.
	Bin string
	// Env holds environment variables, as KEY=value, in addition to those of the test.
	Env []string
	// Ports are the TCP ports in the document, of five digits. Each is replaced by a free port.
	Ports []string
	// Replace holds pairs: a string of the document and its replacement in this run.
	Replace []string
	// Other handles blocks of other kinds. If it is nil, they are an error.
	Other func(t *testing.T, b Block)
}

// Follow follows the document. The first failure is reported and ends it, since later blocks depend
// on earlier ones.
func (d Document) Follow(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile(d.Path)
	if err != nil {
		t.Fatal(err)
	}
	replace := strings.NewReplacer(append(freePorts(t, d.Ports), d.Replace...)...)
	s := &shell{Document: d, dir: t.TempDir()}
	if d.Bin == "" {
		d.Bin = t.TempDir()
	}
	s.env = append(os.Environ(), "GOBIN="+d.Bin, "PATH="+d.Bin+":"+os.Getenv("PATH"))
	s.env = append(s.env, "XDG_STATE_HOME="+t.TempDir()) // a separate state directory for ptc
	s.env = append(s.env, d.Env...)
	defer s.stop()
	for _, b := range Fenced(string(text)) {
		b.Text = replace.Replace(b.Text)
		s.follow(t, b)
		if t.Failed() {
			return
		}
	}
}

// freePorts returns the arguments of strings.NewReplacer. Its ports are below those that systems give to outgoing
// connections, which another process could get before the program of the document listens.
func freePorts(t *testing.T, ports []string) (pairs []string) {
	for _, p := range ports {
		l, err := net.Listen("tcp", fmt.Sprint("localhost:", 12000+rand.IntN(18000)))
		for tries := 0; err != nil && tries < 100; tries++ {
			l, err = net.Listen("tcp", fmt.Sprint("localhost:", 12000+rand.IntN(18000)))
		}
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		pairs = append(pairs, p, fmt.Sprint(l.Addr().(*net.TCPAddr).Port))
	}
	return pairs
}

// shell runs a document.
type shell struct {
	Document
	dir     string
	env     []string
	running []background
}

// background is a command that runs in the background.
type background struct {
	cmd *exec.Cmd
	out *io.PipeWriter
}

func (s *shell) follow(t *testing.T, b Block) {
	t.Helper()
	lang, rest, _ := strings.Cut(b.Info, " ")
	name, file := strings.CutPrefix(rest, "file=")
	switch {
	case file:
		path := filepath.Join(s.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		mode := os.FileMode(0o644)
		if strings.HasPrefix(b.Text, "#!") {
			mode = 0o755
		}
		if err := os.WriteFile(path, []byte(b.Text), mode); err != nil {
			t.Fatal(err)
		}
	case b.Info == "clojure":
		Text{s.Path, b.Line, b.Text}.Run(t)
	case b.Info == "console" || b.Info == "console clone":
		for _, c := range commands(b) {
			s.run(t, c, rest == "clone")
		}
	case lang == "text" || lang == "":
	case s.Other == nil:
		t.Errorf("%s:%d: nothing runs a block of the kind %q", s.Path, b.Line, b.Info)
	default:
		s.Other(t, b)
	}
}

// command is one command of a block with its expected output.
type command struct {
	line      int
	text, out string
}

func commands(b Block) (all []command) {
	for i, line := range strings.SplitAfter(strings.TrimSuffix(b.Text, "\n"), "\n") {
		text, begins := strings.CutPrefix(line, "$ ")
		more, goesOn := strings.CutPrefix(line, "> ")
		switch n := len(all) - 1; {
		case begins:
			all = append(all, command{b.Line + i, text, ""})
		case n < 0:
			return nil
		case goesOn && all[n].out == "":
			all[n].text += more
		default:
			all[n].out += line
		}
	}
	return all
}

// hang is the maximum time of a command: longer than any needs, including a first build of ptc.
const hang = 5 * time.Minute

// run runs a command with sh. All its output goes to one pipe, as to a terminal.
func (s *shell) run(t *testing.T, c command, clone bool) {
	t.Helper()
	text, beside := strings.CutSuffix(strings.TrimSpace(c.text), " &")
	ctx, cancel := context.WithTimeout(t.Context(), hang)
	cmd := exec.CommandContext(ctx, "sh", "-c", text)
	if beside {
		cmd = exec.Command("sh", "-c", "exec "+text)
	}
	defer cancel()
	cmd.Dir, cmd.Env = s.dir, s.env
	if clone {
		cmd.Dir = s.Clone
	}
	var out []byte
	if beside {
		out = s.start(t, cmd, strings.Count(c.out, "\n"))
	} else {
		out, _ = cmd.CombinedOutput() // the document shows the status if it matters
	}
	if want := expected(c.out); !want.Match(bytes.TrimSuffix(out, []byte("\n"))) {
		t.Errorf("%s:%d: $ %s\ngot\n%s\nwant\n%s", s.Path, c.line, text, out, c.out)
	}
}

// start starts a command and returns the first lines of its output.
func (s *shell) start(t *testing.T, cmd *exec.Cmd, lines int) (out []byte) {
	t.Helper()
	r, w := io.Pipe()
	cmd.Stdout, cmd.Stderr = w, w
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.running = append(s.running, background{cmd, w})
	all := bufio.NewReader(r)
	for range max(lines, 1) {
		line, err := all.ReadBytes('\n')
		if out = append(out, line...); err != nil {
			break
		}
	}
	go io.Copy(io.Discard, all)
	return out
}

// stop ends the background commands with all processes that they have started.
func (s *shell) stop() {
	for _, b := range s.running {
		syscall.Kill(-b.cmd.Process.Pid, syscall.SIGKILL)
		b.cmd.Wait()
		b.out.Close()
	}
}

// Placeholders in expected output.
var placeholders = strings.NewReplacer(
	`<time>`, `[0-9.hm]+(?:ns|µs|ms|s|m|h)`,
	`<n>`, `[0-9]+`,
	`<id>`, `[0-9A-Za-z-]+`,
	`<rfc3339>`, `[0-9]{4}-[0-9-]+T[0-9:.]+Z`,
)

// completed is the number of elements that a report of a failed operation counts, which depends on timing.
var completed = regexp.MustCompile(`[0-9]+( had been completed)`)

// expected returns a pattern for the outputs that match a text of a document: <n> is a number,
// <time> a duration, <rfc3339> a moment, <id> a name, and a line "..." any lines. The number of completed elements
// matches any number.
func expected(text string) *regexp.Regexp {
	text = placeholders.Replace(regexp.QuoteMeta(strings.TrimSuffix(text, "\n")))
	text = regexp.MustCompile(`(?m)^\\\.\\\.\\\.(\n|\z)`).ReplaceAllString(text, `(?:.*(?:\n|\z))*?`)
	text = completed.ReplaceAllString(text, "[0-9]+$1")
	return regexp.MustCompile(`\A` + text + `\z`)
}
