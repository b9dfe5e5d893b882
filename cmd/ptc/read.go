// This file defines how files and the standard input are read.

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/ptc-lang/ptc/cmd/ptc/internal/files"
)

// limitError is the error of what a limit refuses, for exitLimit.
type limitError struct{ text string }

func (e limitError) Error() string { return e.text }

// await gives what f gives, or the error of ctx if that ends first. Then f goes on
// until the process ends, which is soon: f blocks in a system call, or compiles.
func await[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type outcome struct {
		val T
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		val, err := f()
		done <- outcome{val, err}
	}()
	select {
	case o := <-done:
		return o.val, o.err
	case <-ctx.Done():
		return *new(T), ctx.Err()
	}
}

// readInput reads a file, or the standard input for "-", up to most bytes: the error for more
// is a limitError.
func readInput(ctx context.Context, name string, s streams, most int64) ([]byte, error) {
	return await(ctx, func() (text []byte, err error) {
		var whole bool
		if name == "-" {
			text, whole, err = files.Limited(s.in, most)
		} else {
			text, whole, err = files.Read(name, most)
		}
		if err == nil && !whole {
			err = limitError{fmt.Sprintf("%s: more than %s", name, sizeText(most))}
		}
		return text, err
	})
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
	if errors.As(err, new(limitError)) {
		err = fmt.Errorf("%w, which is no program", err)
	}
	if errors.Is(err, fs.ErrNotExist) {
		if _, missing := os.Stat(name + ".ptc"); missing == nil {
			err = fmt.Errorf("%w; there is %s.ptc", err, name)
		} else if strings.HasPrefix(name, "(") {
			err = fmt.Errorf("%w; an expression stands behind -e", err)
		}
	}
	return string(text), err
}
