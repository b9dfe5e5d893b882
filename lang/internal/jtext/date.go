// This file defines the patterns of SimpleDateFormat, and how they format.

package jtext

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/ptc-lang/ptc/lang/internal/jtime"
)

// field is a letter of a pattern with its number, or a text.
type field struct {
	letter byte // 0 for a text
	n      int
	text   string
}

// Date is a pattern of SimpleDateFormat.
type Date struct{ fields []field }

// CompileDate returns the pattern of a text.
func CompileDate(pattern string) (*Date, error) {
	d := &Date{}
	add := func(text string) {
		if k := len(d.fields) - 1; k >= 0 && d.fields[k].letter == 0 {
			d.fields[k].text += text
		} else {
			d.fields = append(d.fields, field{text: text})
		}
	}
	for i := 0; i < len(pattern); {
		c := pattern[i]
		switch {
		case c == '\'' && i+1 < len(pattern) && pattern[i+1] == '\'':
			add("'")
			i += 2
		case c == '\'':
			i++
			for ; ; i++ {
				if i >= len(pattern) {
					return nil, errors.New("Unterminated quote")
				}
				if pattern[i] == '\'' {
					if i+1 < len(pattern) && pattern[i+1] == '\'' {
						i++
					} else {
						break
					}
				}
				add(pattern[i : i+1])
			}
			i++
		case c|32 >= 'a' && c|32 <= 'z':
			n := 1
			for i+n < len(pattern) && pattern[i+n] == c {
				n++
			}
			if strings.IndexByte("GyMwWDdFEaHkKhmsSzZYuXL", c) < 0 {
				return nil, fmt.Errorf("Illegal pattern character '%c'", c)
			}
			if c == 'X' && n > 3 {
				return nil, errors.New("invalid ISO 8601 format: length=" + strconv.Itoa(n))
			}
			d.fields = append(d.fields, field{letter: c, n: n})
			i += n
		default:
			add(pattern[i : i+1])
			i++
		}
	}
	return d, nil
}

// moment has the fields of a time in a zone.
type moment struct {
	year, month, day, epochDay, ms, offset int64
}

func at(millis, offset int64) moment {
	local := millis + offset*1000
	m := moment{epochDay: jtime.FloorDiv(local, 86400_000), offset: offset}
	m.ms = local - m.epochDay*86400_000
	m.year, m.month, m.day = jtime.Date(m.epochDay)
	return m
}

// Format returns the text of milliseconds in a zone, whose name is given in short.
func (d *Date) Format(millis, offset int64, short, long string) string {
	m := at(millis, offset)
	var b strings.Builder
	for _, f := range d.fields {
		if f.letter == 0 {
			b.WriteString(f.text)
			continue
		}
		b.WriteString(m.text(f, short, long))
	}
	return b.String()
}

func padded(n int64, width int) string { return fmt.Sprintf("%0*d", width, n) }

func (m moment) text(f field, short, long string) string {
	hour := m.ms / 3600_000
	year := m.year
	if year <= 0 {
		year = 1 - year
	}
	name := func(names []string, i int64) string {
		if f.n >= 4 {
			return jtime.TitleName(names[i])
		}
		return jtime.TitleName(names[i])[:3]
	}
	switch f.letter {
	case 'G':
		return map[bool]string{true: "AD", false: "BC"}[m.year > 0]
	case 'y', 'Y':
		if f.letter == 'Y' {
			year, _ = m.week()
		}
		if f.n == 2 {
			return padded(year%100, 2)
		}
		return padded(year, f.n)
	case 'M', 'L':
		if f.n >= 3 {
			return name(jtime.MonthNames, m.month-1)
		}
		return padded(m.month, f.n)
	case 'w':
		_, week := m.week()
		return padded(week, f.n)
	case 'W':
		return padded(m.weekOfMonth(), f.n)
	case 'D':
		return padded(jtime.DayOfYear(m.epochDay), f.n)
	case 'd':
		return padded(m.day, f.n)
	case 'F':
		return padded((m.day-1)/7+1, f.n)
	case 'E':
		return name(jtime.DayNames, jtime.DayOfWeek(m.epochDay)-1)
	case 'u':
		return padded(jtime.DayOfWeek(m.epochDay), f.n)
	case 'a':
		return map[bool]string{true: "AM", false: "PM"}[hour < 12]
	case 'H':
		return padded(hour, f.n)
	case 'k':
		return padded((hour+23)%24+1, f.n)
	case 'K':
		return padded(hour%12, f.n)
	case 'h':
		return padded((hour+11)%12+1, f.n)
	case 'm':
		return padded(m.ms/60_000%60, f.n)
	case 's':
		return padded(m.ms/1000%60, f.n)
	case 'S':
		return padded(m.ms%1000, f.n)
	case 'z':
		if f.n >= 4 {
			return long
		}
		return short
	case 'Z':
		return offsetText(m.offset, "", 2)
	}
	if m.offset == 0 {
		return "Z"
	}
	return offsetText(m.offset, map[bool]string{true: ":"}[f.n == 3], min(f.n, 2))
}

// offsetText writes an offset with a separator, in hours and minutes or in hours alone.
func offsetText(offset int64, separator string, parts int) string {
	sign := "+"
	if offset < 0 {
		sign, offset = "-", -offset
	}
	text := sign + padded(offset/3600, 2)
	if parts > 1 {
		text += separator + padded(offset/60%60, 2)
	}
	return text
}

// week returns the year and number of the week, which begins on Sunday; the first one has the first of January.
func (m moment) week() (year, week int64) {
	first := jtime.EpochDay(m.year, 1, 1)
	next := jtime.EpochDay(m.year+1, 1, 1)
	sunday := func(day int64) int64 { return day - jtime.DayOfWeek(day)%7 }
	if m.epochDay >= sunday(next) {
		return m.year + 1, 1
	}
	return m.year, (m.epochDay-sunday(first))/7 + 1
}

func (m moment) weekOfMonth() int64 {
	first := jtime.EpochDay(m.year, m.month, 1)
	return (m.epochDay-first+jtime.DayOfWeek(first)%7)/7 + 1
}
