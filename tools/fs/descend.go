// This file finds the directory entry that a call changes, one directory at a time, so that all directories
// above it are known, whatever links lead there.

package fs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/ptc-lang/ptc/runtime/tool"
)

// maxLinks bounds the symbolic links of one path, as systems do, and the tries to follow
// one that somebody changes in the meantime.
const maxLinks = 255

// level is a directory on the way down, by its identity and its name in the one above.
type level struct {
	name string
	info os.FileInfo
}

// entry is a name in a directory that is held open. Nobody who renames directories or puts
// links in their place can have a change of it happen elsewhere.
type entry struct {
	location
	parent *os.Root
	name   string      // "." for the granted directory itself
	info   os.FileInfo // nil if there is nothing of that name
	levels []level     // from the granted directory to parent
}

// descent is the way from a granted directory down to an entry.
type descent struct {
	location
	follow bool                                // a symbolic link at the end is followed, too
	mkdir  func(d *descent, name string) error // makes a directory that is missing on the way; may be nil
	top    *os.Root
	levels []level
	rest   []string
	links  int
}

// descend finds the entry at a location. The caller closes it.
func (p location) descend(follow bool, mkdir func(d *descent, name string) error) (*entry, error) {
	d := &descent{location: p, follow: follow, mkdir: mkdir, top: p.root, levels: []level{{".", p.info}},
		rest: steps(p.rel)}
	name, info, err := d.walk()
	if err != nil {
		d.let()
		return nil, err
	}
	return &entry{p, d.top, name, info, d.levels}, nil
}

// Close lets go of the directory.
func (e *entry) Close() {
	if e.parent != e.root {
		e.parent.Close()
	}
}

// let closes the directory that is held, unless it is the granted one.
func (d *descent) let() {
	if d.top != d.root {
		d.top.Close()
	}
}

// steps splits a path into names.
func steps(path string) []string {
	return strings.FieldsFunc(filepath.ToSlash(path), func(c rune) bool { return c == '/' })
}

// walk goes down until one name is left, and returns it with the entry of that name.
func (d *descent) walk() (string, os.FileInfo, error) {
	for len(d.rest) > 0 {
		name := d.rest[0]
		d.rest = d.rest[1:]
		if name == "." {
			continue
		}
		if name == ".." {
			if err := d.up(); err != nil {
				return "", nil, err
			}
			continue
		}
		last := len(d.rest) == 0
		info, err := d.top.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist) && last:
			return name, nil, nil
		case errors.Is(err, fs.ErrNotExist) && d.mkdir != nil:
			err = d.make(name)
		case err != nil:
		case info.Mode()&os.ModeSymlink != 0 && (d.follow || !last):
			err = d.through(name)
		case last:
			return name, info, nil
		default:
			err = d.down(name, info)
		}
		if err != nil {
			return "", nil, err
		}
	}
	return ".", d.levels[len(d.levels)-1].info, nil
}

// make makes a missing directory; walk finds it then.
func (d *descent) make(name string) error {
	if err := d.mkdir(d, name); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return d.again(name)
}

// again repeats the step for a name: its target has changed.
func (d *descent) again(names ...string) error {
	if d.links++; d.links > maxLinks {
		return syscall.ELOOP
	}
	d.rest = append(names, d.rest...)
	return nil
}

// through follows a symbolic link if it stays below the granted directory.
func (d *descent) through(name string) error {
	to, err := d.top.Readlink(name)
	switch {
	case err != nil:
		return err
	case filepath.IsAbs(to) || strings.HasPrefix(filepath.ToSlash(to), "/") || filepath.VolumeName(to) != "":
		return leadsOut(d.shown)
	}
	return d.again(steps(to)...)
}

// down enters a directory, which must still be the one that was looked at.
func (d *descent) down(name string, seen os.FileInfo) error {
	if !seen.IsDir() {
		return syscall.ENOTDIR // os.Root has a special error for that
	}
	sub, err := d.top.OpenRoot(name)
	if errors.Is(err, fs.ErrNotExist) {
		return d.again(name) // walk tells
	} else if err != nil {
		return err
	}
	info, err := sub.Stat(".")
	if err != nil || !os.SameFile(info, seen) {
		sub.Close()
		return errors.Join(err, d.again(name))
	}
	d.let()
	d.top = sub
	d.levels = append(d.levels, level{name, info})
	return nil
}

// up goes back to the directory above, which is opened again.
func (d *descent) up() error {
	n := len(d.levels) - 1
	if n == 0 {
		return leadsOut(d.shown)
	}
	above, path := d.root, ""
	if n > 1 {
		for _, l := range d.levels[1:n] {
			path = filepath.Join(path, l.name)
		}
		var err error
		if above, err = d.root.OpenRoot(path); err != nil {
			return err
		}
		info, err := above.Stat(".")
		if err != nil || !os.SameFile(info, d.levels[n-1].info) {
			above.Close()
			return errors.Join(err, &tool.Error{Code: "refused", Retryable: true,
				Message: fmt.Sprintf("%s leads through a directory that is being moved; try again", d.shown)})
		}
	}
	d.let()
	d.top, d.levels = above, d.levels[:n]
	return nil
}

// leadsOut is the error of a path that leaves the granted directory.
func leadsOut(shown string) error {
	return &tool.Error{Code: "refused", Message: shown + " leads out of the granted directory, by a symbolic link"}
}
