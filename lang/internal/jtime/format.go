// This file defines formats: the patterns of DateTimeFormatter, compiled to elements.

package jtime

import (
	"fmt"
	"strings"
)

// Fields are the parts of a date or time that a format reads or writes.
type Fields struct {
	Date, Time, HasOffset bool // the available parts
	Day, Nano, Offset     int64
	Zone                  string
}

// Format is a compiled pattern.
type Format struct {
	Pattern  string
	Strict   bool // a day that its month does not have is refused, and not made the last of the month
	elements []element
}

// element is a letter of a pattern with its number of repetitions, a literal, or the beginning or end of an optional
// section: [ and ].
type element struct {
	letter byte // 0 for a literal
	n      int
	text   string
	last   int // of [: the index of its ]
}

// Letters of the formats that Java makes without a pattern.
const (
	fraction  = 1 // a point and the digits of the fraction of a second that are needed
	gmtOffset = 3 // GMT or +0100
)

// Presets are the patterns of the constants of DateTimeFormatter.
var Presets = map[string]string{
	"ISO_LOCAL_DATE": "uuuu-MM-dd", "ISO_LOCAL_TIME": isoTime, "ISO_LOCAL_DATE_TIME": isoDateTime,
	"ISO_OFFSET_DATE_TIME": isoDateTime + "XXXXX", "ISO_ZONED_DATE_TIME": isoDateTime + "XXXXX['['VV']']",
	"ISO_DATE_TIME": isoDateTime + "[XXXXX['['VV']']]", "ISO_DATE": "uuuu-MM-dd[XXXXX]", "ISO_TIME": isoTime + "[XXXXX]",
	"ISO_OFFSET_DATE": "uuuu-MM-ddXXXXX", "ISO_OFFSET_TIME": isoTime + "XXXXX", "ISO_ORDINAL_DATE": "uuuu-DDD",
	"BASIC_ISO_DATE": "uuuuMMdd[XXXX]", "ISO_INSTANT": "uuuu-MM-dd'T'HH:mm:ss[\x01]XXXXX",
	"RFC_1123_DATE_TIME": "EEE, d MMM uuuu HH:mm:ss \x03",
}

const (
	isoTime     = "HH:mm[:ss[\x01]]"
	isoDateTime = "uuuu-MM-dd'T'" + isoTime
)

// letters are the pattern letters that are allowed.
const letters = "yuMLdDEecQqGaHhKkmsSnNAVzOXxZ"

// Compile compiles a pattern. message is Java's for a pattern that is none.
func Compile(pattern string) (f *Format, message string) {
	f = &Format{Pattern: pattern}
	var open []int
	for i := 0; i < len(pattern); {
		switch c := pattern[i]; {
		case c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == fraction || c == gmtOffset:
			n := 1
			for i+n < len(pattern) && pattern[i+n] == c {
				n++
			}
			if c > ' ' && strings.IndexByte(letters, c) < 0 {
				return nil, "Unknown pattern letter: " + string(c)
			}
			if n > 19 || n > 5 && strings.IndexByte("MLEaXxZ", c) >= 0 || n > 2 && strings.IndexByte("dHhKkms", c) >= 0 {
				return nil, "Too many pattern letters: " + string(c)
			}
			i += n
			if (c == 'e' || c == 'c') && n >= 3 {
				c = 'E'
			}
			f.elements = append(f.elements, element{letter: c, n: n})
		case c == '\'':
			end := i + 1
			var text strings.Builder
			for ; end < len(pattern); end++ {
				if pattern[end] == '\'' {
					if end+1 >= len(pattern) || pattern[end+1] != '\'' {
						break
					}
					end++
				}
				text.WriteByte(pattern[end])
			}
			if end >= len(pattern) {
				return nil, "Pattern ends with an incomplete string literal: " + pattern
			}
			if text.Len() == 0 {
				text.WriteByte('\'')
			}
			f.elements = append(f.elements, element{text: text.String()})
			i = end + 1
		case c == '[':
			open = append(open, len(f.elements))
			f.elements = append(f.elements, element{letter: '['})
			i++
		case c == ']':
			if len(open) == 0 {
				return nil, "Pattern invalid as it contains ] without previous ["
			}
			f.elements[open[len(open)-1]].last = len(f.elements)
			open = open[:len(open)-1]
			f.elements = append(f.elements, element{letter: ']'})
			i++
		case c == '{' || c == '}' || c == '#':
			return nil, "Pattern includes reserved character: '" + string(c) + "'"
		default:
			n := 1
			for i+n < len(pattern) && pattern[i+n] >= 0x80 { // the rest of a character
				n++
			}
			f.elements = append(f.elements, element{text: pattern[i : i+n]})
			i += n
		}
	}
	for _, at := range open {
		f.elements[at].last = len(f.elements)
	}
	return f, ""
}

// Append appends the text of a date or time. missing is the field that the format needs and x lacks, as Java names it.
func (f *Format) Append(b []byte, x *Fields) (text []byte, missing string) {
	for i := 0; i < len(f.elements); i++ {
		e := &f.elements[i]
		switch {
		case e.letter == 0:
			b = append(b, e.text...)
		case e.letter == '[':
			if !f.supports(i+1, e.last, x) {
				i = e.last
			}
		case e.letter == ']':
		default:
			if missing = lacks(e.letter, x); missing != "" {
				return b, missing
			}
			b = e.append(b, x)
		}
	}
	return b, ""
}

// supports reports whether x has the fields of an optional section.
func (f *Format) supports(from, to int, x *Fields) bool {
	for i := from; i < to && i < len(f.elements); i++ {
		e := &f.elements[i]
		if e.letter == '[' {
			i = e.last
			continue
		}
		if e.letter != 0 && e.letter != ']' && lacks(e.letter, x) != "" {
			return false
		}
	}
	return true
}

// lacks returns the name of the field of a letter if x does not have it.
func lacks(letter byte, x *Fields) string {
	switch {
	case strings.IndexByte("yuMLdDEecQqG", letter) >= 0:
		if !x.Date {
			return map[byte]string{'y': "YearOfEra", 'u': "Year", 'M': "MonthOfYear", 'L': "MonthOfYear", 'd': "DayOfMonth",
				'D': "DayOfYear", 'E': "DayOfWeek", 'e': "DayOfWeek", 'c': "DayOfWeek", 'Q': "QuarterOfYear", 'q': "QuarterOfYear",
				'G': "Era"}[letter]
		}
	case strings.IndexByte("aHhKkmsSnNA\x01", letter) >= 0:
		if !x.Time {
			return map[byte]string{'a': "AmPmOfDay", 'H': "HourOfDay", 'h': "ClockHourOfAmPm", 'K': "HourOfAmPm",
				'k': "ClockHourOfDay", 'm': "MinuteOfHour", 's': "SecondOfMinute", 'S': "NanoOfSecond", 'n': "NanoOfSecond",
				'N': "NanoOfDay", 'A': "MilliOfDay", fraction: "NanoOfSecond"}[letter]
		}
	case strings.IndexByte("XxZO\x03", letter) >= 0:
		if !x.HasOffset {
			return "OffsetSeconds"
		}
	case x.Zone == "" && !x.HasOffset:
		return "ZoneId"
	}
	return ""
}

// number returns the number of a numeric letter.
func number(letter byte, x *Fields) int64 {
	y, m, d := int64(0), int64(0), int64(0)
	if x.Date {
		y, m, d = Date(x.Day)
	}
	s := x.Nano / NanosPerSecond
	hour := s / 3600
	switch letter {
	case 'y':
		if y <= 0 {
			return 1 - y
		}
		return y
	case 'u':
		return y
	case 'M', 'L':
		return m
	case 'd':
		return d
	case 'D':
		return DayOfYear(x.Day)
	case 'E':
		return DayOfWeek(x.Day)
	case 'e', 'c': // the week begins on Sunday
		return DayOfWeek(x.Day)%7 + 1
	case 'Q', 'q':
		return (m-1)/3 + 1
	case 'H':
		return hour
	case 'h':
		return (hour+11)%12 + 1
	case 'K':
		return hour % 12
	case 'k':
		return (hour+23)%24 + 1
	case 'm':
		return s / 60 % 60
	case 's':
		return s % 60
	case 'n':
		return x.Nano % NanosPerSecond
	case 'N':
		return x.Nano
	}
	return x.Nano / 1_000_000 // A
}

// name returns the name of a month, day or quarter for so many letters; "" for a number.
func name(letter byte, n int, at int64) string {
	switch {
	case n < 3 && letter != 'E' || strings.IndexByte("MLEQq", letter) < 0:
		return ""
	case letter == 'Q' || letter == 'q':
		if n == 3 {
			return fmt.Sprintf("Q%d", at)
		}
		return []string{"1st quarter", "2nd quarter", "3rd quarter", "4th quarter"}[at-1]
	}
	names := MonthNames
	if letter == 'E' || letter == 'e' {
		names = DayNames
	}
	full := TitleName(names[at-1])
	switch {
	case n == 4:
		return full
	case n == 5:
		return full[:1]
	}
	return full[:3]
}

// append appends one element.
func (e *element) append(b []byte, x *Fields) []byte {
	switch e.letter {
	case 'G':
		if y, _, _ := Date(x.Day); y <= 0 {
			return append(b, "BC"...)
		}
		return append(b, "AD"...)
	case 'a':
		if x.Nano < NanosPerDay/2 {
			return append(b, "AM"...)
		}
		return append(b, "PM"...)
	case 'S':
		digits := pad(nil, x.Nano%NanosPerSecond, 9)
		for len(digits) < e.n {
			digits = append(digits, '0')
		}
		return append(b, digits[:e.n]...)
	case fraction:
		if n := x.Nano % NanosPerSecond; n > 0 {
			return append(append(b, '.'), strings.TrimRight(string(pad(nil, n, 9)), "0")...)
		}
		return b
	case 'X', 'x', 'Z', 'O', gmtOffset:
		return e.appendOffset(b, x.Offset)
	case 'V':
		if x.Zone == "" {
			return AppendOffset(b, x.Offset)
		}
		return append(b, x.Zone...)
	case 'z':
		if x.Zone == "" {
			return AppendOffset(b, x.Offset)
		}
		return append(b, ZoneName(x.Zone, x.Day*SecondsPerDay+x.Nano/NanosPerSecond-x.Offset)...)
	}
	n := number(e.letter, x)
	if strings.IndexByte("MLEeQq", e.letter) >= 0 {
		if text := name(e.letter, e.n, n); text != "" {
			return append(b, text...)
		}
	}
	if (e.letter == 'y' || e.letter == 'u') && e.n == 2 {
		return pad(b, FloorMod(n, 100), 2)
	}
	if n < 0 {
		return pad(append(b, '-'), -n, e.n)
	}
	if (e.letter == 'y' || e.letter == 'u') && e.n >= 4 && len(pad(nil, n, 1)) > e.n {
		b = append(b, '+')
	}
	return pad(b, n, e.n)
}

// offsetStyle returns how the letter writes an offset: the word for zero, whether there is a colon, and how many
// parts: 1 for hours, with minutes if they are not zero, 2 for minutes, 3 for seconds if they are not zero.
func (e *element) offsetStyle() (zero string, colon bool, parts int) {
	if e.letter == gmtOffset {
		return "GMT", false, 2
	}
	zero = map[byte]string{'X': "Z", 'x': ""}[e.letter]
	n := e.n
	if e.letter == 'Z' {
		switch {
		case n < 4:
			return "", false, 2
		case n == 5:
			return "Z", true, 3
		}
	}
	return zero, n == 3 || n == 5, []int{0, 1, 2, 2, 3, 3}[n]
}

func (e *element) appendOffset(b []byte, off int64) []byte {
	if e.letter == 'O' || e.letter == 'Z' && e.n == 4 {
		return e.appendGMT(b, off)
	}
	zero, colon, parts := e.offsetStyle()
	if off == 0 && zero != "" {
		return append(b, zero...)
	}
	sign := byte('+')
	if off < 0 {
		sign, off = '-', -off
	}
	b = pad(append(b, sign), off/3600, 2)
	part := func(n int64) {
		if colon {
			b = append(b, ':')
		}
		b = pad(b, n, 2)
	}
	if parts > 1 || off/60%60 > 0 {
		part(off / 60 % 60)
	}
	if parts == 3 && off%60 > 0 {
		part(off % 60)
	}
	return b
}

// appendGMT appends an offset as GMT+1, or GMT+01:00 for four letters.
func (e *element) appendGMT(b []byte, off int64) []byte {
	b = append(b, "GMT"...)
	if off == 0 {
		return b
	}
	sign := byte('+')
	if off < 0 {
		sign, off = '-', -off
	}
	b = append(b, sign)
	if e.n == 4 {
		return pad(append(pad(b, off/3600, 2), ':'), off/60%60, 2)
	}
	b = pad(b, off/3600, 1)
	if m := off / 60 % 60; m > 0 {
		b = pad(append(b, ':'), m, 2)
	}
	return b
}
