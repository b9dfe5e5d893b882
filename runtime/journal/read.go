// This file defines how a journal is read.

package journal

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// The bounds of a file. A journal refuses to write more, so that every file can be read, with
// memory in proportion to its size.
const (
	// MaxLine is the maximum length of a line in bytes: it fits a result of 16 MB, the bound of a
	// call, and an input of three times that.
	MaxLine = 64 << 20
	// MaxEffects is the maximum number of effects: a hundred times the default limit of calls.
	MaxEffects = 1 << 20
	// MaxFile is the maximum length of a file in bytes.
	MaxFile = 1 << 30
)

// Header has the data that a replay needs beside the effects.
type Header struct {
	// Run is a unique name of the run, for idempotency keys. Create makes one if it is empty.
	Run string
	// Program and Source are the name and the text of the program. A run of another one can't
	// use the journal.
	Program, Source string
	Data            json.RawMessage   // the input, if it is kept
	Seed            uint64            // of the run's random numbers; Create draws one if it is 0
	Options         json.RawMessage   // limits, flags, grants: data of the caller
	Tools           map[string]string // name to a hash of the schema
	Start           time.Time
}

// Recording is a journal that was read. A replay does not change it, so several runs may replay it
// concurrently.
type Recording struct {
	Header  Header
	Entries []Entry // in the order in which they were begun first
	Resumed []time.Time
	Final   *Final // nil if the run was interrupted
	// Stopped is the record of the bound that stopped the run; nil if there is none, or the run was
	// resumed since.
	Stopped json.RawMessage
	// Torn is the number of bytes of an incomplete last line.
	Torn int64
	// Key names the key of the file's first line; "" if it has no authenticators.
	Key string
	// Authentic reports whether the reader had that key and every line was written with it.
	// Lines that were cut off at the end can't be noticed.
	Authentic bool

	seal    seal // of the sound lines
	keys    []Key
	secrets []string       // sealed
	size    int64          // of the sound lines
	byID    map[string]int // to Entries
}

// Entry returns the entry of an effect.
func (r *Recording) Entry(id string) (Entry, bool) {
	i, ok := r.byID[id]
	if !ok {
		return Entry{}, false
	}
	return r.Entries[i], true
}

// InDoubt returns the write-effects of an interrupted run that were begun and not ended, settled or
// withdrawn, by their ids.
func (r *Recording) InDoubt() []Entry {
	var doubt []Entry
	for i := range r.Entries {
		if r.inDoubt(&r.Entries[i]) {
			doubt = append(doubt, r.Entries[i])
		}
	}
	slices.SortFunc(doubt, func(a, b Entry) int { return effect.CompareIDs(a.ID, b.ID) })
	return doubt
}

func (r *Recording) inDoubt(e *Entry) bool {
	return r.Final == nil && e.Class == effect.Write && e.Attempt > 0 && !e.Done && !e.Withdrawn && e.Pends == ""
}

// ReadFile reads the journal of a file, as Read does. The file may be in use; lines that are not
// written yet are missing.
func ReadFile(path string, keys ...Key) (*Recording, error) {
	if path == "" {
		return nil, errNoPath
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f, keys...)
}

// Read reads a journal. An incomplete last line is the result of a crash, and is left out. Any
// other line that was changed is a *Damage, and so is a line that names one of the keys and was not
// written with it. Lines of other keys can't be checked: the Recording is not Authentic then. A
// replay also decrypts the hidden texts of the file with the keys.
func Read(r io.Reader, keys ...Key) (*Recording, error) {
	return read(r, bounds{MaxLine, MaxEffects, MaxFile}, nil, keys...)
}

// Import is Read, and calls each with the records of the file, which a Log takes. An error of each is returned.
func Import(r io.Reader, each func(record []byte) error, keys ...Key) (*Recording, error) {
	return read(r, bounds{MaxLine, MaxEffects, MaxFile}, each, keys...)
}

// bounds are those of the constants above, or less in tests.
type bounds struct {
	line    int
	effects int
	file    int64
}

// reader is the state of reading.
type reader struct {
	bounds
	rec  *Recording
	line int // number
}

func read(from io.Reader, b bounds, each func(record []byte) error, keys ...Key) (*Recording, error) {
	if from == nil {
		return nil, errors.New("journal: got a nil reader, want one")
	}
	for _, k := range keys {
		if err := k.check(); err != nil {
			return nil, err
		}
	}
	r := &reader{bounds: b, rec: &Recording{keys: keys, byID: map[string]int{}}}
	in := bufio.NewReaderSize(from, 64<<10)
	for {
		r.line++
		text, err := r.next(in)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if err := r.take(text[:len(text)-1]); err != nil {
			return nil, err
		}
		r.rec.size += int64(len(text))
		if each == nil {
			continue
		}
		body, _, _, _ := parts(text[:len(text)-1]) // without the seal, which has closed it
		if err := each(append(body, '}')); err != nil {
			return nil, err
		}
	}
	if r.rec.size == 0 {
		return nil, &Damage{1, "there is no complete header: the run was interrupted before it began"}
	}
	return r.rec, nil
}

// Records reads a journal from the records of a Log, in their order. The recording is not
// Authentic: the log has to ensure that the records are the appended ones. An error of the
// sequence is returned.
func Records(records iter.Seq2[[]byte, error], keys ...Key) (*Recording, error) {
	if records == nil {
		return nil, errors.New("journal: got a nil sequence, want one of the records of a Log")
	}
	r := &reader{bounds: bounds{MaxLine, MaxEffects, MaxFile},
		rec: &Recording{keys: keys, byID: map[string]int{}}}
	for text, err := range records {
		r.line++
		r.rec.size += int64(len(text))
		var w wire
		switch {
		case err != nil:
			return nil, err
		case len(text) > r.bounds.line:
			return nil, r.damage("it has more than %d bytes", r.bounds.line)
		case r.rec.size > r.file:
			return nil, r.damage("there are more than %d bytes", r.file)
		}
		if err := json.Unmarshal(text, &w); err != nil {
			return nil, r.damage("%v", err)
		}
		if err := r.accept(&w); err != nil {
			return nil, err
		}
	}
	if r.line == 0 {
		return nil, &Damage{1, "there is no header: the run was interrupted before it began"}
	}
	return r.rec, nil
}

// next returns the next line with its newline, io.EOF at the end.
func (r *reader) next(in *bufio.Reader) ([]byte, error) {
	var text []byte
	for {
		part, err := in.ReadSlice('\n')
		switch {
		case len(text)+len(part) > r.bounds.line:
			return nil, r.damage("it has more than %d bytes", r.bounds.line)
		case r.rec.size+int64(len(text)+len(part)) > r.file:
			return nil, r.damage("the file has more than %d bytes", r.file)
		}
		text = append(text, part...)
		switch {
		case err == nil:
			return text, nil
		case errors.Is(err, io.EOF):
			r.rec.Torn = int64(len(text))
			return nil, io.EOF
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

// damage returns the error of the line that is being read. Errors of libraries quote the input, which may
// be the whole line.
func (r *reader) damage(format string, args ...any) error {
	reason := fmt.Sprintf(format, args...)
	if len(reason) > maxReason {
		reason = trimUTF8(reason[:maxReason]) + "…"
	}
	return &Damage{r.line, reason}
}

// maxReason is the maximum number of bytes of the reason of a Damage.
const maxReason = 1000

const timeLayout = time.RFC3339Nano
