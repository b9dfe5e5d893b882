// This file defines how data encrypted with an old master key is encrypted again.

package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/internal/runlog"
	"github.com/ptc-lang/ptc/store"
)

// Masters reports the master key of encrypted data.
type Masters interface {
	// Current returns the name of the key of new data.
	Current() string
	// IDs returns the names of all keys.
	IDs() []string
	// Of returns the name of the key of an encrypted message.
	Of(sealed []byte) string
}

// Reseal encrypts again the runs, results, documents and their blobs that were encrypted with another master key than
// the current one. left counts, by key, the data that stays unchanged: the logs of unfinished runs, which
// are copied when the runs end, and damaged data. Data that no key of m opens is not counted: no key would
// help. The error names the first entry that could not be encrypted again, such as one whose blob can't be
// read now; the others are. Only one node at a time needs to call it. The old blobs are deleted with their
// runs.
func (s *Store) Reseal(ctx context.Context, m Masters) (left map[string]int, err error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.use.RUnlock()
	r := &resealing{Store: s, m: m, left: make(map[string]int), done: make(map[string]engine.Revision)}
	s.mu.Lock()
	if s.resealed.current == m.Current() {
		r.before = s.resealed.at
	}
	s.mu.Unlock()
	var first error
	failed := 0
	for _, x := range []struct {
		prefix string
		do     func(context.Context, engine.Entry) error
	}{{results, r.value}, {heads, r.document}, {docs, r.document}, {runs, r.run}, {"log/", r.record}} {
		err := s.each(ctx, x.prefix, func(e engine.Entry) error {
			if err := x.do(ctx, e); errors.Is(err, engine.ErrUnavailable) {
				return err
			} else if err != nil {
				failed++
				first = cmp.Or(first, fmt.Errorf("store: %s: %w", e.Key, err))
			}
			return ctx.Err()
		})
		if err != nil {
			return nil, fmt.Errorf("store: %s: %w", x.prefix, err)
		}
	}
	s.mu.Lock()
	s.resealed = resealed{m.Current(), r.done} // without entries that are gone
	s.mu.Unlock()
	if first != nil {
		return nil, fmt.Errorf("%d entries could not be encrypted again: %w", failed, first)
	}
	return r.left, nil
}

// resealPage is the number of entries that are read at once.
const resealPage = 100

// each calls f with the entries that a prefix has.
func (s *Store) each(ctx context.Context, prefix string, f func(engine.Entry) error) error {
	for q := (engine.Query{Prefix: prefix, Limit: resealPage}); ; {
		page, err := s.o.Engine.List(ctx, q)
		if err != nil {
			return err
		}
		for _, e := range page.Entries {
			if err := f(e); err != nil {
				return err
			}
			q.After = e.Key
		}
		if !page.More {
			return nil
		}
	}
}

// resealing is a call of Reseal.
type resealing struct {
	*Store
	m      Masters
	left   map[string]int
	before map[string]engine.Revision // entries that an earlier call has checked
	done   map[string]engine.Revision // entries that need no further check
}

// resealed are the entries that are known to be encrypted with a key, with their blobs.
type resealed struct {
	current string
	at      map[string]engine.Revision
}

// again reports whether an entry was looked at before, and has not changed since.
func (r *resealing) again(e engine.Entry) bool {
	if r.before[e.Key] != e.Modified {
		return false
	}
	r.done[e.Key] = e.Modified
	return true
}

// old returns the key of a value of encode; ok is false if it is the current one, or there is none.
func (r *resealing) old(value []byte) (key string, ok bool) {
	if len(value) < headSize || value[1] == 0 {
		return "", false
	}
	key = r.m.Of(value[headSize:])
	return key, key != r.m.Current()
}

// change replaces an entry, unless another node has changed it, because that change used the current key.
func (r *resealing) change(ctx context.Context, e engine.Entry, value []byte) error {
	_, err := r.apply(ctx, []engine.Condition{engine.At(e.Key, e.Modified)}, engine.Put(e.Key, value))
	return err
}

// value encrypts an entry again that has no blobs.
func (r *resealing) value(ctx context.Context, e engine.Entry) error {
	key, old := r.old(e.Value)
	if !old {
		return nil
	}
	var v json.RawMessage
	if err := r.decode(e.Key, e.Value, &v); err != nil {
		return r.leave(key, e.Key, err)
	}
	value, err := r.encode(e.Key, v)
	if err != nil {
		return err
	}
	return r.change(ctx, e, value)
}

// leave counts data that can't be encrypted again because it is damaged.
func (r *resealing) leave(key, what string, err error) error {
	r.o.Log.Warn("data encrypted with an old master key is damaged, and stays", "key", key, "what", what, "error", err)
	r.count(key)
	return nil
}

// count counts data that needs an old key.
func (r *resealing) count(key string) {
	if slices.Contains(r.m.IDs(), key) {
		r.left[key]++
	}
}

// document encrypts a version of a document again.
func (r *resealing) document(ctx context.Context, e engine.Entry) error {
	if r.again(e) {
		return nil
	}
	key, old := r.old(e.Value)
	d, err := r.Store.document(e)
	if err != nil && old {
		return r.leave(key, e.Key, err)
	} else if err != nil {
		return nil // it is damaged, and needs no old key
	}
	if d.Blob != "" {
		blobKey, oldBlob, err := r.blob(ctx, d.Blob)
		if err != nil {
			return err
		}
		if oldBlob {
			key, old = blobKey, true
			if err := r.body(ctx, &d); err != nil {
				return r.leave(key, e.Key, err)
			}
			if d.Blob, _, err = r.toBlob(ctx, bodyOwner(&d.Document), d.Body); err != nil {
				return err
			}
			d.Body = nil
		}
	}
	if !old {
		r.done[e.Key] = e.Modified
		return nil
	}
	value, err := r.encode(e.Key, d)
	if err != nil {
		return err
	}
	return r.change(ctx, e, value)
}

// blob returns the key of a blob of toBlob.
func (r *resealing) blob(ctx context.Context, ref string) (key string, old bool, err error) {
	value, err := r.o.Blobs.Get(ctx, ref)
	if err != nil {
		return "", false, err
	}
	key, old = r.old(value)
	return key, old, nil
}

// run encrypts a run again, with its parts and its journal.
func (r *resealing) run(ctx context.Context, e engine.Entry) error {
	if e.Key == runHead || r.again(e) {
		return nil
	}
	id := e.Key[len(runs):]
	key, old := r.old(e.Value)
	k, err := r.decodeRun(id, e.Value)
	if err != nil {
		if old {
			return r.leave(key, e.Key, err)
		}
		return nil
	}
	for _, ref := range []string{k.Input, k.Outcome} {
		if ref == "" {
			continue
		}
		_, oldBlob, err := r.blob(ctx, ref)
		if err != nil {
			return err
		}
		old = old || oldBlob
	}
	if moved, err := r.journal(ctx, &k); err != nil {
		return err
	} else if !moved && !old {
		r.done[e.Key] = e.Modified
		return nil
	}
	if err := r.complete(ctx, &k); err != nil {
		return err
	}
	k.Input, k.Outcome, k.Large = "", "", 0
	_, err = r.replace(ctx, k, e)
	if errors.Is(err, ErrDeposed) {
		return nil // the node that leads it changes it
	}
	return err
}

// journal copies the journal of a run that has ended, if its key is old.
func (r *resealing) journal(ctx context.Context, k *kept) (moved bool, err error) {
	if k.Journal == "" || r.o.Seal == nil {
		return false, nil
	}
	file, err := r.o.Blobs.Open(ctx, k.Journal)
	if err != nil {
		return false, err
	}
	first := make([]byte, 4+resealHead)
	_, err = io.ReadFull(file, first)
	if err = errors.Join(err, file.Close()); err != nil {
		return false, err
	}
	if r.m.Of(first[4:]) == r.m.Current() {
		return false, nil
	}
	from, err := r.openSealed(ctx, k.ID, k.Journal)
	if err != nil {
		return false, err
	}
	k.Journal, k.JournalBytes, err = r.o.Blobs.Create(ctx, runKey(k.ID), func(w io.Writer) error {
		return r.copySealed(w, from, k.ID)
	})
	return true, errors.Join(err, from.Close())
}

// resealHead is the size of an empty encrypted message: the part that names the key, and the rest.
const resealHead = 45

// record counts a record of a log whose key is old.
func (r *resealing) record(ctx context.Context, e engine.Entry) error {
	sealed, ref := runlog.Sealed(e.Value)
	if ref != "" {
		var err error
		if sealed, err = r.o.Blobs.Get(ctx, ref); err != nil {
			if errors.Is(err, store.ErrNotFound) {
				return nil // the log was deleted in the meantime
			}
			return err
		}
	}
	if sealed == nil {
		return nil
	}
	if key := r.m.Of(sealed); key != r.m.Current() {
		r.count(key)
	}
	return nil
}
