// This file defines the page of one run.

package pages

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"html/template"
	"net/http"
	"strings"
	"time"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/journal/trace"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/store"
)

// runPage is the data of the page of a run.
type runPage struct {
	store.Run
	Bad     int           // the line of the error, or 0
	Bounds  []bound       // the usage of the run
	Section template.HTML // its effects, written by package trace
	Large   bool          // the journal is too large for the page
	Changes bool          // the reader may change the run
	Waits   pendingPage   // the effects that wait until somebody settles them
	Held    []serve.Wait  // its waits for guards, queues and tokens
	Others  int           // how many more of them there are
}

// bound is a limit and its usage.
type bound struct {
	Name       string
	Used, Most string
	Percent    float64
}

// seen returns a run that the reader may see. One of another tenant is not found.
func (p *Pages) seen(r *http.Request) (store.Run, error) {
	id := r.PathValue("id")
	run, err := p.engine.Get(r.Context(), id)
	if err == nil && !access.From(r.Context()).Sees(run.Tenant) {
		err = store.ErrNotFound.With("there is no run %.100q", id)
	}
	return run, err
}

// maxHeld bounds the waits that the page of a run lists.
const maxHeld = 20

func (p *Pages) run(w http.ResponseWriter, r *http.Request) error {
	run, err := p.seen(r)
	if err != nil {
		return err
	}
	who := access.From(r.Context())
	page := runPage{Run: run, Bad: lineOf(&run), Bounds: boundsOf(&run),
		Changes: who.Changes(run.Tenant), Waits: pendingPage{Asked: p.askedOf(run, who), Back: "/runs/" + run.ID}}
	page.Held = p.engine.Waits(r.Context(), run.ID)
	if err := p.draw(r.Context(), &page); err != nil {
		return err
	}
	if n := len(page.Held); n > maxHeld {
		page.Held, page.Others = page.Held[:maxHeld], n-maxHeld
	}
	l := layout{Title: titleOf(run), Page: "run", Body: page}
	if !run.State.Final() {
		l.Live = "/v1/runs/" + run.ID + "/events"
	}
	return p.show(w, r, http.StatusOK, l)
}

// draw draws the journal of a run. There is nothing to draw before the run has begun. The prints of an
// active run are only in its journal. Without a majority of the nodes of a cluster the journal can't be
// read.
func (p *Pages) draw(ctx context.Context, page *runPage) error {
	if page.Stale {
		return nil
	}
	m := trace.Moment{Live: page.State == store.Running || page.State == store.Waiting}
	switch {
	case m.Live:
		m.Until, m.Waits = time.Now(), waiting(page.Held)
	case page.State == store.Failed: // a call may have lasted to the end: of the time, for example
		m.Until = page.Ended
	}
	err := p.engine.Draw(ctx, page.ID, func(rec *journal.Recording) error {
		if !page.State.Final() {
			page.Prints = printed(rec)
		}
		var b bytes.Buffer
		err := trace.Section(&b, rec, m)
		page.Section = template.HTML(b.String()) // package trace escapes
		return err
	})
	page.Large = errors.Is(err, serve.ErrLarge)
	if page.Large || errors.Is(err, serve.ErrNoJournal) || errors.As(err, new(*journal.Damage)) {
		return nil // it has not begun, or was damaged: the page shows the rest of the run
	}
	return err
}

// waiting returns waits for a drawing. A wait without a tool is that of a body of the program that takes guards.
func waiting(all []serve.Wait) (drawn []trace.Waiting) {
	for _, w := range all {
		e := effect.Effect{ID: w.Name, Kind: effect.KindCall, Name: w.Tool, Worker: w.Worker}
		if w.Tool == "" {
			e.Kind = effect.KindGuard
		}
		drawn = append(drawn, trace.Waiting{Effect: e, Node: w.Node,
			Wait: effect.Wait{Kind: w.Kind, Key: w.Key, Start: w.Since}})
	}
	return drawn
}

// printed returns the prints that a journal has, in the order in which they were made.
func printed(rec *journal.Recording) string {
	var b strings.Builder
	for i := range rec.Entries {
		var text string
		if e := &rec.Entries[i]; e.Kind == effect.KindPrint && json.Unmarshal(e.Args, &text) == nil {
			b.WriteString(text)
		}
	}
	return b.String()
}

// lineOf returns the line of the program in which the error of a run is, or 0.
func lineOf(run *store.Run) int {
	if len(run.Error) == 0 {
		return 0
	}
	e, err := diag.Decode(run.Error, map[string]string{run.Name: run.Source})
	if err != nil || e == nil || e.Span.IsZero() || e.Span.File.Name != run.Name {
		return 0
	}
	line, _ := e.Span.File.LineCol(e.Span.Start)
	return line
}

// boundsOf returns the usage of the limits of a run; nothing before it has begun.
func boundsOf(run *store.Run) []bound {
	var u ptc.Usage
	if len(run.Usage) == 0 || json.Unmarshal(run.Usage, &u) != nil {
		return nil
	}
	l := run.Limits.OrDefault()
	all := []bound{
		newBound("time", u.Duration, l.Timeout, diag.Rounded, diag.Duration),
		newBound("steps", u.Steps, l.Steps, number[int64], number[int64]),
		newBound("memory", u.Memory, l.Memory, sized[int64], sized[int64]),
		newBound("tool calls", u.Calls, int64(l.Calls), number[int64], number[int64]),
		newBound("printed", u.Printed, l.OutputBytes, sized[int], sized[int]),
	}
	if u.Parallel.Peak > 0 {
		all = append(all, newBound("workers", u.Parallel.Peak, l.Workers, number[int], number[int]))
	}
	return all
}

func newBound[T int | int64 | time.Duration](name string, used, most T, show, showMost func(T) string) bound {
	b := bound{Name: name, Used: show(used), Most: showMost(most)}
	if most > 0 {
		b.Percent = min(100*float64(used)/float64(most), 100)
	}
	return b
}

// cancelWait is the time in which a run should have ended that is cancelled.
const cancelWait = 10 * time.Second

func (p *Pages) cancel(w http.ResponseWriter, r *http.Request) error {
	return p.change(w, r, func(ctx context.Context, who access.Who) error {
		_, err := p.engine.Cancel(ctx, r.PathValue("id"), who)
		if errors.Is(err, store.ErrEnded) { // the page shows how
			err = nil
		}
		return err
	})
}

func (p *Pages) resume(w http.ResponseWriter, r *http.Request) error {
	return p.change(w, r, func(ctx context.Context, who access.Who) error {
		_, err := p.engine.Resume(ctx, r.PathValue("id"), who)
		return err
	})
}

// change does something to a run that the reader may change, and shows the run.
func (p *Pages) change(w http.ResponseWriter, r *http.Request, do func(context.Context, access.Who) error) error {
	run, err := p.seen(r)
	if err != nil {
		return err
	}
	who := access.From(r.Context())
	if !who.Changes(run.Tenant) {
		return errForbidden
	}
	ctx, stop := context.WithTimeout(r.Context(), cancelWait)
	defer stop()
	if err := do(ctx, who); err != nil {
		return err
	}
	http.Redirect(w, r, "/runs/"+run.ID, http.StatusSeeOther)
	return nil
}
