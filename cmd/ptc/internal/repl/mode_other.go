//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

// This file defines the modes of the terminal where the line editor knows them best.

package repl

import (
	"os"

	"github.com/chzyer/readline"
)

// mode sets the modes of the terminal that the process reads from.
type mode struct{ raw *readline.State }

func newMode() (*mode, error) { return &mode{}, nil }

// edit sets the mode in which a line is edited: each key arrives unprocessed.
func (m *mode) edit() (err error) {
	m.raw, err = readline.MakeRaw(readline.GetStdin())
	return err
}

// run sets the mode in which a form runs: the mode before edit.
func (m *mode) run() error { return m.restore() }

// restore restores the mode of the terminal.
func (m *mode) restore() error {
	if m.raw == nil {
		return nil
	}
	return readline.Restore(readline.GetStdin(), m.raw)
}

// suspend does nothing, because nothing could continue the process.
func (m *mode) suspend() {}

// DropTyped does nothing: earlier input can't be distinguished from later input.
func DropTyped(*os.File) {}
