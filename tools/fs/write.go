// This file defines the tools that change files and directories.

package fs

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// WriteArgs are the arguments of fs.write and fs.append.
type WriteArgs struct {
	Path     string `json:"path"`
	Text     string `json:"text"`
	Encoding string `json:"encoding,omitempty" jsonschema:"utf-8 (default), or base64 if :text is base64"`
}

// content returns the bytes to write.
func (in WriteArgs) content() ([]byte, error) {
	switch strings.ToLower(in.Encoding) {
	case "", "utf-8", "utf8":
		return []byte(in.Text), nil
	case "base64":
		content, err := base64.StdEncoding.DecodeString(in.Text)
		if err != nil {
			return nil, &tool.Error{Code: effect.CodeBadArguments, Message: ":text is not base64", Err: err}
		}
		return content, nil
	}
	return nil, &tool.Error{Code: effect.CodeBadArguments,
		Message: fmt.Sprintf("got the encoding %q, want utf-8 or base64", in.Encoding)}
}

func (f *Files) write(ctx context.Context, in WriteArgs) (int64, error) {
	content, err := in.content()
	if err != nil {
		return 0, err
	}
	return f.Write(ctx, in.Path, content)
}

// Write atomically replaces the file of a name by one with this content, and returns its size.
func (f *Files) Write(ctx context.Context, name string, content []byte) (int64, error) {
	e, err := f.toChange(name, false)
	if err != nil {
		return 0, err
	}
	defer e.Close()
	perm := os.FileMode(0o666)
	if e.info != nil {
		if !e.info.Mode().IsRegular() {
			return 0, irregular(e.shown, e.info.Mode())
		}
		perm = e.info.Mode().Perm()
	}
	if err := replace(ctx, e.parent, e.name, content, perm); err != nil {
		return 0, Failure(e.shown, err)
	}
	return int64(len(content)), nil
}

// toChange finds the entry that a call changes, and refuses one that must not be changed. It follows a
// symbolic link at the end if follow is set.
func (f *Files) toChange(name string, follow bool) (*entry, error) {
	p, err := f.writable(name)
	if err != nil {
		return nil, err
	}
	e, err := p.descend(follow, nil)
	if err != nil {
		return nil, inParent(p, err)
	}
	if err := f.changeable(e.shown, e.parent, e.levels, e.name, e.info); err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

// inParent is the error of a file whose directory can't be opened.
func inParent(p location, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return &tool.Error{Code: "not-found", Message: fmt.Sprintf("the directory of %s does not exist; fs.mkdir makes it",
			p.shown)}
	}
	return Failure(p.shown, err)
}

// replace writes a new file in a directory, and then renames it. perm are the permissions of the earlier
// file, or the defaults of the system for a new one.
func replace(ctx context.Context, parent *os.Root, name string, content []byte, perm os.FileMode) (err error) {
	temp := ".ptc-" + rand.Text() + ".tmp"
	file, err := parent.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, perm)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			parent.Remove(temp)
		}
	}()
	_, err = file.Write(content)
	if err == nil && perm != 0o666 {
		err = file.Chmod(perm) // restores the bits that the umask of the process has removed
	}
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close(), ctx.Err()); err != nil {
		return err
	}
	if err := parent.Rename(temp, name); err != nil {
		return err
	}
	return syncDir(parent)
}

// syncDir brings the entries of a directory to the disk. Some file systems can't, which is not a failure:
// the file is written.
func syncDir(parent *os.Root) error {
	dir, err := parent.Open(".")
	if err != nil {
		return err
	}
	dir.Sync()
	return dir.Close()
}

func (f *Files) append(ctx context.Context, in WriteArgs) (int64, error) {
	content, err := in.content()
	if err != nil {
		return 0, err
	}
	return f.Append(ctx, in.Path, func(int64) ([]byte, error) { return content, nil })
}

// Append adds to the end of a file, which it makes if there is none, and returns the new
// size. content gets the size of the file before. Concurrent appends are not interleaved.
func (f *Files) Append(ctx context.Context, name string, content func(size int64) ([]byte, error)) (int64, error) {
	f.appending.Lock()
	defer f.appending.Unlock()
	e, file, info, err := f.end(ctx, name)
	if err != nil {
		return 0, err
	}
	defer e.Close()
	text, err := content(info.Size())
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		_, err = file.Write(text)
	}
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return 0, Failure(e.shown, err)
	}
	return info.Size() + int64(len(text)), nil
}

// end opens a file to append to it. It tries again if another program replaces the file.
func (f *Files) end(ctx context.Context, name string) (*entry, *os.File, os.FileInfo, error) {
	for tries := 1; ; tries++ {
		e, err := f.toChange(name, true)
		if err != nil {
			return nil, nil, nil, err
		}
		file, info, err := f.openEnd(e)
		if err == nil {
			return e, file, info, nil
		}
		e.Close()
		if !errors.Is(err, errReplaced) || tries == maxLinks || ctx.Err() != nil {
			return nil, nil, nil, Failure(e.shown, err)
		}
	}
}

// errReplaced is the error of a file that was created or replaced since it was checked.
var errReplaced = errors.New("other programs keep replacing it")

// openEnd opens the file of an entry to add to it, and creates it if there is none. The file must
// be the one that the entry was found to be, else the error is errReplaced: any other may have
// been reached by a symbolic link, and are in a directory that may only be read.
func (f *Files) openEnd(e *entry) (*os.File, os.FileInfo, error) {
	flag := os.O_WRONLY | os.O_APPEND
	if e.info == nil {
		flag |= os.O_CREATE | os.O_EXCL // which follows no link
	}
	file, info, err := openRegular(e.parent, e.name, e.shown, flag)
	if errors.Is(err, fs.ErrExist) || e.info != nil && errors.Is(err, fs.ErrNotExist) {
		return nil, nil, errReplaced
	} else if err != nil {
		return nil, nil, err
	}
	if e.info != nil && !os.SameFile(e.info, info) {
		err = errReplaced
	}
	if err == nil {
		err = f.changeable(e.shown, e.parent, e.levels, e.name, info)
	}
	if err == nil {
		err = f.oneName(e, info)
	}
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return file, info, nil
}

// oneName refuses to append to a file with several names if one of them may be in a read-only directory: the
// names of a file cannot be listed.
func (f *Files) oneName(e *entry, info os.FileInfo) error {
	if hardLinks(info) < 2 || !slices.ContainsFunc(f.dirs, func(d *dir) bool { return !d.write }) {
		return nil
	}
	return &tool.Error{Code: "refused", Message: fmt.Sprintf("%s has %d names (hard links), and one of them may lie in a "+
		"directory that may only be read; fs.write replaces it by a separate file", e.shown, hardLinks(info))}
}

// PathArgs are the arguments of tools that take a path.
type PathArgs struct {
	Path string `json:"path"`
}

func (f *Files) mkdir(_ context.Context, in PathArgs) (bool, error) {
	p, err := f.writable(in.Path)
	if err != nil {
		return false, err
	}
	e, err := p.descend(true, f.makeDir)
	if err != nil {
		return false, Failure(p.shown, err)
	}
	defer e.Close()
	switch {
	case e.info == nil:
		err = f.makeLast(e)
	case !e.info.IsDir():
		err = syscall.ENOTDIR
	}
	return err == nil, Failure(e.shown, err)
}

// makeLast makes the directory of an entry, which somebody else may make in the meantime.
func (f *Files) makeLast(e *entry) error {
	if err := f.changeable(e.shown, e.parent, e.levels, e.name, nil); err != nil {
		return err
	}
	err := e.parent.Mkdir(e.name, 0o777)
	if errors.Is(err, fs.ErrExist) {
		if now, lost := e.parent.Stat(e.name); lost == nil && now.IsDir() {
			return nil
		}
	}
	return err
}

// makeDir makes a directory on the way to another one.
func (f *Files) makeDir(d *descent, name string) error {
	if err := f.changeable(d.shown, d.top, d.levels, name, nil); err != nil {
		return err
	}
	return d.top.Mkdir(name, 0o777)
}

func (f *Files) remove(_ context.Context, in PathArgs) (bool, error) {
	p, err := f.writable(in.Path)
	switch {
	case err != nil:
		return false, err
	case p.rel == ".":
		return false, &tool.Error{Code: "refused", Message: p.shown + " is a granted directory, which can't be removed"}
	}
	e, err := p.descend(false, nil)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	} else if err != nil {
		return false, Failure(p.shown, err)
	}
	defer e.Close()
	if err := f.changeable(e.shown, e.parent, e.levels, e.name, e.info); err != nil {
		return false, err
	}
	err = e.parent.Remove(e.name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, Failure(e.shown, err)
}
