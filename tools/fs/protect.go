// This file defines the files that no tool changes, or reads, whatever is granted.

package fs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/ptc-lang/ptc/runtime/tool"
)

// Protected is a file that steers this run or the next one, such as a script, its journal or a granted
// program: a change of it decides what is executed.
type Protected struct {
	// Path is a path of the host. The file need not exist; then tools can't create it. If it is a directory,
	// everything in it is protected.
	Path string
	What string // its description in errors, such as "the journal of this run"
	// Secret forbids reading too: of the file, or of all files in the directory. It and its contents can't be granted.
	Secret bool
}

// protection knows protected files by the identity of the file, and by each name on the
// way to it: also where the file is missing, is replaced, or is reached by a link.
type protection struct {
	files []Protected
	dirs  []*protectedDir
	known map[string]bool // paths of names
}

// protectedDir is a directory with names of protected files.
type protectedDir struct {
	path  string
	info  os.FileInfo
	names []protectedName
}

// protectedName is a name of a protected file.
type protectedName struct {
	name  string
	what  string
	leads bool // it is not the file, but a directory or a link on the way
}

// add protects a file.
func (p *protection) add(f Protected) error {
	p.files = append(p.files, f)
	return p.addNames(f.Path, f.What)
}

// addNames protects the names by which a path is resolved: its directories, the links among them, and the
// names on the way to their targets.
func (p *protection) addNames(path, what string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	at, rest := rootOf(path)
	for links := 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		switch name {
		case ".":
			continue
		case "..":
			at = filepath.Dir(at)
			continue
		}
		if err := p.addName(at, name, what, len(rest) > 0); err != nil {
			return unreachable(path, err)
		}
		info, err := os.Lstat(filepath.Join(at, name))
		if err != nil {
			return unreachable(path, err)
		}
		if info.Mode()&os.ModeSymlink == 0 {
			at = filepath.Join(at, name)
			continue
		}
		to, err := os.Readlink(filepath.Join(at, name))
		if links++; err == nil && links > maxLinks {
			err = syscall.ELOOP
		}
		if err != nil {
			return unreachable(path, err)
		}
		next := steps(to)
		if filepath.IsAbs(to) {
			at, next = rootOf(to)
		}
		rest = append(next, rest...)
	}
	return nil
}

// rootOf splits an absolute path into the root of the file system and the names below.
func rootOf(path string) (root string, names []string) {
	volume := filepath.VolumeName(path)
	return volume + string(filepath.Separator), steps(path[len(volume):])
}

// unreachable ignores errors of paths that do not exist or that this process is not allowed to see: tools
// find nothing there either. It returns any other error.
func unreachable(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOTDIR) {
		return nil
	}
	return fmt.Errorf("%s can't be protected from tools: %w", path, reason(err))
}

func (p *protection) addName(dir, name, what string, leads bool) error {
	path := filepath.Join(dir, name)
	if p.known[path] && leads {
		return nil
	}
	d, err := p.dir(dir)
	if err != nil {
		return err
	}
	if p.known == nil {
		p.known = make(map[string]bool)
	}
	p.known[path] = true
	d.names = append(d.names, protectedName{name, what, leads})
	return nil
}

// dir returns the directory of a path, with its present names.
func (p *protection) dir(path string) (*protectedDir, error) {
	for _, d := range p.dirs {
		if d.path == path {
			return d, nil
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	d := &protectedDir{path: path, info: info}
	p.dirs = append(p.dirs, d)
	return d, nil
}

// is reports whether d is this directory. One that was put in the place of d since d was
// looked at is d too, and so is d by another number: not every file system keeps those.
func (d *protectedDir) is(info os.FileInfo) bool {
	if os.SameFile(d.info, info) {
		return true
	}
	now, err := os.Stat(d.path)
	return err == nil && os.SameFile(now, info)
}

// check refuses to change an entry that is protected, or is in a protected directory.
func (p *protection) check(shown string, levels []level, name string, info os.FileInfo) error {
	parent := levels[len(levels)-1].info
	if n := p.named(parent, name); n != nil && n.leads {
		return protected(shown, "leads to "+n.what, "change")
	} else if n != nil {
		return protected(shown, "is "+n.what, "change")
	}
	for _, f := range p.files {
		now, err := os.Stat(f.Path)
		if err != nil {
			continue // there is none, so nothing is it
		}
		if info != nil && os.SameFile(now, info) {
			return protected(shown, "is "+f.What, "change")
		}
		for _, l := range levels {
			if now.IsDir() && os.SameFile(now, l.info) {
				return protected(shown, "lies in "+f.What, "change")
			}
		}
	}
	return nil
}

// named returns the protected name that a name in a directory may be; nil if there is none.
func (p *protection) named(parent os.FileInfo, name string) *protectedName {
	for _, d := range p.dirs {
		for i := range d.names {
			if sameName(d.names[i].name, name) && d.is(parent) {
				return &d.names[i]
			}
		}
	}
	return nil
}

// checkRead refuses to read a file that is secret, or is in a secret directory.
func (p *protection) checkRead(shown string, levels []level, info os.FileInfo) error {
	for _, f := range p.files {
		if !f.Secret {
			continue
		}
		now, err := os.Stat(f.Path)
		if err != nil {
			continue
		}
		if os.SameFile(now, info) {
			return protected(shown, "is "+f.What, "read")
		}
		if slices.ContainsFunc(levels, func(l level) bool { return os.SameFile(now, l.info) }) {
			return protected(shown, "lies in "+f.What, "read")
		}
	}
	return nil
}

// checkGrant refuses a granted directory that is secret, or is in a secret one.
func (p *protection) checkGrant(d *dir) error {
	path, err := filepath.Abs(d.path)
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return fmt.Errorf("the granted directory %s can't be opened: %w", d.path, reason(err))
	}
	for above := ""; path != above; above, path = path, filepath.Dir(path) {
		info, err := os.Stat(path)
		for _, f := range p.files {
			if now, gone := os.Stat(f.Path); f.Secret && err == nil && gone == nil && os.SameFile(now, info) {
				return fmt.Errorf("the directory %s can't be granted: it is or lies in %s; grant another one", d.path, f.What)
			}
		}
	}
	return nil
}

func protected(shown, is, do string) error {
	return &tool.Error{Code: "refused", Message: fmt.Sprintf("%s %s, which no tool may %s", shown, is, do)}
}

// sameName reports whether two names may name one file: some file systems ignore case, and some ignore
// characters without width, a stream after a colon, or dots and blanks at the end. It reports true where it
// is unsure.
func sameName(protected, name string) bool {
	if strings.EqualFold(protected, name) {
		return true
	}
	return isASCII(protected) && strings.EqualFold(protected, skeleton(name))
}

// folded replaces the characters that some file systems take for several ASCII letters. Few
// names have any, so the table is made for them and not at the start of the process.
func folded(name string) string {
	if isASCII(name) {
		return name
	}
	return strings.NewReplacer("ß", "ss", "ẞ", "ss", "ﬀ", "ff",
		"ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl", "ﬅ", "st", "ﬆ", "st").Replace(name)
}

// skeleton reduces a name to the characters that every file system distinguishes.
func skeleton(name string) string {
	name, _, _ = strings.Cut(folded(name), ":")
	name = strings.Map(func(c rune) rune {
		switch {
		case c == 'ſ': // folds to s
			return 's'
		case c == '\u212a': // the Kelvin sign folds to k
			return 'k'
		case c > '~':
			return -1
		}
		return c
	}, name)
	return strings.TrimRight(name, ". ")
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool { return c > '~' })
}
