//go:build unix

// This file defines what is Unix's of a process: its group, and the signal that ended it.

package exec

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup starts a command in a process group of its own, and has the group killed when
// its context ends: a program may have started others.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		if err == syscall.ESRCH {
			return os.ErrProcessDone
		}
		return err
	}
}

// status returns the exit status as a shell does.
func status(s *os.ProcessState) int {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return s.ExitCode()
}
