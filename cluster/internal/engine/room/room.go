// Package room keeps room in the database of an engine: it forgets old revisions, and rewrites files that are mostly
// free.
//
//	k := room.New(room.Options{Engine: e, Files: e.Admin(), Every: 5 * time.Minute})
//	go k.Compact(ctx) // on one member at a time
//	go k.Tend(ctx)    // on each member
//
// When the next compaction is due is a fact of the engine, so it does not matter how long a process lives. The entry
// Key is a mark: the revision that has put it, and the time. When the mark is as old as Options.Every, the
// engine is compacted to its revision, and the mark is put again. So readers can always go back at least
// that time.
package room

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
)

// Key is the entry with the mark.
const Key = "room/mark"

// Files is a member whose database is a file.
type Files interface {
	// Defragment rewrites the file without the pages that are free.
	Defragment(ctx context.Context) error
	// Disarm ends the alarms of a database that has reached its quota.
	Disarm(ctx context.Context) error
}

// Options are the settings of a Keeper. Engine and Every are required.
type Options struct {
	Engine engine.Engine
	Files  Files         // nil if the database is no file
	Every  time.Duration // revisions are kept for that time
	// Sweep deletes data that nobody needs any more, after each compaction; nil does nothing.
	Sweep func(context.Context) error
	Log   *slog.Logger // nil discards
}

// Keeper keeps room in the database of an engine.
type Keeper struct {
	o Options

	mu        sync.Mutex
	rewritten engine.Revision // to which the engine was compacted when the file of a full database was rewritten last
}

// New returns a Keeper, which has no goroutine.
func New(o Options) *Keeper {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Keeper{o: o}
}

// look is the longest time between two looks at the mark and at the database. A database grows by some megabytes in it.
const look = 10 * time.Second

// mark is the value of Key.
type mark struct {
	At time.Time `json:"at"` // by the clock of the node that has put it
}

// Compact compacts the engine whenever that is due, until ctx ends.
func (k *Keeper) Compact(ctx context.Context) {
	k.each(ctx, "the engine could not be compacted; trying again", func() error {
		done, err := k.compact(ctx)
		if err == nil && done && k.o.Sweep != nil {
			err = k.o.Sweep(ctx)
		}
		return err
	})
}

// each calls f now and then until ctx ends, and logs its errors.
func (k *Keeper) each(ctx context.Context, trouble string, f func() error) {
	for ctx.Err() == nil {
		if err := f(); err != nil && ctx.Err() == nil {
			k.o.Log.Warn(trouble, "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(min(look, max(k.o.Every/4, 1))):
		}
	}
}

// compact compacts the engine if that is due, and reports whether it was.
func (k *Keeper) compact(ctx context.Context) (done bool, err error) {
	status, err := k.o.Engine.Status(ctx)
	if err != nil {
		return false, err
	}
	e, ok, err := k.o.Engine.Get(ctx, Key)
	if err != nil {
		return false, err
	}
	if full(status) {
		return true, k.makeRoom(ctx, status.Revision)
	}
	every := k.o.Every
	if status.Quota > 0 && status.Used > status.Quota/2 {
		every = min(every, look)
	}
	var m mark
	known := ok && json.Unmarshal(e.Value, &m) == nil
	age := time.Since(m.At)
	if !known || age <= -every { // the clock that was read then is ahead: by less it only delays
		return false, k.mark(ctx, e.Modified)
	}
	if age < every {
		return false, nil
	}
	if err := k.o.Engine.Compact(ctx, e.Modified); err != nil {
		return false, fmt.Errorf("compact to the mark of %s: %w", m.At.Format(time.RFC3339), err)
	}
	return true, k.mark(ctx, e.Modified)
}

// mark puts the mark, unless another node has since a revision.
func (k *Keeper) mark(ctx context.Context, since engine.Revision) error {
	value, err := json.Marshal(mark{time.Now().UTC()})
	if err != nil {
		return err
	}
	_, err = k.o.Engine.Apply(ctx, []engine.Condition{engine.At(Key, since)}, engine.Put(Key, value))
	return err
}

// makeRoom makes as much room as there can be in a database that has reached its quota. The alarm ends as soon as the
// file of this member is smaller than that. If another member still has none, it raises the alarm again.
func (k *Keeper) makeRoom(ctx context.Context, now engine.Revision) error {
	if err := k.o.Engine.Compact(ctx, now); err != nil || k.o.Files == nil {
		return err
	}
	if _, err := k.defragment(ctx); err != nil {
		return err
	}
	status, err := k.o.Engine.Status(ctx)
	if err != nil || !full(status) || status.Bytes > status.Quota/10*9 {
		return err
	}
	k.o.Log.Info("there is room in the database of the engine again, and writes continue", "bytes", status.Bytes)
	return k.o.Files.Disarm(ctx)
}

// Tend rewrites the file of this member when it is near the quota and mostly free, until ctx ends.
func (k *Keeper) Tend(ctx context.Context) {
	if k.o.Files == nil {
		return
	}
	k.each(ctx, "the database of the engine could not be rewritten; trying again", func() error {
		_, err := k.defragment(ctx)
		return err
	})
}

// defragment rewrites the file of this member if that is worthwhile, and reports whether it did. The engine
// reuses free pages, so a file that is far from the quota is not rewritten. A full database is rewritten
// after each compaction, because etcd counts pages as free only after further writes, which a full one
// refuses.
func (k *Keeper) defragment(ctx context.Context) (bool, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	s, err := k.o.Engine.Status(ctx)
	if err != nil || s.Quota == 0 || s.Bytes < s.Quota/10*8 {
		return false, err
	}
	if s.Bytes-s.Used < s.Bytes/2 && (!full(s) || s.Compacted <= k.rewritten) {
		return false, nil
	}
	begin := time.Now()
	if err := k.o.Files.Defragment(ctx); err != nil {
		return false, err
	}
	k.rewritten = s.Compacted
	after, err := k.o.Engine.Status(ctx)
	k.o.Log.Info("the database of the engine was near its quota and mostly free, and was rewritten", "bytes before",
		s.Bytes, "bytes", after.Bytes, "after", time.Since(begin))
	return true, err
}

// full reports whether a database has reached its quota.
func full(s engine.Status) bool {
	for _, alarm := range s.Alarms {
		if strings.HasPrefix(alarm, engine.AlarmFull) {
			return true
		}
	}
	return false
}
