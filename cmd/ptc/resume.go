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

const resumeAbout = `usage: ptc resume [flags] JOURNAL

Continues an interrupted run. Effects whose outcome is in the journal are not done
again; the others are done. A write that was begun and has no outcome stops the run:
find out whether it happened, and settle it with --settle.

If the journal was written with your key, the grants of the run hold again, and
ptc.yaml beside the script is read again if the run had read it. Otherwise pass the
grants as flags; ptc.yaml is not read. The bounds are those of the journal, up to the
defaults; flags can set wider ones. A run that was ended by its limit of steps or
calls needs a higher limit. The time limit starts again.

examples:
  ptc resume deploy.journal
  ptc resume deploy.journal --timeout 10m
  ptc resume from-elsewhere.journal --allow-ssh 'web-*'
  ptc resume deploy.journal --settle '0.1.7#2=done:{"exit":0}' --settle '0.1.9#2=retry'
`

func resumeCommand(ctx context.Context, args []string, s streams) int {
	f := runFlags{}
	fs := newFlags("resume", resumeAbout)
	output := f.outputFlag(fs)
	fs.BoolVar(&f.stats, "stats", false, "print the resources that the run used to standard error")
	limitFlags(fs, &f.limits)
	grantFlags(fs, &f.grants)
	noConfigFlag(fs, &f.noConfig)
	fs.Var(fileName{&f.policyFile}, "policy",
		"FILE policies of the operator for tool calls, YAML or JSON; by default those of the run")
	f.keyFlag(fs)
	settled := make(map[string]journal.Settlement)
	fs.Func("settle", "ID=OUTCOME settle a write in doubt: retry, done, done:RESULT or failed:ERROR (JSON); may be "+
		"repeated", func(v string) error {
		id, settlement, err := journal.ParseSettlement(v)
		settled[id] = settlement
		return err
	})
	rest, code, ok := parse(fs, args, s)
	if !ok {
		return code
	}
	name, err := journalName(fs, rest)
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
		if r, data, err = f.again(rec, *output, fs, s); err == nil {
			err = endsAgain(rec.Stopped, f.limits)
		}
		if err == nil {
			err = f.accept(rec, &r, key, name, s)
		}
		return inFile(name, err)
	}
	j, rec, err := journal.Resume(name, settled, journal.Options{Key: key, Accept: accept})
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
func (f *runFlags) grantAgain(ctx context.Context, r recorded, s streams) (opened *grant.Set, err error) {
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
