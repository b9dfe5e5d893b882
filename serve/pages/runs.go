// This file defines the list of runs, and the form that submits one.

package pages

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/schedule"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// filter is the filter of the list, as its form has it.
type filter struct {
	State, Program, Label, Tenant, Since, After string
}

// Set reports whether the filter selects anything.
func (f filter) Set() bool { return f != filter{} }

// unended selects all states that are not final, in a filter.
const unended = "unended"

// query returns the query of a filter for a reader.
func (f *filter) query(who access.Who) (store.Query, error) {
	q := store.Query{Program: f.Program, Tenant: f.Tenant, After: f.After}
	switch f.State {
	case "":
	case unended:
		for _, s := range store.States() {
			if !s.Final() {
				q.States = append(q.States, s)
			}
		}
	default:
		q.States = []store.State{store.State(f.State)}
	}
	if f.Label != "" {
		name, value, ok := strings.Cut(f.Label, "=")
		if !ok {
			return q, store.ErrInvalid.With("label: got %.100q, want name=value", f.Label)
		}
		q.Labels = map[string]string{strings.TrimSpace(name): strings.TrimSpace(value)}
	}
	if f.Since != "" {
		since, err := time.Parse("2006-01-02", f.Since)
		if err != nil {
			return q, store.ErrInvalid.With("since: got %.100q, want a date such as 2026-03-01", f.Since)
		}
		q.Since = since
	}
	if !who.Role.Includes(access.Operator) {
		q.Tenant = who.Tenant
	}
	return q, nil
}

// older returns the URL of the next page.
func (f filter) older(next string) string {
	v := url.Values{}
	for name, value := range map[string]string{"state": f.State, "program": f.Program, "label": f.Label,
		"tenant": f.Tenant, "since": f.Since, "after": next} {
		if value != "" {
			v.Set(name, value)
		}
	}
	return "/runs?" + v.Encode()
}

// runList is the data of the list.
type runList struct {
	Filter  filter
	Runs    []store.Run
	Older   string // the URL of the next page, "" if there is none
	Counts  []count
	Stats   wire.Stats
	Damaged []store.Damage
}

// count is the number of runs in a state.
type count struct {
	State store.State
	N     int
}

func (p *Pages) runs(w http.ResponseWriter, r *http.Request) error {
	who, form := access.From(r.Context()), r.URL.Query()
	f := filter{State: form.Get("state"), Program: form.Get("program"), Label: form.Get("label"),
		Tenant: form.Get("tenant"), Since: form.Get("since"), After: form.Get("after")}
	q, err := f.query(who)
	if err != nil {
		return err
	}
	live, err := p.live(r.Context(), ofRuns)
	if err != nil {
		return err
	}
	st := p.engine.Options().Store
	page, err := st.List(r.Context(), q)
	if err != nil {
		return err
	}
	counts, err := st.Count(r.Context(), q.Tenant)
	if err != nil {
		return err
	}
	list := runList{Filter: f, Runs: page.Runs, Stats: p.engine.Stats()}
	if page.Next != "" {
		list.Older = f.older(page.Next)
	}
	for _, s := range store.States() {
		if counts[s] > 0 {
			list.Counts = append(list.Counts, count{s, counts[s]})
		}
	}
	if who.Role.Includes(access.Operator) {
		if list.Damaged, err = st.Damaged(r.Context()); err != nil {
			return err
		}
	}
	return p.show(w, r, http.StatusOK, layout{Title: "Runs", Page: "runs", Live: live, Body: list})
}

// submission is the data of the form that submits a run.
type submission struct {
	Program, Name, Source, Data, Labels, Priority, Key string

	Problem  string            // why the last attempt was refused
	Detail   string            // the errors of the program
	Wrong    map[string]string // the mistakes, by field
	Programs []wire.Program
}

// maxPrograms is the maximum number of programs that the form offers.
const maxPrograms = 1000

func (p *Pages) form(w http.ResponseWriter, r *http.Request) error {
	s := submission{Program: r.URL.Query().Get("program")}
	return p.showForm(w, r, http.StatusOK, s)
}

// showForm writes the form. Each form has its own key, so that a form which is sent twice makes one run.
func (p *Pages) showForm(w http.ResponseWriter, r *http.Request, status int, s submission) error {
	var err error
	if s.Programs, err = p.engine.Programs(r.Context(), "", maxPrograms); err != nil {
		return err
	}
	s.Key = rand.Text()
	return p.show(w, r, status, layout{Title: "Submit a run", Page: "submit", Body: s})
}

func (p *Pages) submit(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return store.ErrInvalid.With("the form can't be read: %w", err)
	}
	s := submissionOf(r.PostForm)
	run, err := p.submitted(r, &s)
	if err == nil {
		access.Note(r.Context(), "run", run.ID)
		http.Redirect(w, r, "/runs/"+run.ID, http.StatusSeeOther)
		return nil
	}
	status, err := s.refused(err)
	if err != nil {
		return err
	}
	return p.showForm(w, r, status, s)
}

// submitted submits the run of a form.
func (p *Pages) submitted(r *http.Request, s *submission) (store.Run, error) {
	who := access.From(r.Context())
	if !who.Changes(who.Tenant) {
		return store.Run{}, errForbidden
	}
	sub, wrong := s.run()
	if wrong != nil {
		return store.Run{}, wrong
	}
	run, _, err := p.engine.Submit(r.Context(), sub, who)
	return run, err
}

// submissionOf returns the submission in a form.
func submissionOf(form url.Values) submission {
	return submission{Program: form.Get("program"), Name: form.Get("name"), Source: unixLines(form.Get("source")),
		Data: form.Get("data"), Labels: form.Get("labels"), Priority: form.Get("priority"), Key: form.Get("key")}
}

// run returns the submission of a form, and the errors in it.
func (s *submission) run() (store.Submission, error) {
	var wrong schedule.Mistakes
	add := func(field, format string, args ...any) {
		wrong = append(wrong, schedule.Mistake{Field: field, Message: fmt.Sprintf(format, args...)})
	}
	sub := store.Submission{Program: s.Program, Name: s.Name, Key: s.Key}
	if err := sub.Priority.UnmarshalText([]byte(s.Priority)); err != nil {
		add("run.priority", "%v", err)
	}
	if s.Program == "" {
		sub.Source = s.Source
	}
	if data := strings.TrimSpace(s.Data); data != "" {
		if !json.Valid([]byte(data)) {
			add("run.data", "want a JSON object, got %.40q", data)
		}
		sub.Data = json.RawMessage(data)
	}
	for part := range strings.FieldsFuncSeq(s.Labels, func(c rune) bool { return c == ',' || c == '\n' || c == '\r' }) {
		name, value, ok := strings.Cut(part, "=")
		if strings.TrimSpace(part) == "" {
			continue
		}
		if !ok {
			add("run.labels", "got %.100q, want name=value", part)
		}
		if sub.Labels == nil {
			sub.Labels = make(map[string]string)
		}
		sub.Labels[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	if wrong != nil {
		return sub, wrong
	}
	return sub, nil
}

// refused keeps the reason of a refusal for the form that is shown again. It returns the status; the error is that of a
// service which could not answer.
func (s *submission) refused(err error) (status int, _ error) {
	var program *ptc.Error
	if errors.As(err, &program) {
		var b strings.Builder
		program.Render(&b, false)
		s.Problem, s.Detail = "The program does not compile.", b.String()
		return http.StatusUnprocessableEntity, nil
	}
	var mistakes schedule.Mistakes
	if errors.As(err, &mistakes) {
		s.Problem, s.Wrong = "Something is wrong; see below.", make(map[string]string)
		for _, m := range mistakes {
			s.Wrong[m.Field] = m.Message
		}
		return http.StatusBadRequest, nil
	}
	status, message := statusOf(err)
	if status == http.StatusInternalServerError {
		return status, err
	}
	s.Problem = message
	return status, nil
}

// unixLines undoes the line ends of a form.
func unixLines(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// labels returns the labels of a run as name=value, by name.
func labels(all map[string]string) []string {
	var out []string
	for _, name := range sortedKeys(all) {
		out = append(out, name+"="+all[name])
	}
	return out
}
