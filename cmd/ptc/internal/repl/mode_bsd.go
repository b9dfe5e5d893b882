//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package repl

import (
	"os"

	"golang.org/x/sys/unix"
)

// The requests for the modes of a terminal.
const (
	getTermios = unix.TIOCGETA
	setTermios = unix.TIOCSETA
)

// reading is FREAD of <sys/fcntl.h>.
const reading = 1

// DropTyped drops what was typed on a terminal and not read, so that it answers no question that came later.
func DropTyped(terminal *os.File) {
	unix.IoctlSetPointerInt(int(terminal.Fd()), unix.TIOCFLUSH, reading)
}
