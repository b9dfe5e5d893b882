// This file defines the arithmetic that the classes of java.time share.

package java

import (
	"math"
	"math/bits"
	"strconv"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/jtime"
	"github.com/ptc-lang/ptc/lang/value"
)

func appendInt(b []byte, n int64) []byte { return strconv.AppendInt(b, n, 10) }

// temporal is a date, a time, or both, with an offset and a zone if there is one.
type temporal struct {
	class     *value.JavaClass
	day, nano int64
	offset    int64
	zone      value.Value // the name; nil without one
}

// split returns the parts of a value. ok is false if it is none of the classes with a date or time.
func split(v value.Value) (x temporal, ok bool) {
	if v.Kind() == value.KindInst {
		s, nano := jtime.FloorDiv(v.AsInst().Millis, 1000), jtime.FloorMod(v.AsInst().Millis, 1000)*1_000_000
		return fromEpoch(Instant, s, nano), true
	}
	if v.Kind() != value.KindJava {
		return x, false
	}
	o := v.AsJava()
	x.class = o.Class
	switch s := o.Vals; x.class {
	case LocalDate:
		x.day = s[0].AsInt()
	case LocalTime:
		x.nano = s[0].AsInt()
	case LocalDateTime:
		x.day, x.nano = s[0].AsInt(), s[1].AsInt()
	case Instant:
		x = fromEpoch(Instant, s[0].AsInt(), s[1].AsInt())
	case OffsetDateTime:
		x.day, x.nano, x.offset = s[0].AsInt(), s[1].AsInt(), s[2].AsInt()
	case ZonedDateTime:
		x.day, x.nano, x.offset, x.zone = s[0].AsInt(), s[1].AsInt(), s[2].AsInt(), s[3]
	case YearMonth:
		x.day = jtime.EpochDay(jtime.FloorDiv(s[0].AsInt(), 12), jtime.FloorMod(s[0].AsInt(), 12)+1, 1)
	case Year:
		x.day = jtime.EpochDay(s[0].AsInt(), 1, 1)
	default:
		return x, false
	}
	return x, true
}

func fromEpoch(class *value.JavaClass, second, nano int64) temporal {
	day := jtime.FloorDiv(second, jtime.SecondsPerDay)
	return temporal{class: class, day: day, nano: (second-day*jtime.SecondsPerDay)*jtime.NanosPerSecond + nano}
}

// want is split, and throws for other values.
func want(t *value.Task, v value.Value, what string) temporal {
	x, ok := split(v)
	if !ok {
		t.FailWant(what, v, "a date or time")
	}
	return x
}

// join returns the value of a temporal.
func (x temporal) join(t *value.Task) value.Value {
	y, m, _ := jtime.Date(x.day)
	if x.class != LocalTime && (y < jtime.MinYear || y > jtime.MaxYear) {
		failTime(t, jtime.CheckDate(y, 1, 1))
	}
	day, nano, offset := value.Int(x.day), value.Int(x.nano), value.Int(x.offset)
	switch x.class {
	case LocalDate:
		return t.JavaOf(LocalDate, day)
	case LocalTime:
		return t.JavaOf(LocalTime, nano)
	case LocalDateTime:
		return t.JavaOf(LocalDateTime, day, nano)
	case Instant:
		return t.JavaOf(Instant, value.Int(x.second()), value.Int(x.nano%jtime.NanosPerSecond))
	case OffsetDateTime:
		return t.JavaOf(OffsetDateTime, day, nano, offset)
	case ZonedDateTime:
		return t.JavaOf(ZonedDateTime, day, nano, offset, x.zone)
	case YearMonth:
		return t.JavaOf(YearMonth, value.Int(y*12+m-1))
	}
	return t.JavaOf(Year, value.Int(y))
}

// second returns the seconds from 1970 in UTC.
func (x temporal) second() int64 { return x.local() - x.offset }

// local returns the seconds from 1970 of the local time.
func (x temporal) local() int64 { return x.day*jtime.SecondsPerDay + x.nano/jtime.NanosPerSecond }

// resolved returns a temporal whose offset is one of its zone at its local time: if it can be, the offset it has.
func (x temporal) resolved() temporal {
	if x.class != ZonedDateTime || x.zone.IsNil() {
		return x
	}
	offset, moved := jtime.Resolve(x.zone.AsString().S, x.local(), x.offset, true)
	y := fromEpoch(x.class, x.local()+moved, x.nano%jtime.NanosPerSecond)
	y.offset, y.zone = offset, x.zone
	return y
}

// at returns the temporal of a class at an instant.
func (x temporal) at(second int64) temporal {
	offset := x.offset
	if !x.zone.IsNil() {
		offset = jtime.OffsetAt(x.zone.AsString().S, second)
	}
	y := fromEpoch(x.class, second+offset, x.nano%jtime.NanosPerSecond)
	y.offset, y.zone = offset, x.zone
	return y
}

func (x temporal) hasDate() bool { return x.class != LocalTime }

func (x temporal) hasTime() bool {
	return x.class != LocalDate && x.class != YearMonth && x.class != Year
}

// supports reports whether a class has a unit.
func (x temporal) supports(unit int64) bool {
	switch {
	case unit <= unitHalfDays:
		return x.hasTime()
	case x.class == Instant:
		return unit == unitDays
	case x.class == YearMonth:
		return unit >= unitMonths
	case x.class == Year:
		return unit >= unitYears
	}
	return x.hasDate()
}

func failUnit(t *value.Task, unit int64) {
	t.FailClass(unitException, diag.NotSupported, "Unsupported unit: %s", unitTexts[unit])
}

// times multiplies, and throws Java's exception on overflow.
func times(t *value.Task, n, by int64) int64 {
	hi, lo := bits.Mul64(uint64(abs(n)), uint64(abs(by)))
	if hi != 0 || lo > math.MaxInt64 {
		t.Fail(diag.Arithmetic, "long overflow")
	}
	return n * by
}

func abs(n int64) int64 {
	if n < 0 {
		return -n
	}
	return n
}

// plus adds an amount of a unit.
func (x temporal) plus(t *value.Task, n, unit int64) temporal {
	if !x.supports(unit) {
		failUnit(t, unit)
	}
	switch {
	case unit >= unitMonths:
		x.day = jtime.PlusMonths(x.day, checked(t, times(t, n, unitLength[unit])))
		return x.resolved()
	case unit >= unitDays:
		x.day += checked(t, times(t, n, unitLength[unit]))
		return x.resolved()
	}
	// Whole days first, so that nanoseconds do not overflow.
	perDay := jtime.NanosPerDay / unitLength[unit]
	days, rest := n/perDay, n%perDay*unitLength[unit]
	if x.class == LocalTime {
		x.nano = jtime.FloorMod(x.nano+rest, jtime.NanosPerDay)
		return x
	}
	nano := x.nano + rest
	days += jtime.FloorDiv(nano, jtime.NanosPerDay)
	nano = jtime.FloorMod(nano, jtime.NanosPerDay)
	y := x
	y.day, y.nano = x.day+checked(t, days), nano
	if x.class == ZonedDateTime {
		return y.at(y.local() - x.offset)
	}
	return y
}

// checked refuses an amount that leads out of the calendar, before it overflows.
func checked(t *value.Task, n int64) int64 {
	if abs(n) > 800_000_000_000 {
		failTime(t, "Text exceeds the range of dates: "+strconv.FormatInt(n, 10))
	}
	return n
}

// until returns the whole units from x to y.
func (x temporal) until(t *value.Task, y temporal, unit int64) int64 {
	if !x.supports(unit) {
		failUnit(t, unit)
	}
	if x.class == ZonedDateTime || x.class == OffsetDateTime {
		y.class, y.zone = x.class, x.zone
		if x.zone.IsNil() {
			local := y.second() + x.offset
			y = fromEpoch(x.class, local, y.nano%jtime.NanosPerSecond)
			y.offset = x.offset
		} else {
			y = y.at(y.second())
		}
		if unit < unitDays {
			x.day, x.nano = fromEpochParts(x)
			y.day, y.nano = fromEpochParts(y)
		}
	}
	if unit < unitDays {
		days, nanos := y.day-x.day, y.nano-x.nano
		if days > 0 && nanos < 0 {
			days, nanos = days-1, nanos+jtime.NanosPerDay
		} else if days < 0 && nanos > 0 {
			days, nanos = days+1, nanos-jtime.NanosPerDay
		}
		return times(t, days, jtime.NanosPerDay/unitLength[unit]) + nanos/unitLength[unit]
	}
	end := y.day
	switch { // a day that is not whole does not count
	case !x.hasTime():
	case end > x.day && y.nano < x.nano:
		end--
	case end < x.day && y.nano > x.nano:
		end++
	}
	if unit < unitMonths {
		return (end - x.day) / unitLength[unit]
	}
	return jtime.MonthsBetween(x.day, end) / unitLength[unit]
}

// fromEpochParts returns the day and time in UTC.
func fromEpochParts(x temporal) (day, nano int64) {
	z := fromEpoch(Instant, x.second(), x.nano%jtime.NanosPerSecond)
	return z.day, z.nano
}

// compare returns the order of two temporals of a class on the time line.
func (x temporal) compare(y temporal) int {
	a, b := x.second(), y.second()
	switch {
	case a < b || a == b && x.nano%jtime.NanosPerSecond < y.nano%jtime.NanosPerSecond:
		return -1
	case a == b && x.nano%jtime.NanosPerSecond == y.nano%jtime.NanosPerSecond:
		return 0
	}
	return 1
}

// get returns a field, by its name in fieldNames. ok is false if x does not have it.
func (x temporal) get(field string) (n int64, ok bool) {
	y, m, d := jtime.Date(x.day)
	s := x.nano / jtime.NanosPerSecond
	switch field {
	case "Year", "YearOfEra":
		if field == "YearOfEra" && y <= 0 {
			y = 1 - y
		}
		return y, x.class != Instant && x.hasDate()
	case "MonthOfYear":
		return m, x.class != Instant && x.class != Year && x.hasDate()
	case "InstantSeconds":
		return x.second(), x.class == Instant || x.class == OffsetDateTime || x.class == ZonedDateTime
	case "OffsetSeconds":
		return x.offset, x.class == OffsetDateTime || x.class == ZonedDateTime
	}
	date := x.class != Instant && x.class != YearMonth && x.class != Year && x.hasDate()
	time := x.class != Instant && x.hasTime()
	switch field {
	case "DayOfWeek":
		return jtime.DayOfWeek(x.day), date
	case "DayOfMonth":
		return d, date
	case "DayOfYear":
		return jtime.DayOfYear(x.day), date
	case "EpochDay":
		return x.day, date
	case "NanoOfSecond":
		return x.nano % jtime.NanosPerSecond, x.hasTime()
	case "MicroOfSecond":
		return x.nano % jtime.NanosPerSecond / 1000, x.hasTime()
	case "MilliOfSecond":
		return x.nano % jtime.NanosPerSecond / 1_000_000, x.hasTime()
	case "NanoOfDay":
		return x.nano, time
	case "MilliOfDay":
		return x.nano / 1_000_000, time
	case "SecondOfMinute":
		return s % 60, time
	case "SecondOfDay":
		return s, time
	case "MinuteOfHour":
		return s / 60 % 60, time
	case "MinuteOfDay":
		return s / 60, time
	case "HourOfAmPm":
		return s / 3600 % 12, time
	case "AmPmOfDay":
		return s / 3600 / 12, time
	}
	return s / 3600, time // HourOfDay
}

// with returns x with a field set.
func (x temporal) with(t *value.Task, field string, n int64) temporal {
	old, ok := x.get(field)
	if !ok {
		t.FailClass(unitException, diag.NotSupported, "Unsupported field: %s", field)
	}
	y, m, d := jtime.Date(x.day)
	set := func(year, month int64) {
		failTime(t, jtime.CheckDate(year, month, 1))
		x.day = jtime.EpochDay(year, month, min(d, jtime.DaysInMonth(year, month)))
	}
	second, frac := x.nano/jtime.NanosPerSecond, x.nano%jtime.NanosPerSecond
	clock := func(h, min, s, nano int64) {
		failTime(t, jtime.CheckTime(h, min, s, nano))
		x.nano = (h*3600+min*60+s)*jtime.NanosPerSecond + nano
	}
	h, minute, s := second/3600, second/60%60, second%60
	switch field {
	case "Year", "YearOfEra":
		set(n, m)
	case "MonthOfYear":
		set(y, n)
	case "DayOfMonth":
		failTime(t, jtime.CheckDate(y, m, n))
		x.day += n - d
	case "DayOfYear":
		if n < 1 || n > 366 {
			failTime(t, "Invalid value for DayOfYear (valid values 1 - 365/366): "+strconv.FormatInt(n, 10))
		}
		if n == 366 && !jtime.IsLeap(y) {
			failTime(t, "Invalid date 'DayOfYear 366' as '"+strconv.FormatInt(y, 10)+"' is not a leap year")
		}
		x.day += n - old
	case "DayOfWeek", "EpochDay":
		x.day += n - old
	case "HourOfDay":
		clock(n, minute, s, frac)
	case "MinuteOfHour":
		clock(h, n, s, frac)
	case "SecondOfMinute":
		clock(h, minute, n, frac)
	case "NanoOfSecond":
		clock(h, minute, s, n)
	case "MicroOfSecond":
		clock(h, minute, s, n*1000)
	case "MilliOfSecond":
		clock(h, minute, s, n*1_000_000)
	case "NanoOfDay":
		clock(n/(3600*jtime.NanosPerSecond), n/(60*jtime.NanosPerSecond)%60, n/jtime.NanosPerSecond%60,
			n%jtime.NanosPerSecond)
	case "SecondOfDay":
		clock(n/3600, n/60%60, n%60, frac)
	case "InstantSeconds":
		return x.at(n)
	default:
		t.FailClass(unitException, diag.NotSupported, "Unsupported field: %s", field)
	}
	return x.resolved()
}

// fields returns the fields that a format writes.
func (x temporal) fields() *jtime.Fields {
	f := &jtime.Fields{Date: x.hasDate() && x.class != Instant, Time: x.hasTime() && x.class != Instant, Day: x.day,
		Nano: x.nano, Offset: x.offset, HasOffset: x.class == OffsetDateTime || x.class == ZonedDateTime}
	if !x.zone.IsNil() {
		f.Zone = x.zone.AsString().S
	}
	return f
}
