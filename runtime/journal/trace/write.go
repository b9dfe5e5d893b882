// This file writes the page.

package trace

import (
	"bufio"
	"fmt"
	"html"
	"strings"
)

// writer writes parts of the page. Its errors are those of Flush.
type writer struct{ *bufio.Writer }

// put writes a format with escaped strings. They must be in text, or in a quoted attribute that is
// not a URL or a script.
func (w writer) put(format string, values ...any) {
	for i, v := range values {
		if s, ok := v.(string); ok {
			values[i] = html.EscapeString(s)
		}
	}
	fmt.Fprintf(w, format, values...)
}

// write writes the page.
func (p *page) write(w writer) {
	text := pageText
	for {
		before, after, found := strings.Cut(text, "{{")
		w.WriteString(before)
		if !found {
			return
		}
		name, rest, _ := strings.Cut(after, "}}")
		p.writePart(w, name)
		text = rest
	}
}

// writePart writes the replacement of a name in page.html.
func (p *page) writePart(w writer, name string) {
	switch name {
	case "program":
		w.put("%s", p.Program)
	case "run":
		w.put("%s", p.Run)
	case "start":
		w.put("%s", p.Start)
	case "total":
		w.put("%s", p.Total)
	case "effects":
		w.put("%d", p.Effects)
	case "failures":
		w.put("%d", p.Failures)
	case "left":
		if p.Left > 0 {
			w.put(" %d more effects are not drawn.", p.Left)
		}
	case "ending":
		if p.Failed {
			w.put("Error")
		} else {
			w.put("Outcome")
		}
	case "outcome":
		w.put("%s", p.Outcome)
	case "source":
		if p.Source != "" {
			w.put("<details><summary>The program</summary><pre>%s</pre></details>\n", p.Source)
		}
	case "waits":
		if p.Waited {
			w.put(waitsKey)
		}
	case "height":
		w.put("%d", p.Height)
	case "names":
		p.writeNames(w)
	case "lanes":
		p.writeLanes(w)
	case "ticks":
		p.writeTicks(w)
	case "spans":
		p.writeSpans(w)
	case "resumed":
		p.writeResumed(w)
	case "waited":
		if p.Waited {
			w.put("<th>waited for</th>")
		}
	case "rows":
		p.writeRows(w)
	default:
		panic("trace: page.html has an unknown name: " + name)
	}
}

// waitsKey explains the colours of waits.
const waitsKey = `<br />waited for <span class="for-queue">a place in the queue</span>` +
	`<span class="for-host">a host</span>` +
	`<span class="for-global">the global guard</span><span class="for-token">a token of a rate limit</span>`

func (p *page) writeNames(w writer) {
	for _, l := range p.Lanes {
		w.put("<text x=\"4\" y=\"%d\">%s</text>\n", l.Top, l.Name)
	}
}

func (p *page) writeLanes(w writer) {
	for _, l := range p.Lanes {
		w.put("<rect class=\"lane\" x=\"0\" y=\"%d\" width=\"100%%\" height=\"%d\"></rect>\n", l.Y, l.Height)
	}
}

func (p *page) writeTicks(w writer) {
	for _, m := range p.Ticks {
		w.put("<line class=\"tick\" x1=\"%s\" x2=\"%s\" y1=\"0\" y2=\"100%%\"></line>"+
			"<text x=\"%s\" y=\"12\" dx=\"3\">%s</text>\n",
			m.X, m.X, m.X, m.Text)
	}
}

func (p *page) writeResumed(w writer) {
	for _, m := range p.Resumed {
		w.put("<line class=\"resumed\" x1=\"%s\" x2=\"%s\" y1=\"0\" y2=\"100%%\"></line>"+
			"<text x=\"%s\" y=\"12\" dx=\"3\" dy=\"10\">%s</text>\n",
			m.X, m.X, m.X, m.Text)
	}
}

func (p *page) writeSpans(w writer) {
	const rect = `<rect class="e %s" x="%s" y="%d" width="%s" height="16">`
	for i := range p.Spans {
		s := &p.Spans[i]
		w.put(`<a href="#e%d">`, s.N)
		for _, wait := range s.Waits {
			w.put(rect+"<title>%s %s waited for %s</title></rect>",
				wait.Style, wait.X, wait.Y, wait.Width, wait.ID, wait.Name, wait.Text)
		}
		w.put(rect+"<title>%s %s (%s, %s): %s\nat %s, %s, attempt %d", s.Style, s.X, s.Y, s.Width,
			s.ID, s.Name, s.Kind, s.Class, s.State, s.Start, s.Duration, s.Attempt)
		if s.Waited != "" {
			w.put(", waited for %s", s.Waited)
		}
		w.put("\n%s\n=> %s</title></rect></a>\n", s.Arguments, s.Outcome)
	}
}

func (p *page) writeRows(w writer) {
	for i := range p.Spans {
		s := &p.Spans[i]
		w.put("<tr id=\"e%d\"><td>%s</td><td>%s</td><td>%d</td><td>%s</td><td>%s</td>",
			s.N, s.ID, s.Name, s.Worker, s.Start, s.Duration)
		if p.Waited {
			w.put("<td>%s</td>", s.Waited)
		}
		w.put("<td>%s</td><td class=\"text\">%s</td><td class=\"text\">%s</td></tr>\n", s.State, s.Arguments, s.Outcome)
	}
}
