// This file defines the documents of a cluster.

package store

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/store"
)

// keptDocument is the value of the key of a document. A Removed version has no body; its key stays so that
// its number is not used again.
type keptDocument struct {
	store.Document
	Mark    string `json:"mark"`
	Blob    string `json:"blob,omitempty"` // of a large body
	Removed bool   `json:"removed,omitempty"`
}

func headKey(kind store.Kind, name string) string { return heads + string(kind) + "/" + name }

// olderPrefix returns the prefix of the keys of the earlier versions of a document. A name has no control character.
func olderPrefix(kind store.Kind, name string) string {
	return docs + string(kind) + "/" + name + "\x00"
}

func olderKey(kind store.Kind, name string, version int) string {
	return fmt.Sprintf("%s%010d", olderPrefix(kind, name), version)
}

// bodyOwner returns the owner of the blob of a version.
func bodyOwner(d *store.Document) string { return olderKey(d.Kind, d.Name, d.Version) }

// head returns the latest version of a document, with the entry that has it.
func (s *Store) head(ctx context.Context, kind store.Kind, name string) (d keptDocument, e engine.Entry, err error) {
	e, ok, err := s.get(ctx, headKey(kind, name))
	if err != nil {
		return d, e, err
	}
	if !ok {
		return d, e, store.ErrNotFound.With("%s: there is no %q", kind, name)
	}
	d, err = s.document(e)
	return d, e, err
}

// document decodes a document.
func (s *Store) document(e engine.Entry) (d keptDocument, err error) {
	if err := s.decode(e.Key, e.Value, &d); err != nil {
		return d, store.ErrDamaged.With("%q: %w", e.Key, err)
	}
	if e.Key != headKey(d.Kind, d.Name) && e.Key != olderKey(d.Kind, d.Name, d.Version) {
		return d, store.ErrDamaged.With("%q is of %s %q, version %d", e.Key, d.Kind, d.Name, d.Version)
	}
	return d, nil
}

// body reads the body of a document that is in a blob.
func (s *Store) body(ctx context.Context, d *keptDocument) error {
	if d.Blob == "" {
		return nil
	}
	return s.fromBlob(ctx, bodyOwner(&d.Document), d.Blob, &d.Body)
}

// Put implements store.Store.
func (s *Store) Put(ctx context.Context, doc store.Document) (store.Document, error) {
	if err := s.enter(ctx); err != nil {
		return store.Document{}, err
	}
	defer s.use.RUnlock()
	if err := doc.Check(); err != nil {
		return store.Document{}, err
	}
	var body json.RawMessage
	text, err := plain(doc.Body)
	if err != nil {
		return store.Document{}, err
	}
	body = text
	for {
		d := keptDocument{Document: doc}
		d.Body = body
		done, err := s.put(ctx, &d, doc.Kind.Keep())
		if done || err != nil {
			d.Body = body
			return d.Document, err
		}
	}
}

// put makes the commit of the next version of a document, and sets its number and time. It is not done if another one
// was put in the meantime.
func (s *Store) put(ctx context.Context, d *keptDocument, keep int) (done bool, err error) {
	last, e, err := s.head(ctx, d.Kind, d.Name)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return false, err
	}
	next := last.Version + 1
	if d.Version != 0 && d.Version != next {
		return false, store.ErrConflict.With("%s %q: got version %d, want %d, which is the next one", d.Kind, d.Name,
			d.Version, next)
	}
	d.Version, d.Created, d.Mark = next, time.Now().Round(0).UTC(), rand.Text()
	value, err := s.encodeDocument(ctx, d)
	if err != nil {
		return false, err
	}
	ops := []engine.Op{engine.Put(headKey(d.Kind, d.Name), value)}
	gone, err := s.age(ctx, &last, d.Removed, keep, &ops)
	if err != nil {
		return false, err
	}
	r, err := s.apply(ctx, []engine.Condition{engine.At(headKey(d.Kind, d.Name), e.Modified)}, ops...)
	if err != nil {
		return false, err
	}
	if !r.Done && string(r.Found[0].Value) != string(value) {
		return false, nil
	}
	for i := range gone {
		s.release(ctx, bodyOwner(&gone[i]))
	}
	return true, nil
}

// encodeDocument returns the value of a document, and moves a large body to a blob.
func (s *Store) encodeDocument(ctx context.Context, d *keptDocument) ([]byte, error) {
	if len(d.Body) > maxInline {
		ref, _, err := s.toBlob(ctx, bodyOwner(&d.Document), d.Body)
		if err != nil {
			return nil, err
		}
		d.Blob, d.Body = ref, nil
	}
	return s.encode(headKey(d.Kind, d.Name), d)
}

// age adds the operations that make the latest version of a document an earlier one, and delete the
// versions beyond the retention. It returns the deleted ones.
func (s *Store) age(ctx context.Context, last *keptDocument, all bool, keep int,
	ops *[]engine.Op) (gone []store.Document, err error) {
	if last.Version == 0 {
		return nil, nil
	}
	prefix := olderPrefix(last.Kind, last.Name)
	if all || last.Removed {
		*ops = append(*ops, engine.DeletePrefix(prefix))
		older, err := s.older(ctx, last.Kind, last.Name)
		for _, d := range older {
			gone = append(gone, d.Document)
		}
		return append(gone, last.Document), err
	}
	if keep == 1 {
		return []store.Document{last.Document}, nil
	}
	key := olderKey(last.Kind, last.Name, last.Version)
	value, err := s.encode(key, last)
	if err != nil {
		return nil, err
	}
	*ops = append(*ops, engine.Put(key, value))
	if keep == 0 {
		return nil, nil
	}
	older, err := s.older(ctx, last.Kind, last.Name)
	for _, d := range older[:max(0, len(older)+2-keep)] { // beside the latest and the previous one
		*ops = append(*ops, engine.Delete(olderKey(d.Kind, d.Name, d.Version)))
		gone = append(gone, d.Document)
	}
	return gone, err
}

// older returns the earlier versions of a document, the first one first.
func (s *Store) older(ctx context.Context, kind store.Kind, name string) (all []keptDocument, err error) {
	page, err := s.o.Engine.List(ctx, engine.Query{Prefix: olderPrefix(kind, name), Stale: isStale(ctx)})
	if err != nil {
		return nil, err
	}
	for _, e := range page.Entries {
		d, err := s.document(e)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

// Document implements store.Store.
func (s *Store) Document(ctx context.Context, kind store.Kind, name string, version int) (store.Document, error) {
	if err := s.enter(ctx); err != nil {
		return store.Document{}, err
	}
	defer s.use.RUnlock()
	if err := store.CheckName(kind, name); err != nil {
		return store.Document{}, err
	}
	d, _, err := s.head(ctx, kind, name)
	if err != nil {
		return store.Document{}, err
	}
	if d.Removed {
		return store.Document{}, store.ErrNotFound.With("%s: %q was removed", kind, name)
	}
	if version != 0 && version != d.Version {
		e, ok, err := s.get(ctx, olderKey(kind, name, version))
		if err != nil {
			return store.Document{}, err
		}
		if version < 0 || !ok {
			return store.Document{}, store.ErrNotFound.With("%s: there is no version %d of %q", kind, version, name)
		}
		if d, err = s.document(e); err != nil {
			return store.Document{}, err
		}
	}
	if err := s.body(ctx, &d); err != nil {
		return store.Document{}, err
	}
	return d.Document, nil
}

// Documents implements store.Store. It leaves out documents whose latest version is damaged.
func (s *Store) Documents(ctx context.Context, kind store.Kind, after string, limit int) ([]store.Document, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.use.RUnlock()
	if limit < 0 || limit > store.MaxLimit {
		return nil, store.ErrInvalid.With("got the limit %d, want at most %d", limit, store.MaxLimit)
	}
	if err := store.CheckName(kind, "any"); err != nil {
		return nil, err
	}
	limit = cmp.Or(limit, store.DefaultLimit)
	found := []store.Document{}
	q := engine.Query{Prefix: headKey(kind, ""), Limit: min(limit+1, documentsPage), Stale: isStale(ctx)}
	if after != "" {
		q.After = headKey(kind, after)
	}
	for {
		page, err := s.o.Engine.List(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, e := range page.Entries {
			d, err := s.document(e)
			if err == nil {
				err = s.body(ctx, &d)
			}
			switch {
			case len(found) == limit:
				return found, nil
			case err == nil && !d.Removed:
				found = append(found, d.Document)
			case err != nil && !errors.Is(err, store.ErrDamaged):
				return nil, err
			}
		}
		if !page.More {
			return found, nil
		}
		q.After = page.Entries[len(page.Entries)-1].Key
	}
}

// documentsPage is the number of documents that are read at once: 16 MB with the largest inline ones.
const documentsPage = 256

// Versions implements store.Store.
func (s *Store) Versions(ctx context.Context, kind store.Kind, name string) ([]store.Document, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.use.RUnlock()
	if err := store.CheckName(kind, name); err != nil {
		return nil, err
	}
	d, _, err := s.head(ctx, kind, name)
	if err == nil && d.Removed {
		err = store.ErrNotFound.With("%s: %q was removed", kind, name)
	}
	if err != nil {
		return nil, err
	}
	older, err := s.older(ctx, kind, name)
	if err != nil {
		return nil, err
	}
	var versions []store.Document
	for _, d := range slices.Backward(append(older, d)) {
		d.Body = nil
		versions = append(versions, d.Document)
	}
	return versions, nil
}

// Remove implements store.Store.
func (s *Store) Remove(ctx context.Context, kind store.Kind, name string) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.use.RUnlock()
	if err := store.CheckName(kind, name); err != nil {
		return err
	}
	for {
		last, _, err := s.head(ctx, kind, name)
		if err == nil && last.Removed {
			err = store.ErrNotFound.With("%s: %q was removed", kind, name)
		}
		if err != nil {
			return err
		}
		d := keptDocument{Document: store.Document{Kind: kind, Name: name}, Removed: true}
		if done, err := s.put(ctx, &d, 1); done || err != nil {
			return err
		}
	}
}
