// This file defines how generated Markdown is wrapped.

package filetest

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// markdownWidth is the maximum number of characters in a line of Markdown.
const markdownWidth = 140

// opening matches a word with a meaning at the beginning of a line, and the dot between links.
var opening = regexp.MustCompile("^([-+*>|·]|#+|=+|[0-9]+[.)]|```.*)$")

// Wrapped breaks the lines of Markdown text that have more than 140 characters, at spaces. It breaks no line before a
// word that Markdown would take for the beginning of a list, a heading, a quotation, a table or code, nor before the
// dot between links.
func Wrapped(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = wrappedLine(line)
	}
	return strings.Join(lines, "\n")
}

func wrappedLine(line string) string {
	var pieces []string // between which the line may be broken
	for i, word := range strings.Split(line, " ") {
		if last := len(pieces) - 1; i > 0 && opening.MatchString(word) {
			pieces[last] += " " + word
		} else {
			pieces = append(pieces, word)
		}
	}
	out, column := pieces[0], utf8.RuneCountInString(pieces[0])
	for _, piece := range pieces[1:] {
		length := utf8.RuneCountInString(piece)
		if column+1+length > markdownWidth {
			out += "\n" + piece
			column = length
		} else {
			out += " " + piece
			column += 1 + length
		}
	}
	return out
}
