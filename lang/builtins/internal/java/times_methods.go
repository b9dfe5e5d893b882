// This file defines the methods of dates and times.

package java

import (
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/jtime"
	"github.com/ptc-lang/ptc/lang/value"
)

// temporals are the classes with a date or a time.
var temporals = []*value.JavaClass{LocalDate, LocalTime, LocalDateTime, Instant, OffsetDateTime, ZonedDateTime,
	YearMonth,
	Year}

func timeMethods() []methods {
	return []methods{{temporals, temporalMethods()}, {temporals, plusMethods()}, {temporals, getters()},
		{[]*value.JavaClass{Instant}, instantMethods()}, {[]*value.JavaClass{Duration}, durationMethods()},
		{[]*value.JavaClass{Period}, periodMethods()},
		{[]*value.JavaClass{ZoneOffset, ZoneRegion}, zoneMethods()},
		{[]*value.JavaClass{DayOfWeek, Month, ChronoUnit, ChronoField}, enumMethods()},
		{[]*value.JavaClass{ChronoUnit}, []method{{"between", "from to", entry.Constant,
			"Returns the whole units from one date or time to another.",
			`(.between java.time.temporal.ChronoUnit/DAYS (java.time.LocalDate/of 2024 1 1) ` +
				`(java.time.LocalDate/of 2024 3 1)) ` +
				`=> 60`, func(t *value.Task, a []value.Value) value.Value {
				return value.Int(want(t, a[1], "between").until(t, want(t, a[2], "between"), unitOf(t, a[0], "between")))
			}}}},
		{[]*value.JavaClass{Formatter}, formatterMethods()}}
}

// op makes a method of temporals that returns one.
func op(f func(t *value.Task, x temporal, a []value.Value) temporal) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		x, _ := split(a[0])
		return f(t, x, a).join(t)
	}
}

func unitOf(t *value.Task, v value.Value, what string) int64 {
	return t.WantJava(v, ChronoUnit, what)[0].AsInt()
}

// amount returns the parts of a Duration or a Period: months, days, seconds and nanoseconds.
func amount(t *value.Task, v value.Value, what string) (months, days, seconds, nanos int64) {
	switch {
	case v.ClassIs(Duration):
		s := v.AsJava().Vals
		return 0, 0, s[0].AsInt(), s[1].AsInt()
	case v.ClassIs(Period):
		s := v.AsJava().Vals
		return s[0].AsInt()*12 + s[1].AsInt(), s[2].AsInt(), 0, 0
	}
	t.Fail(diag.WrongType, "%s: got %s, want a Duration or a Period", what, value.Describe(t, v))
	return 0, 0, 0, 0
}

// move adds a Duration or Period, sign times.
func (x temporal) move(t *value.Task, by value.Value, sign int64, what string) temporal {
	months, days, seconds, nanos := amount(t, by, what)
	if months != 0 {
		x = x.plus(t, sign*months, unitMonths)
	}
	if days != 0 {
		x = x.plus(t, sign*days, unitDays)
	}
	if seconds != 0 {
		x = x.plus(t, sign*seconds, unitSeconds)
	}
	if nanos != 0 {
		x = x.plus(t, sign*nanos, unitNanos)
	}
	return x
}

func plusOrMinus(name string, sign int64) value.NativeFunc {
	return op(func(t *value.Task, x temporal, a []value.Value) temporal {
		if len(a) == 2 {
			return x.move(t, a[1], sign, name)
		}
		return x.plus(t, sign*value.ToLong(t, a[1]), unitOf(t, a[2], name))
	})
}

// ordered makes isBefore and the like.
func ordered(name string, holds func(c int) bool) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		x, _ := split(a[0])
		return value.Bool(holds(x.compare(want(t, a[1], name))))
	}
}

func temporalMethods() []method {
	const date = "(java.time.LocalDate/of 2024 1 31)"
	return []method{
		{"plus", "amount | n unit", entry.Constant, "Adds a Duration or Period, or a number of units.",
			`(str (.plus ` + date + ` 1 java.time.temporal.ChronoUnit/MONTHS)) => "2024-02-29"`, plusOrMinus("plus", 1)},
		{"minus", "amount | n unit", entry.Constant, "Subtracts a Duration or Period, or a number of units.",
			`(str (.minus ` + date + ` (java.time.Period/ofDays 31))) => "2023-12-31"`, plusOrMinus("minus", -1)},
		{"isBefore", "other", entry.Constant, "Returns true if a date or time is before another.",
			`(.isBefore ` + date + ` (java.time.LocalDate/of 2024 2 1)) => true`,
			ordered("isBefore", func(c int) bool { return c < 0 })},
		{"isAfter", "other", entry.Constant, "Returns true if a date or time is after another.",
			`(.isAfter ` + date + ` (java.time.LocalDate/of 2024 2 1)) => false`,
			ordered("isAfter", func(c int) bool { return c > 0 })},
		{"isEqual", "other", entry.Constant, "Returns true if two dates or times are at the same place of the time line.",
			`(.isEqual ` + date + ` ` + date + `) => true`, ordered("isEqual", func(c int) bool { return c == 0 })},
		{"until", "end | end unit", entry.Constant, "Returns the Period between two dates, or the whole units between two " +
			"dates or times.", `(str (.until ` + date + ` (java.time.LocalDate/of 2024 3 1))) => "P1M1D"`, until},
		{"get", "field", entry.Constant, "", "", getField},
		{"getLong", "field", entry.Constant, "Returns a field of a date or time.",
			`(.getLong ` + date + ` java.time.temporal.ChronoField/EPOCH_DAY) => 19753`, getField},
		{"with", "field n | adjuster", entry.Constant, "Returns a date or time with a field set, or as an adjuster sets it.",
			`(str (.with ` + date + ` java.time.temporal.ChronoField/DAY_OF_MONTH 1)) => "2024-01-01"`,
			op(func(t *value.Task, x temporal, a []value.Value) temporal {
				if len(a) == 2 {
					return adjust(t, x, a[1])
				}
				if a[1].ClassIs(WeekField) {
					return withWeekField(t, x, a[1].AsJava().Vals, value.ToLong(t, a[2]))
				}
				return x.with(t, fieldNames[t.WantJava(a[1], ChronoField, "with")[0].AsInt()], value.ToLong(t, a[2]))
			})},
		{"truncatedTo", "unit", entry.Constant, "Returns a time with the smaller units set to zero.",
			`(str (.truncatedTo (java.time.LocalTime/of 10 20 30) java.time.temporal.ChronoUnit/HOURS)) => "10:00"`,
			op(func(t *value.Task, x temporal, a []value.Value) temporal {
				unit := unitOf(t, a[1], "truncatedTo")
				switch {
				case unit > unitDays || !x.hasTime():
					failUnit(t, unit)
				case unit == unitDays:
					x.nano = 0
				default:
					x.nano -= x.nano % unitLength[unit]
				}
				return x.resolved()
			})},
		{"format", "formatter", entry.PerByte, "Returns the text of a date or time in a format.",
			`(.format ` + date + ` (java.time.format.DateTimeFormatter/ofPattern "d/M/yy")) => "31/1/24"`,
			func(t *value.Task, a []value.Value) value.Value { return formatTime(t, a[1], a[0]) }},
		{"atStartOfDay", "| zone", entry.Constant, "Returns the beginning of a date, as a LocalDateTime, or in a zone.",
			`(str (.atStartOfDay ` + date + `)) => "2024-01-31T00:00"`,
			op(func(t *value.Task, x temporal, a []value.Value) temporal {
				x.class, x.nano = LocalDateTime, 0
				if len(a) == 2 {
					return x.inZone(t, a[1], "atStartOfDay")
				}
				return x
			})},
		{"atTime", "time | hour minute | hour minute second | hour minute second nano", entry.Constant,
			"Returns a date with a time of day.", `(str (.atTime ` + date + ` 10 20)) => "2024-01-31T10:20"`,
			op(func(t *value.Task, x temporal, a []value.Value) temporal {
				x.class = LocalDateTime
				if len(a) == 2 {
					x.nano = want(t, a[1], "atTime").nano
				} else {
					x.nano = timeOf(t, a[1:])
				}
				return x
			})},
		{"atDate", "date", entry.Constant, "Returns a time of day with a date.",
			`(str (.atDate (java.time.LocalTime/of 10 20) ` + date + `)) => "2024-01-31T10:20"`,
			op(func(t *value.Task, x temporal, a []value.Value) temporal {
				x.class, x.day = LocalDateTime, want(t, a[1], "atDate").day
				return x
			})},
		{"atDay", "n", entry.Constant, "Returns the date of a day of a month, or of a year.",
			`(str (.atDay (java.time.YearMonth/of 2024 2) 29)) => "2024-02-29"`,
			op(func(t *value.Task, x temporal, a []value.Value) temporal {
				n := value.ToLong(t, a[1])
				if y, m, _ := jtime.Date(x.day); x.class == YearMonth {
					failTime(t, jtime.CheckDate(y, m, n))
				}
				x.class, x.day = LocalDate, x.day+n-1
				return x
			})},
		{"atEndOfMonth", "", entry.Constant, "Returns the last date of a month.",
			`(str (.atEndOfMonth (java.time.YearMonth/of 2024 2))) => "2024-02-29"`,
			op(func(_ *value.Task, x temporal, _ []value.Value) temporal {
				y, m, _ := jtime.Date(x.day)
				x.class, x.day = LocalDate, x.day+jtime.DaysInMonth(y, m)-1
				return x
			})},
		{"atZone", "zone", entry.Constant, "Returns a date and time, or an instant, in a zone.",
			`(str (.atZone (java.time.LocalDateTime/of 2024 7 1 12 0) (java.time.ZoneId/of "Europe/Paris"))) ` +
				`=> "2024-07-01T12:00+02:00[Europe/Paris]"`,
			op(func(t *value.Task, x temporal, a []value.Value) temporal { return x.inZone(t, a[1], "atZone") })},
		{"atOffset", "offset", entry.Constant, "Returns a date and time, or an instant, at an offset.",
			`(str (.atOffset (java.time.Instant/ofEpochSecond 0) java.time.ZoneOffset/UTC)) => "1970-01-01T00:00Z"`,
			op(func(t *value.Task, x temporal, a []value.Value) temporal {
				off := t.WantJava(a[1], ZoneOffset, "atOffset")[0].AsInt()
				if x.class == Instant {
					x.day, x.nano = fromEpochParts(temporal{day: x.day, nano: x.nano, offset: -off})
				}
				x.class, x.offset = OffsetDateTime, off
				return x
			})},
		{"withZoneSameInstant", "zone", entry.Constant, "Returns the same instant in another zone.",
			`(str (.withZoneSameInstant (java.time.ZonedDateTime/parse "2024-07-01T12:00Z") ` +
				`(java.time.ZoneId/of "Asia/Tokyo")))` +
				` => "2024-07-01T21:00+09:00[Asia/Tokyo]"`,
			op(func(t *value.Task, x temporal, a []value.Value) temporal {
				z := fromEpoch(Instant, x.second(), x.nano%jtime.NanosPerSecond)
				return z.inZone(t, a[1], "withZoneSameInstant")
			})},
		{"withZoneSameLocal", "zone", entry.Constant, "Returns the same local time in another zone.",
			`(str (.withZoneSameLocal (java.time.ZonedDateTime/parse "2024-07-01T12:00Z") (java.time.ZoneId/of "Asia/Tokyo")))` +
				` => "2024-07-01T12:00+09:00[Asia/Tokyo]"`,
			op(func(t *value.Task, x temporal, a []value.Value) temporal {
				x.class = LocalDateTime
				return x.inZone(t, a[1], "withZoneSameLocal")
			})},
		{"toLocalDate", "", entry.Constant, "Returns the date.",
			`(str (.toLocalDate (java.time.LocalDateTime/of 2024 1 2 3 4)))` +
				` => "2024-01-02"`, as(LocalDate)},
		{"toLocalTime", "", entry.Constant, "Returns the time of day.",
			`(str (.toLocalTime (java.time.LocalDateTime/of 2024 1 2 3 4))) => "03:04"`, as(LocalTime)},
		{"toLocalDateTime", "", entry.Constant, "Returns the local date and time.",
			`(str (.toLocalDateTime (java.time.ZonedDateTime/parse "2024-07-01T12:00Z"))) => "2024-07-01T12:00"`,
			as(LocalDateTime)},
		{"toOffsetDateTime", "", entry.Constant, "Returns the date and time with its offset, without its zone.",
			`(str (.toOffsetDateTime (java.time.ZonedDateTime/parse "2024-07-01T12:00+02:00[Europe/Paris]"))) ` +
				`=> "2024-07-01T12:00+02:00"`, as(OffsetDateTime)},
		{"toInstant", "| offset", entry.Constant, "Returns the instant of a date and time.",
			`(str (.toInstant (java.time.ZonedDateTime/parse "2024-07-01T12:00+02:00"))) => "2024-07-01T10:00:00Z"`, toInstant},
		{"toEpochSecond", "| offset", entry.Constant, "Returns the seconds since 1970.",
			`(.toEpochSecond (java.time.ZonedDateTime/parse "1970-01-01T00:00:10Z")) => 10`,
			func(t *value.Task, a []value.Value) value.Value {
				x, _ := split(a[0])
				if len(a) == 2 {
					x.offset = t.WantJava(a[1], ZoneOffset, "toEpochSecond")[0].AsInt()
				}
				return value.Int(x.second())
			}},
		{"isLeapYear", "", entry.Constant, "Returns true for a leap year.", `(.isLeapYear ` + date + `) => true`,
			func(_ *value.Task, a []value.Value) value.Value {
				x, _ := split(a[0])
				y, _, _ := jtime.Date(x.day)
				return value.Bool(jtime.IsLeap(y))
			}},
	}
}

// as makes the method that returns a part of a date and time.
func as(class *value.JavaClass) value.NativeFunc {
	return op(func(_ *value.Task, x temporal, _ []value.Value) temporal {
		x.class = class
		return x
	})
}

func toInstant(t *value.Task, a []value.Value) value.Value {
	x, _ := split(a[0])
	if len(a) == 2 {
		x.offset = t.WantJava(a[1], ZoneOffset, "toInstant")[0].AsInt()
	}
	return fromEpoch(Instant, x.second(), x.nano%jtime.NanosPerSecond).join(t)
}

// inZone returns x, an instant or a local date and time, in a zone.
func (x temporal) inZone(t *value.Task, zone value.Value, what string) temporal {
	instant := x.class == Instant
	second := x.second()
	x.class = ZonedDateTime
	if zone.ClassIs(ZoneOffset) {
		x.zone, x.offset = value.Nil, zone.AsJava().Vals[0].AsInt()
		if instant {
			return x.at(second)
		}
		return x
	}
	x.zone = t.WantJava(zone, ZoneRegion, what)[0]
	if instant {
		return x.at(second)
	}
	offset, moved := jtime.Resolve(x.zone.AsString().S, x.local(), 0, false)
	y := fromEpoch(ZonedDateTime, x.local()+moved, x.nano%jtime.NanosPerSecond)
	y.zone, y.offset = x.zone, offset
	return y
}

func until(t *value.Task, a []value.Value) value.Value {
	x, _ := split(a[0])
	y := want(t, a[1], "until")
	if len(a) == 3 {
		return value.Int(x.until(t, y, unitOf(t, a[2], "until")))
	}
	if x.class != LocalDate {
		entry.NoMethod(t, "until", a[0], 1)
	}
	years, months, days := jtime.Between(x.day, y.day)
	return t.JavaOf(Period, value.Int(years), value.Int(months), value.Int(days))
}

func getField(t *value.Task, a []value.Value) value.Value {
	x, _ := split(a[0])
	if a[1].ClassIs(WeekField) {
		return value.Int(weekField(t, x, a[1].AsJava().Vals))
	}
	field := fieldNames[t.WantJava(a[1], ChronoField, "get")[0].AsInt()]
	n, ok := x.get(field)
	if !ok {
		t.FailClass(unitException, diag.NotSupported, "Unsupported field: %s", field)
	}
	return value.Int(n)
}

// plusMethods are plusDays, minusDays and so on.
func plusMethods() []method {
	var list []method
	for unit, name := range unitTexts[:unitYears+1] {
		if name == "HalfDays" {
			continue
		}
		for _, sign := range []int64{1, -1} {
			verb := verbs[sign]
			by := sign
			doc, sum := "Adds", "1971-01-01T00:00"
			if sign < 0 {
				doc = "Subtracts"
			}
			example := ""
			if unit == unitYears && sign > 0 {
				example = `(str (.plusYears (java.time.LocalDateTime/of 1970 1 1 0 0) 1)) => "` + sum + `"`
			}
			list = append(list, method{verb + name, "n", entry.Constant, doc + " a number of " + strings.ToLower(name) +
				" to or from a date, time, Duration or Period.", example,
				op(func(t *value.Task, x temporal, a []value.Value) temporal {
					return x.plus(t, by*value.ToLong(t, a[1]), int64(unit))
				})})
		}
	}
	return list
}

// getters are the methods that return one field, and the methods that set it.
func getters() []method {
	var list []method
	add := func(name, field, set string) {
		list = append(list, method{name, "", entry.Constant, "Returns the field " + field + " of a date or time.", "",
			func(t *value.Task, a []value.Value) value.Value {
				x, _ := split(a[0])
				n, ok := x.get(field)
				if !ok {
					entry.NoMethod(t, name, a[0], 0)
				}
				return value.Int(n)
			}})
		if set != "" {
			list = append(list, method{set, "n", entry.Constant, "Sets the field " + field + " of a date or time.", "",
				op(func(t *value.Task, x temporal, a []value.Value) temporal {
					return x.with(t, field, value.ToLong(t, a[1]))
				})})
		}
	}
	add("getYear", "Year", "withYear")
	add("getMonthValue", "MonthOfYear", "withMonth")
	add("getDayOfMonth", "DayOfMonth", "withDayOfMonth")
	add("getDayOfYear", "DayOfYear", "withDayOfYear")
	add("getHour", "HourOfDay", "withHour")
	add("getMinute", "MinuteOfHour", "withMinute")
	add("getSecond", "SecondOfMinute", "withSecond")
	add("getNano", "NanoOfSecond", "withNano")
	add("toEpochDay", "EpochDay", "")
	add("toNanoOfDay", "NanoOfDay", "")
	add("toSecondOfDay", "SecondOfDay", "")
	constant := func(name, field, doc string, class *value.JavaClass) {
		list = append(list, method{name, "", entry.Constant, doc, "", func(t *value.Task, a []value.Value) value.Value {
			x, _ := split(a[0])
			n, ok := x.get(field)
			if !ok {
				entry.NoMethod(t, name, a[0], 0)
			}
			return constants()[class.Name][n-1]
		}})
	}
	constant("getDayOfWeek", "DayOfWeek", "Returns the day of the week of a date.", DayOfWeek)
	constant("getMonth", "MonthOfYear", "Returns the month of a date.", Month)
	return append(list,
		method{"lengthOfMonth", "", entry.Constant, "Returns the number of days of the month of a date.",
			`(.lengthOfMonth (java.time.LocalDate/of 2024 2 1)) => 29`, func(_ *value.Task, a []value.Value) value.Value {
				x, _ := split(a[0])
				y, m, _ := jtime.Date(x.day)
				return value.Int(jtime.DaysInMonth(y, m))
			}},
		method{"lengthOfYear", "", entry.Constant, "Returns the number of days of the year of a date.",
			`(.lengthOfYear (java.time.LocalDate/of 2024 2 1)) => 366`, func(_ *value.Task, a []value.Value) value.Value {
				x, _ := split(a[0])
				y, _, _ := jtime.Date(x.day)
				return value.Int(365 + int64(entry.Btoi(jtime.IsLeap(y))))
			}},
		method{"getZone", "", entry.Constant, "Returns the zone of a date and time.",
			`(str (.getZone (java.time.ZonedDateTime/parse "2024-07-01T12:00Z"))) => "Z"`,
			func(t *value.Task, a []value.Value) value.Value {
				x, _ := split(a[0])
				if x.zone.IsNil() {
					return t.JavaOf(ZoneOffset, value.Int(x.offset))
				}
				return t.JavaOf(ZoneRegion, x.zone)
			}},
		method{"getOffset", "", entry.Constant, "Returns the offset of a date and time.",
			`(str (.getOffset (java.time.ZonedDateTime/parse "2024-07-01T12:00+02:00"))) => "+02:00"`,
			func(t *value.Task, a []value.Value) value.Value {
				x, _ := split(a[0])
				return t.JavaOf(ZoneOffset, value.Int(x.offset))
			}})
}

func instantMethods() []method {
	return []method{
		{"toEpochMilli", "", entry.Constant, "Returns the milliseconds since 1970 of an instant.",
			`(.toEpochMilli (java.time.Instant/ofEpochSecond 1)) => 1000`, func(t *value.Task, a []value.Value) value.Value {
				return value.Int(epochMillis(t, a[0]))
			}},
		{"getEpochSecond", "", entry.Constant, "Returns the seconds since 1970 of an instant.",
			`(.getEpochSecond (java.time.Instant/ofEpochMilli 1500)) => 1`, func(_ *value.Task, a []value.Value) value.Value {
				return a[0].AsJava().Vals[0]
			}},
	}
}

func epochMillis(t *value.Task, instant value.Value) int64 {
	s := instant.AsJava().Vals
	return times(t, s[0].AsInt(), 1000) + s[1].AsInt()/1_000_000
}

// InstantMillis returns the milliseconds of an Instant; ok is false for other values.
func InstantMillis(t *value.Task, v value.Value) (millis int64, ok bool) {
	if !v.ClassIs(Instant) {
		return 0, false
	}
	return epochMillis(t, v), true
}
