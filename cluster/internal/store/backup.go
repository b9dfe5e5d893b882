// This file defines backups: everything of a store as one stream, at one moment.

package store

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/internal/runlog"
	"github.com/ptc-lang/ptc/store"
)

// line is a line of a backup: an entry of the engine, a part of a blob, or the end.
type line struct {
	Key     string          `json:"key,omitempty"`
	Value   []byte          `json:"value,omitempty"`
	Created engine.Revision `json:"created,omitempty"`
	Owner   string          `json:"owner,omitempty"` // of a blob
	Ref     string          `json:"ref,omitempty"`   // of a blob, in its last part
	Part    []byte          `json:"part,omitempty"`
	Last    bool            `json:"last,omitempty"`
	End     int             `json:"end,omitempty"` // the number of lines before the last one
}

// saved are the prefixes of the keys of a backup. Leaders end with their leases. A new cluster has tokens already.
var saved = []string{runs, keys, results, heads, docs, "log/", tokens}

// tokens begins the keys of the tokens of users, see package cluster/internal/users.
const tokens = "users/token/"

// partSize is the most bytes of a part of a blob.
const partSize = 256 << 10

// Backup writes all runs, journals, results and documents in their state at one moment, and their blobs.
// Encrypted data stays encrypted, so Restore needs the same keys. Runs that end while the backup is written
// are in it as active.
func (s *Store) Backup(ctx context.Context, to io.Writer) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.use.RUnlock()
	out := bufio.NewWriter(to)
	enc, n := json.NewEncoder(out), 0
	write := func(l line) error { n++; return enc.Encode(l) }
	var revision engine.Revision
	for _, prefix := range saved {
		q := engine.Query{Prefix: prefix, Limit: loadPage, Revision: revision}
		for {
			page, err := s.o.Engine.List(ctx, q)
			if err != nil {
				return fmt.Errorf("store: backup of %q at revision %d: %w", prefix, revision, err)
			}
			revision, q.Revision = page.Revision, page.Revision
			for _, e := range page.Entries {
				if err := write(line{Key: e.Key, Value: e.Value, Created: e.Created}); err != nil {
					return err
				}
			}
			if !page.More {
				break
			}
			q.After = page.Entries[len(page.Entries)-1].Key
		}
	}
	err := s.o.Blobs.Owned(ctx, func(owner, ref string) error { return s.backupBlob(ctx, owner, ref, write) })
	if err != nil {
		return err
	}
	if err := enc.Encode(line{End: n}); err != nil {
		return err
	}
	return out.Flush()
}

func (s *Store) backupBlob(ctx context.Context, owner, ref string, write func(line) error) error {
	r, err := s.o.Blobs.Open(ctx, ref)
	if err != nil {
		return fmt.Errorf("store: backup of the blob %s of %s: %w", ref, owner, err)
	}
	defer r.Close()
	buf := make([]byte, partSize)
	for {
		n, err := io.ReadFull(r, buf)
		last := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !last {
			return err
		}
		if err := write(line{Owner: owner, Ref: ref, Part: buf[:n], Last: last}); err != nil || last {
			return err
		}
	}
}

// Restore reads a backup into a cluster that has no runs and documents. The tokens of the cluster stay;
// tokens of the backup with other names are added. The runs are in their state at the moment of the backup:
// unfinished runs continue, and repeat the effects that they have had since. After an error the cluster has
// to be created again.
func (s *Store) Restore(ctx context.Context, from io.Reader) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.use.RUnlock()
	for _, prefix := range saved {
		if prefix == tokens {
			continue
		}
		page, err := s.o.Engine.List(ctx, engine.Query{Prefix: prefix, Limit: 1, Keys: true})
		if err != nil {
			return err
		}
		if len(page.Entries) > 0 {
			return store.ErrInUse.With("the cluster has %q already, want an empty one for a backup", page.Entries[0].Key)
		}
	}
	dec := json.NewDecoder(bufio.NewReader(from))
	var logs []line
	for n := 0; ; n++ {
		var l line
		err := dec.Decode(&l)
		switch {
		case err != nil:
			return fmt.Errorf("store: line %d of the backup: %w", n+1, err)
		case l.Key == "" && l.Owner == "":
			if l.End != n {
				return fmt.Errorf("store: the backup ends after %d lines, want %d", n, l.End)
			}
			return s.restoreLogs(ctx, logs)
		case strings.HasPrefix(l.Key, "log/"):
			logs = append(logs, l)
		case strings.HasPrefix(l.Key, tokens): // those of the new cluster stay
			_, err = s.apply(ctx, []engine.Condition{engine.Absent(l.Key)}, engine.Put(l.Key, l.Value))
		case l.Key != "":
			ops := []engine.Op{engine.Put(l.Key, l.Value)}
			if strings.HasPrefix(l.Key, runs) && l.Key != runHead {
				ops = append(ops, engine.Put(runHead, nil))
			}
			_, err = s.apply(ctx, nil, ops...)
		default:
			var more int
			more, err = s.restoreBlob(ctx, dec, l)
			n += more
		}
		if err != nil {
			return err
		}
	}
}

// restoreBlob keeps a blob, whose first part is l. more is the number of further lines.
func (s *Store) restoreBlob(ctx context.Context, dec *json.Decoder, l line) (more int, err error) {
	ref, _, err := s.o.Blobs.Create(ctx, l.Owner, func(w io.Writer) error {
		for part := l; ; more++ {
			if part.Ref != l.Ref || part.Owner != l.Owner {
				return fmt.Errorf("store: the backup lacks a part of the blob %s", l.Ref)
			}
			if _, err := w.Write(part.Part); err != nil || part.Last {
				return err
			}
			part = line{}
			if err := dec.Decode(&part); err != nil {
				return err
			}
		}
	})
	if err == nil && ref != l.Ref {
		err = fmt.Errorf("store: a blob of the backup has the sum %s, want %s", ref, l.Ref)
	}
	return more, err
}

// restoreLogs appends the records of logs in their order. Records of one commit are restored in one commit,
// in the order of their indexes, so the positions have the same order.
func (s *Store) restoreLogs(ctx context.Context, logs []line) error {

	slices.SortFunc(logs, func(a, b line) int {
		return cmp.Or(cmp.Compare(a.Created, b.Created), cmp.Compare(runlog.Index(a.Value), runlog.Index(b.Value)))
	})
	for len(logs) > 0 {
		var ops []engine.Op
		for i := 0; i < len(logs) && logs[i].Created == logs[0].Created; i++ {
			ops = append(ops, engine.Put(logs[i].Key, logs[i].Value))
		}
		if _, err := s.apply(ctx, nil, ops...); err != nil {
			return err
		}
		logs = logs[len(ops):]
	}
	return nil
}
