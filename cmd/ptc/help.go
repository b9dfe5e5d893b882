// This file defines the help of ptc, the error for an unknown command, and the version.

package main

import (
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
func help(ctx context.Context, args []string, s streams) int {
	if len(args) == 0 || args[0] == "help" || strings.HasPrefix(args[0], "-") {
		usage(s.out)
		return exitOK
	}
	return subcommand(ctx, []string{args[0], "-h"}, s)
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

const versionAbout = `usage: ptc version

Prints the version of ptc, and the Go release and the platform it was built for.

example:
  ptc version
`

func versionCommand(_ context.Context, args []string, s streams) int {
	rest, code, ok := parse(newFlags("version", versionAbout), args, s)
	if !ok {
		return code
	}
	if len(rest) > 0 {
		return failUsage(s, "version takes no arguments, got %q", rest[0])
	}
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
