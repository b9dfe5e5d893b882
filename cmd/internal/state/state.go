// Package state keeps the files of ptc that belong to a user and outlive a run: the history of the REPL,
// the key of journals, and the files of grants that were shown. No file is created before it is needed.
package state

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/ptc-lang/ptc/cmd/internal/files"
	"github.com/ptc-lang/ptc/runtime/journal"
)

// Dir returns the folder ptc in the folder for the state of programs, which is $XDG_STATE_HOME or the system's
// equivalent. It need not exist. It returns an error if the system does not report where the user's files are.
func Dir() (string, error) {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) { // the specification requires that others are ignored
		return filepath.Join(dir, "ptc"), nil
	}
	var dir string
	var err error
	switch runtime.GOOS {
	case "windows": // %LocalAppData%
		dir, err = os.UserCacheDir()
	case "darwin": // ~/Library/Application Support
		dir, err = os.UserConfigDir()
	default:
		dir, err = os.UserHomeDir()
		dir = filepath.Join(dir, ".local", "state")
	}
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "ptc"), nil
}

// File returns the path of a file in Dir.
func File(name string) (string, error) {
	dir, err := Dir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, name), nil
}

// KeyFile returns the path of the key of journals: given, or else the key in Dir.
func KeyFile(given string) (string, error) {
	if given != "" {
		return given, nil
	}
	return File("journal.key")
}

// Key reads the key of journals from a file, which must belong to the user and be readable
// by nobody else.
func Key(path string) (journal.Key, error) {
	f, err := files.OpenRegular(path, files.Private)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	const want = 2 * journal.KeyBytes
	text, whole, err := files.Limited(f, want+1)
	if err != nil {
		return nil, err
	}
	key, err := hex.DecodeString(strings.TrimSuffix(string(text), "\n"))
	if err != nil || !whole || len(key) != journal.KeyBytes {
		return nil, fmt.Errorf("%s: not a key, want %d hexadecimal digits", path, want)
	}
	return key, nil
}

// MakeKey reads the key of journals, and makes one if there is none. Several processes that make a key at
// the same time all get the same one.
func MakeKey(path string) (journal.Key, error) {
	key, err := Key(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if dir, stateErr := Dir(); stateErr == nil && dir == filepath.Dir(path) {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, files.Plain(err)
		}
	}
	if err := newKey(path); err != nil {
		return nil, files.Plain(err)
	}
	return Key(path)
}

// newKey writes a new key to a file with another name, and renames the file once it is
// whole. If the file exists by then, it stays.
func newKey(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".journal-key-*") // with the mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	key := make([]byte, journal.KeyBytes)
	rand.Read(key) // never fails
	_, err = f.WriteString(hex.EncodeToString(key) + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err = os.Link(f.Name(), path); errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil { // a file system without hard links
		if _, there := os.Lstat(path); there == nil {
			return nil
		}
		if err := os.Rename(f.Name(), path); err != nil {
			return err
		}
	}
	if dir, err := os.Open(filepath.Dir(path)); err == nil {
		dir.Sync() // where a folder can be
		dir.Close()
	}
	return nil
}

// maxTold bounds the file of Told: some 1,000 files of grants. Beyond it, all are shown again.
const maxTold = 64 << 10

// Told reports whether the same user has passed the text to it before, and remembers it. It reports false if
// nothing can be remembered.
func Told(hash string) bool {
	path, err := File("told")
	if err != nil {
		return false
	}
	flag := os.O_APPEND
	if info, err := os.Lstat(path); err == nil && (!info.Mode().IsRegular() || files.Private(info) != nil) {
		return false
	} else if text, whole, err := files.Read(path, maxTold); err == nil && !whole {
		flag = os.O_TRUNC
	} else if err == nil && strings.Contains(string(text), hash+"\n") {
		return true
	}
	if os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return false
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|flag, 0o600)
	if err == nil {
		f.WriteString(hash + "\n")
		f.Close()
	}
	return false
}
