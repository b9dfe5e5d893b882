// This file defines the formatters of DateTimeFormatter/ofLocalizedDate and the like, for the locale en-US.

package java

import (
	"slices"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// formatStyles are the constants of FormatStyle, the longest first.
var formatStyles = []string{"FULL", "LONG", "MEDIUM", "SHORT"}

// The patterns of the styles.
var (
	localDates = []string{"EEEE, MMMM d, y", "MMMM d, y", "MMM d, y", "M/d/yy"}
	localTimes = []string{"h:mm:ss a zzzz", "h:mm:ss a z", "h:mm:ss a", "h:mm a"}
)

// styleOf returns the index of a FormatStyle.
func styleOf(t *value.Task, v value.Value, what string) int {
	i := -1
	if v.IsSymbol() {
		i = slices.Index(formatStyles, v.AsSymbol().Name)
	}
	if i < 0 {
		t.Fail(diag.WrongType, "%s: got %s, want a FormatStyle", what, value.Describe(t, v))
	}
	return i
}

func localizedStatics() []entry.Entry {
	made := func(name, args, doc, example string, pattern func(styles []int) string) entry.Entry {
		return entry.StaticMethod("DateTimeFormatter", name, args, entry.Constant, doc+" for the locale en-US.",
			`(.format (java.time.format.DateTimeFormatter/`+name+` java.time.format.FormatStyle/SHORT) `+example,
			func(t *value.Task, a []value.Value) value.Value {
				styles := make([]int, len(a))
				for i, x := range a {
					styles[i] = styleOf(t, x, name)
				}
				return t.JavaOf(Formatter, t.CopyString(pattern(styles)), value.False)
			})
	}
	return []entry.Entry{
		made("ofLocalizedDate", "style", "Returns a formatter of dates in a FormatStyle",
			`(java.time.LocalDate/of 2024 2 9)) => "2/9/24"`, func(s []int) string { return localDates[s[0]] }),
		made("ofLocalizedTime", "style", "Returns a formatter of times in a FormatStyle",
			`(java.time.LocalTime/of 14 5)) => "2:05 PM"`, func(s []int) string { return localTimes[s[0]] }),
		made("ofLocalizedDateTime", "style | date-style time-style",
			"Returns a formatter of dates with times in a FormatStyle",
			`(java.time.LocalDateTime/of 2024 2 9 14 5)) => "2/9/24, 2:05 PM"`, func(s []int) string {
				date, time := s[0], s[len(s)-1]
				between := ", "
				if max(date, time) <= 1 {
					between = " 'at' "
				}
				return localDates[date] + between + localTimes[time]
			}),
	}
}
