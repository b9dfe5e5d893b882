// This file defines the documents of a directory.

package dir

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ptc-lang/ptc/internal/durable"
	"github.com/ptc-lang/ptc/store"
)

// keptDocument is the contents of the file of a version. A Removed version has no body; its file stays so
// that its number is not used again.
type keptDocument struct {
	store.Document
	Removed bool `json:"removed,omitempty"`
}

// Put implements store.Store.
func (s *Store) Put(ctx context.Context, doc store.Document) (store.Document, error) {
	if err := s.enter(); err != nil {
		return store.Document{}, err
	}
	defer s.use.RUnlock()
	if err := cmp.Or(ctx.Err(), doc.Check(), s.writable()); err != nil {
		return store.Document{}, err
	}
	s.docs.Lock()
	defer s.docs.Unlock()
	return s.put(keptDocument{Document: doc}, doc.Kind.Keep())
}

// put writes the next version of a document, and removes old ones until so many are left; 0 keeps all.
func (s *Store) put(doc keptDocument, keep int) (store.Document, error) {
	versions, err := s.versions(doc.Kind, doc.Name)
	if err != nil {
		return store.Document{}, err
	}
	next := 1
	if len(versions) > 0 {
		next = versions[0] + 1
	}
	if doc.Version != 0 && doc.Version != next {
		return store.Document{}, store.ErrConflict.With("%s %q: got version %d, want %d, which is the next one",
			doc.Kind, doc.Name, doc.Version, next)
	}
	doc.Version, doc.Created = next, s.now().Round(0).UTC()
	contents, _, err := sealed(&doc)
	if err != nil {
		return store.Document{}, err
	}
	if len(versions) == 0 {
		if err := s.makeFolders(doc.Kind, doc.Name); err != nil {
			return store.Document{}, err
		}
	}
	if err := s.replace(s.document(doc.Kind, doc.Name, next), contents); err != nil {
		return store.Document{}, err
	}
	for i, v := range versions {
		if keep > 0 && i+1 >= keep {
			err = errors.Join(err, os.Remove(s.document(doc.Kind, doc.Name, v)))
		}
	}
	var back keptDocument // as it will be read
	if _, readErr := unsealed(contents, &back); readErr != nil {
		err = errors.Join(err, readErr)
	}
	return back.Document, err
}

// makeFolders makes the folder of a document, and its name durable.
func (s *Store) makeFolders(kind store.Kind, name string) error {
	folder := s.folder(kind, name)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	return errors.Join(durable.SyncDir(filepath.Dir(folder)), durable.SyncDir(s.file(documentsDir)))
}

// Document implements store.Store.
func (s *Store) Document(ctx context.Context, kind store.Kind, name string, version int) (store.Document, error) {
	if err := s.enter(); err != nil {
		return store.Document{}, err
	}
	defer s.use.RUnlock()
	if err := cmp.Or(ctx.Err(), store.CheckName(kind, name)); err != nil {
		return store.Document{}, err
	}
	s.docs.RLock()
	defer s.docs.RUnlock()
	doc, err := s.readDocument(kind, name, version)
	if err == nil && doc.Removed {
		err = store.ErrNotFound.With("%s: %q was removed", kind, name)
	}
	if err != nil {
		return store.Document{}, err
	}
	return doc.Document, nil
}

// readDocument reads a version, the latest if it is 0.
func (s *Store) readDocument(kind store.Kind, name string, version int) (doc keptDocument, err error) {
	if version == 0 {
		versions, err := s.versions(kind, name)
		if err != nil {
			return doc, err
		}
		if len(versions) == 0 {
			return doc, store.ErrNotFound.With("%s: there is no %q", kind, name)
		}
		version = versions[0]
	}
	path := s.document(kind, name, version)
	_, err = readFile(path, &doc)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return doc, store.ErrNotFound.With("%s: there is no version %d of %q", kind, version, name)
	case err == nil && (doc.Kind != kind || doc.Name != name || doc.Version != version):
		return doc, store.ErrDamaged.With("%s is of %s %q, version %d", path, doc.Kind, doc.Name, doc.Version)
	}
	return doc, err
}

// Documents implements store.Store. It leaves out documents whose latest version is damaged.
func (s *Store) Documents(ctx context.Context, kind store.Kind, after string, limit int) ([]store.Document, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.use.RUnlock()
	if limit < 0 || limit > store.MaxLimit {
		return nil, store.ErrInvalid.With("got the limit %d, want at most %d", limit, store.MaxLimit)
	}
	if err := cmp.Or(ctx.Err(), store.CheckName(kind, "any")); err != nil {
		return nil, err
	}
	s.docs.RLock()
	defer s.docs.RUnlock()
	names, err := s.names(kind)
	docs := []store.Document{}
	for _, name := range names {
		if name <= after {
			continue
		}
		if len(docs) == cmp.Or(limit, store.DefaultLimit) {
			break
		}
		doc, err := s.readDocument(kind, name, 0)
		switch {
		case err == nil && !doc.Removed:
			docs = append(docs, doc.Document)
		case err == nil, errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrDamaged):
		default:
			return nil, err
		}
	}
	return docs, err
}

// Versions implements store.Store.
func (s *Store) Versions(ctx context.Context, kind store.Kind, name string) ([]store.Document, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.use.RUnlock()
	if err := cmp.Or(ctx.Err(), store.CheckName(kind, name)); err != nil {
		return nil, err
	}
	s.docs.RLock()
	defer s.docs.RUnlock()
	versions, err := s.versions(kind, name)
	if err != nil {
		return nil, err
	}
	var docs []store.Document
	for _, v := range versions {
		doc, err := s.readDocument(kind, name, v)
		if err != nil {
			return nil, err
		}
		if doc.Removed {
			break
		}
		doc.Body = nil
		docs = append(docs, doc.Document)
	}
	if docs == nil {
		return nil, store.ErrNotFound.With("%s: there is no %q", kind, name)
	}
	return docs, nil
}

// Remove implements store.Store.
func (s *Store) Remove(ctx context.Context, kind store.Kind, name string) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.use.RUnlock()
	if err := cmp.Or(ctx.Err(), store.CheckName(kind, name), s.writable()); err != nil {
		return err
	}
	s.docs.Lock()
	defer s.docs.Unlock()
	doc, err := s.readDocument(kind, name, 0)
	if err == nil && doc.Removed {
		err = store.ErrNotFound.With("%s: %q was removed", kind, name)
	}
	if err != nil && !errors.Is(err, store.ErrDamaged) {
		return err
	}
	_, err = s.put(keptDocument{Document: store.Document{Kind: kind, Name: name}, Removed: true}, 1)
	return err
}

// folder returns the folder of a document. A byte of the name that could mean something to a file system is written
// as % and two digits; so are capital letters, because some file systems ignore case.
func (s *Store) folder(kind store.Kind, name string) string {
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.' && i > 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02x", c)
		}
	}
	return s.file(documentsDir, string(kind), b.String())
}

// document returns the path of a version.
func (s *Store) document(kind store.Kind, name string, version int) string {
	return filepath.Join(s.folder(kind, name), strconv.Itoa(version)+".json")
}

// versions returns the versions of a document, the latest first.
func (s *Store) versions(kind store.Kind, name string) (versions []int, err error) {
	files, err := os.ReadDir(s.folder(kind, name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, f := range files {
		text, ok := strings.CutSuffix(f.Name(), ".json")
		if v, err := strconv.Atoi(text); ok && err == nil && v > 0 && strconv.Itoa(v) == text {
			versions = append(versions, v)
		}
	}
	slices.Sort(versions)
	slices.Reverse(versions)
	return versions, nil
}

// names returns the names of the documents of a kind, in order.
func (s *Store) names(kind store.Kind) (names []string, err error) {
	folders, err := os.ReadDir(s.file(documentsDir, string(kind)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, f := range folders {
		name, ok := unescaped(f.Name())
		if ok && s.folder(kind, name) == s.file(documentsDir, string(kind), f.Name()) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

func unescaped(folder string) (name string, ok bool) {
	var b []byte
	for len(folder) > 0 {
		if folder[0] != '%' {
			b, folder = append(b, folder[0]), folder[1:]
			continue
		}
		if len(folder) < 3 {
			return "", false
		}
		c, err := strconv.ParseUint(folder[1:3], 16, 8)
		if err != nil {
			return "", false
		}
		b, folder = append(b, byte(c)), folder[3:]
	}
	return string(b), true
}

// damagedDocuments returns the documents whose latest version can't be read.
func (s *Store) damagedDocuments(ctx context.Context) (all []store.Damage, err error) {
	s.docs.RLock()
	defer s.docs.RUnlock()
	kinds, err := os.ReadDir(s.file(documentsDir))
	if err != nil {
		return nil, err
	}
	for _, k := range kinds {
		kind := store.Kind(k.Name())
		if !k.IsDir() || store.CheckName(kind, "any") != nil {
			continue
		}
		names, err := s.names(kind)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if _, err := s.readDocument(kind, name, 0); errors.Is(err, store.ErrDamaged) {
				all = append(all, store.Damage{ID: fmt.Sprintf("%s/%s", kind, name), Reason: err.Error()})
			}
		}
	}
	return all, nil
}
