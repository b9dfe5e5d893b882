// This file defines the map with its history.

package memory

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
)

// data is the current map and its earlier states, from the revision compacted on.
type data struct {
	head      engine.Revision // of the last commit
	compacted engine.Revision
	history   []engine.Commit      // in order; those before compacted are gone
	keys      map[string][]version // each key that a kept revision has, oldest version first
	sorted    []string             // the keys, in order, except fresh
	fresh     []string             // keys that are not in sorted yet
	bytes     int64
}

// version is an entry from a revision to that of the next version.
type version struct {
	engine.Entry
	deleted bool
}

func (d *data) init() { d.keys = map[string][]version{} }

// at returns the entry of a key as it was after a revision.
func (d *data) at(key string, revision engine.Revision) (engine.Entry, bool) {
	versions := d.keys[key]
	for i := len(versions) - 1; i >= 0; i-- {
		if v := &versions[i]; v.Modified <= revision {
			return v.Entry, !v.deleted
		}
	}
	return engine.Entry{}, false
}

// with returns the keys with a prefix, in order, including deleted ones. The slice is valid until the next commit.
func (d *data) with(prefix, after string) []string {
	if len(d.fresh) > 0 {
		d.sorted = append(d.sorted, d.fresh...)
		slices.Sort(d.sorted)
		d.fresh = d.fresh[:0]
	}
	from, _ := slices.BinarySearch(d.sorted, prefix)
	if after >= prefix {
		var found bool
		if from, found = slices.BinarySearch(d.sorted, after); found {
			from++
		}
	}
	n, _ := slices.BinarySearchFunc(d.sorted[from:], prefix, func(key, prefix string) int {
		if strings.HasPrefix(key, prefix) {
			return -1
		}
		return cmp.Or(strings.Compare(key, prefix), 1)
	})
	return d.sorted[from : from+n]
}

// commit makes operations, whose lease exists, and returns the changes.
func (d *data) commit(ops []engine.Op) []engine.Change {
	revision := d.head + 1
	var changes []engine.Change
	change := func(e engine.Entry, deleted bool) {
		changes = append(changes, engine.Change{Entry: e, Deleted: deleted})
		if _, known := d.keys[e.Key]; !known {
			d.fresh = append(d.fresh, e.Key)
		}
		d.keys[e.Key] = append(d.keys[e.Key], version{e, deleted})
		d.bytes += int64(len(e.Key) + len(e.Value))
	}
	remove := func(key string) {
		if _, ok := d.at(key, d.head); ok {
			change(engine.Entry{Key: key, Modified: revision}, true)
		}
	}
	for _, op := range ops {
		switch {
		case op.Prefix:
			for _, key := range d.with(op.Key, "") {
				remove(key)
			}
		case op.Delete:
			remove(op.Key)
		default:
			e := engine.Entry{Key: op.Key, Value: slices.Clone(op.Value), Created: revision, Modified: revision, Lease: op.Lease}
			if old, ok := d.at(op.Key, d.head); ok {
				e.Created = old.Created
			}
			change(e, false)
		}
	}
	if len(changes) > 0 {
		d.head = revision
		d.history = append(d.history, engine.Commit{Revision: revision, Changes: changes})
	}
	return changes
}

// compact forgets the map before a revision.
func (d *data) compact(before engine.Revision) {
	if before <= d.compacted {
		return
	}
	d.compacted = before
	d.history = slices.Clone(d.history[d.after(before-1):])
	d.bytes = 0
	for key, versions := range d.keys {
		first := 0
		for i := range versions {
			if versions[i].Modified <= before {
				first = i
			}
		}
		if last := versions[first]; last.deleted && last.Modified <= before {
			first++
		}
		if first == len(versions) {
			delete(d.keys, key)
			continue
		}
		d.keys[key] = slices.Clone(versions[first:])
		for _, v := range d.keys[key] {
			d.bytes += int64(len(v.Key) + len(v.Value))
		}
	}
	gone := func(key string) bool { return d.keys[key] == nil }
	d.sorted, d.fresh = slices.DeleteFunc(d.sorted, gone), slices.DeleteFunc(d.fresh, gone)
}

// after returns the index in the history of the first commit after a revision.
func (d *data) after(revision engine.Revision) int {
	i, _ := slices.BinarySearchFunc(d.history, revision+1, func(c engine.Commit, r engine.Revision) int {
		return cmp.Compare(c.Revision, r)
	})
	return i
}
