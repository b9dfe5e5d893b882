// This file defines ptc run.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/cmd/internal/flags"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/tools/grant"
)

const runAbout = `Runs a program. Its output goes to standard output as it happens, followed by
the value of its last form on its own line, unless that is nil. FILE - is
standard input.

The program reads standard input with *in* and read-line, unless --data or FILE is -.
ptc reads it to its end before the run, and only for a program that mentions it.

A program can reach only its input and the tools that are granted, by flags or by
the file ptc.yaml beside it: see spec/tools.md. The first run shows what such a file
grants; a file that other users can write is refused. No tool changes the script,
its ptc.yaml, the journal, or another file that decides what a run executes.

SIZE is a number of bytes such as 500KB, 64MB or 2GB; TIME is a duration such as
500ms, 30s or 5m. No limit can be switched off.

If the run waits only for answers to its questions, or for approvals of its calls, ptc
asks on the terminal, on standard error. Without a terminal, with < /dev/null, and if
the person quits with q or Ctrl-C, the run ends with exit code 6, and ptc prints the
command that continues it from its journal. --approval, approve in ptc.yaml, and
approve in the policy say which calls need an approval.

exit codes: 0 ok, 1 the program failed, 2 usage, 3 it does not compile, 4 a limit
was hit, 5 a tool is not granted, 6 the run waits for settlements, 70 internal error,
130 interrupted`

// runFlags returns the flags of ptc run.
func runFlags(v *settings) []flags.Spec {
	return append([]flags.Spec{
		{Name: "e", Value: "EXPR", Text: "run this expression", To: flags.Func(v.setExpr)},
		outputFlag(v),
		extractFlag(v),
		pathFlag(v),
		{Name: "journal", Value: "FILE", Text: "record every effect of the run, for ptc replay, resume and trace",
			To: flags.File(&v.journalFile)},
		keyFlag(v),
		{Name: "profile", Value: "FILE", Text: "draw the run with each parallel element, as a page, or for Perfetto if " +
			"FILE ends in .json", To: flags.File(&v.profile)},
		{Name: "replicas", Value: "N", Text: "have N replicas in this process execute the run, as the nodes of a cluster do",
			To: flags.Count(&v.replicas, maxReplicas)},
		{Name: "dry-run", Text: "make only the calls that are read-only, and list the others", To: flags.Toggle(&v.dryRun)},
		{Name: "plan-out", Value: "FILE", Text: "write the calls of --dry-run to a file, as JSON; - is standard output",
			To: flags.File(&v.planOut)},
		statsFlag(v),
		noConfigFlag(v),
	}, append(logFlags(v), sessionFlags(v)...)...)
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
			"ptc run deploy.ptc --approval write --journal deploy.journal",
			"ptc run fleet.ptc --replicas 3 --stats",
			"ptc run deploy.ptc --dry-run --plan-out plan.json",
			"ptc run fetch.ptc --allow-http api.example.com=GET --allow-fs out",
		},
		declare:   runFlags,
		arguments: fileArguments,
		run:       runProgram,
	}
}

// sessionFlags returns the flags that ptc run and ptc repl share.
func sessionFlags(v *settings) []flags.Spec {
	return slices.Concat(inputFlags(v), flags.Limits(&v.limits), flags.Queues(&v.queueBounds),
		flags.Grants(&v.grants), []flags.Spec{
			flags.Policy(&v.policyFile), flags.PolicyState(&v.stateFile), flags.Approval(&v.approve),
			flags.OnFull(&v.onFull),
			{Name: "seed", Value: "N", Text: "seed of the random numbers; 0 chooses a new seed for each run",
				To: seed{&v.seed}},
			{Name: "progress", Text: "show the progress of long parallel work on a terminal",
				To: flags.Toggle(&v.progress)},
		})
}

// outputFlag returns the flag for the form of the value.
func outputFlag(v *settings) flags.Spec {
	return flags.Spec{Name: "output", Value: "FORM", Initial: "edn",
		Choices: []string{"edn", "json", "pretty", "envelope", "none"},
		Text:    "form of the value: edn, json, pretty (JSON), envelope (one JSON object about the run) or none",
		To:      flags.Word(&v.output)}
}

// statsFlag returns the flag that prints the usage of a run.
func statsFlag(v *settings) flags.Spec {
	return flags.Spec{Name: "stats", Text: "print the resources that the run used to standard error",
		To: flags.Toggle(&v.stats)}
}

// extractFlag returns the flag that takes the program out of the answer of a model.
func extractFlag(v *settings) flags.Spec {
	return flags.Spec{Name: "extract", To: flags.Toggle(&v.extract),
		Text: "FILE is the answer of a model: extract the program from its Markdown fence, or from its prose"}
}

func (v *settings) setExpr(text string) error {
	v.expr = &text
	return nil
}

// execution is a run of a program by a command.
type execution struct {
	*invocation
	tools   *tool.Registry
	journal *journal.Journal // nil without one
	shared  *replicas        // nil without --replicas
	queue   effect.Queues    // with the policies of the operator; nil without any
	counts  *queue.Enforcer  // of queue, if they are kept in a file
	foreign bool             // nobody can tell who wrote the journal that is resumed
}

func runProgram(ctx context.Context, in *invocation, s streams) int {
	f := execution{invocation: in}
	if err := errors.Join(f.checkDryRun(), f.checkReplicas()); err != nil {
		return failInput(s, err)
	}
	name, source, err := f.program(ctx, s)
	if err != nil {
		return failInput(s, err)
	}
	return f.runSource(ctx, name, source, s)
}

// runSource runs a program that was read.
func (f *execution) runSource(ctx context.Context, name, source string, s streams) int {
	f.protect(name)
	err := f.readPolicies(ctx, s)
	if err != nil {
		return failInput(s, err)
	}
	defer f.endPolicies(s)
	var opened *grant.Set
	if f.tools, opened, err = grantedTools(ctx, name, &f.grants, f.noConfig, s); err != nil {
		return failInput(s, err)
	}
	defer opened.Close()
	if f.approve, err = approvals(f.approve, opened, f.tools); err != nil {
		return failInput(s, err)
	}
	data, err := f.input(ctx, s)
	if err != nil {
		return failInput(s, err)
	}
	if err := f.standardInput(ctx, name, source, data, s); err != nil {
		return failInput(s, err)
	}
	switch {
	case f.replicas > 0:
		if f.shared, err = f.replicate(ctx, name, source, data); err != nil {
			return failInput(s, err)
		}
	case f.journalFile != "":
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
func (f *invocation) program(ctx context.Context, s streams) (name, source string, err error) {
	rest, command := f.rest, f.command.name
	from := []reading{{"the data", f.data}, {"the policy", f.policyFile}}
	if f.expr == nil && len(rest) == 1 {
		from = slices.Insert(from, 0, reading{"the program", rest[0]})
	}
	switch {
	case f.expr != nil && len(rest) > 0:
		return "", "", fmt.Errorf("%s takes -e or a file, got both -e and %s", command, rest[0])
	case f.expr != nil:
		if err = onceFromInput(from...); err == nil {
			source, err = f.withNamespaces(ctx, "-e", *f.expr)
		}
		return "-e", source, err
	case len(rest) == 0:
		return "", "", fmt.Errorf("%s takes a file, or an expression with -e; see ptc help %[1]s", command)
	case len(rest) > 1 && strings.HasSuffix(rest[1], ".json"):
		return "", "", fmt.Errorf("%s takes one file, got %d; pass the input as --data %s", command, len(rest), rest[1])
	case len(rest) > 1:
		return "", "", fmt.Errorf("%s takes one file, got %s; pass a value to the program as --arg NAME=VALUE",
			command, strings.Join(rest, " "))
	}
	if err := onceFromInput(from...); err != nil {
		return "", "", err
	}
	source, err = readSource(ctx, rest[0], s)
	if err == nil && f.extract {
		source, err = ptc.Source(source)
	}
	if err == nil {
		source, err = f.withNamespaces(ctx, rest[0], source)
	}
	return rest[0], source, err
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
	case diag.Parked, diag.InDoubt:
		return exitWaiting
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

// limitGarbage sets the soft memory limit of the process, so that garbage does not double the memory that
// the machine needs. The caps of the evaluations bound live memory, and collections then begin before the
// heap exceeds the sum of the caps by more than a third. Below the limit, collections wait until the
// garbage is four times the live memory: with a small heap, the collector otherwise takes as much time as
// the program. Settings of the environment (GOMEMLIMIT, GOGC) take precedence.
func limitGarbage(l ptc.Limits, evaluations int) {
	caps := int64(evaluations) * (l.Memory + int64(l.Workers)*l.WorkerMemory)
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(caps + caps/3 + processMemory)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePercent)
	}
}

// garbagePercent is Go's GOGC.
const garbagePercent = 400

// processMemory is the memory of the process besides the evaluations.
const processMemory = 32 << 20
