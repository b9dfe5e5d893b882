// This file defines a journal that is written to the log of a run.

package store

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/internal/runlog"
)

const (
	// flushDelay is the maximum time until a record is appended. As with a file, the end of a node can lose the records of
	// this time, of effects that may be done again.
	flushDelay = 50 * time.Millisecond
	// maxPending is the maximum number of bytes that wait while others are appended. Beyond it, Append waits.
	maxPending = 4 << 20
)

// writer is a journal.Log that appends to the log of a run. It has no goroutine except the timer: a caller
// that needs a durable record appends all waiting records, and callers that arrive in the meantime share
// the next batch.
type writer struct {
	log   *runlog.Log
	name  string // begins the ids of records
	first []byte // the first record

	mu       sync.Mutex
	idle     sync.Cond // busy has become false
	busy     bool
	pending  []runlog.Item
	bytes    int // of pending
	appended int64
	durable  int64
	err      error // the first one; after it nothing is appended
	firstID  string
	timer    *time.Timer
	timers   sync.WaitGroup
}

// newWriter returns a journal.Log. firstID is the id of the first record; "" for a new id.
func newWriter(log *runlog.Log, firstID string) *writer {
	w := &writer{log: log, name: rand.Text(), firstID: firstID}
	w.idle.L = &w.mu
	return w
}

// Append implements journal.Log.
func (w *writer) Append(record []byte) (int64, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.busy && w.err == nil && w.bytes > maxPending {
		w.idle.Wait()
	}
	if w.err != nil {
		return 0, w.err
	}
	w.appended++
	item := runlog.Item{ID: fmt.Sprintf("%s-%d", w.name, w.appended), Data: bytes.Clone(record)}
	if w.appended == 1 {
		w.first = item.Data
		if w.firstID != "" {
			item.ID = w.firstID
		}
	}
	w.pending = append(w.pending, item)
	w.bytes += len(record)
	if w.timer == nil {
		w.timers.Add(1)
		w.timer = time.AfterFunc(flushDelay, func() {
			defer w.timers.Done()
			w.mu.Lock()
			w.timer = nil
			end := w.appended
			w.mu.Unlock()
			_ = w.Flush(end) // the next Append or Flush returns the error
		})
	}
	return w.appended, nil
}

// Flush implements journal.Log.
func (w *writer) Flush(position int64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.durable < position {
		switch {
		case w.err != nil:
			return w.err
		case w.busy:
			w.idle.Wait()
		default:
			w.commit()
		}
	}
	return nil
}

// commit appends a batch. The caller holds mu, which is free in the meantime.
func (w *writer) commit() {
	n, size := 0, 0
	for _, item := range w.pending {
		size += min(len(item.Data), runlog.MaxInline) + 200 // with the key, and the overhead of encryption
		if n > 0 && (n == runlog.MaxBatch || size > engine.MaxBytes/2) {
			break
		}
		n++
	}
	batch := w.pending[:n:n]
	w.pending, w.busy = w.pending[n:], true
	w.mu.Unlock()
	// The time is that of the engine, which is bounded: a run that has lost the majority waits for it or for its end.
	_, err := w.log.Append(context.Background(), batch)
	w.mu.Lock()
	for _, item := range batch {
		w.bytes -= len(item.Data)
	}
	if w.durable += int64(n); err != nil && w.err == nil {
		w.durable -= int64(n)
		w.err = err
	}
	w.busy = false
	w.idle.Broadcast()
}

// Close implements journal.Log.
func (w *writer) Close() error {
	w.mu.Lock()
	end := w.appended
	w.mu.Unlock()
	err := w.Flush(end)
	w.mu.Lock()
	if w.err == nil {
		w.err = runlog.ErrClosed
	}
	if w.timer != nil && w.timer.Stop() {
		w.timers.Done()
	}
	w.mu.Unlock()
	w.timers.Wait()
	return errors.Join(err, w.log.Close())
}
