// This file defines the index of the runs: its buckets, and how it follows the runs.

package dir

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"go.etcd.io/bbolt"

	"github.com/ptc-lang/ptc/store"
)

// index is an index of the runs in a file.
type index struct{ db *bbolt.DB }

// The buckets.
var (
	runsBucket    = []byte("runs")    // id: an entry
	termsBucket   = []byte("terms")   // term, 0, id: nothing
	keysBucket    = []byte("keys")    // tenant, 0, key: id
	endedBucket   = []byte("ended")   // nanoseconds of the end, id: bytes; of final runs
	countsBucket  = []byte("counts")  // tenant, 0, state: number of runs
	damagedBucket = []byte("damaged") // id: reason
)

var buckets = [][]byte{runsBucket, termsBucket, keysBucket, endedBucket, countsBucket, damagedBucket}

// entry is the record of a run in the index: the brief run, and the bytes of its files if it is final.
type entry struct {
	store.Run
	Size int64 `json:"size,omitempty"`
}

// openBolt opens the file of an index. It is not synced with each change: an index that was not closed is not used.
func openBolt(path string) (*index, error) {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{NoSync: true, NoStatistics: true,
		FreelistType: bbolt.FreelistMapType, Timeout: time.Second})
	if err != nil {
		return nil, err
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		for _, name := range buckets {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &index{db}, nil
}

// close writes the index to the disk.
func (x *index) close() error { return errors.Join(x.db.Sync(), x.db.Close()) }

// join returns the parts of a key. No part has the byte between them: Run.Check of package store
// refuses it.
func join(parts ...string) []byte { return []byte(strings.Join(parts, "\x00")) }

// terms returns the terms that queries find a run by.
func terms(r *store.Run) [][]byte {
	all := [][]byte{stateTerm("", r.State), stateTerm(r.Tenant, r.State), join("tenant", r.Tenant)}
	if r.Program != "" {
		all = append(all, join("program", r.Program))
		if name, _, versioned := strings.Cut(r.Program, "@"); versioned {
			all = append(all, join("program", name))
		}
	}
	for name, value := range r.Labels {
		all = append(all, join("label", name, value))
	}
	return all
}

// stateTerm is the term of the runs in a state, of one tenant or of all. The term of one tenant saves most
// lists a second condition.
func stateTerm(tenant string, s store.State) []byte {
	if tenant == "" {
		return join("state", string(s))
	}
	return join("tenant-state", tenant, string(s))
}

// put stores a run in the index.
func (x *index) put(e *entry) error {
	return x.db.Update(func(tx *bbolt.Tx) error { return put(tx, e) })
}

func put(tx *bbolt.Tx, e *entry) error {
	old, err := take(tx, e.ID)
	if err != nil {
		return err
	}
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	add := func(bucket, key, value []byte) {
		if err == nil {
			err = tx.Bucket(bucket).Put(key, value)
		}
	}
	add(runsBucket, []byte(e.ID), text)
	kept := map[string]bool{}
	for _, term := range terms(&e.Run) {
		kept[string(term)] = true
		if old == nil || !old[string(term)] {
			add(termsBucket, append(append(term, 0), e.ID...), nil)
		}
	}
	for term := range old {
		if !kept[term] && err == nil {
			err = tx.Bucket(termsBucket).Delete(append(append([]byte(term), 0), e.ID...))
		}
	}
	if e.Key != "" {
		add(keysBucket, join(e.Tenant, e.Key), []byte(e.ID))
	}
	if e.State.Final() {
		add(endedBucket, endedKey(&e.Run), binary.BigEndian.AppendUint64(nil, uint64(e.Size)))
	}
	if err == nil {
		err = count(tx, &e.Run, 1)
	}
	return err
}

// take prepares a transaction to write a run again: it takes back the count of the previous one, and returns its terms.
func take(tx *bbolt.Tx, id string) (old map[string]bool, err error) {
	if err := tx.Bucket(damagedBucket).Delete([]byte(id)); err != nil {
		return nil, err
	}
	text := tx.Bucket(runsBucket).Get([]byte(id))
	if text == nil {
		return nil, nil
	}
	var e entry
	if err := json.Unmarshal(text, &e); err != nil {
		return nil, err
	}
	if e.State.Final() {
		if err := tx.Bucket(endedBucket).Delete(endedKey(&e.Run)); err != nil {
			return nil, err
		}
	}
	old = map[string]bool{}
	for _, term := range terms(&e.Run) {
		old[string(term)] = true
	}
	return old, count(tx, &e.Run, -1)
}

func endedKey(r *store.Run) []byte {
	return append(binary.BigEndian.AppendUint64(nil, uint64(r.Ended.UnixNano())), r.ID...)
}

// count adds to the number of runs in the state of a run.
func count(tx *bbolt.Tx, r *store.Run, by int64) error {
	b, key := tx.Bucket(countsBucket), join(r.Tenant, string(r.State))
	n := by
	if old := b.Get(key); old != nil {
		n += int64(binary.BigEndian.Uint64(old))
	}
	if n == 0 {
		return b.Delete(key)
	}
	return b.Put(key, binary.BigEndian.AppendUint64(nil, uint64(n)))
}

// remove removes runs with their keys.
func (x *index) remove(ids []string) error {
	return x.db.Update(func(tx *bbolt.Tx) error {
		for _, id := range ids {
			if err := drop(tx, id, true); err != nil {
				return err
			}
		}
		return nil
	})
}

// damage moves a run to the damaged ones. Its key stays: a submission that is repeated must not run again.
func (x *index) damage(id string, reason error) error {
	return x.db.Update(func(tx *bbolt.Tx) error {
		if err := drop(tx, id, false); err != nil {
			return err
		}
		return tx.Bucket(damagedBucket).Put([]byte(id), []byte(reason.Error()))
	})
}

// drop removes a run, if the index has it.
func drop(tx *bbolt.Tx, id string, withKey bool) error {
	if withKey {
		if err := dropKey(tx, id); err != nil {
			return err
		}
	}
	old, err := take(tx, id)
	if err != nil {
		return err
	}
	for term := range old {
		if err := tx.Bucket(termsBucket).Delete(append(append([]byte(term), 0), id...)); err != nil {
			return err
		}
	}
	return tx.Bucket(runsBucket).Delete([]byte(id))
}

// dropKey removes the key of a run. If the run is damaged and no longer in the index, it searches for the key.
func dropKey(tx *bbolt.Tx, id string) error {
	keys := tx.Bucket(keysBucket)
	text := tx.Bucket(runsBucket).Get([]byte(id))
	if text == nil {
		c := keys.Cursor()
		for k, v := c.First(); k != nil; k, v = c.Next() {
			if string(v) == id {
				return c.Delete()
			}
		}
		return nil
	}
	var e entry
	if err := json.Unmarshal(text, &e); err != nil {
		return err
	}
	if key := join(e.Tenant, e.Key); e.Key != "" && string(keys.Get(key)) == id {
		return keys.Delete(key)
	}
	return nil
}

// byKey returns the id of the run with a key, "" if there is none.
func (x *index) byKey(tenant, key string) (id string, err error) {
	err = x.db.View(func(tx *bbolt.Tx) error {
		id = string(tx.Bucket(keysBucket).Get(join(tenant, key)))
		return nil
	})
	return id, err
}

// last returns the greatest id, "" if there is none.
func (x *index) last() (id string, err error) {
	err = x.db.View(func(tx *bbolt.Tx) error {
		for _, name := range [][]byte{runsBucket, damagedBucket} {
			k, _ := tx.Bucket(name).Cursor().Last()
			id = max(id, string(k))
		}
		return nil
	})
	return id, err
}

// counts returns the number of runs by state, of one tenant or, if it is "", of all.
func (x *index) counts(tenant string) (n map[store.State]int, err error) {
	n = map[store.State]int{}
	err = x.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(countsBucket).ForEach(func(k, v []byte) error {
			of, state, _ := bytes.Cut(k, []byte{0})
			if tenant == "" || tenant == string(of) {
				n[store.State(state)] += int(binary.BigEndian.Uint64(v))
			}
			return nil
		})
	})
	return n, err
}

// damaged returns the damaged runs.
func (x *index) damaged() (runs []store.Damage, err error) {
	err = x.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(damagedBucket).ForEach(func(k, v []byte) error {
			runs = append(runs, store.Damage{ID: string(k), Reason: string(v)})
			return nil
		})
	})
	return runs, err
}

// beyond returns the final runs that exceed a bound, in the order in which they ended.
func (x *index) beyond(ctx context.Context, r store.Retention, now time.Time) (ids []string, err error) {
	if r == (store.Retention{}) {
		return nil, nil
	}
	err = x.db.View(func(tx *bbolt.Tx) error {
		c := tx.Bucket(endedBucket).Cursor()
		kept, bytes, over := 0, int64(0), false
		for k, v := c.Last(); k != nil; k, v = c.Prev() { // the newest first: once a bound is exceeded, so it is before
			ended := time.Unix(0, int64(binary.BigEndian.Uint64(k)))
			kept++
			bytes += int64(binary.BigEndian.Uint64(v))
			over = over || r.Count > 0 && kept > r.Count || r.Bytes > 0 && bytes > r.Bytes ||
				r.Age > 0 && now.Sub(ended) > r.Age
			if over {
				ids = append(ids, string(k[8:]))
			}
			if kept%1000 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
		}
		return nil
	})
	slices.Reverse(ids)
	return ids, err
}
