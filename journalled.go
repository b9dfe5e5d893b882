// This file defines runs with a journal in a file: Record, Resume and Replay.

package ptc

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/jsonio"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
)

// JournalFile is the file of the journal of one run.
type JournalFile struct {
	Path string
	// Place is the place of a journal that is not in a file of this machine. Path is then empty.
	Place journal.Place
	// Key authenticates the file and encrypts the secrets in it. With a key, Resume and Replay refuse a file that
	// was not written with it. Without one, a run that needs a secret again cannot be resumed, and Resume refuses a
	// file that was written with a key. A key that is empty and not nil is refused.
	Key journal.Key
	// Run is a unique name of the run. tool.CallID is made of it, so that an outside system can identify a
	// call. Record makes a name if it is empty; Resume and Replay take the name in the journal.
	Run string
	// Options are the host's own, such as the grants of the run. Record writes them into the header, and
	// journal.ReadFile returns them.
	Options json.RawMessage
	// WithoutData keeps RunOptions.Data out of the header, because data may contain secrets. Then pass the same
	// data to Resume and Replay.
	WithoutData bool
	// Settled are settlements of effects that the journal has pending or in doubt: see journal.Recording.Pending. Only
	// Resume uses it. They are in the journal before anything else happens. Missing settlements are asked for
	// by RunOptions.OnPending, or given to the next Resume. One that does not fit is an error, and nothing
	// runs.
	Settled []effect.Settlement
}

// Record runs the program with a new journal. From it Resume continues the run after an interruption, and Replay runs
// it again. Record refuses a file that exists. The journal has the program, the seed and all data, as JSON. Data that
// can't be converted is an error, whether the program reads it or not.
//
// The error is that of Run, or a *Error of code journal-failed about the file. The Result is never nil.
func (p *Program) Record(ctx context.Context, file JournalFile, given RunOptions) (*Result, error) {
	if err := cmp.Or(p.runnable(ctx), file.wanted(), given.withoutJournal()); err != nil {
		return &Result{}, err
	}
	h := p.Header()
	h.Run, h.Seed, given.Seed = file.Run, given.Seed, 0
	if len(file.Options) > 0 {
		var line bytes.Buffer
		if err := json.Compact(&line, file.Options); err != nil {
			return &Result{}, &diag.Error{Code: diag.IllegalArgument, Err: err,
				Message: "JournalFile.Options: got " + quoted(string(file.Options)) + ", want JSON: " + err.Error()}
		}
		h.Options = line.Bytes()
	}
	if given.Data != nil && !file.WithoutData {
		var err *diag.Error
		if given.Data, h.Data, err = jsonOf(ctx, given.Data, &p.opts, &p.types); err != nil {
			return &Result{}, err
		}
	}
	j, err := file.place().Create(ctx, h, journal.Options{Key: file.Key})
	if err != nil {
		return &Result{}, file.failed(err)
	}
	return p.journalled(ctx, j, given)
}

// Resume continues the interrupted run of a journal. It does not repeat effects whose outcome the journal has. The
// program, its name, the seed and the data come from the journal; given.Data is used instead if it is not nil. A
// program that does not compile with opts leaves the file as it was.
//
// The error is that of Run or Compile, or a *Error of code journal-failed about the file, for which errors.Is finds
// journal.ErrFinished if the run has ended and journal.ErrInUse if another process runs it. The Result is never nil.
func Resume(ctx context.Context, file JournalFile, opts Options, given RunOptions) (*Result, error) {
	if err := cmp.Or(usable(ctx, &opts), file.wanted(), given.withoutJournal()); err != nil {
		return &Result{}, err
	}
	var p *Program
	accept := func(rec *journal.Recording) (err error) {
		if file.Key == nil && rec.Key != "" {
			return diag.New(diag.JournalFailed, token.Span{}, "%s: the journal was written with a key, got none", file.place()).
				WithHint("set JournalFile.Key: lines without it would leave the journal unauthentic")
		}
		p, err = recorded(ctx, rec, file, opts, &given)
		return err
	}
	j, _, err := file.place().Resume(ctx, file.Settled, journal.Options{Key: file.Key, Accept: accept})
	if err != nil {
		return &Result{}, file.failed(err)
	}
	return p.journalled(ctx, j, given)
}

// Replay runs the program of a journal again, with the outcomes that the journal has: no tool is called, no clock is
// read, and nothing waits. A run that has another effect than the recorded one ends with an error of code divergence.
// The program, its name, the seed and the data come from the journal; given.Data is used instead if it is not nil.
// opts.Tools are those of the run, or others with the same names and schemas. The file is not changed.
func Replay(ctx context.Context, file JournalFile, opts Options, given RunOptions) (*Result, error) {
	if err := cmp.Or(usable(ctx, &opts), file.wanted(), given.withoutJournal()); err != nil {
		return &Result{}, err
	}
	rec, err := file.read(ctx)
	if err != nil {
		return &Result{}, file.failed(err)
	}
	p, err := recorded(ctx, rec, file, opts, &given)
	if err != nil {
		return &Result{}, err
	}
	return p.journalled(ctx, journal.Replay(rec), given)
}

// read reads the journal.
func (f *JournalFile) read(ctx context.Context) (*journal.Recording, error) {
	r, err := f.place().Open(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return journal.Read(r, f.Key)
}

// recorded compiles the program of a recording, and takes the data from there if given has none.
func recorded(ctx context.Context, rec *journal.Recording, file JournalFile, opts Options,
	given *RunOptions) (*Program, error) {
	if file.Key != nil && !rec.Authentic {
		return nil, diag.New(diag.JournalFailed, token.Span{}, "%s: the journal was not written with the key", file.place()).
			WithHint("leave out the key only if you trust the author of the file")
	}
	if given.Data == nil && len(rec.Header.Data) > 0 {
		data, err := dataOf(rec.Header.Data)
		if err != nil {
			return nil, effect.RunError(fmt.Errorf("the data of the journal can't be read: %w", err))
		}
		given.Data = data
	}
	return Compile(ctx, rec.Header.Program, rec.Header.Source, opts)
}

// journalled runs the program with a journal, and closes the journal: also if a function of the host leaves Run
// by runtime.Goexit.
func (p *Program) journalled(ctx context.Context, j journal.RunCloser, given RunOptions) (res *Result, err error) {
	defer func() {
		if cerr := j.Close(); err == nil && cerr != nil {
			err = effect.RunError(cerr)
		}
	}()
	given.Journal = j
	return p.Run(ctx, given)
}

// wanted refuses a file without a path and a place, and one with both.
func (f *JournalFile) wanted() error {
	switch {
	case f.Path == "" && f.Place == nil:
		return diag.New(diag.IllegalArgument, token.Span{}, "JournalFile.Path is empty, want the path of a file")
	case f.Path != "" && f.Place != nil:
		return diag.New(diag.IllegalArgument, token.Span{}, "got JournalFile.Path %.200q beside JournalFile.Place", f.Path).
			WithHint("leave one of both out")
	}
	return nil
}

// place returns the place of the journal.
func (f *JournalFile) place() journal.Place {
	if f.Place != nil {
		return f.Place
	}
	return journal.File(f.Path)
}

// failed returns the error of a run whose file can't be opened or read, with the path and the next step.
func (f *JournalFile) failed(err error) *diag.Error {
	var known *diag.Error
	if errors.As(err, &known) {
		return known // of Accept, which knows the path
	}
	e := effect.RunError(err)
	if name := f.place().String(); !strings.Contains(e.Message, name) {
		e.Message = name + ": " + e.Message
	}
	if e.Hint != "" || f.Place != nil {
		return e
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		e.Hint = "use another path, one file for each run; or continue the run of the file with ptc.Resume"
	case errors.Is(err, fs.ErrNotExist):
		e.Hint = "Program.Record creates the file, in a directory that exists"
	case errors.Is(err, journal.ErrFinished):
		e.Hint = "run it again with ptc.Replay, or delete the file"
	case errors.Is(err, journal.ErrInUse):
		e.Hint = "wait until the other run ends"
	}
	return e
}

// withoutJournal refuses options that have a journal beside the one of a file.
func (o *RunOptions) withoutJournal() error {
	if absent[journal.Journal](o.Journal) {
		return nil
	}
	return diag.New(diag.IllegalArgument, token.Span{}, "got RunOptions.Journal beside the journal of a file").
		WithHint("leave RunOptions.Journal nil, or call Program.Run")
}

// jsonOf returns data as JSON, in parts and as a whole: the JSON of the values that a program sees, in which floats
// have a point. The bounds of a run hold for each part.
func jsonOf(ctx context.Context, data map[string]any, o *Options,
	types *goTypes) (parts map[string]any, whole json.RawMessage, err *diag.Error) {
	names, ends := slices.Sorted(maps.Keys(data)), make([][2]int, len(data))
	whole = json.RawMessage("{")
	for i, name := range names {
		if i > 0 {
			whole = append(whole, ',')
		}
		whole = append(append(whole, encoded(name)...), ':')
		ends[i][0] = len(whole)
		err := converted(ctx, name, data[name], o, types, func(t *value.Task, v value.Value) {
			b := t.BufTo(func(p []byte) { whole = append(whole, p...) })
			jsonio.WriteResult(t, b, v, false)
			b.Flush()
		})
		if err != nil {
			return nil, nil, err
		}
		ends[i][1] = len(whole)
	}
	whole = append(whole, '}')
	parts = make(map[string]any, len(data))
	for i, name := range names {
		parts[name] = whole[ends[i][0]:ends[i][1]]
	}
	return parts, whole, nil
}

// dataOf returns the data of a header for a run.
func dataOf(text json.RawMessage) (map[string]any, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, err
	}
	data := make(map[string]any, len(members))
	for name, m := range members {
		data[name] = m
	}
	return data, nil
}
