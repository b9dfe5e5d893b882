// This file defines how records are read.

package runlog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
)

// Follow calls f with each record after a position, in order, each once, and waits for further ones. It
// returns the error of f, the error of the context, ErrDeleted, or a *Damaged. It reads and checks the log
// from its start, even for a later position. f may keep the bytes.
func (l *Log) Follow(ctx context.Context, after Position, f func(Position, []byte) error) error {
	r := l.reader(after, f)
	for {
		revision, err := r.catchUp(ctx)
		if err == nil {
			err = l.o.Engine.Watch(ctx, l.prefix, revision, func(c engine.Commit) error { return r.commit(ctx, c) })
		}
		if !errors.Is(err, engine.ErrCompacted) {
			return err
		}
	}
}

// Read calls f with each record that the log has now.
func (l *Log) Read(ctx context.Context, f func(Position, []byte) error) error {
	_, err := l.reader(0, f).catchUp(ctx)
	return err
}

// reader is the state of reading a log in order.
type reader struct {
	log    *Log
	after  Position // f has seen, or does not want, the records up to it
	f      func(Position, []byte) error
	chains chains
}

func (l *Log) reader(after Position, f func(Position, []byte) error) *reader {
	return &reader{log: l, after: after, f: f, chains: chains{}}
}

// pageSize is the number of keys that are read at once: 32 MB with the largest records.
const pageSize = 512

// catchUp reads all keys, and returns the revision that they were read at.
func (r *reader) catchUp(ctx context.Context) (engine.Revision, error) {
	var all []engine.Entry
	q := engine.Query{Prefix: r.log.prefix, Limit: pageSize}
	for {
		page, err := r.log.o.Engine.List(ctx, q)
		if errors.Is(err, engine.ErrCompacted) { // between two pages
			all, q.After, q.Revision = nil, "", 0
			continue
		}
		if err != nil {
			return 0, err
		}
		all = append(all, page.Entries...)
		q.Revision = page.Revision
		if !page.More {
			break
		}
		q.After = page.Entries[len(page.Entries)-1].Key
	}
	if len(all) == 0 && len(r.chains) > 0 {
		return 0, ErrDeleted
	}
	return q.Revision, r.all(ctx, all)
}

// all takes all records of the log, in any order. Records that were taken before are checked again.
func (r *reader) all(ctx context.Context, entries []engine.Entry) error {
	at := make(map[string]Position, len(entries))
	for _, e := range entries {
		index := 0
		if rec, err := decode(e.Value); err == nil {
			index = rec.index
		}
		at[e.Key] = positionOf(e.Created, index)
	}
	slices.SortStableFunc(entries, func(a, b engine.Entry) int { return cmp.Compare(at[a.Key], at[b.Key]) })
	before := r.chains
	r.chains = chains{}
	var last Position
	for _, e := range entries {
		if at[e.Key] == last {
			return r.damaged(e, last, "another record has its position")
		}
		last = at[e.Key]
		if err := r.take(ctx, e, last); err != nil {
			return err
		}
	}
	for writer, link := range before {
		if now := r.chains[writer]; now.n < link.n {
			return &Damaged{Run: r.log.o.Run, Writer: writer, Position: link.position,
				Reason: fmt.Sprintf("the writer had %d records, and now has %d: the last ones were lost", link.n, now.n)}
		}
	}
	return nil
}

// commit takes the records of a commit.
func (r *reader) commit(ctx context.Context, c engine.Commit) error {
	for i, change := range c.Changes {
		if change.Deleted {
			return ErrDeleted
		}
		if err := r.take(ctx, change.Entry, positionOf(c.Revision, i)); err != nil {
			return err
		}
	}
	return nil
}

// take checks the next record, and passes it on.
func (r *reader) take(ctx context.Context, e engine.Entry, at Position) error {
	if e.Created != e.Modified {
		reason := fmt.Sprintf("revision %d has created it, and revision %d has changed it", e.Created, e.Modified)
		return r.damaged(e, at, reason)
	}
	id := e.Key[len(r.log.prefix):]
	rec, err := r.chains.take(r.log.o.Run, id, at, e.Value)
	if err != nil || at <= r.after {
		return err
	}
	data, err := r.log.inward(ctx, id, &rec)
	if err != nil {
		return err
	}
	if err := r.f(at, data); err != nil {
		return err
	}
	r.after = at
	return nil
}

func (r *reader) damaged(e engine.Entry, at Position, reason string) error {
	return &Damaged{Run: r.log.o.Run, ID: e.Key[len(r.log.prefix):], Position: at, Reason: reason}
}

// inward returns the data of a record.
func (l *Log) inward(ctx context.Context, id string, r *record) (data []byte, err error) {
	data = r.data
	if r.flags&blob != 0 {
		if l.o.Blobs == nil {
			return nil, fmt.Errorf("runlog: record %.200q of run %s is in a blob, and Options.Blobs is nil", id, l.o.Run)
		}
		if data, err = l.o.Blobs.Get(ctx, string(data)); err != nil {
			return nil, fmt.Errorf("runlog: record %.200q of run %s: %w", id, l.o.Run, err)
		}
	}
	if r.flags&sealed == 0 && l.o.Seal != nil { // anybody can write such a record who can write to a disk
		return nil, fmt.Errorf("runlog: record %.200q of run %s is not encrypted, and Options.Seal wants all records to be: "+
			"somebody else has written it", id, l.o.Run)
	}
	if r.flags&sealed == 0 {
		return slices.Clone(data), nil
	}
	if l.o.Seal == nil {
		return nil, fmt.Errorf("runlog: record %.200q of run %s is encrypted, and Options.Seal is nil", id, l.o.Run)
	}
	if data, err = l.o.Seal.Open(l.prefix+id, data); err != nil {
		return nil, fmt.Errorf("runlog: record %.200q of run %s: %w", id, l.o.Run, err)
	}
	return data, nil
}
