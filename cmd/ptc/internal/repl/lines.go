// This file defines the Editor of pipes and of terminals that can't move the cursor.

package repl

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
)

// maxLine bounds a line. The limit on source bytes is far below it.
const maxLine = 64 << 20

// Lines is an Editor of lines as they come.
type Lines struct {
	prompts    io.Writer
	interrupts <-chan os.Signal
	scan       *bufio.Scanner
	next       chan readLine
	reading    bool // next will get a line
}

type readLine struct {
	text string
	err  error
}

// NewLines reads lines from in. Prompts are written to a writer, if that is not nil.
func NewLines(in io.Reader, prompts io.Writer, interrupts <-chan os.Signal) *Lines {
	scan := bufio.NewScanner(in)
	scan.Buffer(nil, maxLine)
	return &Lines{prompts, interrupts, scan, make(chan readLine, 1), false}
}

// read reads a line. A read can't be stopped: after an interrupt it continues, for the next ReadLine.
func (l *Lines) read() {
	if l.scan.Scan() {
		l.next <- readLine{l.scan.Text(), nil}
		return
	}
	err := l.scan.Err()
	switch {
	case err == nil:
		err = io.EOF
	case errors.Is(err, bufio.ErrTooLong):
		err = errors.New("a line of the input has more than 64 MB")
	}
	l.next <- readLine{"", err}
}

// ReadLine implements Editor.
func (l *Lines) ReadLine(ctx context.Context, prompt, _ string) (string, error) {
	if l.prompts != nil {
		io.WriteString(l.prompts, prompt)
	}
	if !l.reading {
		l.reading = true
		go l.read()
	}
	select {
	case line := <-l.next:
		l.reading = false
		if l.prompts != nil && errors.Is(line.err, io.EOF) {
			io.WriteString(l.prompts, "\n")
		}
		return line.text, line.err
	case <-l.interrupts:
		if l.prompts != nil {
			io.WriteString(l.prompts, "\n")
		}
		return "", ErrInterrupted
	case <-ctx.Done():
		return "", io.EOF
	}
}

// Remember implements Editor.
func (l *Lines) Remember(string) {}

// Complete implements Editor.
func (l *Lines) Complete(func(string) (string, []string)) {}
