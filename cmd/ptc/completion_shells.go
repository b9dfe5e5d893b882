// This file defines how completions are written for each shell.

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ptc-lang/ptc/cmd/internal/flags"
)

// bashOpening finds the command and the word before the cursor. bash makes = a separate word. compopt
// prevents bash from offering files where the value is not a file; the bash of macOS does not have it.
const bashOpening = `# bash completion for ptc, written by: ptc completion bash
_ptc() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} flags='' words='' files=''
	if [[ $cur == '=' ]]; then
		cur=''
	elif [[ $prev == '=' ]]; then
		prev=${COMP_WORDS[COMP_CWORD-2]}
	fi
	COMPREPLY=()
	if (( COMP_CWORD == 1 )); then
		compopt +o default 2>/dev/null
		COMPREPLY=($(compgen -W '%s' -- "$cur"))
		return
	fi
	case ${COMP_WORDS[1]} in
`

const bashEnd = `	esac
	if [[ $cur == -* ]]; then
		words=$flags
	elif [[ -n $files ]]; then
		return
	fi
	compopt +o default 2>/dev/null
	COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _ptc ptc
`

func writeBash(w io.Writer, all []command) {
	var b strings.Builder
	var names []string
	for _, c := range all {
		names = append(names, c.name)
	}
	fmt.Fprintf(&b, bashOpening, strings.Join(names, " "))
	for _, c := range all {
		fmt.Fprintf(&b, "\t%s)\n", c.name)
		if c.parts == nil {
			c.bashBody(&b)
		} else {
			c.bashParts(&b)
		}
		b.WriteString("\t\t;;\n")
	}
	b.WriteString(bashEnd)
	io.WriteString(w, b.String())
}

// bashParts writes the completions of a command with parts.
func (c command) bashParts(b *strings.Builder) {
	fmt.Fprintf(b, "\t\tif (( COMP_CWORD == 2 )); then\n\t\t\tcompopt +o default 2>/dev/null\n"+
		"\t\t\tCOMPREPLY=($(compgen -W '%s' -- \"$cur\"))\n\t\t\treturn\n\t\tfi\n\t\tcase ${COMP_WORDS[2]} in\n",
		strings.Join(c.partNames(), " "))
	for _, part := range c.subcommands() {
		fmt.Fprintf(b, "\t\t%s)\n", c.ofPart(part))
		part.bashBody(b)
		b.WriteString("\t\t;;\n")
	}
	b.WriteString("\t\tesac\n")
}

// bashBody writes the completions of a command after its name.
func (c command) bashBody(b *strings.Builder) {
	c.bashFlags(b)
	if c.arguments == fileArguments {
		b.WriteString("\t\tfiles=yes\n")
	}
	if len(c.words) > 0 {
		fmt.Fprintf(b, "\t\twords='%s'\n", strings.Join(c.words, " "))
	}
}

// bashFlags writes the flags of a command, and the completions of their values before the cursor.
func (c command) bashFlags(b *strings.Builder) {
	var names, files, free []string
	var chosen strings.Builder
	for _, f := range c.sortedFlags() {
		name := flags.Dashed(f.Name)
		names = append(names, name)
		switch {
		case f.Value == "":
		case len(f.Choices) > 0:
			fmt.Fprintf(&chosen, "\t\t%s) compopt +o default 2>/dev/null; COMPREPLY=($(compgen -W '%s' -- \"$cur\")); "+
				"return ;;\n", name, strings.Join(f.Choices, " "))
		case f.TakesFile():
			files = append(files, name)
		default:
			free = append(free, name)
		}
	}
	if len(names) == 0 {
		return
	}
	fmt.Fprintf(b, "\t\tflags='%s'\n\t\tcase $prev in\n%s", strings.Join(names, " "), chosen.String())
	if len(files) > 0 {
		fmt.Fprintf(b, "\t\t%s) return ;;\n", strings.Join(files, "|"))
	}
	if len(free) > 0 {
		fmt.Fprintf(b, "\t\t%s) compopt +o default 2>/dev/null; return ;;\n", strings.Join(free, "|"))
	}
	b.WriteString("\t\tesac\n")
}

const zshEnd = `	esac
}
if [[ $funcstack[1] == _ptc ]]; then # loaded by name from fpath
	_ptc "$@"
else
	compdef _ptc ptc
fi
`

func writeZsh(w io.Writer, all []command) {
	var b strings.Builder
	b.WriteString("#compdef ptc\n# zsh completion for ptc, written by: ptc completion zsh\n_ptc() {\n\tlocal command\n" +
		"\tlocal -a commands\n")
	zshCommands(&b, "", all)
	b.WriteString(zshEnd)
	io.WriteString(w, b.String())
}

// zshCommands writes the choice among commands whose names begin with a prefix, and their completions.
func zshCommands(b *strings.Builder, prefix string, all []command) {
	b.WriteString("\tcommands=(\n")
	for _, c := range all {
		fmt.Fprintf(b, "\t\t%s\n", quoted(strings.TrimPrefix(c.name, prefix)+":"+c.summary))
	}
	b.WriteString("\t)\n\tif (( CURRENT == 2 )); then\n\t\t_describe command commands\n\t\treturn\n\tfi\n" +
		"\tcommand=$words[2]\n\tshift words\n\t(( CURRENT-- ))\n\tcase $command in\n")
	for _, c := range all {
		fmt.Fprintf(b, "\t%s) ", strings.TrimPrefix(c.name, prefix))
		if c.parts != nil {
			b.WriteString("\n")
			zshCommands(b, c.name+" ", c.parts())
			b.WriteString("\tesac ;;\n")
			continue
		}
		c.zshArguments(b)
	}
}

// zshArguments writes the completions of a command after its name.
func (c command) zshArguments(b *strings.Builder) {
	b.WriteString("_arguments")
	for _, f := range c.sortedFlags() {
		fmt.Fprintf(b, " \\\n\t\t%s", quoted(zshFlag(f)))
	}
	switch {
	case c.arguments == fileArguments:
		b.WriteString(" \\\n\t\t'*:file:_files'")
	case len(c.words) > 0:
		fmt.Fprintf(b, " \\\n\t\t%s", quoted("1:argument:("+strings.Join(c.words, " ")+")"))
	}
	b.WriteString(" ;;\n")
}

// zshFlag returns a flag as _arguments takes it.
func zshFlag(f flags.Spec) string {
	text := strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`).Replace(f.Description())
	spec := flags.Dashed(f.Name)
	if f.Value != "" && len(f.Name) > 1 {
		spec += "="
	}
	spec += "[" + text + "]"
	if f.Repeats {
		spec = "*" + spec
	}
	if f.Value == "" {
		return spec
	}
	spec += ":" + strings.ReplaceAll(f.Value, ":", `\:`) + ":"
	switch {
	case len(f.Choices) > 0:
		spec += "(" + strings.Join(f.Choices, " ") + ")"
	case f.TakesFile():
		spec += "_files"
	}
	return spec
}

func writeFish(w io.Writer, all []command) {
	var b strings.Builder
	b.WriteString("# fish completion for ptc, written by: ptc completion fish\ncomplete -c ptc -f\n")
	for _, c := range all {
		fmt.Fprintf(&b, "complete -c ptc -n __fish_use_subcommand -a %s -d %s\n", c.name, quoted(c.summary))
	}
	for _, c := range all {
		if c.parts != nil {
			c.fishParts(&b)
			continue
		}
		seen := "__fish_seen_subcommand_from " + c.name
		for _, other := range all { // a part may have the name of a command
			if slices.Contains(other.partNames(), c.name) {
				seen += "; and not __fish_seen_subcommand_from " + other.name
			}
		}
		c.fishArguments(&b, seen)
	}
	io.WriteString(w, b.String())
}

// fishParts writes the completions of a command with parts.
func (c command) fishParts(b *strings.Builder) {
	seen := "__fish_seen_subcommand_from " + c.name
	for _, part := range c.subcommands() {
		fmt.Fprintf(b, "complete -c ptc -n '%s; and not __fish_seen_subcommand_from %s' -a %s -d %s\n", seen,
			strings.Join(c.partNames(), " "), c.ofPart(part), quoted(part.summary))
	}
	for _, part := range c.subcommands() {
		part.fishArguments(b, seen+"; and __fish_seen_subcommand_from "+c.ofPart(part))
	}
}

// fishArguments writes the completions of a command after its name, under a condition.
func (c command) fishArguments(b *strings.Builder, seen string) {
	after := fmt.Sprintf("complete -c ptc -n '%s'", seen)
	for _, f := range c.sortedFlags() {
		fmt.Fprintf(b, "%s %s -d %s\n", after, fishFlag(f), quoted(f.Description()))
	}
	if c.arguments == fileArguments {
		b.WriteString(after + " -F\n")
	}
	if len(c.words) > 0 {
		fmt.Fprintf(b, "%s -a '%s'\n", after, strings.Join(c.words, " "))
	}
}

// fishFlag writes a flag as complete takes it.
func fishFlag(f flags.Spec) string {
	option := "-l " + f.Name
	if len(f.Name) == 1 {
		option = "-s " + f.Name
	}
	switch {
	case f.Value == "":
		return option
	case len(f.Choices) > 0:
		return option + " -x -a '" + strings.Join(f.Choices, " ") + "'"
	case f.TakesFile():
		return option + " -r -F"
	}
	return option + " -x"
}

// quoted writes a word for a shell: all three shells take text between ' literally, except that fish treats
// \ specially there.
func quoted(word string) string {
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
