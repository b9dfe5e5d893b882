// This file defines the help of ptc, the error for an unknown command, and the version.

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ptc-lang/ptc/cmd/internal/buildinfo"
	"github.com/ptc-lang/ptc/cmd/internal/flags"
	"github.com/ptc-lang/ptc/lang/diag"
)

func usage(w io.Writer) {
	fmt.Fprint(w, "ptc runs task programs: short programs in a sandboxed Clojure.\n\nusage: ptc COMMAND [flags] "+
		"[arguments]\n\n")
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-10s %s\n", c.name, c.summary)
	}
	fmt.Fprint(w, "\nptc help COMMAND shows a command's flags and examples.\n")
}

// help shows the usage of ptc, or of a subcommand.
func help(args []string, s streams) int {
	if len(args) == 0 || args[0] == "help" || strings.HasPrefix(args[0], "-") {
		usage(s.out)
		return exitOK
	}
	c, rest, ok := findCommand(args)
	switch {
	case !ok:
		return unknownCommand(args[0], s)
	case len(rest) > 0 && c.parts != nil:
		return c.unknownPart(rest[0], s)
	}
	c.help(s.out)
	return exitOK
}

// help writes the usage, the description and the examples of a command, and a list of its flags.
func (c command) help(w io.Writer) {
	fmt.Fprintf(w, "%s\n\n%s\n", c.usageText(), c.about)
	for i, part := range c.subcommands() {
		if i == 0 {
			fmt.Fprintln(w, "\ncommands:")
		}
		fmt.Fprintf(w, "  %-10s %s\n", c.ofPart(part), part.summary)
	}
	fmt.Fprintf(w, "\n%s\n", c.exampleText())
	flags.Help(w, c.flags(&settings{}))
}

// ofPart returns the name of a part after that of the command.
func (c command) ofPart(part command) string { return strings.TrimPrefix(part.name, c.name+" ") }

// partNames returns the names of the parts after that of the command.
func (c command) partNames() (names []string) {
	for _, part := range c.subcommands() {
		names = append(names, c.ofPart(part))
	}
	return names
}

// unknownPart reports an unknown part of a command, and suggests the probable one.
func (c command) unknownPart(name string, s streams) int {
	fmt.Fprintf(s.err, "ptc: %s has no command %q\n", c.name, name)
	if best, near := diag.Suggest(name, slices.Values(c.partNames())); near {
		fmt.Fprintf(s.err, "did you mean ptc %s %s?\n", c.name, best)
	} else {
		fmt.Fprintf(s.err, "the commands are %s\n", strings.Join(c.partNames(), ", "))
	}
	return exitUsage
}

// usageText returns the ways to call a command, one per line.
func (c command) usageText() string {
	var b strings.Builder
	for i, u := range c.usage {
		if i > 0 {
			b.WriteString("\n       ")
		} else {
			b.WriteString("usage: ")
		}
		b.WriteString(strings.TrimSpace("ptc " + c.name + " " + u))
	}
	return b.String()
}

// exampleText returns the examples of a command, one per line.
func (c command) exampleText() string {
	heading := "examples:"
	if len(c.examples) == 1 {
		heading = "example:"
	}
	return strings.Join(append([]string{heading}, c.examples...), "\n  ")
}

// unknownCommand reports an unknown command, and suggests the probable one.
func unknownCommand(name string, s streams) int {
	fmt.Fprintf(s.err, "ptc: there is no command %q\n", name)
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	best, near := diag.Suggest(name, slices.Values(names))
	switch {
	case name == "-e":
		fmt.Fprintln(s.err, "to run an expression: ptc run -e EXPR")
	case isProgram(name):
		fmt.Fprintf(s.err, "to run a program: ptc run %s\n", name)
	case near:
		fmt.Fprintf(s.err, "did you mean ptc %s?\n", best)
	default:
		fmt.Fprintf(s.err, "the commands are help, %s\n", strings.Join(names, ", "))
	}
	return exitUsage
}

// isProgram reports whether name looks like the file of a program.
func isProgram(name string) bool {
	if slices.Contains([]string{".ptc", ".clj", ".cljc", ".edn"}, filepath.Ext(name)) {
		return true
	}
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

func versionCommand() command {
	return command{
		name:     "version",
		summary:  "print the version",
		usage:    []string{""},
		about:    "Prints the version of ptc, and the Go release and the platform it was built for.",
		examples: []string{"ptc version"},
		run:      printVersion,
	}
}

func printVersion(_ context.Context, _ *invocation, s streams) int {
	fmt.Fprintln(s.out, versionText())
	return exitOK
}

func versionText() string { return buildinfo.Text("ptc", version) }
