// Package trace draws a recorded run: HTML as one page that needs nothing else, with a
// lane for each worker; Section as the part of such a page that another page embeds; Chrome in the
// trace-event format, which chrome://tracing and Perfetto show.
//
// A recording may hold any data of a program, a tool or a server. It is shown as text, cut and
// without control characters. The page has one script, which only filters and zooms, and a policy by which
// the browser runs no other script and loads nothing.
package trace

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
)

const (
	// maxDrawn is the maximum number of effects that are drawn: a page of some 10 MB, which a
	// browser still scrolls.
	maxDrawn = 20_000
	// maxText is the maximum number of characters of an argument or outcome that are shown.
	maxText = 300
	// maxName is the maximum number of characters of the name of a tool or a host that are shown.
	maxName = 60
)

var errNil = errors.New("trace: got a nil writer or recording, want both")

// drawing is a run on one axis of time. The time between an interruption and the
// resumption is left out.
type drawing struct {
	rec      *journal.Recording
	total    time.Duration
	resumed  []time.Duration
	spans    []span    // in the order in which they began first
	elements []element // by their paths
	nodes    []string  // whose effects are drawn, sorted
	began    int       // the index of the first effect that waits before it begins
	left     int       // effects that are not drawn
	failures int
	live     bool             // the run continues
	waited   [len(kinds)]bool // kinds of waits that some effect has
}

// kinds are the kinds of waits before a call, in their order.
var kinds = [...]effect.WaitKind{effect.WaitApproval, effect.WaitGlobal, effect.WaitHost, effect.WaitQueue,
	effect.WaitToken}

// span is an effect on the axis.
type span struct {
	*journal.Entry
	waits    []wait
	waiting  *effect.Wait // that the effect waits for now, before it begins; nil for none
	at, took time.Duration
	state    state
	host     string // of the call, "" if there is none
	element  int    // the index of its evaluation in the drawing
}

// wait is a wait of an effect on the axis.
type wait struct {
	effect.Wait
	at, took time.Duration
}

// lasted returns the time of a wait. An approval may have come while the run was interrupted, which is not on the axis.
func (w *wait) lasted() time.Duration {
	if w.Kind == effect.WaitApproval {
		return w.Duration
	}
	return w.took
}

// from returns the position on the axis at which the effect began to wait, or began if it has not
// waited.
func (s *span) from() time.Duration {
	if len(s.waits) == 0 {
		return s.at
	}
	return s.waits[0].at
}

// end returns the position at which the effect ended, or the run was interrupted.
func (s *span) end() time.Duration { return s.at + s.took }

// Moment is a moment of a run. The zero Moment is that of the last effect of the recording.
type Moment struct {
	// Until is the end of the drawing: now if the run continues, or the end of the run; the last effect if it is zero.
	Until time.Time
	Live  bool // the run continues
	// Waits are those under way of effects that the recording does not have yet.
	Waits []Waiting
}

// Waiting is an effect that waits before it begins: for a guard, a queue or a token.
type Waiting struct {
	effect.Effect
	Node string
	Wait effect.Wait // without Duration
}

// entries returns the effects that wait as entries that have not begun.
func (m *Moment) entries(session int) (all []journal.Entry) {
	for _, w := range m.Waits {
		e := journal.Entry{Effect: w.Effect, Session: session, Node: w.Node, Start: w.Wait.Start}
		e.Waits = []effect.Wait{w.Wait}
		all = append(all, e)
	}
	return all
}

// draw positions the effects of a recording.
func draw(rec *journal.Recording, m Moment) *drawing {
	d := &drawing{rec: rec, live: m.Live, began: maxDrawn}
	entries := rec.Entries
	if len(entries) > maxDrawn {
		d.left = len(entries) - maxDrawn
		entries = entries[:maxDrawn]
	}
	if m.Live && len(m.Waits) > 0 {
		d.began = len(entries)
		entries = append(slices.Clip(entries), m.entries(len(rec.Resumed))...)
	}
	d.findNodes(entries)
	d.position(entries, m.Until)
	d.findElements()
	return d
}

// position sets the position of each effect on the axis.
func (d *drawing) position(entries []journal.Entry, until time.Time) {
	starts := append([]time.Time{d.rec.Header.Start}, d.rec.Resumed...)
	lengths := make([]time.Duration, len(starts))
	for i := range entries {
		e := &entries[i]
		lengths[e.Session] = max(lengths[e.Session], since(e.Start, starts[e.Session])+min(e.Duration, maxAxis))
		if n := e.AnnouncedIn; e.Approved {
			lengths[n] = max(lengths[n], since(e.Announced, starts[n]))
		}
	}
	if !until.IsZero() {
		last := len(starts) - 1
		lengths[last] = max(lengths[last], since(until, starts[last]))
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
		s := span{Entry: e, at: min(since(e.Start, starts[e.Session]), lengths[e.Session]), host: hostOf(e)}
		s.took = lengths[e.Session] - s.at // until the run was interrupted
		if e.Done {
			s.took = min(e.Duration, s.took)
		}
		if n := e.AnnouncedIn; e.Approved && e.Attempt > 0 {
			at := bases[n] + min(since(e.Announced, starts[n]), lengths[n])
			w := effect.Wait{Kind: effect.WaitApproval, Start: e.Announced, Duration: since(e.Start, e.Announced)}
			s.waits = append(s.waits, wait{w, at, max(bases[e.Session]+s.at-at, 0)})
			d.waited[0] = true
		}
		waits := e.Waits
		if i >= d.began { // the bar is the wait
			s.waiting, waits = &e.Waits[0], nil
			if k := slices.Index(kinds[:], s.waiting.Kind); k >= 0 {
				d.waited[k] = true
			}
		}
		for _, w := range waits {
			at := min(since(w.Start, starts[e.Session]), s.at)
			s.waits = append(s.waits, wait{w, at + bases[e.Session], min(w.Duration, s.at-at)})
			if i := slices.Index(kinds[:], w.Kind); i >= 0 {
				d.waited[i] = true
			}
		}
		s.at += bases[e.Session]
		if e.Outcome.Failed() {
			d.failures++
		}
		s.state = d.stateOf(e)
		if s.waiting != nil {
			s.state = waiting
		}
		d.spans = append(d.spans, s)
	}
	d.total = max(d.total, 1)
}

// maxAxis bounds the axis, so that no times in a file make a sum overflow: 18 years.
const maxAxis = time.Duration(1 << 59)

// since returns the time from start to a moment, up to maxAxis, and 0 if the clock was set back.
func since(at, start time.Time) time.Duration { return min(max(at.Sub(start), 0), maxAxis) }

// hostOf returns the host of a call: the host that it has waited for, or that its arguments name.
func hostOf(e *journal.Entry) string {
	for _, w := range e.Waits {
		if w.Kind == effect.WaitHost {
			return visible(w.Key, maxName)
		}
	}
	if e.Kind != effect.KindCall || len(e.Args) == 0 || e.Args[0] != '{' {
		return ""
	}
	var args struct{ Host, URL any }
	if json.Unmarshal(e.Args, &args) != nil {
		return ""
	}
	if host, ok := args.Host.(string); ok {
		return visible(host, maxName)
	}
	if text, ok := args.URL.(string); ok {
		if u, err := url.Parse(text); err == nil {
			return visible(u.Host, maxName)
		}
	}
	return ""
}

// nameOf returns the kind and the key of a wait: "host web-1".
func nameOf(w *effect.Wait) string {
	if w.Key == "" {
		return string(w.Kind)
	}
	return string(w.Kind) + " " + visible(w.Key, maxName)
}

// waited returns the waits of an effect with their durations: "queue get 1.5s, token api 20ms".
func (s *span) waited() string {
	var all []string
	for i := range s.waits {
		all = append(all, nameOf(&s.waits[i].Wait)+" "+diag.Rounded(s.waits[i].lasted()))
	}
	return strings.Join(all, ", ")
}

// state is the end of an effect in a word.
type state string

// The states.
const (
	ok         state = "ok"
	failed     state = "failed"
	waiting    state = "waiting"    // for a guard, a queue or a token, before it begins
	pending    state = "pending"    // waits for an approval, an answer or an outcome
	running    state = "running"    // the run continues
	unfinished state = "unfinished" // it does not
	inDoubt    state = "in doubt"
)

// stateOf returns the end of an effect.
func (d *drawing) stateOf(e *journal.Entry) state {
	switch {
	case e.Done && e.Outcome.Failed():
		return failed
	case e.Done:
		return ok
	case e.Pends != "":
		return pending
	case d.live && !e.Withdrawn && e.Session == len(d.rec.Resumed):
		return running
	case e.Class == effect.Write && !e.Withdrawn:
		return inDoubt
	}
	return unfinished
}

// waits reports whether an effect in this state waits, so that its time is not working time.
func (s state) waits() bool { return s == pending || s == waiting }

// bad reports whether an effect in this state needs attention.
func (s state) bad() bool { return s == failed || s == inDoubt }

// outcome returns the outcome of an effect, as a string.
func (s *span) outcome() string {
	if !s.Done {
		return ""
	}
	return shown(string(*s.Outcome.Payload()))
}

// name returns a name such as "search", or the kind of an effect without a name.
func (s *span) name() string {
	if s.Name == "" {
		return string(s.Kind)
	}
	return visible(s.Name, maxName)
}

// label returns the text on the bar of an effect: the host first, which differs most.
func (s *span) label() string {
	if s.waiting != nil {
		return "waits for " + nameOf(s.waiting)
	}
	if s.host == "" {
		return s.name()
	}
	return s.host + " " + s.name()
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

// slowest returns the indices of the n effects that took longest, the slowest first.
func (d *drawing) slowest(n int) []int {
	var order []int
	for i := range d.spans {
		if s := &d.spans[i]; s.Kind == effect.KindCall && !s.state.waits() {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(d.spans[b].took, d.spans[a].took) })
	return order[:min(n, len(order))]
}

// failing returns the indices of the first n effects that failed or are in doubt.
func (d *drawing) failing(n int) []int {
	var found []int
	for i := range d.spans {
		if d.spans[i].state.bad() && len(found) < n {
			found = append(found, i)
		}
	}
	return found
}
