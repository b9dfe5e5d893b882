// This file defines the functions of the templates.

package pages

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// functions are the functions that the templates call.
var functions = template.FuncMap{
	"at":      at,
	"short":   clock,
	"took":    took,
	"rounded": diag.Rounded,
	"since":   func(t time.Time) string { return diag.Rounded(max(time.Since(t), 0).Round(time.Second)) },
	"bytes":   sized[int64],
	"number":  number[int],
	"percent": func(x float64) string { return fmt.Sprintf("%.0f %%", 100*x) },
	"labels":  labels,
	"pretty":  pretty,
	"plain":   plain,
	"lines":   lines,
	"json":    func(v any) (string, error) { text, err := json.MarshalIndent(v, "", "  "); return string(text), err },
	"list":    func(all ...string) []string { return all },
	"brief":   brief,
	"title":   titleOf,
	"segment": url.PathEscape,
	"address": scheduleAddress,
	"zoned":   zoned,
	"waited":  awaited,
	"label":   func(name string) string { return wire.ScheduleLabel + "=" + name },
	"navigation": func() []link {
		return []link{{"Runs", "/runs", access.Viewer, false}, {"Pending", "/pending", access.Viewer, false},
			{"Submit a run", "/submit", access.Submitter, false},
			{"Queues and guards", "/queues", access.Viewer, false}, {"Policies", "/policies", access.Viewer, false},
			{"Programs", "/programs", access.Viewer, false}, {"Schedules", "/schedules", access.Viewer, false},
			{"Sessions", "/sessions", access.Submitter, false}, {"Nodes", "/nodes", access.Viewer, true}}
	},
	"states": store.States,
	"isRun":  store.ValidID, // executions outside of the service have any names
}

// awaited returns the cause of the wait of an effect.
func awaited(w effect.Waiter) string {
	switch w.Kind {
	case effect.WaitGlobal:
		return "the global guard"
	case effect.WaitQueue:
		return "a place in the queue of " + plain(w.Key)
	case effect.WaitToken:
		return "a token of the rate limit " + plain(w.Key)
	}
	return string(w.Kind) + " " + plain(w.Key)
}

// link is a link to a page, for readers with a role.
type link struct {
	Title, Path string
	Role        access.Role
	Cluster     bool // only nodes of a cluster have it
}

// brief returns the reason of the state of a run, in one line.
func brief(r store.Run) string {
	var e struct{ Code, Message string }
	if json.Unmarshal(r.Error, &e) == nil && e.Code != "" {
		return plain(e.Code + ": " + e.Message)
	}
	return plain(r.Reason)
}

// timeForm is how the pages write times, in UTC.
const timeForm = "2006-01-02 15:04:05"

// at returns a time for people, "" for none.
func at(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(timeForm)
}

// zoned returns a time as a clock of a zone shows it, with the zone.
func zoned(t time.Time, zone string) string {
	loc, err := time.LoadLocation(zone)
	if err != nil {
		loc = time.UTC
	}
	return t.In(loc).Format(timeForm + " MST")
}

// clock returns a time without its date if that is today's.
func clock(t time.Time) string {
	text := at(t)
	return strings.TrimPrefix(text, time.Now().UTC().Format("2006-01-02 "))
}

// took returns the time from the start of a run to its end, or to now; "" for one that was not started.
func took(r store.Run) string {
	switch {
	case r.Started.IsZero():
		return ""
	case r.Ended.IsZero():
		return diag.Rounded(max(time.Since(r.Started), 0).Round(time.Second))
	}
	return diag.Rounded(r.Ended.Sub(r.Started))
}

// sized returns a number of bytes with a unit, as the flags of the limits have it: 1 KB is 1024 bytes.
func sized[T int | int64](n T) string {
	value, unit := float64(n), 0
	units := []string{"B", "KB", "MB", "GB", "TB"}
	for value >= 1000 && unit < len(units)-1 {
		value /= 1024
		unit++
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", value), ".0") + " " + units[unit]
}

// number returns a number with a comma after each three digits.
func number[T int | int64](n T) string {
	text := strconv.FormatInt(int64(n), 10)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// sortedKeys returns the keys of a map in order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// maxPretty is the maximum number of bytes of JSON that are shown.
const maxPretty = 64 << 10

// maxLine is the maximum number of bytes of JSON that stays on one line.
const maxLine = 100

// pretty returns JSON, on several lines if it is long.
func pretty(text json.RawMessage) string {
	var b bytes.Buffer
	if len(text) <= maxLine || len(text) > maxPretty || json.Indent(&b, text, "", "  ") != nil {
		return plain(string(text))
	}
	return plain(b.String())
}

// plain returns a text without characters that would change how the text around it is shown, and cut.
func plain(text string) string {
	const most = 256 << 10
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…\n(cut)"
	}
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) && c != '\n' && c != '\t' || unicode.Is(unicode.Bidi_Control, c) {
			return unicode.ReplacementChar
		}
		return c
	}, text)
}

// line is a line of a program.
type line struct {
	N    int
	Text string
	Bad  bool // there is an error
}

// lines returns the lines of a program; bad is the number of the one with the error, or 0.
func lines(source string, bad int) []line {
	var all []line
	for text := range strings.Lines(plain(source)) {
		all = append(all, line{len(all) + 1, strings.TrimRight(text, "\r\n"), len(all)+1 == bad})
	}
	return all
}

// titleOf returns the title of a run: its program, or the name of its source.
func titleOf(r store.Run) string {
	switch {
	case r.Program != "":
		return r.Program
	case r.Name != "":
		return r.Name
	}
	return r.ID
}
