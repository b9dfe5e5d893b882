// This file defines the page of pending effects, and its answers.

package pages

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/store"
)

// asked is a pending effect of a run, as a form shows it.
type asked struct {
	effect.Pending
	Run     store.Run
	Changes bool // the reader may answer
	Own     bool // the reader must not approve it

	As, Text string // the answer of the reader, in a form that is shown again
}

// Field returns the name by which the form has the effect: RUN/ID.
func (a asked) Field() string { return a.Run.ID + "/" + a.ID }

// Verdicts returns how the effect can be settled, beside the answers to a question.
func (a asked) Verdicts() []effect.Verdict {
	switch a.Kind {
	case effect.PendingApproval:
		if a.Own {
			return []effect.Verdict{effect.Refuse}
		}
		return []effect.Verdict{effect.Approve, effect.Refuse}
	case effect.PendingOutcome:
		return []effect.Verdict{effect.Done, effect.Failed}
	case effect.PendingDoubt:
		return []effect.Verdict{effect.Done, effect.Failed, effect.Retry}
	}
	return nil
}

// Asks returns the question of the effect, as a title.
func (a asked) Asks() string {
	switch a.Kind {
	case effect.PendingApproval:
		return "May " + a.Tool + " be called?"
	case effect.PendingOutcome:
		return "What is the outcome of " + a.Tool + "?"
	case effect.PendingDoubt:
		return "Has " + a.Tool + " happened? The process ended while it was called."
	}
	return cmp.Or(a.Question, "The program asks.")
}

// pendingPage is the data of the page.
type pendingPage struct {
	Asked   []asked
	Problem string
	Back    string // the page to which the form returns
	Older   string // the URL of the next page, "" if there is none
}

// Approvals returns the number of calls that the reader may approve.
func (p pendingPage) Approvals() int {
	n := 0
	for _, a := range p.Asked {
		if a.Changes && !a.Own && a.Kind == effect.PendingApproval {
			n++
		}
	}
	return n
}

// Answers reports whether the reader may answer anything.
func (p pendingPage) Answers() bool {
	for _, a := range p.Asked {
		if a.Changes {
			return true
		}
	}
	return false
}

// askedOf returns the pending effects of a run.
func (p *Pages) askedOf(run store.Run, who access.Who) []asked {
	var all []asked
	own := p.engine.Options().FourEyes && run.By == who.Name
	for _, effect := range run.Pending {
		all = append(all, asked{Pending: effect, Run: run, Changes: who.Changes(run.Tenant) && !run.State.Final(), Own: own})
	}
	return all
}

// maxLooked is the maximum number of runs that a page looks at. Each is read, in about 20 microseconds.
const maxLooked = 1000

// pending shows the pending effects of runs, the oldest first. Most active runs wait for nobody, so the
// page reads the list of runs until it has enough.
func (p *Pages) pending(w http.ResponseWriter, r *http.Request) error {
	live, err := p.live(r.Context(), ofRuns)
	if err != nil {
		return err
	}
	who := access.From(r.Context())
	q := store.Query{States: []store.State{store.Running, store.Waiting, store.Parked, store.InDoubt}, Oldest: true,
		After: r.URL.Query().Get("after")}
	if !who.Role.Includes(access.Operator) {
		q.Tenant = who.Tenant
	}
	page := pendingPage{Back: "/pending"}
	asking := p.engine.Asking(r.Context())
	for looked := 0; ; {
		list, err := p.engine.Options().Store.List(r.Context(), q)
		if err != nil {
			return err
		}
		for i := range list.Runs {
			if err := p.ask(r.Context(), &page, list.Runs[i].ID, who, asking); err != nil {
				return err
			}
		}
		q.After = list.Next
		if looked += len(list.Runs); q.After == "" || looked >= maxLooked || len(page.Asked) >= maxShown {
			break
		}
	}
	if q.After != "" {
		page.Older = "/pending?after=" + q.After
	}
	return p.show(w, r, http.StatusOK, layout{Title: "Pending", Page: "pending", Live: live, Body: page})
}

// ask adds the pending effects of a run to a page. A list of runs does not have them.
func (p *Pages) ask(ctx context.Context, page *pendingPage, id string, who access.Who, asking func(*store.Run)) error {
	run, err := p.engine.Get(ctx, id)
	asking(&run)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil
	case err != nil:
		return err
	}
	if who.Sees(run.Tenant) {
		page.Asked = append(page.Asked, p.askedOf(run, who)...)
	}
	return nil
}

// again shows the form of a reader again, with its answers, and why they were refused. The page is not live: it would
// replace the answers.
func (p *Pages) again(w http.ResponseWriter, r *http.Request, status int, problem string) error {
	page := pendingPage{Problem: problem, Back: "/pending"}
	var runs []string
	for _, field := range r.PostForm["asked"] {
		if id, _, _ := strings.Cut(field, "/"); len(runs) < maxLooked && !slices.Contains(runs, id) {
			runs = append(runs, id)
		}
	}
	asking := p.engine.Asking(r.Context())
	for _, id := range runs {
		if err := p.ask(r.Context(), &page, id, access.From(r.Context()), asking); err != nil {
			return err
		}
	}
	for i := range page.Asked {
		a := &page.Asked[i]
		a.As, a.Text = r.PostForm.Get("as:"+a.Field()), unixLines(r.PostForm.Get("text:"+a.Field()))
	}
	return p.show(w, r, status, layout{Title: "Pending", Page: "pending", Body: page})
}

// settle answers some of the effects of a form. Each run is settled separately: a problem of one does not
// prevent the answers to others.
func (p *Pages) settle(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return store.ErrInvalid.With("the form can't be read: %w", err)
	}
	answers, order, err := answersOf(r)
	if err != nil {
		return p.again(w, r, http.StatusBadRequest, err.Error())
	}
	if len(order) == 0 {
		return p.again(w, r, http.StatusBadRequest, "Nothing is answered: choose an answer first.")
	}
	var problems, noted []string
	for _, id := range order {
		noted = append(noted, id+": "+serve.Settled(answers[id]))
	}
	access.Note(r.Context(), "settled", strings.Join(noted, "; "))
	status := http.StatusSeeOther
	for _, id := range order {
		run, err := p.engine.Get(r.Context(), id)
		who := access.From(r.Context())
		if err == nil && !who.Sees(run.Tenant) {
			err = store.ErrNotFound.With("there is no run %.100q", id)
		}
		if err == nil && !who.Changes(run.Tenant) {
			err = errForbidden
		}
		if err == nil {
			_, err = p.engine.Settle(r.Context(), id, answers[id], who)
		}
		if err != nil {
			code, message := statusOf(err)
			if code == http.StatusInternalServerError {
				return err
			}
			status = code
			problems = append(problems, message)
		}
	}
	if len(problems) > 0 {
		return p.again(w, r, status, strings.Join(problems, "\n"))
	}
	back := "/pending"
	if len(order) == 1 && r.PostForm.Get("back") == "/runs/"+order[0] {
		back = r.PostForm.Get("back")
	}
	http.Redirect(w, r, back, http.StatusSeeOther)
	return nil
}

// answersOf returns the settlements of a form by their runs, and the runs in order.
func answersOf(r *http.Request) (answers map[string][]effect.Settlement, order []string, err error) {
	answers = make(map[string][]effect.Settlement)
	for _, field := range r.PostForm["asked"] {
		id, effectID, ok := strings.Cut(field, "/")
		if !ok {
			return nil, nil, store.ErrInvalid.With("got the field %.100q, want RUN/EFFECT", field)
		}
		s, given, err := answerOf(r, field, effectID)
		if err != nil {
			return nil, nil, err
		}
		if !given {
			continue
		}
		if answers[id] == nil {
			order = append(order, id)
		}
		answers[id] = append(answers[id], s)
	}
	return answers, order, nil
}

// answerOf returns the settlement of one effect, and false if the form has none.
func answerOf(r *http.Request, field, effectID string) (s effect.Settlement, given bool, err error) {
	as, text := r.PostForm.Get("as:"+field), strings.TrimSpace(unixLines(r.PostForm.Get("text:"+field)))
	if as == "" && r.PostForm.Get("all") == "approve" && r.PostForm.Get("kind:"+field) == string(effect.PendingApproval) {
		as = string(effect.Approve)
	}
	s = effect.Settlement{ID: effectID, As: effect.Verdict(as)}
	switch s.As {
	case "":
		if r.PostForm.Get("kind:"+field) != string(effect.PendingQuestion) || text == "" {
			return s, false, nil
		}
		s.As, s.Result = effect.Done, effect.AnswerOf(text)
	case effect.Refuse:
		s.Reason = text
	case effect.Done:
		if text != "" {
			s.Result = effect.AnswerOf(text)
		}
	case effect.Failed:
		s.Failure = &effect.Failure{Kind: diag.ToolFailed, Code: effect.CodeFailed, Message: cmp.Or(text, "it failed")}
	case effect.Approve, effect.Retry:
	default: // an option, by its text
		if !strings.HasPrefix(as, optionMark) {
			return s, false, store.ErrInvalid.With("got the answer %.100q, want one that the form offers", as)
		}
		s.As, s.Result = effect.Done, json.RawMessage(strings.TrimPrefix(as, optionMark))
		if !json.Valid(s.Result) {
			return s, false, store.ErrInvalid.With("got the answer %.100q, want JSON", s.Result)
		}
	}
	return s, true, nil
}

// optionMark begins the value of a field that has one of the options of a question.
const optionMark = "option:"
