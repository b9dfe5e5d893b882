// This file defines the places of journals: files, and others.

package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// Place is the place where the journal of one run is kept. File is a place in a file; a service has others.
// It is safe for concurrent use, but only one journal at a time writes to it.
type Place interface {
	// Create begins the journal, as the function Create does. The error is fs.ErrExist if it has begun.
	Create(ctx context.Context, h Header, o Options) (RunCloser, error)
	// Resume continues the journal of an interrupted run, as the function Resume does. The error is fs.ErrNotExist if it
	// has not begun.
	Resume(ctx context.Context, settle []effect.Settlement, o Options) (RunCloser, *Recording, error)
	// Open returns the present contents of the journal, in the form of a file, which Read reads. The caller closes it.
	// The error is fs.ErrNotExist if it has not begun.
	Open(ctx context.Context) (io.ReadCloser, error)
	// String returns the name of the place for messages, such as the path of a file.
	String() string
}

// RunCloser is a Run that its user closes.
type RunCloser interface {
	Run
	// Close makes all records durable. No record may follow.
	Close() error
}

// File returns the Place of a file.
func File(path string) Place { return file(path) }

type file string

// Create implements Place.
func (f file) Create(ctx context.Context, h Header, o Options) (RunCloser, error) {
	if err := ended(ctx); err != nil {
		return nil, err
	}
	j, err := Create(string(f), h, o)
	if err != nil {
		return nil, err // a nil *Journal is no nil RunCloser
	}
	return j, nil
}

// Resume implements Place.
func (f file) Resume(ctx context.Context, settle []effect.Settlement, o Options) (RunCloser, *Recording, error) {
	if err := ended(ctx); err != nil {
		return nil, nil, err
	}
	j, rec, err := Resume(string(f), settle, o)
	if err != nil {
		return nil, rec, err
	}
	return j, rec, nil
}

// Open implements Place.
func (f file) Open(ctx context.Context) (io.ReadCloser, error) {
	if err := ended(ctx); err != nil {
		return nil, err
	}
	if f == "" {
		return nil, errNoPath
	}
	r, err := os.Open(string(f))
	if err != nil {
		return nil, err // a nil *os.File is no nil ReadCloser
	}
	return r, nil
}

func (f file) String() string { return string(f) }

// ended returns the error of a context that is nil or has ended.
func ended(ctx context.Context) error {
	if ctx == nil {
		return errors.New("journal: the context is nil")
	}
	return ctx.Err()
}

// Export writes the records of a Log, in their order, as the contents of a file. The lines are authenticated by the
// keys that the records name. An error of the sequence is returned.
func Export(w io.Writer, records iter.Seq2[[]byte, error], keys ...Key) error {
	for _, k := range keys {
		if err := k.check(); err != nil {
			return err
		}
	}
	if w == nil || records == nil {
		return errors.New("journal: got a nil writer or sequence, want both")
	}
	log := newLog(exported{w}, 0, seal{})
	for record, err := range records {
		if err == nil {
			err = log.rekey(record, keys)
		}
		if err == nil {
			_, err = log.Append(record)
		}
		if err != nil {
			return errors.Join(err, log.Close())
		}
	}
	return log.Close()
}

// rekey makes the log seal lines with the key that a record names, if it is the first of a process.
func (l *fileLog) rekey(record []byte, keys []Key) error {
	if !bytes.HasPrefix(record, newLine("run")) && !bytes.HasPrefix(record, newLine("resume")) {
		return nil
	}
	var w wire
	if err := json.Unmarshal(record, &w); err != nil {
		return fmt.Errorf("journal: a record can't be read: %w", err)
	}
	r := reader{rec: &Recording{keys: keys}}
	key := r.key(w.Key)
	if w.Key != "" && key == nil {
		return fmt.Errorf("journal: the records were written with key %s, which is not among the %d that are given",
			cut(w.Key, 0), len(keys))
	}
	l.seal.use(w.Key, key)
	return nil
}

// exported is a writer as the sink of a log.
type exported struct{ io.Writer }

func (exported) Sync() error  { return nil }
func (exported) Close() error { return nil }
