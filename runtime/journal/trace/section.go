// This file writes the lanes.

package trace

import (
	"strconv"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// The measures of the lanes, in pixels.
const (
	rowHeight = 18
	barHeight = 16
	laneGap   = 4
	axis      = 18 // the height of the times above the lanes
)

const (
	// thinnest is the minimum width of an effect as a part of the axis, because a rectangle without
	// width is not drawn.
	thinnest = 200_000
	// labelled is the minimum width of a bar with a label, as a part of the window: 36 pixels of 1,000. A
	// narrower label can't be read.
	labelled = 28
	// tools is the number of colors of tools.
	tools = 8
)

// writeSection writes the element that shows the effects.
func (p *page) writeSection() {
	totals := p.totals()
	p.colors = map[string]string{}
	for i := range totals {
		if t := &totals[i]; t.kind == effect.KindCall {
			p.colors[t.name] = "c" + strconv.Itoa(len(p.colors)%tools)
		}
	}
	views := p.views()
	p.put("<section class=\"trace\">\n")
	p.writeControls(views)
	for i := range views {
		p.writeView(&views[i])
	}
	p.writeKey()
	p.put("<div class=\"sums\">\n<div>")
	p.writeTotals(totals)
	p.writeFew("Failed", p.failing(10), reason)
	p.put("</div>\n<div>")
	p.writeFew("Slowest calls", p.slowest(10), arguments)
	p.put("</div>\n</div>\n")
	p.writeRows()
	p.put("</section>\n")
}

// writeControls writes the choices of zoom and lanes. They are siblings of the lanes, so that a style
// sheet can follow them without a script.
func (p *page) writeControls(views []view) {
	for _, z := range zooms {
		p.put(`<input class="at" type="radio" name="zoom" id="z%d" aria-label="zoom %d"`, z, z)
		p.putIf(z == 1, ` checked="checked"`)
		p.put(" />")
	}
	for i, v := range views {
		p.put(`<input class="at" type="radio" name="lanes" id="by-%s" aria-label="lanes of %s"`, v.name, v.name)
		p.putIf(i == 0, ` checked="checked"`)
		p.put(" />")
	}
	p.put("\n<div class=\"choices zoom\">Zoom ")
	for _, z := range zooms {
		p.put(`<label class="choose" for="z%d">%d×</label>`, z, z)
	}
	p.put("</div>")
	if len(views) > 1 {
		p.put("\n<div class=\"choices lanes\">Lanes ")
		for _, v := range views {
			p.put(`<label class="choose" for="by-%s">%s</label>`, v.name, v.name)
		}
		p.put("</div>")
	}
	p.put("\n")
}

// writeView writes the lanes of a view, with their names at the left.
func (p *page) writeView(v *view) {
	tops, y := make([]int, len(v.lanes)), axis
	for i := range v.lanes {
		tops[i] = y
		y += v.lanes[i].rows*rowHeight + laneGap
	}
	p.put("<div class=\"tl %s\">\n<div class=\"names\"><svg height=\"%d\">\n", v.name, y)
	for i, l := range v.lanes {
		class := ""
		if l.failed {
			class = "failed"
		}
		p.put("<text class=\"%s\" x=\"6\" y=\"%d\">%s</text>\n", class, tops[i]+rowHeight-5, l.name)
	}
	p.put(`</svg></div>
<div class="view" tabindex="0" role="group" aria-label="lanes of %s"><svg class="axis" height="%d">
`, v.name, y)
	for i, l := range v.lanes {
		p.put("<rect class=\"lane\" y=\"%d\" width=\"100%%\" height=\"%d\"/>\n", tops[i], l.rows*rowHeight)
	}
	p.writeTicks()
	if v.name == "workers" {
		p.writeElements(v, tops)
	}
	p.writeBars(v, tops)
	p.writeMarks()
	p.put("</svg></div>\n</div>\n")
}

func (p *page) writeTicks() {
	for _, z := range zooms {
		p.put("<g class=\"ticks t%d\">", z)
		for _, t := range p.ticks(z) {
			x := p.percent(t.at)
			p.put("<line class=\"grid\" x1=\"%s\" x2=\"%s\" y2=\"100%%\"/>", x, x)
			if !t.bare {
				p.writeMark(x, 12, diag.Rounded(t.at), t.left)
			}
		}
		p.put("</g>\n")
	}
}

// writeMark writes a text at the right of a position, or at the left.
func (p *page) writeMark(x string, y int, text string, left bool) {
	if left {
		p.put("<text x=\"%s\" y=\"%d\" dx=\"-4\" text-anchor=\"end\">%s</text>", x, y, text)
	} else {
		p.put("<text x=\"%s\" y=\"%d\" dx=\"4\">%s</text>", x, y, text)
	}
}

// writeMarks writes where the run was resumed, and that it failed.
func (p *page) writeMarks() {
	for _, at := range p.resumed {
		x := p.percent(at)
		p.put("<line class=\"resumed\" x1=\"%s\" x2=\"%s\" y2=\"100%%\"><title>resumed</title></line>\n", x, x)
	}
	if p.rec.Final != nil && p.rec.Final.Error != nil {
		p.put("<line class=\"ended\" x1=\"100%%\" x2=\"100%%\" y2=\"100%%\"><title>the run failed</title></line>\n")
	}
}

// writeElements writes the extent of each element with more than one effect, and of each that failed.
func (p *page) writeElements(v *view, tops []int) {
	for i := range p.elements {
		e := &p.elements[i]
		if len(e.numbers) == 1 || e.effects < 2 && !e.failed {
			continue
		}
		class := "el"
		if e.failed {
			class = "el failed"
		}
		n := v.places[e.last].lane
		p.put("<rect class=\"%s\" x=\"%s\" y=\"%d\" width=\"%s\" height=\"%d\"><title>element %s</title></rect>\n", class,
			p.percent(e.from), tops[n], p.percent(max(e.to-e.from, p.total/thinnest)), v.lanes[n].rows*rowHeight, e.path)
	}
}

// writeBars writes a link for each effect: its waits and its bar. An svg element around a label cuts it at
// the end of the bar.
func (p *page) writeBars(v *view, tops []int) {
	for i := range p.spans {
		s := &p.spans[i]
		y := tops[v.places[i].lane] + v.places[i].row*rowHeight + 1
		p.put(`<a class="%s" href="#e%d" tabindex="-1">`, p.class(s), i+1)
		for j := range s.waits {
			w := &s.waits[j]
			p.put(`<rect class="for-%s" x="%s" y="%d" width="%s" height="%d">`,
				string(w.Kind), p.percent(w.at), y+barHeight/4, p.width(w.took), barHeight/2)
			p.put("<title>waited for %s %s</title></rect>", nameOf(&w.Wait), diag.Rounded(w.lasted()))
		}
		if zoom := p.zoom(s.took); zoom == 0 {
			p.put(`<rect x="%s" y="%d" width="%s" height="%d"/>`, p.percent(s.at), y, p.width(s.took), barHeight)
		} else {
			p.put(`<svg x="%s" y="%d" width="%s" height="%d"><rect width="100%%" height="100%%"/>`,
				p.percent(s.at), y, p.width(s.took), barHeight)
			p.put(`<text class="l%d" x="3" y="12">%s</text></svg>`, zoom, sign(s.state)+s.label())
		}
		p.put("</a>\n")
	}
}

// zoom returns the smallest zoom that shows the label of a bar, 0 if none does.
func (p *page) zoom(took time.Duration) int {
	for _, z := range zooms {
		if took >= p.total/time.Duration(labelled*z) {
			return z
		}
	}
	return 0
}

// width returns the width of a bar.
func (p *page) width(took time.Duration) string { return p.percent(max(took, p.total/thinnest)) }

// sign returns the beginning of a label, for readers who do not see the color.
func sign(s state) string {
	switch s {
	case failed:
		return "✗ "
	case inDoubt:
		return "? "
	}
	return ""
}

// class returns the class of a bar: its state, or the color of its tool.
func (p *page) class(s *span) string {
	if s.waiting != nil {
		return "waits for-" + string(s.waiting.Kind)
	}
	if c := s.state.class(); c != "" {
		return c
	}
	class := ""
	switch s.Kind {
	case effect.KindCall:
		class = p.colors[s.name()]
	case effect.KindQuestion:
		class = "asked"
	}
	if s.state == running {
		class += " running"
	}
	return class
}

// class returns the class of an effect in this state, "" for one that succeeded or continues.
func (s state) class() string {
	switch s {
	case failed:
		return "failed"
	case inDoubt:
		return "doubt"
	case pending:
		return "pending"
	case unfinished:
		return "open"
	}
	return ""
}

// waitNames are the names of the waits in the key, in the order of kinds.
var waitNames = [...]string{"an approval", "the global guard", "a host", "a place in the queue",
	"a token of a rate limit"}

// writeKey explains the colors of states and waits. Those of tools are in the table of sums.
func (p *page) writeKey() {
	var has [len(stateClasses)]bool
	asked := false
	for i := range p.spans {
		s := &p.spans[i]
		question := s.Kind == effect.KindQuestion
		asked = asked || question
		for n, class := range stateClasses {
			has[n] = has[n] || s.state.class() == class && (class != "" || s.Kind != effect.KindCall && !question)
		}
	}
	p.put("<p class=\"key\">")
	for n, name := range [...]string{"failed", "in doubt", "pending", "not ended", "not a call"} {
		class := stateClasses[n]
		if class == "" {
			class = "other"
		}
		p.putIf(has[n], "<i class=\"%s\">%s</i> ", class, name)
	}
	p.putIf(asked, "<i class=\"asked\">question</i> ")
	for i, kind := range kinds {
		p.putIf(p.waited[i], "<i class=\"for-%s\">waited for %s</i> ", string(kind), waitNames[i])
	}
	p.put("</p>\n")
}

var stateClasses = [...]string{"failed", "doubt", "pending", "open", ""}
