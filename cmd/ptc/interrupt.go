// This file defines how signals end a command.

package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// handleAfter is how long a command runs before it handles signals. Handling them
// takes threads of its own, a tenth of the processor time of `ptc run -e 1`.
const handleAfter = 2 * time.Millisecond

// interrupts ends a context when the process is asked to end. Until a command has
// run for handleAfter, reads standard input or prints, the system ends it.
type interrupts struct {
	end     context.CancelFunc
	handled sync.Once
}

func newInterrupts() (context.Context, *interrupts) {
	ctx, end := context.WithCancel(context.Background())
	i := &interrupts{end: end}
	time.AfterFunc(handleAfter, i.handle)
	return ctx, i
}

// handle begins to handle signals. A second one ends the process at once.
func (i *interrupts) handle() {
	i.handled.Do(func() {
		signals, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		context.AfterFunc(signals, func() {
			stop()
			i.end()
		})
	})
}

// take returns the interrupts that come from here on to a command, which they do not end.
// Other signals still do.
func (i *interrupts) take() <-chan os.Signal {
	i.handle() // which would otherwise take them later
	signal.Reset(os.Interrupt)
	taken := make(chan os.Signal, 1)
	signal.Notify(taken, os.Interrupt)
	return taken
}

// input is standard input of a command that handles signals while it waits.
type input struct {
	io.Reader
	interrupts *interrupts
}

func (in input) Read(p []byte) (int, error) {
	in.interrupts.handle()
	return in.Reader.Read(p)
}
