// Command ptc runs, checks and formats task programs.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/ptc-lang/ptc/cmd/internal/buildinfo"
	"github.com/ptc-lang/ptc/cmd/internal/flags"
)

// The exit codes of every subcommand.
const (
	exitOK          = 0
	exitFailed      = 1 // the program threw an exception, or called fail
	exitUsage       = 2
	exitCompile     = 3
	exitLimit       = 4
	exitNotGranted  = 5
	exitWaiting     = 6  // the run waits for settlements
	exitService     = 69 // the service does not answer, or refuses a request
	exitInternal    = 70
	exitInterrupted = 130
)

// version is set by the linker in releases.
var version = buildinfo.Unset

// streams are the standard streams of a command.
type streams struct {
	in       io.Reader
	out      *output
	err      io.Writer
	printing func() // called before a program prints
	// interrupts is called by a command that an interrupt does not end. It returns the interrupts from then on, until
	// back is called. nil returns none.
	interrupts func() (taken <-chan os.Signal, back func())
}

// command declares a subcommand. Help, completions, the manual page and docs/reference.md are made from it.
type command struct {
	name, summary string
	usage         []string                       // the flags and arguments after the name, for each way to call it
	about         string                         // the description, in paragraphs
	examples      []string                       // command lines
	declare       func(v *settings) []flags.Spec // the flags; nil if there are none
	arguments     arguments
	words         []string         // the possible arguments of a command with wordArguments
	instead       string           // the advice about the argument %s of a command with noArguments; optional
	describes     bool             // granted things are not opened, and need not exist
	parts         func() []command // the subcommands of a command, whose names begin with its own; nil if there are none
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
		runCommand(), testCommand(), replCommand(), replayCommand(), resumeCommand(), traceCommand(), checkCommand(),
		fmtCommand(),
		remoteCommand(), mcpCommand(), docCommand(), promptCommand(), manCommand(), completionCommand(), versionCommand(),
	}
}

// allCommands returns the subcommands, each followed by its parts.
func allCommands() (all []command) {
	for _, c := range commands() {
		all = append(append(all, c), c.subcommands()...)
	}
	return all
}

// subcommands returns the parts of the command.
func (c command) subcommands() []command {
	if c.parts == nil {
		return nil
	}
	return c.parts()
}

// findCommand returns the subcommand that words begin with, and the words after it. A word that is no part of a command
// with parts remains.
func findCommand(words []string) (c command, rest []string, ok bool) {
	all := commands()
	i := slices.IndexFunc(all, func(c command) bool { return c.name == words[0] })
	if i < 0 {
		return c, words, false
	}
	c, rest = all[i], words[1:]
	if len(rest) == 0 {
		return c, rest, true
	}
	for _, part := range c.subcommands() {
		if part.name == c.name+" "+rest[0] {
			return part, rest[1:], true
		}
	}
	return c, rest, true
}

// execute reads the words after the name of a command, and runs it.
func (c command) execute(ctx context.Context, words []string, s streams) int {
	in, err := c.parse(words)
	switch {
	case errors.Is(err, flags.ErrHelp):
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
	in.grants.Log = in.serverLog(s.err)
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
	c, rest, ok := findCommand(args)
	if !ok {
		return unknownCommand(args[0], s)
	}
	return c.execute(ctx, rest, s)
}
