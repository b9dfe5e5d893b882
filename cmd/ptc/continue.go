// This file defines how ptc run and ptc resume end when their run can be continued.

package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/cmd/internal/flags"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// tellContinuation writes the command that continues a run, if its error has interrupted it and it has a journal.
func (f *execution) tellContinuation(w io.Writer, err error) {
	if command := f.continuation(err); command != "" {
		fmt.Fprintf(w, "ptc: the run can be continued: %s\n", command)
	}
}

// continuation returns the command; "" if there is none.
func (f *execution) continuation(err error) string {
	var e *ptc.Error
	if f.journalFile == "" || !errors.As(err, &e) {
		return ""
	}
	again := settings{limits: f.limits}
	switch e.Code {
	case diag.Cancelled, diag.Timeout, diag.Parked, diag.InDoubt:
	case diag.StepsExceeded:
		again.limits.Steps = min(2*again.limits.Steps, limits.Most().Steps)
	case diag.CallsExceeded:
		again.limits.Calls = min(2*again.limits.Calls, limits.Most().Calls)
	default:
		return ""
	}
	words := append([]string{"ptc resume"}, f.grantsAgain()...)
	standard := settings{limits: f.limits.Within(limits.Default())} // the settings that ptc resume takes from the journal
	usual := flags.Limits(&standard.limits)
	for i, l := range flags.Limits(&again.limits) {
		if text := l.To.String(); text != usual[i].To.String() {
			words = append(words, flagFor(l.Name, text))
		}
	}
	if f.keyFile != "" {
		words = append(words, flagFor("journal-key", f.keyFile))
	}
	words = append(words, settlementsFor(pendingOf(err))...)
	journal := f.journalFile
	if strings.HasPrefix(journal, "-") { // which would be a flag
		journal = "./" + journal
	}
	return strings.Join(append(words, shellWord(journal)), " ")
}

// grantsAgain returns the flags for the grants that the journal can't vouch for.
func (f *execution) grantsAgain() (words []string) {
	if !f.foreign {
		return nil
	}
	for _, g := range f.grants.Given() {
		words = append(words, flagFor("allow-"+g.Key, g.Value))
	}
	if f.policyFile != "" {
		words = append(words, flagFor("policy", f.policyFile))
	}
	if f.stateFile != "" {
		words = append(words, flagFor("policy-state", f.stateFile))
	}
	return words
}
