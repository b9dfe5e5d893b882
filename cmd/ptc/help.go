// This file defines the help of ptc, the error for an unknown command, and the version.

package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

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
	c, ok := findCommand(args[0])
	if !ok {
		return unknownCommand(args[0], s)
	}
	c.help(s.out)
	return exitOK
}

// help writes the usage, the description and the examples of a command, and a list of its flags.
func (c command) help(w io.Writer) {
	fmt.Fprintf(w, "%s\n\n%s\n\n%s\n", c.usageText(), c.about, c.exampleText())
	for _, g := range groups {
		flags := slices.DeleteFunc(c.sortedFlags(), func(f flagSpec) bool { return cmp.Or(f.group, groupGeneral) != g })
		width := 0
		for _, f := range flags {
			width = max(width, len(f.usage()))
		}
		for i, f := range flags {
			if i == 0 {
				fmt.Fprintf(w, "\n%s:\n", g)
			}
			fmt.Fprintf(w, "  %-*s  %s\n", width, f.usage(), f.description())
		}
	}
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

func versionText() string {
	return fmt.Sprintf("ptc %s %s %s/%s", releaseVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// releaseVersion returns the version of the release, of the module that go install has built, or of the commit.
func releaseVersion() string {
	info, ok := debug.ReadBuildInfo()
	if ok && version == "devel" && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return version
}
