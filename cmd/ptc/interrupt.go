// This file defines how signals end a command.

package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// handleAfter is how long a command runs before it handles signals. Handling them takes additional threads,
// and a tenth of the processor time of `ptc run -e 1`.
const handleAfter = 2 * time.Millisecond

// interrupts ends a context when the process is asked to end. Until a command has
// run for handleAfter, reads standard input or prints, the system ends it.
type interrupts struct {
	end     context.CancelFunc
	handled sync.Once
	takes   atomic.Bool // interrupts go to taken, and end nothing
	taken   chan os.Signal
}

// doubled is the time in which a second signal is the first one again: timeout(1) signals the command and its group.
const doubled = 100 * time.Millisecond

func newInterrupts() (context.Context, *interrupts) {
	ctx, end := context.WithCancel(context.Background())
	i := &interrupts{end: end, taken: make(chan os.Signal, 1)}
	time.AfterFunc(handleAfter, i.handle)
	return ctx, i
}

// handle begins to handle signals. The first signal ends the context, and a later one ends the process immediately.
func (i *interrupts) handle() {
	i.handled.Do(func() {
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
		go i.follow(signals)
	})
}

func (i *interrupts) follow(signals chan os.Signal) {
	for s := range signals {
		if s != os.Interrupt || !i.takes.Load() {
			i.end()
			time.Sleep(doubled)
			signal.Stop(signals)
			return
		}
		select {
		case i.taken <- s:
		default: // one is there already
		}
	}
}

// take returns the interrupts that come until back is called; they do not end the command. Other signals still do. The
// channel is the same each time.
func (i *interrupts) take() (taken <-chan os.Signal, back func()) {
	i.handle() // which would otherwise begin later
	select {
	case <-i.taken: // one from before
	default:
	}
	i.takes.Store(true)
	return i.taken, func() { i.takes.Store(false) }
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
