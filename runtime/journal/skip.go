// This file defines effects that do not happen and have an outcome all the same.

package journal

import (
	"context"
	"fmt"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// Skip records that an effect did not happen and never will, with its outcome. See effect.Journal. One line has both,
// so that a crash can't leave a write in doubt that was never made. It need not be durable, as nothing has changed.
func (j *Journal) Skip(ctx context.Context, e effect.Effect, o effect.Record) error {
	if j.shared != nil {
		return j.skipShared(ctx, e, o)
	}
	var entry Entry
	hides, err := j.fill(&entry, &e)
	if err != nil {
		return err
	}
	payload := o.Payload()
	var secrets *effect.Hidden
	*payload, secrets = j.hide(*payload, o.Hidden)
	o.Hidden = nil
	if j.log != nil {
		if err := checkPayload("the outcome of effect "+e.ID, *payload); err != nil {
			return err
		}
	}
	_, do, err := j.enter(&entry, &e, hides)
	if err == nil && !do {
		err = fmt.Errorf("journal: effect %s is skipped and has an outcome", cut(e.ID, 0))
	}
	if err != nil {
		return err
	}
	j.mu.Lock()
	kept, err := j.take(e.ID)
	if err == nil {
		kept.Withdrawn = true // until the line is written
	}
	j.mu.Unlock()
	if err != nil {
		return err
	}
	if j.log != nil {
		text := skipLine(&entry, e.Args, &j.clock, j.marked(e.ID, hides), o, j.sealed(e.ID, secrets))
		if err := j.write(text, false); err != nil {
			return err
		}
	}
	o, hashed := j.fitOutcome(o)
	j.mu.Lock()
	defer j.mu.Unlock()
	kept.Withdrawn = false
	j.done(kept, entry.Start.Sub(j.clock.start), o, hashed)
	return nil
}

// skipLine is written when an effect does not happen and has an outcome, which was checked. sealed has the secrets of
// the outcome.
func skipLine(e *Entry, args []byte, c *clock, hidden *string, o effect.Record, sealed *string) []byte {
	l := newLine("skip").entry(e, args, c, hidden).outcome(o)
	if sealed != nil {
		l = l.text("sealed", *sealed)
	}
	return l.end()
}

// skip takes the line of an effect that did not happen and has an outcome.
func (r *reader) skip(w *wire) error {
	if err := r.begin(w); err != nil {
		return err
	}
	e := &r.rec.Entries[r.rec.byID[w.ID]]
	o, err := r.skipped(w)
	if err != nil {
		return err
	}
	e.Done, e.Outcome = true, o
	return nil
}

// skipped returns the outcome of such an effect.
func (r *reader) skipped(w *wire) (effect.Record, error) {
	o, err := r.outcome(w)
	if o.Hidden = nil; w.Sealed != nil {
		o.Hidden = &effect.Hidden{Sealed: *w.Sealed}
	}
	return o, err
}
