// This file defines the completions of shells, which are written from the commands and their
// flags.

package main

import (
	"context"
	"io"
	"slices"
	"strings"
)

func completionCommand() command {
	return command{
		name:    "completion",
		summary: "print the completions of a shell",
		usage:   []string{strings.Join(shellNames(), "|")},
		about:   "Prints the completions of a shell: commands, flags, the values of flags, and files.",
		examples: []string{
			"source <(ptc completion bash)",
			`ptc completion zsh > "${fpath[1]}/_ptc"`,
			"ptc completion fish > ~/.config/fish/completions/ptc.fish",
		},
		arguments: wordArguments,
		words:     shellNames(),
		run:       printCompletion,
	}
}

// shell is a shell that there are completions for.
type shell struct {
	name  string
	write func(w io.Writer, all []command)
}

func shells() []shell { return []shell{{"bash", writeBash}, {"fish", writeFish}, {"zsh", writeZsh}} }

func shellNames() (names []string) {
	for _, s := range shells() {
		names = append(names, s.name)
	}
	return names
}

func printCompletion(_ context.Context, in *invocation, s streams) int {
	names := strings.Join(shellNames(), ", ")
	if len(in.rest) != 1 {
		return failUsage(s, "completion takes one shell: %s", names)
	}
	i := slices.Index(shellNames(), in.rest[0])
	if i < 0 {
		return failUsage(s, "there are no completions for %s; the shells are %s", in.rest[0], names)
	}
	shells()[i].write(s.out, completedCommands())
	return exitOK
}

// completedCommands returns all commands, help included.
func completedCommands() []command {
	all := commands()
	help := command{name: "help", summary: "show the usage of a command", arguments: wordArguments}
	for _, c := range all {
		help.words = append(help.words, c.name)
	}
	return append(all, help)
}
