// This file defines when an index is trusted, and how it is rebuilt.

package dir

import (
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"runtime"
	"sync"
	"time"

	"go.etcd.io/bbolt"

	"github.com/ptc-lang/ptc/store"
)

// summed is the contents of index.sum. Runs is the modification time of the folder of the runs: adding or
// removing a run by hand changes it. Mark is the mark of the use of the directory.
type summed struct {
	CRC  uint32    `json:"crc32c"`
	Size int64     `json:"size"`
	Runs time.Time `json:"runs"`
	Mark string    `json:"mark"`
}

// sum returns the contents that index.sum would have now, with a mark.
func (s *Store) sum(mark string) (now summed, err error) {
	now.Mark = mark
	f, err := os.Open(s.file(indexFile))
	if err != nil {
		return now, err
	}
	defer f.Close()
	h := crc32.New(castagnoli)
	if now.Size, err = io.Copy(h, f); err != nil {
		return now, err
	}
	now.CRC = h.Sum32()
	info, err := os.Stat(s.file(runsDir))
	if err == nil {
		now.Runs = info.ModTime().UTC()
	}
	return now, err
}

// openIndex opens the index if it is trusted, and builds it otherwise.
func (s *Store) openIndex() error {
	if s.trusted() {
		var err error
		if s.index, err = openBolt(s.file(indexFile)); err == nil {
			return s.lookAgain()
		}
	}
	return s.rebuild()
}

// trusted reports whether the index is the one that the previous use has closed. If it was not closed, the
// sum is older and has another mark.
func (s *Store) trusted() bool {
	var closed summed
	if _, err := readFile(s.file(sumFile), &closed); err != nil {
		return false
	}
	now, err := s.sum(s.before)
	return err == nil && now == closed
}

// lookAgain indexes the damaged runs that were repaired.
func (s *Store) lookAgain() error {
	runs, err := s.index.damaged()
	for _, d := range runs {
		if err == nil {
			err = s.reindex(d.ID)
		}
	}
	if err != nil {
		return errors.Join(err, s.index.close())
	}
	return nil
}

// closeIndex writes the index to the disk, and its sum if it has followed all runs.
func (s *Store) closeIndex() error {
	behind := s.catchUp()
	if err := s.index.close(); err != nil || behind != nil {
		return err // the next Open builds another one
	}
	now, err := s.sum(s.mark)
	if err != nil {
		return err
	}
	contents, _, err := sealed(now)
	if err != nil {
		return err
	}
	return s.replace(s.file(sumFile), contents)
}

// rebuildBatch is the number of runs that a transaction of a new index adds. With 1,000 the writing of the index takes
// less time than the reading of the runs.
const rebuildBatch = 1000

// rebuild makes an index of the folders of the runs.
func (s *Store) rebuild() error {
	if err := os.RemoveAll(s.file(indexFile)); err != nil {
		return err
	}
	x, err := openBolt(s.file(indexFile))
	if err != nil {
		return err
	}
	if err := s.indexAll(x); err != nil {
		return errors.Join(err, x.close())
	}
	s.index = x
	return nil
}

// found is a folder that was read.
type found struct {
	id  string
	run *entry
	err error // why there is no run
}

// indexAll adds the runs of all folders to an empty index.
func (s *Store) indexAll(x *index) error {
	folders, err := os.ReadDir(s.file(runsDir)) // ordered by name, as the keys of the index are
	if err != nil {
		return err
	}
	for len(folders) > 0 {
		batch := s.readAll(folders[:min(len(folders), rebuildBatch)])
		folders = folders[min(len(folders), rebuildBatch):]
		err := x.db.Update(func(tx *bbolt.Tx) error {
			for _, f := range batch {
				if f.run == nil && f.err == nil {
					continue
				}
				err := tx.Bucket(damagedBucket).Delete([]byte(f.id))
				if f.err != nil {
					err = tx.Bucket(damagedBucket).Put([]byte(f.id), []byte(f.err.Error()))
				} else if err == nil {
					err = put(tx, f.run)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// readAll reads the runs of folders, on all processors.
func (s *Store) readAll(folders []fs.DirEntry) []found {
	all := make([]found, len(folders))
	var wg sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		wg.Go(func() {
			for i := w; i < len(all); i += workers {
				all[i] = s.look(folders[i])
			}
		})
	}
	wg.Wait()
	return all
}

// look reads the run of a folder. It ignores entries that are not folders of runs, and empty folders: other
// programs put files anywhere, and copies can be incomplete.
func (s *Store) look(d fs.DirEntry) found {
	f := found{id: d.Name()}
	if !d.IsDir() || !store.ValidID(f.id) {
		return f
	}
	run, written, err := s.readHead(f.id)
	if err == nil && written != "" {
		_, err = os.Stat(s.file(runsDir, f.id, inputFile)) // read when it is needed
	}
	if err == nil {
		f.run = s.entry(&run)
		return f
	}
	if files, empty := os.ReadDir(s.file(runsDir, f.id)); empty == nil && len(files) == 0 {
		return f
	}
	f.err = err
	return f
}
