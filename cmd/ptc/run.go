// This file defines ptc run and ptc check.

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
)

const runAbout = `usage: ptc run [flags] FILE
       ptc run [flags] -e EXPR

Runs a program. What it prints goes to the standard output as it happens, then
the value of its last form, if that is not nil. FILE - is the standard input.

exit codes: 0 ok, 1 the program failed, 2 usage, 3 it does not compile, 4 a limit
was hit, 5 something was not granted, 70 internal error, 130 interrupted

examples:
  ptc run -e '(reduce + (range 10))'
  ptc run report.ptc --data sales.json
  ptc run report.ptc --data - --arg region=north --output json < sales.json
  ptc run big.ptc --timeout 5m --memory 1GB --stats
`

// runFlags are the flags of ptc run.
type runFlags struct {
	limits ptc.Limits
	expr   string
	data   string
	args   []string
	output string
	stats  bool
	seed   uint64
}

func runCommand(ctx context.Context, args []string, s streams) int {
	var f runFlags
	fs := newFlags("run", runAbout, s)
	limitFlags(fs, &f.limits)
	fs.StringVar(&f.expr, "e", "", "run this expression")
	fs.StringVar(&f.data, "data", "", "JSON `file` whose keys the program reads as data/…; - is the standard input")
	fs.Func("arg", "`NAME=VALUE`, a string that the program reads as data/NAME; may be repeated", func(v string) error {
		f.args = append(f.args, v)
		return nil
	})
	fs.StringVar(&f.output, "output", "edn", "form of the value: edn, json, pretty, envelope (one JSON object) or none")
	fs.BoolVar(&f.stats, "stats", false, "tell on the standard error what the run took")
	fs.Uint64Var(&f.seed, "seed", 0, "seed of the random numbers; 0 takes a new one")
	rest, code, ok := parse(fs, args)
	if !ok {
		return code
	}
	name, source, code := f.program(rest, s)
	if code != exitOK {
		return code
	}
	if !slices.Contains([]string{"edn", "json", "pretty", "envelope", "none"}, f.output) {
		return failUsage(s, "--output is %q, want edn, json, pretty, envelope or none", f.output)
	}
	data, err := f.input(s)
	if err != nil {
		return failUsage(s, "%v", err)
	}
	return f.run(ctx, name, source, data, s)
}

func failUsage(s streams, format string, args ...any) int {
	fmt.Fprintf(s.err, "ptc: "+format+"\n", args...)
	return exitUsage
}

// program gives the name and the text of the program.
func (f *runFlags) program(rest []string, s streams) (name, source string, code int) {
	switch {
	case f.expr != "" && len(rest) > 0:
		return "", "", failUsage(s, "run takes -e or a file, got both")
	case f.expr != "":
		return "-e", f.expr, exitOK
	case len(rest) != 1:
		return "", "", failUsage(s, "run takes one file, got %d; see ptc help run", len(rest))
	case rest[0] == "-" && f.data == "-":
		return "", "", failUsage(s, "the program and the data can't both come from the standard input")
	}
	source, err := readSource(rest[0], s)
	if err != nil {
		return "", "", failUsage(s, "%v", err)
	}
	return rest[0], source, exitOK
}

// input gathers the values of data/….
func (f *runFlags) input(s streams) (map[string]any, error) {
	data := make(map[string]any)
	if f.data != "" {
		if err := readData(f.data, s, data); err != nil {
			return nil, err
		}
	}
	for _, a := range f.args {
		name, val, ok := strings.Cut(a, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("--arg is %q, want NAME=VALUE", a)
		}
		data[name] = val
	}
	return data, nil
}

// readData reads a JSON object; its members stay JSON, for the run to decode
// under its own account.
func readData(file string, s streams, data map[string]any) error {
	var text []byte
	var err error
	if file == "-" {
		text, err = io.ReadAll(s.in)
	} else {
		text, err = os.ReadFile(file)
	}
	if err != nil {
		return err
	}
	members := make(map[string]json.RawMessage)
	if err := json.Unmarshal(text, &members); err != nil {
		return fmt.Errorf("--data %s: want a JSON object: %w", file, err)
	}
	for name, m := range members {
		data[name] = m
	}
	return nil
}

func (f *runFlags) run(ctx context.Context, name, source string, data map[string]any, s streams) int {
	out := bufio.NewWriter(s.out)
	defer out.Flush()
	opts := ptc.Options{Limits: f.limits, DataNames: []string{}, Seed: f.seed}
	for n := range data {
		opts.DataNames = append(opts.DataNames, n)
	}
	slices.Sort(opts.DataNames)
	if f.output != "envelope" {
		opts.Output = func(text string) {
			out.WriteString(text)
			if strings.HasSuffix(text, "\n") {
				out.Flush()
			}
		}
	}
	res := &ptc.Result{}
	prog, err := ptc.Compile(name, source, opts)
	code := exitCompile
	if err == nil {
		res, err = prog.Run(ctx, ptc.Input{Data: data})
		code = exitCode(err)
	}
	if f.output == "envelope" {
		code = f.envelope(out, res, err, code)
	} else if code, err = f.value(out, res, err, code); err != nil {
		out.Flush()
		report(s.err, err)
	}
	if f.stats {
		out.Flush()
		stats(s.err, res.Usage)
	}
	return code
}

// value writes the value of a run that succeeded.
func (f *runFlags) value(out io.Writer, res *ptc.Result, err error, code int) (int, error) {
	if err != nil || res.IsNil() || f.output == "none" {
		return code, err
	}
	text, err := f.render(res)
	if err != nil {
		return exitCode(err), err
	}
	fmt.Fprintln(out, text)
	return code, nil
}

func (f *runFlags) render(res *ptc.Result) (string, error) {
	switch f.output {
	case "json":
		return res.JSON(false)
	case "pretty":
		return res.JSON(true)
	}
	return res.EDN()
}

// envelope writes one JSON object about the run.
func (f *runFlags) envelope(out io.Writer, res *ptc.Result, err error, code int) int {
	e := struct {
		Status string          `json:"status"`
		Value  json.RawMessage `json:"value"`
		Prints string          `json:"prints"`
		Error  error           `json:"error"`
		Usage  ptc.Usage       `json:"usage"`
	}{Status: "ok", Prints: res.Prints, Usage: res.Usage}
	if err == nil {
		var text string
		text, err = res.JSON(false)
		e.Value = json.RawMessage(text)
		code = exitCode(err)
	}
	if err != nil {
		e.Status, e.Value, e.Error = "error", nil, err
	}
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		fmt.Fprintln(out, `{"status":"error"}`)
		return exitInternal
	}
	return code
}

// exitCode gives the exit code for how a run ended.
func exitCode(err error) int {
	var e *ptc.Error
	if err == nil {
		return exitOK
	}
	if !errors.As(err, &e) {
		return exitUsage
	}
	switch e.Code {
	case diag.Timeout, diag.StepsExceeded, diag.MemoryExceeded, diag.DepthExceeded, diag.ResultTooLarge:
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

// report shows an error to a person.
func report(w io.Writer, err error) {
	var e *ptc.Error
	if errors.As(err, &e) {
		e.Render(w, wantsColor(w))
		w.Write(e.Stack) // of an internal error, for the report
		return
	}
	fmt.Fprintln(w, "ptc:", err)
}

// wantsColor says whether w is a terminal that takes colours.
func wantsColor(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func stats(w io.Writer, u ptc.Usage) {
	fmt.Fprintf(w, "time %v, steps %d, memory %d KB, marks %d, printed %d bytes\n",
		u.Duration, u.Steps, u.Memory>>10, u.Marks, u.Printed)
}

const checkAbout = `usage: ptc check FILE…

Compiles programs without running them, and tells every error found. Names of
inputs (data/…) are not checked. FILE - is the standard input.

examples:
  ptc check report.ptc
  ptc check examples/*/*.ptc
`

func checkCommand(_ context.Context, args []string, s streams) int {
	fs := newFlags("check", checkAbout, s)
	files, code, ok := parse(fs, args)
	if !ok {
		return code
	}
	if len(files) == 0 {
		return failUsage(s, "check takes files; see ptc help check")
	}
	code = exitOK
	for _, name := range files {
		source, err := readSource(name, s)
		if err != nil {
			return failUsage(s, "%v", err)
		}
		if _, err := ptc.Compile(name, source, ptc.Options{}); err != nil {
			report(s.err, err)
			code = exitCompile
		}
	}
	return code
}
