// This file defines the files that the macros of a program may read.

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/cmd/internal/files"
	"github.com/ptc-lang/ptc/cmd/internal/flags"
)

// maxResource is the maximum size of a file that a macro reads.
const maxResource = 4 << 20

// resources returns the files that the macros of a program may read: those below the directories of --path. nil if
// there are no such folders. A run with a journal has none, because its resumption and its replays have the source
// alone.
func (v *settings) resources() *ptc.Resources {
	if len(v.paths) == 0 {
		return nil
	}
	if v.journalFile != "" {
		return &ptc.Resources{Read: func(string) (string, error) {
			return "", errors.New("the macros of a run with --journal read no files, because the journal has the source alone")
		}}
	}
	dirs := make([]string, len(v.paths))
	for i, dir := range v.paths {
		dirs[i] = filepath.ToSlash(filepath.Clean(dir))
	}
	return &ptc.Resources{Dirs: dirs, Read: func(name string) (string, error) {
		for _, dir := range v.paths {
			if rel, err := filepath.Rel(dir, filepath.FromSlash(name)); err == nil && filepath.IsLocal(rel) && !hidden(rel) {
				if text, err := readBelow(dir, rel); !errors.Is(err, fs.ErrNotExist) {
					return text, err
				}
			}
		}
		return "", fs.ErrNotExist
	}}
}

// hidden reports whether a file, or a folder on the way to it, is hidden: such files often hold settings and secrets.
func hidden(rel string) bool {
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(rel), "/"), func(part string) bool {
		return strings.HasPrefix(part, ".")
	})
}

// leadsToHidden reports whether a file is hidden once the links on the way to it are followed, or whether that is not
// known.
func leadsToHidden(dir, rel string) bool {
	from, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return true
	}
	to, err := filepath.EvalSymlinks(filepath.Join(dir, rel))
	if err != nil {
		return true
	}
	rel, err = filepath.Rel(from, to)
	return err != nil || hidden(rel)
}

// readBelow reads a text file below a folder. Links out of the folder and to hidden files are not followed.
func readBelow(dir, rel string) (string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", files.Plain(err)
	}
	defer root.Close()
	f, err := root.OpenFile(rel, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe would have its reader wait
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG) {
		return "", fs.ErrNotExist
	}
	if err != nil {
		return "", files.Plain(err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() || leadsToHidden(dir, rel) {
		return "", fs.ErrNotExist
	}
	text, whole, err := files.Limited(f, maxResource)
	switch {
	case err != nil:
		return "", err
	case !whole:
		return "", fmt.Errorf("the file has more than %s, the limit of files that a macro reads", flags.SizeText(maxResource))
	case !utf8.Valid(text):
		return "", errors.New("the file is not text in UTF-8")
	}
	return string(text), nil
}
