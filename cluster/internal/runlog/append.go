// This file defines how records are appended: callers that arrive while a commit is under way share the next one.

package runlog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
)

// perCommit is the number of positions of a revision.
const perCommit = engine.MaxOps

// positionOf returns the position of the record with an index in a commit.
func positionOf(revision engine.Revision, index int) Position {
	return Position(revision)*perCommit + Position(index)
}

// request is an Append.
type request struct {
	items []Item // the data has the form that the engine keeps
	flags []byte
	bytes int
	at    []Position
	err   error
	done  chan struct{}
}

// Append adds items in their order, all or none, and returns their positions when they are durable. Items whose ids
// are in the log keep their positions, and the others are added. After an error they may have been added or not: the
// caller appends the same batch again. The error is ErrDeposed or a *Damaged for a writer that can't append any more.
func (l *Log) Append(ctx context.Context, batch []Item) ([]Position, error) {
	if len(batch) == 0 {
		return nil, nil
	}
	r, err := l.request(ctx, batch)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	switch {
	case l.err != nil:
		err = l.err
	case l.closed:
		err = ErrClosed
	default:
		l.queue = append(l.queue, r)
		if !l.busy {
			l.busy = true
			l.wg.Go(l.commitAll)
		}
	}
	l.mu.Unlock()
	if err != nil {
		return nil, err
	}
	select {
	case <-r.done:
		return r.at, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// request checks a batch, and seals its data.
func (l *Log) request(ctx context.Context, batch []Item) (*request, error) {
	if l.o.Writer == "" {
		return nil, fmt.Errorf("%w: Append to a log without Options.Writer", ErrInvalid)
	}
	if len(batch) > MaxBatch {
		return nil, fmt.Errorf("%w: Append of %d items, want at most %d", ErrInvalid, len(batch), MaxBatch)
	}
	r := &request{done: make(chan struct{}), at: make([]Position, len(batch))}
	seen := make(map[string]bool, len(batch))
	for _, item := range batch {
		if item.ID == "" || len(item.ID) > maxID || seen[item.ID] {
			return nil, fmt.Errorf("%w: Append of an item with the id %.200q, want one of 1 to %d bytes, each once",
				ErrInvalid, item.ID, maxID)
		}
		seen[item.ID] = true
		data, flags, err := l.outward(ctx, item)
		if err != nil {
			return nil, err
		}
		r.items, r.flags = append(r.items, Item{ID: item.ID, Data: data}), append(r.flags, flags)
		r.bytes += l.size(item.ID, data)
	}
	if r.bytes > engine.MaxBytes {
		return nil, fmt.Errorf("%w: Append of %d items with %d bytes, want at most %d",
			ErrInvalid, len(batch), r.bytes, engine.MaxBytes)
	}
	return r, nil
}

// size returns at least the bytes of a key and its value.
func (l *Log) size(id string, data []byte) int {
	return len(l.prefix) + len(id) + len(l.o.Writer) + len(data) + 40
}

// outward returns the data of an item as the engine keeps it.
func (l *Log) outward(ctx context.Context, item Item) (data []byte, flags byte, err error) {
	data = item.Data
	if l.o.Seal != nil {
		if data, err = l.o.Seal.Seal(l.prefix+item.ID, data); err != nil {
			return nil, 0, fmt.Errorf("runlog: record %.200q of run %s: %w", item.ID, l.o.Run, err)
		}
		flags |= sealed
	}
	if l.o.Blobs == nil || len(data) <= MaxInline {
		return data, flags, nil
	}
	ref, err := l.o.Blobs.Put(ctx, Owner(l.o.Run), data)
	if err != nil {
		return nil, 0, fmt.Errorf("runlog: record %.200q of run %s has %d bytes: %w", item.ID, l.o.Run, len(data), err)
	}
	return []byte(ref), flags | blob, nil
}

// commitAll commits the queued requests until the queue is empty.
func (l *Log) commitAll() {
	for {
		l.mu.Lock()
		batch := l.take()
		if len(batch) == 0 {
			l.busy = false
			l.mu.Unlock()
			return
		}
		err := l.err
		l.mu.Unlock()
		if err == nil {
			err = l.commit(batch)
		}
		if ended(err) {
			l.mu.Lock()
			l.err = err
			l.mu.Unlock()
		}
		for _, r := range batch {
			if r.err = err; err != nil {
				r.at = nil
			}
			close(r.done)
		}
	}
}

// ended reports whether a writer can't append any more after an error.
func ended(err error) bool {
	var damaged *Damaged
	return errors.As(err, &damaged) || errors.Is(err, ErrDeposed) || errors.Is(err, ErrClosed)
}

// take removes the requests of the next commit from the queue. The caller holds mu.
func (l *Log) take() []*request {
	n, items, bytes := 0, 0, 0
	for _, r := range l.queue {
		items += len(r.items)
		bytes += r.bytes
		if n > 0 && (items > MaxBatch || bytes > engine.MaxBytes) {
			break
		}
		n++
	}
	batch := l.queue[:n:n]
	l.queue = l.queue[n:]
	return batch
}

// commit appends the items of requests in one commit, and sets their positions.
func (l *Log) commit(batch []*request) error {
	known := map[string]Position{} // of the ids that are in the log
	for {
		c := l.prepare(batch, known)
		if len(c.ids) > 0 {
			again, err := l.apply(c, known)
			if err != nil {
				return err
			}
			if again {
				continue
			}
		}
		for _, r := range batch {
			for i, item := range r.items {
				r.at[i] = known[item.ID]
			}
		}
		return nil
	}
}

// prepared is a commit with the state of the chain after it.
type prepared struct {
	ids        []string
	conditions []engine.Condition // for each id, then those of the writer
	ops        []engine.Op
	end        tail
}

// prepare chains the items that are not known to be in the log.
func (l *Log) prepare(batch []*request, known map[string]Position) *prepared {
	c := &prepared{end: l.chain}
	taken := map[string]bool{}
	for _, r := range batch {
		for i, item := range r.items {
			if _, is := known[item.ID]; is || taken[item.ID] {
				continue
			}
			taken[item.ID] = true
			rec := record{flags: r.flags[i], writer: l.o.Writer, n: c.end.n + 1, index: len(c.ids), before: c.end.hash,
				data: item.Data}
			value, key := rec.encode(), l.prefix+item.ID
			c.ids = append(c.ids, item.ID)
			c.conditions = append(c.conditions, engine.Absent(key))
			c.ops = append(c.ops, engine.Put(key, value))
			c.end = tail{n: rec.n, hash: sum(item.ID, value), key: key}
		}
	}
	if l.chain.n > 0 {
		c.conditions = append(c.conditions, engine.At(l.chain.key, l.chain.revision))
	}
	if l.o.Fence != (engine.Condition{}) {
		c.conditions = append(c.conditions, l.o.Fence)
	}
	return c
}

// apply makes a commit, as often as it takes to know its outcome. again reports that some of the ids were in the log,
// which known then has.
func (l *Log) apply(c *prepared, known map[string]Position) (again bool, err error) {
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		result, err := l.o.Engine.Apply(l.ctx, c.conditions, c.ops...)
		switch {
		case err == nil && result.Done:
			l.landed(c, result.Revision, known)
			if l.o.Appended != nil {
				l.o.Appended(c.bytes())
			}
			return false, nil
		case err == nil:
			return l.conflict(c, result, known)
		case l.ctx.Err() != nil, errors.Is(err, engine.ErrClosed):
			return false, fmt.Errorf("%w: %w", ErrClosed, err)
		case refused(err):
			return false, err
		}
		select {
		case <-time.After(pause):
		case <-l.ctx.Done():
		}
	}
}

// bytes returns the size of the entries that a commit puts.
func (c *prepared) bytes() (n int) {
	for i := range c.ops {
		n += len(c.ops[i].Value)
	}
	return n
}

// The pauses between the repetitions of a commit whose outcome is unknown.
const (
	firstPause = 10 * time.Millisecond
	lastPause  = time.Second
)

// refused reports whether an error of Apply means that nothing was changed.
func refused(err error) bool {
	for _, e := range []error{engine.ErrFull, engine.ErrTooLarge, engine.ErrInvalid, engine.ErrNoLease} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// landed moves the chain after a commit.
func (l *Log) landed(c *prepared, revision engine.Revision, known map[string]Position) {
	for i, id := range c.ids {
		known[id] = positionOf(revision, i)
	}
	l.chain = c.end
	l.chain.revision = revision
}

// conflict interprets a commit whose conditions did not hold.
func (l *Log) conflict(c *prepared, result engine.Result, known map[string]Position) (again bool, err error) {
	for i, id := range c.ids {
		found := result.Found[i]
		if found.Created == 0 {
			continue
		}
		if string(found.Value) == string(c.ops[i].Value) { // an earlier try succeeded, before the later changes
			l.landed(c, found.Created, known)
			return false, nil
		}
		r, err := decode(found.Value)
		at := positionOf(found.Created, r.index)
		if err != nil || found.Created != found.Modified {
			return false, &Damaged{Run: l.o.Run, ID: id, Position: at, Writer: r.writer,
				Reason: fmt.Sprintf("it can't be read, or was changed by revision %d: %v", found.Modified, err)}
		}
		known[id], again = at, true
	}
	rest := result.Found[len(c.ids):]
	if l.chain.n > 0 {
		if before := rest[0]; before.Modified != l.chain.revision {
			return false, l.lost(before)
		}
		rest = rest[1:]
	}
	if len(rest) > 0 {
		is := rest[0].Modified
		if l.o.Fence.Created {
			is = rest[0].Created
		}
		if is != l.o.Fence.Is {
			return false, fmt.Errorf("%w (run %s, writer %s)", ErrDeposed, l.o.Run, l.o.Writer)
		}
	}
	if !again {
		return false, fmt.Errorf("runlog: run %s: the engine has refused a commit whose conditions hold", l.o.Run)
	}
	return true, nil
}

// lost returns the error of a writer whose last record is not as it was acknowledged.
func (l *Log) lost(found engine.Entry) error {
	if page, err := l.o.Engine.List(l.ctx, engine.Query{Prefix: l.prefix, Limit: 1, Keys: true}); err == nil &&
		len(page.Entries) == 0 {
		return fmt.Errorf("%w (run %s, writer %s): %w", ErrDeposed, l.o.Run, l.o.Writer, ErrDeleted)
	}
	return &Damaged{Run: l.o.Run, ID: l.chain.key[len(l.prefix):], Writer: l.o.Writer,
		Position: Position(l.chain.revision) * perCommit,
		Reason: fmt.Sprintf("record %d was acknowledged at revision %d, and now has the revision %d: it was lost or changed",
			l.chain.n, l.chain.revision, found.Modified)}
}
