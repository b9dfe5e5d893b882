// This file defines the key of journals.

package main

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

	"github.com/ptc-lang/ptc/cmd/ptc/internal/files"
	"github.com/ptc-lang/ptc/runtime/journal"
)

func (f *runFlags) keyFlag(fs *flagSet) {
	fs.Var(fileName{&f.keyFile}, "journal-key",
		"FILE the key that hides the secrets of a journal; that of the user, if left out")
}

// makeKey returns the key of journals, and makes it if there is none yet.
func (f *runFlags) makeKey() (journal.Key, error) {
	path, err := f.keyPath()
	if err != nil {
		return nil, fmt.Errorf("a journal needs a key, and there is no folder for it: %w; give --journal-key FILE", err)
	}
	key, err := readKey(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = newKey(path); err == nil {
			key, err = readKey(path)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("a journal needs a key: %w; repair that, or give --journal-key FILE", files.Plain(err))
	}
	return key, nil
}

// readJournal reads a journal that is only looked at, with the key of the user if there is one.
func (f *runFlags) readJournal(name string) (*journal.Recording, error) {
	var key journal.Key
	path, err := f.keyPath()
	if err == nil {
		key, err = readKey(path)
	}
	if err != nil && f.keyFile != "" {
		return nil, fmt.Errorf("--journal-key: %w", files.Plain(err))
	}
	return journal.ReadFile(name, key)
}

// keyPath returns the file of the key: the one that is given, or else journal.key in the folder of
// the user's state.
func (f *runFlags) keyPath() (string, error) {
	if f.keyFile != "" {
		return f.keyFile, nil
	}
	dir := os.Getenv("XDG_STATE_HOME")
	if filepath.IsAbs(dir) { // others are to be ignored, says the specification
		return filepath.Join(dir, "ptc", "journal.key"), nil
	}
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
	return filepath.Join(dir, "ptc", "journal.key"), err
}

// readKey reads a key: hexadecimal digits in a file that nobody else may read.
func readKey(path string) (journal.Key, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	const want = 2 * journal.KeyBytes
	switch {
	case !info.Mode().IsRegular() || info.Size() > want+1:
		return nil, fmt.Errorf("%s: it is no key, want %d hexadecimal digits", path, want)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return nil, fmt.Errorf("others may read the key %s, its mode is %#o; chmod 600 makes it yours",
			path, info.Mode().Perm())
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	key, err := hex.DecodeString(strings.TrimSuffix(string(text), "\n"))
	if err != nil || len(key) != journal.KeyBytes {
		return nil, fmt.Errorf("%s: it is no key, want %d hexadecimal digits", path, want)
	}
	return key, nil
}

// newKey makes a key. Of several processes that do so at the same time all get the same: the file
// gets its name when it is whole, and one that is there by then stays.
func newKey(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
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
	return err
}
