// This file defines the completions of shells, which are written from the commands and their
// flags.

package main

import (
	"context"
	"io"
	"maps"
	"slices"
	"strings"
)

const completionAbout = `usage: ptc completion bash|zsh|fish

Prints the completions of a shell: commands, flags, the values of flags, and files.

examples:
  source <(ptc completion bash)
  ptc completion zsh > "${fpath[1]}/_ptc"
  ptc completion fish > ~/.config/fish/completions/ptc.fish
`

// shells are the shells that there are completions for.
var shells = map[string]func(w io.Writer, all []completed){"bash": writeBash, "zsh": writeZsh, "fish": writeFish}

func completionCommand(_ context.Context, args []string, s streams) int {
	rest, code, ok := parse(newFlags("completion", completionAbout), args, s)
	if !ok {
		return code
	}
	names := strings.Join(slices.Sorted(maps.Keys(shells)), ", ")
	switch {
	case len(rest) != 1:
		return failUsage(s, "completion takes one shell: %s", names)
	case shells[rest[0]] == nil:
		return failUsage(s, "there are no completions for %s; the shells are %s", rest[0], names)
	}
	shells[rest[0]](s.out, allCompleted())
	return exitOK
}

// completed is what a shell completes after a command.
type completed struct {
	name, summary string
	flags         []flagText
	words         []string // that arguments can be
	files         bool     // whether arguments are files
}

// allCompleted returns all commands, help included.
func allCompleted() []completed {
	var all []completed
	var names []string
	for _, c := range commands() {
		fs := c.flags()
		words, files := operand(fs.about)
		all = append(all, completed{c.name, c.summary, fs.texts(), words, files})
		names = append(names, c.name)
	}
	return append(all, completed{name: "help", summary: "show the usage of a command", words: names})
}

// operand returns the kind of the arguments of a command, by the last word of its usage line: FILE and JOURNAL
// are files, words separated by | stand for themselves.
func operand(about string) (words []string, files bool) {
	line, _, _ := strings.Cut(about, "\n")
	line, _, _ = strings.Cut(line, " -") // flags behind the argument
	fields := strings.Fields(line)
	last := fields[len(fields)-1]
	if strings.Contains(last, "|") {
		return strings.Split(last, "|"), false
	}
	return nil, strings.HasPrefix(last, "FILE") || last == "JOURNAL"
}

// takesFile reports whether the value of a flag is a file or a directory.
func (t flagText) takesFile() bool {
	return strings.HasPrefix(t.value, "FILE") || strings.HasPrefix(t.value, "DIR")
}

// repeats reports whether a flag may be repeated.
func (t flagText) repeats() bool { return strings.Contains(t.text, "may be repeated") }
