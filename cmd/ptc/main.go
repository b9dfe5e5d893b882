// Command ptc runs, checks and formats task programs.
package main

import (
	"context"
	"errors"
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
}

// command declares a subcommand. Help, completions, the manual page and docs/reference.md are made from it.
type command struct {
	name, summary string
	usage         []string          // the flags and arguments after the name, one string for each way to call it
	about         string            // the description, in paragraphs
	examples      []string          // command lines
	declare       func() []flagSpec // returns the flags; nil if there are none
	arguments     arguments
	words         []string // the possible arguments of a command with wordArguments
	instead       string   // what to do with the argument %s of a command with noArguments; may be empty
	describes     bool     // granted things are not opened, and need not exist
	run           func(ctx context.Context, in *invocation, s streams) int
}

// arguments is the kind of the arguments of a command.
type arguments uint8

const (
	noArguments arguments = iota
	fileArguments
	nameArguments
	wordArguments // among command.words
)

// commands returns the subcommands, in the order of the help.
func commands() []command {
	return []command{
		runCommand(), replCommand(), replayCommand(), resumeCommand(), traceCommand(), checkCommand(), fmtCommand(),
		docCommand(), promptCommand(), manCommand(), completionCommand(), versionCommand(),
	}
}

// findCommand returns the subcommand of a name.
func findCommand(name string) (c command, ok bool) {
	for _, c := range commands() {
		if c.name == name {
			return c, true
		}
	}
	return c, false
}

// execute reads the words after the name of a command, and runs it.
func (c command) execute(ctx context.Context, words []string, s streams) int {
	in, err := c.parse(words)
	switch {
	case errors.Is(err, errHelp):
		c.help(s.out)
		return exitOK
	case err != nil:
		return failUsage(s, "%v\nsee ptc help %s", err, c.name)
	case c.arguments == noArguments && len(in.rest) > 0:
		instead := c.instead
		if instead != "" {
			instead = "; " + fmt.Sprintf(instead, in.rest[0])
		}
		return failUsage(s, "%s takes no arguments, got %q%s", c.name, in.rest[0], instead)
	}
	return c.run(ctx, in, s)
}

func main() {
	ctx, signals := newInterrupts()
	os.Exit(dispatch(ctx, os.Args[1:], streams{in: input{os.Stdin, signals}, out: &output{Writer: os.Stdout},
		err: os.Stderr, printing: signals.handle, interrupts: signals.take}))
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
		return help(args[1:], s)
	case "-v", "-version", "--version":
		args = []string{"version"}
	}
	c, ok := findCommand(args[0])
	if !ok {
		return unknownCommand(args[0], s)
	}
	return c.execute(ctx, args[1:], s)
}
