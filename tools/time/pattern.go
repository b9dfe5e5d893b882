// This file defines patterns: the patterns of Java's DateTimeFormatter that Go's layouts can express.

package time

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/runtime/tool"
)

// pattern is a pattern cut into its parts.
type pattern struct {
	text  string
	parts []part
}

// part is a piece of text, or a part of a time by a layout of Go.
type part struct {
	layout  string
	literal bool
}

// layouts returns the layout of Go for each run of letters in a pattern. It is made when
// it is used: a map of the package would be made at the start of every process.
var layouts = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"yyyy": "2006", "uuuu": "2006", "y": "2006", "u": "2006", "yy": "06", "uu": "06",
		"MMMM": "January", "MMM": "Jan", "MM": "01", "M": "1",
		"dd": "02", "d": "2", "DDD": "002",
		"EEEE": "Monday", "EEE": "Mon", "EE": "Mon", "E": "Mon",
		"HH": "15", "hh": "03", "h": "3", "a": "PM",
		"mm": "04", "m": "4", "ss": "05", "s": "5",
		"XXX": "Z07:00", "XX": "Z0700", "X": "Z07", "xxx": "-07:00", "xx": "-0700", "x": "-07", "Z": "-0700",
		"z": zoneName,
	}
})

const zoneName = "MST"

// maxPattern bounds a pattern, in bytes.
const maxPattern = 200

func readPattern(text string) (*pattern, error) {
	p := &pattern{text: text}
	if len(text) > maxPattern {
		return nil, p.bad("it has more than %d bytes", maxPattern)
	}
	for rest := text; rest != ""; {
		n := runLength(rest)
		run := rest[:n]
		switch {
		case rest[0] == '\'':
			text, length, closed := quoted(rest)
			if !closed {
				return nil, p.bad("a quote is not closed")
			}
			n = length
			p.literal(text)
		case rest[0] == 'S':
			last := len(p.parts) - 1
			if n > 9 || last < 0 || !p.parts[last].literal || !strings.HasSuffix(p.parts[last].layout, ".") {
				return nil, p.bad("S stands behind a dot, up to 9 times")
			}
			p.parts[len(p.parts)-1].layout = strings.TrimSuffix(p.parts[len(p.parts)-1].layout, ".")
			p.parts = append(p.parts, part{layout: "." + strings.Repeat("0", n)})
		case layouts()[run] != "":
			p.parts = append(p.parts, part{layout: layouts()[run]})
		case isLetter(rest[0]):
			return nil, p.bad("%s is not one of its letters; text stands between single quotes", run)
		default:
			p.literal(run)
		}
		rest = rest[n:]
	}
	return p, nil
}

// quoted returns the text between the quotes that a pattern begins with, and the length of
// both. Two quotes are one, inside and outside others.
func quoted(pattern string) (text string, length int, closed bool) {
	if strings.HasPrefix(pattern, "''") {
		return "'", 2, true
	}
	for at := 1; ; {
		piece, _, found := strings.Cut(pattern[at:], "'")
		if !found {
			return "", 0, false
		}
		text, at = text+piece, at+len(piece)+1
		if !strings.HasPrefix(pattern[at:], "'") {
			return text, at, true
		}
		text, at = text+"'", at+1
	}
}

func (p *pattern) literal(text string) { p.parts = append(p.parts, part{text, true}) }

func (p *pattern) bad(format string, args ...any) error {
	return &tool.Error{Code: "bad-pattern", Message: fmt.Sprintf("got the pattern %.80q: %s; want one such as "+
		"yyyy-MM-dd HH:mm", p.text, fmt.Sprintf(format, args...))}
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// runLength returns how often the first byte of a text stands there; a character of several
// bytes is one byte after the other.
func runLength(text string) int {
	n := 1
	for n < len(text) && text[n] == text[0] {
		n++
	}
	return n
}

func (p *pattern) format(t time.Time) string {
	var text strings.Builder
	for _, part := range p.parts {
		if part.literal {
			text.WriteString(part.layout)
		} else {
			text.WriteString(t.Format(part.layout))
		}
	}
	return text.String()
}

// layout returns the pattern as one layout of Go, to read by. A text between the parts may
// mean something in a layout; then it does not write the same as the parts do.
func (p *pattern) layout() (string, error) {
	var layout strings.Builder
	for _, part := range p.parts {
		if part.layout == zoneName && !part.literal {
			return "", p.bad("z, the name of a zone, can only be written, since it may mean several; say :zone")
		}
		layout.WriteString(part.layout)
	}
	for _, t := range probes() {
		if t.Format(layout.String()) != p.format(t) {
			return "", p.bad("a text in it can't be told from a part of a time; times are not read by it")
		}
	}
	return layout.String(), nil
}

// probes are times that differ in all their parts.
func probes() []time.Time {
	return []time.Time{
		time.Date(2019, time.November, 23, 21, 47, 38, 123456789, time.UTC),
		time.Date(1985, time.May, 9, 8, 6, 4, 987654321, time.FixedZone("", -3*3600)),
	}
}
