// This file defines a log in memory, with the faults of a network.

package dist

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"sync"
	"time"
)

// Faults are the errors that a Memory log makes on purpose. The zero value makes none.
type Faults struct {
	// Delay is the time from an append until it returns and its records are read.
	Delay time.Duration
	// LostAcks is the share of appends that are made but return an error, Refused the share of appends that
	// are not made and return an error, and Doubled the share of deliveries to a follower that are repeated.
	LostAcks, Refused, Doubled float64
	Seed                       uint64 // of the draws
}

// ErrLost is the error of an Append that a fault has made fail.
var ErrLost = errors.New("dist: the answer of the log was lost")

// Memory is a log in memory. It is safe for concurrent use.
type Memory struct {
	faults Faults

	mu    sync.Mutex
	rng   *rand.Rand
	items []entry
	ids   map[string]Position
	news  chan struct{} // closed when items are added
	bytes int64
}

// entry is an item of a Memory log.
type entry struct {
	Item
	at time.Time
}

// NewMemory returns an empty log.
func NewMemory(f Faults) *Memory {
	return &Memory{faults: f, rng: rand.New(rand.NewPCG(f.Seed, 1)), ids: map[string]Position{}, news: make(chan struct{})}
}

// Append implements Log.
func (l *Memory) Append(ctx context.Context, batch []Item) ([]Position, error) {
	if len(batch) > MaxBatch {
		return nil, errors.New("dist: a batch has more items than MaxBatch")
	}
	positions, err := l.add(batch)
	if err := l.pause(ctx, l.faults.Delay); err != nil {
		return nil, err
	}
	return positions, err
}

func (l *Memory) add(batch []Item) ([]Position, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.draws(l.faults.Refused) {
		return nil, ErrLost
	}
	positions := make([]Position, len(batch))
	now := time.Now()
	for i, item := range batch {
		at, ok := l.ids[item.ID]
		if !ok {
			l.items = append(l.items, entry{item, now})
			at = Position(len(l.items))
			l.ids[item.ID] = at
			l.bytes += int64(len(item.Data))
		}
		positions[i] = at
	}
	close(l.news)
	l.news = make(chan struct{})
	if l.draws(l.faults.LostAcks) {
		return nil, ErrLost
	}
	return positions, nil
}

// draws reports whether a fault of a probability happens. The caller holds mu.
func (l *Memory) draws(p float64) bool { return p > 0 && l.rng.Float64() < p }

// pause waits, for a delay.
func (l *Memory) pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Follow implements Log.
func (l *Memory) Follow(ctx context.Context, after Position, f func(Position, []byte) error) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		l.mu.Lock()
		again := l.draws(l.faults.Doubled) && after > 0
		if again {
			after--
		}
		items, news := l.items[after:len(l.items):len(l.items)], l.news
		l.mu.Unlock()
		if len(items) == 0 {
			select {
			case <-news:
			case <-ctx.Done():
			}
			continue
		}
		for _, item := range items {
			if err := l.pause(ctx, time.Until(item.at.Add(l.faults.Delay))); err != nil {
				return err
			}
			after++
			if err := f(after, item.Data); err != nil {
				return err
			}
		}
	}
}

// Records returns the records that the log has now.
func (l *Memory) Records() iter.Seq2[[]byte, error] {
	l.mu.Lock()
	items := l.items[:len(l.items):len(l.items)]
	l.mu.Unlock()
	return func(yield func([]byte, error) bool) {
		for _, item := range items {
			if !yield(item.Data, nil) {
				return
			}
		}
	}
}

// Len returns the number of records, and Bytes their size.
func (l *Memory) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.items)
}

// Bytes returns the size of the records.
func (l *Memory) Bytes() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bytes
}
