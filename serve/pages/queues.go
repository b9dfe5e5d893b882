// This file defines the pages of queues and guards, policies and programs.

package pages

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/guard"
	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// maxShown is the maximum number of waiters, hosts and executions that a page shows.
const maxShown = 200

// queuePage is the data of the page of queues and guards.
type queuePage struct {
	Queues     []queue.Stats
	Guards     *guard.Stats // nil unless the reader is an operator: they name the hosts of all tenants
	Action     string       // whose executions are shown
	Executions queue.Page
	More       string // the URL of the next executions, "" if there are none
}

func (p *Pages) queues(w http.ResponseWriter, r *http.Request) error {
	live, err := p.live(r.Context(), ofQueues)
	if err != nil {
		return err
	}
	o := p.engine.Options()
	page := queuePage{Action: r.URL.Query().Get("action")}
	operator := access.From(r.Context()).Role.Includes(access.Operator)
	if q := o.Views.Queues; q != nil {
		if page.Queues, err = q.All(r.Context()); err != nil {
			return err
		}
		slices.SortStableFunc(page.Queues, func(a, b queue.Stats) int { return strings.Compare(a.Action, b.Action) })
		if operator && page.Action != "" {
			after := r.URL.Query().Get("after")
			if page.Executions, err = q.Executions(r.Context(), page.Action, after, maxShown); err != nil {
				return store.ErrNotFound.With("%w", err)
			}
			if next := page.Executions.Next; next != "" {
				page.More = executionsOf(page.Action) + "&after=" + url.QueryEscape(next)
			}
		}
	}
	if g := o.Views.Guards; g != nil && operator {
		stats, err := g.Stats(r.Context(), maxShown)
		if err != nil {
			return err
		}
		page.Guards = &stats
	}
	l := layout{Title: "Queues and guards", Page: "queues", Live: live, Body: page}
	return p.show(w, r, http.StatusOK, l)
}

// executionsOf returns the URL of the page with the executions of an action.
func executionsOf(action string) string { return "/queues?action=" + url.QueryEscape(action) }

// dequeue cancels a waiting execution, or all of an action.
func (p *Pages) dequeue(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return store.ErrInvalid.With("the form can't be read: %w", err)
	}
	action, execution := r.PostForm.Get("action"), r.PostForm.Get("execution")
	access.Note(r.Context(), "action", action)
	access.Note(r.Context(), "execution", execution)
	q := p.engine.Options().Views.Queues
	if q == nil {
		return store.ErrNotFound.With("this service has no queues")
	}
	done, err := true, error(nil)
	if execution == "" {
		_, err = q.Clear(r.Context(), action)
	} else {
		done, err = q.Cancel(r.Context(), action, execution)
	}
	if err == nil && !done {
		err = store.ErrNotFound.With("execution %.100q does not wait for %.100q any more", execution, action)
	}
	if err != nil {
		return err
	}
	http.Redirect(w, r, executionsOf(action), http.StatusSeeOther)
	return nil
}

// named is a policy with its subject.
type named struct {
	Kind, Name string
	queue.Policy
}

func (p *Pages) policies(w http.ResponseWriter, r *http.Request) error {
	var all []named
	if q := p.engine.Options().Views.Queues; q != nil {
		rules := q.Policies()
		if rules.Global != (queue.Policy{}) {
			all = append(all, named{"global", "", rules.Global})
		}
		for _, name := range sortedKeys(rules.Packs) {
			all = append(all, named{"pack", name, rules.Packs[name]})
		}
		for _, name := range sortedKeys(rules.Actions) {
			all = append(all, named{"action", name, rules.Actions[name]})
		}
	}
	return p.show(w, r, http.StatusOK, layout{Title: "Policies", Page: "policies", Body: all})
}

// programList is the data of the list of programs.
type programList struct {
	Programs []wire.Program
	More     string // the name after which the next page begins, "" if there is none
}

func (p *Pages) programs(w http.ResponseWriter, r *http.Request) error {
	list, err := p.engine.Programs(r.Context(), r.URL.Query().Get("after"), maxShown)
	if err != nil {
		return err
	}
	page := programList{Programs: list}
	if len(list) == maxShown {
		page.More = list[len(list)-1].Name
	}
	return p.show(w, r, http.StatusOK, layout{Title: "Programs", Page: "programs", Body: page})
}

// programPage is the data of the page of a program.
type programPage struct {
	wire.Program
	Versions    []wire.Program
	Effects     *ptc.Effects
	Diagnostics []ptc.Diagnostic
}

func (p *Pages) program(w http.ResponseWriter, r *http.Request) error {
	ref := r.PathValue("name")
	if version := r.URL.Query().Get("version"); version != "" {
		if n, err := strconv.Atoi(version); err != nil || n <= 0 {
			return store.ErrInvalid.With("version: got %.40q, want a number above 0", version)
		}
		ref += "@" + version
	}
	prog, err := p.engine.Program(r.Context(), ref)
	if err != nil {
		return err
	}
	page := programPage{Program: prog}
	if page.Versions, err = p.engine.ProgramVersions(r.Context(), prog.Name); err != nil {
		return err
	}
	found := p.engine.Check(r.Context(), prog.Name+".ptc", prog.Source)
	page.Effects, page.Diagnostics = found.Effects, found.Diagnostics
	return p.show(w, r, http.StatusOK, layout{Title: prog.Ref(), Page: "program", Body: page})
}
