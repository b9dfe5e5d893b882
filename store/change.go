// This file defines the rules of changes, which all implementations share.

package store

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// New completes a new run: it returns the run that Create of an implementation stores. The id decides Created.
func New(run Run, id string) (Run, error) {
	created, err := IDTime(id)
	if err != nil {
		return Run{}, err
	}
	if run.State != Queued && run.State != Running {
		return Run{}, ErrInvalid.With("a new run is %.100q, want %q or %q", run.State, Queued, Running)
	}
	run.ID, run.Created, run.Updated, run.Revision = id, created, created, 1
	if run.Digest == "" {
		run.Digest = run.Sum()
	}
	if run.State == Running && run.Started.IsZero() {
		run.Started = created
	}
	err = run.tidy()
	return run, err
}

// tidy checks a run, and normalises it to the value that its JSON decodes to: JSON has no named time zones,
// and no white space is kept.
func (r *Run) tidy() error {
	if err := r.Check(); err != nil {
		return err
	}
	for _, t := range []*time.Time{&r.Created, &r.Updated, &r.Started, &r.Ended, &r.Wake} {
		if !t.IsZero() {
			*t = t.Round(0).UTC()
		}
	}
	r.Pending = tidied(r.Pending)
	for _, text := range []*string{&r.Text, &r.Prints, &r.Reason} {
		*text = strings.ToValidUTF8(*text, "\uFFFD")
	}
	for _, raw := range []*json.RawMessage{&r.Data, &r.Value, &r.Error, &r.Usage} {
		if *raw != nil {
			*raw = compact(*raw)
		}
	}
	if len(r.Labels) == 0 {
		r.Labels = nil
	}
	if len(r.Tools) == 0 {
		r.Tools = nil
	}
	return nil
}

// tidied returns the effects as their JSON has them.
func tidied(effects []effect.Pending) []effect.Pending {
	if len(effects) == 0 {
		return nil
	}
	effects = slices.Clone(effects)
	for i := range effects {
		p := &effects[i]
		p.Since = p.Since.Round(0).UTC()
		p.Options = slices.Clone(p.Options)
		raws := []*json.RawMessage{&p.Args, &p.Data}
		for k := range p.Options {
			raws = append(raws, &p.Options[k])
		}
		for _, raw := range raws {
			if *raw != nil {
				*raw = compact(*raw)
			}
		}
	}
	return effects
}

// Change applies a change to a run at a time, and returns the run that Update of an implementation stores. It sets
// Updated, Revision, Started with the first state that is Running, and Ended with a final state, in which
// nothing is waited for. If change returns an error, Change returns the same error.
func Change(run Run, change func(*Run) error, now time.Time) (Run, error) {
	if run.State.Final() {
		return Run{}, ErrEnded.With("run %s has ended as %s, and can't change any more", run.ID, run.State)
	}
	if change == nil {
		return Run{}, ErrInvalid.With("run %s: the change is nil, want a function", run.ID)
	}
	next := run
	next.Labels = maps.Clone(run.Labels)
	if err := change(&next); err != nil {
		return Run{}, err
	}
	if fixed := changed(&run, &next); fixed != nil {
		return Run{}, ErrInvalid.With("run %s: a change of %s, which stays", run.ID, strings.Join(fixed, " and "))
	}
	if !run.State.May(next.State) {
		return Run{}, ErrTransition.With("run %s is %s, and can't become %.100q", run.ID, run.State, next.State)
	}
	if now.Before(run.Updated) { // the clock was set back
		now = run.Updated
	}
	next.Updated, next.Revision = now, run.Revision+1
	if next.State == Running && next.Started.IsZero() {
		next.Started = now
	}
	if next.State.Final() {
		next.Ended, next.Wake, next.Pending, next.Settled = now, time.Time{}, nil, nil
	}
	err := next.tidy()
	return next, err
}

// changed returns the names of the fields that a change must not change, and has.
func changed(old, now *Run) (names []string) {
	for _, f := range []struct {
		name string
		same bool
	}{
		{"id", old.ID == now.ID},
		{"tenant", old.Tenant == now.Tenant},
		{"by", old.By == now.By},
		{"digest", old.Digest == now.Digest},
		{"trace", old.Trace == now.Trace},
		{"tools", slices.Equal(old.Tools, now.Tools)},
		{"created", old.Created.Equal(now.Created)},
		{"updated", old.Updated.Equal(now.Updated)},
		{"started", old.Started.Equal(now.Started)},
		{"ended", old.Ended.Equal(now.Ended)},
		{"revision", old.Revision == now.Revision},
		{"submission", old.Submission.same(&now.Submission)},
	} {
		if !f.same {
			names = append(names, f.name)
		}
	}
	return names
}

func (s *Submission) same(o *Submission) bool {
	return s.Program == o.Program && s.Name == o.Name && s.Source == o.Source && bytes.Equal(s.Data, o.Data) &&
		s.Limits == o.Limits && maps.Equal(s.Labels, o.Labels) && s.Key == o.Key && s.Priority == o.Priority
}

// Check returns ErrInvalid for a query that makes no sense.
func (q *Query) Check() error {
	for _, s := range q.States {
		if !s.Valid() {
			return ErrInvalid.With("got the state %.100q, want one of %v", s, States())
		}
	}
	if len(q.States) > len(States()) || len(q.Labels) > maxLabels {
		return ErrInvalid.With("got %d states and %d labels, want each state once, and at most %d labels", len(q.States),
			len(q.Labels), maxLabels)
	}
	if q.Limit < 0 || q.Limit > MaxLimit {
		return ErrInvalid.With("got the limit %d, want 1 to %d, or 0 for %d", q.Limit, MaxLimit, DefaultLimit)
	}
	if q.After != "" && !ValidID(q.After) {
		return ErrInvalid.With("got the page %.100q, want the one that the list before has named", q.After)
	}
	return nil
}

// Has reports whether the query selects a run, whatever page it is on.
func (q *Query) Has(r *Run) bool {
	if r == nil || len(q.States) > 0 && !slices.Contains(q.States, r.State) {
		return false
	}
	name, _, _ := strings.Cut(r.Program, "@")
	if q.Program != "" && q.Program != r.Program && q.Program != name {
		return false
	}
	for label, value := range q.Labels {
		if got, ok := r.Labels[label]; !ok || got != value {
			return false
		}
	}
	return (q.Tenant == "" || q.Tenant == r.Tenant) &&
		(q.Since.IsZero() || !r.Created.Before(q.Since)) && (q.Until.IsZero() || r.Created.Before(q.Until))
}
