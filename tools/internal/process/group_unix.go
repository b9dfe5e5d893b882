//go:build unix

// This file defines process groups, which are Unix's.

package process

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// OwnGroup makes a command start in its own process group.
func OwnGroup(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
}

// KillGroup kills the processes of the group of a command that was started, if there are any: a program may
// have started others, which outlive it. The error is os.ErrProcessDone if there are none.
func KillGroup(cmd *exec.Cmd) error {
	err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}
