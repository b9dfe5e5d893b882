// This file defines the file of tokens: how it is read, checked and replaced.

package access

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/ptc-lang/ptc/internal/durable"
)

// The files of a directory.
const (
	TokensFile   = "tokens.json"
	OperatorFile = "operator.token" // the text of the first operator's token
)

// MaxTokens bounds the tokens of a directory: the file is read whole when it has changed.
const MaxTokens = 10_000

// maxFile bounds the bytes of the file, at 400 per token.
const maxFile = MaxTokens * 400

// document is the contents of the file.
type document struct {
	Version int     `json:"version"`
	Tokens  []Token `json:"tokens"`
	Cluster string  `json:"cluster,omitempty"` // that has taken the tokens over; see Hand
}

// decode returns the tokens of a file. All mistakes are errors, unknown keys too: a misspelt "expires" would be a
// token that never expires.
func decode(text []byte) ([]Token, error) {
	d, err := parse(text)
	if err == nil && d.Cluster != "" {
		err = fmt.Errorf("the cluster %s has taken the tokens over: name the file of a node with --config", d.Cluster)
	}
	return d.Tokens, err
}

func parse(text []byte) (d document, err error) {
	if len(text) > maxFile {
		return d, fmt.Errorf("it has %d bytes, want at most %d", len(text), maxFile)
	}
	in := json.NewDecoder(bytes.NewReader(text))
	in.DisallowUnknownFields()
	if err := in.Decode(&d); err != nil {
		return d, err
	}
	if _, err := in.Token(); !errors.Is(err, io.EOF) {
		return d, fmt.Errorf("there is more after the JSON value, at byte %d", in.InputOffset())
	}
	if d.Version != 1 {
		return d, fmt.Errorf("got version %d, want 1", d.Version)
	}
	if len(d.Tokens) > MaxTokens {
		return d, fmt.Errorf("it has %d tokens, want at most %d", len(d.Tokens), MaxTokens)
	}
	ids, names := make(map[string]bool), make(map[string]bool)
	for i := range d.Tokens {
		t := &d.Tokens[i]
		if err := t.check(); err != nil {
			return d, fmt.Errorf("token %d: %w", i+1, err)
		}
		if ids[t.ID] || names[t.Name] {
			return d, fmt.Errorf("token %d: there is another one with the id %s or the name %s", i+1, t.ID, t.Name)
		}
		ids[t.ID], names[t.Name] = true, true
	}
	return d, nil
}

// Hand marks the directory of a node: from then on its tokens are kept by a cluster, and not in its file.
// It returns the tokens of the file, for a new cluster. It can be repeated.
func Hand(dir, cluster string) ([]Token, error) {
	path := filepath.Join(dir, TokensFile)
	d := document{Version: 1}
	text, err := contents(path)
	if err == nil {
		if d, err = parse(text); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if d.Cluster == cluster {
		return d.Tokens, nil
	}
	d.Cluster = cluster
	if text, err = json.MarshalIndent(d, "", "  "); err == nil {
		_, err = durable.Replace(path, dir, append(text, '\n'))
	}
	return d.Tokens, err
}

// load reads the tokens of a directory.
func load(dir string) ([]Token, error) {
	path := filepath.Join(dir, TokensFile)
	text, err := contents(path)
	if err != nil {
		return nil, err
	}
	tokens, err := decode(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return tokens, nil
}

// contents returns the file of a directory.
func contents(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0 {
		return nil, fmt.Errorf("%s: others may write it (mode %#o); run chmod 600 %[1]s", path, info.Mode().Perm())
	}
	return io.ReadAll(io.LimitReader(f, maxFile+1))
}

// lockFile is locked during a change, so that changes of several processes happen one after the other.
const lockFile = "tokens.lock"

// lockWait is how long a change waits for another one, which takes milliseconds.
const lockWait = 5 * time.Second

// change replaces the tokens of a directory by the result of f for them. A reader sees the file before or
// after the change.
func change(dir string, f func([]Token) ([]Token, error)) error {
	unlock, err := lock(filepath.Join(dir, lockFile))
	if err != nil {
		return err
	}
	text, err := changed(dir, f)
	if err == nil {
		_, err = durable.Replace(filepath.Join(dir, TokensFile), dir, text)
	}
	return errors.Join(err, unlock())
}

// changed returns the contents of the file after a change.
func changed(dir string, f func([]Token) ([]Token, error)) ([]byte, error) {
	tokens, err := load(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if tokens, err = f(tokens); err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(document{Version: 1, Tokens: tokens}, "", "  ")
	if err != nil {
		return nil, err
	}
	if _, err = decode(text); err != nil {
		return nil, err
	}
	return append(text, '\n'), nil
}

// lock locks a file, and makes it if there is none. It stays: removing it would let two processes lock two files.
func lock(path string) (unlock func() error, err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for end := time.Now().Add(lockWait); ; time.Sleep(5 * time.Millisecond) {
		unlock, err := durable.Lock(f)
		switch {
		case err == nil:
			return func() error { return errors.Join(unlock(), f.Close()) }, nil
		case !errors.Is(err, durable.ErrHeld) || time.Now().After(end):
			return nil, errors.Join(fmt.Errorf("another process changes the tokens: %w", err), f.Close())
		}
	}
}
