// This file defines the line that shows how far parallel work is.

package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/cmd/ptc/internal/repl"
	"github.com/ptc-lang/ptc/lang/diag"
)

// The line appears when parallel work has lasted for a while, and is redrawn at this interval.
const (
	progressEvery = 100 * time.Millisecond
	progressAfter = 500 * time.Millisecond
)

// progress is a line at the bottom of the terminal that shows the progress of parallel work. It makes way for
// output, and vanishes when the work is done. A nil progress does nothing.
type progress struct {
	run     ptc.Progress
	pending ptc.Pending
	w       io.Writer // the terminal

	mu     sync.Mutex
	drawn  bool
	inLine bool // the last line that was printed is not ended: it would be overwritten
	asking bool // a person is asked
}

// newProgress returns the progress, and has the streams make way for its line; nil if it is
// not wanted, or standard error is no terminal that can take a line away.
func newProgress(wanted bool, s *streams) *progress {
	f := file(s.err)
	if !wanted || f == nil || !repl.IsTerminal(f) || os.Getenv("TERM") == "dumb" {
		return nil
	}
	p := &progress{w: s.err}
	s.err = lineWriter{p, s.err}
	if out := file(s.out); out != nil && repl.IsTerminal(out) {
		s.out.Writer = lineWriter{p, s.out.Writer}
	}
	return p
}

// source returns the source of the figures.
func (p *progress) source() *ptc.Progress {
	if p == nil {
		return nil
	}
	return &p.run
}

// pendings returns the source of the pending effects.
func (p *progress) pendings() *ptc.Pending {
	if p == nil {
		return nil
	}
	return &p.pending
}

// hold keeps the line away while a person is asked, until draw is called.
func (p *progress) hold() (draw func()) {
	if p == nil {
		return func() {}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	p.asking = true
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.asking, p.inLine = false, false // the person has ended the line
	}
}

// watch draws the line while parallel work runs, until stop is called.
func (p *progress) watch() (stop func()) {
	if p == nil {
		return func() {}
	}
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(progressEvery)
		defer tick.Stop()
		var since time.Time // the work under way began
		for {
			select {
			case <-end:
				p.erase()
				return
			case now := <-tick.C:
				s := p.run.Now()
				switch {
				case s.Workers == 0:
					since = time.Time{}
					p.erase()
				case since.IsZero():
					since = now
				case now.Sub(since) >= progressAfter:
					p.draw(progressText(s, len(p.pending.Now()), heapBytes()))
				}
			}
		}
	}()
	return func() {
		close(end)
		<-ended
	}
}

func progressText(s ptc.Snapshot, pending int, heap uint64) string {
	text := fmt.Sprintf("%s done, %d waiting, %s, %s, %d MB", diag.Counted(s.Elements, "element"), s.Waiting,
		diag.Counted(s.Workers, "worker"), diag.Counted(s.Calls, "call"), heap>>20)
	if pending > 0 {
		text += fmt.Sprintf(", %d pending", pending)
	}
	return text
}

// heapBytes returns the bytes that the process has allocated and not freed. It stops the program for some
// 20 µs. Package runtime/metrics would not, but takes 0.1 ms at every start.
func heapBytes() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func (p *progress) draw(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.inLine && !p.asking {
		if most := repl.Width() - 1; len(text) > most { // a line that wraps can't be taken away
			text = text[:most]
		}
		fmt.Fprintf(p.w, "\r\x1b[K%s", text)
		p.drawn = true
	}
}

func (p *progress) erase() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}

func (p *progress) clear() {
	if p.drawn {
		io.WriteString(p.w, "\r\x1b[K")
		p.drawn = false
	}
}

// lineWriter writes to a terminal that has a progress line.
type lineWriter struct {
	p *progress
	w io.Writer
}

func (l lineWriter) Write(text []byte) (int, error) {
	l.p.mu.Lock()
	defer l.p.mu.Unlock()
	l.p.clear()
	if n := len(text); n > 0 {
		l.p.inLine = text[n-1] != '\n'
	}
	return l.w.Write(text)
}
