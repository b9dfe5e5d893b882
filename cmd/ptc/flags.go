// This file defines the flags that several subcommands share.

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// byteSize is a flag value such as 64MB; KB, MB and GB are powers of 1024.
type byteSize struct{ n *int64 }

func (b byteSize) String() string {
	if b.n == nil {
		return ""
	}
	return strconv.FormatInt(*b.n>>20, 10) + "MB"
}

func (b byteSize) Set(s string) error {
	digits := strings.TrimRight(strings.ToUpper(s), "KMGBI")
	unit := strings.ToUpper(s)[len(digits):]
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n <= 0 {
		return errors.New("want a size above 0 such as 64MB")
	}
	shift := map[string]int{"": 0, "B": 0, "K": 10, "KB": 10, "KIB": 10, "M": 20, "MB": 20, "MIB": 20, "G": 30, "GB": 30, "GIB": 30}
	by, ok := shift[unit]
	if !ok || n > 1<<40>>by {
		return errors.New("want a size up to 1024GB such as 64MB")
	}
	*b.n = n << by
	return nil
}

// limitFlags declares the flags of the bounds.
func limitFlags(fs *flag.FlagSet, l *ptc.Limits) {
	*l = limits.Default()
	fs.DurationVar(&l.Timeout, "timeout", l.Timeout, "longest run time")
	fs.Int64Var(&l.Steps, "steps", l.Steps, "most steps: calls, jumps back, units of builtin work")
	fs.Var(byteSize{&l.Memory}, "memory", "most memory live in the main evaluation")
	fs.Var(byteSize{&l.WorkerMemory}, "worker-memory", "most memory live in each parallel worker")
	fs.IntVar(&l.Workers, "workers", l.Workers, "most parallel workers alive")
	fs.IntVar(&l.Depth, "depth", l.Depth, "deepest nesting of calls")
	fs.IntVar(&l.Calls, "calls", l.Calls, "most tool calls")
	fs.Var(intSize{&l.ResultBytes}, "output-limit", "longest rendered result")
}

// intSize is byteSize for an int.
type intSize struct{ n *int }

func (b intSize) String() string {
	if b.n == nil {
		return ""
	}
	n := int64(*b.n)
	return byteSize{&n}.String()
}

func (b intSize) Set(s string) error {
	var n int64
	err := byteSize{&n}.Set(s)
	*b.n = int(n)
	return err
}

// newFlags makes the flag set of a subcommand. about is its help: the usage line,
// a text and examples.
func newFlags(name, about string, s streams) *flag.FlagSet {
	fs := flag.NewFlagSet("ptc "+name, flag.ContinueOnError)
	fs.SetOutput(s.err)
	fs.Usage = func() {
		fmt.Fprint(fs.Output(), about)
		n := 0
		fs.VisitAll(func(*flag.Flag) { n++ })
		if n > 0 {
			fmt.Fprint(fs.Output(), "\nflags:\n")
			fs.PrintDefaults()
		}
	}
	return fs
}

// parse reads flags and arguments in any order; ok is false when the command is
// over, with the exit code.
func parse(fs *flag.FlagSet, args []string) (rest []string, code int, ok bool) {
	for {
		if err := fs.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				return nil, exitOK, false
			}
			return nil, exitUsage, false
		}
		if fs.NArg() == 0 {
			return rest, 0, true
		}
		rest = append(rest, fs.Arg(0))
		args = fs.Args()[1:]
	}
}

func helpOrUsage(args []string) int {
	if args[0] == "-h" || args[0] == "--help" || args[0] == "-help" {
		return exitOK
	}
	return exitUsage
}

// readSource reads a program from a file, or from the standard input for "-".
func readSource(name string, s streams) (string, error) {
	if name == "-" {
		text, err := io.ReadAll(io.LimitReader(s.in, maxSource))
		return string(text), err
	}
	text, err := os.ReadFile(name)
	return string(text), err
}

// maxSource is how much of the standard input is read as a program; the limit on
// source bytes is far below it.
const maxSource = 1 << 26

func versionText() string {
	v := version
	if info, ok := debug.ReadBuildInfo(); ok && v == "devel" && info.Main.Version != "" && info.Main.Version != "(devel)" {
		v = info.Main.Version
	}
	return fmt.Sprintf("ptc %s %s %s/%s", v, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
