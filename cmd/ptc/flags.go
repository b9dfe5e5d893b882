// This file defines how flags are read, explained and refused, and the flags of
// the bounds.

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// flagSet has the flags of a subcommand, its name, and its help: the usage line, a description and examples.
type flagSet struct {
	*flag.FlagSet
	name, about string
}

func newFlags(name, about string) *flagSet {
	fs := &flagSet{flag.NewFlagSet(name, flag.ContinueOnError), name, about}
	fs.SetOutput(io.Discard) // parse reports
	return fs
}

// parse reads flags and arguments in any order; after -- all are arguments. ok is false if the command has
// ended, with the exit code.
func parse(fs *flagSet, args []string, s streams) (rest []string, code int, ok bool) {
	if s.declared != nil {
		s.declared(fs)
		return nil, exitOK, false
	}
	for {
		err := fs.Parse(args)
		switch {
		case errors.Is(err, flag.ErrHelp):
			fs.help(s.out)
			return nil, exitOK, false
		case err != nil:
			return nil, fs.fail(err, s), false
		case fs.NArg() == 0:
			return rest, exitOK, true
		}
		if n := len(args) - fs.NArg(); n > 0 && args[n-1] == "--" {
			return append(rest, fs.Args()...), exitOK, true
		}
		rest = append(rest, fs.Arg(0))
		args = fs.Args()[1:]
	}
}

// flagText describes a flag.
type flagText struct {
	name    string   // as it is written: --data
	value   string   // what its value is called; "" if it takes none
	text    string   // what it does, with the default
	choices []string // what the value can be; nil if it is free
}

// texts returns the flags, sorted by name. If a flag takes a value, its usage begins with the name of the
// value, in capitals.
func (fs *flagSet) texts() []flagText {
	var all []flagText
	fs.VisitAll(func(f *flag.Flag) {
		t := flagText{name: dashed(f.Name), text: f.Usage}
		if value, rest, _ := strings.Cut(t.text, " "); value[0] >= 'A' && value[0] <= 'Z' {
			t.value, t.text = value, rest
		}
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" && f.DefValue != "0s" {
			t.text += " (default " + f.DefValue + ")"
		}
		if c, ok := f.Value.(choice); ok {
			t.choices = c.of
		}
		all = append(all, t)
	})
	return all
}

// help writes the help with a list of the flags.
func (fs *flagSet) help(w io.Writer) {
	fmt.Fprint(w, fs.about)
	texts := fs.texts()
	width := 0
	for _, t := range texts {
		width = max(width, len(t.usage()))
	}
	for i, t := range texts {
		if i == 0 {
			fmt.Fprint(w, "\nflags:\n")
		}
		fmt.Fprintf(w, "  %-*s  %s\n", width, t.usage(), t.text)
	}
}

// usage returns the flag with its value: --data FILE.
func (t flagText) usage() string {
	if t.value == "" {
		return t.name
	}
	return t.name + " " + t.value
}

// names returns the names of the flags.
func (fs *flagSet) names() map[string]bool {
	names := make(map[string]bool)
	fs.VisitAll(func(f *flag.Flag) { names[f.Name] = true })
	return names
}

// values writes the values of some of the flags, with their descriptions.
func (fs *flagSet) values(w io.Writer, names map[string]bool) {
	fs.VisitAll(func(f *flag.Flag) {
		if names[f.Name] {
			_, text, _ := strings.Cut(f.Usage, " ")
			fmt.Fprintf(w, "  %-19s  %-12s %s\n", dashed(f.Name), f.Value, text)
		}
	})
}

// dashed returns a flag as it is written: -e, --data.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// fail reports an error of package flag, in the words of this command.
func (fs *flagSet) fail(err error, s streams) int {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: -"); ok {
		fs.unknown(name, s)
	} else if name, ok := strings.CutPrefix(text, "flag needs an argument: -"); ok {
		fmt.Fprintf(s.err, "ptc: %s needs a value\n", dashed(name))
	} else if rest, ok := strings.CutPrefix(text, "invalid value "); ok {
		value, rest, _ := strings.Cut(rest, " for flag -")
		name, reason, _ := strings.Cut(rest, ": ")
		fmt.Fprintf(s.err, "ptc: %s is %s, %s\n", dashed(name), value, reason)
	} else {
		fmt.Fprintln(s.err, "ptc:", text)
	}
	fmt.Fprintf(s.err, "see ptc help %s\n", fs.name)
	return exitUsage
}

func (fs *flagSet) unknown(name string, s streams) {
	fmt.Fprintf(s.err, "ptc: %s has no flag %s\n", fs.name, dashed(name))
	names := func(yield func(string) bool) {
		fs.VisitAll(func(f *flag.Flag) { yield(f.Name) })
	}
	if best, ok := diag.Suggest(name, names); ok {
		fmt.Fprintf(s.err, "did you mean %s?\n", dashed(best))
	}
}

// failUsage reports a mistake in the command line.
func failUsage(s streams, format string, args ...any) int {
	report(s.err, fmt.Errorf(format, args...))
	return exitUsage
}

// limitFlags declares the flags of the bounds. None can be switched off, so none
// takes 0.
func limitFlags(fs *flagSet, l *ptc.Limits) {
	*l = limits.Default()
	most := limits.Most()
	fs.Var(duration{&l.Timeout, most.Timeout}, "timeout", "TIME maximum time of the run")
	fs.Var(count[int64]{&l.Steps, most.Steps}, "steps",
		"N maximum number of steps: calls, jumps back, units of builtin work")
	fs.Var(byteSize[int64]{&l.Memory, limits.MinMemory, most.Memory}, "memory",
		"SIZE maximum live memory of the main evaluation")
	fs.Var(byteSize[int64]{&l.WorkerMemory, limits.MinMemory, most.WorkerMemory}, "worker-memory",
		"SIZE maximum live memory of each parallel worker")
	fs.Var(count[int]{&l.Workers, most.Workers}, "workers", "N maximum number of parallel workers alive at once")
	fs.Var(count[int]{&l.Depth, most.Depth}, "depth", "N maximum depth of nested calls")
	fs.Var(count[int]{&l.Calls, most.Calls}, "calls", "N maximum number of tool calls")
	fs.Var(count[int]{&l.ToolCalls, most.ToolCalls}, "tool-calls", "N maximum number of calls of one tool")
	fs.Var(byteSize[int]{&l.Arguments, 1, most.Arguments}, "argument-bytes",
		"SIZE maximum size of the JSON arguments of one tool call")
	fs.Var(byteSize[int]{&l.CallResult, 1, most.CallResult}, "call-result-bytes",
		"SIZE maximum size of the JSON result of one tool call")
	fs.Var(byteSize[int]{&l.ResultBytes, 1, most.ResultBytes}, "output-limit", "SIZE maximum size of the printed value")
	fs.Var(byteSize[int]{&l.OutputBytes, 1, most.OutputBytes}, "print-limit",
		"SIZE maximum output of the program; further output is dropped")
}

// choice is a flag value that is one of several words; set takes it.
type choice struct {
	of  []string
	set func(word string)
}

func (c choice) String() string { return "" } // the usage of the flag tells the default

func (c choice) Set(word string) error {
	if !slices.Contains(c.of, word) {
		return fmt.Errorf("want one of %s", strings.Join(c.of, ", "))
	}
	c.set(word)
	return nil
}

// fileName is a flag value that names a file. An empty one is a mistake, such as a variable
// of a shell that is not set, and not a flag that was left out.
type fileName struct{ name *string }

func (v fileName) String() string {
	if v.name == nil {
		return ""
	}
	return *v.name
}

func (v fileName) Set(s string) error {
	if s == "" {
		return errors.New("want the name of a file")
	}
	*v.name = s
	return nil
}

// duration is a flag value such as 30s.
type duration struct {
	d    *time.Duration
	most time.Duration
}

func (v duration) String() string {
	if v.d == nil {
		return ""
	}
	return diag.Duration(*v.d)
}

func (v duration) Set(s string) error {
	d, err := time.ParseDuration(s)
	switch {
	case err != nil && isTime(s), d > v.most:
		return errors.New("want a time up to " + diag.Duration(v.most))
	case err != nil || d <= 0:
		return errors.New("want a time above 0 such as 500ms, 30s or 5m")
	}
	*v.d = d
	return nil
}

// isTime reports whether a string is a duration, even one that overflows Go's type.
func isTime(s string) bool {
	zeros := strings.Map(func(c rune) rune {
		if c >= '1' && c <= '9' {
			return '0'
		}
		return c
	}, s)
	_, err := time.ParseDuration(zeros)
	return err == nil && !strings.HasPrefix(s, "-")
}

// count is a flag value such as 8 or 1_000_000.
type count[T int | int64] struct {
	n    *T
	most T
}

func (v count[T]) String() string {
	if v.n == nil {
		return ""
	}
	return strconv.FormatInt(int64(*v.n), 10)
}

func (v count[T]) Set(s string) error {
	n, err := strconv.ParseInt(strings.ReplaceAll(s, "_", ""), 10, 64)
	if errors.Is(err, strconv.ErrRange) && n > 0 || n > int64(v.most) {
		return fmt.Errorf("want a whole number up to %d", v.most)
	}
	if err != nil || n <= 0 {
		return errors.New("want a whole number above 0")
	}
	*v.n = T(n)
	return nil
}

// byteSize is a flag value such as 64MB; KB, MB and GB are powers of 1024.
type byteSize[T int | int64] struct {
	n     *T
	least int64
	most  T
}

var sizeUnits = []string{"B", "KB", "MB", "GB"}

func (v byteSize[T]) String() string {
	if v.n == nil {
		return ""
	}
	return sizeText(int64(*v.n))
}

// sizeText returns a size in the largest unit that divides it.
func sizeText(n int64) string {
	unit := 0
	for unit+1 < len(sizeUnits) && n > 0 && n%1024 == 0 {
		n /= 1024
		unit++
	}
	return strconv.FormatInt(n, 10) + sizeUnits[unit]
}

func (v byteSize[T]) Set(s string) error {
	digits := strings.TrimRight(strings.ToUpper(s), "KMGIB")
	unit := strings.ReplaceAll(strings.ToUpper(s)[len(digits):], "I", "") // KiB is KB
	if unit == "" || unit != "B" && !strings.HasSuffix(unit, "B") {
		unit += "B"
	}
	n, err := strconv.ParseInt(strings.ReplaceAll(digits, "_", ""), 10, 64)
	shift := 10 * slices.Index(sizeUnits, unit)
	switch {
	case (err == nil || errors.Is(err, strconv.ErrRange)) && shift >= 0 && n > int64(v.most)>>shift:
		return errors.New("want a size up to " + sizeText(int64(v.most)))
	case err != nil || n <= 0 || shift < 0:
		return errors.New("want a size above 0 such as 500KB, 64MB or 2GB")
	case n<<shift < v.least:
		return errors.New("want at least " + sizeText(v.least))
	}
	*v.n = T(n << shift)
	return nil
}
