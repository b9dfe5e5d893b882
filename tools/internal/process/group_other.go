//go:build !unix

// This file replaces process groups on systems without them: it kills the program, but not the processes
// that it has started.

package process

import "os/exec"

// OwnGroup does nothing.
func OwnGroup(*exec.Cmd) {}

// KillGroup kills the process of a command that was started.
func KillGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }

// KeepDescriptors does nothing: Go hands on no handles but those of the call.
func KeepDescriptors() {}

// DieWithParent does nothing.
func DieWithParent(*exec.Cmd) {}
