// This file reads calls in the text of a program, for errors that show a part of one.

package diag

import (
	"strings"
	"unicode/utf8"

	"github.com/ptc-lang/ptc/lang/token"
)

// maxWritten bounds the text of a form that is read, in bytes.
const maxWritten = 4 << 10

// Written returns the forms between the brackets that open at an offset of a file, and the end of the whole. ok is
// false if no bracket opens there, if it is not closed within some kilobytes, or if the text has reader macros that
// drop or choose forms.
func Written(f *token.File, start int) (parts []token.Span, end int, ok bool) {
	if f == nil || start < 0 || start >= len(f.Source) || !strings.ContainsRune("([{", rune(f.Source[start])) {
		return nil, 0, false
	}
	w := &written{text: f.Source[:min(len(f.Source), start+maxWritten)], at: start + 1}
	for w.blank() {
		if strings.IndexByte(")]}", w.text[w.at]) >= 0 {
			return parts, w.at + 1, true
		}
		from := w.at
		if !w.form() {
			break
		}
		parts = append(parts, token.Span{File: f, Start: from, End: w.at})
	}
	return nil, 0, false
}

// written is a position in a text.
type written struct {
	text string
	at   int
}

// blank goes over white space and comments. It reports whether there is more text.
func (w *written) blank() bool {
	for w.at < len(w.text) {
		switch c := w.text[w.at]; {
		case strings.IndexByte(" \t\r\n,", c) >= 0:
			w.at++
		case c == ';':
			i := strings.IndexByte(w.text[w.at:], '\n')
			if i < 0 {
				return false
			}
			w.at += i + 1
		default:
			return true
		}
	}
	return false
}

// form goes over one form. It reports whether it ends in the text.
func (w *written) form() bool {
	for w.at < len(w.text) && strings.IndexByte("'`@~", w.text[w.at]) >= 0 {
		w.at++
	}
	rest := w.text[w.at:]
	for _, p := range []string{"#(", "#{", "#'", `#"`} {
		if strings.HasPrefix(rest, p) {
			w.at++
			return w.form()
		}
	}
	switch {
	case rest == "" || rest[0] == '^' || rest[0] == '#' && !strings.HasPrefix(rest, "##"):
		return false
	case rest[0] == '"':
		return w.quoted()
	case rest[0] == '\\':
		w.at++
		_, size := utf8.DecodeRuneInString(w.text[w.at:])
		w.at += size
	case strings.IndexByte("([{", rest[0]) >= 0:
		w.at++
		for w.blank() {
			if strings.IndexByte(")]}", w.text[w.at]) >= 0 {
				w.at++
				return true
			}
			if !w.form() {
				return false
			}
		}
		return false
	case strings.IndexByte(")]}", rest[0]) >= 0:
		return false
	}
	if i := strings.IndexAny(w.text[w.at:], " \t\r\n,;()[]{}\""); i >= 0 {
		w.at += i
		return true
	}
	return false
}

// quoted goes over a string.
func (w *written) quoted() bool {
	for w.at++; w.at < len(w.text); w.at++ {
		switch w.text[w.at] {
		case '\\':
			w.at++
		case '"':
			w.at++
			return true
		}
	}
	return false
}

// Word returns the name that ends at an offset of a file without a blank before it, "" if none does.
func Word(f *token.File, end int) string {
	if f == nil || end < 0 || end > len(f.Source) {
		return ""
	}
	from := strings.LastIndexAny(f.Source[:end], " \t\r\n,;()[]{}\"'`~@^\\") + 1
	return f.Source[from:end]
}

// maxClipped bounds a text of a program in a message, in bytes.
const maxClipped = 60

// Clipped returns a text of a program in one line, cut, for a message.
func Clipped(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxClipped {
		return strings.ToValidUTF8(text[:maxClipped], "") + "…"
	}
	return text
}
