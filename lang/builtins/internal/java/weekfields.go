// This file defines WeekFields and IsoFields.

package java

import (
	"strconv"
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/jtime"
	"github.com/ptc-lang/ptc/lang/internal/murmur"
	"github.com/ptc-lang/ptc/lang/value"
)

var (
	// WeekFields has the first day of a week, and the least number of days in the first week of a year.
	WeekFields = timeClass("temporal.WeekFields", func(b []byte, s []value.Value) []byte {
		b = append(append(b, "WeekFields["...), jtime.DayNames[s[0].AsInt()-1]...)
		return append(strconv.AppendInt(append(b, ','), s[1].AsInt(), 10), ']')
	}, func(s []value.Value) int32 { return int32(s[0].AsInt()-1)*7 + int32(s[1].AsInt()) }, nil)
	// WeekField has the index of the field in weekFieldNames, and the slots of its WeekFields.
	WeekField = timeClass("temporal.WeekFields$ComputedDayOfField", func(b []byte, s []value.Value) []byte {
		return append(b, weekFieldNames[s[0].AsInt()]...)
	}, func(s []value.Value) int32 { return murmur.JavaStringHash(weekFieldNames[s[0].AsInt()]) }, nil)
)

const (
	weekDay = iota
	weekOfMonth
	weekOfYear
	weekOfBasedYear
	weekBasedYear
	quarterOfYear
	dayOfQuarter
)

var weekFieldNames = []string{"DayOfWeek", "WeekOfMonth", "WeekOfYear", "WeekOfWeekBasedYear", "WeekBasedYear",
	"QuarterOfYear", "DayOfQuarter"}

// weekConstants are the constants of WeekFields and IsoFields.
func weekConstants(all map[string]map[string]value.Value) {
	iso, sunday := []value.Value{value.Int(1), value.Int(4)}, []value.Value{value.Int(7), value.Int(1)}
	all["WeekFields"] = map[string]value.Value{"ISO": value.ConstJava(WeekFields, iso...),
		"SUNDAY_START": value.ConstJava(WeekFields, sunday...)}
	field := func(n int64) value.Value { return value.ConstJava(WeekField, value.Int(n), iso[0], iso[1]) }
	all["IsoFields"] = map[string]value.Value{"WEEK_OF_WEEK_BASED_YEAR": field(weekOfBasedYear),
		"WEEK_BASED_YEAR": field(weekBasedYear), "QUARTER_OF_YEAR": field(quarterOfYear),
		"DAY_OF_QUARTER": field(dayOfQuarter)}
}

// weekField returns a field of weeks of a date.
func weekField(t *value.Task, x temporal, s []value.Value) int64 {
	field, first, least := s[0].AsInt(), s[1].AsInt(), s[2].AsInt()
	if !x.hasDate() || x.class == Instant || x.class == YearMonth || x.class == Year {
		t.FailClass(unitException, diag.NotSupported, "Unsupported field: %s", weekFieldNames[field])
	}
	y, m, date := jtime.Date(x.day)
	day := x.day - jtime.EpochDay(y, 1, 1) + 1 // of the year
	weekday := jtime.FloorMod(jtime.DayOfWeek(x.day)-first, 7) + 1
	// start is the offset of the first week from the first day of the month or year that n counts the days of.
	start := func(n int64) int64 {
		weekStart := jtime.FloorMod(n-weekday, 7)
		if weekStart+1 > least {
			return 7 - weekStart
		}
		return -weekStart
	}
	week := func(offset, n int64) int64 { return (7 + offset + n - 1) / 7 }
	switch field {
	case weekDay:
		return weekday
	case weekOfMonth:
		return week(start(date), date)
	case weekOfYear:
		return week(start(day), day)
	case quarterOfYear:
		return (m-1)/3 + 1
	case dayOfQuarter:
		return x.day - jtime.EpochDay(y, (m-1)/3*3+1, 1) + 1
	}
	n := week(start(day), day)
	if n == 0 { // it belongs to the last week of the year before
		y--
		x.day -= day
		if field == weekOfBasedYear {
			return weekField(t, x, s)
		}
		return y
	}
	next := week(start(day), 365+int64(entry.Btoi(jtime.IsLeap(y)))+least)
	if n >= next {
		n, y = n-next+1, y+1
	}
	if field == weekOfBasedYear {
		return n
	}
	return y
}

// withWeekField returns a date with a field of weeks set.
func withWeekField(t *value.Task, x temporal, s []value.Value, to int64) temporal {
	by := to - weekField(t, x, s)
	switch s[0].AsInt() {
	case weekDay, dayOfQuarter:
		return x.plus(t, by, unitDays)
	case weekBasedYear:
		t.FailHint(diag.NotSupported, "set the year", "with: WeekBasedYear can't be set")
	case quarterOfYear:
		return x.plus(t, times(t, by, 3), unitMonths)
	}
	return x.plus(t, by, unitWeeks)
}

func weekMethods() []methods {
	var fields []method
	for i, name := range []string{"dayOfWeek", "weekOfMonth", "weekOfYear", "weekOfWeekBasedYear", "weekBasedYear"} {
		example := []string{"3", "1", "1", "1", "2024"}[i]
		fields = append(fields, method{name, "", entry.Constant, "Returns a field of WeekFields, for get of a date.",
			`(.get (java.time.LocalDate/of 2024 1 3) (.` + name + ` java.time.temporal.WeekFields/ISO)) => ` + example,
			func(t *value.Task, a []value.Value) value.Value {
				s := a[0].AsJava().Vals
				return t.JavaOf(WeekField, value.Int(int64(i)), s[0], s[1])
			}})
	}
	return []methods{{[]*value.JavaClass{WeekFields}, append(fields,
		method{"getFirstDayOfWeek", "", entry.Constant, "Returns the DayOfWeek with which weeks begin.",
			`(str (.getFirstDayOfWeek java.time.temporal.WeekFields/ISO)) => "MONDAY"`,
			func(_ *value.Task, a []value.Value) value.Value {
				return constants()[DayOfWeek.Name][a[0].AsJava().Vals[0].AsInt()-1]
			}},
		method{"getMinimalDaysInFirstWeek", "", entry.Constant, "Returns the least number of days in the first week.",
			`(.getMinimalDaysInFirstWeek java.time.temporal.WeekFields/ISO) => 4`,
			func(_ *value.Task, a []value.Value) value.Value { return a[0].AsJava().Vals[1] }})}}
}

// The countries whose weeks begin on Sunday, and those whose first week has four days. Elsewhere weeks begin on Monday.
const (
	sundayCountries  = " US CA JP KR BR MX IN "
	fourDayCountries = " AT BE CH CZ DE DK ES FI FR GB GR HU IE IT LT LU NL NO PL RU SE "
)

func weekStatics() []entry.Entry {
	return []entry.Entry{entry.PureStatic("WeekFields", "of", "locale | day n", entry.Constant,
		"Returns the WeekFields of a locale, or of the first day of a week and the least number of days in the first week.",
		`(str (java.time.temporal.WeekFields/of java.util.Locale/US)) => "WeekFields[SUNDAY,1]"`,
		func(t *value.Task, a []value.Value) value.Value {
			if len(a) == 1 {
				_, country, _ := strings.Cut(t.Str(a[0]).AsString().S, "_")
				first := 1 + 6*entry.Btoi(strings.Contains(sundayCountries, " "+country+" "))
				least := 1 + 3*entry.Btoi(strings.Contains(fourDayCountries, " "+country+" "))
				return t.JavaOf(WeekFields, value.Int(int64(first)), value.Int(int64(least)))
			}
			n := value.ToLong(t, a[1])
			if n < 1 || n > 7 {
				t.Fail(diag.IllegalArgument, "Minimal number of days is invalid")
			}
			return t.JavaOf(WeekFields, t.WantJava(a[0], DayOfWeek, "WeekFields/of")[0], value.Int(n))
		})}
}
