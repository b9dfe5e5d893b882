// This file defines the calls of the tools.

package kv

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/tools/internal/detach"
)

// The codes of failures.
const (
	CodeConflict = "conflict"  // :if-version is not the current version
	CodeBadKey   = "bad-key"   // no text that can be a key
	CodeTooLarge = "too-large" // the value is larger than one may be
	CodeFull     = "full"      // the file is as large as it may be
	CodeClosed   = "closed"    // the host has closed the store
	CodeDamaged  = "damaged"   // the file has changed since it was written
)

// Key is the arguments of kv.get.
type Key struct {
	Key string `json:"key"`
}

// Versioned is the arguments of kv.delete.
type Versioned struct {
	Key       string  `json:"key"`
	IfVersion *uint64 `json:"if-version,omitempty" jsonschema:"the required version; 0 for no entry"`
}

// Value is the result of kv.get.
type Value struct {
	Version uint64 `json:"version" jsonschema:"0 if there is no entry"`
	Value   any    `json:"value"`
}

func (s *Store) get(ctx context.Context, in Key) (Value, error) {
	if err := checkKey(in.Key); err != nil {
		return Value{}, err
	}
	return view(ctx, s, func(b *bbolt.Bucket) (Value, error) {
		version, text := entry(b.Get([]byte(in.Key)))
		if version == 0 {
			return Value{}, nil
		}
		// text is gone with the transaction.
		return Value{version, json.RawMessage(bytes.Clone(text))}, fits(ctx, len(text))
	})
}

// fits refuses early a value for which the run has no room.
func fits(ctx context.Context, size int) error {
	if room := tool.ResultRoom(ctx); room > 0 && int64(size) > room {
		return &tool.Error{Code: CodeTooLarge, Message: fmt.Sprintf("the value has %d bytes, the evaluation has room for "+
			"%d", size, room)}
	}
	return nil
}

// The schemas of kv.put. It takes the text of the value: decoded into Go's values, large
// numbers would lose digits.
const (
	putArgs = `{"type": "object", "required": ["key", "value"], "additionalProperties": false, "properties": {
		"key": {"type": "string"},
		"value": {},
		"if-version": {"type": "integer", "minimum": 0, "description": "the required version; 0 for no entry"}}}`
	putResult = `{"type": "object", "required": ["version"], "properties": {"version": {"type": "integer"}}}`
)

func (s *Store) put(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
	var in struct {
		Versioned
		Value json.RawMessage `json:"value"`
	}
	if err := json.Unmarshal(args, &in); err != nil {
		return nil, err
	}
	if err := checkKey(in.Key); err != nil {
		return nil, err
	}
	if len(in.Value) > s.grant.MaxValue {
		return nil, &tool.Error{Code: CodeTooLarge,
			Message: fmt.Sprintf("the value has %d bytes as JSON, want at most %d: keep its parts under keys of their own",
				len(in.Value), s.grant.MaxValue)}
	}
	version, err := update(ctx, s, func(b *bbolt.Bucket) (uint64, error) {
		if _, err := in.check(b); err != nil {
			return 0, err
		}
		if err := s.hasRoom(b.Tx(), int64(len(in.Key)+len(in.Value))); err != nil {
			return 0, err
		}
		version, err := b.NextSequence()
		if err != nil {
			return 0, err
		}
		return version, b.Put([]byte(in.Key), append(binary.BigEndian.AppendUint64(nil, version), in.Value...))
	})
	if err != nil {
		return nil, err
	}
	return json.RawMessage(`{"version":` + strconv.FormatUint(version, 10) + `}`), nil
}

// hasRoom refuses a value that would take the store beyond its bound. The library has a
// bound on the file, with which nothing could be deleted from a file that is full: a
// delete writes pages too.
func (s *Store) hasRoom(tx *bbolt.Tx, size int64) error {
	used := tx.Size() - int64(s.db.Stats().FreeAlloc)
	if used+size <= s.grant.MaxBytes {
		return nil
	}
	return &tool.Error{Code: CodeFull,
		Message: fmt.Sprintf("the store is full, %d of %d bytes are in use: delete what is not needed", used,
			s.grant.MaxBytes)}
}

// Deleted is the result of kv.delete.
type Deleted struct {
	Deleted bool `json:"deleted" jsonschema:"whether there was an entry"`
}

func (s *Store) delete(ctx context.Context, in Versioned) (Deleted, error) {
	if err := checkKey(in.Key); err != nil {
		return Deleted{}, err
	}
	return update(ctx, s, func(b *bbolt.Bucket) (Deleted, error) {
		version, err := in.check(b)
		if err != nil {
			return Deleted{}, err
		}
		return Deleted{version > 0}, b.Delete([]byte(in.Key))
	})
}

// check returns the version of the entry, and an error if it is not the one that is wanted.
func (v Versioned) check(b *bbolt.Bucket) (uint64, error) {
	version, _ := entry(b.Get([]byte(v.Key)))
	if v.IfVersion != nil && *v.IfVersion != version {
		return version, &tool.Error{Code: CodeConflict,
			Message: fmt.Sprintf("%q has version %d, want %d: read it again, and decide again", v.Key, version, *v.IfVersion),
			Data:    map[string]uint64{"version": version}}
	}
	return version, nil
}

// entry splits the stored bytes of a key; the version is 0 if there are none.
func entry(kept []byte) (version uint64, text []byte) {
	if len(kept) < 8 {
		return 0, nil
	}
	return binary.BigEndian.Uint64(kept), kept[8:]
}

func checkKey(key string) error {
	if key == "" || len(key) > maxKey {
		return &tool.Error{Code: CodeBadKey, Message: fmt.Sprintf("got a key of %d bytes, want 1 to %d", len(key), maxKey)}
	}
	return nil
}

// view reads in a transaction. The file is in the page cache of the machine, or is read
// from disk: a call may have to be left.
func view[T any](ctx context.Context, s *Store, read func(*bbolt.Bucket) (T, error)) (T, error) {
	return transact(ctx, s, s.db.View, read)
}

// update writes in a transaction; if it returns no error, the data is on the disk.
func update[T any](ctx context.Context, s *Store, write func(*bbolt.Bucket) (T, error)) (T, error) {
	return transact(ctx, s, s.db.Update, write)
}

func transact[T any](ctx context.Context, s *Store, do func(func(*bbolt.Tx) error) error,
	body func(*bbolt.Bucket) (T, error)) (T, error) {
	out, err := detach.Do(ctx, &s.left, func(ctx context.Context) (out T, err error) {
		if s.damaged.Load() {
			return out, errDamaged
		}
		err = intact(func() error {
			return do(func(tx *bbolt.Tx) (err error) {
				if err := ctx.Err(); err != nil {
					return err // the call was over before its turn came
				}
				out, err = body(tx.Bucket(bucket))
				return err
			})
		})
		if errors.Is(err, errDamaged) {
			s.damaged.Store(true)
		}
		return out, err
	}, nil)
	if errors.Is(err, errDamaged) {
		err = &tool.Error{Code: CodeDamaged, Message: "the store is damaged", Err: err}
	}
	if errors.Is(err, berrors.ErrDatabaseNotOpen) {
		err = &tool.Error{Code: CodeClosed, Message: "the host has closed the store"}
	}
	return out, err
}
