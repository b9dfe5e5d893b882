// This file defines ptc resume.

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/cmd/internal/flags"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/tools/grant"
)

const resumeAbout = `Continues an interrupted run. Effects whose outcome is in the journal are not
repeated. On a terminal, ptc asks about calls that wait for an approval, questions,
and writes that were begun and have no outcome. Without a terminal it lists all of
them, and the run ends with exit code 6 if nothing settles them. Settlements are
kept, so each resumption may add some.

If the journal was written with your key, the grants of the run apply again, and
ptc.yaml beside the script is read again if the run had read it. Otherwise pass the
grants as flags; ptc.yaml is not read. The limits are those of the journal, up to the
defaults; flags can set higher ones. A run that was ended by its limit of steps or
calls needs a higher limit. The time limit starts again.`

// resumeFlags returns the flags of ptc resume.
func resumeFlags(v *settings) []flags.Spec {
	policy := flags.Policy(&v.policyFile)
	policy.Text += "; by default those of the run"
	state := flags.PolicyState(&v.stateFile)
	state.Text += "; by default that of the run"
	return slices.Concat(flags.Limits(&v.limits), flags.Queues(&v.queueBounds), settleFlags(v),
		flags.Grants(&v.grants), logFlags(v), []flags.Spec{
			outputFlag(v), statsFlag(v), noConfigFlag(v), policy, state, keyFlag(v),
		})
}

// resumeCommand declares ptc resume.
func resumeCommand() command {
	return command{
		name:    "resume",
		summary: "continue an interrupted run",
		usage:   []string{"[flags] JOURNAL"},
		about:   resumeAbout,
		examples: []string{
			"ptc resume deploy.journal",
			"ptc resume deploy.journal --timeout 10m",
			`ptc resume deploy.journal --approve all --refuse '0.1.7#1=not on a Friday'`,
			`ptc resume deploy.journal --answer '0#1="yes"'`,
			"ptc resume from-elsewhere.journal --allow-ssh 'web-*'",
			`ptc resume deploy.journal --settle '0.1.7#2=done:{"exit":0}' --settle '0.1.9#2=retry'`,
		},
		declare:   resumeFlags,
		arguments: fileArguments,
		run:       resumeJournal,
	}
}

func resumeJournal(ctx context.Context, in *invocation, s streams) int {
	f := execution{invocation: in}
	name, err := in.journalName()
	if err != nil {
		return failInput(s, err)
	}
	key, err := f.resumeKey()
	if err != nil {
		return failInput(s, err)
	}
	if err := f.settleFrom(ctx, name, key, s); err != nil {
		return failInput(s, err)
	}
	var r recorded
	var data map[string]any
	accept := func(rec *journal.Recording) (err error) {
		if r, data, err = f.again(rec, s); err == nil {
			err = endsAgain(rec.Stopped, f.limits)
		}
		if err == nil {
			err = f.accept(rec, &r, key, name, s)
		}
		return inFile(name, err)
	}
	j, rec, err := journal.Resume(name, f.settled, journal.Options{Key: key, Accept: accept})
	if errors.Is(err, journal.ErrFinished) {
		return failUsage(s, "%s: the run has ended, there is nothing to resume; ptc replay shows its outcome", name)
	}
	if err != nil {
		return failInput(s, ofJournal(name, err))
	}
	defer j.Close()
	f.journalFile = name
	if err := f.readPolicies(ctx, s); err != nil {
		return failInput(s, err)
	}
	defer f.endPolicies(s)
	opened, err := f.grantAgain(ctx, r, s)
	if err != nil {
		return failInput(s, inFile(name, err))
	}
	defer opened.Close()
	f.journal = j
	return f.run(ctx, rec.Header.Program, rec.Header.Source, data, s)
}

// inFile adds the name of the file to an error; it returns nil for nil.
func inFile(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name, err)
}

// grantAgain applies the recorded grants of a run.
func (f *execution) grantAgain(ctx context.Context, r recorded, s streams) (opened *grant.Set, err error) {
	f.protect(r.Script)
	for _, g := range r.Grants {
		if slices.Contains(f.grants.Given(), g) {
			continue // the command line says so, too
		}
		if err := f.grants.Grant(g.Key, g.Value, g.Base); err != nil {
			return nil, err
		}
	}
	if f.tools, opened, err = grantedTools(ctx, r.Script, &f.grants, f.noConfig, s); err == nil {
		if f.approve, err = approvals(f.approve, opened, f.tools); err != nil {
			err = errors.Join(err, opened.Close())
		}
	}
	return opened, err
}

// endsAgain returns an error if the bound that has stopped a run would stop it again: counts start from the
// beginning, so all of the work would be in vain. Time starts anew and recorded effects are not repeated,
// so a run that was out of time may get further.
func endsAgain(how json.RawMessage, l ptc.Limits) error {
	var stop struct {
		Bound string `json:"bound"`
		Limit int64  `json:"limit"`
	}
	if how == nil || json.Unmarshal(how, &stop) != nil {
		return nil
	}
	now, counted := map[string]int64{"steps": l.Steps, "calls": int64(l.Calls)}[stop.Bound]
	if !counted || now > stop.Limit {
		return nil
	}
	return limitError{fmt.Sprintf("the run was ended by its limit, --%s %d, and would end there again; resume it with "+
		"a higher limit", stop.Bound, stop.Limit)}
}
