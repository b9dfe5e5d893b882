// This file defines Files, the granted directories as tools see them.

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
	"sync"
	"syscall"

	"github.com/ptc-lang/ptc/runtime/tool"
)

// Files are the files of granted directories. It is safe for concurrent use.
type Files struct {
	dirs      []*dir // those with longer names first
	most      int64
	protected protection
	appending sync.Mutex // so that the size is the one that is appended to
}

// dir is a granted directory.
type dir struct {
	name  string // clean, with / between its parts
	path  string
	write bool
	root  *os.Root
	info  os.FileInfo // its identity
}

// Open opens the directories of a grant. They close when nothing uses the Files any
// more.
func Open(g Grant) (*Files, error) {
	f := &Files{most: g.MaxBytes}
	if f.most < 1 {
		f.most = DefaultMaxBytes
	}
	for _, d := range g.Dirs {
		if err := f.add(d); err != nil {
			return nil, err
		}
	}
	if len(f.dirs) == 0 {
		return f, nil // nothing to protect anything from
	}
	for _, p := range g.Protect {
		if err := f.protected.add(p); err != nil {
			return nil, err
		}
	}
	for _, d := range f.dirs {
		if err := f.protected.checkGrant(d); err != nil {
			return nil, err
		}
		if d.write {
			continue
		}
		if err := f.protected.addNames(d.path, "a directory that may only be read"); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(f.dirs, func(a, b *dir) int { return cmp.Compare(len(b.name), len(a.name)) })
	return f, nil
}

// add opens a directory. One that is granted twice may be written if either grant allows it.
func (f *Files) add(d Dir) error {
	name := path.Clean(filepath.ToSlash(cmp.Or(d.Name, d.Path)))
	for _, known := range f.dirs {
		switch {
		case known.name != name:
		case known.path == filepath.Clean(d.Path):
			known.write = known.write || d.Write
			return nil
		default:
			return fmt.Errorf("two granted directories have the name %s: %s and %s", name, known.path, d.Path)
		}
	}
	if info, err := os.Stat(d.Path); err == nil && !info.IsDir() { // to open a pipe could wait forever
		return fmt.Errorf("the granted directory %s can't be opened: not a directory", d.Path)
	}
	root, err := os.OpenRoot(d.Path)
	if err != nil {
		return fmt.Errorf("the granted directory %s can't be opened: %w", d.Path, reason(err))
	}
	info, err := root.Stat(".")
	if err != nil {
		return fmt.Errorf("the granted directory %s can't be opened: %w", d.Path, reason(err))
	}
	f.dirs = append(f.dirs, &dir{name, filepath.Clean(d.Path), d.Write, root, info})
	return nil
}

// location is a file or directory inside a granted one.
type location struct {
	*dir
	rel   string // below the granted directory
	shown string // as a program writes it
}

// maxPath bounds a path, in bytes: systems bound a name by 255 and many a path by 4096, and an
// error shows the path.
const maxPath = 1000

// find returns the location that a program means by a path.
func (f *Files) find(name string) (location, error) {
	if len(f.dirs) == 0 {
		return location{}, &tool.Error{Code: "refused", Message: "no directory is granted; grant one with --allow-fs DIR"}
	}
	if name == "" || strings.ContainsRune(name, 0) {
		return location{}, &tool.Error{Code: "bad-path",
			Message: fmt.Sprintf("got the path %q, want the name of a file such as %s", name, f.example())}
	}
	if len(name) > maxPath {
		return location{}, &tool.Error{Code: "bad-path",
			Message: fmt.Sprintf("got a path that is too long: %d bytes, want at most %d", len(name), maxPath)}
	}
	clean := path.Clean(filepath.ToSlash(name))
	for _, d := range f.dirs {
		if rel, ok := d.below(clean); ok {
			return location{d, rel, clean}, nil
		}
	}
	return location{}, &tool.Error{Code: "refused", Message: fmt.Sprintf("%s is in none of the granted directories (%s); "+
		"grant more with --allow-fs DIR", name, f.granted())}
}

// below returns the rest of a clean path after the name of the directory.
func (d *dir) below(clean string) (rel string, ok bool) {
	switch {
	case clean == d.name:
		return ".", true
	case d.name == ".":
		return clean, !path.IsAbs(clean) && clean != ".." &&
			!strings.HasPrefix(clean, "../") && filepath.VolumeName(clean) == ""
	case d.name == "/":
		return strings.TrimPrefix(clean, "/"), path.IsAbs(clean)
	}
	return strings.CutPrefix(clean, d.name+"/")
}

// writable returns the location of a path to change.
func (f *Files) writable(name string) (location, error) {
	p, err := f.find(name)
	if err == nil && !p.write {
		err = &tool.Error{Code: "refused", Message: fmt.Sprintf("%s may only be read; grant writing with --allow-fs %s",
			p.shown, p.dir.name)}
	}
	return p, err
}

// changeable returns an error if an entry must not be changed: it is protected, or the innermost granted
// directory that contains it is read-only. Both are decided by identity, whatever the path was. parent is
// the directory that has the entry, the last of levels.
func (f *Files) changeable(shown string, parent *os.Root, levels []level, name string, info os.FileInfo) error {
	dir, err := openDir(parent)
	if err != nil {
		return Failure(shown, err)
	}
	defer dir.Close()
	if err := onlyStored(dir, shown); err != nil {
		return Failure(shown, err)
	}
	if err := f.protected.check(shown, levels, name, info); err != nil {
		return err
	}
	inside := levels
	if info != nil && info.IsDir() {
		inside = append(slices.Clone(levels), level{name, info})
	}
	for _, l := range slices.Backward(inside) {
		granted, write := f.grantOf(l.info)
		if granted != nil && !write {
			return &tool.Error{Code: "refused",
				Message: fmt.Sprintf("%s is in %s, which is read-only", shown, granted.name)}
		} else if granted != nil {
			return nil
		}
	}
	return nil
}

// grantOf returns the granted directory of an identity, nil if there is none, and whether a
// grant lets it be written. A directory in the place of one that may only be read is that.
func (f *Files) grantOf(info os.FileInfo) (granted *dir, write bool) {
	for _, d := range f.dirs {
		if d.is(info) {
			granted, write = d, write || d.write
		}
	}
	return granted, write
}

// is reports whether d is this directory, or this one is in the place of d, which may only be
// read.
func (d *dir) is(info os.FileInfo) bool {
	if os.SameFile(d.info, info) {
		return true
	}
	if d.write {
		return false
	}
	now, err := os.Stat(d.path)
	return err == nil && os.SameFile(now, info)
}

func (f *Files) granted() string {
	var names []string
	for _, d := range f.dirs {
		names = append(names, d.name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// example returns a path that would be granted.
func (f *Files) example() string { return path.Join(f.dirs[len(f.dirs)-1].name, "notes.txt") }

// Reader is a regular file that is open for reading. Its reads count against no bound: the caller bounds them.
type Reader struct {
	io.ReadSeeker
	io.Closer
	Size  int64
	Shown string // the path as a program writes it
}

// Reader opens a file. The errors of reading are those of the system: Failure makes them errors of a tool.
func (f *Files) Reader(ctx context.Context, name string) (*Reader, error) {
	p, err := f.find(name)
	if err != nil {
		return nil, err
	}
	e, err := p.descend(true, nil)
	if err != nil {
		return nil, Failure(p.shown, err)
	}
	defer e.Close()
	if e.info == nil {
		return nil, Failure(p.shown, fs.ErrNotExist)
	}
	file, info, err := openRegular(e.parent, e.name, p.shown, os.O_RDONLY)
	if err == nil {
		if err = f.protected.checkRead(p.shown, e.levels, info); err != nil {
			file.Close()
		}
	}
	if err != nil {
		return nil, Failure(p.shown, err)
	}
	return &Reader{polled{ctx, file}, file, info.Size(), p.shown}, nil
}

// openRegular opens a regular file. O_NONBLOCK keeps the opening of a pipe from waiting for its other end; it
// has no effect on a regular file.
func openRegular(root *os.Root, rel, shown string, flag int) (*os.File, os.FileInfo, error) {
	file, err := root.OpenFile(rel, flag|syscall.O_NONBLOCK, 0o666)
	if err != nil {
		return nil, nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = irregular(shown, info.Mode())
	}
	if err == nil {
		err = onlyStored(file, shown)
	}
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return file, info, nil
}

// onlyStored refuses a file or directory that the kernel makes up: to read one is to read the
// memory and the environment of processes, and to write one is to set up the system.
func onlyStored(file *os.File, shown string) error {
	ok, err := stored(file)
	if err == nil && !ok {
		err = &tool.Error{Code: "refused",
			Message: shown + " is in a file system of the kernel, such as /proc and /sys, and not a stored file"}
	}
	return err
}

func irregular(shown string, mode os.FileMode) error {
	if mode.IsDir() {
		return &tool.Error{Code: "is-directory", Message: shown + " is a directory, want a file; fs.list returns its entries"}
	}
	return &tool.Error{Code: "not-a-file", Message: shown + " is a " + kindOf(mode) + ", want a regular file"}
}

// polled is a file whose reading ends when a context does.
type polled struct {
	ctx context.Context
	*os.File
}

// maxRead is how much is read between two looks at the context.
const maxRead = 256 << 10

func (p polled) Read(b []byte) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, err
	}
	return p.File.Read(b[:min(len(b), maxRead)])
}

// Most returns how many bytes a call may read.
func (f *Files) Most(ctx context.Context) int64 {
	if tool.CallID(ctx) == "" {
		return f.most
	}
	return min(f.most, max(0, tool.ResultRoom(ctx)))
}

// Failure makes the error of a tool of one of the system, about a file that a program
// calls shown.
func Failure(shown string, err error) error {
	if err == nil {
		return nil
	}
	var own *tool.Error
	if errors.As(err, &own) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	e := &tool.Error{Message: shown}
	for _, known := range failures {
		if errors.Is(err, known.err) {
			e.Code, e.Message = known.code, shown+" "+known.text
			return e
		}
	}
	if strings.Contains(err.Error(), "escapes from parent") { // package os does not export it
		return leadsOut(shown)
	}
	e.Err = reason(err)
	return e
}

// failures are the errors of the system that have their own code.
var failures = []struct {
	err        error
	code, text string
}{
	{fs.ErrNotExist, "not-found", "does not exist"},
	{syscall.ENOTEMPTY, "not-empty", "is a directory with entries, which are removed first"}, // also an ErrExist
	{fs.ErrExist, "exists", "exists already"},
	{fs.ErrPermission, "refused", "may not be used so: the permissions of the system do not allow it"},
	{syscall.EISDIR, "is-directory", "is a directory, want a file"},
	{syscall.ENOTDIR, "not-directory", "leads through a file that is not a directory, or is one"},
	{syscall.ELOOP, "refused", "leads through too many symbolic links"},
	{syscall.ENAMETOOLONG, "bad-path", "has a name that is too long"},
	{syscall.ENOSPC, "no-space", "can't be written: the disk is full"},
	{syscall.EROFS, "refused", "lies on a disk that can only be read"},
}

// reason returns an error of the system without the name of the call and the path of the
// host.
func reason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
