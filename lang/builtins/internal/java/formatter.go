// This file defines formatters, zones, and the static methods that make durations, periods and constants.

package java

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/jtime"
	"github.com/ptc-lang/ptc/lang/value"
)

// formatBytes bounds the memory of a compiled format for each byte of its pattern.
const formatBytes = 64

// maxPattern bounds a pattern: Java's have no bound, but none is as long.
const maxPattern = 1000

// formatOf returns the format of a DateTimeFormatter.
func formatOf(t *value.Task, v value.Value, what string) *jtime.Format {
	s := t.WantJava(v, Formatter, what)
	if s[1].Truthy() {
		return presetFormat(s[0].AsString().S)
	}
	t.Charge(int64(len(s[0].AsString().S)) * formatBytes)
	f, _ := jtime.Compile(s[0].AsString().S)
	return f
}

func presetFormat(name string) *jtime.Format {
	if name == "" {
		return nil
	}
	f, _ := jtime.Compile(jtime.Presets[name])
	f.Strict = true
	return f
}

// formatTime returns the text of a date or time.
func formatTime(t *value.Task, formatter, v value.Value) value.Value {
	s := t.WantJava(formatter, Formatter, "format")
	x := want(t, v, "format")
	if s[1].Truthy() && s[0].AsString().S == "ISO_INSTANT" {
		var room [64]byte
		return t.StringOfBytes(jtime.AppendInstant(room[:0], x.second(), x.nano%jtime.NanosPerSecond))
	}
	fields := x.fields()
	if len(s) == 3 && !s[2].IsNil() && x.class == Instant {
		x = x.inZone(t, s[2], "withZone")
		fields = x.fields()
	}
	if s[1].Truthy() && s[0].AsString().S == "BASIC_ISO_DATE" && fields.Date {
		checkBasicYear(t, fields.Day)
	}
	f := formatOf(t, formatter, "format")
	t.Charge(int64(len(f.Pattern)+1) * formatBytes)
	text, missing := f.Append(nil, fields)
	if missing != "" {
		if missing == "ZoneId" {
			failTime(t, "Unable to extract ZoneId from temporal "+t.Text(v))
		}
		t.FailClass(unitException, diag.NotSupported, "Unsupported field: %s", missing)
	}
	return t.CopyString(string(text))
}

// checkBasicYear throws if the year of a day does not have the four digits of BASIC_ISO_DATE.
func checkBasicYear(t *value.Task, day int64) {
	switch year, _, _ := jtime.Date(day); {
	case year < 0:
		failTime(t, fmt.Sprintf(
			"Field Year cannot be printed as the value %d cannot be negative according to the SignStyle", year))
	case year > 9999:
		failTime(t, fmt.Sprintf("Field Year cannot be printed as the value %d exceeds the maximum print width of 4", year))
	}
}

// parseTime parses a text as an object of a class.
func parseTime(t *value.Task, class *value.JavaClass, text string, f *jtime.Format) value.Value {
	t.Work(int64(len(text)) / 16)
	fail := func(message string) {
		t.FailClass(parseException, diag.IllegalArgument, "%s", message)
	}
	if class == YearMonth || class == Year {
		return parseMonth(t, class, text, f, fail)
	}
	t.Charge(int64(len(f.Pattern)+1)*formatBytes + 1024)
	x, message := f.Parse(text)
	if message != "" {
		fail(message)
	}
	y := temporal{class: class, day: x.Day, nano: x.Nano, offset: x.Offset}
	needsDate, needsTime := class != LocalTime, class != LocalDate
	needsOffset := class == Instant || class == OffsetDateTime || class == ZonedDateTime && x.Zone == ""
	if needsDate && !x.Date || needsTime && !x.Time || needsOffset && !x.HasOffset {
		fail("Text '" + text + "' could not be parsed: Unable to obtain " + class.Name[len("java.time."):] +
			" from TemporalAccessor")
	}
	if class != Instant && class != OffsetDateTime && class != ZonedDateTime {
		y.offset = 0
	}
	if class == Instant {
		return fromEpoch(Instant, y.second(), y.nano%jtime.NanosPerSecond).join(t)
	}
	if class == ZonedDateTime && x.Zone != "" {
		y.zone = t.CopyString(x.Zone)
		offset, moved := jtime.Resolve(x.Zone, y.local(), x.Offset, x.HasOffset)
		if x.HasOffset && offset != x.Offset { // the offset wins
			return y.at(y.second()).join(t)
		}
		z := fromEpoch(class, y.local()+moved, y.nano%jtime.NanosPerSecond)
		z.zone, z.offset = y.zone, offset
		y = z
	}
	return y.join(t)
}

// parseMonth parses a year, or a year and a month.
func parseMonth(t *value.Task, class *value.JavaClass, text string, f *jtime.Format, fail func(string)) value.Value {
	y, m, ok := int64(0), int64(1), false
	switch {
	case f != nil:
		y, m, ok = f.Partial(text)
	case class == YearMonth:
		f, _ = jtime.Compile("uuuu-MM")
		y, m, ok = f.Partial(text)
	default:
		f, _ = jtime.Compile("uuuu-MM")
		y, _, ok = f.Partial(text + "-01")
	}
	if !ok {
		fail("Text '" + text + "' could not be parsed at index 0")
	}
	return temporal{class: class, day: jtime.EpochDay(y, m, 1)}.join(t)
}

func formatterMethods() []method {
	return []method{
		{"format", "x", entry.PerByte, "", "", func(t *value.Task, a []value.Value) value.Value {
			return formatTime(t, a[0], a[1])
		}},
		{"withLocale", "locale", entry.Constant, "Returns the formatter: names are in English.",
			`(.format (.withLocale (java.time.format.DateTimeFormatter/ofPattern "MMM") java.util.Locale/US) ` +
				`(java.time.LocalDate/of 2024 5 1)) => "May"`, func(_ *value.Task, a []value.Value) value.Value { return a[0] }},
		{"withZone", "zone", entry.Constant, "Returns a formatter that writes instants in a zone.",
			`(.format (.withZone (java.time.format.DateTimeFormatter/ofPattern "HH:mm") java.time.ZoneOffset/UTC) ` +
				`(java.time.Instant/ofEpochSecond 0)) => "00:00"`, func(t *value.Task, a []value.Value) value.Value {
				s := a[0].AsJava().Vals
				return t.JavaOf(Formatter, s[0], s[1], a[1])
			}},
	}
}

// spansOf are the static methods of Duration, Period, ZoneId and the other classes.
func spansOf() []entry.Entry {
	made := func(class, name, args, doc, example string, fn value.NativeFunc) entry.Entry {
		return entry.PureStatic(class, name, args, entry.PerByte, doc, example, fn)
	}
	var list []entry.Entry
	for unit := int64(unitNanos); unit <= unitDays; unit++ {
		name := unitTexts[unit]
		if name == "Micros" || name == "HalfDays" {
			continue
		}
		args := "n"
		if unit == unitSeconds {
			args = "n | n nano"
		}
		list = append(list, made("Duration", "of"+name, args, "Returns a duration.",
			`(.isZero (java.time.Duration/of`+name+` 0)) => true`, func(t *value.Task, a []value.Value) value.Value {
				n := new(big.Int).Mul(big.NewInt(value.ToLong(t, a[0])), unitNanosOf(t, unit))
				if len(a) == 2 {
					n.Add(n, big.NewInt(value.ToLong(t, a[1])))
				}
				return span(t, n)
			}))
	}
	period := func(y, m, d int64) func(t *value.Task, a []value.Value) value.Value {
		return func(t *value.Task, a []value.Value) value.Value {
			n := value.ToInt(t, a[0])
			return t.JavaOf(Period, value.Int(y*n), value.Int(m*n), value.Int(d*n))
		}
	}
	enumOf := func(class *value.JavaClass, what string) value.NativeFunc {
		return func(t *value.Task, a []value.Value) value.Value {
			all, n := constants()[class.Name], value.ToLong(t, a[0])
			if n < 1 || n > int64(len(all)) {
				failTime(t, "Invalid value for "+what+": "+t.Text(a[0]))
			}
			return all[n-1]
		}
	}
	return append(list,
		made("Duration", "of", "n unit", "Returns a duration of a number of units.",
			`(str (java.time.Duration/of 90 java.time.temporal.ChronoUnit/MINUTES)) => "PT1H30M"`,
			func(t *value.Task, a []value.Value) value.Value {
				n := new(big.Int).Mul(big.NewInt(value.ToLong(t, a[0])), unitNanosOf(t, unitOf(t, a[1], "of")))
				return span(t, n)
			}),
		made("Duration", "between", "from to", "Returns the duration between two times.",
			`(str (java.time.Duration/between (java.time.LocalTime/of 10 0) (java.time.LocalTime/of 11 30))) => "PT1H30M"`,
			func(t *value.Task, a []value.Value) value.Value {
				x, y := want(t, a[0], "between"), want(t, a[1], "between")
				if !x.hasTime() {
					failUnit(t, unitSeconds)
				}
				n := new(big.Int).Mul(big.NewInt(y.second()-x.second()), big.NewInt(jtime.NanosPerSecond))
				return span(t, n.Add(n, big.NewInt(y.nano%jtime.NanosPerSecond-x.nano%jtime.NanosPerSecond)))
			}),
		made("Duration", "parse", "text", "Parses a duration such as PT1H30M.",
			`(.toMinutes (java.time.Duration/parse "PT1H30M")) => 90`, func(t *value.Task, a []value.Value) value.Value {
				s, nano, ok := jtime.ParseDuration(entry.WantText(t, a[0], "parse"))
				if !ok {
					t.FailClass(parseException, diag.IllegalArgument, "Text cannot be parsed to a Duration")
				}
				return t.JavaOf(Duration, value.Int(s), value.Int(nano))
			}),
		made("Period", "of", "years months days", "Returns a period.", `(str (java.time.Period/of 1 2 3)) => "P1Y2M3D"`,
			func(t *value.Task, a []value.Value) value.Value {
				return t.JavaOf(Period, value.Int(value.ToInt(t, a[0])), value.Int(value.ToInt(t, a[1])),
					value.Int(value.ToInt(t, a[2])))
			}),
		made("Period", "ofDays", "n", "Returns a period.", `(str (java.time.Period/ofDays 3)) => "P3D"`, period(0, 0, 1)),
		made("Period", "ofWeeks", "n", "Returns a period.", `(str (java.time.Period/ofWeeks 1)) => "P7D"`, period(0, 0, 7)),
		made("Period", "ofMonths", "n", "Returns a period.", `(str (java.time.Period/ofMonths 3)) => "P3M"`, period(0, 1, 0)),
		made("Period", "ofYears", "n", "Returns a period.", `(str (java.time.Period/ofYears 3)) => "P3Y"`, period(1, 0, 0)),
		made("Period", "between", "from to", "Returns the years, months and days between two dates.",
			`(str (java.time.Period/between (java.time.LocalDate/of 2024 1 31) (java.time.LocalDate/of 2024 3 1))) => "P1M1D"`,
			func(t *value.Task, a []value.Value) value.Value {
				y, m, d := jtime.Between(want(t, a[0], "between").day, want(t, a[1], "between").day)
				return t.JavaOf(Period, value.Int(y), value.Int(m), value.Int(d))
			}),
		made("Period", "parse", "text", "Parses a period such as P1Y2M3D.",
			`(.getMonths (java.time.Period/parse "P1Y2M3D")) => 2`, func(t *value.Task, a []value.Value) value.Value {
				y, m, d, ok := jtime.ParsePeriod(entry.WantText(t, a[0], "parse"))
				if !ok {
					t.FailClass(parseException, diag.IllegalArgument, "Text cannot be parsed to a Period")
				}
				return t.JavaOf(Period, value.Int(y), value.Int(m), value.Int(d))
			}),
		made("ZoneId", "of", "id", "Returns a zone: an offset such as +01:00, or a region such as Europe/Paris.",
			`(str (java.time.ZoneId/of "Europe/Paris")) => "Europe/Paris"`, newZone),
		made("ZoneId", "systemDefault", "", "Returns UTC: programs run in no zone of their own.",
			`(str (java.time.ZoneId/systemDefault)) => "UTC"`, func(t *value.Task, _ []value.Value) value.Value {
				return t.JavaOf(ZoneRegion, value.ConstString("UTC"))
			}),
		made("ZoneOffset", "of", "id", "Returns an offset from UTC.", `(str (java.time.ZoneOffset/of "+02:00")) => "+02:00"`,
			func(t *value.Task, a []value.Value) value.Value {
				off, ok := jtime.ParseOffset(entry.WantText(t, a[0], "ZoneOffset/of"))
				if !ok {
					failTime(t, "Invalid ID for ZoneOffset, invalid format: "+a[0].AsString().S)
				}
				return t.JavaOf(ZoneOffset, value.Int(off))
			}),
		made("ZoneOffset", "ofHours", "n", "Returns an offset from UTC.",
			`(str (java.time.ZoneOffset/ofHours 2)) => "+02:00"`,
			offsetOf(3600)),
		made("ZoneOffset", "ofTotalSeconds", "n", "Returns an offset from UTC.",
			`(str (java.time.ZoneOffset/ofTotalSeconds 3600)) => "+01:00"`, offsetOf(1)),
		made("DayOfWeek", "of", "n", "Returns a day of the week, 1 for Monday.",
			`(str (java.time.DayOfWeek/of 1)) => "MONDAY"`,
			enumOf(DayOfWeek, "DayOfWeek")),
		made("Month", "of", "n", "Returns a month.", `(str (java.time.Month/of 1)) => "JANUARY"`, enumOf(Month,
			"MonthOfYear")),
		made("DayOfWeek", "values", "", "Returns a vector of the days.", `(count (java.time.DayOfWeek/values)) => 7`,
			func(t *value.Task, _ []value.Value) value.Value { return t.Vector(constants()[DayOfWeek.Name]...) }),
		made("Month", "values", "", "Returns a vector of the months.", `(count (java.time.Month/values)) => 12`,
			func(t *value.Task, _ []value.Value) value.Value { return t.Vector(constants()[Month.Name]...) }),
		entry.StaticMethod("DateTimeFormatter", "ofPattern", "pattern | pattern locale", entry.PerByte,
			"Returns a formatter of a pattern.",
			`(.format (java.time.format.DateTimeFormatter/ofPattern "dd.MM.yyyy") (java.time.LocalDate/of 2024 2 9)) => `+
				`"09.02.2024"`, newFormatter),
		entry.PureStatic("Date", "from", "instant", entry.Constant, "Returns an Instant as a java.util.Date.",
			`(java.util.Date/from (java.time.Instant/ofEpochSecond 0)) => #inst "1970-01-01T00:00:00.000-00:00"`,
			func(t *value.Task, a []value.Value) value.Value {
				t.WantJava(a[0], Instant, "Date/from")
				return t.Inst(epochMillis(t, a[0]))
			}),
	)
}

func offsetOf(unit int64) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		n := value.ToInt(t, a[0]) * unit
		if abs(n) > 18*3600 {
			failTime(t, "Zone offset not in valid range: -18:00 to +18:00")
		}
		return t.JavaOf(ZoneOffset, value.Int(n))
	}
}

func newFormatter(t *value.Task, a []value.Value) value.Value {
	pattern := entry.WantText(t, a[0], "ofPattern")
	if len(pattern) > maxPattern {
		t.Fail(diag.IllegalArgument, "ofPattern: the pattern has %d bytes, the limit is %d", len(pattern), maxPattern)
	}
	t.Charge(int64(len(pattern)) * formatBytes)
	if _, message := jtime.Compile(pattern); message != "" {
		t.Fail(diag.IllegalArgument, "%s", strings.ToValidUTF8(message, "\ufffd"))
	}
	return t.JavaOf(Formatter, a[0], value.False)
}
