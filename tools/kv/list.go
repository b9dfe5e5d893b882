// This file defines kv.list.

package kv

import (
	"bytes"
	"context"
	"encoding/json"

	"go.etcd.io/bbolt"

	"github.com/ptc-lang/ptc/runtime/tool"
)

// List is the arguments of kv.list.
type List struct {
	Prefix string `json:"prefix,omitempty" jsonschema:"prefix of the keys; by default all keys"`
	After  string `json:"after,omitempty" jsonschema:"the page begins after this key"`
	Limit  int    `json:"limit,omitempty" jsonschema:"maximum number of entries; default 100, at most 1000"`
	Values bool   `json:"values,omitempty" jsonschema:"whether to return the values too"`
}

// Page is the result of kv.list.
type Page struct {
	Entries []Entry `json:"entries" jsonschema:"sorted by the bytes of their keys"`
	More    bool    `json:"more" jsonschema:"whether there are further entries"`
}

// Entry is an entry of a list.
type Entry struct {
	Key     string `json:"key"`
	Version uint64 `json:"version"`
	Value   any    `json:"value,omitempty" jsonschema:"the value, if values was true"`
}

const (
	defaultPage = 100
	maxPage     = 1000
	// pageBytes bounds a page: it ends before the entry that would pass it, but has one
	// entry at least.
	pageBytes = 1 << 20
	// entryBytes is the JSON size of an entry besides its key and value.
	entryBytes = 64
)

func (s *Store) list(ctx context.Context, in List) (Page, error) {
	limit := min(in.Limit, maxPage)
	if in.Limit <= 0 {
		limit = defaultPage
	}
	room := int64(pageBytes)
	if r := tool.ResultRoom(ctx); r > 0 {
		room = min(room, r)
	}
	return view(ctx, s, func(b *bbolt.Bucket) (Page, error) {
		page, c := Page{Entries: []Entry{}}, b.Cursor()
		for k, kept := in.first(c); k != nil && bytes.HasPrefix(k, []byte(in.Prefix)); k, kept = c.Next() {
			e, size := in.entry(k, kept)
			if room -= size; len(page.Entries) == limit || room < 0 && len(page.Entries) > 0 {
				page.More = true
				break
			}
			page.Entries = append(page.Entries, e)
		}
		return page, nil
	})
}

// first moves to where the page begins.
func (in List) first(c *bbolt.Cursor) (k, kept []byte) {
	if in.After < in.Prefix {
		return c.Seek([]byte(in.Prefix))
	}
	if k, kept = c.Seek([]byte(in.After)); in.After != "" && string(k) == in.After {
		return c.Next()
	}
	return k, kept
}

func (in List) entry(k, kept []byte) (Entry, int64) {
	version, text := entry(kept)
	e := Entry{Key: string(k), Version: version}
	size := len(k) + entryBytes
	if in.Values {
		e.Value = json.RawMessage(bytes.Clone(text))
		size += len(text)
	}
	return e, int64(size)
}
