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

// DropTyped drops unread input of a terminal, so that it does not answer a later question.
func DropTyped(terminal *os.File) {
	unix.IoctlSetPointerInt(int(terminal.Fd()), unix.TIOCFLUSH, reading)
}
