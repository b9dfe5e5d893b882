//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

// This file defines the modes of the terminal.

package repl

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// mode sets the modes of the terminal that the process reads from. In all of them echo and line buffering
// are off while the session lasts, so that input which is typed or pasted while a form runs is neither lost
// nor shown twice.
type mode struct {
	fd     int
	before unix.Termios
}

func newMode() (*mode, error) {
	fd := int(os.Stdin.Fd())
	before, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return nil, err
	}
	return &mode{fd, *before}, nil
}

// edit sets the mode in which a line is edited: each key arrives unprocessed.
func (m *mode) edit() error { return m.set(0) }

// run is the mode in which a form runs: Ctrl-C is a signal.
func (m *mode) run() error { return m.set(unix.ISIG) }

func (m *mode) set(signals uint32) error {
	now := m.before
	now.Iflag &^= unix.IGNBRK | unix.BRKINT | unix.PARMRK | unix.ISTRIP | unix.INLCR | unix.IGNCR | unix.ICRNL | unix.IXON
	now.Lflag &^= unix.ECHO | unix.ECHONL | unix.ICANON | unix.ISIG | unix.IEXTEN
	now.Cflag = now.Cflag&^(unix.CSIZE|unix.PARENB) | unix.CS8
	now.Cc[unix.VMIN], now.Cc[unix.VTIME] = 1, 0
	if signals != 0 {
		now.Lflag |= unix.ISIG
	}
	return unix.IoctlSetTermios(m.fd, setTermios, &now)
}

// restore restores the mode of the terminal.
func (m *mode) restore() error { return unix.IoctlSetTermios(m.fd, setTermios, &m.before) }

// suspend stops the process, as Ctrl-Z does, until it is continued.
func (m *mode) suspend() {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	m.restore()
	if syscall.Kill(0, syscall.SIGTSTP) == nil { // with its child processes
		select {
		case <-continued:
		case <-time.After(time.Second): // nobody could continue the process, so the system has not stopped it
		}
	}
	m.edit()
}
