// This file defines the parts of ptc remote that show and stop runs: list, show, result, pending, cancel and resume.

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/ptc-lang/ptc/client"
	"github.com/ptc-lang/ptc/cmd/internal/flags"
	"github.com/ptc-lang/ptc/cmd/ptc/internal/ask"
	"github.com/ptc-lang/ptc/store"
)

// remoteListCommand declares ptc remote list.
func remoteListCommand() command {
	return remotePart(command{
		name:    "remote list",
		summary: "list runs, the newest first",
		usage:   []string{"[flags]"},
		about: `Lists runs of your tenant, or of all tenants for an operator. The states are queued,
running, waiting, parked, in-doubt, succeeded, failed, cancelled and poisoned.`,
		examples: []string{"ptc remote list --state failed,poisoned --since 24h",
			"ptc remote list --label ticket=OPS-17 --json"},
		declare: func(v *settings) []flags.Spec {
			r := &v.remote
			return []flags.Spec{
				{Name: "state", Value: "STATE", Text: "only runs in a state; several with commas", Repeats: true,
					To: flags.Func(func(text string) error {
						r.states = append(r.states, strings.Split(text, ",")...)
						return nil
					})},
				{Name: "program", Value: "NAME", Text: "only runs of a program, as NAME or NAME@VERSION",
					To: flags.Word(&r.program)},
				labelFlag(r, "only runs with a label"),
				{Name: "tenant", Value: "NAME", Text: "only runs of a tenant", To: flags.Word(&r.tenant)},
				{Name: "since", Value: "TIME", Text: "only runs that were submitted within a time such as 24h",
					To: flags.Duration(&r.since, maxSince)},
				{Name: "limit", Value: "N", Initial: "20", Text: "maximum number of runs", To: flags.Count(&r.most, maxListed)},
				{Name: "oldest", Text: "list the oldest first", To: flags.Toggle(&r.oldest)},
				jsonFlag(r),
			}
		},
		instead: "ptc remote show %s shows a run",
	}, (*remote).list)
}

// The bounds of ptc remote list: nobody keeps runs longer, or reads more lines.
const (
	maxSince  = 100 * 365 * 24 * time.Hour
	maxListed = 10_000_000
)

// jsonFlag returns the flag for lines of JSON.
func jsonFlag(v *remoteSettings) flags.Spec {
	return flags.Spec{Name: "json", Text: "write each run as a line of JSON, as the API has it", To: flags.Toggle(&v.json)}
}

func (r *remote) list(ctx context.Context) int {
	v := &r.remote
	q := store.Query{Program: v.program, Labels: v.labels, Tenant: v.tenant, Oldest: v.oldest,
		Limit: min(v.most, store.MaxLimit)}
	for _, s := range v.states {
		q.States = append(q.States, store.State(s))
	}
	if v.since > 0 {
		q.Since = time.Now().Add(-v.since)
	}
	heading := []string{"RUN", "STATE", "SUBMITTED", "PROGRAM", "BY", "ABOUT"}
	return r.table(heading, func(row func(store.Run, ...string)) error {
		n := 0
		for run, err := range r.service.List(ctx, q) {
			if err != nil {
				return err
			}
			row(run, run.ID, stateOf(&run), timeText(run.Created), programOf(&run), run.By, aboutRun(&run))
			if n++; n == v.most {
				break
			}
		}
		return nil
	})
}

// table writes rows, or the runs of the rows as lines of JSON.
func (r *remote) table(heading []string, rows func(row func(store.Run, ...string)) error) int {
	out := tabwriter.NewWriter(r.out, 0, 0, 2, ' ', 0)
	enc := json.NewEncoder(r.out)
	enc.SetEscapeHTML(false)
	begin := sync.OnceFunc(func() { fmt.Fprintln(out, strings.Join(heading, "\t")) })
	err := rows(func(run store.Run, cells ...string) {
		if r.remote.json {
			enc.Encode(run) // r.out keeps its error
			return
		}
		begin()
		for i := range cells {
			cells[i] = ask.Cell(cells[i], ask.ShownArgs)
		}
		fmt.Fprintln(out, strings.Join(cells, "\t"))
	})
	if err == nil && !r.remote.json {
		begin()
	}
	out.Flush()
	if err != nil {
		return failRemote(r.streams, err)
	}
	return exitOK
}

// timeText returns a time of the service for a person; "" for none.
func timeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format("2006-01-02 15:04:05")
}

// programOf returns the program of a run in a word.
func programOf(run *store.Run) string {
	if run.Program != "" {
		return run.Program
	}
	return run.Name
}

// aboutRun returns the error of a run or the reason of its state, in one line.
func aboutRun(run *store.Run) string {
	if e, err := client.Failure(*run); err == nil && e != nil {
		return string(e.Code) + ": " + e.Message
	}
	return run.Reason
}

// remoteShowCommand declares ptc remote show.
func remoteShowCommand() command {
	return remotePart(command{
		name:      "remote show",
		summary:   "show the state of a run, and what it waits for",
		usage:     []string{"[flags] RUN"},
		about:     "Shows a run: its state, its times, its labels, and what it waits for.",
		examples:  []string{"ptc remote show 01k9xv0y6ndd7t0f3c2m8h5a4e"},
		declare:   func(v *settings) []flags.Spec { return []flags.Spec{jsonFlag(&v.remote)} },
		arguments: nameArguments,
	}, func(r *remote, ctx context.Context) int {
		return r.withRun(ctx, func(run store.Run) int {
			if r.remote.json {
				return r.table(nil, func(row func(store.Run, ...string)) error {
					row(run)
					return nil
				})
			}
			showRun(r.out, &run)
			return exitOK
		})
	})
}

// withRun calls a function with the run of the argument.
func (r *remote) withRun(ctx context.Context, show func(store.Run) int) int {
	id, err := r.one()
	if err != nil {
		return failInput(r.streams, err)
	}
	run, err := r.service.Get(ctx, id)
	if err != nil {
		return failRemote(r.streams, err)
	}
	return show(run)
}

// showRun writes the known facts about a run, one per line.
func showRun(w io.Writer, run *store.Run) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	var labels []string
	for name, value := range run.Labels {
		labels = append(labels, name+"="+value)
	}
	slices.Sort(labels)
	crashes := ""
	if run.Crashes > 0 {
		crashes = fmt.Sprint(run.Crashes)
	}
	for _, line := range [][2]string{{"run", run.ID}, {"state", stateOf(run)}, {"reason", run.Reason},
		{"program", programOf(run)}, {"labels", strings.Join(labels, " ")}, {"tenant", run.Tenant}, {"by", run.By},
		{"priority", run.Priority.String()}, {"submitted", timeText(run.Created)}, {"started", timeText(run.Started)},
		{"ended", timeText(run.Ended)}, {"continues at", timeText(run.Wake)}, {"attempts", fmt.Sprint(run.Attempts)},
		{"crashes", crashes}, {"error", aboutError(run)}} {
		if line[1] != "" {
			fmt.Fprintf(table, "%s\t%s\n", line[0], ask.Cell(line[1], 10*ask.ShownArgs))
		}
	}
	table.Flush()
	if len(run.Pending) > 0 {
		fmt.Fprintln(w)
		ask.Table(w, run.Pending)
	}
}

// stateOf returns the state of a run, with a mark if the answering node may not know the latest state.
func stateOf(run *store.Run) string {
	if run.Stale {
		return string(run.State) + " (stale)"
	}
	return string(run.State)
}

// aboutError returns the error of a run in one line; "" if it has none.
func aboutError(run *store.Run) string {
	if len(run.Error) == 0 {
		return ""
	}
	return aboutRun(run)
}

// remoteResultCommand declares ptc remote result.
func remoteResultCommand() command {
	return remotePart(command{
		name:    "remote result",
		summary: "show the value or the error of a run that has ended",
		usage:   []string{"[flags] RUN"},
		about: `Shows the value or the error of a run as ptc run does, without what it has printed. The exit
code is that of ptc run. ptc remote follow waits for the end of the run.`,
		examples:  []string{"ptc remote result 01k9xv0y6ndd7t0f3c2m8h5a4e --output json"},
		declare:   outcomeFlags,
		arguments: nameArguments,
	}, func(r *remote, ctx context.Context) int {
		return r.withRun(ctx, func(run store.Run) int {
			if !run.State.Final() && !run.Rests() {
				report(r.err, fmt.Errorf("run %s is %s, and has no result yet; ptc remote follow %[1]s waits for it",
					run.ID, run.State))
				return exitService
			}
			return r.outcome(run, &remotePrinter{printer: printer{output: r.out, failed: func() {}}, r: r})
		})
	})
}

// remotePendingCommand declares ptc remote pending.
func remotePendingCommand() command {
	return remotePart(command{
		name:    "remote pending",
		summary: "list what the runs wait for: approvals, answers and outcomes",
		usage:   []string{"[flags]"},
		about:   "Lists the calls, questions and writes of all runs that wait for somebody, the oldest run first.",
		examples: []string{"ptc remote pending",
			"ptc remote pending --json"},
		declare: func(v *settings) []flags.Spec { return []flags.Spec{jsonFlag(&v.remote)} },
		instead: "ptc remote show %s shows what one run waits for",
	}, func(r *remote, ctx context.Context) int {
		return r.table([]string{"RUN", "ID", "WAITS FOR", "EFFECT", "PLACE"}, func(row func(store.Run, ...string)) error {
			for run, err := range r.service.Pending(ctx, "") {
				if err != nil {
					return err
				}
				if r.remote.json {
					row(run)
					continue
				}
				for i := range run.Pending {
					p := &run.Pending[i]
					row(run, run.ID, p.ID, string(p.Kind), ask.Shortly(p), ask.Place(p.Place))
				}
			}
			return nil
		})
	})
}

// remoteCancelCommand declares ptc remote cancel.
func remoteCancelCommand() command {
	return remotePart(command{
		name:    "remote cancel",
		summary: "cancel runs",
		usage:   []string{"[flags] RUN…"},
		about: `Cancels runs, and waits until they have ended. A call that is under way is told to stop. A run
that has ended before is not changed.`,
		examples:  []string{"ptc remote cancel 01k9xv0y6ndd7t0f3c2m8h5a4e"},
		arguments: nameArguments,
	}, func(r *remote, ctx context.Context) int { return r.each(ctx, r.service.Cancel) })
}

// remoteResumeCommand declares ptc remote resume.
func remoteResumeCommand() command {
	return remotePart(command{
		name:    "remote resume",
		summary: "resume parked runs before their time",
		usage:   []string{"[flags] RUN…"},
		about: `Continues parked runs before their time, and without the outcomes that they wait for: a run that
still waits for somebody is parked again.`,
		examples:  []string{"ptc remote resume 01k9xv0y6ndd7t0f3c2m8h5a4e"},
		arguments: nameArguments,
	}, func(r *remote, ctx context.Context) int { return r.each(ctx, r.service.Resume) })
}

// each does something with each run of the arguments, and writes the states.
func (r *remote) each(ctx context.Context, do func(context.Context, string) (store.Run, error)) (code int) {
	if len(r.rest) == 0 {
		return failUsage(r.streams, "%s takes the ids of runs; see ptc help %[1]s", r.command.name)
	}
	for _, id := range r.rest {
		err := checkID(id)
		var run store.Run
		if err == nil {
			run, err = do(ctx, id)
		}
		if err != nil {
			code = failRemote(r.streams, err)
			continue
		}
		fmt.Fprintf(r.out, "%s %s\n", id, ask.Cell(string(run.State), ask.ShownArgs))
	}
	return code
}
