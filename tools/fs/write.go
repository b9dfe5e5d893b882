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
	"path"
	"strings"

	"github.com/ptc-lang/ptc/runtime/tool"
)

// WriteArgs are the arguments of fs.write and fs.append.
type WriteArgs struct {
	Path     string `json:"path"`
	Text     string `json:"text"`
	Encoding string `json:"encoding,omitempty" jsonschema:"base64 if :text is the base64 of the bytes to write; utf-8 if absent"`
}

// content gives the bytes that are to be written.
func (in WriteArgs) content() ([]byte, error) {
	switch strings.ToLower(in.Encoding) {
	case "", "utf-8", "utf8":
		return []byte(in.Text), nil
	case "base64":
		content, err := base64.StdEncoding.DecodeString(in.Text)
		if err != nil {
			return nil, &tool.Error{Code: tool.CodeBadArguments, Message: ":text is no base64", Err: err}
		}
		return content, nil
	}
	return nil, &tool.Error{Code: tool.CodeBadArguments, Message: fmt.Sprintf("got the encoding %q, want utf-8 or base64", in.Encoding)}
}

func (f *Files) write(ctx context.Context, in WriteArgs) (int64, error) {
	content, err := in.content()
	if err != nil {
		return 0, err
	}
	return f.Write(ctx, in.Path, content)
}

// Write puts a file with this content in the place of what is there, in one step, and
// gives its size. It holds on to the directory meanwhile, so that nobody who renames
// directories or puts links in their place can have it write elsewhere.
func (f *Files) Write(ctx context.Context, name string, content []byte) (int64, error) {
	p, err := f.writable(name)
	if err != nil {
		return 0, err
	}
	parent, err := p.root.OpenRoot(path.Dir(p.rel))
	if err != nil {
		return 0, inParent(p, err)
	}
	defer parent.Close()
	perm := os.FileMode(0o666)
	if info, err := parent.Lstat(path.Base(p.rel)); err == nil && !info.Mode().IsRegular() {
		return 0, irregular(p.shown, info.Mode())
	} else if err == nil {
		perm = info.Mode().Perm()
	}
	if err := replace(ctx, parent, path.Base(p.rel), content, perm); err != nil {
		return 0, Failure(p.shown, err)
	}
	return int64(len(content)), nil
}

// inParent is the error of a file whose directory can't be opened.
func inParent(p place, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return &tool.Error{Code: "not-found", Message: fmt.Sprintf("the directory of %s does not exist; fs.mkdir makes it", p.shown)}
	}
	return Failure(p.shown, err)
}

// replace writes a new file in a directory, and then renames it. perm are the
// permissions of the file before, or what the system makes of those of a new one.
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
		err = file.Chmod(perm) // what the mask of the process has taken away
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

// syncDir brings the entries of a directory to the disk. Some file systems can't, which
// is no failure: the file is there.
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

// Append adds to the end of a file, which it makes if there is none, and gives the new
// size. content is told the size before. What several calls add at once is not mixed.
func (f *Files) Append(ctx context.Context, name string, content func(size int64) ([]byte, error)) (int64, error) {
	p, err := f.writable(name)
	if err != nil {
		return 0, err
	}
	f.appending.Lock()
	defer f.appending.Unlock()
	file, info, err := p.open(os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, inParent(p, err)
	} else if err != nil {
		return 0, Failure(p.shown, err)
	}
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
		return 0, Failure(p.shown, err)
	}
	return info.Size() + int64(len(text)), nil
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
	if err := p.root.MkdirAll(p.rel, 0o777); err != nil {
		return false, Failure(p.shown, err)
	}
	return true, nil
}

func (f *Files) remove(_ context.Context, in PathArgs) (bool, error) {
	p, err := f.writable(in.Path)
	switch {
	case err != nil:
		return false, err
	case p.rel == ".":
		return false, &tool.Error{Code: "refused", Message: p.shown + " is a granted directory, which can't be removed"}
	}
	err = p.root.Remove(p.rel)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, Failure(p.shown, err)
}
