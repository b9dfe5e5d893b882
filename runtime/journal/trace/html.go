// This file defines the page.

package trace

import (
	"bufio"
	"crypto/sha256"
	_ "embed" // the page
	"encoding/base64"
	"encoding/json"
	"io"
	"strconv"
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/journal"
)

// The parts of the page. pageText has {{name}} where page.writePart puts a value.
var (
	//go:embed page.html
	pageText string
	//go:embed style.css
	style string
	//go:embed section.js
	sectionScript string
)

// Style returns the style sheet of the page. It has all that other pages with a Section need: their colors, as custom
// properties such as --bg and --link, the states of runs, and the section itself.
func Style() string { return style }

// Script returns the script of Section, which filters and zooms. The section can be read without it. A page that
// replaces the section dispatches the event trace:changed at the document.
func Script() string { return sectionScript }

// maxSource is the maximum number of characters of the program on the page.
const maxSource = 64 << 10

// HTML writes a recording as a page.
func HTML(w io.Writer, rec *journal.Recording) error {
	if w == nil || rec == nil {
		return errNil
	}
	p := page{drawing: draw(rec, Moment{}), writer: writer{bufio.NewWriter(w)}}
	p.write()
	return p.Flush()
}

// Section writes the part of the page that shows the effects: lanes, sums and a list. It is one element, of class
// trace, for a page with Style and Script.
func Section(w io.Writer, rec *journal.Recording, m Moment) error {
	if w == nil || rec == nil {
		return errNil
	}
	p := page{drawing: draw(rec, m), writer: writer{bufio.NewWriter(w)}}
	p.writeSection()
	return p.Flush()
}

// page is a page that is being written.
type page struct {
	*drawing
	writer
	colors map[string]string // the classes of tools
}

// write writes the page.
func (p *page) write() {
	text := pageText
	for {
		before, after, found := strings.Cut(text, "{{")
		p.WriteString(before)
		if !found {
			return
		}
		name, rest, _ := strings.Cut(after, "}}")
		p.writePart(name)
		text = rest
	}
}

// writePart writes the replacement of a name in page.html.
func (p *page) writePart(name string) {
	h := &p.rec.Header
	switch name {
	case "program":
		p.put("%s", shown(h.Program))
	case "run":
		p.put("%s", shown(h.Run))
	case "start":
		p.put("%s", h.Start.UTC().Format("2006-01-02 15:04:05 UTC"))
	case "state":
		p.put("%s", p.state())
	case "total":
		p.put("%s", diag.Rounded(p.total))
	case "effects":
		p.put("%s", diag.Counted(len(p.spans), "effect"))
	case "failures":
		p.put("%d", p.failures)
	case "left":
		p.putIf(p.left > 0, " · %d more effects are not drawn", p.left)
	case "outcome":
		p.writeOutcome()
	case "section":
		p.writeSection()
	case "source":
		p.writeSource()
	case "style":
		p.WriteString(style)
	case "style hash":
		p.put("%s", hash(style))
	case "script":
		p.WriteString(sectionScript)
	case "script hash":
		p.put("%s", hash(sectionScript))
	default:
		panic("trace: page.html has an unknown name: " + name)
	}
}

// hash returns the source of a Content-Security-Policy that allows exactly this text.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// state returns the end of the run in a word.
func (p *page) state() string {
	switch {
	case p.rec.Final == nil && p.rec.Stopped != nil:
		return "stopped"
	case p.rec.Final == nil:
		return "interrupted"
	case p.rec.Final.Error != nil:
		return "failed"
	}
	return "succeeded"
}

func (p *page) writeOutcome() {
	switch {
	case p.rec.Final == nil && p.rec.Stopped != nil:
		p.put("<pre class=\"outcome\">%s</pre>\n", shown(string(p.rec.Stopped)))
	case p.rec.Final == nil:
		p.put("<p>The run was interrupted: <code>ptc resume</code> continues it.</p>\n")
	case p.rec.Final.Error != nil:
		message, rest, _ := strings.Cut(visible(p.failure(), maxFailure), "\n")
		p.put("<div class=\"outcome failed\"><b>%s</b>", message)
		p.putIf(rest != "", "<pre>%s</pre>", rest)
		p.put("</div>\n")
	default:
		p.put("<pre class=\"outcome\">%s</pre>\n", visible(p.rec.Final.Value, maxFailure))
	}
}

// maxFailure is the maximum number of characters of the value or the error of the run.
const maxFailure = 8 << 10

// failure returns the error of the run as the command shows it.
func (p *page) failure() string {
	e := p.error()
	if e == nil {
		return string(p.rec.Final.Error)
	}
	var b strings.Builder
	if err := e.Render(&b, false); err != nil {
		return e.Error()
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// error returns the error of the run, nil if it can't be read.
func (p *page) error() *diag.Error {
	h := &p.rec.Header
	e, err := diag.Decode(located(p.rec.Final.Error), map[string]string{h.Program: h.Source})
	if err != nil {
		return nil
	}
	return e
}

// located returns an error whose place is a text, such as deploy.ptc:3:5, as journals have it, with the place as
// diag.Decode reads it.
func located(text []byte) []byte {
	var members map[string]any
	if json.Unmarshal(text, &members) != nil || members["file"] != nil {
		return text
	}
	place, _ := members["place"].(string)
	name, column, _ := cutLast(place)
	file, line, ok := cutLast(name)
	if !ok {
		return text
	}
	members["file"], members["line"], members["column"] = file, line, column
	members["endLine"], members["endColumn"] = line, column
	out, err := json.Marshal(members)
	if err != nil {
		return text
	}
	return out
}

// cutLast cuts the number after the last colon off a place.
func cutLast(place string) (before string, n int, ok bool) {
	i := strings.LastIndexByte(place, ':')
	if i < 0 {
		return place, 0, false
	}
	n, err := strconv.Atoi(place[i+1:])
	return place[:i], n, err == nil && n > 0
}

// writeSource writes the program with line numbers; the line of the error is marked.
func (p *page) writeSource() {
	h := &p.rec.Header
	if h.Source == "" {
		return
	}
	bad := 0
	if p.rec.Final != nil && p.rec.Final.Error != nil {
		if e := p.error(); e != nil && !e.Span.IsZero() && e.Span.File.Name == h.Program {
			bad, _ = e.Span.File.LineCol(e.Span.Start)
		}
	}
	p.put("<details class=\"source\"><summary>The program</summary><pre>")
	n := 0
	for line := range strings.Lines(visible(h.Source, maxSource)) {
		n++
		line = strings.TrimRight(line, "\r\n")
		if n == bad {
			p.put("<mark><b>%4d  </b>%s</mark>\n", n, line)
		} else {
			p.put("<b>%4d  </b>%s\n", n, line)
		}
	}
	p.put("</pre></details>\n")
}
