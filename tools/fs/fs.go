// This file defines the grant, and the tools that it provides.

package fs

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ptc-lang/ptc/runtime/tool"
)

// Grant is the set of directories that programs may use. The zero value grants none.
type Grant struct {
	Dirs []Dir
	// Protect are files that no tool changes, although they are in one of Dirs.
	Protect []Protected
	// MaxBytes bounds the bytes that one call reads; below 1 it is DefaultMaxBytes.
	MaxBytes int64
}

// Writable reports whether any of the directories may be written.
func (g Grant) Writable() bool {
	return slices.ContainsFunc(g.Dirs, func(d Dir) bool { return d.Write })
}

// DefaultMaxBytes is the default maximum that one call reads: half of the maximum result of a call, because JSON takes
// more room than the text.
const DefaultMaxBytes = 8 << 20

// Dir is a directory that is granted.
type Dir struct {
	Path  string // of the host
	Name  string // the name that programs use, with / between its parts; "" is Path
	Write bool   // may be changed, too
}

// ParseDir reads DIR or DIR:ro, as a flag has it; without :ro the directory may be
// written. A relative directory is one of base, "" being the working directory, and
// keeps the name that is written.
func ParseDir(text, base string) (Dir, error) {
	name, ro := strings.CutSuffix(text, ":ro")
	if name == "" || strings.ContainsRune(name, 0) {
		return Dir{}, errors.New("want the name of a directory, DIR, or DIR:ro for read-only")
	}
	d := Dir{Path: name, Name: name, Write: !ro}
	if !filepath.IsAbs(name) {
		d.Path = filepath.Join(base, name)
	}
	return d, nil
}

// The flags that grant the tools.
const (
	grantRead  = "grant it with --allow-fs DIR:ro"
	grantWrite = "grant it with --allow-fs DIR"
)

// Names returns the names of the tools, each with the flag that grants it.
func Names() map[string]string {
	return map[string]string{
		"fs.read": grantRead, "fs.lines": grantRead, "fs.list": grantRead, "fs.stat": grantRead, "fs.glob": grantRead,
		"fs.write": grantWrite, "fs.append": grantWrite, "fs.mkdir": grantWrite, "fs.remove": grantWrite,
	}
}

// Tools returns the tools of a grant. Tools that write are included only if a directory may be written. The
// directories are opened here, and stay open as long as the tools are used.
func Tools(g Grant) ([]*tool.Tool, error) {
	f, err := Open(g)
	if err != nil {
		return nil, err
	}
	return f.tools(g), nil
}

// Stubs returns the same tools as Tools, for checking only: they cannot be called, and nothing is opened.
func Stubs(g Grant) []*tool.Tool { return (&Files{}).tools(g) }

func (f *Files) tools(g Grant) []*tool.Tool {
	if len(g.Dirs) == 0 {
		return nil
	}
	tools := f.readers()
	if g.Writable() {
		tools = append(tools, f.writers()...)
	}
	return tools
}

func (f *Files) readers() []*tool.Tool {
	return []*tool.Tool{
		tool.New("fs.read", "Returns the text of a file.", f.read, tool.ReadOnly(),
			tool.Example(`(tool/fs.read "data/notes.txt")`),
			tool.Example(`(tool/fs.read {:path "data/logo.png" :encoding "base64"})`)),
		tool.New("fs.lines", "Returns a window of the lines of a file: up to :limit lines from byte :from. The next "+
			"window begins at :next, which is absent at the end.",
			f.lines, tool.ReadOnly(),
			tool.Example(`(:lines (tool/fs.lines {:path "data/app.log" :limit 10}))`),
			tool.Example(`(mapcat identity (iteration #(tool/fs.lines {:path "data/app.log" :from %}) `+
				`:initk 0 :vf :lines :kf :next))`)),
		tool.New("fs.list", "Returns the entries of a directory, sorted by name.", f.list, tool.ReadOnly(),
			tool.Example(`(map :name (tool/fs.list "data"))`)),
		tool.New("fs.stat", "Returns the type, size and time of a file or directory; nil if there is none.", f.stat,
			tool.ReadOnly(), tool.Example(`(:size (tool/fs.stat "data/orders.csv"))`)),
		tool.New("fs.glob", "Returns the sorted paths of files and directories that match a pattern. * stands for "+
			"characters of a name, ** for any directories; a name that begins with a dot needs a pattern that does.",
			f.glob, tool.ReadOnly(), tool.Example(`(tool/fs.glob "data/**/*.csv")`)),
	}
}

func (f *Files) writers() []*tool.Tool {
	return []*tool.Tool{
		tool.New("fs.write", "Writes a file in one step, replacing an existing file, and returns its size. The directory "+
			"must exist.", f.write, tool.Idempotent(),
			tool.Example(`(tool/fs.write {:path "out/report.txt" :text "done\n"})`)),
		tool.New("fs.append", "Appends to a file, which it creates if necessary, and returns the new size.", f.append,
			tool.Example(`(tool/fs.append {:path "out/run.log" :text "one line\n"})`)),
		tool.New("fs.mkdir", "Creates a directory and its parents; it may exist.", f.mkdir, tool.Idempotent(),
			tool.Example(`(tool/fs.mkdir "out/2026/11")`)),
		tool.New("fs.remove", "Removes a file or an empty directory. Returns whether there was one.", f.remove,
			tool.Idempotent(), tool.Example(`(tool/fs.remove "out/old.txt")`)),
	}
}
