package schedule_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the same zones on all machines

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/serve/schedule"
)

// after returns the next times after a time, as the clocks of the zone with their offsets.
func after(t *testing.T, expression, zone, from string, n int) string {
	t.Helper()
	times, err := schedule.ParseTimes(expression, zone)
	require.NoError(t, err)
	loc, err := time.LoadLocation(zone)
	require.NoError(t, err)
	at, err := time.ParseInLocation("2006-01-02 15:04", from, loc)
	require.NoError(t, err)
	var all []string
	for range n {
		at = times.Next(at)
		all = append(all, at.In(loc).Format("02 15:04-07"))
	}
	return strings.Join(all, ", ")
}

// TestChanges tests the rules for local times that do not exist, and for local times that occur twice.
func TestChanges(t *testing.T) {
	for _, c := range []struct{ expression, zone, from, want string }{
		// The clock of Berlin is set from 02:00 to 03:00, and from 03:00 to 02:00.
		{"30 2 * * *", "Europe/Berlin", "2026-03-28 00:00", "28 02:30+01, 29 03:00+02, 30 02:30+02"},
		{"30 2 * * *", "Europe/Berlin", "2026-10-24 00:00", "24 02:30+02, 25 02:30+02, 26 02:30+01"},
		{"0,30 2,3 * * *", "Europe/Berlin", "2026-03-29 00:00", "29 03:00+02, 29 03:30+02, 30 02:00+02"}, // each change once
		{"0 3 * * *", "Europe/Berlin", "2026-10-25 00:00", "25 03:00+01, 26 03:00+01, 27 03:00+01"},
		{"30 * * * *", "Europe/Berlin", "2026-03-29 01:00", "29 01:30+01, 29 03:30+02, 29 04:30+02"},
		{"30 * * * *", "Europe/Berlin", "2026-10-25 01:45", "25 02:30+02, 25 02:30+01, 25 03:30+01"},
		{"@hourly", "Europe/Berlin", "2026-10-25 01:30", "25 02:00+02, 25 02:00+01, 25 03:00+01"},
		{"*/20 1-2 * * *", "America/New_York", "2026-11-01 01:30", "01 01:40-04, 01 02:00-05, 01 02:20-05"},
		// Midnight does not exist in Santiago, and Lord Howe changes by half an hour.
		{"@daily", "America/Santiago", "2026-09-05 12:00", "06 01:00-03, 07 00:00-03, 08 00:00-03"},
		{"15 2 * * *", "Australia/Lord_Howe", "2026-10-03 12:00", "04 02:30+11, 05 02:15+11, 06 02:15+11"},
		// Samoa had no December 30, 2011.
		{"0 8 * * *", "Pacific/Apia", "2011-12-29 00:00", "29 08:00-10, 31 00:00+14, 31 08:00+14"},
		// Both days count if neither is *.
		{"0 0 13 * 5", "UTC", "2026-11-10 00:00", "13 00:00+00, 20 00:00+00, 27 00:00+00"},
		{"0 0 29 2 *", "UTC", "2096-03-01 00:00", "29 00:00+00, 29 00:00+00, 29 00:00+00"}, // 2104
	} {
		assert.Equal(t, c.want, after(t, c.expression, c.zone, c.from, 3), "%s in %s", c.expression, c.zone)
	}
}

func TestMistakesOfTimes(t *testing.T) {
	for expression, want := range map[string]string{
		"":                                      "want minute, hour",
		"* * * *":                               "want minute, hour",
		"* * * * * *":                           "want minute, hour",
		"60 * * * *":                            "want minute, hour",
		"0 0 30 2 *":                            "no day of the next 9 years matches",
		"@every 5m":                             "such as */5 * * * *",
		"@reboot":                               "want minute, hour",
		"TZ=UTC * * * *":                        "without a time zone",
		"CRON_TZ=":                              "without a time zone",
		"H H * * *":                             "want minute, hour",
		strings.Repeat("0,", 200) + "0 * * * *": "at most 300",
	} {
		_, err := schedule.ParseTimes(expression, "")
		assert.ErrorContains(t, err, want, expression)
	}
	for _, zone := range []string{"Mars/Olympus", "Local", "../../etc/passwd", "/etc/localtime"} {
		_, err := schedule.ParseTimes("@daily", zone)
		assert.ErrorContains(t, err, "time zone", zone)
	}
}

// TestEachMinute compares Next with a look at the clock of each minute, around changes of random zones.
func TestEachMinute(t *testing.T) {
	zones := []string{"Europe/Berlin", "America/New_York", "America/St_Johns", "Australia/Lord_Howe", "Asia/Tehran",
		"Pacific/Apia", "Africa/Casablanca", "America/Sao_Paulo", "Antarctica/Troll", "Asia/Kolkata", "UTC"}
	for seed := range uint64(testlevel.Size(25, 100)) {
		r := rand.New(rand.NewPCG(seed, 1))
		zone := zones[r.IntN(len(zones))]
		loc, err := time.LoadLocation(zone)
		require.NoError(t, err)
		expression := pick(r, "*", "*/15", "0", "30", "5,35,59") + " " + pick(r, "*", "*/2", "0", "1", "2", "1-3", "22-1", "23") +
			" " + pick(r, "*", "*", "*/3", "1-7") + " * " + pick(r, "*", "*", "0", "1-5")
		times, err := schedule.ParseTimes(expression, zone)
		require.NoError(t, err)
		from := time.Unix(1200000000+r.Int64N(700000000), 0).UTC().Truncate(time.Minute)
		if _, change := from.In(loc).ZoneBounds(); change.Year() > 1 && change.Year() < 2030 {
			from = change.Add(-time.Duration(r.IntN(36*60)) * time.Minute).UTC()
		}
		until := from.Add(3 * 24 * time.Hour)
		got := []time.Time{}
		for at := times.Next(from); at.Before(until); at = times.Next(at) {
			require.False(t, at.IsZero())
			got = append(got, at)
		}
		assert.Equal(t, lookedAt(t, expression, loc, from, until), got, "%s in %s from %s", expression, zone, from)
	}
}

func pick(r *rand.Rand, all ...string) string { return all[r.IntN(len(all))] }

// lookedAt returns the times between two times, by the rules and without their arithmetic: it goes through the minutes,
// and through the clocks that each minute passes.
func lookedAt(t *testing.T, expression string, loc *time.Location, from, until time.Time) []time.Time {
	t.Helper()
	hourly := strings.Fields(expression)[1] == "*"
	plain, err := schedule.ParseTimes(expression, "UTC") // matches a clock that is written as a time in UTC
	require.NoError(t, err)
	matches := func(clock time.Time) bool { return plain.Next(clock.Add(-time.Second)).Equal(clock) }
	clockAt := func(at time.Time) time.Time {
		l := at.In(loc)
		return time.Date(l.Year(), l.Month(), l.Day(), l.Hour(), l.Minute(), 0, 0, time.UTC)
	}
	all := []time.Time{}
	furthest := clockAt(from.Add(-49 * time.Hour)) // that the clock has shown
	for at := from.Add(-48 * time.Hour); at.Before(until); at = at.Add(time.Minute) {
		fires, clock := false, clockAt(at)
		if hourly {
			fires = matches(clock)
		} else {
			for c := furthest.Add(time.Minute); !c.After(clock); c = c.Add(time.Minute) {
				fires = fires || matches(c)
			}
		}
		if clock.After(furthest) {
			furthest = clock
		}
		if fires && at.After(from) {
			all = append(all, at)
		}
	}
	return all
}

// TestAllocations requires Next to allocate nothing: a scheduler that did not run for a year goes through
// each minute of it.
func TestAllocations(t *testing.T) {
	times, err := schedule.ParseTimes("* * * * *", "Europe/Berlin")
	require.NoError(t, err)
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	n := testing.AllocsPerRun(1000, func() { at = times.Next(at) })
	assert.Zero(t, n)
}

func BenchmarkNext(b *testing.B) {
	for _, expression := range []string{"* * * * *", "30 2 * * *", "0 0 29 2 *"} {
		b.Run(expression, func(b *testing.B) {
			times, err := schedule.ParseTimes(expression, "Europe/Berlin")
			require.NoError(b, err)
			at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
			for b.Loop() {
				times.Next(at)
			}
		})
	}
}
