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
	"strings"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/cmd/ptc/internal/files"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/journal/trace"
	"github.com/ptc-lang/ptc/runtime/limits"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/tools/grant"
)

// recorded is what a journal keeps of the command line.
type recorded struct {
	Limits   ptc.Limits     `json:"limits"`
	OnFull   string         `json:"on_full,omitempty"` // "fail", or else it is the default
	Output   string         `json:"output"`
	Script   string         `json:"script"` // absolute; -e and - as they are
	Policy   string         `json:"policy,omitempty"`
	NoConfig bool           `json:"no_config,omitempty"` // the file beside the script was left out
	Grants   []grant.Given  `json:"grants,omitempty"`
	Tools    []recordedTool `json:"tools,omitempty"`
}

// onFullFail is the word for OnFullFail on the command line and in a journal.
const onFullFail = "fail"

// recordedTool is a tool that the program could call.
type recordedTool struct {
	Name     string          `json:"name"`
	Doc      string          `json:"doc"`
	Examples []string        `json:"examples,omitempty"`
	Args     json.RawMessage `json:"args"`
	Result   json.RawMessage `json:"result,omitempty"`
	Secrets  []string        `json:"secrets,omitempty"`
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
	if errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("%s exists; ptc resume continues an interrupted run, a new run needs a new file",
			f.journalFile)
	}
	return j, files.Plain(err)
}

func (f *execution) recorded(name string) recorded {
	r := recorded{Limits: f.limits, Output: f.output, Script: name, Policy: files.Absolute(f.policyFile),
		Grants: f.grants.Given(), NoConfig: f.noConfig}
	if f.onFull == onFullFail {
		r.OnFull = onFullFail
	}
	if name != "-e" && name != "-" {
		r.Script = files.Absolute(name)
	}
	for _, t := range f.tools.All() {
		known := recordedTool{Name: t.Name(), Doc: t.Doc(), Examples: t.Examples(), Args: t.Args().JSON(),
			Secrets: t.Secrets()}
		if t.Result() != nil {
			known.Result = t.Result().JSON()
		}
		r.Tools = append(r.Tools, known)
	}
	return r
}

// again sets the flags to those of a recorded run; for the limits see bounds.
func (f *execution) again(rec *journal.Recording, s streams) (r recorded, data map[string]any, err error) {
	if err := json.Unmarshal(rec.Header.Options, &r); err != nil {
		return r, nil, fmt.Errorf("the journal's options can't be read: %w", err)
	}
	raw := make(map[string]json.RawMessage)
	if err := json.Unmarshal(rec.Header.Data, &raw); len(rec.Header.Data) > 0 && err != nil {
		return r, nil, fmt.Errorf("the journal's input can't be read: %w", err)
	}
	data = make(map[string]any, len(raw))
	for name, v := range raw {
		data[name] = v
	}
	if f.limits, err = f.bounds(r.Limits, s); err != nil {
		return r, nil, err
	}
	f.onFull = r.OnFull
	if _, asked := f.given["output"]; !asked {
		f.output = r.Output
	}
	return r, data, nil
}

// bounds returns the bounds for the run of a journal: those of the command line, and otherwise those of the
// file, up to the defaults. A file made by another user must not take more than ptc run would.
func (in *invocation) bounds(asked ptc.Limits, s streams) (ptc.Limits, error) {
	recorded := settings{limits: asked.OrDefault()}
	now := settings{limits: recorded.limits.Within(limits.Default())}
	if err := now.limits.Validate(); err != nil {
		return now.limits, fmt.Errorf("the journal's limits can't be used: %w", err)
	}
	var err error
	var narrowed []string
	for _, f := range limitFlags() {
		value := f.target(&now)
		if text, ok := in.given[f.name]; ok {
			err = errors.Join(err, value.Set(text))
		} else if text := f.target(&recorded).String(); text != value.String() {
			narrowed = append(narrowed, dashed(f.name)+" "+text)
		}
	}
	if len(narrowed) > 0 {
		fmt.Fprintf(s.err, "ptc: the journal asks for %s; the default holds unless you give the flag\n",
			strings.Join(narrowed, ", "))
	}
	return now.limits, err
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
		declare: func() []flagSpec {
			return append([]flagSpec{outputFlag(), statsFlag(), keyFlag()}, limitFlags()...)
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
	r, data, err := f.again(rec, s)
	if err == nil {
		f.tools, err = standIns(r.Tools)
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

// standIns returns tools of the names, schemas and documentation that were there; those that
// were not granted are withheld, as they were. None is called.
func standIns(known []recordedTool) (*tool.Registry, error) {
	tools, err := new(grant.Set).Registry()
	if err != nil {
		return nil, err
	}
	for _, k := range known {
		opts := []tool.Option{tool.Secret(k.Secrets...)}
		for _, e := range k.Examples {
			opts = append(opts, tool.Example(e))
		}
		err = errors.Join(err, tools.Add(tool.Dynamic(k.Name, k.Doc, k.Args, k.Result, nil, opts...).Stub()))
	}
	return tools, err
}

const traceAbout = `Draws a run from its journal, as a self-contained HTML page or in the trace-event
format, which browsers and Perfetto show. Without -o, or with -o -, the output goes
to standard output.`

// traceFlags returns the flags of ptc trace.
func traceFlags() []flagSpec {
	return []flagSpec{
		keyFlag(),
		{name: "o", value: "FILE", initial: "-", text: "output file; - is standard output",
			target: func(v *settings) flagValue { return fileName{&v.drawing} }},
		{name: "format", value: "FORM", initial: "html", choices: []string{"html", "chrome"},
			text: "format of the trace: html or chrome", target: func(v *settings) flagValue { return word{&v.form} }},
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
	write := trace.HTML
	if in.form == "chrome" {
		write = trace.Chrome
	}
	rec, err := f.readJournal(ctx, name, s)
	if err == nil {
		err = draw(ctx, in.drawing, s, func(w io.Writer) error { return write(w, rec) })
	}
	if err != nil && s.out.err == nil { // which dispatch tells
		return failInput(s, ofJournal(name, err))
	}
	return exitOK
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
