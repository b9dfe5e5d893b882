// This file defines the file of a journal: lines that are appended in order, and made
// durable together.

package journal

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// Log takes the records of a journal, in one order. The Log of a file seals each record and writes it as a
// line; see CreateOn for others. It must be safe for concurrent use.
type Log interface {
	// Append adds a record, a JSON object on one line, and returns its position. Positions grow in
	// the order of the records. The record may not be durable yet. Append does not keep the bytes.
	// An error ends the run.
	Append(record []byte) (position int64, err error)
	// Flush returns when the records up to a position are durable.
	Flush(position int64) error
	// Close makes all records durable. No record may follow.
	Close() error
}

// sink is the file of a fileLog, or its replacement in tests.
type sink interface {
	io.Writer
	Sync() error
	Close() error
}

const (
	// flushBytes is the number of bytes that are buffered before they are written: a write of 64 KB
	// takes some 20 µs, and one of a line 2.
	flushBytes = 64 << 10
	// flushDelay is the maximum time until a line is written. A kill can lose the lines of this
	// time, of effects that may be done again.
	flushDelay = 50 * time.Millisecond
	// pendingBytes is the maximum number of bytes buffered during a write. Beyond it, Append waits.
	pendingBytes = 4 << 20
)

// fileLog appends lines to a sink. Lines are in the sink in the order of Append, whichever
// goroutine writes them.
//
// It has no goroutine: a caller that needs a durable line writes and syncs all lines. Callers that arrive
// in the meantime wait for that sync, and then share the next one.
type fileLog struct {
	sink sink
	max  int64 // bytes that the sink may have
	full int   // bytes in the buffer that are written without waiting for more
	seal seal  // of the lines appended; mu guards it except its key

	mu       sync.Mutex
	idle     sync.Cond // busy has become false
	busy     bool      // a caller writes or syncs
	buf      []byte    // appended and not written
	spare    []byte    // the other buffer
	appended int64     // bytes, from the beginning of the sink
	synced   int64
	syncs    int64
	err      error // the first one; after it nothing is written
	timer    *time.Timer
	armed    bool
	timers   sync.WaitGroup
}

// errFull reports that a file has reached the bound of its format.
var errFull = errors.New("the file is full")

// newLog returns a log whose sink already has size durable bytes. It continues their seal.
func newLog(s sink, size int64, before seal) *fileLog {
	l := &fileLog{sink: s, max: MaxFile, full: flushBytes, seal: before, appended: size, synced: size}
	l.idle.L = &l.mu
	return l
}

// Append seals a record as a line, and returns the position of the line's end.
func (l *fileLog) Append(record []byte) (int64, error) {
	line := record[:len(record)-1] // the seal closes it
	size := len(line) + sealBytes + 1
	if size > MaxLine {
		return 0, fmt.Errorf("a line of %d bytes, the most is %d", size, MaxLine)
	}
	digest := l.seal.digest(line) // the key never changes, so this needs no lock
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.busy && l.err == nil && len(l.buf) > pendingBytes {
		l.idle.Wait()
	}
	if l.err == nil && l.appended+int64(size) > l.max {
		l.err = fmt.Errorf("%w: it has %d bytes, the most is %d", errFull, l.appended, l.max)
	}
	if l.err != nil {
		return 0, l.err
	}
	before := len(l.buf)
	l.seal.add(line, digest)
	l.buf = append(l.seal.appendTo(append(l.buf, line...)), '\n')
	l.appended += int64(len(l.buf) - before)
	end := l.appended
	switch {
	case len(l.buf) < l.full:
		l.arm()
	case !l.busy:
		l.commit(false)
	}
	return end, l.err
}

// Flush returns when the lines up to end are durable.
func (l *fileLog) Flush(end int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.synced < end {
		if l.err != nil {
			return l.err
		}
		if l.busy {
			l.idle.Wait()
			continue
		}
		l.commit(true)
	}
	return nil
}

// push writes the lines appended so far without waiting for more: they survive the death of the process.
func (l *fileLog) push() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.busy {
		l.commit(false)
	}
	if l.err != nil {
		return &Failure{l.err}
	}
	return nil
}

// commit writes the appended lines, and syncs them. The caller holds mu, which is unlocked during the
// write, and no other caller is busy.
//
// After a failed write the end of the file is unknown, and after a failed sync so is the data that the
// kernel still has to write; a retry could succeed although nothing is on the disk. So no write follows the
// first error.
func (l *fileLog) commit(sync bool) {
	if l.err != nil {
		return
	}
	l.busy = true
	data, target := l.buf, l.appended
	l.buf, l.spare = l.spare[:0], nil
	l.mu.Unlock()
	_, err := l.sink.Write(data)
	if err == nil && sync {
		err = l.sink.Sync()
	}
	l.mu.Lock()
	if cap(data) <= pendingBytes {
		l.spare = data
	}
	if err != nil {
		l.err = err
	} else if sync {
		l.synced = target
		l.syncs++
	}
	l.busy = false
	l.idle.Broadcast()
}

// arm starts the timer that writes the buffer. The caller holds mu.
func (l *fileLog) arm() {
	if l.armed {
		return
	}
	l.armed = true
	l.timers.Add(1)
	l.timer = time.AfterFunc(flushDelay, func() {
		defer l.timers.Done()
		l.mu.Lock()
		defer l.mu.Unlock()
		l.armed = false
		switch {
		case len(l.buf) == 0 || l.err != nil:
		case l.busy:
			l.arm()
		default:
			l.commit(false)
		}
	})
}

// Close makes all records durable and closes the sink. Later records are refused.
func (l *fileLog) Close() error {
	l.mu.Lock()
	end := l.appended
	l.mu.Unlock()
	err := l.Flush(end)
	l.mu.Lock()
	for l.busy {
		l.idle.Wait()
	}
	if l.err == nil {
		l.err = ErrClosed
	} else {
		err = l.err
	}
	if l.armed && l.timer.Stop() {
		l.armed = false
		l.timers.Done()
	}
	l.mu.Unlock()
	l.timers.Wait()
	return errors.Join(err, l.sink.Close())
}

// count returns the number of bytes appended and of syncs done.
func (l *fileLog) count() (bytes, syncs int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.appended, l.syncs
}
