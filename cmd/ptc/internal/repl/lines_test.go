package repl

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
)

func TestLines(t *testing.T) {
	var prompts strings.Builder
	interrupts := make(chan os.Signal, 1)
	in, typed := io.Pipe()
	l := NewLines(in, &prompts, interrupts)
	read := func() (string, error) { return l.ReadLine(context.Background(), "> ", "  ") }

	interrupts <- os.Interrupt
	if _, err := read(); !errors.Is(err, ErrInterrupted) {
		t.Errorf("an interrupt: %v", err)
	}
	ended, end := context.WithCancel(context.Background())
	end()
	if _, err := l.ReadLine(ended, "> ", ""); !errors.Is(err, io.EOF) {
		t.Errorf("the end of the context: %v", err)
	}
	io.WriteString(typed, "one\n") // to the read that still waits
	if got, err := read(); got != "one" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	typed.Close()
	if _, err := read(); !errors.Is(err, io.EOF) {
		t.Errorf("the end: %v", err)
	}
	if got := prompts.String(); got != "> \n> > > \n" {
		t.Errorf("prompts: %q", got)
	}
}

func TestLinesTooLong(t *testing.T) {
	l := NewLines(strings.NewReader(strings.Repeat("x", maxLine+1)), nil, nil)
	if _, err := l.ReadLine(context.Background(), "", ""); err == nil || !strings.Contains(err.Error(), "more than 64 MB") {
		t.Errorf("got %v", err)
	}
}
