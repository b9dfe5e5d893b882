// Package time has tools that return the current time, and that format and parse times in any time zone:
//
//	tools, err := time.Tools(time.Grant{Clock: true})
//
//	(tool/time.now {:zone "Europe/Vienna"})
//	;=> {:ms 1795320000000, :iso "2026-11-22T05:00:00+01:00", :zone "Europe/Vienna"}
//	(tool/time.format {:ms 1795320000000 :pattern "EEE d MMM yyyy, HH:mm" :zone "Europe/Vienna"})
//	(tool/time.parse {:text "22.11.2026" :pattern "dd.MM.yyyy"})
//
// Times are milliseconds since 1970 in UTC, as inst-ms and (System/currentTimeMillis) have them, so that they
// compare and subtract as numbers. To wait, use Thread/sleep.
//
// # Patterns
//
// Patterns are those of Java's DateTimeFormatter with these letters: y or u (year), M (month), d (day), D (day
// of the year, three digits), E (day of the week), H and h (hour), a (AM or PM), m, s, S (fraction, after ss
// and a dot), X, x and Z (offset), z (name of the zone, only to format). Other letters and literal text need
// single quotes. Names of months and days are English. Without a pattern a time is formatted and parsed as RFC
// 3339, such as 2026-11-22T04:00:00Z; a date alone, 2026-11-22, is parsed too.
//
// # Errors
//
// The codes are unknown-zone, bad-pattern, bad-time and bad-arguments.
package time

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/runtime/tool"
)

// Grant grants the current time. The zero value does not.
type Grant struct {
	Clock bool
}

const grantHow = "grant it with --allow-time"

// Names returns the names of the tools, each with the flag that grants it.
func Names() map[string]string {
	return map[string]string{"time.now": grantHow, "time.format": grantHow, "time.parse": grantHow}
}

// clock is the clock of the tools.
type clock struct{ now func() time.Time }

// Tools returns the tools of a grant.
func Tools(g Grant) ([]*tool.Tool, error) {
	if !g.Clock {
		return nil, nil
	}
	return clock{time.Now}.tools(), nil
}

func (c clock) tools() []*tool.Tool {
	return []*tool.Tool{
		tool.New("time.now", "Returns the current time, in milliseconds since 1970 and as a string.", c.read, tool.ReadOnly(),
			tool.Example(`(:ms (tool/time.now))`), tool.Example(`(:iso (tool/time.now {:zone "Europe/Vienna"}))`)),
		tool.New("time.format", "Formats a time by a pattern of Java, such as yyyy-MM-dd HH:mm; by default as RFC 3339.",
			format, tool.ReadOnly(),
			tool.Example(`(tool/time.format {:ms 0 :pattern "EEE, d MMM yyyy"})`)),
		tool.New("time.parse", "Parses a time by a pattern of Java, by default RFC 3339, and returns its milliseconds "+
			"since 1970.", parse, tool.ReadOnly(),
			tool.Example(`(tool/time.parse "2026-11-22T04:00:00Z")`),
			tool.Example(`(tool/time.parse {:text "22.11.2026 05:00" :pattern "dd.MM.yyyy HH:mm" :zone "Europe/Vienna"})`)),
	}
}

// NowArgs are the arguments of time.now.
type NowArgs struct {
	Zone string `json:"zone,omitempty" jsonschema:"a time zone such as Europe/Vienna; default UTC"`
}

// Moment is a time.
type Moment struct {
	MS   int64  `json:"ms" jsonschema:"milliseconds since 1970"`
	ISO  string `json:"iso"`
	Zone string `json:"zone"`
}

// isoMillis is RFC 3339 to the millisecond, the precision of Moment.MS.
const isoMillis = "2006-01-02T15:04:05.999Z07:00"

func (c clock) read(_ context.Context, in NowArgs) (Moment, error) {
	zone, err := zoneOf(in.Zone)
	if err != nil {
		return Moment{}, err
	}
	t := c.now().In(zone)
	return Moment{t.UnixMilli(), t.Format(isoMillis), zone.String()}, nil
}

func zoneOf(name string) (*time.Location, error) {
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, &tool.Error{Code: "unknown-zone",
			Message: fmt.Sprintf("got the time zone %.80q, want a name such as Europe/Vienna, America/New_York or UTC", name)}
	}
	return zone, nil
}

// FormatArgs are the arguments of time.format.
type FormatArgs struct {
	MS      int64  `json:"ms" jsonschema:"milliseconds since 1970"`
	Pattern string `json:"pattern,omitempty" jsonschema:"such as yyyy-MM-dd HH:mm; default RFC 3339"`
	Zone    string `json:"zone,omitempty" jsonschema:"a time zone such as Europe/Vienna; default UTC"`
}

// lastMS is the end of the year 9999, firstMS the beginning of the year 1: other years have
// no four digits.
const (
	firstMS = -62_135_596_800_000
	lastMS  = 253_402_300_799_999
)

func format(_ context.Context, in FormatArgs) (string, error) {
	if in.MS < firstMS || in.MS > lastMS {
		return "", &tool.Error{Code: "bad-time", Message: fmt.Sprintf("got :ms %d, want a time of the years 1 to 9999, "+
			"in milliseconds since 1970", in.MS)}
	}
	zone, err := zoneOf(in.Zone)
	if err != nil {
		return "", err
	}
	t := time.UnixMilli(in.MS).In(zone)
	if in.Pattern == "" {
		return t.Format(isoMillis), nil
	}
	p, err := readPattern(in.Pattern)
	if err != nil {
		return "", err
	}
	return p.format(t), nil
}

// ParseArgs are the arguments of time.parse.
type ParseArgs struct {
	Text    string `json:"text"`
	Pattern string `json:"pattern,omitempty" jsonschema:"such as dd.MM.yyyy HH:mm; default RFC 3339"`
	Zone    string `json:"zone,omitempty" jsonschema:"the time zone of a text without an offset; default UTC"`
}

func parse(_ context.Context, in ParseArgs) (int64, error) {
	zone, err := zoneOf(in.Zone)
	if err != nil {
		return 0, err
	}
	layouts := []string{time.RFC3339, time.DateOnly}
	want := "want one such as 2026-11-22T04:00:00Z, or a :pattern that it has"
	if in.Pattern != "" {
		p, err := readPattern(in.Pattern)
		if err != nil {
			return 0, err
		}
		layout, err := p.layout()
		if err != nil {
			return 0, err
		}
		layouts, want = []string{layout}, "want one by the pattern "+in.Pattern
	}
	for _, layout := range layouts {
		if t, err := time.ParseInLocation(layout, strings.TrimSpace(in.Text), zone); err == nil {
			return t.UnixMilli(), nil
		}
	}
	return 0, &tool.Error{Code: "bad-time", Message: fmt.Sprintf("got the time %.80q, %s", in.Text, want)}
}
