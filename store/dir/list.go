// This file defines lists of runs.

package dir

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"

	"go.etcd.io/bbolt"

	"github.com/ptc-lang/ptc/store"
)

// List implements store.Store. It takes some 10 µs for each run of the page. A query with several conditions also
// skips runs that meet only some of them, a million in a second.
func (s *Store) List(ctx context.Context, q store.Query) (store.Page, error) {
	if err := s.enter(); err != nil {
		return store.Page{}, err
	}
	defer s.use.RUnlock()
	if err := cmp.Or(ctx.Err(), q.Check(), s.catchUp()); err != nil {
		return store.Page{}, err
	}
	return s.index.list(ctx, &q)
}

// Count implements store.Store.
func (s *Store) Count(ctx context.Context, tenant string) (map[store.State]int, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.use.RUnlock()
	if err := cmp.Or(ctx.Err(), s.catchUp()); err != nil {
		return nil, err
	}
	return s.index.counts(tenant)
}

// list returns a page. It reads the index at one moment.
func (x *index) list(ctx context.Context, q *store.Query) (page store.Page, err error) {
	limit := cmp.Or(q.Limit, store.DefaultLimit)
	page.Runs = []store.Run{} // an empty list in JSON
	err = x.db.View(func(tx *bbolt.Tx) error {
		w := newWalk(tx, q)
		for id := w.first(ctx); id != ""; id = w.next(ctx, id) {
			if len(page.Runs) == limit {
				page.Next = page.Runs[limit-1].ID
				break
			}
			var e entry
			if err := json.Unmarshal(tx.Bucket(runsBucket).Get([]byte(id)), &e); err != nil {
				return err
			}
			page.Runs = append(page.Runs, e.Run)
		}
		return ctx.Err()
	})
	return page, err
}

// walk goes through the runs that a query selects, in order. Each condition is a list of ids in the index, and they
// are walked together: the next id of one list is looked up in the others, which skip all ids before it.
type walk struct {
	all      []lane
	asc      bool
	from, to string // the bounds of ids: from is the least that is selected, to the least that is not; "" is none
	after    string
}

// lane is a list of ids: those of one of several terms.
type lane []ids

// ids are the ids of a term.
type ids struct {
	c      *bbolt.Cursor
	prefix []byte
}

func newWalk(tx *bbolt.Tx, q *store.Query) *walk {
	w := &walk{asc: q.Oldest, after: q.After}
	add := func(terms ...[]byte) {
		var l lane
		for _, t := range terms {
			l = append(l, ids{tx.Bucket(termsBucket).Cursor(), append(t, 0)})
		}
		w.all = append(w.all, l)
	}
	if len(q.States) > 0 {
		var states [][]byte
		for _, st := range q.States {
			states = append(states, stateTerm(q.Tenant, st))
		}
		add(states...)
	} else if q.Tenant != "" {
		add(join("tenant", q.Tenant))
	}
	if q.Program != "" {
		add(join("program", q.Program))
	}
	for name, value := range q.Labels {
		add(join("label", name, value))
	}
	if len(w.all) == 0 {
		w.all = []lane{{ids{tx.Bucket(runsBucket).Cursor(), nil}}}
	}
	if !q.Since.IsZero() {
		w.from = store.FirstID(q.Since)
	}
	if !q.Until.IsZero() {
		w.to = store.FirstID(q.Until)
	}
	return w
}

// first returns the first id, "" if there is none.
func (w *walk) first(ctx context.Context) string {
	if w.after != "" {
		return w.next(ctx, w.after)
	}
	if w.asc {
		return w.seek(ctx, w.from, true)
	}
	return w.seek(ctx, w.to, false)
}

// next returns the id that follows id.
func (w *walk) next(ctx context.Context, id string) string {
	if !w.asc {
		if w.to != "" && id > w.to {
			id = w.to
		}
		return w.seek(ctx, id, false)
	}
	if id < w.from {
		return w.seek(ctx, w.from, true)
	}
	return w.seek(ctx, id, false)
}

// pollSkips is how many lists are skipped between two looks at the context: about 1 ms of work.
const pollSkips = 1000

// seek returns the first id that all lanes have, at id or after it. If the walk descends, id "" is the end, and an id
// itself is not returned unless with is true.
func (w *walk) seek(ctx context.Context, id string, with bool) string {
	agreed := 0
	for skips := 0; agreed < len(w.all); skips++ {
		if skips%pollSkips == pollSkips-1 && ctx.Err() != nil {
			return ""
		}
		got := w.all[skips%len(w.all)].seek(id, with, w.asc)
		switch {
		case got == "":
			return ""
		case got == id && with:
			agreed++
		default:
			id, with, agreed = got, true, 1
		}
	}
	if w.asc && w.to != "" && id >= w.to || !w.asc && id < w.from {
		return ""
	}
	return id
}

// seek returns the first id of a lane at or after id, "" if there is none.
func (l lane) seek(id string, with, asc bool) (best string) {
	for _, i := range l {
		var got string
		if asc {
			got = i.after(id, with)
		} else {
			got = i.before(id, with)
		}
		if best == "" || got != "" && got < best == asc {
			best = got
		}
	}
	return best
}

// after returns the least id that is greater than id, or the same if with is true.
func (i ids) after(id string, with bool) string {
	k, _ := i.c.Seek(i.key(id))
	if got := i.id(k); got == "" || got != id || with {
		return got
	}
	k, _ = i.c.Next()
	return i.id(k)
}

// before returns the greatest id that is less than id, or the same if with is true. It is the greatest of all if id
// is "".
func (i ids) before(id string, with bool) string {
	key := i.key(id)
	if id == "" {
		key = i.key("\xff")
	}
	k, _ := i.c.Seek(key)
	if with && id != "" && i.id(k) == id {
		return id
	}
	if k == nil {
		k, _ = i.c.Last()
	} else {
		k, _ = i.c.Prev()
	}
	return i.id(k)
}

func (i ids) key(id string) []byte { return append(bytes.Clone(i.prefix), id...) }

// id returns the id of a key, "" if the key is of another term.
func (i ids) id(k []byte) string {
	rest, ok := bytes.CutPrefix(k, i.prefix)
	if !ok {
		return ""
	}
	return string(rest)
}
