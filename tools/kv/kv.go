// Package kv has tools for a store that keeps values between runs, in one file: kv.get, kv.put, kv.delete and
// kv.list.
//
//	store, err := kv.Open(kv.Grant{File: "state.db"})
//	defer store.Close()
//	registry.Add(store.Tools()...)
//
//	(tool/kv.put {:key "orders/last" :value {:id 41 :at "2024-05-01"}})
//	;; {:version 1}
//	(tool/kv.get "orders/last")
//	;; {:version 1, :value {:id 41, :at "2024-05-01"}}
//	(tool/kv.get "nothing")
//	;; {:version 0, :value nil}
//
// A value is any JSON value. As in the result of any tool, the keys of its objects are keywords.
//
// Every write sets a version of its entry that no other entry of the file has or will have. A put or delete with
// :if-version happens only if the entry still has that version; 0 means that there must be no entry.
// Otherwise it fails with the code :conflict, and :data has the actual version. So concurrent runs can
// update an entry without a lock:
//
//	(loop []
//	  (let [{:keys [value version]} (tool/kv.get "counter")
//	        done (try (tool/kv.put {:key "counter" :value (inc (or value 0)) :if-version version})
//	                  (catch Exception e (when (not= :conflict (:code (ex-data e))) (throw e))))]
//	    (or done (recur))))
//
// A write is on disk when the call returns. Only one process at a time can open the file; a second one gets an
// error. Any number of processes can open it together if all of them only read.
package kv

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/tools/internal/detach"
)

// Grant names the file and its bounds. The zero value grants nothing.
type Grant struct {
	File     string // is made if it is missing, unless ReadOnly
	ReadOnly bool   // grants kv.get and kv.list alone

	MaxValue int           // bytes of a value as JSON; DefaultValue if 0
	MaxBytes int64         // of the file that are in use; DefaultBytes if 0
	Wait     time.Duration // for another process to let go of the file; DefaultWait if 0
}

const (
	// DefaultValue is that of state, not of files: the store reads and writes a value whole.
	DefaultValue = 1 << 20
	// DefaultBytes keeps a program in a loop from filling a disk.
	DefaultBytes = 256 << 20
	// DefaultWait covers the end of the run before.
	DefaultWait = time.Second
	// maxKey bounds a key, in bytes: keys are looked through in lists.
	maxKey = 1024
)

// bucket holds the entries. Its name carries the version of their form: 8 bytes of
// version, big-endian, and the JSON of the value.
var bucket = []byte("ptc.kv.1")

// Store is an open file. It is safe for concurrent use, and by any number of runs.
type Store struct {
	grant   Grant
	db      *bbolt.DB
	left    detach.Group
	damaged atomic.Bool // then locks of db may be held forever
}

// Names returns the tools of this package, each with the flag that grants it.
func Names() map[string]string {
	const how = "grant it with --allow-kv FILE"
	return map[string]string{"kv.get": how, "kv.put": how, "kv.delete": how, "kv.list": how}
}

// Open opens the file of a grant.
func Open(g Grant) (*Store, error) {
	if g.File == "" {
		return nil, errors.New("kv: the grant names no file")
	}
	if g.MaxValue <= 0 {
		g.MaxValue = DefaultValue
	}
	if g.MaxBytes <= 0 {
		g.MaxBytes = DefaultBytes
	}
	if g.Wait <= 0 {
		g.Wait = DefaultWait
	}
	if info, err := os.Stat(g.File); err == nil && !info.Mode().IsRegular() {
		// to a device it would write
		return nil, fmt.Errorf("kv: %s is not a regular file, want a store or a new file", g.File)
	}
	var db *bbolt.DB
	err := intact(func() (err error) {
		if db, err = bbolt.Open(g.File, 0o600, &bbolt.Options{Timeout: g.Wait, ReadOnly: g.ReadOnly}); err != nil {
			return err
		}
		if err := prepare(db); err != nil {
			return errors.Join(err, db.Close())
		}
		return nil
	})
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return nil, fmt.Errorf("kv: %s is in use by another process, waited %v: only one process at a time can use it",
			g.File, g.Wait)
	case errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrChecksum),
		errors.Is(err, berrors.ErrVersionMismatch), errors.Is(err, errDamaged):
		return nil, fmt.Errorf("kv: %s is not a store, or is damaged: %w", g.File, err)
	case db == nil:
		return nil, fmt.Errorf("kv: %w", err)
	case err != nil:
		return nil, fmt.Errorf("kv: %s: %w", g.File, err)
	}
	return &Store{grant: g, db: db}, nil
}

// prepare sees to it that the file has the bucket of the entries.
func prepare(db *bbolt.DB) error {
	if !db.IsReadOnly() {
		return db.Update(func(tx *bbolt.Tx) error {
			_, err := tx.CreateBucketIfNotExists(bucket)
			return err
		})
	}
	return db.View(func(tx *bbolt.Tx) error {
		if tx.Bucket(bucket) == nil {
			return errors.New("the file belongs to another program, or to another version of this one")
		}
		return nil
	})
}

// Close waits for the calls that are under way and lets go of the file. One that was found
// to be damaged stays held until the process ends.
func (s *Store) Close() error {
	s.left.Wait()
	if s.damaged.Load() || s.db == nil {
		return nil
	}
	return s.db.Close()
}

// Stubs returns the tools that a store of the grant would have, not to be called: nothing is
// opened or made.
func Stubs(g Grant) []*tool.Tool { return (&Store{grant: g}).Tools() }

// errDamaged reports that the file has contents that the library has not written.
var errDamaged = errors.New("invalid contents")

// intact calls f, and returns errDamaged if the library finds something in the file that it
// can't continue with. It panics then, or reads where nothing is mapped, which ends the
// process otherwise.
func intact(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", errDamaged, p)
		}
	}()
	return f()
}

// Tools returns the tools that the grant allows.
func (s *Store) Tools() []*tool.Tool {
	tools := []*tool.Tool{
		tool.New("kv.get", "Returns the value stored under a key, and its version: nil and 0 if there is none.", s.get,
			tool.ReadOnly(),
			tool.Example(`(:value (tool/kv.get "orders/last"))`)),
		tool.New("kv.list", "Lists entries by key. If :more is true, the next page begins :after the last key of this one.",
			s.list, tool.ReadOnly(),
			tool.Example(`(map :key (:entries (tool/kv.list {:prefix "orders/"})))`)),
	}
	if s.grant.ReadOnly {
		return tools
	}
	return append(tools,
		tool.Dynamic("kv.put", "Stores a value under a key; with :if-version, only if the entry has that version.",
			json.RawMessage(putArgs), json.RawMessage(putResult), s.put,
			tool.Example(`(tool/kv.put {:key "orders/last" :value {:id 41}})`),
			tool.Example(`(tool/kv.put {:key "lease" :value "worker 3" :if-version 0})`)),
		tool.New("kv.delete", "Deletes an entry; with :if-version, only if it has that version.", s.delete,
			tool.Example(`(tool/kv.delete "orders/last")`)))
}
