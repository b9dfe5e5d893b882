// This file defines processes that are started one beside the other.

package ptcdtest

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Process is a process of ptcd whose start is not waited for.
type Process struct {
	t     testing.TB
	cmd   *exec.Cmd
	mu    sync.Mutex    // of log
	log   bytes.Buffer  // whole when read is closed
	url   string        // known when ready is closed
	ready chan struct{} // closed when it listens, or has ended
	read  chan struct{}
}

// Launch starts a process. command is the program with its arguments, and env is added to its environment. The process
// is killed at the end of the test.
func Launch(t testing.TB, command, env []string) *Process {
	t.Helper()
	p := &Process{t: t, ready: make(chan struct{}), read: make(chan struct{})}
	p.cmd = exec.Command(command[0], command[1:]...)
	p.cmd.Env = append(os.Environ(), env...)
	errs, err := p.cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, p.cmd.Start())
	go p.follow(errs)
	t.Cleanup(p.Kill)
	return p
}

// follow reads the output of the process.
func (p *Process) follow(errs io.Reader) {
	defer close(p.read)
	lines := bufio.NewReader(errs)
	for {
		line, err := lines.ReadString('\n')
		p.mu.Lock()
		p.log.WriteString(line)
		p.mu.Unlock()
		if url, ok := strings.CutPrefix(line, "listening on "); ok && p.url == "" {
			p.url = strings.TrimSpace(url)
			close(p.ready)
		}
		if err != nil {
			if p.url == "" {
				close(p.ready)
			}
			return
		}
	}
}

// Ready waits until the process listens, and returns its URL.
func (p *Process) Ready() string {
	p.t.Helper()
	<-p.ready
	if p.url == "" {
		<-p.read
		require.FailNow(p.t, "the process has ended before it was ready", "%s", p.Log())
	}
	return p.url
}

// Listens returns a channel that is closed when the process listens, or has ended.
func (p *Process) Listens() <-chan struct{} { return p.ready }

// URL returns the URL of a process that listens, "" if it has ended before.
func (p *Process) URL() string {
	<-p.ready
	return p.url
}

// Runs reports whether the process is still running.
func (p *Process) Runs() bool {
	select {
	case <-p.read:
		return false
	default:
		return true
	}
}

// Log returns the output of the process so far.
func (p *Process) Log() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.String()
}

// Ended waits until the process has ended.
func (p *Process) Ended() {
	<-p.read
	p.cmd.Wait()
}

// End ends the process with a signal, and returns its exit code.
func (p *Process) End(with syscall.Signal) int {
	p.t.Helper()
	require.NoError(p.t, p.cmd.Process.Signal(with))
	<-p.read
	p.cmd.Wait()
	return p.cmd.ProcessState.ExitCode()
}

// Pid returns the number of the process.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Signal sends a signal to the process.
func (p *Process) Signal(s os.Signal) error { return p.cmd.Process.Signal(s) }

// Kill ends the process as kill -9 does.
func (p *Process) Kill() {
	p.cmd.Process.Kill()
	<-p.read
	p.cmd.Wait()
}
