// This file writes the output of --stats.

package main

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// rounded returns a time that a person can take in.
func rounded(d time.Duration) time.Duration { return d.Round(10 * time.Microsecond) }

// short returns nanoseconds as a time that a person can take in.
func short(ns int64) time.Duration { return time.Duration(ns).Round(100 * time.Nanosecond) }

func stats(w io.Writer, u ptc.Usage) {
	fmt.Fprintf(w, "time %v, steps %d, memory %d KB, at most %d KB, marks %d, printed %s\n",
		rounded(u.Duration), u.Steps, u.Memory>>10, u.MemoryPeak>>10, u.Marks, diag.Counted(u.Printed, "byte"))
	if u.Quiet > 0 {
		fmt.Fprintf(w, "pending: waited %v for settlements, which is not in the time\n", rounded(u.Quiet))
	}
	if p := u.Parallel; p.Operations > 0 || p.Refused > 0 {
		fmt.Fprintf(w, "parallel: operations %d, elements %d, workers at most %d, blocked at most %d, queued at most %d, "+
			"goroutines started %d, chunks stolen %d, inline %d, refused %d\n",
			p.Operations, p.Elements, p.Peak, p.Blocked, p.Queued, p.Spawned, p.Stolen, p.Inline, p.Refused)
		fmt.Fprintf(w, "memory of a worker: at most %d KB\n", u.WorkerMemoryPeak>>10)
		fmt.Fprintf(w, "scheduler: queue depth median %d, 99%% %d, at most %d, ", p.Depth.P50, p.Depth.P99, p.Depth.Max)
		fmt.Fprintf(w, "start of a worker median %v, 99%% %v, at most %v\n",
			short(p.Start.P50), short(p.Start.P99), short(p.Start.Max))
	}
	if u.Calls > 0 {
		fmt.Fprintf(w, "tools: calls %d, abandoned %d\n", u.Calls, u.Abandoned)
	}
	for _, t := range u.Tools {
		fmt.Fprintf(w, "tool/%s: calls %d, errors %d, refused %d, time %s, ", t.Name, t.Calls, t.Errors, t.Refused,
			rounded(t.Time))
		fmt.Fprintf(w, "queued %s, waited for hosts %s, for the global guard %s, for tokens %s\n",
			rounded(t.Queued), rounded(t.Host), rounded(t.Global), rounded(t.Token))
	}
	for _, g := range u.Guards {
		guardStats(w, g)
	}
	for _, q := range u.Queues {
		fmt.Fprintf(w, "queue of tool/%s: started %d, refused %d, at once %d, deepest %d, %s\n", q.Action, q.Started,
			q.Refused, q.AtOnce, q.Deepest, waitStats(q.Waits, q.Wait, q.Longest))
	}
	for _, hint := range u.Hints {
		fmt.Fprintln(w, "hint:", diag.Visible(hint))
	}
}

// guardStats writes a line about a guard. Programs invent the names of guards, so they are quoted.
func guardStats(w io.Writer, g ptc.GuardUsage) {
	fmt.Fprintf(w, "%s: taken %d, refused %d, %s", guardName(g), g.Taken, g.Refused, waitStats(g.Waits, g.Wait, g.Longest))
	switch {
	case g.Kind != effect.WaitToken:
		fmt.Fprintf(w, ", held %s", rounded(g.Held))
	case g.PerSecond > 0:
		fmt.Fprintf(w, ", %s/s, slowed %d", strconv.FormatFloat(g.PerSecond, 'g', -1, 64), g.Slowed)
	default:
		fmt.Fprintf(w, ", slowed %d", g.Slowed)
	}
	fmt.Fprintln(w)
}

func guardName(g ptc.GuardUsage) string {
	what := map[effect.WaitKind]string{effect.WaitGlobal: "the global guard", effect.WaitHost: "host",
		effect.WaitToken: "rate limit"}[g.Kind]
	switch {
	case g.Others > 0:
		return diag.Counted(g.Others, "other "+what)
	case g.Key == "":
		return what
	}
	return what + " " + effect.QuoteGuard(g.Key)
}

func waitStats(n int64, total, longest time.Duration) string {
	return fmt.Sprintf("waits %d, waited %s, longest %s", n, rounded(total), rounded(longest))
}
