// Command ptc runs, checks and formats task programs.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// The exit codes of every subcommand.
const (
	exitOK          = 0
	exitFailed      = 1 // the program threw an exception, or called fail
	exitUsage       = 2
	exitCompile     = 3
	exitLimit       = 4
	exitNotGranted  = 5
	exitInternal    = 70
	exitInterrupted = 130
)

// version is set by the linker in releases.
var version = "devel"

// streams are what a command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// command is one subcommand.
type command struct {
	name, summary string
	run           func(ctx context.Context, args []string, s streams) int
}

func commands() []command {
	return []command{
		{"run", "run a program", runCommand},
		{"check", "compile a program without running it", checkCommand},
		{"fmt", "format programs", fmtCommand},
		{"doc", "show the documentation of a name", docCommand},
		{"version", "print the version", versionCommand},
	}
}

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	os.Exit(dispatch(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
}

// dispatch runs the subcommand that args begin with.
func dispatch(ctx context.Context, args []string, s streams) int {
	if len(args) == 0 {
		usage(s.err)
		return exitUsage
	}
	switch args[0] {
	case "help", "-h", "-help", "--help":
		return help(ctx, args[1:], s)
	case "-v", "-version", "--version":
		return versionCommand(ctx, nil, s)
	}
	for _, c := range commands() {
		if c.name == args[0] {
			return c.run(ctx, args[1:], s)
		}
	}
	fmt.Fprintf(s.err, "ptc: there is no command %q\n\n", args[0])
	usage(s.err)
	return exitUsage
}

func usage(w io.Writer) {
	fmt.Fprint(w, "ptc runs task programs: short programs in a sandboxed Clojure.\n\nusage: ptc COMMAND [flags] [arguments]\n\n")
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-9s %s\n", c.name, c.summary)
	}
	fmt.Fprint(w, "\nptc help COMMAND shows a command's flags and examples.\n")
}

// help shows the usage of ptc, or of a subcommand.
func help(ctx context.Context, args []string, s streams) int {
	if len(args) == 0 {
		usage(s.out)
		return exitOK
	}
	s.err = s.out
	return dispatch(ctx, []string{args[0], "-h"}, s)
}

func versionCommand(_ context.Context, args []string, s streams) int {
	if len(args) > 0 {
		fmt.Fprint(s.err, "usage: ptc version\n\nPrints the version of ptc and of the Go release it was built with.\n\nexample:\n  ptc version\n")
		return helpOrUsage(args)
	}
	fmt.Fprintln(s.out, versionText())
	return exitOK
}
