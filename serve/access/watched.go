// This file defines values that are read from files.

package access

import (
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"
)

// watched is a value that is read again when its files have changed. If they are bad then, the old value stays
// and the error is logged once. Nothing polls: get looks at the files, which takes about a microsecond each.
type watched[T any] struct {
	paths []string
	read  func() (T, error)
	log   *slog.Logger

	mu    sync.Mutex
	value T
	seen  []os.FileInfo
	at    time.Time // when the files were read
}

// watch reads the value for the first time.
func watch[T any](log *slog.Logger, read func() (T, error), paths ...string) (*watched[T], error) {
	w := &watched[T]{paths: paths, read: read, log: log}
	w.seen, w.at = w.look(), time.Now()
	var err error
	w.value, err = read()
	return w, err
}

// Watch calls read, which reads files and applies their contents. The function that it returns calls read again if the
// files have changed. It takes about a microsecond for each file otherwise. An error of read, which must leave
// everything as it was, is logged once.
func Watch(log *slog.Logger, read func() error, paths ...string) (look func(), err error) {
	w, err := watch(log, func() (struct{}, error) { return struct{}{}, read() }, paths...)
	return func() { w.get() }, err
}

// look returns the state of the files. A file that cannot be looked at has none.
func (w *watched[T]) look() []os.FileInfo {
	infos := make([]os.FileInfo, len(w.paths))
	for i, path := range w.paths {
		infos[i], _ = os.Stat(path)
	}
	return infos
}

// settled is the age from which the time of a file can be trusted: two writes within it may have the same
// time. The coarsest file systems count in steps of two seconds.
const settled = 2 * time.Second

// get returns the value of the current files.
func (w *watched[T]) get() T {
	w.mu.Lock()
	defer w.mu.Unlock()
	infos := w.look()
	if w.same(infos) {
		return w.value
	}
	again := slices.EqualFunc(infos, w.seen, unchanged)
	w.seen, w.at = infos, time.Now()
	value, err := w.read()
	switch {
	case err == nil:
		w.value = value
	case !again: // and not once per request
		w.log.Error("the old contents of a changed file stay in use", "files", w.paths, "error", err)
	}
	return w.value
}

// same reports whether the files cannot have changed since they were read.
func (w *watched[T]) same(infos []os.FileInfo) bool {
	if !slices.EqualFunc(infos, w.seen, unchanged) {
		return false
	}
	for _, info := range infos {
		if info != nil && w.at.Sub(info.ModTime()) < settled {
			return false
		}
	}
	return true
}

func unchanged(a, b os.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size()
}
