//go:build linux || darwin

package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chzyer/readline"
	"github.com/creack/pty"
)

// console is the program on a terminal, as a person has it.
type console struct {
	*testing.T
	tty    *os.File // where a person types and reads
	screen *os.File // the end of the program
	cmd    *exec.Cmd
	modes  *readline.State // of the terminal before the program

	mu   sync.Mutex
	text strings.Builder // all that was written
	more chan struct{}   // something was written
	seen int             // the part of text that was searched already
}

// hangGuard is how long a test waits for what does not come.
const hangGuard = 2 * time.Minute

// open starts the program on a terminal of 80 columns.
func open(t *testing.T, bin string, env []string, args ...string) *console {
	t.Helper()
	return openIn(t, "", nil, bin, env, args...)
}

// openIn starts the program in a folder. Standard output is a file if that is not nil.
func openIn(t *testing.T, dir string, stdout *os.File, bin string, env []string, args ...string) *console {
	t.Helper()
	tty, screen, err := pty.Open()
	if err != nil {
		t.Skipf("there is no terminal to test on: %v", err)
	}
	c := &console{T: t, tty: tty, screen: screen, more: make(chan struct{}, 1)}
	c.resize(80)
	c.modes, err = readline.GetState(int(screen.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	c.cmd = exec.Command(bin, args...)
	c.cmd.Env = append([]string{"TERM=xterm", "HOME=" + t.TempDir(), "XDG_STATE_HOME=" + t.TempDir()}, env...)
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = screen, screen, screen
	if c.cmd.Dir = dir; stdout != nil {
		c.cmd.Stdout = stdout
	}
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		c.read()
	}()
	t.Cleanup(func() {
		c.cmd.Process.Kill() // if it has not ended
		screen.Close()
		tty.Close()
		<-read
	})
	return c
}

func (c *console) read() {
	buf := make([]byte, 4096)
	for {
		n, err := c.tty.Read(buf)
		if err != nil {
			return
		}
		c.mu.Lock()
		c.text.Write(buf[:n])
		c.mu.Unlock()
		select {
		case c.more <- struct{}{}:
		default:
		}
	}
}

func (c *console) resize(columns uint16) {
	if err := pty.Setsize(c.screen, &pty.Winsize{Rows: 24, Cols: columns}); err != nil {
		c.Fatal(err)
	}
}

// keys types.
func (c *console) keys(text string) {
	c.Helper()
	if _, err := io.WriteString(c.tty, text); err != nil {
		c.Fatal(err)
	}
}

// wants waits until a text is on the screen, after the previous one.
func (c *console) wants(text string) {
	c.Helper()
	guard := time.After(hangGuard)
	for {
		c.mu.Lock()
		all := c.text.String()
		c.mu.Unlock()
		if at := strings.Index(all[c.seen:], text); at >= 0 {
			c.seen += at + len(text)
			return
		}
		select {
		case <-c.more:
		case <-guard:
			c.Fatalf("%q does not come; there is %q", text, all[c.seen:])
		}
	}
}

// enters types a line, and waits for its output and the next prompt.
func (c *console) enters(line, want string) {
	c.Helper()
	c.keys(line + "\r")
	c.wants("\r\n" + want + "\r\n")
	c.wants("user=> ")
}

// ends waits for the end of the program, and for the terminal to be as it was.
func (c *console) ends(code int) {
	c.Helper()
	guard := time.AfterFunc(hangGuard, func() { c.cmd.Process.Kill() })
	defer guard.Stop()
	c.cmd.Wait()
	if got := c.cmd.ProcessState.ExitCode(); got != code {
		c.Errorf("the exit code is %d, want %d", got, code)
	}
	if modes, err := readline.GetState(int(c.screen.Fd())); err != nil || !reflect.DeepEqual(modes, c.modes) {
		c.Errorf("the modes of the terminal are left as %+v, %v, were %+v", modes, err, c.modes)
	}
}

// output returns all that the program has written.
func (c *console) output() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.String()
}

// The keys.
const (
	left, right, up = "\x1b[D", "\x1b[C", "\x1b[A"
	home, end       = "\x1b[1~", "\x1b[4~"
	del, tab        = "\x1b[3~", "\t"
	ctrlA, ctrlC    = "\x01", "\x03"
	ctrlD, ctrlR    = "\x04", "\x12"
)

func TestTerminal(t *testing.T) {
	t.Parallel() // it mostly waits
	bin := self(t)
	start := func(t *testing.T, env []string, args ...string) *console {
		c := open(t, bin, env, append([]string{"repl"}, args...)...)
		c.wants("user=> ")
		return c
	}
	t.Run("editing", func(t *testing.T) {
		c := start(t, nil)
		c.enters("(+ 1 22)"+left+left+"\x7f"+"3"+end, "33") // (+ 1 32)
		c.enters("+ 1 2)"+ctrlA+"(", "3")
		c.enters("x(+ 1 2)"+home+del, "3")
		c.enters("(+ 1 2"+right+right+del+")", "3")
		c.enters("(defn f [x]\r(* 2\rx))", "#'user/f")
		c.enters("(f 4)", "8")
		c.enters(up+left+"1", "82") // (f 41)
		c.keys(del)                 // on an empty line, where it must not end the session
		c.enters("7", "7")
		c.keys(ctrlD)
		c.ends(exitOK)
	})
	t.Run("unicode", func(t *testing.T) {
		c := start(t, nil)
		c.enters(`"日本語e`+"\u0301"+`"`+strings.Repeat(left, 4)+"ä", `"日本ä語e`+"\u0301"+`"`)
		c.enters(`(count "😀日")`, "2")
	})
	t.Run("completion", func(t *testing.T) {
		c := start(t, nil, "--data", write(t, "data.json", `{"orders": [{"quantity": 3}]}`))
		c.enters("(count data/o"+tab+")", "1")
		c.enters("(:quan"+tab+" (first data/orders))", "3")
		c.keys("(redu" + tab + tab)
		c.wants("reduce-kv")
		c.wants("reductions")
		c.keys(ctrlC + ctrlC)
		c.wants("^C\r\n")
		c.enters(":apr"+tab+" mapv", "mapv")
	})
	t.Run("interrupt", func(t *testing.T) {
		c := start(t, nil)
		c.enters("(def x 1)", "#'user/x")
		for range 3 {
			c.keys(`(do (def x 2) (println "running") (loop [] (recur)))` + "\r")
			c.wants("\r\nrunning\r\n")
			c.keys(ctrlC)
			c.wants("cancelled")
			c.wants("user=> ")
			c.enters("x", "1")
		}
		c.keys("(+ 1" + ctrlC) // at the prompt
		c.wants("^C\r\n")
		c.keys("(+ 1\r")
		c.wants("#_=> ")
		c.keys(ctrlC)
		c.wants("^C\r\n")
		c.enters("(+ 2 3)", "5")
		c.keys(ctrlD)
		c.ends(exitOK)
	})
	t.Run("resize", func(t *testing.T) {
		c := start(t, nil)
		c.resize(30)
		c.enters("(range 20)", "(0 1 2 3 4 5 6 7 8 9 10 11 12\r\n 13 14 15 16 17 18 19)")
		c.resize(80)
		c.enters("(range 20)", "(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19)")
		c.resize(30)
		c.enters("(str \"a line that is longer than the screen is wide\""+left+left+left+"XY"+end+" 1)", `"a line that is longer than the screen is wiXYde1"`)
	})
	for _, marked := range []bool{true, false} {
		t.Run(fmt.Sprintf("paste, marked %t", marked), func(t *testing.T) { paste(start(t, nil), marked) })
	}
	t.Run("keys in a paste", func(t *testing.T) {
		c := start(t, nil)
		c.keys("\x1b[200~(+ \x03 1\x04 2 \x1a\x1b\x12\x7f)\x1b\x1b[201~\r")
		c.wants("\r\n3\r\n")
		c.enters("(+ 2 3)", "5")
	})
	t.Run("search without a history", func(t *testing.T) {
		c := start(t, nil)
		c.keys(ctrlR + "x" + ctrlC)
		c.wants("bck-i-search: ")
		c.enters("7", "7")
	})
	t.Run("history", func(t *testing.T) {
		state := []string{"XDG_STATE_HOME=" + t.TempDir()}
		c := start(t, state)
		c.enters("(def x\r5)", "#'user/x")
		c.keys(":quit\r")
		c.ends(exitOK)
		c = start(t, state)
		c.enters(up+up, "#'user/x")
		c.enters(ctrlR+"def x"+"\x05", "#'user/x")
	})
	t.Run("a history that can't be kept", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		c := open(t, bin, []string{"XDG_STATE_HOME=" + file}, "repl")
		c.wants("the history is not saved: ")
		c.wants("user=> ")
		c.enters("7", "7")
	})
	t.Run("colour", func(t *testing.T) {
		c := start(t, nil)
		c.wants("\x1b[0m")
		c = start(t, []string{"NO_COLOR=1"})
		c.enters("7", "7")
		if strings.Contains(c.output(), "m") && strings.Contains(c.output(), "\x1b[1;34m") {
			t.Errorf("colours in spite of NO_COLOR: %q", c.output())
		}
	})
	t.Run("a dumb terminal", func(t *testing.T) {
		c := start(t, []string{"TERM=dumb"})
		c.keys("(+ 1 2)\r")
		c.wants("\r\n3\r\nuser=> ")
		c.keys("(loop [] (recur))\r")
		c.keys(ctrlC)
		c.wants("user=> ") // it may have come before the loop
		c.keys(ctrlD)
		c.ends(exitOK)
		if strings.Contains(c.output(), "\x1b") {
			t.Errorf("there are escapes: %q", c.output())
		}
	})
	t.Run("the end of the process", func(t *testing.T) {
		c := start(t, nil)
		c.enters("7", "7")
		if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		c.ends(exitInterrupted)
	})
	t.Run("progress", func(t *testing.T) {
		c := open(t, bin, nil, "run", "--progress", "-e", `(println "begin") (pmap (fn [_] (loop [] (recur))) (range 9))`)
		c.wants("begin\r\n")
		c.wants("\r\x1b[K0 elements done, ")
		c.wants(" workers, 0 calls, ")
		c.keys(ctrlC)
		c.wants("\r\x1b[K\x1b[1;31merror[cancelled]")
		c.ends(exitInterrupted)
	})
}

// paste pastes 200 lines, with or without the marks that a terminal writes around pasted text.
func paste(c *console, marked bool) {
	var text strings.Builder
	for i := range 66 {
		indent := "  "
		if marked {
			indent = "\t"
		}
		fmt.Fprintf(&text, "(defn f%d [x]\r%s; a comment (\r%s(+ x %d))\r", i, indent, indent, i)
	}
	text.WriteString("(+ (f0 1)\r   (f65 1))\r")
	if marked {
		c.keys("\x1b[200~" + text.String() + "\x1b[201~")
	} else {
		c.keys(text.String())
	}
	c.wants("#'user/f0\r\n")
	c.wants("#'user/f65\r\n")
	c.wants("\r\n67\r\n")
	if n := strings.Count(c.output(), "#'user/f"); n != 66 {
		c.Errorf("%d of 66 functions are defined", n)
	}
	c.enters("(f1 1)", "2")
}
