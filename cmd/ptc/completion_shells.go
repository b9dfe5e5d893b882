// This file defines how completions are written for each shell.

package main

import (
	"fmt"
	"io"
	"strings"
)

// bashOpening finds the command and the word before the cursor. In the words of bash = stands
// by itself. compopt keeps bash from offering files where the value is none; the bash of
// macOS does not have it.
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
		c.bashFlags(&b)
		if c.arguments == fileArguments {
			b.WriteString("\t\tfiles=yes\n")
		}
		if len(c.words) > 0 {
			fmt.Fprintf(&b, "\t\twords='%s'\n", strings.Join(c.words, " "))
		}
		b.WriteString("\t\t;;\n")
	}
	b.WriteString(bashEnd)
	io.WriteString(w, b.String())
}

// bashFlags writes the flags of a command, and what completes the values of those before
// the cursor.
func (c command) bashFlags(b *strings.Builder) {
	var names, files, free []string
	var chosen strings.Builder
	for _, f := range c.sortedFlags() {
		name := dashed(f.name)
		names = append(names, name)
		switch {
		case f.value == "":
		case len(f.choices) > 0:
			fmt.Fprintf(&chosen, "\t\t%s) compopt +o default 2>/dev/null; COMPREPLY=($(compgen -W '%s' -- \"$cur\")); "+
				"return ;;\n", name, strings.Join(f.choices, " "))
		case f.takesFile():
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
	b.WriteString("#compdef ptc\n# zsh completion for ptc, written by: ptc completion zsh\n_ptc() {\n\tlocal -a " +
		"commands=(\n")
	for _, c := range all {
		fmt.Fprintf(&b, "\t\t%s\n", quoted(c.name+":"+c.summary))
	}
	b.WriteString("\t)\n\tif (( CURRENT == 2 )); then\n\t\t_describe command commands\n\t\treturn\n\tfi\n" +
		"\tlocal command=$words[2]\n\tshift words\n\t(( CURRENT-- ))\n\tcase $command in\n")
	for _, c := range all {
		fmt.Fprintf(&b, "\t%s) _arguments", c.name)
		for _, f := range c.sortedFlags() {
			fmt.Fprintf(&b, " \\\n\t\t%s", quoted(f.zsh()))
		}
		switch {
		case c.arguments == fileArguments:
			b.WriteString(" \\\n\t\t'*:file:_files'")
		case len(c.words) > 0:
			fmt.Fprintf(&b, " \\\n\t\t%s", quoted("1:argument:("+strings.Join(c.words, " ")+")"))
		}
		b.WriteString(" ;;\n")
	}
	b.WriteString(zshEnd)
	io.WriteString(w, b.String())
}

// zsh writes a flag as _arguments takes it.
func (f flagSpec) zsh() string {
	text := strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`).Replace(f.description())
	spec := dashed(f.name)
	if f.value != "" && len(f.name) > 1 {
		spec += "="
	}
	spec += "[" + text + "]"
	if f.repeats {
		spec = "*" + spec
	}
	if f.value == "" {
		return spec
	}
	spec += ":" + strings.ReplaceAll(f.value, ":", `\:`) + ":"
	switch {
	case len(f.choices) > 0:
		spec += "(" + strings.Join(f.choices, " ") + ")"
	case f.takesFile():
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
		after := fmt.Sprintf("complete -c ptc -n '__fish_seen_subcommand_from %s'", c.name)
		for _, f := range c.sortedFlags() {
			fmt.Fprintf(&b, "%s %s -d %s\n", after, f.fish(), quoted(f.description()))
		}
		if c.arguments == fileArguments {
			b.WriteString(after + " -F\n")
		}
		if len(c.words) > 0 {
			fmt.Fprintf(&b, "%s -a '%s'\n", after, strings.Join(c.words, " "))
		}
	}
	io.WriteString(w, b.String())
}

// fish writes a flag as complete takes it.
func (f flagSpec) fish() string {
	option := "-l " + f.name
	if len(f.name) == 1 {
		option = "-s " + f.name
	}
	switch {
	case f.value == "":
		return option
	case len(f.choices) > 0:
		return option + " -x -a '" + strings.Join(f.choices, " ") + "'"
	case f.takesFile():
		return option + " -r -F"
	}
	return option + " -x"
}

// quoted writes a word for a shell: in every one of the three what is between ' is itself,
// and fish alone takes \ there.
func quoted(word string) string {
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
