// Package subcommand runs a command of ptcd that has subcommands, such as ptcd token.
package subcommand

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/ptc-lang/ptc/cmd/internal/flags"
)

// The exit codes.
const (
	ok     = 0
	failed = 1
	usage  = 2
)

// ErrUsage is the error of a command line that makes no sense.
var ErrUsage = errors.New("usage")

// Group is a command that has commands. S is the values of their flags.
type Group[S any] struct {
	Name     string // such as "ptcd token"
	About    string // the first line of its help
	Commands []Command[S]
	// Prepare checks the flags after a command line was read; an error is one of usage.
	Prepare func(s *S) error
}

// Command is one of the commands.
type Command[S any] struct {
	Name    string
	Usage   string
	Summary string
	Flags   func(*S) []flags.Spec
	// Run runs it until a signal ends ctx. The error is one of usage if it is ErrUsage.
	Run func(ctx context.Context, s *S, args []string, out, errs io.Writer) error
}

// Main runs the command with its arguments, and returns the exit code.
func (g *Group[S]) Main(args []string, out, errs io.Writer) int {
	if len(args) == 0 || args[0] == "help" || strings.HasPrefix(args[0], "-") {
		g.help(errs)
		if len(args) > 0 && (args[0] == "help" || args[0] == "--help" || args[0] == "-h") {
			return ok
		}
		return usage
	}
	var names []string
	for _, c := range g.Commands {
		if c.Name == args[0] {
			return g.run(c, args[1:], out, errs)
		}
		names = append(names, c.Name)
	}
	last := len(names) - 1
	fmt.Fprintf(errs, "%s: there is no command %q, want %s or %s\n", g.Name, args[0], strings.Join(names[:last], ", "),
		names[last])
	return usage
}

func (g *Group[S]) run(c Command[S], args []string, out, errs io.Writer) int {
	var s S
	name := g.Name + " " + c.Name
	line, err := flags.Parse(name, c.Flags(&s), args)
	if errors.Is(err, flags.ErrHelp) {
		fmt.Fprintf(errs, "%s: %s\n\nusage: %[1]s %[3]s\n", name, c.Summary, c.Usage)
		flags.Help(errs, c.Flags(new(S)))
		return ok
	}
	if err == nil {
		err = g.Prepare(&s)
	}
	if err == nil {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		if err = c.Run(ctx, &s, line.Rest, out, errs); err != nil && !errors.Is(err, ErrUsage) {
			fmt.Fprintf(errs, "%s: %v\n", name, err)
			return failed
		}
	}
	if err != nil {
		text := strings.TrimPrefix(err.Error(), ErrUsage.Error()+": ")
		fmt.Fprintf(errs, "%s: %s\nusage: %[1]s %[3]s\n", name, text, c.Usage)
		return usage
	}
	return ok
}

func (g *Group[S]) help(w io.Writer) {
	fmt.Fprintf(w, "%s\n\n", g.About)
	for _, c := range g.Commands {
		fmt.Fprintf(w, "  %s %-7s %s\n", g.Name, c.Name, c.Summary)
	}
	fmt.Fprintf(w, "\n%s COMMAND --help lists the flags.\n", g.Name)
}

// NoArguments returns an error of usage if there are arguments.
func NoArguments(args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%w: got the argument %q, want flags only", ErrUsage, args[0])
	}
	return nil
}
