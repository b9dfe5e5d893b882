//go:build unix

// This file defines the exit status of a process of Unix, which a signal may have ended.

package exec

import (
	"os"
	"syscall"
)

// status returns the exit status as a shell does.
func status(s *os.ProcessState) int {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return s.ExitCode()
}
