// This file defines the manual page, which is written from the commands and their flags.

package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/ptc-lang/ptc/cmd/internal/flags"

	"github.com/ptc-lang/ptc/cmd/internal/buildinfo"
)

func manCommand() command {
	return command{
		name:     "man",
		summary:  "print the manual page",
		usage:    []string{""},
		about:    "Prints the manual page, for man: every command with its flags and examples.",
		examples: []string{"ptc man > /usr/local/share/man/man1/ptc.1"},
		run: func(_ context.Context, _ *invocation, s streams) int {
			writeManual(s.out)
			return exitOK
		},
	}
}

const (
	manualOpening = `.SH NAME
ptc \- run task programs: short programs in a sandboxed Clojure
.SH SYNOPSIS
.B ptc
.I command
.RI [ flags ]
.RI [ arguments ]
.SH DESCRIPTION
A task program reduces data to a compact answer.
Every run is bounded in time, steps, memory, depth and output, and no limit can be switched off.
A program can reach only its input and the tools that it is granted.
.PP
Flags and arguments may come in any order; everything after
.B \-\-
is an argument.
`
	manualEnd = `.SH FILES
.TP
.I ptc.yaml
beside a script grants the tools that it needs.
.TP
.I $XDG_STATE_HOME/ptc/history
is the history of
.BR "ptc repl" .
.SH ENVIRONMENT
.TP
.B PTC_SERVER
is the address of the service of
.BR "ptc remote" .
.TP
.B PTC_TOKEN_FILE
is the file with the token for it.
.TP
.B PTC_CA_FILE
is the file with the certificates of authorities for it.
.TP
.B NO_COLOR
switches colours off.
.TP
.B GOMEMLIMIT
is the soft memory limit of the process; by default it follows from the limits of the run.
.SH SEE ALSO
.UR https://github.com/ptc\-lang/ptc
The language, the tools and their grants
.UE
`
)

// writeManual writes the page in the macros of man(7). It bears no date, so that a release
// can be made again.
func writeManual(w io.Writer) {
	m := &manual{}
	m.printf(".TH PTC 1 \"\" \"ptc %s\" \"User Commands\"\n%s.SH COMMANDS\n",
		roff(buildinfo.Version(version)), manualOpening)
	for _, c := range allCommands() {
		m.command(c)
	}
	m.printf("%s", manualEnd)
	io.WriteString(w, m.String())
}

// manual is the page that is being written.
type manual struct{ strings.Builder }

func (m *manual) printf(format string, args ...any) { fmt.Fprintf(m, format, args...) }

// command writes the usage, the description, the examples and the flags of a command.
func (m *manual) command(c command) {
	m.printf(".SS ptc %s\n%s.\n", roff(c.name), roff(strings.ToUpper(c.summary[:1])+c.summary[1:]))
	m.code(c.usageText())
	for paragraph := range strings.SplitSeq(c.about, "\n\n") {
		m.printf(".PP\n")
		m.lines(paragraph)
	}
	m.code(c.exampleText())
	for _, f := range c.sortedFlags() {
		m.printf(".TP\n.B %s", roff(flags.Dashed(f.Name)))
		if f.Value != "" {
			m.printf(" \\fI%s\\fR", roff(f.Value))
		}
		m.printf("\n%s\n", line(f.Description()))
	}
}

// code writes a paragraph whose lines are not to be filled.
func (m *manual) code(text string) {
	m.printf(".PP\n.EX\n")
	m.lines(text)
	m.printf(".EE\n")
}

func (m *manual) lines(text string) {
	for l := range strings.SplitSeq(text, "\n") {
		m.printf("%s\n", line(l))
	}
}

// roff escapes a text for use inside a line. The ellipsis becomes dots, because groff drops it on an ASCII
// terminal.
func roff(text string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`, "…", "...").Replace(text)
}

// line writes a line: a dot or quote at its beginning would make it a request.
func line(text string) string {
	text = roff(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		return `\&` + text
	}
	return text
}
