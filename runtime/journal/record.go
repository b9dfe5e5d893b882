// This file reads single records of effects, for a log that holds those of one run on several nodes.

package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// Record is a record of a journal that was read, without those before it. Entry.Take applies it.
type Record struct {
	// Type is that of the line in a file: run, begin, skip, end, withdraw, announce, suspend, settle, secret, final or
	// stop.
	Type string
	ID   string // of the effect
	// Entry is the effect of a record that begins, skips or announces one.
	Entry Entry
	// As is the verdict of a settlement.
	As effect.Verdict
	// Outcome is that of an end, a skip or a settlement.
	Outcome effect.Record
	// Duration is the time that an effect took, of its end.
	Duration time.Duration
	// Token and Place are those of a suspended effect.
	Token, Place string
	Final        *Final  // of the end of the run
	Header       *Header // of the first record
	Secret       string  // sealed
}

// ParseRecords reads records that are joined by newlines, each without a seal. start is the time from which they
// count. The error of a record that no journal has written is a *Damage.
func ParseRecords(text []byte, start time.Time) ([]Record, error) {
	var all []Record
	r := &reader{bounds: bounds{MaxLine, MaxEffects, MaxFile}, rec: &Recording{Header: Header{Start: start}}}
	for part := range bytes.SplitSeq(text, []byte("\n")) {
		r.line++
		var w wire
		if err := json.Unmarshal(part, &w); err != nil {
			return nil, r.damage("%v", err)
		}
		one, err := r.single(&w)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// single returns the record of a line.
func (r *reader) single(w *wire) (one Record, err error) {
	one = Record{Type: w.T, ID: w.ID, As: effect.Verdict(w.As), Token: w.Token, Place: w.Place,
		Duration: time.Duration(max(w.Took, 0)), Secret: orEmpty(w.Hidden)}
	switch w.T {
	case "run":
		err = r.header(w)
		h := r.rec.Header
		one.Header = &h
	case "begin", "skip", "announce":
		if one.Entry, err = r.effect(w); err == nil {
			err = r.waits(w, &one.Entry)
		}
		if err == nil && w.T == "skip" {
			one.Outcome, err = r.skipped(w)
		}
	case "end":
		one.Outcome, err = r.outcome(w)
	case "settle":
		if one.As != effect.Approve && one.As != effect.Retry {
			one.Outcome, err = r.outcome(w)
		}
	case "final":
		if err = r.final(w); err == nil {
			one.Final, r.rec.Final = r.rec.Final, nil
		}
	case "withdraw", "suspend", "secret", "stop":
	default:
		err = r.damage("a record of type %q is not of an effect", cut(w.T, 0))
	}
	if err == nil && one.ID != "" {
		err = checkID(one.ID)
	}
	return one, err
}

// Take changes an entry by a record of its effect. The caller has checked that the record may follow. The zero Entry
// is that of an effect without a record. A nil record changes nothing.
func (e *Entry) Take(r *Record) {
	if r == nil {
		return
	}
	switch r.Type {
	case "begin", "skip":
		before := *e
		*e = r.Entry
		e.approvedAs(&before)
		if r.Type == "skip" {
			e.Done, e.Outcome = true, r.Outcome
		}
	case "announce":
		kind := effect.PendingApproval
		if r.Entry.Kind == effect.KindQuestion {
			kind = effect.PendingQuestion
		}
		if e.ID == "" {
			*e = r.Entry
			e.Attempt = 0
		}
		e.Pends, e.Place = kind, r.Place
		e.announce(r.Entry.Start, r.Entry.Session)
	case "end":
		e.Done, e.Duration, e.Outcome, e.Pends = true, r.Duration, r.Outcome, ""
	case "withdraw":
		e.Withdrawn = true
	case "suspend":
		e.suspend(r.Token, r.Place)
	case "settle":
		e.settle(r.As, r.Outcome, -1)
	}
}

// InDoubt reports whether the entry is a write that was begun and has no known outcome.
func (e *Entry) InDoubt() bool {
	return e.Class == effect.Write && e.Attempt > 0 && !e.Done && !e.Withdrawn && e.Pends == ""
}

// Pending returns the entry as a pending effect, or as one in doubt.
func (e *Entry) Pending() effect.Pending { return e.pending() }

// HeaderRecord returns the first record of a run, which names the key of the lines. Its start is now, if it has none.
func HeaderRecord(h *Header, key Key) ([]byte, error) {
	if h == nil || h.Run == "" || h.Seed == 0 {
		return nil, errors.New("journal: the header of a run on several nodes needs a name and a seed")
	}
	if h.Start.IsZero() {
		h.Start = time.Now()
	}
	return headerLine(h, key.ID())
}

// ResumeRecord returns the record of a process that continues with a run, at nanoseconds after its start.
func ResumeRecord(at int64, key Key) []byte { return resumeLine(at, key.ID()) }
