// This file defines the texts of dates and times: the results of toString, and the input of parse.

package jtime

import (
	"strconv"
	"strings"
)

// AppendDate appends a date in ISO 8601.
func AppendDate(b []byte, epochDay int64) []byte {
	y, m, d := Date(epochDay)
	b = appendYear(b, y)
	return pad(append(pad(append(b, '-'), m, 2), '-'), d, 2)
}

// appendYear appends a year of at least four digits, with a sign if it has more.
func appendYear(b []byte, y int64) []byte {
	switch {
	case y < 0:
		return pad(append(b, '-'), -y, 4)
	case y > 9999:
		b = append(b, '+')
	}
	return pad(b, y, 4)
}

// AppendYearMonth appends a month of a year.
func AppendYearMonth(b []byte, y, m int64) []byte {
	switch {
	case y < 0:
		b = pad(append(b, '-'), -y, 4)
	case y > 9999:
		b = strconv.AppendInt(b, y, 10) // YearMonth has no sign
	default:
		b = pad(b, y, 4)
	}
	return pad(append(b, '-'), m, 2)
}

// pad appends a number that is not negative with at least width digits.
func pad(b []byte, n int64, width int) []byte {
	s := strconv.FormatInt(n, 10)
	for range width - len(s) {
		b = append(b, '0')
	}
	return append(b, s...)
}

// AppendTime appends a time of day, without seconds if they are zero.
func AppendTime(b []byte, nano int64) []byte {
	return appendTime(b, nano, false)
}

func appendTime(b []byte, nano int64, seconds bool) []byte {
	s := nano / NanosPerSecond
	b = pad(append(pad(b, s/3600, 2), ':'), s/60%60, 2)
	if frac := nano % NanosPerSecond; seconds || s%60 > 0 || frac > 0 {
		b = pad(append(b, ':'), s%60, 2)
		b = appendGroups(b, frac)
	}
	return b
}

// appendGroups appends a fraction of 3, 6 or 9 digits, or nothing for zero.
func appendGroups(b []byte, frac int64) []byte {
	switch {
	case frac == 0:
		return b
	case frac%1_000_000 == 0:
		return pad(append(b, '.'), frac/1_000_000, 3)
	case frac%1000 == 0:
		return pad(append(b, '.'), frac/1000, 6)
	}
	return pad(append(b, '.'), frac, 9)
}

// AppendInstant appends an instant in UTC.
func AppendInstant(b []byte, second, nano int64) []byte {
	day := FloorDiv(second, SecondsPerDay)
	b = append(AppendDate(b, day), 'T')
	return append(appendTime(b, (second-day*SecondsPerDay)*NanosPerSecond+nano, true), 'Z')
}

// AppendOffset appends an offset from UTC: Z, +01:00 or +01:02:03.
func AppendOffset(b []byte, seconds int64) []byte {
	if seconds == 0 {
		return append(b, 'Z')
	}
	sign := byte('+')
	if seconds < 0 {
		sign, seconds = '-', -seconds
	}
	b = pad(append(pad(append(b, sign), seconds/3600, 2), ':'), seconds/60%60, 2)
	if s := seconds % 60; s > 0 {
		b = pad(append(b, ':'), s, 2)
	}
	return b
}

// AppendDuration appends a duration as PT8H6M12.345S.
func AppendDuration(b []byte, second, nano int64) []byte {
	if second == 0 && nano == 0 {
		return append(b, "PT0S"...)
	}
	effective := second
	if second < 0 && nano > 0 {
		effective++
	}
	b = append(b, "PT"...)
	h, m, s := effective/3600, effective%3600/60, effective%60
	if h != 0 {
		b = append(strconv.AppendInt(b, h, 10), 'H')
	}
	if m != 0 {
		b = append(strconv.AppendInt(b, m, 10), 'M')
	}
	if s == 0 && nano == 0 {
		return b
	}
	if second < 0 && nano > 0 && s == 0 {
		b = append(b, "-0"...)
	} else {
		b = strconv.AppendInt(b, s, 10)
	}
	if nano > 0 {
		frac := nano
		if second < 0 {
			frac = NanosPerSecond - nano
		}
		digits := string(pad(nil, frac, 9))
		b = append(append(b, '.'), strings.TrimRight(digits, "0")...)
	}
	return append(b, 'S')
}

// AppendPeriod appends a period as P1Y2M3D.
func AppendPeriod(b []byte, y, m, d int64) []byte {
	if y == 0 && m == 0 && d == 0 {
		return append(b, "P0D"...)
	}
	b = append(b, 'P')
	for _, part := range []struct {
		n    int64
		unit byte
	}{{y, 'Y'}, {m, 'M'}, {d, 'D'}} {
		if part.n != 0 {
			b = append(strconv.AppendInt(b, part.n, 10), part.unit)
		}
	}
	return b
}

// ParsePeriod parses P1Y2M3W4D.
func ParsePeriod(s string) (y, m, d int64, ok bool) {
	rest, sign := s, int64(1)
	if strings.HasPrefix(rest, "-") || strings.HasPrefix(rest, "+") {
		if rest[0] == '-' {
			sign = -1
		}
		rest = rest[1:]
	}
	if len(rest) < 2 || rest[0]|0x20 != 'p' {
		return 0, 0, 0, false
	}
	rest = rest[1:]
	for units := "ymwd"; rest != ""; {
		n, size := signed(rest)
		if size == 0 || size == len(rest) {
			return 0, 0, 0, false
		}
		unit := rest[size] | 0x20
		i := strings.IndexByte(units, unit)
		if i < 0 {
			return 0, 0, 0, false
		}
		units, rest = units[i+1:], rest[size+1:]
		switch unit {
		case 'y':
			y = sign * n
		case 'm':
			m = sign * n
		case 'w':
			d = sign * n * 7
		case 'd':
			d += sign * n
		}
	}
	return y, m, d, true
}

// signed parses an integer with an optional sign, and returns its length; 0 if there is none.
func signed(s string) (n int64, size int) {
	if size < len(s) && (s[0] == '-' || s[0] == '+') {
		size++
	}
	digits := size
	for size < len(s) && s[size] >= '0' && s[size] <= '9' {
		size++
	}
	n, err := strconv.ParseInt(s[:size], 10, 64)
	if digits == size || err != nil {
		return 0, 0
	}
	return n, size
}

// ParseDuration parses PnDTnHnMn.nS.
func ParseDuration(s string) (second, nano int64, ok bool) {
	rest, sign := s, int64(1)
	if strings.HasPrefix(rest, "-") || strings.HasPrefix(rest, "+") {
		if rest[0] == '-' {
			sign = -1
		}
		rest = rest[1:]
	}
	if len(rest) < 3 || rest[0]|0x20 != 'p' {
		return 0, 0, false
	}
	rest = rest[1:]
	inTime, units := false, "d"
	for rest != "" {
		if rest[0]|0x20 == 't' && !inTime {
			inTime, units, rest = true, "hms", rest[1:]
			if rest == "" {
				return 0, 0, false
			}
		}
		n, size := signed(rest)
		if size == 0 || size == len(rest) {
			return 0, 0, false
		}
		frac := int64(0)
		negative := rest[0] == '-'
		if rest[size] == '.' || rest[size] == ',' {
			start := size + 1
			for size = start; size < len(rest) && rest[size] >= '0' && rest[size] <= '9'; size++ {
			}
			digits := (rest[start:size] + "000000000")
			if size-start > 9 || size == len(rest) || rest[size]|0x20 != 's' {
				return 0, 0, false
			}
			frac, _ = strconv.ParseInt(digits[:9], 10, 64)
			if negative {
				frac = -frac
			}
		}
		unit := rest[size] | 0x20
		i := strings.IndexByte(units, unit)
		if i < 0 {
			return 0, 0, false
		}
		units, rest = units[i+1:], rest[size+1:]
		second += n * map[byte]int64{'d': SecondsPerDay, 'h': 3600, 'm': 60, 's': 1}[unit]
		nano += frac
	}
	second, nano = sign*second, sign*nano
	second += FloorDiv(nano, NanosPerSecond)
	return second, FloorMod(nano, NanosPerSecond), true
}
