// This file defines the page.

package trace

import (
	"bufio"
	_ "embed" // the page
	"io"
	"strconv"
	"time"

	"github.com/ptc-lang/ptc/runtime/journal"
)

// pageText has {{name}} where page.write puts a value. Package text/template calls methods by
// name, so with it the linker keeps every exported method of the program: 3.4 MB of ptc.
//
//go:embed page.html
var pageText string

// The measures of the page, in pixels.
const (
	rowHeight = 18
	laneGap   = 6
	axis      = 30 // the height of the times above the lanes
)

// thinnest is the minimum width of an effect as a part of the axis, because a rectangle without
// width is not drawn.
const thinnest = 200_000

// maxSource is the maximum number of characters of the program on the page.
const maxSource = 64 << 10

type page struct {
	Program, Run, Start, Total, Outcome, Source string
	Failed                                      bool
	Waited                                      bool // some effect has
	Effects, Failures, Left, Height             int
	Ticks, Resumed                              []mark
	Lanes                                       []pageLane
	Spans                                       []pageSpan
}

// mark is a position on the axis with its name.
type mark struct{ X, Text string }

type pageLane struct {
	Name           string
	Y, Height, Top int
}

type pageSpan struct {
	N                                                                                int
	X, Width                                                                         string
	Y                                                                                int
	ID, Name, Kind, Class, State, Style, Start, Duration, Waited, Arguments, Outcome string
	Worker, Attempt                                                                  int
	Waits                                                                            []pageWait
}

// pageWait is a wait of the effect in whose lane it is drawn.
type pageWait struct {
	X, Width string
	Y        int
	ID, Name string // of the effect
	Style    string
	Text     string
}

// HTML writes a recording as a page.
func HTML(w io.Writer, rec *journal.Recording) error {
	if w == nil || rec == nil {
		return errNil
	}
	out := bufio.NewWriter(w)
	newPage(rec, draw(rec)).write(writer{out})
	return out.Flush()
}

func newPage(rec *journal.Recording, d *drawing) *page {
	h := &rec.Header
	p := &page{Program: shown(h.Program), Run: shown(h.Run), Start: h.Start.UTC().Format("2006-01-02 15:04:05 UTC"),
		Total: round(d.total), Source: visible(h.Source, maxSource),
		Effects: len(d.spans), Failures: d.failures, Left: d.left}
	switch {
	case rec.Final == nil:
		p.Outcome = "the run was interrupted"
	case rec.Final.Error != nil:
		p.Failed, p.Outcome = true, shown(string(rec.Final.Error))
	default:
		p.Outcome = shown(rec.Final.Value)
	}
	for i := range 10 {
		at := d.total * time.Duration(i) / 10
		p.Ticks = append(p.Ticks, mark{d.percent(at), round(at)})
	}
	for _, at := range d.resumed {
		p.Resumed = append(p.Resumed, mark{d.percent(at), "resumed"})
	}
	y := axis
	for _, l := range d.lanes {
		height := l.rows * rowHeight
		p.Lanes = append(p.Lanes, pageLane{Name: l.name(), Y: y, Top: y + rowHeight - 5, Height: height})
		y += height + laneGap
	}
	p.Height = y
	for i := range d.spans {
		p.Spans = append(p.Spans, p.span(i+1, &d.spans[i], d))
		p.Waited = p.Waited || len(d.spans[i].waits) > 0
	}
	return p
}

func (p *page) span(n int, s *span, d *drawing) pageSpan {
	style := string(s.Kind)
	if s.state() != "ok" {
		style = map[string]string{"failed": "failed", "in doubt": "doubt", "unfinished": "open"}[s.state()]
	}
	y := p.Lanes[s.lane].Y + s.row*rowHeight
	var waits []pageWait
	for i := range s.waits {
		w := &s.waits[i]
		waits = append(waits, pageWait{X: d.percent(w.at), Width: d.percent(max(w.took, d.total/thinnest)), Y: y,
			ID: s.ID, Name: s.name(), Style: "for-" + string(w.Kind), Text: w.name() + " " + round(w.took)})
	}
	return pageSpan{N: n, Waits: waits, Waited: s.waited(),
		X: d.percent(s.at), Width: d.percent(max(s.took, d.total/thinnest)), Y: y,
		ID: s.ID, Name: s.name(), Kind: string(s.Kind), Class: s.Class.String(), State: s.state(), Style: style,
		Start: round(s.at), Duration: round(s.took), Arguments: shown(string(s.Args)), Outcome: s.outcome(),
		Worker: s.Worker, Attempt: s.Attempt}
}

// percent returns a position on the axis, or a length.
func (d *drawing) percent(at time.Duration) string {
	return strconv.FormatFloat(float64(at)/float64(d.total)*100, 'f', 4, 64) + "%"
}

// round returns a time with three digits or four.
func round(t time.Duration) string {
	for unit := time.Duration(1); ; unit *= 10 {
		if t < 10_000*unit {
			return t.Round(unit).String()
		}
	}
}
