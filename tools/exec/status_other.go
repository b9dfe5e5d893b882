//go:build !unix

// This file defines the exit status of a process where there are no signals.

package exec

import "os"

func status(s *os.ProcessState) int { return s.ExitCode() }
