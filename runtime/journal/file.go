// This file creates the file of a journal, or opens it again.

package journal

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/ptc-lang/ptc/internal/durable"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// Create returns a journal with a new file, which only its owner may read. A file that
// exists is refused. The lines are authenticated by o.Key, if there is one.
func Create(path string, h Header, o Options) (*Journal, error) {
	if err := o.Key.check(); err != nil {
		return nil, err
	}
	if path == "" {
		return nil, errNoPath
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	j, err := begin(f, h, o)
	if err == nil {
		err = durable.SyncDir(filepath.Dir(path))
	}
	if err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(path))
	}
	return j, nil
}

// begin locks a file, empties it and writes the header.
func begin(f *os.File, h Header, o Options) (*Journal, error) {
	unlock, err := lock(f)
	if err != nil {
		return nil, err
	}
	var j *Journal
	if err = f.Truncate(0); err == nil {
		j, err = record(f, h, o)
	}
	if err != nil {
		return nil, errors.Join(err, unlock())
	}
	j.unlock = unlock
	return j, nil
}

// lock takes the lock of an open file and returns the function that releases it.
func lock(f *os.File) (unlock func() error, err error) {
	unlock, err = durable.Lock(f)
	if errors.Is(err, durable.ErrHeld) {
		return nil, fmt.Errorf("%w%s", ErrInUse, strings.TrimPrefix(err.Error(), durable.ErrHeld.Error()))
	}
	return unlock, err
}

// Begin begins a journal in a file whose name is durable. The previous contents of the file are lost. The error is
// ErrInUse if another journal writes to it. Close of the journal closes the file; after an error the caller does.
func Begin(f *os.File, h Header, o Options) (*Journal, error) {
	if err := o.Key.check(); err != nil {
		return nil, err
	}
	if f == nil || *f == (os.File{}) {
		return nil, errors.New("journal: got a file that is not open, want one to write to")
	}
	return begin(f, h, o)
}

// record returns a journal that writes to s, which is empty. The header is written, and not durable before the first
// effect is that must be: without it, nothing of the run is on the disk, and it begins again.
func record(s sink, h Header, o Options) (*Journal, error) {
	log := fileLogOn(s, 0, seal{}, o.Key)
	j, err := createOn(log, h, o, false)
	if err == nil {
		err = log.push()
	}
	if err != nil {
		return nil, err
	}
	return j, nil
}

// CreateOn returns a journal that writes to a log, which is empty. The header is durable when it returns. Close closes
// the log.
func CreateOn(log Log, h Header, o Options) (*Journal, error) {
	if err := o.Key.check(); err != nil {
		return nil, err
	}
	return createOn(log, h, o, true)
}

func createOn(log Log, h Header, o Options, durable bool) (*Journal, error) {
	if log == nil {
		return nil, errors.New("journal: got a nil Log, want one")
	}
	j := New(o)
	if h.Start.IsZero() {
		h.Start = j.clock.start
	}
	if h.Run == "" {
		h.Run = rand.Text()
	}
	for h.Seed == 0 {
		h.Seed = mathrand.Uint64()
	}
	j.vaults = newVaults(h.Run, o.Key)
	j.run, j.header = h.Run, &Header{Run: h.Run, Program: h.Program, Source: h.Source, Seed: h.Seed}
	j.clock.countFrom(h.Start)
	text, err := headerLine(&h, o.Key.ID())
	if err != nil {
		return nil, err
	}
	j.writeTo(log)
	if err := j.write(text, durable); err != nil {
		return nil, err
	}
	return j, nil
}

// fileLogOn returns a log that appends to s, which has size durable bytes with a seal. The lines
// from now on are sealed with key.
func fileLogOn(s sink, size int64, before seal, key Key) *fileLog {
	before.use(key.ID(), key)
	return newLog(s, size, before)
}

// writeTo makes the journal write to a log.
func (j *Journal) writeTo(log Log) {
	j.log, j.begun = log, map[string]struct{}{}
	j.unlock = func() error { return nil }
}

// Resume reads the file of an interrupted run and returns a journal that continues it: effects with
// an outcome have that outcome, and others are done, again if they were begun. Write-effects that
// were begun are in doubt. Bytes after the last complete line are cut off. The recording has the
// program. If the run has ended, Resume returns the recording with ErrFinished and without a journal.
//
// settle are settlements of effects that the recording has pending or in doubt: see Recording.Pending. One that fits
// no such effect is an error, before the file is changed. Given returns them for the run, which checks them against
// its tools and has them recorded.
//
// The file need not be authentic: o.Accept decides whether its requests are granted. The added
// lines are authenticated by o.Key, whatever key the lines before have. The file must be a regular
// one, because opening a pipe could wait forever.
func Resume(path string, settle []effect.Settlement, o Options) (*Journal, *Recording, error) {
	if err := o.Key.check(); err != nil {
		return nil, nil, err
	}
	if path == "" {
		return nil, nil, errNoPath
	}
	f, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0) // a pipe would wait for its other end
	if err != nil {
		return nil, nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		wrong := fmt.Errorf("journal: %s: want a regular file, in which the run can continue", path)
		return nil, nil, errors.Join(err, wrong, f.Close())
	}
	unlock, err := lock(f)
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	j, rec, err := again(f, settle, o)
	if err != nil {
		return nil, rec, errors.Join(err, f.Close(), unlock())
	}
	j.unlock = unlock
	return j, rec, nil
}

// again continues the run of an open journal file.
func again(f *os.File, settle []effect.Settlement, o Options) (*Journal, *Recording, error) {
	rec, err := Read(f, o.Key)
	if err != nil {
		return nil, nil, err
	}
	if rec.Final != nil {
		return nil, rec, ErrFinished
	}
	if o.Accept != nil {
		if err := o.Accept(rec); err != nil {
			return nil, rec, err
		}
	}
	if err := f.Truncate(rec.size); err != nil {
		return nil, nil, err
	}
	if _, err := f.Seek(0, io.SeekEnd); err != nil {
		return nil, nil, err
	}
	j, err := resume(f, rec, settle, o)
	return j, rec, err
}

// resume returns a journal that appends to s, which has the sound lines of the
// recording.
func resume(s sink, rec *Recording, settle []effect.Settlement, o Options) (*Journal, error) {
	return ResumeOn(fileLogOn(s, rec.size, rec.seal, o.Key), rec, settle, o)
}

// ResumeOn is Resume for a log, whose records Records has read. The caller has asked o.Accept, if
// it has to be asked.
func ResumeOn(log Log, rec *Recording, settle []effect.Settlement, o Options) (*Journal, error) {
	if err := o.Key.check(); err != nil {
		return nil, err
	}
	if log == nil || rec == nil {
		return nil, errors.New("journal: got a nil Log or Recording, want both")
	}
	if rec.Final != nil {
		return nil, ErrFinished
	}
	given, err := rec.named(settle)
	if err != nil {
		return nil, err
	}
	j := New(o)
	j.given = given
	j.remember(rec)
	j.writeTo(log)
	j.session = len(rec.Resumed) + 1
	at := j.clock.elapsed()
	if err := j.write(resumeLine(int64(at), o.Key.ID()), true); err != nil {
		return nil, err
	}
	rec.Resumed, rec.Stopped = append(rec.Resumed, j.clock.start.Add(at)), nil
	return j, nil
}

func closeLog(log Log, unlock func() error) error {
	if err := log.Close(); err != nil {
		return errors.Join(&Failure{err}, unlock())
	}
	return unlock()
}
