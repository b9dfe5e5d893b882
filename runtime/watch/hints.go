// This file finds declarations that do not fit the observed calls.

package watch

import (
	"bytes"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// enoughTaken is how often a guard must have been taken before it counts as one that nobody waits for. With less,
// a guard that is needed may well be free each time.
const enoughTaken = 20

// Hints returns probable mistakes in the declarations of tools, or in the program, one sentence each:
//
//   - A tool is declared fully parallel, and calls of it failed because something was locked or busy, while other calls
//     of it were under way.
//   - A guard was taken at least 20 times, by different evaluations, and none of them ever waited for it. parallel
//     reports whether the run had several concurrent workers; without that, no guard is ever waited for.
func (w *Run) Hints(parallel bool) (all []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.busy) == 0 && len(w.guards) == 0 {
		return nil
	}
	for _, tool := range slices.Sorted(maps.Keys(w.busy)) {
		all = append(all, fmt.Sprintf("tool/%s is declared fully parallel, and %s found something locked or busy while "+
			"others were under way: it may need a guard", tool, diag.Counted(w.busy[tool], "call")))
	}
	if !parallel {
		return all
	}
	var idle []string
	for _, u := range w.guards {
		if u.Kind == effect.WaitToken || u.Taken < enoughTaken || !u.several || u.Waits > 0 {
			continue
		}
		what := "the global guard"
		if u.Kind == effect.WaitHost {
			what = "host " + effect.QuoteGuard(w.clean(u.Key))
		}
		idle = append(idle, fmt.Sprintf("%s was taken %s, and nothing ever waited for it: it may not be needed",
			what, diag.Counted(int(u.Taken), "time")))
	}
	slices.Sort(idle)
	return append(all, idle[:min(len(idle), maxHints)]...)
}

// maxHints bounds the hints about guards.
const maxHints = 5

// Busy counts that a call of a fully parallel tool found something locked: Locked has returned true for its outcome.
func (w *Run) Busy(tool string) {
	if w.countBusy(tool) {
		w.tell("a fully parallel tool found something locked or busy", slog.String("tool", tool))
	}
}

// countBusy reports whether calls of the tool were under way concurrently. Otherwise something outside of
// the run has the lock, and no guard of the tool can help.
func (w *Run) countBusy(tool string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if u := w.queues[tool]; u == nil || u.AtOnce < 2 {
		return false
	}
	if w.busy == nil {
		w.busy = make(map[string]int)
	}
	w.busy[tool]++
	return true
}

// lockedWords are parts of the messages of systems about something that another process holds, in small letters.
var lockedWords = []string{"could not get lock", "unable to acquire", "unable to lock", "database is locked",
	"table is locked", "file is locked", "failed to lock",
	"lock is held", "waiting for lock", "resource busy", "text file busy", "held by process", "another process"}

// Locked reports whether a call has failed because something was locked, or has returned the status and the output of a
// program that did.
func Locked(o effect.Outcome) bool {
	if f := o.Failure; f != nil {
		return f.Code == "busy" || f.Code == "locked" || mentionsLock(f.Message)
	}
	const exit = `{"exit":`
	if !bytes.HasPrefix(o.Result, []byte(exit)) || bytes.HasPrefix(o.Result[len(exit):], []byte("0,")) {
		return false
	}
	return mentionsLock(string(o.Result[max(0, len(o.Result)-maxLooked):]))
}

// maxLooked bounds the output of a program that is searched: the error is at its end.
const maxLooked = 4 << 10

func mentionsLock(text string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(lockedWords, func(word string) bool { return strings.Contains(text, word) })
}
