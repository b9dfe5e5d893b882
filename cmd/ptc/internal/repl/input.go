// This file defines how lines are put together to forms: when there is one, how far the
// next line is indented, and how a form becomes one line of the history.

package repl

import (
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/format"
	"github.com/ptc-lang/ptc/lang/parser"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// smallInput is the length up to which the reader reads the whole of an unfinished form again after each
// line. For a longer form that would take too long, so it waits until the brackets are closed.
const smallInput = 16 << 10

// nesting counts the brackets of a text, line by line.
type nesting struct {
	depth  int
	quoted bool // the end of the line is in a string
}

func (n *nesting) add(line string) {
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\': // the next one is a part of a string, or a character
			i++
		case c == '"':
			n.quoted = !n.quoted
		case n.quoted:
		case c == ';':
			return
		case strings.IndexByte("([{", c) >= 0:
			n.depth++
		case strings.IndexByte(")]}", c) >= 0:
			n.depth--
		}
	}
}

func (n *nesting) closed() bool { return n.depth <= 0 && !n.quoted }

// Placeholders for input that is not typed yet.
const (
	nextForm  = "the-form-that-comes-next"
	otherForm = "the-form-behind-it"
)

// maxIndented bounds the depth of indentation.
const maxIndented = 64

// indent returns the indentation of the next line of an unfinished form, as ptc fmt indents it.
func (r *repl) indent() string {
	if !r.cfg.Interactive || r.pending == "" || len(r.pending) > smallInput {
		return ""
	}
	text := strings.TrimLeft(r.pending, " \t\r\n") + nextForm
	end := ""
	for range maxIndented {
		_, err := parser.Tokens(token.NewFile("", text+end), limits.Limits{})
		if err == nil {
			break
		}
		missing, ok := err.Data.(parser.Unclosed)
		switch {
		case ok && missing.Expected == `"`: // the cursor is within a string
			return ""
		case ok && missing.Expected != "form":
			end += missing.Expected
		case !strings.HasPrefix(end, " "): // a map that needs pairs
			end = " " + otherForm + end
		default:
			return ""
		}
	}
	laidOut, err := format.Format("", text+end)
	if err != nil {
		return ""
	}
	at := strings.LastIndex(laidOut, nextForm)
	line := laidOut[1+strings.LastIndexByte(laidOut[:at], '\n') : at]
	if strings.TrimSpace(line) != "" { // a prefix stands before it
		line = line[:len(line)-len(strings.TrimLeft(line, " "))]
	}
	return line
}

// oneLine returns an input as one line: without comments, and with \n for the line ends in
// strings. ok is false if there is no such line.
func oneLine(input string) (line string, ok bool) {
	input = strings.TrimSpace(input)
	if !strings.Contains(input, "\n") {
		return input, input != ""
	}
	tokens, err := tokensOf(input)
	if err != nil || len(tokens) == 0 {
		return "", false
	}
	var b strings.Builder
	for i, tok := range tokens {
		if i > 0 {
			if gap := input[tokens[i-1].End:tok.Start]; strings.Contains(gap, "\n") {
				b.WriteByte(' ')
			} else {
				b.WriteString(gap)
			}
		}
		b.WriteString(strings.ReplaceAll(input[tok.Start:tok.End], "\n", `\n`))
	}
	return b.String(), true
}

func tokensOf(text string) ([]parser.Token, *diag.Error) {
	return parser.Tokens(token.NewFile("", text), limits.Limits{})
}
