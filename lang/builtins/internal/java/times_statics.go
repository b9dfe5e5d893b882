// This file defines the static methods and constants of java.time.

package java

import (
	"strings"
	"sync"

	"github.com/ptc-lang/ptc/lang/builtins/internal/strs"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/jtime"
	"github.com/ptc-lang/ptc/lang/value"
)

// constants are the values of the enums, in their order, by the name of the class.
var constants = sync.OnceValue(func() map[string][]value.Value {
	all := make(map[string][]value.Value)
	for _, of := range []struct {
		class *value.JavaClass
		first int
		n     int
	}{{DayOfWeek, 1, 7}, {Month, 1, 12}, {ChronoUnit, 0, len(unitNames)}, {ChronoField, 0, len(fieldNames)}} {
		for i := range of.n {
			all[of.class.Name] = append(all[of.class.Name], value.ConstJava(of.class, value.Int(int64(i+of.first))))
		}
	}
	return all
})

// Constants are the constants of the classes, by the simple name of the class and their own.
var Constants = sync.OnceValue(func() map[string]map[string]value.Value {
	date := func(y, m, d int64) value.Value { return value.Int(jtime.EpochDay(y, m, d)) }
	last := value.Int(jtime.NanosPerDay - 1)
	low, high := date(jtime.MinYear, 1, 1), date(jtime.MaxYear, 12, 31)
	offset := func(s int64) value.Value { return value.ConstJava(ZoneOffset, value.Int(s)) }
	of := func(class *value.JavaClass, slots ...value.Value) value.Value {
		return value.ConstJava(class, slots...)
	}
	all := map[string]map[string]value.Value{
		"LocalDate": {"MIN": of(LocalDate, low), "MAX": of(LocalDate, high), "EPOCH": of(LocalDate, value.Int(0))},
		"LocalTime": {"MIN": of(LocalTime, value.Int(0)), "MAX": of(LocalTime, last), "MIDNIGHT": of(LocalTime, value.Int(0)),
			"NOON": of(LocalTime, value.Int(jtime.NanosPerDay/2))},
		"LocalDateTime": {"MIN": of(LocalDateTime, low, value.Int(0)), "MAX": of(LocalDateTime, high, last)},
		"Instant":       {"EPOCH": of(Instant, value.Int(0), value.Int(0))},
		"Duration":      {"ZERO": of(Duration, value.Int(0), value.Int(0))},
		"Period":        {"ZERO": of(Period, value.Int(0), value.Int(0), value.Int(0))},
		"ZoneOffset":    {"UTC": offset(0), "MIN": offset(-18 * 3600), "MAX": offset(18 * 3600)},
		"DayOfWeek":     {}, "Month": {}, "ChronoUnit": {}, "ChronoField": {}, "DateTimeFormatter": {},
		"TextStyle": {}, "FormatStyle": {}, "TimeUnit": {}, "StandardCharsets": {},
	}
	for i, name := range timeUnits {
		all["TimeUnit"][name] = of(TimeUnit, value.Int(int64(i)))
	}
	for _, name := range []string{"UTF-8", "US-ASCII", "ISO-8859-1", "UTF-16", "UTF-16BE", "UTF-16LE"} {
		all["StandardCharsets"][strings.ReplaceAll(name, "-", "_")] = of(strs.Charset, value.ConstString(name))
	}
	for _, name := range []string{"FULL", "FULL_STANDALONE", "SHORT", "SHORT_STANDALONE", "NARROW", "NARROW_STANDALONE"} {
		all["TextStyle"][name] = value.ConstSymbol("", name)
	}
	for _, name := range formatStyles {
		all["FormatStyle"][name] = value.ConstSymbol("", name)
	}
	weekConstants(all)
	all["File"] = map[string]value.Value{"separator": value.ConstString("/"), "separatorChar": value.Char('/'),
		"pathSeparator": value.ConstString(":"), "pathSeparatorChar": value.Char(':')}
	all["Calendar"] = calendarConstants()
	all["GregorianCalendar"] = all["Calendar"]
	for name := range jtime.Presets {
		all["DateTimeFormatter"][name] = of(Formatter, value.ConstString(name), value.True)
	}
	for class, names := range map[string][]string{"DayOfWeek": jtime.DayNames, "Month": jtime.MonthNames} {
		for i, name := range names {
			all[class][name] = constants()["java.time."+class][i]
		}
	}
	for i, name := range unitNames {
		all["ChronoUnit"][name] = constants()[ChronoUnit.Name][i]
	}
	for i, name := range fieldConstants {
		all["ChronoField"][name] = constants()[ChronoField.Name][i]
	}
	return all
})

// timeOf returns the nanoseconds of the day of an hour, a minute, and perhaps a second and nanoseconds.
func timeOf(t *value.Task, a []value.Value) int64 {
	var n [4]int64
	for i, v := range a {
		n[i] = value.ToLong(t, v)
	}
	failTime(t, jtime.CheckTime(n[0], n[1], n[2], n[3]))
	return (n[0]*3600+n[1]*60+n[2])*jtime.NanosPerSecond + n[3]
}

// dateOf returns the day of a year, a month, which may be a Month, and a day.
func dateOf(t *value.Task, a []value.Value) int64 {
	y, m, d := value.ToLong(t, a[0]), monthOf(t, a[1]), value.ToLong(t, a[2])
	failTime(t, jtime.CheckDate(y, m, d))
	return jtime.EpochDay(y, m, d)
}

func monthOf(t *value.Task, v value.Value) int64 {
	if v.ClassIs(Month) {
		return v.AsJava().Vals[0].AsInt()
	}
	return value.ToLong(t, v)
}

// NewZone returns a ZoneId: an offset, or a region of the database.
func newZone(t *value.Task, a []value.Value) value.Value {
	id := entry.WantText(t, a[0], "ZoneId/of")
	if off, ok := jtime.ParseOffset(id); ok {
		return t.JavaOf(ZoneOffset, value.Int(off))
	}
	if !jtime.IsZone(id) {
		t.FailClass("java.time.zone.ZoneRulesException", diag.IllegalArgument, "Unknown time-zone ID: %s", id)
	}
	return t.JavaOf(ZoneRegion, a[0])
}

// now returns the present in the zone that is the argument, or in UTC.
func now(class *value.JavaClass) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		nanos := t.Host.Now()
		x := fromEpoch(Instant, jtime.FloorDiv(nanos, jtime.NanosPerSecond), jtime.FloorMod(nanos, jtime.NanosPerSecond))
		if len(a) == 1 {
			x = x.inZone(t, a[0], "now")
		} else if class == ZonedDateTime {
			x.zone = value.ConstString("UTC")
		}
		x.class = class
		return x.join(t)
	}
}

// parse makes the static method parse.
func parse(class *value.JavaClass, preset string) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		text := entry.WantText(t, a[0], "parse")
		if len(a) == 2 {
			return parseTime(t, class, text, formatOf(t, a[1], "parse"))
		}
		return parseTime(t, class, text, presetFormat(preset))
	}
}

// fromOther makes the static method from, which takes the parts of another date or time.
func fromOther(class *value.JavaClass) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		x := want(t, a[0], "from")
		if class == Instant {
			return fromEpoch(Instant, x.second(), x.nano%jtime.NanosPerSecond).join(t)
		}
		if x.class == Instant || class != LocalTime && !x.hasDate() || class != LocalDate && class != YearMonth &&
			class != Year &&
			!x.hasTime() {
			failTime(t, "Unable to obtain "+class.Name[len("java.time."):]+" from TemporalAccessor: "+t.Str(a[0]).AsString().S+
				" of type "+x.class.Name)
		}
		x.class = class
		return x.join(t)
	}
}

// timeStatics are the static methods of java.time.
func timeStatics() []entry.Entry {
	var list []entry.Entry
	add := func(class, name, args, doc, example string, fn value.NativeFunc) *entry.Entry {
		list = append(list, entry.PureStatic(class, name, args, entry.PerByte, doc, example, fn))
		return &list[len(list)-1]
	}
	for _, of := range []struct {
		class       *value.JavaClass
		name, iso   string
		text, fails string
	}{
		{LocalDate, "LocalDate", "ISO_LOCAL_DATE", "2024-02-29", "2023-02-29"},
		{LocalTime, "LocalTime", "ISO_LOCAL_TIME", "10:20:30", "25:00"},
		{LocalDateTime, "LocalDateTime", "ISO_LOCAL_DATE_TIME", "2024-02-29T10:20", "2024-02-29"},
		{Instant, "Instant", "ISO_INSTANT", "2024-02-29T10:20:30Z", "2024-02-29"},
		{OffsetDateTime, "OffsetDateTime", "ISO_OFFSET_DATE_TIME", "2024-02-29T10:20+01:00", "2024-02-29"},
		{ZonedDateTime, "ZonedDateTime", "ISO_ZONED_DATE_TIME", "2024-02-29T10:20+01:00[Europe/Paris]", "2024-02-29"},
		{YearMonth, "YearMonth", "", "2024-02", "2024-13"}, {Year, "Year", "", "2024", "x"},
	} {
		full := "java.time." + of.name
		e := add(of.name, "parse", "text | text formatter", "Parses a text in ISO 8601, or in a format.",
			`(str (`+full+`/parse "`+of.text+`")) => "`+of.text+`"`, parse(of.class, of.iso))
		e.Examples = append(e.Examples, `(`+full+`/parse "`+of.fails+`") !illegal-argument`)
		e = add(of.name, "now", "| zone", "Returns the present, in UTC or in a zone. It needs the grant of tool/time.now.",
			`(`+full+`/now) !not-granted`, now(of.class))
		e.Purity, e.Clock = entry.Impure, true
		add(of.name, "from", "x", "Returns the parts of another date or time that the class has.",
			`(str (`+full+`/from (`+full+`/parse "`+of.text+`"))) => "`+of.text+`"`, fromOther(of.class))
	}
	return append(append(append(list, datesOf()...), spansOf()...), adjusterStatics()...)
}

// datesOf are the static methods that make dates and times of numbers.
func datesOf() []entry.Entry {
	made := func(class, name, args, doc, example string, fn value.NativeFunc) entry.Entry {
		return entry.PureStatic(class, name, args, entry.Constant, doc, example, fn)
	}
	makes := func(f func(t *value.Task, a []value.Value) temporal) value.NativeFunc {
		return func(t *value.Task, a []value.Value) value.Value { return f(t, a).join(t) }
	}
	return []entry.Entry{
		made("LocalDate", "of", "year month day", "Returns a date.",
			`(str (java.time.LocalDate/of 2024 2 29)) => "2024-02-29"`,
			makes(func(t *value.Task, a []value.Value) temporal { return temporal{class: LocalDate, day: dateOf(t, a)} })),
		made("LocalDate", "ofEpochDay", "n", "Returns the date so many days after 1970-01-01.",
			`(str (java.time.LocalDate/ofEpochDay 1)) => "1970-01-02"`, makes(func(t *value.Task, a []value.Value) temporal {
				return temporal{class: LocalDate, day: checked(t, value.ToLong(t, a[0]))}
			})),
		made("LocalDate", "ofYearDay", "year day", "Returns a day of a year.",
			`(str (java.time.LocalDate/ofYearDay 2024 60)) => "2024-02-29"`, makes(func(t *value.Task,
				a []value.Value) temporal {
				y := value.ToLong(t, a[0])
				failTime(t, jtime.CheckDate(y, 1, 1))
				return temporal{class: LocalDate, day: jtime.EpochDay(y, 1, 1)}.with(t, "DayOfYear", value.ToLong(t, a[1]))
			})),
		made("LocalDate", "ofInstant", "instant zone", "Returns the date of an instant in a zone.",
			`(str (java.time.LocalDate/ofInstant (java.time.Instant/ofEpochSecond 0) java.time.ZoneOffset/UTC)) => "1970-01-01"`,
			makes(func(t *value.Task, a []value.Value) temporal { return ofInstant(t, a, LocalDate) })),
		made("LocalTime", "of", "hour minute | hour minute second | hour minute second nano", "Returns a time of day.",
			`(str (java.time.LocalTime/of 10 20)) => "10:20"`, makes(func(t *value.Task, a []value.Value) temporal {
				return temporal{class: LocalTime, nano: timeOf(t, a)}
			})),
		made("LocalTime", "ofSecondOfDay", "n", "Returns a time of day.",
			`(str (java.time.LocalTime/ofSecondOfDay 3600)) => "01:00"`, makes(func(t *value.Task, a []value.Value) temporal {
				return temporal{class: LocalTime}.with(t, "SecondOfDay", value.ToLong(t, a[0]))
			})),
		made("LocalTime", "ofNanoOfDay", "n", "Returns a time of day.",
			`(str (java.time.LocalTime/ofNanoOfDay 0)) => "00:00"`, makes(func(t *value.Task, a []value.Value) temporal {
				return temporal{class: LocalTime}.with(t, "NanoOfDay", value.ToLong(t, a[0]))
			})),
		made("LocalDateTime", "of",
			"date time | year month day hour minute | year month day hour minute second | year month "+
				"day hour minute second nano", "Returns a date and time.",
			`(str (java.time.LocalDateTime/of 2024 2 29 10 20)) => "2024-02-29T10:20"`,
			makes(func(t *value.Task, a []value.Value) temporal {
				if len(a) == 2 {
					return temporal{class: LocalDateTime, day: want(t, a[0], "of").day, nano: want(t, a[1], "of").nano}
				}
				return temporal{class: LocalDateTime, day: dateOf(t, a), nano: timeOf(t, a[3:])}
			})),
		made("LocalDateTime", "ofInstant", "instant zone", "Returns the date and time of an instant in a zone.",
			`(str (java.time.LocalDateTime/ofInstant (java.time.Instant/ofEpochSecond 0) java.time.ZoneOffset/UTC)) => `+
				`"1970-01-01T00:00"`,
			makes(func(t *value.Task, a []value.Value) temporal { return ofInstant(t, a, LocalDateTime) })),
		made("LocalDateTime", "ofEpochSecond", "second nano offset", "Returns the date and time of an instant at an offset.",
			`(str (java.time.LocalDateTime/ofEpochSecond 60 0 java.time.ZoneOffset/UTC)) => "1970-01-01T00:01"`,
			makes(func(t *value.Task, a []value.Value) temporal {
				off := t.WantJava(a[2], ZoneOffset, "ofEpochSecond")[0].AsInt()
				return fromEpoch(LocalDateTime, instantSecond(t, a[0])+off, value.ToLong(t, a[1]))
			})),
		made("Instant", "ofEpochSecond", "second | second nano", "Returns the instant of seconds since 1970.",
			`(str (java.time.Instant/ofEpochSecond 60)) => "1970-01-01T00:01:00Z"`,
			makes(func(t *value.Task, a []value.Value) temporal {
				nano := int64(0)
				if len(a) == 2 {
					nano = value.ToLong(t, a[1])
				}
				return fromEpoch(Instant, instantSecond(t, a[0])+jtime.FloorDiv(nano, jtime.NanosPerSecond),
					jtime.FloorMod(nano, jtime.NanosPerSecond))
			})),
		made("Instant", "ofEpochMilli", "millis", "Returns the instant of milliseconds since 1970.",
			`(str (java.time.Instant/ofEpochMilli 1500)) => "1970-01-01T00:00:01.500Z"`,
			makes(func(t *value.Task, a []value.Value) temporal {
				n := value.ToLong(t, a[0])
				return fromEpoch(Instant, jtime.FloorDiv(n, 1000), jtime.FloorMod(n, 1000)*1_000_000)
			})),
		made("ZonedDateTime", "of", "local zone | date time zone | year month day hour minute second nano zone",
			"Returns a date and time in a zone.", `(str (java.time.ZonedDateTime/of 2024 7 1 12 0 0 0 (java.time.ZoneId/of `+
				`"Europe/Paris"))) => "2024-07-01T12:00+02:00[Europe/Paris]"`, makes(func(t *value.Task, a []value.Value) temporal {
				return localOf(t, a).inZone(t, a[len(a)-1], "of")
			})),
		made("ZonedDateTime", "ofInstant", "instant zone", "Returns the date and time of an instant in a zone.",
			`(str (java.time.ZonedDateTime/ofInstant (java.time.Instant/ofEpochSecond 0) java.time.ZoneOffset/UTC)) => `+
				`"1970-01-01T00:00Z"`,
			makes(func(t *value.Task, a []value.Value) temporal { return ofInstant(t, a, ZonedDateTime) })),
		made("OffsetDateTime", "of", "local offset | date time offset | year month day hour minute second nano offset",
			"Returns a date and time at an offset.",
			`(str (java.time.OffsetDateTime/of 2024 7 1 12 0 0 0 java.time.ZoneOffset/UTC)) => "2024-07-01T12:00Z"`,
			makes(func(t *value.Task, a []value.Value) temporal {
				x := localOf(t, a)
				x.class, x.offset = OffsetDateTime, t.WantJava(a[len(a)-1], ZoneOffset, "of")[0].AsInt()
				return x
			})),
		made("OffsetDateTime", "ofInstant", "instant zone", "Returns the date and time of an instant in a zone.",
			`(str (java.time.OffsetDateTime/ofInstant (java.time.Instant/ofEpochSecond 0) java.time.ZoneOffset/UTC)) => `+
				`"1970-01-01T00:00Z"`,
			makes(func(t *value.Task, a []value.Value) temporal { return ofInstant(t, a, OffsetDateTime) })),
		made("YearMonth", "of", "year month", "Returns a month of a year.",
			`(str (java.time.YearMonth/of 2024 2)) => "2024-02"`,
			makes(func(t *value.Task, a []value.Value) temporal {
				return temporal{class: YearMonth, day: dateOf(t, []value.Value{a[0], a[1], value.Int(1)})}
			})),
		made("Year", "of", "year", "Returns a year.", `(str (java.time.Year/of 2024)) => "2024"`,
			makes(func(t *value.Task, a []value.Value) temporal {
				return temporal{class: Year, day: dateOf(t, []value.Value{a[0], value.Int(1), value.Int(1)})}
			})),
		made("Year", "isLeap", "year", "Returns true for a leap year.", `(java.time.Year/isLeap 2024) => true`,
			func(t *value.Task, a []value.Value) value.Value {
				return value.Bool(jtime.IsLeap(value.ToLong(t, a[0])))
			}),
	}
}

// instantSecond returns a second that is in the range of dates.
func instantSecond(t *value.Task, v value.Value) int64 {
	n := value.ToLong(t, v)
	if abs(n) > 31_556_889_864_403_199*1 {
		failTime(t, "Instant exceeds minimum or maximum instant")
	}
	return n
}

func ofInstant(t *value.Task, a []value.Value, class *value.JavaClass) temporal {
	x := want(t, a[0], "ofInstant").inZone(t, a[1], "ofInstant")
	x.class = class
	return x
}

// localOf returns the local date and time of all arguments but the last.
func localOf(t *value.Task, a []value.Value) temporal {
	switch len(a) {
	case 2:
		x := want(t, a[0], "of")
		return temporal{class: LocalDateTime, day: x.day, nano: x.nano}
	case 3:
		return temporal{class: LocalDateTime, day: want(t, a[0], "of").day, nano: want(t, a[1], "of").nano}
	}
	return temporal{class: LocalDateTime, day: dateOf(t, a), nano: timeOf(t, a[3:7])}
}
