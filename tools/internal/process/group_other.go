//go:build !unix

// This file defines what stands for process groups where there are none: the program is
// killed, and what it has started is not.

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
