// This file defines the journal of a run that several nodes execute: its knowledge grows while the run is under way.

package journal

import (
	"context"
	"errors"
	"fmt"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// Shared is the log of a run that several nodes execute, as one of them sees it. Package runtime/dist implements it.
type Shared interface {
	effect.Replicas
	// Enter waits until the outcome of an effect is known, or this node must perform it. e is a copy of the
	// known entry, nil if there is none. mine reports whether this node performs the effect; otherwise e is
	// done.
	Enter(ctx context.Context, id string) (e *Entry, mine bool, err error)
	// Begin records that this node begins an effect, and reports whether it may: not if the record came too late. Then
	// the caller calls Enter again.
	Begin(ctx context.Context, e *effect.Effect, record []byte) (may bool, err error)
	// Append adds a record of an effect that this node performs. It is read by all nodes before any other record that
	// this node appends later. With durable, Append waits until it counts, or the run has ended here.
	Append(id string, record []byte, durable bool) error
	// Pends is called before the run waits for an effect that was announced before, or is in doubt. It waits while a call
	// of a node that is dead may be under way, and no longer than until ctx ends; by, which is optional, rests
	// in the meantime. The error is effect.ErrSettled if the outcome has come in the meantime.
	Pends(ctx context.Context, id string, by effect.Rester) error
	// Settle records a settlement. The error is effect.ErrSettled if the effect has an outcome.
	Settle(id string, record []byte) error
	// Learned adds a sealed secret for all nodes.
	Learned(record []byte)
	// Finish records the end of the run, or waits for that of the node which decides for it, and returns it.
	Finish(record []byte) (*Final, error)
	// Differs ends the part of this node in the run, because its effect is not the recorded one of the same id.
	Differs(recorded, actual *effect.Effect) error
	// Look calls f with the known entry of an effect, nil if there is none.
	Look(id string, f func(e *Entry))
	// Ahead and Had are those of effect.Past.
	Ahead(path string, n int, operation uint64) effect.Ahead
	Had(operation string) bool
	// Calls returns the calls of the whole run.
	Calls() []Entry
	// Secrets returns the known sealed secrets, and calls f with each later one.
	Secrets(f func(sealed string)) []string
}

// Share returns the journal of one node of a run. h is the header of the run. o.Key is required, because the nodes
// exchange outcomes with secrets. Settlements in settle count if they fit pending effects.
func Share(s Shared, h *Header, o Options, settle ...effect.Settlement) (*Journal, error) {
	if s == nil || h == nil {
		return nil, errors.New("journal: Share got nil, want the log of the run and its header")
	}
	if o.Key == nil {
		return nil, errors.New("journal: a run on several nodes needs a key, because the outcomes that nodes exchange " +
			"may have secrets: set Options.Key")
	}
	if err := o.Key.check(); err != nil {
		return nil, err
	}
	j := New(Options{Entries: MaxEffects, Bytes: MaxFile, Now: o.Now, Node: o.Node})
	j.shared, j.run, j.header, j.vaults = s, h.Run, h, newVaults(h.Run, o.Key)
	j.clock.countFrom(h.Start)
	for _, one := range settle {
		if p, ok := j.pendingShared(one.ID); ok && p.Fit(one, nil, 0) == nil {
			j.given = append(j.given, one)
		}
	}
	for _, sealed := range s.Secrets(j.addSealed) {
		j.addSealed(sealed)
	}
	return j, nil
}

// addSealed adds a secret that another node has met.
func (j *Journal) addSealed(sealed string) {
	if text, ok := j.vaults.secret(sealed); ok {
		j.secrets.Add(text)
	}
}

// Replicas returns the other nodes of the run; nil if the journal is not shared.
func (j *Journal) Replicas() effect.Replicas {
	if j.shared == nil {
		return nil
	}
	return j.shared
}

// beginShared is Begin of a shared journal.
func (j *Journal) beginShared(ctx context.Context, e effect.Effect) (effect.Record, bool, error) {
	var entry Entry
	hides, err := j.fill(&entry, &e)
	if err != nil {
		return effect.Record{}, false, err
	}
	for {
		o, done, err := j.enterShared(ctx, &entry, &e, hides)
		if done || err != nil {
			return o, false, err
		}
		record := beginLine(&entry, e.Args, &j.clock, j.marked(e.ID, hides))
		may, err := j.shared.Begin(ctx, &e, record)
		if err != nil {
			return effect.Record{}, false, err
		}
		if may {
			break
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.open[e.ID] = j.keep(&entry)
	return effect.Record{}, true, nil
}

// enterShared returns the outcome of an effect, or prepares the entry of one that begins.
func (j *Journal) enterShared(ctx context.Context, entry *Entry, e *effect.Effect,
	hides *effect.Hidden) (o effect.Record, done bool, err error) {
	before, _, err := j.shared.Enter(ctx, e.ID)
	switch {
	case err != nil || before == nil:
		return o, false, err
	case !j.same(&before.Effect, e, hides):
		return o, false, j.shared.Differs(&before.Effect, clone(e))
	case before.Done:
		j.mu.Lock()
		defer j.mu.Unlock()
		o, err = j.recall(entry, before)
		return o, err == nil, err
	case before.InDoubt():
		return o, false, &InDoubt{*before}
	}
	entry.Attempt = before.Attempt + 1
	entry.approvedAs(before)
	return o, false, nil
}

// recallShared is Recall of a shared journal.
func (j *Journal) recallShared(ctx context.Context, e effect.Effect) (o effect.Record, done bool, err error) {
	var entry Entry
	hides, err := j.fill(&entry, &e)
	if err != nil {
		return o, false, err
	}
	o, done, err = j.enterShared(ctx, &entry, &e, hides)
	if doubt := (*InDoubt)(nil); errors.As(err, &doubt) {
		err = nil // it is settled before it begins
	}
	return o, done, err
}

// endShared is End of a shared journal.
func (j *Journal) endShared(id string, o effect.Record) error {
	now := j.clock.elapsed()
	payload := o.Payload()
	var hides *effect.Hidden
	*payload, hides = j.hide(*payload, o.Hidden)
	o.Hidden = nil
	j.mu.Lock()
	entry, err := j.take(id)
	j.mu.Unlock()
	if err != nil {
		return err
	}
	record, err := endLine(id, int64(j.took(entry, now)), o, j.sealed(id, hides))
	if err == nil {
		err = j.shared.Append(id, record, false)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err != nil {
		j.open[id] = entry
		return err
	}
	j.done(entry, now, o, false)
	return nil
}

// skipShared is Skip of a shared journal.
func (j *Journal) skipShared(ctx context.Context, e effect.Effect, o effect.Record) error {
	var entry Entry
	hides, err := j.fill(&entry, &e)
	if err != nil {
		return err
	}
	payload := o.Payload()
	var secrets *effect.Hidden
	*payload, secrets = j.hide(*payload, o.Hidden)
	o.Hidden = nil
	if err := checkPayload("the outcome of effect "+e.ID, *payload); err != nil {
		return err
	}
	if _, done, err := j.enterShared(ctx, &entry, &e, hides); err != nil || done {
		if err == nil {
			err = fmt.Errorf("journal: effect %s is skipped and has an outcome", cut(e.ID, 0))
		}
		return err
	}
	record := skipLine(&entry, e.Args, &j.clock, j.marked(e.ID, hides), o, j.sealed(e.ID, secrets))
	return j.shared.Append(e.ID, record, false)
}

// announceShared is Announce of a shared journal. An effect that another node has announced is announced.
func (j *Journal) announceShared(ctx context.Context, e effect.Effect, kind effect.PendingKind, place string,
	by effect.Rester) error {
	var hides *effect.Hidden
	e.Args, hides = j.hide(e.Args, e.Hidden)
	if err := j.check(&e); err != nil {
		return err
	}
	e.Hidden = nil
	var settled, left bool
	j.shared.Look(e.ID, func(before *Entry) {
		if before != nil {
			settled = before.Done || before.Approved && kind == effect.PendingApproval
			left = before.Pends == kind || kind == effect.PendingDoubt && before.InDoubt()
			settled = settled || !left && !announces(kind)
		}
	})
	switch {
	case settled:
		return effect.ErrSettled
	case left:
		return j.shared.Pends(ctx, e.ID, by)
	}
	record := announceLine(&e, j.node, int64(j.clock.elapsed()), place, j.marked(e.ID, hides))
	return j.shared.Append(e.ID, record, true)
}

// settleShared is Settle of a shared journal.
func (j *Journal) settleShared(id string, as effect.Verdict, r effect.Record) error {
	var hides *effect.Hidden
	payload := r.Payload()
	*payload, hides = j.hide(*payload, r.Hidden)
	r.Hidden = nil
	record, err := settleLine(id, as, int64(j.clock.elapsed()), r, j.sealed(id, hides))
	if err != nil {
		return err
	}
	if err := j.shared.Settle(id, record); err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if e := j.open[id]; e != nil && as != effect.Approve && as != effect.Retry {
		delete(j.open, id) // a suspended one has ended
		j.done(e, j.clock.elapsed(), r, false)
	}
	return nil
}

// finishShared is Finish of a shared journal.
func (j *Journal) finishShared(f Final) error {
	record, err := finalLine(f, j.marked(finalLabel, f.Hidden))
	if err != nil {
		return err
	}
	final, err := j.shared.Finish(record)
	if err == nil && !j.vaults.ended(final, &f) {
		err = differentEnd(final.String(), f.String())
	}
	return err
}

// pendingShared is Pending of a shared journal.
func (j *Journal) pendingShared(id string) (p effect.Pending, ok bool) {
	j.shared.Look(id, func(e *Entry) {
		if e != nil && !e.Done && (e.Pends != "" || e.InDoubt()) {
			p, ok = e.pending(), true
		}
	})
	return p, ok
}

// approvedShared is Approved of a shared journal.
func (j *Journal) approvedShared(id string) (approved bool) {
	j.shared.Look(id, func(e *Entry) { approved = e != nil && e.Approved })
	return approved
}
