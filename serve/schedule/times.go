// This file defines the times of a cron expression.

package schedule

import (
	"fmt"
	"strings"
	"time"

	"github.com/netresearch/go-cron"
)

// Times are the times of a cron expression in a time zone. They are in whole minutes of the clock of the zone.
type Times struct {
	spec   *cron.SpecSchedule // compared with clocks, which are written as times in UTC
	zone   *time.Location
	hourly bool // the hour is *
}

// maxExpression bounds the bytes of an expression. Lists of each minute and each hour have less.
const maxExpression = 300

// searchYears is how far a next time is looked for: February 29 is absent in 2100, eight years after 2096.
const searchYears = 9

// parser parses the fields of crontab(5) and names such as @daily. A day matches if one of the fields day of the month
// and day of the week does, unless one of them is *.
var parser = cron.MustNewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.Descriptor |
	cron.DowOrDom).WithMaxSearchYears(searchYears)

// hourStar is the bit of a field that is *.
const hourStar = 1 << 63

// ParseTimes returns the times of an expression in a time zone of the IANA database; the empty zone is UTC.
func ParseTimes(expression, zone string) (*Times, error) {
	loc, err := parseZone(zone)
	if err != nil {
		return nil, err
	}
	return parseExpression(expression, loc)
}

func parseZone(name string) (*time.Location, error) {
	loc, err := time.LoadLocation(name)
	if err != nil || name == "Local" { // which depends on the machine
		return nil, fmt.Errorf("got the time zone %.60q, want one such as Europe/Berlin or UTC", name)
	}
	return loc, nil
}

func parseExpression(text string, zone *time.Location) (*Times, error) {
	switch {
	case len(text) > maxExpression:
		return nil, fmt.Errorf("got %d bytes, want at most %d", len(text), maxExpression)
	case strings.Contains(text, "="):
		return nil, fmt.Errorf("got %q, want an expression without a time zone, which has its own field", text)
	case strings.HasPrefix(strings.TrimSpace(text), "@every"):
		return nil, fmt.Errorf("got %q, want times of the clock, such as */5 * * * * for each five minutes", text)
	}
	parsed, err := parser.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("got %.60q, want minute, hour, day of the month, month and day of the week, such as "+
			"30 2 * * 1-5: %w", text, err)
	}
	spec, ok := parsed.(*cron.SpecSchedule)
	if !ok {
		return nil, fmt.Errorf("got %.60q, want five fields, or a name such as @daily", text)
	}
	spec.Location = time.UTC
	t := &Times{spec: spec, zone: zone, hourly: spec.Hour&hourStar != 0}
	if t.Next(time.Now()).IsZero() {
		return nil, fmt.Errorf("got %.60q, want an expression with a time: no day of the next %d years matches", text,
			searchYears)
	}
	return t, nil
}

// Next returns the first time after a time, in UTC. It is zero if there is none for many years.
//
// The offset of a zone is the same for a period. Each clock belongs to one period: to the one in which it occurs first,
// or to the one that begins with the change that skips it. So a period has the clocks from the end of the period
// before, as the offset of that one shows it, to its own end.
func (t *Times) Next(after time.Time) time.Time {
	after = after.UTC()
	for at := after; ; {
		start, end := at.In(t.zone).ZoneBounds()
		offset := offsetAt(at, t.zone)
		from := after.Add(offset) // the clock after which the next one is looked for
		if !start.IsZero() {
			first := start.Add(offset)
			if !t.hourly {
				first = start.Add(offsetAt(start.Add(-1), t.zone))
			}
			if first = first.Add(-1); at.After(after) || first.After(from) {
				from = first
			}
		}
		next := t.spec.Next(from.UTC())
		if next.IsZero() {
			return next
		}
		if end.IsZero() || next.Before(end.Add(offset)) {
			next = next.Add(-offset)
			if !start.IsZero() && next.Before(start) {
				next = start
			}
			return next.UTC()
		}
		at = end.UTC()
	}
}

// offsetAt returns the offset of a zone at a time, to be added to UTC.
func offsetAt(at time.Time, zone *time.Location) time.Duration {
	_, seconds := at.In(zone).Zone()
	return time.Duration(seconds) * time.Second
}
