// This file defines Ahead: how an earlier run continued.

package journal

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// trail has the entries of an earlier run in the order of their ids: first those of an evaluation,
// then those of the evaluations below it, operation by operation. A search takes no memory. A table
// of all evaluations and operations would take a hundred kilobytes for each id of maximum depth,
// and a file can have many of those.
type trail []*Entry

func newTrail(entries []Entry) trail {
	t := make(trail, len(entries))
	for i := range entries {
		t[i] = &entries[i]
	}
	slices.SortFunc(t, func(a, b *Entry) int { return effect.CompareIDs(a.ID, b.ID) })
	return t
}

// find returns the index of the first entry whose id is not before id. id may also be a path, which
// is before all ids in it.
func (t trail) find(id string) int {
	i, _ := slices.BinarySearchFunc(t, id, func(e *Entry, id string) int { return effect.CompareIDs(e.ID, id) })
	return i
}

// from returns the first entry that is not before id, if it begins with prefix.
func (t trail) from(id, prefix string) *Entry {
	if i := t.find(id); i < len(t) && strings.HasPrefix(t[i].ID, prefix) {
		return t[i]
	}
	return nil
}

// last returns the last effect of the evaluation at a path, nil if it had none.
func (t trail) last(path string) *Entry {
	if i := t.find(path + "#" + beyondNumbers); i > 0 && pathOf(t[i-1].ID) == path {
		return t[i-1]
	}
	return nil
}

// beyondNumbers is greater than any number in an id.
const beyondNumbers = "10000000000"

// Ahead returns how the evaluation at a path continued in the earlier run after the effect and the
// operation with these numbers. It is empty if there is no earlier run.
func (j *Journal) Ahead(path string, n int, operation uint64) (a effect.Ahead) {
	if j.shared != nil {
		return j.shared.Ahead(path, n, operation)
	}
	if next := j.trail.from(path+"#"+strconv.Itoa(n+1), path+"#"); next != nil {
		a.Next = &next.Effect
	}
	a.Known = a.Next != nil || j.trail.from(path+"."+strconv.FormatUint(operation+1, 10), path+".") != nil
	if path == mainPath && j.replay {
		a.Stop = j.doubted.Stopped
	}
	return a
}

// mainPath is the path of the main evaluation.
const mainPath = "0"

// Cut reports whether the earlier run began an effect and its outcome is not known.
func (j *Journal) Cut(id string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	r := j.earlier[id]
	return r != nil && !r.entry.Done
}

// Had reports whether the earlier run had effects in an operation.
func (j *Journal) Had(operation string) bool {
	if j.shared != nil {
		return j.shared.Had(operation)
	}
	return j.trail.from(operation, operation+".") != nil
}

// Recalls reports whether there is an earlier run, or the same one on other nodes.
func (j *Journal) Recalls() bool { return j.earlier != nil || j.shared != nil }
