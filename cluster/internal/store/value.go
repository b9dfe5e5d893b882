// This file defines the bytes of runs and documents: JSON with a checksum, encrypted if there is a key.

package store

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/store"
)

// maxInline is the most bytes of a part of a run, and of a document, that are in the engine. Larger ones are blobs.
const maxInline = 64 << 10

// kept is the value of the key of a run.
type kept struct {
	store.Run
	// Mark is random, and another one after each change: a commit that is repeated finds whether it was made.
	Mark string `json:"mark"`
	// Marks are those of the changes before, at most maxMarks: others may change the run before a commit is repeated.
	Marks []string `json:"marks,omitempty"`
	// Input and Outcome are the names of the blobs of large parts, which the run does not have; "" for none.
	Input   string `json:"inputBlob,omitempty"`
	Outcome string `json:"outcomeBlob,omitempty"`
	Large   int64  `json:"largeBytes,omitempty"` // of both
	// Journal is the name of the blob of the journal of a run that has ended.
	Journal      string `json:"journalBlob,omitempty"`
	JournalBytes int64  `json:"journalBytes,omitempty"`
	Damaged      string `json:"damaged,omitempty"` // why the run was set aside
}

// maxMarks is the number of marks that a run keeps, of 13 bytes each. Most runs change ten times or so.
const maxMarks = 100

// remark marks a run as changed.
func (k *kept) remark() {
	k.Marks = append(slices.Clone(k.Marks), k.Mark)
	k.Marks = k.Marks[max(len(k.Marks)-maxMarks, 0):]
	k.Mark = rand.Text()[:10]
}

// brief returns the run as a list has it.
func (k *kept) brief() store.Run {
	if k.Outcome == "" {
		return k.Brief()
	}
	run := k.Run // brief when it was kept, except these fields
	run.Source, run.Data = "", nil
	return run
}

// input is the part of a run that never changes.
type input struct {
	Source string          `json:"source,omitempty"`
	Data   json.RawMessage `json:"data,omitempty"`
}

// outcome is the part of a run that may be large, and changes.
type outcome struct {
	store.Result
	Pending []effect.Pending `json:"pending,omitempty"`
	Settled []store.Settled  `json:"settled,omitempty"`
}

// The beginning of a value: the version, whether it is encrypted, and the CRC-32C of the rest.
const (
	version  = 1
	headSize = 6
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// plain returns v as JSON without escapes of HTML.
func plain(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// encode returns the value for a place, such as a key.
func (s *Store) encode(place string, v any) ([]byte, error) {
	text, err := plain(v)
	if err != nil {
		return nil, err
	}
	sealed := byte(0)
	if s.o.Seal != nil {
		if text, err = s.o.Seal.Seal(place, text); err != nil {
			return nil, fmt.Errorf("store: %s: %w", place, err)
		}
		sealed = 1
	}
	b := make([]byte, headSize, headSize+len(text))
	b[0], b[1] = version, sealed
	binary.BigEndian.PutUint32(b[2:], crc32.Checksum(text, castagnoli))
	return append(b, text...), nil
}

// decode decodes the value of a place. Its errors are reasons why it is damaged.
func (s *Store) decode(place string, value []byte, v any) error {
	switch {
	case len(value) < headSize:
		return fmt.Errorf("it has %d bytes, want at least %d", len(value), headSize)
	case value[0] != version:
		return fmt.Errorf("its format has version %d, this node reads %d", value[0], version)
	case crc32.Checksum(value[headSize:], castagnoli) != binary.BigEndian.Uint32(value[2:]):
		return errors.New("its checksum is wrong: it was changed or damaged")
	}
	text := value[headSize:]
	switch {
	case value[1] != 0 && s.o.Seal == nil:
		return errors.New("it is encrypted, and this node has no key")
	case value[1] == 0 && s.o.Seal != nil: // anybody can write such a value who can write to a disk
		return errors.New("it is not encrypted, and all values of this cluster are: somebody else has written it")
	case value[1] != 0:
		var err error
		if text, err = s.o.Seal.Open(place, text); err != nil {
			return err
		}
	}
	if err := json.Unmarshal(text, v); err != nil {
		return fmt.Errorf("it can't be read: %w", err)
	}
	return nil
}

// toBlob keeps v as a blob.
func (s *Store) toBlob(ctx context.Context, owner string, v any) (ref string, size int64, err error) {
	value, err := s.encode(owner, v)
	if err != nil {
		return "", 0, err
	}
	ref, err = s.o.Blobs.Put(ctx, owner, value)
	return ref, int64(len(value)), err
}

// fromBlob decodes a value that toBlob has kept.
func (s *Store) fromBlob(ctx context.Context, owner, ref string, v any) error {
	value, err := s.o.Blobs.Get(ctx, ref)
	if err != nil {
		return err
	}
	if err := s.decode(owner, value, v); err != nil {
		return store.ErrDamaged.With("blob %.100s of %s: %w", ref, owner, err)
	}
	return nil
}

// runKey returns the key of a run, which also owns its blobs.
func runKey(id string) string { return runs + id }

// The prefixes of keys.
const (
	runs    = "run/"
	runHead = runs + "head" // no id
	keys    = "key/"
	leads   = "lead/"
	gone    = "gone/" // NODE
	results = "result/"
	heads   = "head/"
	docs    = "doc/"
)

// encodeRun returns the value of a run. It moves large parts to blobs. An input that is in a blob stays there.
func (s *Store) encodeRun(ctx context.Context, k kept) ([]byte, error) {
	key := runKey(k.ID)
	if k.Input == "" && len(k.Source)+len(k.Data) > maxInline {
		ref, size, err := s.toBlob(ctx, key, input{k.Source, k.Data})
		if err != nil {
			return nil, err
		}
		k.Input, k.Large = ref, k.Large+size
	}
	if k.Input != "" {
		k.Source, k.Data = "", nil
	}
	text, err := plain(&k.Run)
	if err != nil {
		return nil, err
	}
	k.Outcome = ""
	if len(text) > 2*maxInline {
		ref, size, err := s.toBlob(ctx, key, outcome{k.Result, k.Pending, k.Settled})
		if err != nil {
			return nil, err
		}
		k.Outcome, k.Large = ref, k.Large+size
		source, data := k.Source, k.Data
		k.Run = k.Brief()
		k.Source, k.Data = source, data
	}
	return s.encode(key, &k)
}

// decodeRun decodes the value of a run, without the parts that are in blobs.
func (s *Store) decodeRun(id string, value []byte) (k kept, err error) {
	if err = s.decode(runKey(id), value, &k); err == nil && k.ID != id {
		err = fmt.Errorf("it is of run %.100q", k.ID)
	}
	if err == nil {
		err = k.Check()
	}
	if err != nil {
		return kept{}, store.ErrDamaged.With("run %s: %w", id, err)
	}
	if k.Damaged != "" {
		return k, store.ErrDamaged.With("run %s: %s", id, k.Damaged)
	}
	return k, nil
}

// complete reads the parts of a run that are in blobs.
func (s *Store) complete(ctx context.Context, k *kept) error {
	key := runKey(k.ID)
	if k.Input != "" {
		var in input
		if err := s.fromBlob(ctx, key, k.Input, &in); err != nil {
			return err
		}
		k.Source, k.Data = in.Source, in.Data
	}
	if k.Outcome != "" {
		var out outcome
		if err := s.fromBlob(ctx, key, k.Outcome, &out); err != nil {
			return err
		}
		k.Result, k.Pending, k.Settled = out.Result, out.Pending, out.Settled
	}
	return nil
}
