// Package files reads and replaces the files of a user for the commands of ptc.
package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Await returns the results of f, or the error of ctx if that has ended. Then f continues until the process
// ends, which is soon: f blocks in a system call, such as opening a pipe without a writer.
func Await[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type outcome struct {
		val T
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		val, err := f()
		done <- outcome{val, err}
	}()
	select {
	case o := <-done:
		if ctx.Err() == nil { // select takes either case if both are ready
			return o.val, o.err
		}
	case <-ctx.Done():
	}
	return *new(T), ctx.Err()
}

// Read reads a file up to most bytes; ok is false if it has more.
func Read(name string, most int64) (text []byte, ok bool, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, false, Plain(err)
	}
	defer f.Close()
	return Limited(f, most)
}

// Limited reads in up to most bytes; ok is false if there are more.
func Limited(in io.Reader, most int64) (text []byte, ok bool, err error) {
	text, err = io.ReadAll(io.LimitReader(in, most+1))
	return text, int64(len(text)) <= most, Plain(err)
}

// Create creates a file with a text. It fails if the file exists.
func Create(name, text string) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return Plain(err)
	}
	_, err = f.WriteString(text)
	return Plain(errors.Join(err, f.Close()))
}

// Replace replaces the contents old of a file by new ones. It fails if the file has other contents than old,
// because another program has written it since it was read. It writes another file and renames it, so no reader
// ever sees half of the contents. The mode stays, and a symbolic link stays one.
func Replace(name, old, text string) error { return Plain(replace(name, old, text)) }

func replace(name, old, text string) error {
	target, err := filepath.EvalSymlinks(name)
	if err != nil {
		return err
	}
	info, err := os.Stat(target)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: not a regular file", name)
	}
	writable, err := os.OpenFile(target, os.O_WRONLY, 0) // renaming would replace a file that is not writable
	if err != nil {
		return err
	}
	writable.Close()
	written, err := beside(target, text, info.Mode().Perm())
	if err != nil {
		return err
	}
	// Compared at the last moment. A write between this and the rename is lost: no system does both in one
	// step.
	if err = unchanged(name, old); err == nil {
		err = os.Rename(written, target)
	}
	if err != nil {
		os.Remove(written)
	}
	return err
}

// beside writes a file in the folder of another one, on the disk when it returns.
func beside(name, text string, mode fs.FileMode) (written string, err error) {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*")
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	if err == nil {
		err = errors.Join(f.Chmod(mode), f.Sync())
	}
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(f.Name())
	}
	return f.Name(), err
}

// unchanged returns an error if the contents of a file have changed.
func unchanged(name, old string) error {
	now, whole, err := Read(name, int64(len(old)))
	if err == nil && (!whole || string(now) != old) {
		err = fmt.Errorf("%s: another program changed the file, which is left unchanged; try again", name)
	}
	return err
}

// Absolute returns a path that holds in any directory; "" stays.
func Absolute(path string) string {
	if path == "" {
		return ""
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// Plain returns an error about a file without the name of the system call.
func Plain(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return fmt.Errorf("%s: %w", p.Path, p.Err)
	}
	return err
}
