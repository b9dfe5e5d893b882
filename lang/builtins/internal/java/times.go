// This file defines the classes of java.time.

package java

import (
	"cmp"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/jtime"
	"github.com/ptc-lang/ptc/lang/internal/murmur"
	"github.com/ptc-lang/ptc/lang/value"
)

// timeClass returns a class of immutable objects, whose slots are integers, except the name of a zone, which is last.
func timeClass(name string, text func(b []byte, s []value.Value) []byte, hash func(s []value.Value) int32,
	compare func(a, b []value.Value) int,
) *value.JavaClass {
	class := &value.JavaClass{Name: "java.time." + name, Data: true,
		Text: func(_ *value.Task, b *value.Buf, v value.Value) {
			var room [64]byte
			b.Write(text(room[:0], v.AsJava().Vals))
		},
		Hash: func(_ *value.Task, v value.Value) int32 { return hash(v.AsJava().Vals) }}
	if compare != nil {
		class.Compare = func(_ *value.Task, a, b value.Value) int { return compare(a.AsJava().Vals, b.AsJava().Vals) }
	}
	return class
}

// The classes of java.time. Their slots are listed in the order in which they are compared.
var (
	LocalDate = timeClass("LocalDate", dateText, dateHash, compareDates) // days from 1970-01-01
	LocalTime = timeClass("LocalTime", func(b []byte, s []value.Value) []byte {
		return jtime.AppendTime(b, s[0].AsInt()) // nanoseconds of the day
	}, func(s []value.Value) int32 { return jtime.LongHash(s[0].AsInt()) }, compareInts)
	LocalDateTime = timeClass("LocalDateTime", dateTimeText, dateTimeHash, compareDateTimes) // days, nanoseconds
	Instant       = timeClass("Instant", func(b []byte, s []value.Value) []byte {
		return jtime.AppendInstant(b, s[0].AsInt(), s[1].AsInt()) // seconds, nanoseconds
	}, secondsHash, compareSeconds)
	Duration = timeClass("Duration", func(b []byte, s []value.Value) []byte {
		return jtime.AppendDuration(b, s[0].AsInt(), s[1].AsInt()) // seconds, nanoseconds
	}, secondsHash, compareSeconds)
	Period = timeClass("Period", func(b []byte, s []value.Value) []byte {
		return jtime.AppendPeriod(b, s[0].AsInt(), s[1].AsInt(), s[2].AsInt()) // years, months, days
	}, func(s []value.Value) int32 {
		return int32(s[0].AsInt()) + rotate(int32(s[1].AsInt()), 8) + rotate(int32(s[2].AsInt()), 16)
	}, nil)
	ZoneOffset = timeClass("ZoneOffset", func(b []byte, s []value.Value) []byte {
		return jtime.AppendOffset(b, s[0].AsInt()) // seconds
	}, func(s []value.Value) int32 { return int32(s[0].AsInt()) }, func(a, b []value.Value) int {
		return int(b[0].AsInt() - a[0].AsInt())
	})
	ZoneRegion = timeClass("ZoneRegion", func(b []byte, s []value.Value) []byte {
		return append(b, s[0].AsString().S...) // the name
	}, func(s []value.Value) int32 { return murmur.JavaStringHash(s[0].AsString().S) }, nil)
	OffsetDateTime = timeClass("OffsetDateTime", func(b []byte, s []value.Value) []byte { // days, nanoseconds, offset
		return jtime.AppendOffset(dateTimeText(b, s), s[2].AsInt())
	}, func(s []value.Value) int32 { return dateTimeHash(s) ^ int32(s[2].AsInt()) }, compareInstants)
	ZonedDateTime = timeClass("ZonedDateTime", func(b []byte, s []value.Value) []byte { // and a zone, or nil
		b = jtime.AppendOffset(dateTimeText(b, s), s[2].AsInt())
		if s[3].IsNil() {
			return b
		}
		return append(append(append(b, '['), s[3].AsString().S...), ']')
	}, func(s []value.Value) int32 {
		zone := int32(s[2].AsInt())
		if !s[3].IsNil() {
			zone = murmur.JavaStringHash(s[3].AsString().S)
		}
		return dateTimeHash(s) ^ int32(s[2].AsInt()) ^ rotate(zone, 3)
	}, compareInstants)
	YearMonth = timeClass("YearMonth", func(b []byte, s []value.Value) []byte { // months from the year 0
		n := s[0].AsInt()
		return jtime.AppendYearMonth(b, jtime.FloorDiv(n, 12), jtime.FloorMod(n, 12)+1)
	}, func(s []value.Value) int32 {
		n := s[0].AsInt()
		return int32(jtime.FloorDiv(n, 12)) ^ int32(jtime.FloorMod(n, 12)+1)<<27
	}, func(a, b []value.Value) int {
		x, y := a[0].AsInt(), b[0].AsInt()
		if c := jtime.FloorDiv(x, 12) - jtime.FloorDiv(y, 12); c != 0 {
			return int(c)
		}
		return int(jtime.FloorMod(x, 12) - jtime.FloorMod(y, 12))
	})
	Year = timeClass("Year", func(b []byte, s []value.Value) []byte { return appendInt(b, s[0].AsInt()) },
		func(s []value.Value) int32 { return int32(s[0].AsInt()) }, compareOrder)
	// The enums have the number of the constant, from 1, from 1 and from 0.
	DayOfWeek  = enum("DayOfWeek", 1, jtime.DayNames)
	Month      = enum("Month", 1, jtime.MonthNames)
	ChronoUnit = enum("temporal.ChronoUnit", 0, unitTexts)
	// ChronoField has the index of the field in fieldNames.
	ChronoField = enum("temporal.ChronoField", 0, fieldNames)
	// Formatter has a pattern, or the name of a preset, and whether it is one.
	Formatter = &value.JavaClass{Name: "java.time.format.DateTimeFormatter",
		Text: func(_ *value.Task, b *value.Buf, v value.Value) { b.WriteString(v.AsJava().Vals[0].AsString().S) }}
)

// enum returns a class of constants whose texts are given, numbered from first.
func enum(name string, first int64, texts []string) *value.JavaClass {
	return timeClass(name, func(b []byte, s []value.Value) []byte { return append(b, texts[s[0].AsInt()-first]...) },
		func(s []value.Value) int32 { return murmur.JavaStringHash(texts[s[0].AsInt()-first]) }, compareOrder)
}

// Units of time, in the order of their constants.
const (
	unitNanos = iota
	unitMicros
	unitMillis
	unitSeconds
	unitMinutes
	unitHours
	unitHalfDays
	unitDays
	unitWeeks
	unitMonths
	unitYears
	unitDecades
	unitCenturies
	unitMillennia
)

var (
	unitTexts = []string{"Nanos", "Micros", "Millis", "Seconds", "Minutes", "Hours", "HalfDays", "Days", "Weeks", "Months",
		"Years", "Decades", "Centuries", "Millennia"}
	unitNames = []string{"NANOS", "MICROS", "MILLIS", "SECONDS", "MINUTES", "HOURS", "HALF_DAYS", "DAYS", "WEEKS",
		"MONTHS",
		"YEARS", "DECADES", "CENTURIES", "MILLENNIA"}
	// unitLength has the nanoseconds of units of time, the days of those of days, and the months of the others.
	unitLength = []int64{1, 1000, 1_000_000, jtime.NanosPerSecond, 60 * jtime.NanosPerSecond, 3600 * jtime.NanosPerSecond,
		12 * 3600 * jtime.NanosPerSecond, 1, 7, 1, 12, 120, 1200, 12000}

	fieldNames = []string{"NanoOfSecond", "NanoOfDay", "MicroOfSecond", "MilliOfSecond", "MilliOfDay", "SecondOfMinute",
		"SecondOfDay", "MinuteOfHour", "MinuteOfDay", "HourOfAmPm", "HourOfDay", "AmPmOfDay", "DayOfWeek", "DayOfMonth",
		"DayOfYear", "EpochDay", "MonthOfYear", "YearOfEra", "Year", "InstantSeconds", "OffsetSeconds"}
	fieldConstants = []string{"NANO_OF_SECOND", "NANO_OF_DAY", "MICRO_OF_SECOND", "MILLI_OF_SECOND", "MILLI_OF_DAY",
		"SECOND_OF_MINUTE", "SECOND_OF_DAY", "MINUTE_OF_HOUR", "MINUTE_OF_DAY", "HOUR_OF_AMPM", "HOUR_OF_DAY", "AMPM_OF_DAY",
		"DAY_OF_WEEK", "DAY_OF_MONTH", "DAY_OF_YEAR", "EPOCH_DAY", "MONTH_OF_YEAR", "YEAR_OF_ERA", "YEAR",
		"INSTANT_SECONDS", "OFFSET_SECONDS"}
)

func dateText(b []byte, s []value.Value) []byte { return jtime.AppendDate(b, s[0].AsInt()) }

func dateTimeText(b []byte, s []value.Value) []byte {
	return jtime.AppendTime(append(dateText(b, s), 'T'), s[1].AsInt())
}

func dateHash(s []value.Value) int32 { return jtime.DateHash(s[0].AsInt()) }

func dateTimeHash(s []value.Value) int32 { return dateHash(s) ^ jtime.LongHash(s[1].AsInt()) }

func secondsHash(s []value.Value) int32 { return jtime.LongHash(s[0].AsInt()) + 51*int32(s[1].AsInt()) }

func rotate(n int32, by int) int32 { return int32(uint32(n)<<by | uint32(n)>>(32-by)) }

// compareDates compares as LocalDate does: the result is the difference of the first parts that differ.
func compareDates(a, b []value.Value) int {
	y1, m1, d1 := jtime.Date(a[0].AsInt())
	y2, m2, d2 := jtime.Date(b[0].AsInt())
	return int(cmp.Or(y1-y2, m1-m2, d1-d2))
}

func compareInts(a, b []value.Value) int { return cmp.Compare(a[0].AsInt(), b[0].AsInt()) }

func compareOrder(a, b []value.Value) int { return int(a[0].AsInt() - b[0].AsInt()) }

func compareDateTimes(a, b []value.Value) int {
	return cmp.Or(compareDates(a, b), cmp.Compare(a[1].AsInt(), b[1].AsInt()))
}

func compareSeconds(a, b []value.Value) int {
	return cmp.Or(compareInts(a, b), int(a[1].AsInt()-b[1].AsInt()))
}

func compareInstants(a, b []value.Value) int {
	c := cmp.Or(cmp.Compare(epochSecond(a), epochSecond(b)),
		cmp.Compare(a[1].AsInt()%jtime.NanosPerSecond, b[1].AsInt()%jtime.NanosPerSecond), compareDateTimes(a, b))
	return c
}

// epochSecond returns the second of a date, time and offset.
func epochSecond(s []value.Value) int64 {
	return s[0].AsInt()*jtime.SecondsPerDay + s[1].AsInt()/jtime.NanosPerSecond - s[2].AsInt()
}

// The classes of exceptions.
const (
	timeException  = "java.time.DateTimeException"
	parseException = "java.time.format.DateTimeParseException"
	unitException  = "java.time.temporal.UnsupportedTemporalTypeException"
)

// failTime throws a DateTimeException, unless the message is "".
func failTime(t *value.Task, message string) {
	if message != "" {
		t.FailClass(timeException, diag.IllegalArgument, "%s", message)
	}
}
