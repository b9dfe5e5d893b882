// This file defines the journals of runs: logs while they live, and blobs afterwards.

package store

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/internal/runlog"
	"github.com/ptc-lang/ptc/runtime/dist"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/store"
)

// Journal implements store.Store.
func (s *Store) Journal(ctx context.Context, id string) (journal.Place, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.use.RUnlock()
	if !store.ValidID(id) {
		return nil, store.ErrNotFound.With("there is no run %.100q", id)
	}
	_, ok, err := s.get(ctx, runKey(id))
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, store.ErrNotFound.With("there is no run %s", id)
	}
	return &place{s, id, &logPlace{s, id}}, nil
}

// place is the journal of a run, which may end at any time.
type place struct {
	s    *Store
	run  string
	live *logPlace
}

func (p *place) String() string { return "the journal of run " + p.run }

// retired returns the blob of the journal, "" while it is in the log.
func (p *place) retired(ctx context.Context) (ref string, err error) {
	e, ok, err := p.s.get(ctx, runKey(p.run))
	if err != nil {
		return "", err
	}
	if !ok {
		return "", fmt.Errorf("%v: the run was deleted: %w", p, fs.ErrNotExist)
	}
	k, err := p.s.decodeRun(p.run, e.Value)
	if err != nil && k.Damaged == "" {
		return "", err
	}
	return k.Journal, nil
}

// Create implements journal.Place.
func (p *place) Create(ctx context.Context, h journal.Header, o journal.Options) (journal.RunCloser, error) {
	ref, err := p.retired(ctx)
	if err == nil && ref != "" {
		err = fmt.Errorf("%v: %w", p, fs.ErrExist)
	}
	if err != nil {
		return nil, err
	}
	return p.live.Create(ctx, h, o)
}

// Resume implements journal.Place.
func (p *place) Resume(ctx context.Context, settle []effect.Settlement,
	o journal.Options) (journal.RunCloser, *journal.Recording, error) {
	ref, err := p.retired(ctx)
	switch {
	case err != nil:
		return nil, nil, err
	case ref == "":
		return p.live.Resume(ctx, settle, o)
	}
	rec, err := p.read(ctx, o.Key)
	if err == nil {
		err = journal.ErrFinished // a run that has ended has no other journal
	}
	return nil, rec, err
}

// Open implements journal.Place.
func (p *place) Open(ctx context.Context) (io.ReadCloser, error) {
	for {
		ref, err := p.retired(ctx)
		if err != nil {
			return nil, err
		}
		if ref != "" {
			return p.s.openSealed(ctx, p.run, ref)
		}
		r, err := p.live.Open(ctx)
		if !errors.Is(err, fs.ErrNotExist) {
			return r, err
		}
		if ref, again := p.retired(ctx); again != nil || ref == "" { // or it has ended in the meantime
			return nil, err
		}
	}
}

func (p *place) read(ctx context.Context, key journal.Key) (*journal.Recording, error) {
	r, err := p.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return journal.Read(r, key)
}

// logPlace is the journal, in a log, of a run that a single node runs.
type logPlace struct {
	s   *Store
	run string
}

func (p *logPlace) String() string { return "the journal of run " + p.run }

// header is the id of the first record, so that two journals of one run can't both begin.
const header = "header"

// log returns the log of the run, for a new writer if it writes.
func (p *logPlace) log(writes bool) (*runlog.Log, error) {
	o := runlog.Options{Engine: p.s.o.Engine, Run: p.run, Seal: p.s.o.Seal, Blobs: p.s.o.Blobs,
		Appended: p.s.o.Appended}
	if writes {
		o.Writer = rand.Text()
		if f := p.s.fence(p.run); f != nil {
			o.Fence = f.Condition
		}
	}
	return runlog.New(o)
}

// Create implements journal.Place.
func (p *logPlace) Create(ctx context.Context, h journal.Header, o journal.Options) (journal.RunCloser, error) {
	if begun, err := p.begun(ctx); err != nil || begun {
		return nil, errors.Join(err, fmt.Errorf("%v has begun: %w", p, fs.ErrExist))
	}
	log, err := p.log(true)
	if err != nil {
		return nil, err
	}
	w := newWriter(log, header)
	j, err := journal.CreateOn(w, h, o)
	if err == nil {
		err = p.first(ctx, log, w.first)
	}
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return j, nil
}

// errRead ends the reading of a log.
var errRead = errors.New("store: enough was read")

// first returns fs.ErrExist unless the log begins with a record.
func (p *logPlace) first(ctx context.Context, log *runlog.Log, want []byte) error {
	err := log.Read(ctx, func(_ runlog.Position, got []byte) error {
		if !bytes.Equal(got, want) {
			return fmt.Errorf("%v was begun by another node: %w", p, fs.ErrExist)
		}
		return errRead
	})
	if errors.Is(err, errRead) {
		return nil
	}
	return err
}

// begun reports whether the log has a record.
func (p *logPlace) begun(ctx context.Context) (bool, error) {
	page, err := p.s.o.Engine.List(ctx, engine.Query{Prefix: runlog.Prefix(p.run), Limit: 1, Keys: true})
	return err == nil && len(page.Entries) > 0, err
}

// Resume implements journal.Place.
func (p *logPlace) Resume(ctx context.Context, settle []effect.Settlement,
	o journal.Options) (journal.RunCloser, *journal.Recording, error) {
	r, err := p.Open(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	rec, err := journal.Read(r, o.Key)
	if err != nil {
		return nil, nil, err
	}
	if rec.Final != nil {
		return nil, rec, journal.ErrFinished
	}
	if o.Accept != nil {
		if err := o.Accept(rec); err != nil {
			return nil, rec, err
		}
	}
	log, err := p.log(true)
	if err != nil {
		return nil, rec, err
	}
	w := newWriter(log, "")
	j, err := journal.ResumeOn(w, rec, settle, o)
	if err != nil {
		return nil, rec, errors.Join(err, w.Close())
	}
	return j, rec, nil
}

// Open implements journal.Place. It returns when all records are read, of one moment: the log of a run that ends is
// deleted.
func (p *logPlace) Open(ctx context.Context) (io.ReadCloser, error) {
	r, w := io.Pipe()
	go func() { // ends when the reader is closed
		w.CloseWithError(p.export(ctx, w))
	}()
	in := bufio.NewReader(r)
	if _, err := in.Peek(1); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return struct {
		io.Reader
		io.Closer
	}{in, r}, nil
}

// export writes the records of the log as a file.
func (p *logPlace) export(ctx context.Context, w io.Writer) error {
	log, err := p.log(false)
	if err != nil {
		return err
	}
	defer log.Close()
	shared, err := p.s.SharedLog(ctx, p.run)
	if err != nil {
		return err
	}
	if shared && len(p.s.o.Keys) > 0 {
		return dist.Export(w, p.records(ctx, log), p.s.o.Keys[0])
	}
	return journal.Export(w, p.records(ctx, log), p.s.o.Keys...)
}

// Log returns the log of a run for a new writer of a node that evaluates the run with others. The caller
// closes it. It has no fence: the records themselves define what a replaced node may still write.
func (s *Store) Log(run string) (*runlog.Log, error) {
	return runlog.New(runlog.Options{Engine: s.o.Engine, Run: run, Writer: rand.Text(), Seal: s.o.Seal, Blobs: s.o.Blobs,
		Appended: s.o.Appended})
}

// SharedLog reports whether several nodes can evaluate a run, or could if it has not begun: its log is not that of one
// node, such as that of a run which was migrated.
func (s *Store) SharedLog(ctx context.Context, run string) (bool, error) {
	_, alone, err := s.o.Engine.Get(ctx, runlog.Prefix(run)+header)
	return !alone, err
}

// records returns the records of the log as a sequence, and fs.ErrNotExist instead of none.
func (p *logPlace) records(ctx context.Context, log *runlog.Log) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		none := true
		err := log.Read(ctx, func(_ runlog.Position, record []byte) error {
			if none = false; !yield(record, nil) {
				return errRead
			}
			return nil
		})
		if err == nil && none {
			err = fmt.Errorf("%v has not begun, or is in a blob: %w", p, fs.ErrNotExist)
		}
		if err != nil && !errors.Is(err, errRead) {
			yield(nil, err)
		}
	}
}

// retire copies the journal of a run that has ended to a blob, and then deletes its log. If it fails, Sweep tries
// again: until then the journal is in the log.
func (s *Store) retire(ctx context.Context, id string) {
	if err := s.retireRun(ctx, id); err != nil {
		s.o.Log.Warn("the journal of a run that has ended stays in the engine for now", "run", id, "error", err)
	}
}

func (s *Store) retireRun(ctx context.Context, id string) error {
	live := &logPlace{s, id}
	for {
		k, e, err := s.read(ctx, id)
		if err != nil || !k.State.Final() {
			return err
		}
		if k.Journal == "" {
			r, err := live.Open(ctx)
			if errors.Is(err, fs.ErrNotExist) { // nothing was ever written
				return nil
			}
			if err != nil {
				return err
			}
			k.Journal, k.JournalBytes, err = s.o.Blobs.Create(ctx, runKey(id), func(w io.Writer) error {
				return errors.Join(s.copySealed(w, r, id), r.Close())
			})
			if err != nil {
				return err
			}
			if done, err := s.replace(ctx, k, e); err != nil {
				return err
			} else if !done {
				continue
			}
		}
		if err := runlog.Delete(ctx, s.o.Engine, id); err != nil {
			return err
		}
		return s.o.Blobs.Release(ctx, runlog.Owner(id))
	}
}
