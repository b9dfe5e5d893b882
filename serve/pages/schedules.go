// This file defines the pages of schedules, and the form of one.

package pages

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/schedule"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// scheduler returns the scheduler of the service.
func (p *Pages) scheduler() (*schedule.Scheduler, error) {
	if p.source == nil {
		return nil, schedule.ErrNone
	}
	return p.source.Scheduler()
}

// scheduleList is the data of the list of schedules.
type scheduleList struct {
	Schedules []wire.Schedule
	More      string // the URL of the next page, "" if there is none
}

func (p *Pages) schedules(w http.ResponseWriter, r *http.Request) error {
	live, err := p.live(r.Context(), ofSchedules)
	if err != nil {
		return err
	}
	var page scheduleList
	s, err := p.scheduler()
	if err != nil && !errors.Is(err, schedule.ErrNone) {
		return err
	}
	if err == nil {
		after := wire.ScheduleRef{Tenant: r.URL.Query().Get("tenant"), Name: r.URL.Query().Get("after")}
		page.Schedules = s.List("", after, maxShown, access.From(r.Context()))
	}
	if n := len(page.Schedules); n == maxShown {
		last := page.Schedules[n-1]
		page.More = "/schedules?" + url.Values{"tenant": {last.Tenant}, "after": {last.Name}}.Encode()
	}
	return p.show(w, r, http.StatusOK, layout{Title: "Schedules", Page: "schedules", Live: live, Body: page})
}

// scheduleAddress returns the URL of the page of a schedule.
func scheduleAddress(ref wire.ScheduleRef) string {
	return "/schedules/" + url.PathEscape(ref.Name) + "?" + url.Values{"tenant": {ref.Tenant}}.Encode()
}

// fired is a time of a schedule with the state of its run.
type fired struct {
	wire.Fire
	State store.State // "" if there is no run, or it is deleted
}

// schedulePage is the data of the page of a schedule.
type schedulePage struct {
	wire.Schedule
	Fires   []fired
	Changes bool // the reader may change it
}

// shownTimes is the number of next times that the page of a schedule shows.
const shownTimes = 10

func (p *Pages) schedule(w http.ResponseWriter, r *http.Request) error {
	live, err := p.live(r.Context(), ofSchedules)
	if err != nil {
		return err
	}
	one, err := p.seenSchedule(r, r.PathValue("name"), r.URL.Query().Get("tenant"))
	if err != nil {
		return err
	}
	page := schedulePage{Schedule: one, Changes: schedule.Changes(&one, access.From(r.Context()))}
	for _, f := range one.Last {
		shown := fired{Fire: f}
		if f.Run != "" {
			run, err := p.engine.Get(r.Context(), f.Run)
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return err
			}
			shown.State = run.State
		}
		page.Fires = append(page.Fires, shown)
	}
	return p.show(w, r, http.StatusOK, layout{Title: "Schedule " + one.Name, Page: "schedule", Live: live, Body: page})
}

// seenSchedule returns a schedule that the reader may see.
func (p *Pages) seenSchedule(r *http.Request, name, tenant string) (wire.Schedule, error) {
	s, err := p.scheduler()
	if err != nil {
		return wire.Schedule{}, err
	}
	return s.Get(wire.ScheduleRef{Tenant: tenant, Name: name}, shownTimes, access.From(r.Context()))
}

// changeSchedule performs the action of a button of the page of a schedule.
func (p *Pages) changeSchedule(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return store.ErrInvalid.With("the form can't be read: %w", err)
	}
	who := access.From(r.Context())
	s, err := p.scheduler()
	if err != nil {
		return err
	}
	one, err := p.seenSchedule(r, r.PostForm.Get("schedule"), r.PostForm.Get("tenant"))
	if err != nil {
		return err
	}
	to := scheduleAddress(one.ScheduleRef)
	access.Note(r.Context(), "schedule", one.Name)
	access.Note(r.Context(), "tenant", one.Tenant)
	access.Note(r.Context(), "do", r.PostForm.Get("do"))
	switch do := r.PostForm.Get("do"); do {
	case "pause", "resume":
		one.Paused = do == "pause"
		_, err = s.Put(r.Context(), one.ScheduleRef, one.ScheduleSetting, one.Version+1, who)
	case "run":
		var run store.Run
		run, err = s.RunNow(r.Context(), one.ScheduleRef, r.PostForm.Get("key"), who)
		to = "/runs/" + run.ID
	case "delete":
		err = s.Delete(r.Context(), one.ScheduleRef, who)
		to = "/schedules"
	default:
		err = store.ErrInvalid.With("got %.40q, want one of pause, resume, run and delete", do)
	}
	if err != nil {
		return err
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
	return nil
}

// scheduleFields is the data of the form of a schedule.
type scheduleFields struct {
	submission
	Schedule, Tenant           string
	Cron, Zone                 string
	Missed, Most, Overlap      string
	Paused                     bool
	Version                    int // the next version of an existing schedule, 0 for a new one
	MissedWays, OverlapChoices []choice
}

// choice is a value of a field, in words.
type choice struct{ Value, Text string }

// missedChoices and overlapChoices have the policies in words.
func missedChoices() []choice {
	return []choice{{string(wire.SkipMissed), "none of them"}, {string(wire.RunOnce), "the last one"},
		{string(wire.RunAll), "the last ones, up to the number below"}}
}

func overlapChoices() []choice {
	return []choice{{string(wire.SkipOverlap), "do not run the time"},
		{string(wire.QueueOverlap), "run it after the end of that run"},
		{string(wire.AllowOverlap), "run it beside that run"},
		{string(wire.CancelOverlap), "cancel that run, then run it"}}
}

func (p *Pages) scheduleForm(w http.ResponseWriter, r *http.Request) error {
	name := r.URL.Query().Get("name")
	if name == "" {
		f := scheduleFields{Zone: "UTC", submission: submission{Program: r.URL.Query().Get("program")}}
		return p.showSchedule(w, r, http.StatusOK, f)
	}
	one, err := p.seenSchedule(r, name, r.URL.Query().Get("tenant"))
	if err != nil {
		return err
	}
	f := scheduleFields{Schedule: one.Name, Tenant: one.Tenant, Cron: one.Cron, Zone: one.Zone, Missed: string(one.Missed),
		Overlap: string(one.Overlap), Paused: one.Paused, Version: one.Version + 1,
		submission: submission{Program: one.Run.Program, Name: one.Run.Name, Source: one.Run.Source,
			Data: string(one.Run.Data), Labels: strings.Join(labels(one.Run.Labels), ", "), Priority: one.Run.Priority.String()}}
	if one.MissedMost > 0 {
		f.Most = strconv.Itoa(one.MissedMost)
	}
	return p.showSchedule(w, r, http.StatusOK, f)
}

func (p *Pages) showSchedule(w http.ResponseWriter, r *http.Request, status int, f scheduleFields) error {
	var err error
	if f.Programs, err = p.engine.Programs(r.Context(), "", maxPrograms); err != nil {
		return err
	}
	if f.Program != "" && !slices.ContainsFunc(f.Programs, func(p wire.Program) bool { return p.Name == f.Program }) {
		f.Programs = append(f.Programs, wire.Program{Name: f.Program}) // a version, or one that was removed
	}
	f.MissedWays, f.OverlapChoices = missedChoices(), overlapChoices()
	title := "New schedule"
	if f.Version > 0 {
		title = "Change a schedule"
	}
	return p.show(w, r, status, layout{Title: title, Page: "schedule-form", Body: f})
}

func (p *Pages) putSchedule(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return store.ErrInvalid.With("the form can't be read: %w", err)
	}
	s, err := p.scheduler()
	if err != nil {
		return err
	}
	form := r.PostForm
	f := scheduleFields{submission: submissionOf(form), Schedule: form.Get("schedule"), Tenant: form.Get("tenant"),
		Cron: form.Get("cron"), Zone: form.Get("zone"), Missed: form.Get("missed"), Most: form.Get("most"),
		Overlap: form.Get("overlap"), Paused: form.Get("paused") != ""}
	f.Version, _ = strconv.Atoi(form.Get("version")) // one that is no number is of a new schedule
	access.Note(r.Context(), "schedule", f.Schedule)
	kept, err := p.put(r, s, &f)
	if err == nil {
		access.Note(r.Context(), "tenant", kept.Tenant)
		http.Redirect(w, r, scheduleAddress(kept.ScheduleRef), http.StatusSeeOther)
		return nil
	}
	status, err := f.refused(err)
	if err != nil {
		return err
	}
	return p.showSchedule(w, r, status, f)
}

// put puts the schedule of a form. Settings that the form does not have, such as limits, stay unchanged.
func (p *Pages) put(r *http.Request, s *schedule.Scheduler, f *scheduleFields) (wire.Schedule, error) {
	who := access.From(r.Context())
	var set wire.ScheduleSetting
	before, err := p.seenSchedule(r, f.Schedule, f.Tenant)
	switch {
	case f.Version > 0 && err != nil:
		return before, err
	case f.Version > 0:
		set = before.ScheduleSetting
	case err == nil:
		return before, schedule.Mistakes{{Field: "name", Message: "there is a schedule of this name; choose another one"}}
	}
	sub, wrong := f.run()
	sub.Limits, sub.Key = set.Run.Limits, ""
	set.Cron, set.Zone, set.Run, set.Paused = strings.TrimSpace(f.Cron), strings.TrimSpace(f.Zone), sub, f.Paused
	set.Missed, set.Overlap, set.MissedMost = wire.Missed(f.Missed), wire.Overlap(f.Overlap), 0
	if set.Missed == wire.RunAll && f.Most != "" {
		n, err := strconv.Atoi(f.Most)
		if err != nil {
			n = -1 // which is refused with its field
		}
		set.MissedMost = n
	}
	if wrong != nil {
		return wire.Schedule{}, wrong
	}
	return s.Put(r.Context(), wire.ScheduleRef{Tenant: f.Tenant, Name: f.Schedule}, set, f.Version, who)
}
