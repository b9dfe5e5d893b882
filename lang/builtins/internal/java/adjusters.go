// This file defines TemporalAdjusters, and the other objects that the method with takes.

package java

import (
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/jtime"
	"github.com/ptc-lang/ptc/lang/value"
)

// Adjuster is the class of the results of the methods of TemporalAdjusters. The slots are the index in
// adjusters, a number and a day of the week.
var Adjuster = &value.JavaClass{Name: "java.time.temporal.TemporalAdjusters"}

// adjusters are the methods of TemporalAdjusters, each with its result for the end of January 2024, a Wednesday.
var adjusters = []struct {
	name, args, doc, example string
	day                      func(x temporal, n, weekday int64) int64
}{
	{"firstDayOfMonth", "", "the first day of its month", "2024-01-01",
		func(x temporal, _, _ int64) int64 { return monthStart(x, 0) }},
	{"lastDayOfMonth", "", "the last day of its month", "2024-01-31",
		func(x temporal, _, _ int64) int64 { return monthStart(x, 1) - 1 }},
	{"firstDayOfNextMonth", "", "the first day of the next month", "2024-02-01",
		func(x temporal, _, _ int64) int64 { return monthStart(x, 1) }},
	{"firstDayOfYear", "", "the first day of its year", "2024-01-01",
		func(x temporal, _, _ int64) int64 { return yearStart(x, 0) }},
	{"lastDayOfYear", "", "the last day of its year", "2024-12-31",
		func(x temporal, _, _ int64) int64 { return yearStart(x, 1) - 1 }},
	{"firstDayOfNextYear", "", "the first day of the next year", "2025-01-01",
		func(x temporal, _, _ int64) int64 { return yearStart(x, 1) }},
	{"next", "day", "the next such day of the week", "2024-02-05",
		func(x temporal, _, w int64) int64 { return x.day + 7 - jtime.FloorMod(jtime.DayOfWeek(x.day)-w, 7) }},
	{"nextOrSame", "day", "the date if it is such a day of the week, else the next one", "2024-02-05",
		func(x temporal, _, w int64) int64 { return x.day + jtime.FloorMod(w-jtime.DayOfWeek(x.day), 7) }},
	{"previous", "day", "the previous such day of the week", "2024-01-29",
		func(x temporal, _, w int64) int64 { return x.day - 7 + jtime.FloorMod(w-jtime.DayOfWeek(x.day), 7) }},
	{"previousOrSame", "day", "the date if it is such a day of the week, else the previous one", "2024-01-29",
		func(x temporal, _, w int64) int64 { return x.day - jtime.FloorMod(jtime.DayOfWeek(x.day)-w, 7) }},
	{"firstInMonth", "day", "the first such day of the week of its month", "2024-01-01",
		func(x temporal, _, w int64) int64 { return weekdayInMonth(x, 1, w) }},
	{"lastInMonth", "day", "the last such day of the week of its month", "2024-01-29",
		func(x temporal, _, w int64) int64 { return weekdayInMonth(x, -1, w) }},
	{"dayOfWeekInMonth", "n day", "the n-th such day of the week of its month, from the end if n is negative",
		"2024-01-08", weekdayInMonth},
}

// monthStart returns the first day of the month that is so many months after that of a date.
func monthStart(x temporal, months int64) int64 {
	y, m, _ := jtime.Date(x.day)
	return jtime.EpochDay(y+(m-1+months)/12, (m-1+months)%12+1, 1)
}

func yearStart(x temporal, years int64) int64 {
	y, _, _ := jtime.Date(x.day)
	return jtime.EpochDay(y+years, 1, 1)
}

func weekdayInMonth(x temporal, n, w int64) int64 {
	if n >= 0 {
		first := monthStart(x, 0)
		return first + jtime.FloorMod(w-jtime.DayOfWeek(first), 7) + (n-1)*7
	}
	last := monthStart(x, 1) - 1
	return last - jtime.FloorMod(jtime.DayOfWeek(last)-w, 7) + (n+1)*7
}

// adjusterStatics are the methods of TemporalAdjusters, and the methods that take the day or the month of a date.
func adjusterStatics() []entry.Entry {
	var list []entry.Entry
	for i, adj := range adjusters {
		call := strings.NewReplacer("n", "2", "day", "java.time.DayOfWeek/MONDAY").Replace(adj.args)
		list = append(list, entry.StaticMethod("TemporalAdjusters", adj.name, adj.args, entry.Constant,
			"Returns what the method with of a date takes, to return "+adj.doc+".",
			`(str (.with (java.time.LocalDate/of 2024 1 31) (java.time.temporal.TemporalAdjusters/`+adj.name+" "+call+`))) => "`+
				adj.example+`"`,
			func(t *value.Task, a []value.Value) value.Value {
				n, day := value.Int(0), value.Int(0)
				if len(a) == 2 {
					n = value.Int(int64(int32(value.ToLong(t, a[0]))))
				}
				if len(a) > 0 {
					day = t.WantJava(a[len(a)-1], DayOfWeek, adj.name)[0]
				}
				return t.JavaOf(Adjuster, value.Int(int64(i)), n, day)
			}))
	}
	part := func(class *value.JavaClass, name, field, example string) {
		list = append(list, entry.PureStatic(name, "from", "x", entry.Constant, "Returns that of a date.",
			`(str (java.time.`+name+`/from (java.time.LocalDate/of 2024 1 31))) => "`+example+`"`,
			func(t *value.Task, a []value.Value) value.Value {
				if a[0].ClassIs(class) {
					return a[0]
				}
				n, ok := want(t, a[0], name+"/from").get(field)
				if !ok {
					failTime(t, "Unable to obtain "+name+" from TemporalAccessor: "+t.Str(a[0]).AsString().S+" of type "+
						a[0].AsJava().Class.Name)
				}
				return t.JavaOf(class, value.Int(n))
			}))
	}
	part(DayOfWeek, "DayOfWeek", "DayOfWeek", "WEDNESDAY")
	part(Month, "Month", "MonthOfYear", "JANUARY")
	return list
}

// adjust returns a date or time with the fields that an object sets: a TemporalAdjuster, a date, a time, a
// day of the week or a month.
func adjust(t *value.Task, x temporal, by value.Value) temporal {
	switch {
	case by.ClassIs(DayOfWeek):
		return x.with(t, "DayOfWeek", by.AsJava().Vals[0].AsInt())
	case by.ClassIs(Month):
		return x.with(t, "MonthOfYear", by.AsJava().Vals[0].AsInt())
	case by.ClassIs(LocalDate):
		return x.with(t, "EpochDay", by.AsJava().Vals[0].AsInt())
	case by.ClassIs(LocalTime):
		return x.with(t, "NanoOfDay", by.AsJava().Vals[0].AsInt())
	case !by.ClassIs(Adjuster):
		t.FailWant("with", by, "a TemporalAdjuster, a LocalDate, a LocalTime, a DayOfWeek or a Month")
	}
	if _, ok := x.get("EpochDay"); !ok {
		t.FailClass(unitException, diag.NotSupported, "Unsupported field: %s", "DayOfMonth")
	}
	s := by.AsJava().Vals
	x.day = adjusters[s[0].AsInt()].day(x, s[1].AsInt(), s[2].AsInt())
	return x.resolved()
}
