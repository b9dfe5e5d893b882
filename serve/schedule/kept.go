// This file defines how schedules are kept in a store.

package schedule

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// Store is the part of a store that a Scheduler uses.
type Store interface {
	List(ctx context.Context, q store.Query) (store.Page, error)
	Put(ctx context.Context, doc store.Document) (store.Document, error)
	Documents(ctx context.Context, kind store.Kind, after string, limit int) ([]store.Document, error)
	Remove(ctx context.Context, kind store.Kind, name string) error
}

// definition is the body of the document of a schedule.
type definition struct {
	wire.ScheduleRef
	wire.ScheduleSetting
	Owner access.Who `json:"owner"` // as it was when the schedule was put
	// Since is when the times began that hold now: times up to it are not those of this schedule.
	Since time.Time `json:"since"`
}

// progress is the body of the document that records which times are decided. It has only one version.
type progress struct {
	Through time.Time   `json:"through"`           // all times up to it are decided, or in Waiting
	Waiting []waiting   `json:"waiting,omitempty"` // for the end of a run
	Active  []string    `json:"active,omitempty"`  // the ids of the runs that may not have ended
	Last    []wire.Fire `json:"last,omitempty"`    // the newest first
	Stopped *stop       `json:"stopped,omitempty"`
}

// waiting is a time that is not submitted yet.
type waiting struct {
	Time   time.Time `json:"time"`
	Manual string    `json:"-"` // the key of a run by a person, which waits for nothing
}

func (w waiting) same(o waiting) bool { return w.Time.Equal(o.Time) && w.Manual == o.Manual }

// stop is the reason for which a version of a schedule is not run any more.
type stop struct {
	Version int    `json:"version"`
	Reason  string `json:"reason"`
}

// documentName returns the name of the documents of a schedule. A tenant may have a name that no document can have.
func documentName(r wire.ScheduleRef) string {
	sum := sha256.Sum256([]byte(r.Tenant))
	return hex.EncodeToString(sum[:8]) + "." + r.Name
}

// load reads all schedules.
func (s *Scheduler) load(ctx context.Context) error {
	states := make(map[string]progress)
	err := s.each(ctx, store.ScheduleStates, func(d store.Document) error {
		var p progress
		err := json.Unmarshal(d.Body, &p)
		states[d.Name] = p
		return err
	})
	if err != nil {
		return err
	}
	err = s.each(ctx, store.Schedules, func(d store.Document) error {
		e := &entry{doc: d, size: len(d.Body), progress: states[d.Name]}
		e.doc.Body = nil
		delete(states, d.Name)
		err := json.Unmarshal(d.Body, &e.def)
		if err == nil {
			e.times, err = ParseTimes(e.def.Cron, e.def.Zone)
		}
		if err != nil { // such as a zone that a newer database does not have
			s.log.Error("a schedule can't be used", "name", e.def.Name, "tenant", e.def.Tenant, "error", err)
			e.progress.Stopped = &stop{d.Version, "it can't be used: " + err.Error()}
		}
		if e.def.Name == "" {
			return err
		}
		e.unsure = true
		s.all[e.def.ScheduleRef] = e
		return nil
	})
	for name := range states { // the process ended while it deleted them
		err = errors.Join(err, s.docs.Remove(ctx, store.ScheduleStates, name))
	}
	return err
}

// each calls a function with each document of a kind.
func (s *Scheduler) each(ctx context.Context, kind store.Kind, f func(store.Document) error) error {
	for after := ""; ; {
		docs, err := s.docs.Documents(ctx, kind, after, store.MaxLimit)
		if err != nil {
			return err
		}
		for _, d := range docs {
			if err := f(d); err != nil {
				s.log.Error("a document can't be read", "kind", kind, "name", d.Name, "error", err)
			}
			after = d.Name
		}
		if len(docs) < store.MaxLimit {
			return nil
		}
	}
}

// keep makes the progress of a schedule durable.
func (s *Scheduler) keep(ctx context.Context, e *entry, p progress) error {
	body, err := json.Marshal(p)
	if err != nil {
		return err
	}
	_, err = s.docs.Put(ctx, store.Document{Kind: store.ScheduleStates, Name: documentName(e.def.ScheduleRef), Body: body})
	if err == nil {
		s.mu.Lock()
		e.progress = p
		s.mu.Unlock()
	}
	return err
}

// recall adds the runs that the progress does not have, because the process ended, or the store failed, between a
// submission and the document. The keys of the runs have their times.
func (d *decision) recall(ctx context.Context) (found bool, err error) {
	through, prefix := d.e.through(), serve.ScheduleKey+d.e.def.Name+":"
	page, err := d.docs.List(ctx, store.Query{Tenant: d.e.def.Tenant,
		Labels: map[string]string{wire.ScheduleLabel: d.e.def.Name}, Since: through.Add(-clockSlack),
		Oldest: true, Limit: store.MaxLimit})
	if err != nil {
		return false, err
	}
	for _, run := range page.Runs {
		text, of := strings.CutPrefix(run.Key, prefix)
		known := slices.ContainsFunc(d.p.Last, func(f wire.Fire) bool { return f.Run == run.ID })
		if !of || known {
			continue
		}
		w := waiting{Time: run.Created}
		key, manual := strings.CutPrefix(text, manualKey)
		if manual {
			w.Manual = key
		} else if w.Time, err = time.Parse(time.RFC3339, text); err != nil {
			return false, err
		}
		if !w.Time.After(through) && !slices.ContainsFunc(d.p.Waiting, w.same) {
			continue
		}
		d.done(w, wire.Fire{Time: w.Time, Manual: manual, Run: run.ID})
		if !manual && w.Time.After(d.p.Through) {
			d.p.Through = w.Time
		}
		found = true
	}
	return found, nil
}

// clockSlack is how far the clock may have been set back between a time and the creation of its run. If it was set back
// farther, it was wrong before.
const clockSlack = time.Hour
