// This file defines the processes of servers that are commands.

package mcp

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ptc-lang/ptc/tools/internal/process"
)

// The bounds of a process.
const (
	// endWait is the time that a server has to end on its own after its standard input was closed.
	endWait = 2 * time.Second
	// reapDelay is how long a process that it has started may hold its standard error open after that.
	reapDelay = time.Second
	// writeWait is the time after which a server that does not read a message is given up.
	writeWait = 10 * time.Second
)

// child is the process of a server. It is a sdk.Transport.
type child struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.ReadCloser
	stderr *stderrLog

	stop  sync.Once
	end   chan struct{} // closed to end it
	ended chan struct{} // closed when it has ended
}

// start starts the process of a server.
func (s *server) start() (*child, error) {
	path, err := exec.LookPath(s.Command)
	if err != nil {
		return nil, fmt.Errorf("there is no program %q: %w", s.Command, err)
	}
	c := &child{cmd: exec.Command(path, s.Args...), stderr: s.newStderrLog(), end: make(chan struct{}),
		ended: make(chan struct{})}
	c.cmd.Dir, c.cmd.Env, c.cmd.Stderr, c.cmd.WaitDelay = s.Dir, s.environ(), c.stderr, reapDelay
	process.OwnGroup(c.cmd)
	process.DieWithParent(c.cmd)
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if c.out, err = c.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	started := make(chan error)
	go c.live(started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("%s does not start: %w", s.Command, err)
	}
	return c, nil
}

// environ returns the environment of the process: nothing of the host's but where programs and files are.
func (s *server) environ() []string {
	var env []string
	for _, name := range []string{"PATH", "HOME"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	for name, value := range s.Env {
		env = append(env, name+"="+value)
	}
	return env
}

// live starts the process and waits for its end. The thread that has started it ends after it, see
// process.DieWithParent.
func (c *child) live(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	process.KeepDescriptors()
	err := c.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	defer close(c.ended)
	<-c.end
	c.in.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = c.cmd.Wait() // however it ends
	}()
	select {
	case <-done:
	case <-time.After(endWait):
	}
	_ = process.KillGroup(c.cmd) // it, and its child processes
	<-done
}

// Connect implements sdk.Transport.
func (c *child) Connect(ctx context.Context) (sdk.Connection, error) {
	return (&sdk.IOTransport{Reader: newChildOutput(c), Writer: childInput{c}}).Connect(ctx)
}

// close ends the process, and returns when it has ended.
func (c *child) close() {
	c.stop.Do(func() { close(c.end) })
	<-c.ended
}

// childInput is the standard input of a process. A process that does not read it is given up.
type childInput struct{ c *child }

func (w childInput) Write(p []byte) (int, error) {
	if d, ok := w.c.in.(interface{ SetWriteDeadline(time.Time) error }); ok {
		_ = d.SetWriteDeadline(time.Now().Add(writeWait)) // if it has none, the call has
	}
	return w.c.in.Write(p)
}

func (w childInput) Close() error {
	w.c.close()
	return nil
}

// The bounds of the kept standard error of a process.
const (
	maxLine  = 500
	maxLines = 1000 // that are logged
	maxTail  = 5    // lines that an error shows
)

// stderrLog logs the lines that a process writes to its standard error.
type stderrLog struct {
	log func(line string)

	mu    sync.Mutex
	line  []byte
	tail  []string
	lines int
}

func (s *server) newStderrLog() *stderrLog {
	return &stderrLog{log: func(line string) { s.log.Info("mcp server", "server", s.Name, "stderr", s.clean(line)) }}
}

// Write implements io.Writer. It takes everything, so that the process never waits.
func (l *stderrLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range p {
		if c == '\n' {
			l.flush()
		} else if len(l.line) < maxLine {
			l.line = append(l.line, c)
		}
	}
	return len(p), nil
}

func (l *stderrLog) flush() {
	line := printable(string(l.line), maxLine)
	l.line = l.line[:0]
	if strings.TrimSpace(line) == "" {
		return
	}
	if l.tail = append(l.tail, line); len(l.tail) > maxTail {
		l.tail = l.tail[1:]
	}
	l.lines++
	switch {
	case l.lines == maxLines:
		l.log("further lines are dropped")
	case l.lines < maxLines:
		l.log(line)
	}
}

// last returns the last lines.
func (l *stderrLog) last() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.line) > 0 {
		l.flush()
	}
	return strings.Join(l.tail, "; ")
}
