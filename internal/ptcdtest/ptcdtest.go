// Package ptcdtest runs processes of ptcd for tests.
package ptcdtest

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/client"
)

// TokenFile is the file of the operator's token in the directory of a service.
const TokenFile = "operator.token"

// Service is a process of ptcd, or several of them on one directory, one after the other.
type Service struct {
	*client.Client // of an operator
	Dir            string
	URL            string
	Token          string        // of an operator
	Before         string        // the log of the last start up to the ready service
	Log            *bytes.Buffer // the rest, which is whole after Kill and Stop

	t       *testing.T
	command []string
	env     []string
	flags   []string
	cmd     *exec.Cmd
	read    chan struct{} // closed when the log was read to its end
}

// Start starts a process on a directory, and waits until it is ready. command is the program with its first arguments,
// and env is added to its environment. The process is killed at the end of the test.
func Start(t *testing.T, command, env []string, dir string, flags ...string) *Service {
	t.Helper()
	s := &Service{t: t, Dir: dir, command: command, env: env, flags: flags}
	s.Restart()
	t.Cleanup(s.Kill)
	return s
}

// Restart starts a process again that has ended. If the test names no address, it has another one.
func (s *Service) Restart() {
	s.t.Helper()
	s.Log, s.read = &bytes.Buffer{}, make(chan struct{})
	args := append(s.command[1:len(s.command):len(s.command)], "--dir", s.Dir, "--listen", "127.0.0.1:0")
	s.cmd = exec.Command(s.command[0], append(args, s.flags...)...)
	s.cmd.Env = append(os.Environ(), s.env...)
	errs, err := s.cmd.StderrPipe()
	require.NoError(s.t, err)
	require.NoError(s.t, s.cmd.Start())
	lines := bufio.NewReader(errs)
	line, err := lines.ReadString('\n')
	s.Before = ""
	for err == nil && !strings.HasPrefix(line, "listening on ") { // after the recovery of runs
		s.Before += line
		line, err = lines.ReadString('\n')
	}
	require.NoError(s.t, err, "the service has written nothing: %s", line)
	s.URL = strings.TrimSpace(strings.TrimPrefix(line, "listening on "))
	go func(log *bytes.Buffer, read chan struct{}) {
		io.Copy(log, lines)
		close(read)
	}(s.Log, s.read)
	text, err := os.ReadFile(filepath.Join(s.Dir, TokenFile))
	require.NoError(s.t, err)
	s.Token = strings.TrimSpace(string(text))
	s.Client, err = client.New(s.URL, client.Options{Token: s.Token})
	require.NoError(s.t, err)
}

// Pid returns the number of the process.
func (s *Service) Pid() int { return s.cmd.Process.Pid }

// Kill ends the process as kill -9 does.
func (s *Service) Kill() {
	s.cmd.Process.Kill()
	<-s.read
	s.cmd.Wait()
}

// Stop ends the process with SIGTERM, and returns its exit code.
func (s *Service) Stop() int {
	s.t.Helper()
	return s.End(syscall.SIGTERM)
}

// End ends the process with a signal, and returns its exit code.
func (s *Service) End(with syscall.Signal) int {
	s.t.Helper()
	require.NoError(s.t, s.cmd.Process.Signal(with))
	<-s.read
	s.cmd.Wait()
	return s.cmd.ProcessState.ExitCode()
}
