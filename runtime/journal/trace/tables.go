// This file writes the sums, the calls that deserve a look, and the list of effects.

package trace

import (
	"strconv"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// writeTotals writes a table with a line for each tool, and for each kind of effects without a tool.
func (p *page) writeTotals(totals []total) {
	if len(totals) == 0 {
		return
	}
	p.put(`<h2>Totals</h2>
<div class="scroll"><table>
<thead><tr><th>tool</th><th>count</th><th>failed</th><th>time</th><th>longest</th>`)
	for i, kind := range kinds {
		p.putIf(p.waited[i], "<th>wait: %s</th>", string(kind))
	}
	p.put("</tr></thead>\n<tbody>\n")
	for i := range totals {
		t := &totals[i]
		class := ""
		switch t.kind {
		case effect.KindCall:
			class = p.colors[t.name]
		case effect.KindQuestion:
			class = "asked"
		}
		p.put("<tr><td><i class=\"%s\">%s</i></td><td>%d</td>", class, t.name, t.count)
		if t.failed > 0 {
			p.put("<td class=\"bad\">%d</td>", t.failed)
		} else {
			p.put("<td>0</td>")
		}
		p.put("<td>%s</td><td>%s</td>", diag.Rounded(t.took), diag.Rounded(t.most))
		for i := range kinds {
			p.putIf(p.waited[i], "<td>%s</td>", unlessZero(t.waits[i]))
		}
		p.put("</tr>\n")
	}
	p.put("</tbody></table></div>\n")
}

// unlessZero returns a duration, and "" for none.
func unlessZero(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return diag.Rounded(d)
}

// writeFew writes links to some effects with their durations, under a title, and why each of them failed.
func (p *page) writeFew(title string, spans []int, why func(*span) string) {
	if len(spans) == 0 {
		return
	}
	p.put("<h2>%s</h2>\n<ol>\n", title)
	for _, i := range spans {
		s := &p.spans[i]
		p.put("<li class=\"%s\"><b>%s</b> <a href=\"#e%d\">%s</a>", s.state.class(), diag.Rounded(s.took), i+1, s.label())
		p.put(" <small>%s</small> %s</li>\n", s.ID, visible(why(s), maxReason))
	}
	p.put("</ol>\n")
}

// maxReason is the maximum number of characters of the reason of a failure in the list.
const maxReason = 160

// reason returns why an effect failed.
func reason(s *span) string {
	if s.state == inDoubt {
		return "in doubt"
	}
	if f := s.Outcome.Outcome().Failure; f != nil && f.Message != "" && f.Code != "" {
		return f.Code + ": " + f.Message
	}
	return string(s.Outcome.Error)
}

// arguments returns those of an effect that is shown because it took long.
func arguments(s *span) string { return string(s.Args) }

// writeRows writes the list of effects. An entry shows one line, and all of it when it has the focus.
func (p *page) writeRows() {
	p.put(listHead)
	for i := range p.spans {
		p.writeRow(i)
	}
	p.put(listFoot)
}

const (
	listHead = `<h2>Effects</h2>
<form class="bar" hidden="hidden">
<input type="search" name="text" placeholder="filter: text of any column" aria-label="filter" />
<label><select name="tool" aria-label="tool"></select></label>
<label><select name="host" aria-label="host"></select></label>
<label><input type="checkbox" name="failed" /> failed only</label>
<span class="count" role="status"></span>
</form>
<div class="rows-head" aria-hidden="true"><span>effect</span><span>what</span><span>host</span><span>worker</span>
<span>at</span><span>took</span><span>state</span><span>arguments</span><span>outcome</span></div>
<ol class="rows">
`
	listFoot = `</ol>
<p class="keys" hidden="hidden"><kbd>/</kbd> filter <kbd>x</kbd> failed only <kbd>j</kbd> <kbd>k</kbd> next and previous effect
<kbd>+</kbd> <kbd>-</kbd> zoom <kbd>l</kbd> lanes</p>
`
)

func (p *page) writeRow(i int) {
	s := &p.spans[i]
	p.put(`<li id="e%d" class="%s" tabindex="0"><span>%s</span><span>%s</span><span>%s</span>`,
		i+1, s.state.class(), s.ID, s.name(), s.host)
	p.put(`<span class="n">%s</span><span class="n">%s</span><span class="n">%s</span><span class="s">%s</span>`,
		p.numberOf(p.runner(s)), diag.Rounded(s.at), diag.Rounded(s.took), string(s.state))
	p.WriteString("<code>")
	p.putText(shown(string(s.Args)))
	p.WriteString("</code><code>")
	p.putText(s.outcome())
	p.WriteString("</code>")
	note := ""
	if s.waiting != nil {
		note = s.label() + " " + diag.Rounded(s.took)
	}
	if len(s.waits) > 0 {
		note = "waited for " + s.waited()
	}
	if s.Attempt > 1 {
		note += " attempt " + strconv.Itoa(s.Attempt)
	}
	p.putIf(note != "", "<em>%s</em>", note)
	p.put("</li>\n")
}
