// This file defines the history file, which keeps the typed input.

package repl

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ptc-lang/ptc/cmd/internal/files"
	"github.com/ptc-lang/ptc/cmd/internal/state"
)

// The bounds of a history. A longer entry, such as a pasted form, is slow to edit as one line.
const (
	maxEntries   = 1000
	maxEntry     = 4 << 10
	maxFileBytes = 2 * maxEntries * maxEntry
)

// History is the input of this session and of earlier ones, the oldest first. A file that only the user may
// read keeps it, one entry a line.
type History struct {
	path    string // "" for none
	entries []string
	inFile  int // entries
}

// HistoryFile returns the file of the user's history.
func HistoryFile() (string, error) { return state.File("history") }

// OpenHistory reads the history of a file, which need not exist yet. With the path "" it
// is kept in memory only. It can be used also if there is an error.
func OpenHistory(path string) (*History, error) {
	h := &History{path: path}
	if path == "" {
		return h, nil
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if err != nil {
		h.path = ""
		return h, files.Plain(err)
	}
	defer f.Close()
	text, err := lastBytes(f, maxFileBytes)
	if err != nil {
		h.path = ""
		return h, files.Plain(err)
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSuffix(line, "\n"); line != "" && len(line) <= maxEntry {
			h.entries = append(h.entries, line)
		}
		h.inFile++
	}
	h.bound()
	if h.inFile > 2*maxEntries {
		return h, h.rewrite()
	}
	return h, nil
}

// lastBytes returns the end of a file, from a line's beginning on.
func lastBytes(f *os.File, most int64) ([]byte, error) {
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	text := make([]byte, min(end, most))
	if _, err := f.ReadAt(text, end-int64(len(text))); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if end > most {
		text = text[1+strings.IndexByte(string(text), '\n'):]
	}
	return text, nil
}

func (h *History) bound() {
	if n := len(h.entries) - maxEntries; n > 0 {
		h.entries = append([]string(nil), h.entries[n:]...)
	}
}

// Add adds an entry, and writes it to the end of the file, where other sessions write theirs. An entry that
// repeats the last one is not added.
func (h *History) Add(entry string) error {
	if entry == "" || len(entry) > maxEntry || strings.Contains(entry, "\n") ||
		len(h.entries) > 0 && h.entries[len(h.entries)-1] == entry {
		return nil
	}
	h.entries = append(h.entries, entry)
	h.bound()
	if h.path == "" {
		return nil
	}
	if h.inFile++; h.inFile > 2*maxEntries {
		return h.rewrite()
	}
	if err := os.MkdirAll(filepath.Dir(h.path), 0o700); err != nil {
		return files.Plain(err)
	}
	f, err := os.OpenFile(h.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return files.Plain(err)
	}
	_, err = f.WriteString(entry + "\n")
	return files.Plain(errors.Join(f.Chmod(0o600), err, f.Close())) // it may have been made by another hand
}

// rewrite has the file keep no more than there is in memory.
func (h *History) rewrite() error {
	f, err := os.CreateTemp(filepath.Dir(h.path), "history-*") // with the mode 0600
	if err != nil {
		return files.Plain(err)
	}
	_, err = f.WriteString(strings.Join(h.entries, "\n") + "\n")
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), h.path)
	}
	if err != nil {
		os.Remove(f.Name())
		return files.Plain(err)
	}
	h.inFile = len(h.entries)
	return nil
}
