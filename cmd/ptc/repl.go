// This file defines ptc repl.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/ptc-lang/ptc/cmd/internal/flags"
	"github.com/ptc-lang/ptc/cmd/ptc/internal/repl"
	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/runtime/effect"
)

const replAbout = `Evaluates the forms that you type, and shows their values. A form can use the
definitions of earlier forms; a form that fails changes nothing. The limits hold for
each evaluation.

At the prompt, Tab completes names, keywords and files, Ctrl-R searches the history
of all sessions, Ctrl-C drops the input and Ctrl-D exits. While a form runs, Ctrl-C
stops it. A form that asks, or that makes a call which must be approved, asks at the
prompt, as in ptc run. :help lists the commands, such as :doc NAME and :load FILE.
*1, *2 and *3 are the last values, *e is the last exception.

Without a terminal, forms are read from standard input, and only their output and
values are written; if a form fails, the next one still runs.

The history is the file history in the state directory of ptc, such as
$XDG_STATE_HOME/ptc. NO_COLOR switches colours off.

exit codes: 0 ok, 2 usage, 130 interrupted; without a terminal the exit code of the
first form that failed, as in ptc run`

// replCommand declares ptc repl.
func replCommand() command {
	return command{
		name:    "repl",
		summary: "evaluate forms interactively",
		usage:   []string{"[flags]"},
		about:   replAbout,
		examples: []string{
			"ptc repl",
			"ptc repl --data sales.json --memory 1GB",
			"ptc repl --allow-http api.example.com=GET --policy policy.yaml",
			"echo '(+ 1 2)' | ptc repl",
		},
		declare: sessionFlags,
		instead: "to load a file, type :load %s",
		run:     runSession,
	}
}

func runSession(ctx context.Context, in *invocation, s streams) int {
	for _, f := range []struct{ flag, file string }{{"data", in.data}, {"policy", in.policyFile}} {
		if f.file == "-" {
			return failUsage(s, "repl reads forms from the standard input: --%s takes a file", f.flag)
		}
	}
	f := execution{invocation: in}
	end, err := f.open(ctx, s)
	if err != nil {
		return failInput(s, err)
	}
	defer end()
	cfg, err := f.session(ctx, s)
	if err != nil {
		return failInput(s, err)
	}
	limitGarbage(f.limits, 1)
	return f.converse(ctx, cfg, s)
}

// session returns the configuration of a session, without the terminal.
func (f *execution) session(ctx context.Context, s streams) (cfg repl.Config, err error) {
	if cfg.Data, err = f.input(ctx, s); err != nil {
		return cfg, err
	}
	cfg.Options = f.options(cfg.Data)
	cfg.Eval.Seed = f.seed
	cfg.Names = libraryNames
	cfg.Doc, cfg.Source = libraryDoc, librarySource
	cfg.Limits = f.printLimits
	cfg.Usage = stats
	return cfg, nil
}

// converse runs the session, on the terminal if there is one.
func (f *execution) converse(ctx context.Context, cfg repl.Config, s streams) int {
	in, interactive := terminals(s)
	cfg.Interactive, cfg.Color, cfg.Width = interactive, interactive && wantsColor(s.out), repl.Width
	if !interactive {
		cfg.Editor = repl.NewLines(s.in, nil, nil)
	} else {
		cfg.Interrupts, _ = s.interrupts()
		editor, leave, err := terminalEditor(in, cfg.Interrupts, s)
		if err != nil {
			return failUsage(s, "%v", err)
		}
		defer leave()
		cfg.Editor = editor
	}
	p := newProgress(f.progress, &s)
	cfg.OnPending = f.asksBetween(cfg.Editor, interactive, p, s)
	cfg.Eval.Progress, cfg.Watch = p.source(), p.watch
	cfg.Out, cfg.Err = s.out, s.err
	err := repl.Run(ctx, cfg)
	if errors.Is(err, context.Canceled) {
		return exitInterrupted
	}
	return exitCode(err)
}

// asksBetween returns a function that returns the OnPending of an evaluation. It asks by the editor of the session.
func (f *execution) asksBetween(e repl.Editor, interactive bool, p *progress, s streams) func() repl.OnPending {
	return func() repl.OnPending {
		if !interactive {
			return func(_ context.Context, all []effect.Pending) ([]effect.Settlement, error) {
				return nil, deferred(all, false)
			}
		}
		asker := f.asker(s.out, deferred)
		asker.ReadLine = func(ctx context.Context, prompt string) (string, error) { return e.ReadLine(ctx, prompt, "") }
		return func(ctx context.Context, all []effect.Pending) ([]effect.Settlement, error) {
			defer p.hold()()
			return asker.Decide(ctx, all)
		}
	}
}

// terminals reports whether a person types and reads.
func terminals(s streams) (in *os.File, both bool) {
	in = file(s.in)
	out := file(s.out)
	return in, in != nil && out != nil && repl.IsTerminal(in) && repl.IsTerminal(out)
}

// terminalEditor returns the editor for the terminal, and the function that restores the terminal.
func terminalEditor(in *os.File, interrupts <-chan os.Signal, s streams) (e repl.Editor, leave func(), err error) {
	if os.Getenv("TERM") == "dumb" {
		return repl.NewLines(in, s.out, interrupts), func() {}, nil
	}
	warn := func(err error) {
		fmt.Fprintln(s.err, "ptc: the history is not saved:", err)
	}
	path, err := repl.HistoryFile()
	if err != nil {
		warn(err)
	}
	history, err := repl.OpenHistory(path)
	if err != nil {
		warn(err)
	}
	t, err := repl.NewTerminal(history, warn)
	if err != nil {
		return nil, nil, fmt.Errorf("the terminal can't be used: %w", err)
	}
	return t, func() { t.Close() }, nil
}

// libraryNames returns the names of the library as programs write them.
func libraryNames(yield func(string) bool) {
	short := make(map[string]string)
	for alias, ns := range builtins.PreludeAliases {
		short[ns] = alias
	}
	for e := range builtins.Entries() {
		if !yield(written(e)) {
			return
		}
		if alias := short[e.NS]; alias != "" && !yield(alias+"/"+e.Name) {
			return
		}
	}
}

func libraryDoc(w io.Writer, name string) bool {
	found := findEntries(name)
	for _, e := range found {
		writeDoc(w, e)
	}
	return len(found) > 0
}

func librarySource(w io.Writer, name string) bool {
	found := findEntries(name)
	for _, e := range found {
		if e.Source != "" {
			fmt.Fprintln(w, strings.TrimSpace(e.Source))
		} else {
			fmt.Fprintf(w, "%s is built in and has no source in the language\n", e.Qualified())
		}
	}
	return len(found) > 0
}

// printLimits writes the bounds with the names and descriptions of their flags.
func (f *execution) printLimits(w io.Writer) {
	for _, l := range flags.Limits(&f.limits) {
		fmt.Fprintf(w, "  %-19s  %-12s %s\n", flags.Dashed(l.Name), l.To, l.Text)
	}
}
