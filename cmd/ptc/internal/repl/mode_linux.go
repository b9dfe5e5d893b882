package repl

import "golang.org/x/sys/unix"

// The requests for the modes of a terminal.
const (
	getTermios = unix.TCGETS
	setTermios = unix.TCSETS
)
