// This file defines the contents of the files: JSON with a checksum.

package dir

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"

	"github.com/ptc-lang/ptc/store"
)

// kept is the contents of run.json.
type kept struct {
	store.Run
	// Input is the checksum of input.json, "" if there is none: then the run has its source and data.
	Input string `json:"inputSum,omitempty"`
}

// input is the contents of input.json.
type input struct {
	Source string          `json:"source,omitempty"`
	Data   json.RawMessage `json:"data,omitempty"`
}

// maxInline is the most bytes of a source and data that are in run.json. Writing as many takes less time than a sync.
const maxInline = 32 << 10

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A file is one line: head, the checksum of the body in 8 digits, middle, the body, which is an object, and tail.
const (
	head   = `{"ptc":1,"crc32c":"`
	middle = `","body":`
	tail   = "}\n"
)

// sealed returns the contents of a file, and the checksum of its body.
func sealed(v any) (contents []byte, sum string, err error) {
	var b bytes.Buffer
	b.WriteString(head + "00000000" + middle)
	start := b.Len()
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, "", err
	}
	b.Truncate(b.Len() - 1) // the newline
	sum = fmt.Sprintf("%08x", crc32.Checksum(b.Bytes()[start:], castagnoli))
	copy(b.Bytes()[len(head):], sum)
	b.WriteString(tail)
	return b.Bytes(), sum, nil
}

// unsealed decodes the body of a file, and returns its checksum.
func unsealed(contents []byte, v any) (sum string, err error) {
	rest, headed := bytes.CutPrefix(contents, []byte(head))
	switch {
	case len(contents) == 0:
		return "", errors.New("it is empty")
	case !headed || len(rest) < 8:
		return "", fmt.Errorf("it begins with %.40q, want %q: it is of another version, or of something else", contents, head)
	}
	sum = string(rest[:8])
	body, ok := bytes.CutPrefix(rest[8:], []byte(middle))
	if ok {
		body, ok = bytes.CutSuffix(body, []byte(tail))
	}
	if !ok {
		return "", errors.New("its end is missing")
	}
	if got := fmt.Sprintf("%08x", crc32.Checksum(body, castagnoli)); got != sum {
		return "", fmt.Errorf("its checksum is %s, want %.8q: it was changed or damaged", got, sum)
	}
	if err := json.Unmarshal(body, v); err != nil {
		return "", fmt.Errorf("it can't be read: %w", err)
	}
	return sum, nil
}

// readFile decodes a file. The error is store.ErrDamaged if it has other contents than the store writes. A file that
// is missing is not damaged.
func readFile(path string, v any) (sum string, err error) {
	contents, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if sum, err = unsealed(contents, v); err != nil {
		return "", store.ErrDamaged.With("%s: %w", path, err)
	}
	return sum, nil
}

// encode returns the contents of run.json and, if that must be written, of input.json. A run whose input is already
// written has its checksum in written.
func encode(run *store.Run, written string) (file, inputFile []byte, err error) {
	k := kept{Run: *run, Input: written}
	if len(run.Source)+len(run.Data) > maxInline {
		if written == "" {
			if inputFile, k.Input, err = sealed(input{run.Source, run.Data}); err != nil {
				return nil, nil, err
			}
		}
		k.Source, k.Data = "", nil
	}
	file, _, err = sealed(&k)
	return file, inputFile, err
}

// readHead reads a run without the input if that is in a separate file. written is the checksum of that file. The error
// is store.ErrNotFound if there is no folder, and store.ErrDamaged if it has no run.
func (s *Store) readHead(id string) (run store.Run, written string, err error) {
	if !store.ValidID(id) {
		return run, "", store.ErrNotFound.With("there is no run %.100q", id)
	}
	var k kept
	_, err = readFile(s.file(runsDir, id, runFile), &k)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, missing := os.Stat(s.file(runsDir, id)); errors.Is(missing, fs.ErrNotExist) {
			return run, "", store.ErrNotFound.With("there is no run %s", id)
		}
		return run, "", store.ErrDamaged.With("%s is missing", s.file(runsDir, id, runFile))
	case err == nil && k.ID != id:
		return run, "", store.ErrDamaged.With("%s is of run %.100q", s.file(runsDir, id, runFile), k.ID)
	case err == nil:
		if wrong := k.Check(); wrong != nil { // another version has written it
			return run, "", store.ErrDamaged.With("%s: %w", s.file(runsDir, id, runFile), wrong)
		}
	}
	return k.Run, k.Input, err
}

// read reads a run. The caller holds its lock.
func (s *Store) read(id string) (run store.Run, written string, err error) {
	run, written, err = s.readHead(id)
	if err != nil || written == "" {
		return run, written, err
	}
	var in input
	name := s.file(runsDir, id, inputFile)
	sum, err := readFile(name, &in)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return run, "", store.ErrDamaged.With("%s is missing", name)
	case err == nil && sum != written:
		return run, "", store.ErrDamaged.With("%s has the checksum %s, and %s wants %s", name, sum, runFile, written)
	}
	run.Source, run.Data = in.Source, in.Data
	return run, written, err
}

// size returns the bytes of the files of a run.
func (s *Store) size(id string) (n int64) {
	for _, name := range []string{runFile, inputFile, journalFile} {
		if info, err := os.Stat(s.file(runsDir, id, name)); err == nil {
			n += info.Size()
		}
	}
	return n
}
