// This file defines how files and standard input are read.

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/cmd/internal/files"
	"github.com/ptc-lang/ptc/cmd/internal/flags"
	"github.com/ptc-lang/ptc/lang/diag"
)

// limitError is the error of an input that a limit refuses, for exitLimit.
type limitError struct{ text string }

func (e limitError) Error() string { return e.text }

// tooLarge is the error of a file that is too large for its kind.
type tooLarge struct{ text string }

func (e tooLarge) Error() string { return e.text }

// readInput reads a file, or standard input for "-", up to most bytes: the error for more
// is tooLarge.
func readInput(ctx context.Context, name string, s streams, most int64) ([]byte, error) {
	return files.Await(ctx, func() (text []byte, err error) {
		var whole bool
		if name == "-" {
			text, whole, err = files.Limited(s.in, most)
		} else {
			text, whole, err = files.Read(name, most)
		}
		if err == nil && !whole {
			err = tooLarge{fmt.Sprintf("%s: more than %s", name, flags.SizeText(most))}
		}
		return text, err
	})
}

// reading is a file that a command reads, and its purpose.
type reading struct{ what, file string }

// onceFromInput returns an error if two of the files are standard input: the second one would be
// found empty, and an empty policy is one that forbids nothing.
func onceFromInput(files ...reading) error {
	first := ""
	for _, f := range files {
		switch {
		case f.file != "-":
		case first != "":
			return fmt.Errorf("%s and %s can't both come from standard input", first, f.what)
		default:
			first = f.what
		}
	}
	return nil
}

// maxSource is how much is read as a program. The limit on source bytes is far
// below it; the compiler reports that, with the number of bytes.
const maxSource = 64 << 20

// readSource reads a program.
func readSource(ctx context.Context, name string, s streams) (string, error) {
	if name == "" {
		return "", errors.New("the name of the program is empty")
	}
	text, err := readInput(ctx, name, s, maxSource)
	if errors.As(err, new(tooLarge)) { // as the compiler says it of one that is read
		return "", &ptc.Error{Code: diag.SourceTooLarge, Message: err.Error() + ", too large for a program"}
	}
	if errors.Is(err, fs.ErrNotExist) {
		if _, missing := os.Stat(name + ".ptc"); missing == nil {
			err = fmt.Errorf("%w; there is %s.ptc", err, name)
		} else if strings.HasPrefix(name, "(") {
			err = fmt.Errorf("%w; use -e to run an expression", err)
		}
	}
	return string(text), err
}
