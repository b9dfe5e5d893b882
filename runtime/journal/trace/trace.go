// Package trace draws a recorded run: HTML as one page that needs nothing else, with a
// lane for each worker; Chrome in the trace-event format, which chrome://tracing and
// Perfetto show.
//
// A recording may hold any data of a program, a tool or a server. It is shown as text, cut and
// without control characters. The page has no script, and forbids the browser to run one or to load
// anything.
package trace

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
)

const (
	// maxDrawn is the maximum number of effects that are drawn: a page of some 20 MB, which a
	// browser still scrolls.
	maxDrawn = 20_000
	// maxText is the maximum number of characters of an argument or outcome that are shown.
	maxText = 300
	// maxRows bounds the rows of a lane, for effects of one worker that overlap: those
	// that were abandoned with a call.
	maxRows = 8
)

var errNil = errors.New("trace: got a nil writer or recording, want both")

// drawing is a run on one axis of time. The time between an interruption and the
// resumption is left out.
type drawing struct {
	total    time.Duration
	resumed  []time.Duration
	lanes    []lane
	spans    []span // in the order in which they began first
	left     int    // effects that are not drawn
	failures int
}

type lane struct {
	worker int
	rows   int
}

func (l lane) name() string {
	if l.worker == 0 {
		return "main"
	}
	return fmt.Sprintf("worker %d", l.worker)
}

// span is an effect on the axis.
type span struct {
	*journal.Entry
	waits     []wait
	at, took  time.Duration
	lane, row int
}

// wait is a wait of an effect on the axis.
type wait struct {
	effect.Wait
	at, took time.Duration
}

// from returns the position on the axis at which the effect began to wait, or began if it has not
// waited.
func (s *span) from() time.Duration {
	if len(s.waits) == 0 {
		return s.at
	}
	return s.waits[0].at
}

func draw(rec *journal.Recording) *drawing {
	d := &drawing{}
	entries := rec.Entries
	if len(entries) > maxDrawn {
		d.left = len(entries) - maxDrawn
		entries = entries[:maxDrawn]
	}
	d.position(rec, entries)
	d.stack()
	return d
}

// position sets the position of each effect on the axis.
func (d *drawing) position(rec *journal.Recording, entries []journal.Entry) {
	starts := append([]time.Time{rec.Header.Start}, rec.Resumed...)
	lengths := make([]time.Duration, len(starts))
	for i := range entries {
		e := &entries[i]
		lengths[e.Session] = max(lengths[e.Session], since(e.Start, starts[e.Session])+min(e.Duration, maxAxis))
	}
	bases := make([]time.Duration, len(starts))
	for i := range lengths {
		lengths[i] = min(lengths[i], maxAxis-d.total)
		bases[i] = d.total
		d.total += lengths[i]
		if i > 0 {
			d.resumed = append(d.resumed, bases[i])
		}
	}
	for i := range entries {
		e := &entries[i]
		s := span{Entry: e, at: min(since(e.Start, starts[e.Session]), lengths[e.Session])}
		s.took = lengths[e.Session] - s.at // until the run was interrupted
		if e.Done {
			s.took = min(e.Duration, s.took)
		}
		for _, w := range e.Waits {
			at := min(since(w.Start, starts[e.Session]), s.at)
			s.waits = append(s.waits, wait{w, at + bases[e.Session], min(w.Duration, s.at-at)})
		}
		s.at += bases[e.Session]
		if e.Outcome.Failed() {
			d.failures++
		}
		d.spans = append(d.spans, s)
	}
	d.total = max(d.total, 1)
}

// maxAxis bounds the axis, so that no times in a file make a sum overflow: 18 years.
const maxAxis = time.Duration(1 << 59)

// since returns the time from start to a moment, up to maxAxis, and 0 if the clock was set back.
func since(at, start time.Time) time.Duration { return min(max(at.Sub(start), 0), maxAxis) }

// stack sets the lane of each effect, that of its worker, and a row of it in which
// nothing else is at that time.
func (d *drawing) stack() {
	workers := map[int]int{}
	for _, s := range d.spans {
		workers[s.Worker] = 0
	}
	for worker := range workers {
		d.lanes = append(d.lanes, lane{worker: worker})
	}
	slices.SortFunc(d.lanes, func(a, b lane) int { return cmp.Compare(a.worker, b.worker) })
	for i, l := range d.lanes {
		workers[l.worker] = i
	}
	order := make([]*span, len(d.spans))
	for i := range d.spans {
		order[i] = &d.spans[i]
	}
	slices.SortStableFunc(order, func(a, b *span) int { return cmp.Compare(a.from(), b.from()) })
	ends := make([][]time.Duration, len(d.lanes))
	for _, s := range order {
		s.lane = workers[s.Worker]
		rows := &ends[s.lane]
		s.row = slices.IndexFunc(*rows, func(end time.Duration) bool { return end <= s.from() })
		if s.row < 0 {
			s.row = min(len(*rows), maxRows-1)
			if len(*rows) < maxRows {
				*rows = append(*rows, 0)
			}
		}
		(*rows)[s.row] = max((*rows)[s.row], s.at+s.took)
	}
	for i := range d.lanes {
		d.lanes[i].rows = len(ends[i])
	}
}

// name returns the kind and the key of a wait: "host web-1".
func (w *wait) name() string {
	if w.Key == "" {
		return string(w.Kind)
	}
	return string(w.Kind) + " " + shown(w.Key)
}

// waited returns the waits of an effect with their durations: "queue get 1.5s, token api 20ms".
func (s *span) waited() string {
	var all []string
	for i := range s.waits {
		all = append(all, s.waits[i].name()+" "+round(s.waits[i].took))
	}
	return strings.Join(all, ", ")
}

// state returns the end of an effect in a word.
func (s *span) state() string {
	switch {
	case !s.Done && s.Class == effect.Write && !s.Withdrawn:
		return "in doubt"
	case !s.Done:
		return "unfinished"
	case s.Outcome.Failed():
		return "failed"
	}
	return "ok"
}

// outcome returns the outcome of an effect, as a string.
func (s *span) outcome() string {
	switch {
	case !s.Done:
		return ""
	case s.Outcome.Failed():
		return shown(string(s.Outcome.Error))
	}
	return shown(string(s.Outcome.Result))
}

// name returns a name such as "search", or the kind of an effect without a name.
func (s *span) name() string {
	if s.Name == "" {
		return string(s.Kind)
	}
	return shown(s.Name)
}

// shown cuts a text, and makes control characters visible that would change the display of the text
// around it.
func shown(text string) string { return visible(text, maxText) }

func visible(text string, most int) string {
	if len(text) > 4*most { // of four bytes at most
		text = text[:4*most] + "……"
	}
	n := 0
	var b strings.Builder
	for _, r := range text {
		if n++; n > most {
			b.WriteString("…")
			break
		}
		if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) ||
			r >= 0xFFFE && r <= 0xFFFF {
			r = unicode.ReplacementChar
		}
		b.WriteRune(r)
	}
	return b.String()
}
