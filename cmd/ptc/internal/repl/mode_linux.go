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

// DropTyped drops what was typed on a terminal and not read, so that it answers no question that came later.
func DropTyped(terminal *os.File) { unix.IoctlSetInt(int(terminal.Fd()), unix.TCFLSH, unix.TCIFLUSH) }
