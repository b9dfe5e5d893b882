// Command ptc runs, checks and formats task programs.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
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
	out      *output
	err      io.Writer
	printing func() // called before a program prints
	// interrupts is called by a command that an interrupt does not end. It returns the interrupts from then on;
	// nil returns none.
	interrupts func() <-chan os.Signal
	// declared takes the flags of a command, which then ends before it has done anything;
	// nil has it run.
	declared func(*flagSet)
}

// command is one subcommand.
type command struct {
	name, summary string
	run           func(ctx context.Context, args []string, s streams) int
}

func commands() []command {
	return []command{
		{"run", "run a program", runCommand},
		{"repl", "evaluate forms interactively", replCommand},
		{"replay", "run the program of a journal again, with the recorded outcomes", replayCommand},
		{"resume", "continue an interrupted run", resumeCommand},
		{"trace", "draw a run from its journal", traceCommand},
		{"check", "report errors and likely mistakes in programs, without running them", checkCommand},
		{"fmt", "format programs", fmtCommand},
		{"doc", "show the documentation of a name", docCommand},
		{"prompt", "print a description of the language for a model", promptCommand},
		{"man", "print the manual page", manCommand},
		{"completion", "print the completions of a shell", completionCommand},
		{"version", "print the version", versionCommand},
	}
}

// flags returns the flags of a command, and what it says of itself. Every command begins with
// parse, which hands them over.
func (c command) flags() *flagSet {
	var fs *flagSet
	c.run(context.Background(), nil, streams{declared: func(declared *flagSet) { fs = declared }})
	return fs
}

func main() {
	ctx, signals := newInterrupts()
	os.Exit(dispatch(ctx, os.Args[1:], streams{in: input{os.Stdin, signals}, out: &output{Writer: os.Stdout},
		err:      os.Stderr,
		printing: signals.handle, interrupts: signals.take}))
}

// dispatch runs the subcommand that args begin with, and reports an error if its output can't be written.
func dispatch(ctx context.Context, args []string, s streams) int {
	code := subcommand(ctx, args, s)
	if s.out.err != nil {
		fmt.Fprintln(s.err, "ptc: can't write the output:", s.out.err)
		return exitFailed
	}
	return code
}

func subcommand(ctx context.Context, args []string, s streams) int {
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
	return unknownCommand(args[0], s)
}
