// Package commands finds the programs that a command runs, so that an operator can declare facts about calls of them.
package commands

import (
	"path"
	"slices"
	"strings"
	"sync"
)

// maxDepth bounds how often a command may run another one in its arguments, such as sudo sh -c '…'.
const maxDepth = 8

// Of returns the commands that argv runs: itself, or the command that a program such as sudo, env or sh -c is to run.
// The first word of each is the name of a program without its folder. exact reports whether argv runs these and nothing
// else.
func Of(argv ...string) (all [][]string, exact bool) {
	f := finder{exact: true}
	f.command(argv, maxDepth)
	return f.all, f.exact && len(f.all) > 0
}

// OfLine does the same for a line of a POSIX shell. It does not expand variables: a line that has some is not exact.
func OfLine(line string) (all [][]string, exact bool) {
	f := finder{exact: true}
	f.line(line, maxDepth)
	return f.all, f.exact && len(f.all) > 0
}

// finder collects commands.
type finder struct {
	all   [][]string
	exact bool
}

// wrapper describes a program that runs the command in its arguments.
type wrapper struct {
	valued   string // the letters of the options that take a value
	skip     int    // arguments before the command
	variable bool   // arguments such as NAME=value may stand before the command
}

var wrappers = sync.OnceValue(func() map[string]wrapper {
	return map[string]wrapper{
		"sudo": {valued: "CDghpRrTtUu", variable: true}, "doas": {valued: "Cu"}, "env": {valued: "CSu", variable: true},
		"nice": {valued: "n"}, "ionice": {valued: "cnp"}, "nohup": {}, "setsid": {}, "stdbuf": {valued: "eio"},
		"timeout": {valued: "ks", skip: 1}, "time": {}, "command": {}, "exec": {}, "xargs": {valued: "adEeILlnPs"},
	}
})

var shells = []string{"sh", "bash", "dash", "zsh", "ksh", "ash"}

// command adds the commands that argv runs.
func (f *finder) command(argv []string, depth int) {
	if len(argv) == 0 || depth == 0 {
		f.exact = false
		return
	}
	name := path.Base(argv[0])
	w, wraps := wrappers()[name]
	switch {
	case slices.Contains(shells, name):
		f.shell(name, argv, depth)
	case wraps:
		if name == "xargs" { // which adds arguments
			f.exact = false
		}
		f.wrapped(w, argv[1:], depth)
	default:
		f.all = append(f.all, append([]string{name}, argv[1:]...))
	}
}

// wrapped adds the command after the options of a wrapper.
func (f *finder) wrapped(w wrapper, args []string, depth int) {
	skip := w.skip
	for len(args) > 0 {
		a := args[0]
		switch {
		case a == "--":
			f.command(args[1:], depth-1)
			return
		case strings.HasPrefix(a, "--"): // it may take the next argument as its value
			f.exact = false
		case len(a) > 1 && a[0] == '-':
			if strings.IndexByte(w.valued, a[len(a)-1]) >= 0 && len(args) > 1 {
				args = args[1:]
			}
		case w.variable && strings.Contains(a, "="):
		case skip > 0:
			skip--
		default:
			f.command(args, depth-1)
			return
		}
		args = args[1:]
	}
	f.exact = false // such as sudo -i
}

// shell adds the commands of sh -c LINE.
func (f *finder) shell(name string, argv []string, depth int) {
	for i, a := range argv[1:] {
		if len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.Contains(a, "c") && i+2 < len(argv) {
			f.line(argv[i+2], depth-1)
			return
		}
	}
	f.all, f.exact = append(f.all, append([]string{name}, argv[1:]...)), false
}

// keywords of a shell may stand before a command.
var keywords = []string{"if", "then", "else", "elif", "while", "until", "do", "!", "{", "time"}

// line adds the commands of a line.
func (f *finder) line(line string, depth int) {
	if depth <= 0 {
		f.exact = false
		return
	}
	for _, words := range f.split(line) {
		for len(words) > 0 && (slices.Contains(keywords, words[0]) || assigns(words[0])) {
			words, f.exact = words[1:], false
		}
		if len(words) > 0 {
			f.command(words, depth)
		}
	}
}

// assigns reports whether a word such as A=b sets a variable.
func assigns(word string) bool {
	name, _, found := strings.Cut(word, "=")
	return found && name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}

// split returns the words of each command of a line.
func (f *finder) split(line string) (all [][]string) {
	var words []string
	var word strings.Builder
	inWord := false
	endWord := func() {
		if inWord {
			words = append(words, word.String())
			word.Reset()
			inWord = false
		}
	}
	end := func() {
		endWord()
		if len(words) > 0 {
			all = append(all, words)
			words = nil
		}
	}
	for i := 0; i < len(line); i++ {
		switch c := line[i]; c {
		case ' ', '\t':
			endWord()
		case '\n', ';', '|':
			end()
		case '&':
			if i+1 < len(line) && line[i+1] == '&' {
				i++
			} else { // it runs beside the others
				f.exact = false
			}
			end()
		case '(', ')', '`':
			f.exact = false
			end()
		case '\'':
			n := strings.IndexByte(line[i+1:], '\'')
			if n < 0 {
				n, f.exact = len(line)-i-1, false
			}
			word.WriteString(line[i+1 : i+1+n])
			inWord, i = true, i+1+n
		case '"':
			i = f.quoted(line, i+1, &word)
			inWord = true
		case '\\':
			if i++; i < len(line) && line[i] != '\n' {
				word.WriteByte(line[i])
				inWord = true
			}
		case '$':
			f.exact = false
			if i+1 < len(line) && line[i+1] == '(' {
				i++
				end()
				continue
			}
			word.WriteByte(c)
			inWord = true
		case '<', '>', '{', '}', '#', '*', '?', '[', '~':
			f.exact = false
			if c == '<' || c == '>' {
				endWord()
				continue
			}
			fallthrough
		default:
			word.WriteByte(c)
			inWord = true
		}
	}
	end()
	return all
}

// quoted adds a string in double quotes that begins at i to a word, and returns the place of its end. A command in it
// is not looked for.
func (f *finder) quoted(line string, i int, word *strings.Builder) int {
	for ; i < len(line); i++ {
		switch line[i] {
		case '"':
			return i
		case '\\':
			i++
		case '$', '`':
			f.exact = false
		}
		if i < len(line) {
			word.WriteByte(line[i])
		}
	}
	f.exact = false
	return i
}
