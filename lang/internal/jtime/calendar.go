// Package jtime computes with dates and times as java.time does: the calendar, texts, formats and hashes. It knows
// nothing of values of the language.
package jtime

import (
	"fmt"
	"strconv"
)

// Bounds of java.time.
const (
	MaxYear = 999_999_999
	MinYear = -MaxYear

	NanosPerSecond = 1_000_000_000
	SecondsPerDay  = 86_400
	NanosPerDay    = NanosPerSecond * SecondsPerDay

	daysPerCycle = 146_097 // 400 years
	daysTo1970   = daysPerCycle*5 - (30*365 + 7)
)

// FloorDiv returns x divided by y, rounded down; y is positive.
func FloorDiv(x, y int64) int64 {
	q := x / y
	if x%y < 0 {
		q--
	}
	return q
}

// FloorMod returns the remainder of FloorDiv.
func FloorMod(x, y int64) int64 { return x - FloorDiv(x, y)*y }

// IsLeap reports whether a year has 366 days.
func IsLeap(year int64) bool { return year&3 == 0 && (year%100 != 0 || year%400 == 0) }

// DaysInMonth returns the length of a month.
func DaysInMonth(year, month int64) int64 {
	switch month {
	case 2:
		if IsLeap(year) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// EpochDay returns the days from 1970-01-01 to a date, whose parts are in range.
func EpochDay(year, month, day int64) int64 {
	total := 365 * year
	if year >= 0 {
		total += (year+3)/4 - (year+99)/100 + (year+399)/400
	} else {
		total -= year/-4 - year/-100 + year/-400
	}
	total += (367*month - 362) / 12
	total += day - 1
	if month > 2 {
		total--
		if !IsLeap(year) {
			total--
		}
	}
	return total - daysTo1970
}

// Date returns the parts of the date at a number of days from 1970-01-01.
func Date(epochDay int64) (year, month, day int64) {
	zero := epochDay + daysTo1970 - 60 // from 0000-03-01
	adjust := int64(0)
	if zero < 0 {
		cycles := (zero+1)/daysPerCycle - 1
		adjust = cycles * 400
		zero -= cycles * daysPerCycle
	}
	year = (400*zero + 591) / daysPerCycle
	doy := zero - (365*year + year/4 - year/100 + year/400)
	if doy < 0 {
		year--
		doy = zero - (365*year + year/4 - year/100 + year/400)
	}
	year += adjust
	m := (doy*5 + 2) / 153
	month = (m+2)%12 + 1
	day = doy - (m*306+5)/10 + 1
	return year + m/10, month, day
}

// DayOfWeek returns the day of the week, 1 for Monday.
func DayOfWeek(epochDay int64) int64 { return FloorMod(epochDay+3, 7) + 1 }

// DayOfYear returns the day of the year, from 1.
func DayOfYear(epochDay int64) int64 {
	y, _, _ := Date(epochDay)
	return epochDay - EpochDay(y, 1, 1) + 1
}

// PlusMonths returns a date some months later, whose day is the last of its month if that is shorter.
func PlusMonths(epochDay, months int64) int64 {
	y, m, d := Date(epochDay)
	count := y*12 + m - 1 + months
	y, m = FloorDiv(count, 12), FloorMod(count, 12)+1
	return EpochDay(y, m, min(d, DaysInMonth(y, m)))
}

// MonthsBetween returns the whole months from one date to another.
func MonthsBetween(from, to int64) int64 {
	y1, m1, d1 := Date(from)
	y2, m2, d2 := Date(to)
	return ((y2*12+m2-1)*32 + d2 - ((y1*12+m1-1)*32 + d1)) / 32
}

// Between returns the period from one date to another.
func Between(from, to int64) (years, months, days int64) {
	y1, m1, d1 := Date(from)
	y2, m2, d2 := Date(to)
	total := y2*12 + m2 - y1*12 - m1
	days = d2 - d1
	switch {
	case total > 0 && days < 0:
		total--
		days = to - PlusMonths(from, total)
	case total < 0 && days > 0:
		total++
		days -= DaysInMonth(y2, m2)
	}
	return total / 12, total % 12, days
}

// CheckDate returns the message of Java for parts of a date that are out of range, "" if they are not.
func CheckDate(year, month, day int64) string {
	switch {
	case year < MinYear || year > MaxYear:
		return outOfRange("Year", "-999999999 - 999999999", year)
	case month < 1 || month > 12:
		return outOfRange("MonthOfYear", "1 - 12", month)
	case day < 1 || day > 31:
		return outOfRange("DayOfMonth", "1 - 28/31", day)
	case day > DaysInMonth(year, month) && day == 29:
		return "Invalid date 'February 29' as '" + strconv.FormatInt(year, 10) + "' is not a leap year"
	case day > DaysInMonth(year, month):
		return "Invalid date '" + MonthNames[month-1] + " " + strconv.FormatInt(day, 10) + "'"
	}
	return ""
}

// CheckTime is CheckDate for the parts of a time.
func CheckTime(hour, minute, second, nano int64) string {
	switch {
	case hour < 0 || hour > 23:
		return outOfRange("HourOfDay", "0 - 23", hour)
	case minute < 0 || minute > 59:
		return outOfRange("MinuteOfHour", "0 - 59", minute)
	case second < 0 || second > 59:
		return outOfRange("SecondOfMinute", "0 - 59", second)
	case nano < 0 || nano > 999_999_999:
		return outOfRange("NanoOfSecond", "0 - 999999999", nano)
	}
	return ""
}

func outOfRange(field, valid string, n int64) string {
	return fmt.Sprintf("Invalid value for %s (valid values %s): %d", field, valid, n)
}

// Names of months and days, in capitals as the constants of Java.
var (
	MonthNames = []string{"JANUARY", "FEBRUARY", "MARCH", "APRIL", "MAY", "JUNE", "JULY", "AUGUST", "SEPTEMBER",
		"OCTOBER", "NOVEMBER", "DECEMBER"}
	DayNames = []string{"MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"}
)

// TitleName returns a name of MonthNames or DayNames with one capital.
func TitleName(name string) string {
	b := []byte(name)
	for i := 1; i < len(b); i++ {
		b[i] |= 0x20
	}
	return string(b)
}

// DateHash is the hashCode of a LocalDate.
func DateHash(epochDay int64) int32 {
	y, m, d := Date(epochDay)
	return int32(uint32(y)&0xfffff800 ^ uint32(y<<11+m<<6+d))
}

// LongHash is the hashCode of a Long.
func LongHash(n int64) int32 { return int32(n ^ int64(uint64(n)>>32)) }
