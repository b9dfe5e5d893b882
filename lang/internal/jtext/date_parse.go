// This file defines how the patterns of SimpleDateFormat parse.

package jtext

import (
	"strconv"
	"strings"

	"github.com/ptc-lang/ptc/lang/internal/jtime"
)

// parsedDate has the fields that a text had; -1 is none.
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
	if end < len(s) && s[end] == '-' {
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
	if !lenient && (p.month < 1 || p.month > 12 || p.day < 1 || p.day > jtime.DaysInMonth(p.year,
		p.month) || p.hour > 23 ||
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
