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
	lines      <-chan readLine
}

type readLine struct {
	text string
	err  error
}

// NewLines reads lines from in. Prompts are written to a writer, if that is not nil. The
// goroutine that reads stays until the input ends, since a read can't be stopped.
func NewLines(in io.Reader, prompts io.Writer, interrupts <-chan os.Signal) *Lines {
	lines := make(chan readLine)
	go func() {
		scan := bufio.NewScanner(in)
		scan.Buffer(nil, maxLine)
		for scan.Scan() {
			lines <- readLine{scan.Text(), nil}
		}
		err := scan.Err()
		if err == nil {
			err = io.EOF
		} else if errors.Is(err, bufio.ErrTooLong) {
			err = errors.New("a line of the input has more than 64 MB")
		}
		lines <- readLine{"", err}
	}()
	return &Lines{prompts, interrupts, lines}
}

// ReadLine implements Editor.
func (l *Lines) ReadLine(ctx context.Context, prompt, _ string) (string, error) {
	if l.prompts != nil {
		io.WriteString(l.prompts, prompt)
	}
	select {
	case line := <-l.lines:
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
