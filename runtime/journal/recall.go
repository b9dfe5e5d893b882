// This file compares effects with those of an earlier run, and returns recorded outcomes.

package journal

import (
	"context"
	"fmt"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// recorded is an entry of an earlier run.
type recorded struct {
	entry *Entry
	met   bool // this run has had the effect
	// reached reports that this run has announced the effect, or waits for its outcome.
	reached bool
}

// Replay returns a journal that only returns recorded outcomes: no effect happens. A nil recording is an empty one,
// from which every effect is a *Divergence.
func Replay(rec *Recording) *Journal {
	if rec == nil {
		rec = &Recording{}
	}
	j := New(Options{Entries: MaxEffects, Bytes: MaxFile})
	j.replay = true
	j.remember(rec)
	return j
}

// remember makes the entries of a recording those of an earlier run.
func (j *Journal) remember(rec *Recording) {
	j.doubted, j.run, j.header, j.vaults = rec, rec.Header.Run, &rec.Header, newVaults(rec.Header.Run, rec.keys...)
	j.clock.countFrom(rec.Header.Start)
	j.excused = excuses{}
	j.earlier = make(map[string]*recorded, len(rec.Entries))
	for i := range rec.Entries {
		j.earlier[rec.Entries[i].ID] = &recorded{entry: &rec.Entries[i]}
	}
	j.trail = newTrail(rec.Entries)
	j.addRecorded()
}

// match compares an effect with the recorded one of its id. It returns the error if the run cannot
// continue.
func (j *Journal) match(r *recorded, e *effect.Effect, hides *effect.Hidden) error {
	switch {
	case r.met:
		return fmt.Errorf("journal: effect %s is begun a second time", cut(e.ID, 0))
	case !j.same(&r.entry.Effect, e, hides):
		return differs(&r.entry.Effect, e)
	case r.entry.Done && r.entry.withheld() && !j.replay && e.Class != effect.ReadOnly:
		return &Withheld{e.ID, fmt.Sprintf(
			"the outcome of effect %s, %s, had secrets, and it was recorded without a key, so they are nowhere",
			cut(e.ID, 0), cut(describe(e), 0)),
			"record runs that are to be resumed with a key (journal.Options.Key)"}
	case r.entry.Done:
	case j.replay:
		return j.cutShort(r, e)
	case r.entry.Pends != "":
		return fmt.Errorf("journal: effect %s is begun while it is pending", cut(e.ID, 0))
	case (e.Class == effect.Write || r.entry.Class == effect.Write) && !r.entry.Withdrawn && r.entry.Attempt > 0:
		return &InDoubt{*r.entry}
	}
	r.met = true
	return nil
}

// cutShort returns the error of a replay that has come to an effect without an outcome.
func (j *Journal) cutShort(r *recorded, e *effect.Effect) error {
	return &Divergence{Recorded: &r.entry.Effect, Actual: e, Text: fmt.Sprintf(
		"the recorded run was interrupted before the outcome of effect %s, %s, was known",
		cut(e.ID, 0), cut(describe(e), 0))}
}

// same reports whether an effect is the recorded one of its id. The class is not compared: it is a
// promise of the tool, and may have changed.
func (j *Journal) same(recorded, e *effect.Effect, hides *effect.Hidden) bool {
	return recorded.Kind == e.Kind && recorded.Name == e.Name &&
		j.vaults.same(e.ID, recorded.Args, recorded.Hidden, e.Args, hides)
}

// withheld reports whether the outcome had secrets that are not in the file.
func (e *Entry) withheld() bool {
	return e.Outcome.Hidden != nil && e.Outcome.Hidden.Sealed == "" && e.Outcome.Hidden.Clear == nil
}

// recall returns a recorded outcome with its secrets, and keeps the entry of it, without them.
func (j *Journal) recall(entry, r *Entry) (effect.Record, error) {
	o, err := j.vaults.opened(r)
	if err != nil {
		return effect.Record{}, err
	}
	entry.Attempt, entry.Session, entry.Start, entry.Duration = r.Attempt, r.Session, r.Start, r.Duration
	entry.Waits = r.Waits
	entry.Recalled, entry.Done, entry.Outcome = true, true, r.Outcome
	if h := r.Outcome.Hidden; h != nil {
		entry.Outcome.Hidden = &effect.Hidden{Sealed: h.Sealed}
	}
	entry.Token = r.Token
	entry.approvedAs(r)
	j.stats.Recalled++
	if r.Outcome.Failed() {
		j.stats.Failed++
	}
	j.keep(entry)
	return o, nil
}

// unrecorded describes an effect that the recording does not have.
func (j *Journal) unrecorded(e *effect.Effect) error {
	d := &Divergence{Actual: e}
	path := pathOf(e.ID)
	if last := j.trail.last(path); last != nil {
		d.Recorded = &last.Effect
	}
	d.Text = fmt.Sprintf("the recording has no effect %s, got %s; ", cut(e.ID, 0), describe(e))
	switch {
	case j.doubted.Final == nil:
		d.Text += "the recorded run was interrupted"
	case d.Recorded == nil:
		d.Text += "it has none of evaluation " + cut(path, 0)
	default:
		d.Text += fmt.Sprintf("the last one of evaluation %s is %s, %s",
			cut(path, 0), cut(d.Recorded.ID, 0), describe(d.Recorded))
	}
	return d
}

// Excuse records that the elements of an operation from the given one on were not needed. Timing decides
// which of their effects happen, so it is no divergence if a recorded one does not. The caller calls
// Excuse whenever an operation ends before all of its elements.
func (j *Journal) Excuse(operation string, from int) {
	if j.earlier == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if n, ok := j.excused[operation]; !ok || from < n {
		j.excused[operation] = from
	}
}

// Excused reports whether an effect of the earlier run is in an element that Excuse was called for.
func (j *Journal) Excused(id string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.excused.cover(id)
}

func differentEnd(recorded, actual string) *Divergence {
	at := firstDifference(recorded, actual)
	return &Divergence{Text: fmt.Sprintf("the run ends otherwise than its recording: recorded %s, got %s",
		cut(recorded, at), cut(actual, at))}
}

// unmet finds the first recorded effect that has not happened and is not excused.
// The caller holds mu.
func (j *Journal) unmet() error {
	var first *Entry
	for id, r := range j.earlier {
		if !r.met && !r.reached && (first == nil || effect.CompareIDs(id, first.ID) < 0) && !j.excused.cover(id) {
			first = r.entry
		}
	}
	if first == nil {
		return nil
	}
	return &Divergence{Recorded: &first.Effect, Text: fmt.Sprintf(
		"the run ends without the recorded effect %s, %s", cut(first.ID, 0), describe(&first.Effect))}
}

// Recall returns the recorded outcome of an effect, if there is one. A caller that must wait before an
// effect can happen calls it first: a replay or a resumed run does not wait for recorded effects. If done is
// false, Begin is still to be called. Only a journal that several nodes share waits, until ctx ends.
func (j *Journal) Recall(ctx context.Context, e effect.Effect) (outcome effect.Record, done bool, err error) {
	if j.shared != nil {
		return j.recallShared(ctx, e)
	}
	if j.earlier == nil {
		return effect.Record{}, false, nil
	}
	var hides *effect.Hidden
	e.Args, hides = j.hide(e.Args, e.Hidden)
	if err := j.check(&e); err != nil {
		return effect.Record{}, false, err
	}
	e.Hidden = nil
	entry := Entry{Effect: e}
	entry.Args, entry.ArgsHashed = j.fit(e.Args)
	j.mu.Lock()
	defer j.mu.Unlock()
	r := j.earlier[e.ID]
	switch {
	case j.closed:
		return effect.Record{}, false, ErrClosed
	case r == nil && j.replay:
		return effect.Record{}, false, j.unrecorded(clone(&e))
	case r == nil || !r.entry.Done:
		return effect.Record{}, false, nil
	}
	if err := j.match(r, clone(&e), hides); err != nil {
		return effect.Record{}, false, err
	}
	outcome, err = j.recall(&entry, r.entry)
	return outcome, err == nil, err
}

// Replays reports whether the journal returns recorded outcomes only, so that no effect happens.
func (j *Journal) Replays() bool { return j.replay }
