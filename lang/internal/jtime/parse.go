// This file defines how a format reads a text.

package jtime

import (
	"fmt"
	"strconv"
	"strings"
)

// Parse reads a text. message is Java's for a text that does not have the format.
func (f *Format) Parse(text string) (x *Fields, message string) {
	p := &parse{text: text, fields: make(map[byte]int64), strict: f.Strict}
	at := p.run(f.elements, 0, len(f.elements), 0)
	switch {
	case at < 0:
		return nil, fmt.Sprintf("Text '%s' could not be parsed at index %d", shown(text), -at-1)
	case at < len(text):
		return nil, fmt.Sprintf("Text '%s' could not be parsed, unparsed text found at index %d", shown(text), at)
	}
	x, message = p.resolve()
	if message != "" {
		return nil, "Text '" + shown(text) + "' could not be parsed: " + message
	}
	return x, ""
}

// shown cuts a text for a message, as Java does.
func shown(text string) string {
	if len(text) > 64 {
		return text[:64] + "..."
	}
	return text
}

// parse is the state of reading a text.
type parse struct {
	text   string
	fields map[byte]int64 // by letter; a for AM (0) or PM, S for nanoseconds, X for the offset
	zone   string
	strict bool
}

// run reads the elements from one index to another, at an offset of the text. It returns the offset after them, or the
// complement of the offset at which they do not fit.
func (p *parse) run(elements []element, from, to, at int) int {
	for i := from; i < to; i++ {
		e := &elements[i]
		switch e.letter {
		case 0:
			if n := len(e.text); len(p.text)-at < n || p.text[at:at+n] != e.text &&
				!(p.strict && strings.EqualFold(p.text[at:at+n], e.text)) {
				return ^at
			}
			at += len(e.text)
		case '[':
			kept, zone := clone(p.fields), p.zone
			end := p.run(elements, i+1, min(e.last, len(elements)), at)
			if end < 0 {
				p.fields, p.zone = kept, zone
			} else {
				at = end
			}
			i = e.last
		case ']':
		default:
			if at = p.element(elements, i, at); at < 0 {
				return at
			}
		}
	}
	return at
}

func clone(m map[byte]int64) map[byte]int64 {
	c := make(map[byte]int64, len(m))
	for k, v := range m {
		c[k] = v
	}
	return c
}

// element reads one element.
func (p *parse) element(elements []element, i, at int) int {
	e := &elements[i]
	switch e.letter {
	case 'a':
		return p.word(e.letter, at, []string{"AM", "PM"}, 0)
	case 'G':
		return p.word(e.letter, at, []string{"BC", "AD"}, 0)
	case 'S':
		return p.fractionOf(at, e.n, e.n)
	case fraction:
		if at >= len(p.text) || p.text[at] != '.' {
			return at
		}
		return p.fractionOf(at+1, 1, 9)
	case 'X', 'x', 'Z', 'O', gmtOffset:
		return p.offset(e, at)
	case 'V', 'z':
		return p.zoneID(at)
	}
	if name(e.letter, e.n, 1) != "" {
		names := make([]string, 0, 12)
		for n := int64(1); n <= map[bool]int64{true: 7, false: 12}[e.letter == 'E' || e.letter == 'e'] &&
			!(n > 4 && (e.letter == 'Q' || e.letter == 'q')); n++ {
			names = append(names, name(e.letter, e.n, n))
		}
		return p.word(e.letter, at, names, 1)
	}
	return p.number(elements, i, at)
}

// word reads one of several words; the first one has the number base.
func (p *parse) word(letter byte, at int, words []string, base int64) int {
	best := -1
	for i, w := range words {
		if strings.HasPrefix(p.text[at:], w) && (best < 0 || len(w) > len(words[best])) {
			best = i
		}
	}
	if best < 0 {
		return ^at
	}
	p.fields[letter] = int64(best) + base
	return at + len(words[best])
}

func (p *parse) digits(at int) int {
	n := 0
	for at+n < len(p.text) && p.text[at+n] >= '0' && p.text[at+n] <= '9' {
		n++
	}
	return n
}

// fixed returns the width of a numeric element that has one, 0 for others.
func (e *element) fixed() int {
	switch {
	case e.letter == 0 || e.letter == '[' || e.letter == ']':
		return 0
	case strings.IndexByte("dHhKkmsDMLS", e.letter) >= 0 && e.n > 1 && name(e.letter, e.n, 1) == "" || e.letter == 'S':
		return e.n
	case strings.IndexByte("yu", e.letter) >= 0 && e.n == 2:
		return 2
	}
	return 0
}

// number reads a numeric element. Digits for elements of a fixed width that follow are left to them.
func (p *parse) number(elements []element, i, at int) int {
	e := &elements[i]
	start, negative := at, false
	year := e.letter == 'y' || e.letter == 'u'
	if year && e.n != 2 && at < len(p.text) && (p.text[at] == '-' || p.text[at] == '+') {
		negative = p.text[at] == '-'
		at++
	}
	least, most := 1, 19
	switch {
	case e.fixed() > 0:
		least, most = e.n, e.n
	case year && e.n >= 3:
		least = e.n
	case e.n == 1 && strings.IndexByte("dHhKkmsML", e.letter) >= 0:
		most = 19
	default:
		least = min(e.n, 19)
	}
	have := p.digits(at)
	if most > least {
		reserved := 0
		for j := i + 1; j < len(elements) && elements[j].fixed() > 0; j++ {
			reserved += elements[j].fixed()
		}
		have -= reserved
		if year && e.n >= 4 && start == at { // without a sign, it has as many digits as letters
			most = e.n
			if reserved == 0 && have > most {
				return ^start
			}
		}
	}
	if have < least {
		return ^start
	}
	have = min(have, most)
	n, err := strconv.ParseInt(p.text[at:at+have], 10, 64)
	if err != nil {
		return ^start
	}
	if negative {
		n = -n
	}
	if year && e.n == 2 {
		n += 2000
	}
	p.fields[e.letter] = n
	return at + have
}

// fractionOf reads the digits of a fraction of a second.
func (p *parse) fractionOf(at, least, most int) int {
	n := min(p.digits(at), most)
	if n < least {
		return ^at
	}
	nanos, _ := strconv.ParseInt((p.text[at:at+n] + "000000000")[:9], 10, 64)
	p.fields['S'] = nanos
	return at + n
}

// offset reads an offset.
func (p *parse) offset(e *element, at int) int {
	rest := p.text[at:]
	if e.letter == 'O' || e.letter == 'Z' && e.n == 4 || e.letter == gmtOffset {
		if strings.HasPrefix(rest, "GMT") {
			at += 3
			rest = rest[3:]
			if rest == "" || rest[0] != '+' && rest[0] != '-' {
				p.fields['X'] = 0
				return at
			}
		}
	} else if zero, _, _ := e.offsetStyle(); zero != "" && strings.HasPrefix(rest, zero) {
		p.fields['X'] = 0
		return at + len(zero)
	}
	n := 1
	for n < len(rest) && n < 9 && (rest[n] >= '0' && rest[n] <= '9' || rest[n] == ':') {
		n++
	}
	_, colon, _ := e.offsetStyle()
	for ; n >= 2; n-- {
		if strings.Contains(rest[:n], ":") != colon && n > 3 {
			continue
		}
		if off, ok := ParseOffset(rest[:n]); ok {
			p.fields['X'] = off
			return at + n
		}
	}
	return ^at
}

// zoneID reads the name of a zone, or an offset.
func (p *parse) zoneID(at int) int {
	n := 0
	for n < maxZone && at+n < len(p.text) && (strings.IndexByte("/_+-:", p.text[at+n]) >= 0 || p.text[at+n] >= '0' &&
		p.text[at+n] <= '9' ||
		p.text[at+n]|0x20 >= 'a' && p.text[at+n]|0x20 <= 'z') {
		n++
	}
	for ; n > 0; n-- {
		id := p.text[at : at+n]
		if off, ok := ParseOffset(id); ok {
			if _, have := p.fields['X']; !have {
				p.fields['X'] = off
			}
			return at + n
		}
		if IsZone(id) {
			p.zone = id
			return at + n
		}
	}
	return ^at
}

// resolve makes a date and a time of the fields. message is that of Java for fields that are out of range.
func (p *parse) resolve() (x *Fields, message string) {
	x = &Fields{Zone: p.zone}
	x.Offset, x.HasOffset = p.fields['X'], has(p.fields, "X")
	if message = p.date(x); message != "" {
		return nil, message
	}
	return x, p.time(x)
}

func has(fields map[byte]int64, letters string) bool {
	for _, c := range []byte(letters) {
		if _, ok := fields[c]; ok {
			return true
		}
	}
	return false
}

func (p *parse) date(x *Fields) string {
	f := p.fields
	y, ok := f['u']
	if !ok {
		y, ok = f['y']
		if era, there := f['G']; there && era == 0 {
			y = 1 - y
		}
	}
	m, months := f['M']
	if !months {
		m, months = f['L']
	}
	d, days := f['d']
	switch {
	case months && (m < 1 || m > 12):
		return CheckDate(0, m, 1)
	case days && (d < 1 || d > 31):
		return CheckDate(0, 1, d)
	case ok && months && days:
		if message := CheckDate(y, m, d); message != "" && d > DaysInMonth(y, m) && !p.strict {
			d = DaysInMonth(y, m) // the resolver is smart
		} else if message != "" {
			return message
		}
		x.Date, x.Day = true, EpochDay(y, m, d)
	case ok && has(f, "D"):
		x.Date, x.Day = true, EpochDay(y, 1, 1)+f['D']-1
	}
	if e, there := f['E']; x.Date && there && e != DayOfWeek(x.Day) {
		return fmt.Sprintf("Conflict found: Field DayOfWeek %d differs from DayOfWeek %d derived from %s",
			DayOfWeek(x.Day), e, AppendDate(nil, x.Day))
	}
	return ""
}

func (p *parse) time(x *Fields) string {
	f := p.fields
	hour, ok := f['H']
	if k, there := f['k']; there {
		hour, ok = k%24, true
	}
	for _, letter := range []byte("hK") {
		n, there := f[letter]
		if half, known := f['a']; there && known {
			hour, ok = n%12+half*12, true
			if n > 12 {
				return outOfRange("ClockHourOfAmPm", "1 - 12", n)
			}
		}
	}
	if !ok {
		if n, there := f['N']; there {
			x.Time, x.Nano = true, n
		}
		return ""
	}
	if message := CheckTime(hour, f['m'], f['s'], f['S']); message != "" {
		if hour == 24 && f['m'] == 0 && f['s'] == 0 && f['S'] == 0 && x.Date {
			x.Day++
			x.Time = true
			return ""
		}
		return message
	}
	x.Time, x.Nano = true, (hour*3600+f['m']*60+f['s'])*NanosPerSecond+f['S']+f['n']
	return ""
}

// Partial returns the year and month of a text that has no more of a date. ok is false without them.
func (f *Format) Partial(text string) (year, month int64, ok bool) {
	p := &parse{text: text, fields: make(map[byte]int64)}
	if p.run(f.elements, 0, len(f.elements), 0) != len(text) {
		return 0, 0, false
	}
	year, ok = p.fields['u']
	if !ok {
		year, ok = p.fields['y']
	}
	month, months := p.fields['M']
	return year, month, ok && months && month >= 1 && month <= 12
}
