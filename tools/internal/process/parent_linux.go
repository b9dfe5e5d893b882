package process

import (
	"os/exec"
	"syscall"
)

// DieWithParent has the system kill the program when the thread that starts it ends, so that it does not outlive this
// process however that ends. The caller has to start the command on a locked thread, and keep that until the command
// has ended. Programs that it has started are not killed.
func DieWithParent(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
}
