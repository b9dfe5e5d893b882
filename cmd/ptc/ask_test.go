//go:build linux || darwin

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// asking starts ptc run on a terminal, in a folder with the folder out and the program p.ptc.
func asking(t *testing.T, program string, args ...string) *console {
	t.Helper()
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"out/x": "", "p.ptc": program})
	return openIn(t, dir, nil, self(t), []string{"NO_COLOR=1"}, append([]string{"run", "p.ptc", "--allow-fs", "out", "--approval", "write"},
		args...)...)
}

// TestAsk answers on a terminal.
func TestAsk(t *testing.T) {
	t.Parallel() // it mostly waits
	const writes = `(print "beginning") (pmap #(tool/fs.write {:path (str "out/" %) :text "a"}) (range 3)) (count (tool/fs.list "out"))`
	t.Run("approve", func(t *testing.T) {
		c := asking(t, writes, "--progress")
		c.wants("beginning\r\nthe run waits for 3 settlements: 3 × approval of tool/fs.write\r\n")
		c.wants("1 of 3: approval of call 0.1.0#1: tool/fs.write (idempotent), at p.ptc:1:28\r\n")
		c.wants(`  | {"path":"out/0","text":"a"}` + "\r\napprove? ")
		c.keys("d\r")
		c.wants("  | {\r\n  |   \"path\": \"out/0\",\r\n")
		c.wants("approve? ")
		c.keys("y\r")
		c.wants("2 of 3: ")
		c.wants("approve? ")
		c.keys("a\r")
		c.wants("approve all 2 of them? ")
		c.keys("y\r")
		c.wants("\r\n4\r\n")
		c.ends(exitOK)
	})
	t.Run("refuse", func(t *testing.T) {
		c := asking(t, `(try (tool/fs.write {:path "out/a" :text "a"}) (catch Exception e (ex-message e)))`)
		c.wants("approve? ")
		c.keys("n not today\r")
		c.wants("\r\n\"tool/fs.write: not today\"\r\n")
		c.ends(exitOK)
	})
	t.Run("question", func(t *testing.T) {
		c := asking(t, `(ask {:question "Which?" :data {:n 1} :options ["red" "blue"]})`, "--output", "json")
		c.wants("1 of 1: question 0#1, at p.ptc:1:1\r\n  | Which?\r\n  | data: {\"n\":1}\r\n  1) red\r\n  2) blue\r\nanswer? [1-2, ? explains] ")
		c.keys("green\r")
		c.wants(`got the answer "green"`)
		c.wants("answer? ")
		c.keys("2\r")
		c.wants("\r\n\"blue\"\r\n")
		c.ends(exitOK)
	})
	t.Run("the output is a file", func(t *testing.T) {
		dir := t.TempDir()
		file, err := os.Create(filepath.Join(dir, "out.json"))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		c := openIn(t, dir, file, self(t), nil, "run", "--output", "envelope", "-e",
			`(print "in a line") (ask {:question "Who?"})`)
		c.wants("answer? ")
		c.keys("J\xc3\xb6rg\r")
		c.ends(exitOK)
		text, err := os.ReadFile(file.Name())
		if err != nil || !bytes.HasPrefix(text, []byte(`{"status":"ok","value":"Jörg","prints":"in a line"`)) {
			t.Errorf("got %s, %v", text, err)
		}
	})
	t.Run("what is typed before the question", func(t *testing.T) {
		c := asking(t, `(println "begin") (Thread/sleep 1000) (tool/fs.write {:path "out/a" :text "a"})`)
		c.wants("begin\r\n")
		c.keys("y\r")
		c.wants("approve? ")
		c.keys("n\r")
		c.wants("error[approval-refused]")
		c.ends(exitFailed)
	})
	t.Run("a hundred, on a narrow terminal", func(t *testing.T) {
		c := asking(t, `(print "a line without its end") (ask {:question "Begin?"})
			(frequencies (psettle #(tool/fs.write {:path (str "out/" %) :text (str "\u001b[2J\u009b" (apply str (repeat 100 \x)))}) (range 100)))`,
			"--workers", "100", "--output", "none")
		c.resize(24)
		c.wants("answer? ")
		c.keys("yes\r")
		c.wants("the run waits for 100 settlements")
		for i := range 3 {
			c.wants(fmt.Sprintf("%d of 100: ", i+1))
			c.wants("approve? ")
			c.keys("n\r")
		}
		c.wants("approve? ")
		c.keys("a\r")
		c.wants("approve all 97 of them? ")
		c.keys("y\r")
		c.ends(exitOK)
		if out := c.output(); strings.ContainsAny(out, "\x1b\u009b") {
			t.Errorf("a program has reached the terminal: %q", out)
		}
		for line := range strings.Lines(c.output()) {
			if line = strings.TrimRight(line, "\r\n"); strings.HasPrefix(line, "  |") && len([]rune(line)) > 23 {
				t.Errorf("the terminal has wrapped %q", line)
			}
		}
	})
}

// TestAskLeave ends runs that wait, in each way.
func TestAskLeave(t *testing.T) {
	t.Parallel() // it mostly waits
	const writes = `(pmap #(tool/fs.write {:path (str "out/" %) :text "a"}) (range 2))`
	for name, key := range map[string]string{"Ctrl-C": ctrlC, "Ctrl-D": ctrlD} {
		t.Run(name, func(t *testing.T) {
			c := asking(t, writes)
			c.wants("approve? ")
			c.keys("y\r")
			c.wants("approve? ")
			c.keys(key)
			c.wants("error[cancelled]")
			c.wants("the run was cancelled while it waited for 2 settlements")
			c.wants("hint: with --journal FILE")
			c.ends(exitInterrupted)
			c = asking(t, writes, "--journal", "it's a journal")
			c.wants("approve? ")
			c.keys(key)
			c.wants("error[parked]")
			c.wants(`the run can be continued: ptc resume --approve '0.1.0#1,0.1.1#1' 'it'\''s a journal'`)
			c.ends(exitWaiting)
			c = openIn(t, c.cmd.Dir, nil, self(t), c.cmd.Env, "resume", "it's a journal")
			c.wants("approve? ") // a resumed run asks, too
			c.keys("a\r")
			c.wants("[y/n] ")
			c.keys("y\r")
			c.ends(exitOK)
		})
	}
	t.Run("q", func(t *testing.T) {
		c := asking(t, writes+` (tool/fs.write {:path "out/c" :text "c"})`, "--journal", "j")
		c.wants("approve? ")
		c.keys("y\r")
		c.wants("approve? ")
		c.keys("q\r")
		c.wants("0.1.1#1  approval")
		c.wants("ptc resume --approve '0.1.1#1' j")
		c.ends(exitWaiting)
		if _, err := os.Stat(filepath.Join(c.cmd.Dir, "out", "0")); err != nil {
			t.Error("what was approved before is done:", err)
		}
	})
	t.Run("an interrupt after the question", func(t *testing.T) {
		c := asking(t, `(ask {:question "Go?"}) (println "going") (loop [] (recur))`)
		c.wants("answer? ")
		c.keys("yes\r")
		c.wants("\r\ngoing\r\n")
		c.keys(ctrlC)
		c.wants("error[cancelled]")
		c.ends(exitInterrupted)
	})
}

// TestAskRepl answers in a session, by its line editor and on a dumb terminal.
func TestAskRepl(t *testing.T) {
	t.Parallel() // it mostly waits
	for _, term := range []string{"xterm", "dumb"} {
		t.Run(term, func(t *testing.T) {
			dir := t.TempDir()
			writeFiles(t, dir, map[string]string{"out/x": ""})
			c := openIn(t, dir, nil, self(t), []string{"TERM=" + term, "NO_COLOR=1"}, "repl", "--allow-fs", "out", "--approval",
				"fs.write")
			c.wants("user=> ")
			c.keys(`(do (print "hi") (ask {:question "Which?" :options ["red" "blue"]}))` + "\r")
			c.wants("the run waits for 1 settlement")
			c.wants("answer? ")
			c.keys("blu" + tab + "\r")
			c.wants("want one of")
			c.wants("answer? ")
			c.keys("2\r")
			c.wants("\"blue\"\r\n")
			c.wants("user=> ")
			for _, key := range []string{ctrlC, "q\r"} {
				c.keys(`(tool/fs.write {:path "out/a" :text "a"})` + "\r")
				c.wants("approve? ")
				c.keys(key)
				c.wants("error[") // on a dumb terminal an interrupt may cancel the evaluation first
				c.wants("user=> ")
			}
			c.keys(`(tool/fs.write {:path "out/a" :text "a"})` + "\r")
			c.wants("approve? ")
			c.keys("y\r")
			c.wants("user=> ")
			c.keys(`(count (tool/fs.list "out"))` + "\r")
			c.wants("\r\n2\r\n")
			c.wants("user=> ")
			c.keys(ctrlD)
			c.ends(exitOK)
		})
	}
}
