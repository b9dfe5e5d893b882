// This file defines ptc run.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/tools/grant"
)

const runAbout = `Runs a program. Its output goes to standard output as it happens, followed by
the value of its last form on its own line, unless that is nil. FILE - is
standard input.

A program can reach only its input and the tools that are granted, by flags or by
the file ptc.yaml beside it: see spec/tools.md. The first run shows what such a file
grants; a file that other users can write is refused. No tool changes the script,
its ptc.yaml, the journal, or another file that decides what a run executes.

SIZE is a number of bytes such as 500KB, 64MB or 2GB; TIME is a duration such as
500ms, 30s or 5m. No limit can be switched off.

exit codes: 0 ok, 1 the program failed, 2 usage, 3 it does not compile, 4 a limit
was hit, 5 a tool is not granted, 70 internal error, 130 interrupted`

// runFlags returns the flags of ptc run.
func runFlags() []flagSpec {
	return append([]flagSpec{
		{name: "e", value: "EXPR", text: "run this expression", target: exprTarget},
		outputFlag(),
		{name: "journal", value: "FILE", text: "record every effect of the run, for ptc replay, resume and trace",
			target: func(v *settings) flagValue { return fileName{&v.journalFile} }},
		keyFlag(),
		statsFlag(),
		noConfigFlag(),
	}, sessionFlags()...)
}

// runCommand declares ptc run.
func runCommand() command {
	return command{
		name:    "run",
		summary: "run a program",
		usage:   []string{"[flags] FILE", "[flags] -e EXPR"},
		about:   runAbout,
		examples: []string{
			"ptc run -e '(reduce + (range 10))'",
			"ptc run report.ptc --data sales.json",
			"ptc run report.ptc --data - --arg region=north --output json < sales.json",
			"ptc run big.ptc --timeout 5m --memory 1GB --stats",
			"ptc run deploy.ptc --journal deploy.journal --policy policy.yaml",
			"ptc run fetch.ptc --allow-http api.example.com=GET --allow-fs out",
		},
		declare:   runFlags,
		arguments: fileArguments,
		run:       runProgram,
	}
}

// sessionFlags returns the flags that ptc run and ptc repl share.
func sessionFlags() []flagSpec {
	return slices.Concat(inputFlags(), limitFlags(), grantFlags(), []flagSpec{
		policyFlag(),
		{name: "on-full", value: "ACTION", initial: "inline", choices: []string{"inline", onFullFail},
			text:   "action of a parallel operation that finds no free slot: run inline, in its caller's slot, or fail",
			target: func(v *settings) flagValue { return word{&v.onFull} }},
		{name: "seed", value: "N", text: "seed of the random numbers; 0 chooses a new seed for each run",
			target: func(v *settings) flagValue { return seed{&v.seed} }},
		{name: "progress", text: "show the progress of long parallel work on a terminal",
			target: func(v *settings) flagValue { return toggle{&v.progress} }},
	})
}

// outputFlag returns the flag for the form of the value.
func outputFlag() flagSpec {
	return flagSpec{name: "output", value: "FORM", initial: "edn",
		choices: []string{"edn", "json", "pretty", "envelope", "none"},
		text:    "form of the value: edn, json, pretty (JSON), envelope (one JSON object about the run) or none",
		target:  func(v *settings) flagValue { return word{&v.output} }}
}

// statsFlag returns the flag that prints what a run used.
func statsFlag() flagSpec {
	return flagSpec{name: "stats", text: "print the resources that the run used to standard error",
		target: func(v *settings) flagValue { return toggle{&v.stats} }}
}

func exprTarget(v *settings) flagValue {
	return setter(func(text string) error {
		v.expr = &text
		return nil
	})
}

// execution is a run of a program by a command.
type execution struct {
	*invocation
	tools   *tool.Registry
	journal *journal.Journal // nil without one
}

func runProgram(ctx context.Context, in *invocation, s streams) int {
	f := execution{invocation: in}
	name, source, err := f.program(ctx, s)
	if err != nil {
		return failInput(s, err)
	}
	f.protect(name)
	var opened *grant.Set
	if f.tools, opened, err = grantedTools(ctx, name, &f.grants, f.noConfig, s); err != nil {
		return failInput(s, err)
	}
	defer opened.Close()
	data, err := f.input(ctx, s)
	if err != nil {
		return failInput(s, err)
	}
	if f.journalFile != "" {
		if f.journal, err = f.create(name, source, data); err != nil {
			return failInput(s, err)
		}
		defer f.journal.Close()
	}
	return f.run(ctx, name, source, data, s)
}

// failUsage reports a mistake in the command line.
func failUsage(s streams, format string, args ...any) int {
	report(s.err, fmt.Errorf(format, args...))
	return exitUsage
}

// failInput reports an unusable command line, file or text.
func failInput(s streams, err error) int {
	var limit limitError
	var program *ptc.Error
	switch {
	case errors.Is(err, context.Canceled):
		failUsage(s, "interrupted")
		return exitInterrupted
	case errors.As(err, &limit):
		failUsage(s, "%v", err)
		return exitLimit
	case errors.As(err, &program) && program.Code == diag.SourceTooLarge:
		report(s.err, err)
		return exitCompile
	}
	report(s.err, err)
	return exitUsage
}

// program returns the name and the text of the program.
func (f *execution) program(ctx context.Context, s streams) (name, source string, err error) {
	rest := f.rest
	from := []reading{{"the data", f.data}, {"the policy", f.policyFile}}
	if f.expr == nil && len(rest) == 1 {
		from = slices.Insert(from, 0, reading{"the program", rest[0]})
	}
	switch {
	case f.expr != nil && len(rest) > 0:
		return "", "", fmt.Errorf("run takes -e or a file, got both -e and %s", rest[0])
	case f.expr != nil:
		return "-e", *f.expr, onceFromInput(from...)
	case len(rest) == 0:
		return "", "", errors.New("run takes a file, or an expression with -e; see ptc help run")
	case len(rest) > 1 && strings.HasSuffix(rest[1], ".json"):
		return "", "", fmt.Errorf("run takes one file, got %d; pass the input as --data %s", len(rest), rest[1])
	case len(rest) > 1:
		return "", "", fmt.Errorf("run takes one file, got %s; pass a value to the program as --arg NAME=VALUE",
			strings.Join(rest, " "))
	}
	if err := onceFromInput(from...); err != nil {
		return "", "", err
	}
	source, err = readSource(ctx, rest[0], s)
	return rest[0], source, err
}

func (f *execution) run(ctx context.Context, name, source string, data map[string]any, s streams) int {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := newProgress(f.progress, &s)
	out := &printer{output: s.out, failed: cancel}
	res := &ptc.Result{}
	limitGarbage(f.limits)
	opts := f.options(data)
	given := ptc.RunOptions{Data: data, Journal: f.journal, Progress: p.source()}
	if f.journal == nil { // whose header has the seed
		given.Seed = f.seed
	}
	if f.output != "envelope" {
		given.Output = func(p ptc.Print) {
			s.printing()
			out.print(p.Text)
		}
	}
	var err error
	if opts.Queue, err = policies(ctx, f.policyFile, s); err != nil {
		return failInput(s, err)
	}
	prog, err := ptc.Compile(ctx, name, source, opts)
	code := compileCode(err)
	if err == nil {
		stop := p.watch()
		res, err = prog.Run(ctx, given)
		stop()
		code = exitCode(err)
	}
	if e := (*ptc.Error)(nil); errors.As(err, &e) && e.Code == diag.UnknownData && len(data) == 0 {
		e.Hint = "pass the input to the program with --data FILE.json or --arg NAME=VALUE"
	}
	if f.output == "envelope" {
		code, err = writeEnvelope(out, res, err, code)
	} else if err == nil {
		code, err = f.value(ctx, out, res)
	}
	if out.err != nil {
		return exitFailed // dispatch tells why
	}
	if err != nil {
		report(s.err, err)
	}
	if f.stats && prog != nil {
		stats(s.err, res.Usage)
	}
	return code
}

func (f *execution) options(data map[string]any) ptc.Options {
	opts := ptc.Options{Limits: f.limits, Tools: f.tools, DataNames: slices.Sorted(maps.Keys(data)),
		Processors: processors()}
	if opts.DataNames == nil {
		opts.DataNames = []string{} // nil would allow any name
	}
	if f.onFull == onFullFail {
		opts.OnFull = ptc.OnFullFail
	}
	return opts
}

// exitCode returns the exit code for how a run ended.
func exitCode(err error) int {
	var e *ptc.Error
	if err == nil {
		return exitOK
	}
	if !errors.As(err, &e) {
		return exitUsage
	}
	switch e.Code {
	case diag.Timeout, diag.StepsExceeded, diag.MemoryExceeded, diag.DepthExceeded, diag.CallsExceeded,
		diag.ArgumentTooLarge, diag.ResultTooLarge:
		return exitLimit
	case diag.NotGranted:
		return exitNotGranted
	case diag.Internal:
		return exitInternal
	case diag.Cancelled:
		return exitInterrupted
	}
	return exitFailed
}

// compileCode returns the exit code for how a compilation ended. A macro that runs
// may hit the limits of a run.
func compileCode(err error) int {
	if code := exitCode(err); code != exitFailed {
		return code
	}
	return exitCompile
}

// report shows an error to a person.
func report(w io.Writer, err error) {
	var e *ptc.Error
	if errors.As(err, &e) {
		e.Render(w, wantsColor(w))
		w.Write(e.Stack) // of an internal error, for the report
		return
	}
	fmt.Fprintln(w, "ptc:", diag.Visible(err.Error()))
}

// wantsColor reports whether w is a terminal that takes colours.
func wantsColor(w io.Writer) bool {
	f := file(w)
	if f == nil || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// limitGarbage sets the soft memory limit of the process, so that garbage does not
// double what the machine needs: what is live is bounded by the caps of the
// evaluations, and collections then begin before the sum of the caps is exceeded by
// more than a third. A limit that the environment sets (GOMEMLIMIT) stays.
func limitGarbage(l ptc.Limits) {
	caps := l.Memory + int64(l.Workers)*l.WorkerMemory
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(caps + caps/3 + processMemory)
	}
}

// processMemory is what the process takes beside the evaluations.
const processMemory = 32 << 20

// processors returns how many goroutines of a run compute at once, as many as there are
// processors, and lets Go use one more, on which it notices the end of a wait while they compute.
// A wait for the network that ends is otherwise noticed every 10 ms.
var processors = sync.OnceValue(func() int {
	n := runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(n + 1)
	return n
})

// rounded returns a time that a person can take in.
func rounded(d time.Duration) time.Duration { return d.Round(10 * time.Microsecond) }

func stats(w io.Writer, u ptc.Usage) {
	fmt.Fprintf(w, "time %v, steps %d, memory %d KB, marks %d, printed %s\n",
		rounded(u.Duration), u.Steps, u.Memory>>10, u.Marks, diag.Counted(u.Printed, "byte"))
	if p := u.Parallel; p.Operations > 0 || p.Refused > 0 {
		fmt.Fprintf(w, "parallel: operations %d, elements %d, workers at most %d, blocked at most %d, queued at most %d, "+
			"goroutines started %d, chunks stolen %d, inline %d, refused %d\n",
			p.Operations, p.Elements, p.Peak, p.Blocked, p.Queued, p.Spawned, p.Stolen, p.Inline, p.Refused)
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
}
