// This file defines a journal and the methods that a run calls.

package journal

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/secret"
)

// Options are the options of all journals. The zero value has the defaults, and so has a number below 0.
type Options struct {
	// Entries is the maximum number of entries that are kept in memory for Entries and Calls.
	// Further ones are only counted. The default is 16,384, more than the default limit of calls of
	// a run: 4 MB.
	Entries int
	// Bytes is the maximum number of bytes of arguments and outcomes that are kept in memory.
	// Hashes replace further ones. The default is 16 MB, the bound of one result.
	Bytes int64
	// Now is the clock, time.Now by default.
	Now func() time.Time
	// Key authenticates the lines of a file and encrypts its secrets; Resume uses it to check lines and
	// decrypt secrets. Without it lines have no authenticators, and a file has no secrets, not even encrypted
	// ones: see effect.Hidden.
	Key Key
	// Node is the name of the node whose evaluation has the journal, for its entries; "" for none.
	Node string
	// Accept is optional. Resume calls it before it changes the file, and returns its error.
	Accept func(rec *Recording) error
}

const (
	defaultEntries = 16 << 10
	defaultBytes   = 16 << 20
)

// Journal records the effects of one run, or returns recorded outcomes. Its methods
// are safe for concurrent use. The zero Journal is ready for use: it is one of New with the zero Options.
type Journal struct {
	once    sync.Once // see ready
	clock   clock
	session int
	log     Log // nil if nothing is written
	secrets *secret.Set
	unlock  func() error // of the file
	replay  bool
	vaults  vaults
	header  *Header              // see Header; without Data and Options, if it is of a new file
	doubted *Recording           // the recording of a resumed or replayed run
	given   []effect.Settlement  // see Given
	earlier map[string]*recorded // its entries
	trail   trail                // the same in order; see Ahead
	shared  Shared               // with other nodes; nil for a run on one
	node    string               // see Options.Node

	room    atomic.Int64 // bytes of payloads that may still be kept
	entries int          // that may be kept

	mu      sync.Mutex
	run     string
	closed  bool
	stopped bool                // by a bound: no line may follow
	open    map[string]*Entry   // begun and not ended
	begun   map[string]struct{} // by this run, if there is a file
	kept    [][]Entry           // in blocks, all full except the last one; see keep
	excused excuses
	stats   Stats
}

// Stats are the counters of a journal.
type Stats struct {
	Begun    int64 // effects begun, recalled ones too
	Ended    int64 // effects done by this run
	Failed   int64 // of those, or of the recalled ones, with an error
	Recalled int64 // effects whose recorded outcome was returned
	Dropped  int64 // entries that are not kept
	Hashed   int64 // arguments and outcomes that are kept only as a hash
	Bytes    int64 // of the file
	Syncs    int64 // of the file, by this run
}

// New returns a journal that is in memory only.
func New(o Options) *Journal {
	j := &Journal{}
	j.once.Do(func() { j.init(o) })
	return j
}

// ready initialises the zero Journal like New. The first call in a run calls it.
func (j *Journal) ready() { j.once.Do(func() { j.init(Options{}) }) }

func (j *Journal) init(o Options) {
	j.clock, j.open, j.secrets = newClock(o.Now), map[string]*Entry{}, &secret.Set{Learned: j.learned}
	j.node = o.Node
	j.entries = cmp.Or(max(o.Entries, 0), defaultEntries)
	j.room.Store(cmp.Or(max(o.Bytes, 0), defaultBytes))
}

// Header returns the header of the file or of the recording; nil for a journal that New has
// made, which has none. It must not be changed.
func (j *Journal) Header() *Header { return j.header }

// Key returns the idempotency key of an effect, which no effect of another run has. A
// resumed run has the keys of the run that it continues.
func (j *Journal) Key(id string) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.run == "" {
		j.run = rand.Text()
	}
	return j.run + "/" + id
}

// Begin is called before an effect. If do is true, the caller performs the effect and calls End;
// otherwise outcome is the recorded one. An error ends the run, and the effect must not happen: it
// is a *Divergence, an *InDoubt, a *Failure, or a mistake of the caller.
//
// Secrets of the run are replaced in the arguments. The journal keeps the bytes of e. The end of
// the context changes nothing, because Begin waits only for the disk.
func (j *Journal) Begin(ctx context.Context, e effect.Effect) (outcome effect.Record, do bool, err error) {
	if j.shared != nil {
		return j.beginShared(ctx, e)
	}
	var entry Entry
	hides, err := j.fill(&entry, &e)
	if err != nil {
		return effect.Record{}, false, err
	}
	if outcome, do, err = j.enter(&entry, &e, hides); !do || j.log == nil {
		return outcome, do, err
	}
	text := beginLine(&entry, e.Args, &j.clock, j.marked(e.ID, hides))
	if err := j.write(text, e.Class != effect.ReadOnly); err != nil {
		return effect.Record{}, false, err
	}
	return effect.Record{}, true, nil
}

// fill makes the entry that of an effect which begins now, and returns the secrets of its arguments. It replaces them
// in e.
func (j *Journal) fill(entry *Entry, e *effect.Effect) (hides *effect.Hidden, err error) {
	e.Args, hides = j.hide(e.Args, e.Hidden)
	if err := j.check(e); err != nil {
		return nil, err
	}
	e.Hidden = nil // from here on only hides has the secrets
	entry.Effect, entry.Attempt, entry.Session, entry.Node = *e, 1, j.session, j.node
	entry.Start = j.clock.start.Add(j.clock.elapsed())
	entry.Args, entry.ArgsHashed = j.fit(e.Args)
	return hides, nil
}

// marked returns the Hidden of arguments, or of the end of a run, for a line; nil if nothing is
// hidden.
func (j *Journal) marked(label string, h *effect.Hidden) *string {
	if h == nil {
		return nil
	}
	mark := j.vaults.sealing().mark(label, h.Clear)
	return &mark
}

// sealed returns the Hidden of an outcome for a line.
func (j *Journal) sealed(label string, h *effect.Hidden) *string {
	if h == nil {
		return nil
	}
	text := j.vaults.sealing().seal(label, h.Clear)
	return &text
}

// check refuses effects that a journal, or its file, can't have.
func (j *Journal) check(e *effect.Effect) error {
	if err := check(e); err != nil || j.log == nil {
		return err
	}
	return checkPayload("the arguments of effect "+e.ID, e.Args)
}

// enter decides whether an effect is done, and keeps its entry. e has the arguments; entry may have
// only their hash.
func (j *Journal) enter(entry *Entry, e *effect.Effect, hides *effect.Hidden) (effect.Record, bool, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return effect.Record{}, false, ErrClosed
	}
	if r := j.earlier[e.ID]; r != nil {
		if err := j.match(r, clone(e), hides); err != nil {
			return effect.Record{}, false, err
		}
		if r.entry.Done {
			o, err := j.recall(entry, r.entry)
			return o, false, err
		}
		entry.Attempt = r.entry.Attempt + 1
		entry.approvedAs(r.entry)
	} else if j.replay {
		return effect.Record{}, false, j.unrecorded(clone(e))
	}
	if before := j.open[e.ID]; before != nil && before.Attempt == 0 { // it was announced
		entry.approvedAs(before)
		*before = *entry
		return effect.Record{}, true, nil
	}
	_, again := j.open[e.ID]
	if err := j.isNew(e.ID, again); err != nil {
		return effect.Record{}, false, err
	}
	j.open[e.ID] = j.keep(entry)
	return effect.Record{}, true, nil
}

// isNew refuses an id that is under way or in the file, and an effect beyond the bound of a file,
// which could not be read any more.
func (j *Journal) isNew(id string, again bool) error {
	if j.log != nil {
		if _, done := j.begun[id]; !done && !again {
			if len(j.begun)+len(j.earlier) >= MaxEffects {
				return &Failure{fmt.Errorf("%w: it has %d effects", errFull, MaxEffects)}
			}
			j.begun[id] = struct{}{}
			return nil
		}
		again = true
	}
	if again {
		return fmt.Errorf("journal: effect %s is begun a second time", id)
	}
	return nil
}

// End is called with the outcome of an effect that has happened. After an error the run must end,
// because the outcome will be lost. An effect whose outcome does not reach the program, because the
// run is being stopped, is not ended.
func (j *Journal) End(id string, o effect.Record) error {
	if j.shared != nil {
		return j.endShared(id, o)
	}
	now := j.clock.elapsed()
	payload := o.Payload()
	var hides *effect.Hidden
	*payload, hides = j.hide(*payload, o.Hidden)
	o.Hidden = nil
	if j.log != nil {
		return j.endInFile(id, now, o, hides)
	}
	o, hashed := j.fitOutcome(o)
	j.mu.Lock()
	defer j.mu.Unlock()
	entry, err := j.take(id)
	if err != nil {
		return err
	}
	j.done(entry, now, o, hashed)
	return nil
}

// take removes an effect that ends from those under way. The caller holds mu.
func (j *Journal) take(id string) (*Entry, error) {
	entry := j.open[id]
	switch {
	case j.closed:
		return nil, ErrClosed
	case entry == nil:
		return nil, fmt.Errorf("journal: effect %s is ended and was not begun", cut(id, 0))
	}
	delete(j.open, id)
	return entry, nil
}

// done records that an effect has ended. The caller holds mu.
func (j *Journal) done(entry *Entry, now time.Duration, o effect.Record, hashed bool) {
	if entry.replaceable {
		j.reopened(entry)
	}
	entry.Done, entry.Duration, entry.Outcome, entry.OutcomeHashed = true, j.took(entry, now), o, hashed
	entry.Pends, entry.replaceable = "", false
	j.ended(o)
}

// ended counts an effect that has ended. The caller holds mu.
func (j *Journal) ended(o effect.Record) {
	j.stats.Ended++
	if o.Failed() {
		j.stats.Failed++
	}
}

// took returns the duration of an effect that ends now.
func (j *Journal) took(entry *Entry, now time.Duration) time.Duration {
	return max(now-entry.Start.Sub(j.clock.start), 0)
}

// endInFile writes the end of an effect. If it fails, the effect stays under way, and a
// write-effect in doubt. If the outcome is the reason (it is not JSON), the caller may still end
// the effect with an error.
func (j *Journal) endInFile(id string, now time.Duration, o effect.Record, hides *effect.Hidden) error {
	j.mu.Lock()
	entry, err := j.take(id)
	j.mu.Unlock()
	if err != nil {
		return err
	}
	text, err := endLine(entry.ID, int64(j.took(entry, now)), o, j.sealed(entry.ID, hides))
	if err == nil {
		err = j.write(text, entry.Class == effect.Write)
	}
	if err != nil {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.open[id] = entry
		return err
	}
	o, hashed := j.fitOutcome(o)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.done(entry, now, o, hashed)
	return nil
}

// Withdraw is called instead of End when an effect did not happen and never will, since the run ends.
// The effect is not in doubt. The line need not be durable: without it a write is in doubt.
func (j *Journal) Withdraw(id string) error {
	j.mu.Lock()
	entry, err := j.take(id)
	if err == nil {
		entry.Withdrawn = true
	}
	j.mu.Unlock()
	if err == nil && j.shared != nil {
		return j.shared.Append(id, withdrawLine(id), false)
	}
	if err != nil || j.log == nil {
		return err
	}
	return j.write(withdrawLine(id), false)
}

// write appends a line, and makes it durable if asked to.
func (j *Journal) write(text []byte, durable bool) error {
	at, err := j.log.Append(text)
	if err == nil && durable {
		err = j.log.Flush(at)
	}
	if err != nil {
		return &Failure{err}
	}
	return nil
}

// Finish records the outcome of the run and makes it durable. If there is an earlier run, it is a
// *Divergence when one of the effects recorded has not happened, or, in a replay, when the outcome
// differs. A run that its caller has stopped, and that will be resumed, is closed without Finish.
func (j *Journal) Finish(f Final) error {
	if j.shared != nil {
		return j.finishShared(f)
	}
	j.mu.Lock()
	if j.closed {
		j.mu.Unlock()
		return ErrClosed
	}
	err := j.unmet()
	j.closed = err == nil
	j.mu.Unlock()
	switch {
	case err != nil:
		return err
	case j.log != nil:
		text, err := finalLine(f, j.marked(finalLabel, f.Hidden))
		if err != nil {
			return err
		}
		return j.write(text, true)
	case j.replay && j.doubted.Stopped != nil:
		return &Divergence{Text: "the run ends with " + cut(f.String(), 0) + ", the recorded one was stopped by a limit"}
	case j.replay && j.doubted.Final != nil && !j.vaults.ended(j.doubted.Final, &f):
		return differentEnd(j.doubted.Final.String(), f.String())
	}
	return nil
}

// Stop records how a bound has stopped the run, which is JSON: a replay is stopped in the
// same way. The run may be resumed.
func (j *Journal) Stop(how []byte) error {
	if j.log == nil {
		return nil
	}
	j.mu.Lock()
	j.stopped = true
	j.mu.Unlock()
	return j.write(stopLine(how), false)
}

// Close makes all records durable and releases the file. It may be called again.
func (j *Journal) Close() error {
	j.mu.Lock()
	j.closed = true
	log := j.log
	unlock := j.unlock
	j.unlock = nil
	j.mu.Unlock()
	if log == nil || unlock == nil {
		return nil
	}
	return closeLog(log, unlock)
}

// InDoubt returns the write-effects whose outcome is not known, by their ids: those
// under way, and those of an earlier run that this one has not settled.
func (j *Journal) InDoubt() []Entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	var doubt []Entry
	for _, r := range j.earlier {
		if !r.met && j.doubted.inDoubt(r.entry) {
			doubt = append(doubt, *r.entry)
		}
	}
	for _, e := range j.open {
		if e.Class == effect.Write && e.Attempt > 0 && e.Pends == "" && !e.Done {
			doubt = append(doubt, *e)
		}
	}
	slices.SortFunc(doubt, func(a, b Entry) int { return effect.CompareIDs(a.ID, b.ID) })
	return doubt
}
