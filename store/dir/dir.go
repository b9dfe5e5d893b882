// Package dir is a store in a directory, for one process at a time.
//
//	DIR/lock                            the number of the process that uses the directory, and a mark
//	DIR/runs/ID/run.json                a run, with its result
//	DIR/runs/ID/input.json              its source and data, if they are large
//	DIR/runs/ID/journal                 its journal, which the process that runs it writes
//	DIR/documents/KIND/NAME/VERSION.json
//	DIR/index                           an index of the runs, in bbolt
//	DIR/index.sum                       the checksum of the index, after a clean Close
//	DIR/tmp                             files on their way; Open empties it
//
// # Durability
//
// A run appears as a whole folder, which is renamed into runs, and run.json changes as a whole file, which is renamed
// over the previous one. Each change is on the disk, with its name, before the method returns and before
// another method sees it. So after the process was killed, or the power was lost, each run is in the state
// after one of its changes, and nobody has seen a later state.
//
// A final run does not change, so its value is written once. The source and the data of a run do not change either;
// if they are large they are in input.json, and not written again with each change. Each file holds a checksum of its
// contents. A file that fails it makes its run damaged: see Store.Damaged. The others continue.
//
// # The index
//
// The folders are the source of truth, and the index is derived from them. It is trusted only if its
// checksum is the one that a clean Close has written, if that was the last use of the directory, and if no
// folder was added or removed since. Otherwise Open builds a new index. So it need not be written to the
// disk with each change, and damage to it does no harm.
//
// # Backup
//
// A copy of the directory that is made while the store is in use has each run in the state of one moment,
// because only one file of a run changes. Different runs may be of different moments. A journal in the copy
// may be older or newer than its run.json; a run that is not final continues from it, as after a crash at
// that moment. Leave out tmp and lock if the program that copies stops at files that vanish. The copy needs
// no index.
//
// A service that is restored from a copy repeats the external writes that its runs have made since the
// copy: the copy has no record of it.
package dir

import (
	"crypto/rand"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/internal/durable"
	"github.com/ptc-lang/ptc/store"
)

// Store is an open directory. It implements store.Store.
type Store struct {
	path string
	lock *os.File
	free func() error // the lock
	// mark is that of this use of the directory, before that of the previous one.
	mark, before string
	index        *index
	ids          store.IDs
	now          func() time.Time

	use    sync.RWMutex // held by calls for reading, and by Close
	closed bool

	runs [64]sync.RWMutex // of the files of runs, by a hash of the id
	keys [64]sync.Mutex   // of new runs with a key, by a hash of it
	seed maphash.Seed
	docs sync.RWMutex // of the files of documents

	mu     sync.Mutex
	failed error               // a sync of names failed: nothing is written after it
	late   map[string]struct{} // runs that the index has not followed
}

var _ store.Store = (*Store)(nil)

// Open opens a directory, and makes it if there is none. If its index can't be used, it reads all runs, some 30,000
// in a second. The error is store.ErrInUse if another process uses it, or this one already does.
func Open(path string) (*Store, error) {
	abs, err := filepath.Abs(path) // it holds after a change of the working directory
	if err != nil {
		return nil, err
	}
	s := &Store{path: abs, now: time.Now, seed: maphash.MakeSeed(), late: map[string]struct{}{}}
	_, missing := os.Stat(abs)
	for _, part := range []string{"", runsDir, documentsDir} {
		if err := os.MkdirAll(s.file(part), 0o700); err != nil {
			return nil, err
		}
	}
	if missing != nil {
		if err := durable.SyncDir(filepath.Dir(abs)); err != nil {
			return nil, err
		}
	}
	if err := s.take(); err != nil {
		return nil, err
	}
	if err := s.open(); err != nil {
		return nil, errors.Join(err, s.free(), s.lock.Close())
	}
	return s, nil
}

// The names in the directory.
const (
	lockFile     = "lock"
	runsDir      = "runs"
	runFile      = "run.json"
	inputFile    = "input.json"
	journalFile  = "journal"
	documentsDir = "documents"
	indexFile    = "index"
	sumFile      = "index.sum"
	tempDir      = "tmp"
)

// file returns the path of a file in the directory.
func (s *Store) file(names ...string) string {
	return filepath.Join(append([]string{s.path}, names...)...)
}

// take locks the directory. The file of the lock has the number of the process and a mark, which Close writes into
// index.sum: an index of an earlier use of the directory has another one.
func (s *Store) take() error {
	f, err := os.OpenFile(s.file(lockFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(io.LimitReader(f, 100))
	if err != nil {
		return errors.Join(err, f.Close())
	}
	pid, before, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	free, err := durable.Lock(f)
	if errors.Is(err, durable.ErrHeld) {
		hint := strings.TrimPrefix(err.Error(), durable.ErrHeld.Error())
		err = store.ErrInUse.With("%s is in use by %s; one process at a time can use it%s", s.path, holder(pid), hint)
	}
	if err == nil {
		err = f.Truncate(0)
	}
	mark := rand.Text()
	if err == nil {
		_, err = f.WriteAt(fmt.Appendf(nil, "%d %s\n", os.Getpid(), mark), 0)
	}
	if err == nil {
		err = f.Sync() // before the first change of the index
	}
	if err != nil {
		if free != nil {
			err = errors.Join(err, free())
		}
		return errors.Join(err, f.Close())
	}
	s.lock, s.free, s.before, s.mark = f, free, before, mark
	return nil
}

// holder describes the process that has the lock.
func holder(pid string) string {
	switch n, err := strconv.Atoi(pid); {
	case err != nil: // it has not written it yet
		return "another process"
	case n == os.Getpid():
		return "this process already"
	default:
		return "process " + pid
	}
}

// open removes unfinished files of earlier processes, and opens the index.
func (s *Store) open() error {
	if err := os.RemoveAll(s.file(tempDir)); err != nil {
		return err
	}
	if err := os.Mkdir(s.file(tempDir), 0o700); err != nil {
		return err
	}
	if err := durable.SyncDir(s.path); err != nil {
		return err
	}
	if err := s.openIndex(); err != nil {
		return err
	}
	last, err := s.index.last()
	if err != nil {
		return errors.Join(err, s.index.close())
	}
	s.ids.After(last)
	return nil
}

// Close waits for the calls under way, and sums up the index. Later calls return store.ErrClosed.
func (s *Store) Close() error {
	s.use.Lock()
	defer s.use.Unlock()
	if s.closed {
		return store.ErrClosed
	}
	s.closed = true
	return errors.Join(s.closeIndex(), s.free(), s.lock.Close())
}

// enter begins a call. The caller defers s.use.RUnlock if there is no error.
func (s *Store) enter() error {
	s.use.RLock()
	if s.closed {
		s.use.RUnlock()
		return store.ErrClosed
	}
	return nil
}

// writable returns an error if nothing may be written any more.
func (s *Store) writable() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed != nil {
		return fmt.Errorf("store: %s takes no changes until it is opened again: %w", s.path, s.failed)
	}
	return nil
}

// sync makes the names in a folder durable. After an error it is unknown which names are durable, and a
// repetition could succeed although some are not; so nothing is written after an error.
func (s *Store) sync(folder string) error {
	err := durable.SyncDir(folder)
	s.fail(err)
	return err
}

func (s *Store) fail(err error) {
	if err == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == nil {
		s.failed = err
	}
}

// replace writes a file in one step; see durable.Replace.
func (s *Store) replace(path string, contents []byte) error {
	replaced, err := durable.Replace(path, s.file(tempDir), contents)
	if replaced {
		s.fail(err)
	}
	return err
}

// of returns the lock of a run.
func (s *Store) of(id string) *sync.RWMutex {
	return &s.runs[maphash.String(s.seed, id)%uint64(len(s.runs))]
}
