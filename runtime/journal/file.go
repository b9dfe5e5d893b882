// This file creates the file of a journal, or opens it again.

package journal

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	mathrand "math/rand/v2"
	"os"
	"slices"
	"strings"
	"syscall"

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
		err = syncName(path)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(path))
	}
	return j, nil
}

// begin locks a new file and writes the header.
func begin(f *os.File, h Header, o Options) (*Journal, error) {
	unlock, err := lock(f)
	if err != nil {
		return nil, err
	}
	j, err := record(f, h, o)
	if err != nil {
		return nil, errors.Join(err, unlock())
	}
	j.unlock = unlock
	return j, nil
}

// record returns a journal that writes to s, which is empty.
func record(s sink, h Header, o Options) (*Journal, error) {
	return CreateOn(fileLogOn(s, 0, seal{}, o.Key), h, o)
}

// CreateOn returns a journal that writes to a log, which is empty. Close closes the log.
func CreateOn(log Log, h Header, o Options) (*Journal, error) {
	if err := o.Key.check(); err != nil {
		return nil, err
	}
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
	if err := j.write(text, true); err != nil {
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

// Settlement is the outcome of an effect in doubt, which the operator has found out.
type Settlement struct {
	Retry   bool          // it has not happened, and must be done
	Outcome effect.Record // it has happened, with this outcome
}

// ParseSettlement reads ID=retry, ID=done, ID=done:RESULT or ID=failed:ERROR, where
// RESULT and ERROR are JSON.
func ParseSettlement(text string) (id string, s Settlement, err error) {
	id, how, _ := strings.Cut(text, "=")
	how, payload, given := strings.Cut(how, ":")
	switch {
	case checkID(id) != nil:
		err = checkID(id)
	case given && !json.Valid([]byte(payload)):
		err = fmt.Errorf("journal: %q is no JSON", cut(payload, 0))
	case how == settledRetry && !given:
		s.Retry = true
	case how == settledDone && !given:
	case how == settledDone:
		s.Outcome.Result = json.RawMessage(payload)
	case how == "failed" && given:
		s.Outcome.Error = json.RawMessage(payload)
	default:
		err = fmt.Errorf("journal: %q settles nothing, want ID=retry, ID=done, ID=done:RESULT or ID=failed:ERROR",
			cut(text, 0))
	}
	return id, s, err
}

// Resume reads the file of an interrupted run and returns a journal that continues it: effects with
// an outcome have that outcome, and others are done, again if they were begun. Write-effects that
// were begun are in doubt, unless settle settles them. Bytes after the last complete line are cut
// off. The recording has the program. If the run has ended, Resume returns the recording with
// ErrFinished and without a journal.
//
// The file need not be authentic: o.Accept decides whether its requests are granted. The added
// lines are authenticated by o.Key, whatever key the lines before have. The file must be a regular
// one, because opening a pipe could wait for ever.
func Resume(path string, settle map[string]Settlement, o Options) (*Journal, *Recording, error) {
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
		wrong := fmt.Errorf("journal: %s: want a regular file, which the run can go on with", path)
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
func again(f *os.File, settle map[string]Settlement, o Options) (*Journal, *Recording, error) {
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
func resume(s sink, rec *Recording, settle map[string]Settlement, o Options) (*Journal, error) {
	return ResumeOn(fileLogOn(s, rec.size, rec.seal, o.Key), rec, settle, o)
}

// ResumeOn is Resume for a log, whose records Records has read. The caller has asked o.Accept, if
// it has to be asked.
func ResumeOn(log Log, rec *Recording, settle map[string]Settlement, o Options) (*Journal, error) {
	if err := o.Key.check(); err != nil {
		return nil, err
	}
	if log == nil || rec == nil {
		return nil, errors.New("journal: got a nil Log or Recording, want both")
	}
	if rec.Final != nil {
		return nil, ErrFinished
	}
	j := New(o)
	j.remember(rec)
	j.writeTo(log)
	j.session = len(rec.Resumed) + 1
	at := j.clock.elapsed()
	lines := [][]byte{resumeLine(int64(at), o.Key.ID())}
	for _, id := range slices.SortedFunc(maps.Keys(settle), compareIDs) {
		e, ok := rec.Entry(id)
		if !ok || !rec.inDoubt(&e) {
			return nil, fmt.Errorf("journal: effect %s is not in doubt; in doubt are: %s", cut(id, 0), idsOf(rec.InDoubt()))
		}
		text, err := settleLine(id, settle[id])
		if err != nil {
			return nil, err
		}
		lines = append(lines, text)
	}
	for i, text := range lines {
		if err := j.write(text, i == len(lines)-1); err != nil {
			return nil, err
		}
	}
	rec.Resumed, rec.Stopped = append(rec.Resumed, j.clock.start.Add(at)), nil
	rec.settle(settle)
	return j, nil
}

// settle changes the entries as reading the lines of the settlements does.
func (r *Recording) settle(settled map[string]Settlement) {
	for id, s := range settled {
		if e := &r.Entries[r.byID[id]]; s.Retry {
			e.Withdrawn = true
		} else {
			e.Done, e.Outcome = true, effect.Record{Error: s.Outcome.Error}
			if !s.Outcome.Failed() {
				e.Outcome.Result = orNull(s.Outcome.Result)
			}
		}
	}
}

func idsOf(entries []Entry) string {
	var ids []string
	for _, e := range entries[:min(len(entries), 20)] {
		ids = append(ids, e.ID)
	}
	if len(entries) == 0 {
		return "none"
	}
	return strings.Join(ids, ", ")
}

func closeLog(log Log, unlock func() error) error {
	if err := log.Close(); err != nil {
		return errors.Join(&Failure{err}, unlock())
	}
	return unlock()
}
