// This file defines the patterns of SimpleDateFormat.

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

// parsed has the fields that a text had; -1 is none.
type parsedDate struct {
	year, month, day, dayOfYear, weekday, hour, minute, second, ms int64
	pm, hasPM, bc                                                  bool
	offset                                                         int64
	hasOffset                                                      bool
	zone                                                           string
}

// Parse returns the milliseconds that a text means, in a zone whose offset at a local second is given. Index is that of
// the error, -1 if there is none.
func (d *Date) Parse(s string, lenient bool, offsetAt func(local int64) int64) (millis int64, index int) {
	p := parsedDate{year: 1970, month: 1, day: 1}
	i := 0
	for k, f := range d.fields {
		if f.letter == 0 {
			for _, c := range []byte(f.text) {
				if i >= len(s) || s[i] != c {
					return 0, i
				}
				i++
			}
			continue
		}
		adjacent := k+1 < len(d.fields) && d.fields[k+1].letter != 0 && isNumeric(d.fields[k+1])
		n := p.read(f, s, i, adjacent)
		if n < 0 {
			return 0, -n - 1
		}
		i = n
	}
	return p.millis(lenient, offsetAt)
}

func isNumeric(f field) bool {
	return strings.IndexByte("ydDHkKhmsSuwWFY", f.letter) >= 0 || f.letter == 'M' && f.n < 3
}

// read reads a field at an index. It returns the index after it, or -1 minus the index of the error.
func (p *parsedDate) read(f field, s string, i int, adjacent bool) int {
	fail := -i - 1
	if f.letter != 'a' && f.letter != 'G' && f.letter != 'E' || isNumeric(f) {
		for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
			i++
		}
		fail = -i - 1
	}
	if !isNumeric(f) {
		return p.readWord(f, s, i, fail)
	}
	end := i
	if end < len(s) && s[end] == '-' && !adjacent {
		end++
	}
	most := len(s)
	if adjacent {
		most = min(most, i+f.n)
	}
	for end < most && s[end] >= '0' && s[end] <= '9' {
		end++
	}
	n, err := strconv.ParseInt(s[i:end], 10, 32)
	if err != nil || adjacent && end-i < f.n {
		return fail
	}
	switch f.letter {
	case 'y', 'Y':
		if f.n <= 2 && end-i == 2 && n >= 0 {
			n += 2000
			if n > 2044 { // Java takes the years from 80 years ago to 20 years after now; the present is not known
				n -= 100
			}
		}
		p.year = n
	case 'M':
		p.month = n
	case 'd':
		p.day = n
	case 'D':
		p.dayOfYear = n
	case 'H', 'K':
		p.hour = n
	case 'k', 'h':
		p.hour = n
		if f.letter == 'h' && n == 12 || f.letter == 'k' && n == 24 {
			p.hour = 0
		}
	case 'm':
		p.minute = n
	case 's':
		p.second = n
	case 'S':
		p.ms = n
	}
	return end
}

func (p *parsedDate) readWord(f field, s string, i, fail int) int {
	match := func(names []string) (at, end int) {
		best := -1
		for k, name := range names {
			for _, form := range []string{name, name[:min(3, len(name))]} {
				if len(s) >= i+len(form) && strings.EqualFold(s[i:i+len(form)], form) && i+len(form) > end {
					best, end = k, i+len(form)
				}
			}
		}
		return best, end
	}
	switch f.letter {
	case 'M', 'L':
		if k, end := match(jtime.MonthNames); k >= 0 {
			p.month = int64(k) + 1
			return end
		}
	case 'E':
		if k, end := match(jtime.DayNames); k >= 0 {
			p.weekday = int64(k) + 1
			return end
		}
	case 'a':
		if k, end := match([]string{"AM", "PM"}); k >= 0 {
			p.pm, p.hasPM = k == 1, true
			return end
		}
	case 'G':
		if k, end := match([]string{"BC", "AD"}); k >= 0 {
			p.bc = k == 0
			return end
		}
	default:
		return p.readZone(s, i, fail)
	}
	return fail
}

// readZone reads an offset such as +01:00, Z, or the name of a zone.
func (p *parsedDate) readZone(s string, i, fail int) int {
	p.hasOffset = true
	for _, name := range []string{"GMT", "UTC", "UT", "Z"} {
		if strings.HasPrefix(s[i:], name) {
			i += len(name)
			if i == len(s) || s[i] != '+' && s[i] != '-' {
				return i
			}
			break
		}
	}
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		sign := int64(44) - int64(s[i]) // + is 43, - is 45
		digits, j := "", i+1
		for ; j < len(s) && len(digits) < 4 && (s[j] >= '0' && s[j] <= '9' || s[j] == ':' && len(digits) == 2); j++ {
			if s[j] != ':' {
				digits += s[j : j+1]
			}
		}
		if len(digits) == 2 {
			digits += "00"
		}
		if n, err := strconv.ParseInt(digits, 10, 32); err == nil && len(digits) == 4 {
			p.offset = sign * (n/100*3600 + n%100*60)
			return j
		}
		return fail
	}
	end := i
	for end < len(s) && (s[end]|32 >= 'a' && s[end]|32 <= 'z' || s[end] == '/' || s[end] == '_') {
		end++
	}
	if end > i && jtime.IsZone(s[i:end]) {
		p.zone = s[i:end]
		return end
	}
	return fail
}

func (p *parsedDate) millis(lenient bool, offsetAt func(local int64) int64) (millis int64, index int) {
	if p.hasPM {
		p.hour = p.hour % 12
		if p.pm {
			p.hour += 12
		}
	}
	if p.bc {
		p.year = 1 - p.year
	}
	if !lenient && (p.month < 1 || p.month > 12 || p.day < 1 || p.day > jtime.DaysInMonth(p.year, p.month) || p.hour > 23 ||
		p.minute > 59 || p.second > 59) {
		return 0, 0
	}
	year, month := p.year+jtime.FloorDiv(p.month-1, 12), jtime.FloorMod(p.month-1, 12)+1
	if abs(year) > 200_000_000 {
		return 0, 0
	}
	day := jtime.EpochDay(year, month, 1) + p.day - 1
	if p.dayOfYear != 0 {
		day = jtime.EpochDay(p.year, 1, 1) + p.dayOfYear - 1
	}
	local := day*86400 + p.hour*3600 + p.minute*60 + p.second
	offset := p.offset
	switch {
	case p.zone != "":
		offset, _ = jtime.Resolve(p.zone, local, 0, false)
	case !p.hasOffset:
		offset = offsetAt(local)
	}
	return (local-offset)*1000 + p.ms, -1
}

func abs(n int64) int64 { return max(n, -n) }
