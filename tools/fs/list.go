// This file defines the tools that list files.

package fs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// Entry describes a file or directory.
type Entry struct {
	Name     string `json:"name"`
	Type     string `json:"type" jsonschema:"file, directory, link, or another kind"`
	Size     int64  `json:"size" jsonschema:"bytes"`
	Modified int64  `json:"modified" jsonschema:"milliseconds since 1970"`
}

func entryOf(info os.FileInfo) Entry {
	return Entry{info.Name(), kindOf(info.Mode()), info.Size(), info.ModTime().UnixMilli()}
}

func kindOf(mode os.FileMode) string {
	switch {
	case mode.IsRegular():
		return "file"
	case mode.IsDir():
		return "directory"
	case mode&os.ModeSymlink != 0:
		return "link"
	case mode&os.ModeNamedPipe != 0:
		return "pipe"
	case mode&os.ModeSocket != 0:
		return "socket"
	}
	return "device"
}

// The bounds of a listing: a program would not read the list of a larger directory.
const (
	maxEntries = 10_000  // in a result of fs.list or fs.glob
	maxVisited = 200_000 // that fs.glob looks at
	dirBatch   = 512
)

func (f *Files) list(ctx context.Context, in PathArgs) ([]Entry, error) {
	p, err := f.find(in.Path)
	if err != nil {
		return nil, err
	}
	names, err := p.names(ctx, maxEntries)
	if err != nil {
		return nil, Failure(p.shown, err)
	}
	entries := []Entry{}
	for _, name := range names {
		info, err := p.root.Lstat(path.Join(p.rel, name))
		switch {
		case errors.Is(err, fs.ErrNotExist): // removed in the meantime
		case err != nil:
			return nil, Failure(path.Join(p.shown, name), err)
		default:
			entries = append(entries, entryOf(info))
		}
	}
	return entries, ctx.Err()
}

// names returns the names in a directory in order, if there are not more than most.
func (p location) names(ctx context.Context, most int) ([]string, error) {
	dir, err := p.root.OpenFile(p.rel, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	var names []string
	for {
		batch, err := dir.Readdirnames(dirBatch)
		names = append(names, batch...)
		switch {
		case errors.Is(err, io.EOF):
			slices.Sort(names)
			return names, nil
		case err != nil:
			return nil, err
		case len(names) > most:
			return nil, &tool.Error{Code: "too-large", Message: fmt.Sprintf("%s has more than %d entries; fs.glob with a "+
				"narrower pattern gives some of them", p.shown, most)}
		case ctx.Err() != nil:
			return nil, ctx.Err()
		}
	}
}

func (f *Files) stat(_ context.Context, in PathArgs) (*Entry, error) {
	p, err := f.find(in.Path)
	if err != nil {
		return nil, err
	}
	info, err := p.root.Stat(p.rel)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, Failure(p.shown, err)
	}
	e := entryOf(info)
	e.Name = path.Base(p.shown)
	return &e, nil
}

// GlobArgs are the arguments of fs.glob.
type GlobArgs struct {
	Pattern string `json:"pattern" jsonschema:"* matches characters of a name, ? and [a-z] one, ** directories"`
}

func (f *Files) glob(ctx context.Context, in GlobArgs) ([]string, error) {
	fixed, rest := splitPattern(path.Clean(filepath.ToSlash(in.Pattern)))
	for _, part := range rest {
		if _, err := path.Match(part, ""); err != nil {
			return nil, &tool.Error{Code: effect.CodeBadArguments, Message: fmt.Sprintf("the pattern %s is malformed at %q",
				in.Pattern, part)}
		}
	}
	p, err := f.find(fixed)
	if err != nil {
		return nil, err
	}
	w := &walk{ctx: ctx, pattern: rest, start: p, seen: make(map[step]bool), found: []string{}}
	w.add(p, 0)
	for len(w.todo) > 0 {
		next := w.todo[len(w.todo)-1]
		w.todo = w.todo[:len(w.todo)-1]
		if err := w.visit(next); err != nil {
			return nil, Failure(next.location.shown, err)
		}
	}
	slices.Sort(w.found)
	return slices.Compact(w.found), nil
}

// splitPattern returns the directory that a pattern begins with, and the parts after it.
func splitPattern(pattern string) (fixed string, rest []string) {
	parts := strings.Split(pattern, "/")
	n := slices.IndexFunc(parts, func(part string) bool { return strings.ContainsAny(part, `*?[\`) })
	if n < 0 {
		return pattern, nil
	}
	fixed = strings.Join(parts[:n], "/")
	if fixed == "" && path.IsAbs(pattern) {
		fixed = "/"
	}
	return cmp.Or(fixed, "."), parts[n:]
}

// walk finds the entries that a pattern matches, directory by directory.
type walk struct {
	ctx     context.Context
	pattern []string
	start   location
	todo    []step
	seen    map[step]bool
	visited int
	found   []string
}

// step is a directory, and how many parts of the pattern its path has matched.
type step struct {
	location location
	matched  int
}

func (w *walk) add(p location, matched int) {
	if s := (step{p, matched}); !w.seen[s] {
		w.seen[s] = true
		w.todo = append(w.todo, s)
	}
}

// visit matches the entries of a directory. A directory that has disappeared, or that is not readable, has
// no entries.
func (w *walk) visit(s step) error {
	if s.matched == len(w.pattern) {
		if len(w.pattern) > 0 && s.location == w.start { // matches ** by no directories
			return nil
		}
		if _, err := s.location.root.Lstat(s.location.rel); err == nil {
			w.found = append(w.found, s.location.shown)
		}
		return nil
	}
	part := w.pattern[s.matched]
	if part == "**" {
		w.add(s.location, s.matched+1)
	}
	names, err := s.location.names(w.ctx, maxVisited)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOTDIR) {
		return nil
	} else if err != nil {
		return err
	}
	for _, name := range names {
		if !matches(part, name) {
			continue
		}
		below := location{s.location.dir, path.Join(s.location.rel, name), path.Join(s.location.shown, name)}
		w.descend(below, s.matched, part)
	}
	if w.visited += len(names) + 1; w.visited > maxVisited || len(w.found) > maxEntries {
		return &tool.Error{Code: "too-large", Message: fmt.Sprintf("there are more than %d entries to look at, or more "+
			"than %d that match; want a narrower pattern", maxVisited, maxEntries)}
	}
	return w.ctx.Err()
}

// descend continues with an entry that matches a part of the pattern. Directories are followed. Links to them
// are not, because they may form cycles.
func (w *walk) descend(p location, matched int, part string) {
	last := matched+1 == len(w.pattern)
	if part != "**" && last {
		w.found = append(w.found, p.shown)
		return
	}
	info, err := p.root.Lstat(p.rel)
	switch {
	case err != nil:
	case info.IsDir() && part == "**":
		w.add(p, matched)
	case info.IsDir():
		w.add(p, matched+1)
	}
	if err == nil && part == "**" && last && !info.IsDir() {
		w.found = append(w.found, p.shown)
	}
}

// matches reports whether a name matches a part of a pattern.
func matches(part, name string) bool {
	if strings.HasPrefix(name, ".") && !strings.HasPrefix(part, ".") {
		return false
	}
	if part == "**" {
		return true
	}
	ok, err := path.Match(part, name)
	return ok && err == nil
}
