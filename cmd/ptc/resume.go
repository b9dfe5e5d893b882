// This file defines ptc resume.

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/tools/grant"
)

const resumeAbout = `Continues an interrupted run. Effects whose outcome is in the journal are not done
again; the others are done. A write that was begun and has no outcome stops the run:
find out whether it happened, and settle it with --settle.

If the journal was written with your key, the grants of the run hold again, and
ptc.yaml beside the script is read again if the run had read it. Otherwise pass the
grants as flags; ptc.yaml is not read. The limits are those of the journal, up to the
defaults; flags can set higher ones. A run that was ended by its limit of steps or
calls needs a higher limit. The time limit starts again.`

// resumeFlags returns the flags of ptc resume.
func resumeFlags() []flagSpec {
	policy := policyFlag()
	policy.text += "; by default those of the run"
	return slices.Concat(limitFlags(), grantFlags(), []flagSpec{
		outputFlag(), statsFlag(), noConfigFlag(), policy, keyFlag(),
		{name: "settle", value: "ID=OUTCOME", repeats: true,
			text:   "settle a write in doubt: retry, done, done:RESULT or failed:ERROR (JSON)",
			target: func(v *settings) flagValue { return setter(v.settle) }},
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
			"ptc resume from-elsewhere.journal --allow-ssh 'web-*'",
			`ptc resume deploy.journal --settle '0.1.7#2=done:{"exit":0}' --settle '0.1.9#2=retry'`,
		},
		declare:   resumeFlags,
		arguments: fileArguments,
		run:       resumeJournal,
	}
}

// settle enters the settlement of a write, ID=OUTCOME.
func (v *settings) settle(text string) error {
	id, settlement, err := journal.ParseSettlement(text)
	if err != nil {
		return err
	}
	if v.settled == nil {
		v.settled = make(map[string]journal.Settlement)
	}
	v.settled[id] = settlement
	return nil
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

// grantAgain grants what a recorded run was granted.
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
	f.tools, opened, err = grantedTools(ctx, r.Script, &f.grants, f.noConfig, s)
	return opened, err
}

// endsAgain returns an error if a run that a bound has stopped would be stopped by it again: what
// is counted is so from the beginning, and all of the work would be done for nothing. Time begins
// anew, and what was done is not done again, so a run that was out of time may get on.
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
