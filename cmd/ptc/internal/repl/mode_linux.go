package repl

import (
	"os"

	"golang.org/x/sys/unix"
)

// The requests for the modes of a terminal.
const (
	getTermios = unix.TCGETS
	setTermios = unix.TCSETS
)

// DropTyped drops unread input of a terminal, so that it does not answer a later question.
func DropTyped(terminal *os.File) { unix.IoctlSetInt(int(terminal.Fd()), unix.TCFLSH, unix.TCIFLUSH) }
