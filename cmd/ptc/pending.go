// This file defines the end of a run that waits for settlements, and the output of a dry run.

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/cmd/ptc/internal/ask"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// pendingOf returns the effects that a parked run waits for.
func pendingOf(err error) []effect.Pending {
	if parked := (*ptc.Parked)(nil); errors.As(err, &parked) {
		return parked.Pending
	}
	return nil
}

// hintParked sets the hint of the error of a parked run to that of this command.
func (f *execution) hintParked(err error) {
	var e *ptc.Error
	if len(pendingOf(err)) == 0 || !errors.As(err, &e) {
		return
	}
	switch {
	case f.journalFile == "":
		e.Hint = withJournal
	case e.Code == diag.InDoubt:
		e.Hint = hintDoubt
	default:
		e.Hint = hintSettle(pendingOf(err))
	}
}

// hintDoubt is the hint for writes in doubt.
const hintDoubt = "find out which of the writes happened; OUTCOME is done, done:RESULT or failed:ERROR (JSON) for " +
	"one that did, and retry for one that did not"

// hintSettle returns the hint for the pending effects of a run, none of them in doubt. It complements the
// flags of settlementsFor.
func hintSettle(all []effect.Pending) string {
	var hints []string
	for _, h := range []struct {
		kind effect.PendingKind
		hint string
	}{
		{effect.PendingApproval, "--refuse ID=REASON refuses a call"},
		{effect.PendingQuestion, "VALUE is JSON"},
		{effect.PendingOutcome, "OUTCOME is done, done:RESULT or failed:ERROR (JSON)"},
	} {
		if slices.ContainsFunc(all, func(p effect.Pending) bool { return p.Kind == h.kind }) {
			hints = append(hints, h.hint)
		}
	}
	return strings.Join(hints, "; ")
}

// tellPending writes the table of the effects that a parked run waits for.
func (f *execution) tellPending(w io.Writer, err error) {
	if all := pendingOf(err); len(all) > 0 {
		ask.Table(w, all)
	}
}

// maxNamed is the number of effects that a command names one by one.
const maxNamed = 5

// settlementsFor returns the flags of ptc resume that settle effects: calls are approved, and the person who types
// the command replaces VALUE and OUTCOME.
func settlementsFor(all []effect.Pending) (words []string) {
	var approve []string
	given := map[string]bool{}
	add := func(flag, value string) {
		if !given[value] {
			given[value] = true
			words = append(words, flagFor(flag, value))
		}
	}
	for i := range all {
		switch p := &all[i]; {
		case p.Kind == effect.PendingApproval:
			approve = append(approve, p.ID)
		case p.Kind == effect.PendingQuestion:
			add("answer", p.ID+"=VALUE")
		case len(all) > maxNamed:
			add("settle", p.Tool+"=OUTCOME")
		default:
			add("settle", p.ID+"=OUTCOME")
		}
	}
	switch {
	case len(approve) > maxNamed:
		add("approve", allWord)
	case len(approve) > 0:
		add("approve", strings.Join(approve, ","))
	}
	return words
}

// checkDryRun refuses flags that do not go together.
func (f *execution) checkDryRun() error {
	switch {
	case f.dryRun && f.journalFile != "":
		return errors.New("--dry-run and --journal exclude each other: a dry run has effects that did not happen")
	case f.planOut != "" && !f.dryRun:
		return errors.New("--plan-out needs --dry-run")
	}
	return nil
}

// plan returns the plan of a dry run; nil for any other.
func (f *execution) plan() *ptc.Plan {
	if f.dryRun {
		return &ptc.Plan{}
	}
	return nil
}

// tellPlan writes the calls that a dry run has not made.
func (f *execution) tellPlan(plan *ptc.Plan, s streams) error {
	if plan == nil {
		return nil
	}
	calls := plan.Calls()
	if f.planOut != "" {
		if calls == nil {
			calls = []ptc.PlannedCall{}
		}
		err := writeFile(f.planOut, s, func(w io.Writer) error {
			enc := json.NewEncoder(w)
			enc.SetEscapeHTML(false)
			enc.SetIndent("", "  ")
			return enc.Encode(calls)
		})
		if err != nil {
			return fmt.Errorf("--plan-out: %w", err)
		}
	}
	fmt.Fprintf(s.err, "dry run: %s not made\n", diag.Counted(len(calls), "call"))
	if len(calls) == 0 {
		return nil
	}
	table := tabwriter.NewWriter(s.err, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tCALL\tHOST\tPLACE")
	for _, c := range calls {
		fmt.Fprintf(table, "%s\ttool/%s %s\t%s\t%s\n", c.ID, c.Tool, ask.Cell(string(c.Args), ask.ShownArgs),
			ask.Cell(c.Host, ask.ShownArgs), ask.Place(c.Place))
	}
	return table.Flush()
}
