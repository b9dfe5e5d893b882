// This file defines Calendar, in UTC, and the parts of Dates.

package java

import (
	"slices"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/jtime"
	"github.com/ptc-lang/ptc/lang/value"
)

// Calendar is the class of mutable dates. The slots are the milliseconds since 1970, and the fields as they were set,
// from the year to the millisecond, until the first look at the Calendar; nil after it. So the 31st of January
// whose month is set to February, and then its date to 5, is the 5th of February.
var Calendar = &value.JavaClass{Name: "java.util.GregorianCalendar",
	Compare: func(_ *value.Task, a, b value.Value) int {
		return int(max(min(a.AsJava().Vals[0].AsInt()-b.AsJava().Vals[0].AsInt(), 1), -1))
	}}

// The fields of a Calendar, by their numbers.
const (
	fieldEra = iota
	fieldYear
	fieldMonth
	fieldWeekOfYear
	fieldWeekOfMonth
	fieldDate
	fieldDayOfYear
	fieldDayOfWeek
	fieldDayOfWeekInMonth
	fieldAmPm
	fieldHour
	fieldHourOfDay
	fieldMinute
	fieldSecond
	fieldMillisecond
	fieldCount
)

var calendarFields = []string{"ERA", "YEAR", "MONTH", "WEEK_OF_YEAR", "WEEK_OF_MONTH", "DATE", "DAY_OF_YEAR",
	"DAY_OF_WEEK",
	"DAY_OF_WEEK_IN_MONTH", "AM_PM", "HOUR", "HOUR_OF_DAY", "MINUTE", "SECOND", "MILLISECOND"}

// calendarConstants returns the constants of Calendar.
func calendarConstants() map[string]value.Value {
	m := map[string]value.Value{"DAY_OF_MONTH": value.Int(fieldDate), "AM": value.Int(0), "PM": value.Int(1)}
	for i, name := range calendarFields {
		m[name] = value.Int(int64(i))
	}
	for i, name := range jtime.MonthNames {
		m[name] = value.Int(int64(i))
	}
	for i, name := range jtime.DayNames {
		m[name] = value.Int(int64(i+1)%7 + 1)
	}
	return m
}

// DateParts are a day and the milliseconds in it.
type dateParts struct{ year, month, date, day, ms int64 }

func partsOf(millis int64) dateParts {
	p := dateParts{day: jtime.FloorDiv(millis, 86400_000)}
	p.ms = millis - p.day*86400_000
	p.year, p.month, p.date = jtime.Date(p.day)
	return p
}

// field returns a field.
func (p dateParts) field(t *value.Task, n int64) int64 {
	first := jtime.EpochDay(p.year, p.month, 1)
	january := jtime.EpochDay(p.year, 1, 1)
	switch n {
	case fieldEra:
		return int64(entry.Btoi(p.year > 0))
	case fieldYear:
		return p.year
	case fieldMonth:
		return p.month - 1
	case fieldWeekOfYear:
		next := jtime.EpochDay(p.year+1, 1, 1)
		if p.day >= next-jtime.DayOfWeek(next)%7 {
			return 1
		}
		return (p.day-january+jtime.DayOfWeek(january)%7)/7 + 1
	case fieldWeekOfMonth:
		return (p.day-first+jtime.DayOfWeek(first)%7)/7 + 1
	case fieldDate:
		return p.date
	case fieldDayOfYear:
		return p.day - january + 1
	case fieldDayOfWeek:
		return jtime.DayOfWeek(p.day)%7 + 1
	case fieldDayOfWeekInMonth:
		return (p.date-1)/7 + 1
	case fieldAmPm:
		return p.ms / (12 * 3600_000)
	case fieldHour:
		return p.ms / 3600_000 % 12
	case fieldHourOfDay:
		return p.ms / 3600_000
	case fieldMinute:
		return p.ms / 60_000 % 60
	case fieldSecond:
		return p.ms / 1000 % 60
	case fieldMillisecond:
		return p.ms % 1000
	}
	t.Fail(diag.IllegalArgument, "Calendar: got the field %d, want a constant such as java.util.Calendar/YEAR", n)
	return 0
}

// farYears bounds the years of a Calendar, so that no arithmetic overflows.
const farYears = 200_000_000

// millisOf returns the milliseconds of a date whose month counts from 0 and, like the date, may be out of range.
func millisOf(t *value.Task, year, month, date, ms int64) int64 {
	year, month = year+jtime.FloorDiv(month, 12), jtime.FloorMod(month, 12)
	if abs(year) > farYears || abs(date) > 366*farYears || abs(ms) > 1<<61 {
		t.Fail(diag.IllegalArgument, "the date is too far from now")
	}
	return (jtime.EpochDay(year, month+1, 1)+date-1)*86400_000 + ms
}

// fieldMillis are the milliseconds of the fields that are added as an amount of time; 0 for those of the calendar.
var fieldMillis = [fieldCount]int64{fieldWeekOfYear: 7 * 86400_000, fieldWeekOfMonth: 7 * 86400_000,
	fieldDate:      86400_000,
	fieldDayOfYear: 86400_000, fieldDayOfWeek: 86400_000, fieldDayOfWeekInMonth: 7 * 86400_000, fieldAmPm: 12 * 3600_000,
	fieldHour: 3600_000, fieldHourOfDay: 3600_000, fieldMinute: 60_000, fieldSecond: 1000, fieldMillisecond: 1}

// addField returns milliseconds with an amount of a field added.
func addField(t *value.Task, millis, n, amount int64) int64 {
	p := partsOf(millis)
	p.field(t, n)
	if n == fieldYear || n == fieldMonth {
		month := p.year*12 + p.month - 1 + amount*map[int64]int64{fieldYear: 12, fieldMonth: 1}[n]
		year := jtime.FloorDiv(month, 12)
		if abs(year) > farYears {
			t.Fail(diag.IllegalArgument, "the date is too far from now")
		}
		last := jtime.DaysInMonth(year, jtime.FloorMod(month, 12)+1)
		return millisOf(t, year, jtime.FloorMod(month, 12), min(p.date, last), p.ms)
	}
	return millis + amount*fieldMillis[n]
}

// pending returns the year, month, date, hour, minute, second and millisecond of a Calendar as they were set.
func pending(v value.Value) (set [7]int64) {
	slots := v.AsJava().Vals
	if !slots[1].IsNil() {
		for i := range set {
			set[i] = value.VecAt(slots[1], i).AsInt()
		}
		return set
	}
	return fieldsOf(slots[0].AsInt())
}

// fieldsOf returns the same fields of a time in milliseconds.
func fieldsOf(millis int64) [7]int64 {
	p := partsOf(millis)
	return [7]int64{p.year, p.month - 1, p.date, p.ms / 3600_000, p.ms / 60_000 % 60, p.ms / 1000 % 60, p.ms % 1000}
}

// setPending sets these fields.
func setPending(t *value.Task, v value.Value, set [7]int64) value.Value {
	millis, fields := pendingSlots(t, set)
	t.Owns(v, "Calendar")
	v.AsJava().Vals[0], v.AsJava().Vals[1] = millis, fields
	return value.Nil
}

// pendingSlots returns the slots of a Calendar with these fields.
func pendingSlots(t *value.Task, set [7]int64) (millis, fields value.Value) {
	of := millisOf(t, set[0], set[1], set[2], ((set[3]*60+set[4])*60+set[5])*1000+set[6])
	vals := t.Vals(len(set))
	for i, n := range set {
		vals[i] = value.Int(n)
	}
	return value.Int(of), t.VectorFrom(vals)
}

// setField sets a field of a Calendar.
func setField(t *value.Task, v value.Value, n, to int64) value.Value {
	set, millis := pending(v), v.AsJava().Vals[0].AsInt()
	old := partsOf(millis).field(t, n)
	switch n {
	case fieldYear, fieldMonth:
		set[n-fieldYear] = to
	case fieldDate:
		set[2] = to
	case fieldHourOfDay, fieldMinute, fieldSecond, fieldMillisecond:
		set[3+n-fieldHourOfDay] = to
	case fieldAmPm, fieldHour:
		set[3] += (to - old) * fieldMillis[n] / fieldMillis[fieldHour]
	default:
		return setCalendar(t, v, millis+(to-old)*fieldMillis[n])
	}
	return setPending(t, v, set)
}

// setDate sets a year, a month from 0, a date, and perhaps an hour, a minute and a second.
func setDate(t *value.Task, v value.Value, a []value.Value) value.Value {
	set := pending(v)
	for i, x := range a {
		set[i] = value.ToInt(t, x)
	}
	return setPending(t, v, set)
}

// calendarMillis returns the milliseconds of a Calendar, to look at it.
func calendarMillis(t *value.Task, v value.Value) int64 {
	slots := v.AsJava().Vals
	if v.Header().Owner() == t.Owner {
		slots[1] = value.Nil
	}
	return slots[0].AsInt()
}

func setCalendar(t *value.Task, v value.Value, millis int64) value.Value {
	t.Owns(v, "Calendar")
	v.AsJava().Vals[0], v.AsJava().Vals[1] = value.Int(millis), value.Nil
	return value.Nil
}

func calendarMethods() []methods {
	return []methods{{[]*value.JavaClass{Calendar}, []method{
		{"get", "field", entry.Constant, "", "", func(t *value.Task, a []value.Value) value.Value {
			return value.Int(partsOf(calendarMillis(t, a[0])).field(t, value.ToInt(t, a[1])))
		}},
		{"set", "field n | year month date | year month date hour minute | year month date hour minute second",
			entry.Constant, "", "", func(t *value.Task, a []value.Value) value.Value {
				if len(a) == 3 {
					return setField(t, a[0], value.ToInt(t, a[1]), value.ToInt(t, a[2]))
				}
				return setDate(t, a[0], a[1:])
			}},
		{"add", "field n", entry.Constant, "", "", func(t *value.Task, a []value.Value) value.Value {
			return setCalendar(t, a[0], addField(t, calendarMillis(t, a[0]), value.ToInt(t, a[1]), value.ToInt(t, a[2])))
		}},
		{"getTime", "", entry.Constant, "", "", func(t *value.Task, a []value.Value) value.Value {
			return t.Inst(calendarMillis(t, a[0]))
		}},
		{"setTime", "date", entry.Constant, "Sets the time of a Calendar.",
			`(.setTime (java.util.GregorianCalendar. 2024 0 1) (java.util.Date. 0)) => nil`,
			func(t *value.Task, a []value.Value) value.Value {
				if a[1].Kind() != value.KindInst {
					t.FailWant("setTime", a[1], "a java.util.Date")
				}
				return setCalendar(t, a[0], a[1].AsInst().Millis)
			}},
		{"setTimeZone", "zone", entry.Constant, "Does nothing to a Calendar in UTC, which is its only zone.",
			`(.setTimeZone (java.util.GregorianCalendar. 2024 0 1) (java.util.TimeZone/getTimeZone "GMT")) => nil`,
			func(t *value.Task, a []value.Value) value.Value {
				id := t.WantJava(a[1], TimeZone, "setTimeZone")[0].AsString().S
				if !slices.Contains([]string{"UTC", "GMT", "GMT+00:00", "GMT-00:00"}, id) {
					t.Fail(diag.NotSupported, "setTimeZone: got %s, want UTC or GMT", id)
				}
				return value.Nil
			}},
		{"getTimeInMillis", "", entry.Constant, "Returns the milliseconds of a Calendar since 1970.",
			`(.getTimeInMillis (java.util.GregorianCalendar. 1970 0 2)) => 86400000`,
			func(t *value.Task, a []value.Value) value.Value { return value.Int(calendarMillis(t, a[0])) }},
		{"setTimeInMillis", "millis", entry.Constant, "Sets the milliseconds of a Calendar since 1970.",
			`(.setTimeInMillis (java.util.GregorianCalendar. 2024 0 1) 0) => nil`,
			func(t *value.Task, a []value.Value) value.Value { return setCalendar(t, a[0], value.ToLong(t, a[1])) }},
		{"getActualMaximum", "field", entry.Constant, "Returns the greatest value that a field of a Calendar can have now.",
			`(.getActualMaximum (java.util.GregorianCalendar. 2024 1 1) java.util.Calendar/DATE) => 29`,
			func(t *value.Task, a []value.Value) value.Value {
				p := partsOf(calendarMillis(t, a[0]))
				n := value.ToInt(t, a[1])
				p.field(t, n)
				most := map[int64]int64{fieldMonth: 11, fieldDate: jtime.DaysInMonth(p.year, p.month), fieldHourOfDay: 23,
					fieldDayOfYear: 365 + int64(entry.Btoi(jtime.IsLeap(p.year))), fieldDayOfWeek: 7, fieldHour: 11, fieldMinute: 59,
					fieldSecond: 59, fieldMillisecond: 999, fieldAmPm: 1, fieldEra: 1}
				return value.Int(most[n])
			}},
		{"isLeapYear", "year", entry.Constant, "", "", func(t *value.Task, a []value.Value) value.Value {
			return value.Bool(jtime.IsLeap(value.ToInt(t, a[1])))
		}},
		{"clear", "", entry.Constant, "", "", func(t *value.Task, a []value.Value) value.Value {
			return setCalendar(t, a[0], 0)
		}},
	}}}
}

// dateMillis returns the milliseconds of a year, a month from 0, a date, and perhaps an hour, a minute and a second.
func dateMillis(t *value.Task, a []value.Value) int64 {
	var n [6]int64
	for i, v := range a {
		n[i] = value.ToInt(t, v)
	}
	return millisOf(t, n[0], n[1], n[2], (n[3]*3600+n[4]*60+n[5])*1000)
}

// DateOf returns the Date of a year from 1900, a month from 0, a date, and perhaps an hour, a minute and a second.
func DateOf(t *value.Task, a []value.Value) value.Value {
	args := append([]value.Value{value.Int(value.ToInt(t, a[0]) + 1900)}, a[1:]...)
	return t.Inst(dateMillis(t, args))
}

// DateMethods are the methods of Dates that return their parts.
func DateMethods() []entry.Entry {
	part := func(name, doc, example string, n, less int64) entry.Entry {
		return entry.Method(name, "", value.Kinds(value.KindInst), entry.Constant, doc, example,
			func(t *value.Task, a []value.Value) value.Value {
				return value.Int(partsOf(a[0].AsInst().Millis).field(t, n) - less)
			})
	}
	return []entry.Entry{
		part("getYear", "Returns the year of a date; of a Date from 1900.", `(.getYear #inst "2024") => 124`, fieldYear,
			1900),
		part("getMonth", "Returns the Month of a date; of a Date its number from 0.", `(.getMonth #inst "2024") => 0`,
			fieldMonth, 0),
		part("getDate", "Returns the day of the month of a Date.", `(.getDate #inst "2024") => 1`, fieldDate, 0),
		part("getDay", "Returns the day of the week of a Date, from 0 for Sunday.", `(.getDay #inst "2024") => 1`,
			fieldDayOfWeek, 1),
		part("getHours", "Returns the hour of a Date.", `(.getHours #inst "2024") => 0`, fieldHourOfDay, 0),
		part("getMinutes", "Returns the minute of a Date.", `(.getMinutes #inst "2024") => 0`, fieldMinute, 0),
		entry.Method("getTimezoneOffset", "", value.Kinds(value.KindInst), entry.Constant,
			"Returns the minutes from local time to UTC of a Date: 0.", `(.getTimezoneOffset #inst "2024") => 0`,
			func(_ *value.Task, _ []value.Value) value.Value { return value.Int(0) }),
		part("getSeconds", "Returns the second of a Date, or the seconds of a Duration.", `(.getSeconds #inst "2024") => 0`,
			fieldSecond, 0),
	}
}

func calendarStatics() []entry.Entry {
	of := func(t *value.Task, millis int64) value.Value { return t.JavaOf(Calendar, value.Int(millis), value.Nil) }
	now := entry.StaticMethod("Calendar", "getInstance", "| zone", entry.Constant,
		"Returns a Calendar of the present, in "+
			"UTC, which needs the grant of tool/time.now.", `(java.util.Calendar/getInstance) !not-granted`,
		func(t *value.Task, a []value.Value) value.Value {
			if len(a) == 1 && t.WantJava(a[0], TimeZone, "Calendar/getInstance")[0].AsString().S != "UTC" {
				t.FailHint(diag.NotSupported, "use java.time.ZonedDateTime", "Calendar/getInstance: want the zone UTC")
			}
			return of(t, jtime.FloorDiv(t.Host.Now(), 1e6))
		})
	now.Clock = true
	return []entry.Entry{now,
		entry.StaticMethod("new", "GregorianCalendar", "year month date | year month date hour minute | "+
			"year month date hour minute second", entry.Constant, "Returns a Calendar, in UTC. Months count from 0.",
			`(.getTime (java.util.GregorianCalendar. 2024 0 5)) => #inst "2024-01-05T00:00:00.000-00:00"`,
			func(t *value.Task, a []value.Value) value.Value {
				set := fieldsOf(0)
				for i, x := range a {
					set[i] = value.ToInt(t, x)
				}
				millis, fields := pendingSlots(t, set)
				return t.JavaOf(Calendar, millis, fields) // last, because a second execution would have another identity
			}),
	}
}
