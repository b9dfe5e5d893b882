// This file defines runs with a journal.

package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/journal"
)

// maxName is the most bytes of the name of a journal.
const maxName = 100

// journalName reports whether a text can be the name of a journal, which is that of a file.
func journalName(text string) bool {
	other := func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.')
	}
	return text != "" && len(text) <= maxName && text[0] != '.' && text[0] != '-' && !strings.ContainsFunc(text, other)
}

// header is the part of the request that the journal of a run keeps.
type header struct {
	Owner  string     `json:"owner"`
	Limits ptc.Limits `json:"limits"`
}

// header returns the options in the header of a journal.
func (j Journals) header(owner string, l ptc.Limits) (json.RawMessage, error) {
	all := make(map[string]any)
	if len(j.Options) > 0 {
		if err := json.Unmarshal(j.Options, &all); err != nil {
			return nil, fmt.Errorf("mcp: Options.Journals.Options: want a JSON object: %w", err)
		}
	}
	all["owner"], all["limits"] = owner, l
	return json.Marshal(all)
}

// path returns the file of a journal.
func (j Journals) path(name string) string { return filepath.Join(j.Dir, name+".journal") }

// file returns a journal for a run.
func (j Journals) file(name string) ptc.JournalFile {
	return ptc.JournalFile{Path: j.path(name), Key: j.Key}
}

// recorded begins a run with a journal, or continues with the run that the journal has.
func (s *Server) recorded(ctx context.Context, owner string, q *request, o ptc.Options) (*live, error) {
	j := s.opts.Journals
	switch {
	case j.Dir == "":
		return nil, errors.New("this server records no runs: leave out the journal, or start the server with --journal-dir")
	case !journalName(q.Journal):
		return nil, fmt.Errorf("journal: got %.100q, want a name of letters, digits, dots, dashes and underscores", q.Journal)
	case q.Session != "":
		return nil, errors.New("a program of a session can't be recorded: leave out the session or the journal")
	}
	prog, err := compiled(ctx, q, o)
	if err != nil {
		return nil, err
	}
	rec, err := j.read(q.Journal, owner)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil && j.unbegun(q.Journal):
		if s.findJournal(q.Journal) != nil {
			return s.resumed(ctx, owner, q.Journal)
		}
		if err := os.Remove(j.path(q.Journal)); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, err
	case rec.Header.Source != *q.Program:
		return nil, fmt.Errorf("the journal %s has another program: pass that one, or another name", q.Journal)
	case !q.hasInput(rec.Header.Data):
		return nil, fmt.Errorf("the journal %s has another input: pass that one, or another name", q.Journal)
	default:
		return s.resumed(ctx, owner, q.Journal)
	}
	file := j.file(q.Journal)
	if file.Options, err = j.header(owner, o.Limits); err != nil {
		return nil, err
	}
	l := &live{id: newID(), owner: owner, journal: q.Journal}
	file.Run = l.id
	return l, s.start(ctx, l, s.here(l, func(ctx context.Context, given ptc.RunOptions) (*ptc.Result, error) {
		given.Data = q.input()
		return prog.Record(ctx, file, given)
	}))
}

// hasInput reports whether the input is the one in the header of a journal.
func (q *request) hasInput(recorded json.RawMessage) bool {
	given, err := json.Marshal(q.Input)
	if err != nil {
		return false
	}
	return reflect.DeepEqual(decodedInput(given), decodedInput(recorded))
}

// decodedInput returns an input that keeps the written form of its numbers. A missing input is an empty one.
func decodedInput(text json.RawMessage) (in map[string]any) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if dec.Decode(&in) != nil || in == nil {
		return map[string]any{}
	}
	return in
}

// unbegun reports whether a journal has no complete line: the process was killed before the run began.
func (j Journals) unbegun(name string) bool {
	text, err := os.ReadFile(j.path(name))
	return err == nil && !bytes.Contains(text, []byte("\n"))
}

// read reads a journal of an owner.
func (j Journals) read(name, owner string) (*journal.Recording, error) {
	rec, err := journal.ReadFile(j.path(name), j.Key)
	if err != nil {
		return nil, fmt.Errorf("the journal %s can't be read: %w", name, err)
	}
	var h header
	if err := json.Unmarshal(rec.Header.Options, &h); err != nil || h.Owner != owner {
		return nil, fmt.Errorf("the journal %s is not one of this caller: pass another name", name)
	}
	return rec, nil
}

// resumed continues with the run of a journal. One that has ended is replayed: it repeats no effect.
func (s *Server) resumed(ctx context.Context, owner, name string) (*live, error) {
	if l := s.findJournal(name); l != nil {
		if l.owner != owner {
			return nil, errContinuation
		}
		return l, nil
	}
	rec, err := s.opts.Journals.read(name, owner)
	if err != nil {
		return nil, err
	}
	var h header
	if err := json.Unmarshal(rec.Header.Options, &h); err != nil {
		return nil, fmt.Errorf("the options of the journal %s can't be read: %w", name, err)
	}
	o, file := s.opts.Run, s.opts.Journals.file(name)
	o.Limits = h.Limits.Within(o.Limits).Or(o.Limits)
	l := &live{id: newID(), owner: owner, journal: name}
	return l, s.start(ctx, l, s.here(l, func(ctx context.Context, given ptc.RunOptions) (*ptc.Result, error) {
		res, err := ptc.Resume(ctx, file, o, given)
		if errors.Is(err, journal.ErrFinished) {
			given.OnPending = nil
			return ptc.Replay(ctx, file, o, given)
		}
		return res, err
	}))
}
