// This file defines how ptc run writes a journal, and ptc replay and ptc trace, which read
// one.

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/cmd/internal/files"
	"github.com/ptc-lang/ptc/cmd/internal/flags"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/journal/trace"
	"github.com/ptc-lang/ptc/runtime/limits"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/tools/grant"
)

// recorded is the part of the command line that a journal keeps.
type recorded struct {
	Limits   ptc.Limits         `json:"limits"`
	OnFull   string             `json:"on_full,omitempty"` // "fail"; empty for the default
	Output   string             `json:"output"`
	Script   string             `json:"script"` // absolute, except -e and -
	Policy   string             `json:"policy,omitempty"`
	State    string             `json:"policy_state,omitempty"`
	NoConfig bool               `json:"no_config,omitempty"` // the file beside the script was left out
	Approve  effect.Approvals   `json:"approve,omitzero"`
	Grants   []grant.Given      `json:"grants,omitempty"`
	Tools    []tool.Description `json:"tools,omitempty"` // that the program could call
}

// create begins the journal of a run.
func (f *execution) create(name, source string, data map[string]any) (*journal.Journal, error) {
	input, err := json.Marshal(data)
	if err != nil {
		return nil, fmt.Errorf("the input can't be written to the journal: %w", err)
	}
	options, err := json.Marshal(f.recorded(name))
	if err != nil {
		return nil, err
	}
	key, err := f.makeKey()
	if err != nil {
		return nil, err
	}
	h := journal.Header{Program: name, Source: source, Data: input, Seed: f.seed, Options: options}
	j, err := journal.Create(f.journalFile, h, journal.Options{Key: key})
	if err != nil {
		return nil, existing(f.journalFile, err)
	}
	return j, nil
}

// existing is the error of creating a journal.
func existing(name string, err error) error {
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s exists; ptc resume continues an interrupted run, a new run needs a new file", name)
	}
	return files.Plain(err)
}

func (f *execution) recorded(name string) recorded {
	r := recorded{Limits: f.limits, Output: f.output, Script: name, Policy: files.Absolute(f.policyFile),
		State: files.Absolute(f.stateFile), Grants: f.grants.Given(), NoConfig: f.noConfig,
		Approve: f.approve}
	if f.onFull == flags.OnFullFail {
		r.OnFull = flags.OnFullFail
	}
	if name != "-e" && name != "-" {
		r.Script = files.Absolute(name)
	}
	for _, t := range f.tools.All() {
		r.Tools = append(r.Tools, t.Describe())
	}
	return r
}

// again sets the flags to those of a recorded run; for the limits see bounds.
func (f *execution) again(rec *journal.Recording, s streams) (r recorded, data map[string]any, err error) {
	if err := json.Unmarshal(rec.Header.Options, &r); err != nil {
		return r, nil, fmt.Errorf("the journal's options can't be read: %w", err)
	}
	data, err = f.apply(rec, r, s)
	return r, data, err
}

// apply sets the flags to those of a recorded run, and returns its data.
func (f *execution) apply(rec *journal.Recording, r recorded, s streams) (data map[string]any, err error) {
	raw := make(map[string]json.RawMessage)
	if err := json.Unmarshal(rec.Header.Data, &raw); len(rec.Header.Data) > 0 && err != nil {
		return nil, fmt.Errorf("the journal's input can't be read: %w", err)
	}
	data = make(map[string]any, len(raw))
	for name, v := range raw {
		data[name] = v
	}
	if f.limits, err = f.bounds(r.Limits, s); err != nil {
		return nil, err
	}
	f.onFull = r.OnFull
	f.approve = f.approve.And(r.Approve)
	if _, asked := f.given["output"]; !asked {
		f.output = r.Output
	}
	return data, nil
}

// bounds returns the bounds for the run of a journal: those of the command line, and otherwise those of the
// file, up to the defaults. A file made by another user must not take more than ptc run would.
func (in *invocation) bounds(asked ptc.Limits, s streams) (ptc.Limits, error) {
	recorded := asked.OrDefault()
	now := recorded.Within(limits.Default())
	if err := now.Validate(); err != nil {
		return now, fmt.Errorf("the journal's limits can't be used: %w", err)
	}
	var err error
	var narrowed []string
	before := flags.Limits(&recorded)
	for i, f := range flags.Limits(&now) {
		if text, ok := in.given[f.Name]; ok {
			err = errors.Join(err, f.Set(text))
		} else if text := before[i].To.String(); text != f.To.String() {
			narrowed = append(narrowed, flags.Dashed(f.Name)+" "+text)
		}
	}
	if len(narrowed) > 0 {
		fmt.Fprintf(s.err, "ptc: the journal asks for %s; the default holds unless you give the flag\n",
			strings.Join(narrowed, ", "))
	}
	return now, err
}

// journalName returns the journal of a command that takes one.
func (in *invocation) journalName() (string, error) {
	switch name := in.command.name; {
	case len(in.rest) != 1:
		return "", fmt.Errorf("%s takes one journal, got %d; see ptc help %s", name, len(in.rest), name)
	case in.rest[0] == "":
		return "", errors.New("the name of the journal is empty")
	}
	return in.rest[0], nil
}

const replayAbout = `Runs the program of a journal again with the recorded outcomes, without calling a
tool, reading the clock or waiting. The output has the same bytes as that of the
run. If an effect differs from the recorded one, the error shows both. The limits
are those of the journal, up to the defaults; flags can set higher ones.`

// replayCommand declares ptc replay.
func replayCommand() command {
	return command{
		name:    "replay",
		summary: "run the program of a journal again, with the recorded outcomes",
		usage:   []string{"[flags] JOURNAL"},
		about:   replayAbout,
		examples: []string{
			"ptc run deploy.ptc --journal deploy.journal --allow-ssh 'web-*'",
			"ptc replay deploy.journal",
			"ptc replay deploy.journal --output pretty",
		},
		declare: func(v *settings) []flags.Spec {
			return slices.Concat([]flags.Spec{outputFlag(v), statsFlag(v), keyFlag(v)}, logFlags(v), flags.Limits(&v.limits))
		},
		arguments: fileArguments,
		run:       replayJournal,
	}
}

func replayJournal(ctx context.Context, in *invocation, s streams) int {
	f := execution{invocation: in}
	name, err := in.journalName()
	if err != nil {
		return failUsage(s, "%v", err)
	}
	rec, err := f.readJournal(ctx, name, s)
	if err != nil {
		return failInput(s, ofJournal(name, err))
	}
	var r recorded
	if err := json.Unmarshal(rec.Header.Options, &r); err != nil {
		return failUsage(s, "%s: the journal's options can't be read: %v", name, err)
	}
	return f.replay(ctx, name, rec, r, s)
}

// replay runs the program of a recording again.
func (f *execution) replay(ctx context.Context, name string, rec *journal.Recording, r recorded, s streams) int {
	data, err := f.apply(rec, r, s)
	if err == nil {
		f.tools, err = standIns(ctx, r.Tools)
	}
	if err != nil {
		return failUsage(s, "%s: %v", name, err)
	}
	f.journal = journal.Replay(rec)
	return f.run(ctx, rec.Header.Program, rec.Header.Source, data, s)
}

// ofJournal is the error of reading a journal, with the name of the file.
func ofJournal(name string, err error) error {
	if damage := (*journal.Damage)(nil); errors.As(err, &damage) {
		return fmt.Errorf("%s: %w", name, err)
	}
	return files.Plain(err)
}

// standIns returns tools with the recorded names, schemas and documentation; tools that were not granted
// are withheld again. None of them is called.
func standIns(ctx context.Context, known []tool.Description) (*tool.Registry, error) {
	tools, err := new(grant.Set).Registry(ctx)
	if err != nil {
		return nil, err
	}
	for _, k := range known {
		err = errors.Join(err, tools.Add(k.StandIn()))
	}
	return tools, err
}

const traceAbout = `Draws a run from its journal, as a self-contained HTML page or in the trace-event
format, which browsers and Perfetto show. Without -o, or with -o -, the output goes
to standard output.`

// traceFlags returns the flags of ptc trace.
func traceFlags(v *settings) []flags.Spec {
	return append([]flags.Spec{keyFlag(v)}, pictureFlags(v)...)
}

// toFlag returns the flag for the file that a command writes.
func toFlag(v *settings) flags.Spec {
	return flags.Spec{Name: "o", Value: "FILE", Initial: "-", Text: "output file; - is standard output",
		To: flags.File(&v.drawing)}
}

// pictureFlags returns the flags for the drawing of a run.
func pictureFlags(v *settings) []flags.Spec {
	return []flags.Spec{
		toFlag(v),
		{Name: "format", Value: "FORM", Initial: "html", Choices: []string{"html", "chrome"},
			Text: "format of the trace: html or chrome", To: flags.Word(&v.form)},
	}
}

// traceCommand declares ptc trace.
func traceCommand() command {
	return command{
		name:      "trace",
		summary:   "draw a run from its journal",
		usage:     []string{"JOURNAL -o FILE.html", "JOURNAL --format chrome -o FILE.json"},
		about:     traceAbout,
		examples:  []string{"ptc trace deploy.journal -o deploy.html"},
		declare:   traceFlags,
		arguments: fileArguments,
		run:       traceJournal,
	}
}

func traceJournal(ctx context.Context, in *invocation, s streams) int {
	f := execution{invocation: in}
	name, err := in.journalName()
	if err != nil {
		return failUsage(s, "%v", err)
	}
	rec, err := f.readJournal(ctx, name, s)
	if err == nil {
		err = in.picture(ctx, rec, s)
	}
	if err != nil && s.out.err == nil { // which dispatch tells
		return failInput(s, ofJournal(name, err))
	}
	return exitOK
}

// picture draws a recording in the format of the flags.
func (in *invocation) picture(ctx context.Context, rec *journal.Recording, s streams) error {
	write := trace.HTML
	if in.form == "chrome" {
		write = trace.Chrome
	}
	return draw(ctx, in.drawing, s, func(w io.Writer) error { return write(w, rec) })
}

// draw writes the drawing until ctx ends: the file may be a pipe without a reader.
func draw(ctx context.Context, to string, s streams, write func(w io.Writer) error) error {
	if to == "-" {
		return writeFile(to, s, write)
	}
	_, err := files.Await(ctx, func() (struct{}, error) { return struct{}{}, writeFile(to, s, write) })
	return err
}

// writeFile writes a file, or to standard output for "-".
func writeFile(name string, s streams, write func(w io.Writer) error) error {
	if name == "-" {
		return buffered(s.out, write)
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(buffered(f, write), f.Close())
}
