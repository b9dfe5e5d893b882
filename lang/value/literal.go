// This file defines the values of literals: instants, UUIDs, tagged literals, symbols with a
// position, and strings built in a buffer.

package value

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// ConstSymbol returns a symbol for a table. It is not charged to any evaluation.
func ConstSymbol(ns, name string) Value {
	return Value{h: &(&Symbol{Header: Header{kind: KindSymbol}, NS: ns, Name: name, hash: symbolHash(ns, name)}).Header}
}

// SymbolAt returns a symbol like sym at another position in the source, without the metadata of
// sym. It shares the name and its hash.
func (t *Task) SymbolAt(sym *Symbol, pos token.Pos) Value {
	t.Charge(sizeSymbol + limits.BytesSize(len(sym.NS)) + limits.BytesSize(len(sym.Name)))
	return Value{h: &(&Symbol{Header: t.header(KindSymbol), NS: sym.NS, Name: sym.Name, hash: sym.hash, Pos: pos}).Header}
}

// Tagged makes a tagged literal without a reader. The tag is a symbol; see ReaderConditional.
func (t *Task) Tagged(tag, form Value) Value {
	t.Charge(sizeTagged)
	return Value{h: &(&Tagged{Header: t.header(KindTagged), Tag: tag, Form: form}).Header}
}

// ReaderConditional makes a reader conditional that was not resolved: a tagged value whose tag is true if it splices.
func (t *Task) ReaderConditional(form Value, splices bool) Value {
	return t.Tagged(Bool(splices), form)
}

// conditional reports whether a tagged value is a reader conditional.
func (g *Tagged) conditional() bool { return g.Tag.Kind() == KindBool }

// IsReaderConditional reports whether a value of KindTagged is a reader conditional.
func IsReaderConditional(v Value) bool {
	return v.Kind() == KindTagged && v.asTagged().conditional()
}

// prefix returns the text before the form.
func (g *Tagged) prefix() string {
	switch g.Tag {
	case False:
		return "#?"
	case True:
		return "#?@"
	}
	return "#"
}

// Inst makes an instant of milliseconds since 1970-01-01T00:00:00Z.
func (t *Task) Inst(millis int64) Value {
	t.Charge(sizeInst)
	return Value{h: &(&Inst{Header: t.header(KindInst), Millis: millis}).Header}
}

// UUID makes a UUID of its 16 bytes.
func (t *Task) UUID(b [16]byte) Value {
	t.Charge(sizeUUID)
	return Value{h: &(&UUID{Header: t.header(KindUUID), B: b}).Header}
}

// InstFrom reads a timestamp as clojure.instant does: a year of four digits, then any number of the
// parts -MM, -DD, Thh, :mm, :ss and .fraction in this order, then Z, an offset ±hh:mm, or nothing
// for UTC. Digits beyond milliseconds are dropped.
func (t *Task) InstFrom(s string) (Value, error) {
	millis, err := parseInst(s)
	if err != nil {
		return Nil, err
	}
	return t.Inst(millis), nil
}

// instant is a parsed timestamp whose fields have not been checked.
type instant struct {
	year, month, day, hour, minute, second, milli int
	offHour, offMinute                            int
	west                                          bool // whether the offset is negative
}

func parseInst(s string) (int64, error) {
	in, ok := splitInst(s)
	if !ok {
		return 0, fmt.Errorf("got %q, want a timestamp like 2024-01-31T12:30:00.000Z", clip(s))
	}
	if err := in.check(); err != nil {
		return 0, err
	}
	secs := civilDays(in.year, in.month, in.day)*86400 + int64(in.hour*3600+in.minute*60+in.second)
	offset := int64(in.offHour*3600 + in.offMinute*60)
	if in.west {
		offset = -offset
	}
	return (secs-offset)*1000 + int64(in.milli), nil
}

// instFields are the parts after the year, each as the byte that precedes it.
var instFields = [...]byte{'-', '-', 'T', ':', ':'}

func splitInst(s string) (in instant, ok bool) {
	in.month, in.day = 1, 1
	fields := [...]*int{&in.month, &in.day, &in.hour, &in.minute, &in.second}
	if in.year, s, ok = digits(s, 4); !ok {
		return in, false
	}
	parts := 0
	for i, sep := range instFields {
		// "-01:00" after a year or a month is an offset. clojure.instant tries the month first and
		// falls back, so a colon decides.
		if s == "" || s[0] != sep || sep == '-' && len(s) > 3 && s[3] == ':' {
			break
		}
		if *fields[i], s, ok = digits(s[1:], 2); !ok {
			return in, false
		}
		parts++
	}
	if parts == len(instFields) && strings.HasPrefix(s, ".") {
		s = s[1:]
		n := 0
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		if n == 0 {
			return in, false
		}
		in.milli, _, _ = digits((s[:n] + "00")[:3], 3)
		s = s[n:]
	}
	return in, in.zone(s)
}

// zone reads the last part: nothing, Z, or an offset.
func (in *instant) zone(s string) bool {
	if s == "" || s == "Z" {
		return true
	}
	if len(s) != 6 || s[0] != '+' && s[0] != '-' || s[3] != ':' {
		return false
	}
	var okHour, okMinute bool
	in.west = s[0] == '-'
	in.offHour, _, okHour = digits(s[1:], 2)
	in.offMinute, _, okMinute = digits(s[4:], 2)
	return okHour && okMinute
}

// check rejects fields that are out of range by the rules of clojure.instant.
func (in *instant) check() error {
	lastSecond := 59
	if in.minute == 59 {
		lastSecond = 60
	}
	for _, f := range []struct {
		name         string
		n, low, high int
	}{
		{"month", in.month, 1, 12}, {"day", in.day, 1, daysIn(in.year, in.month)}, {"hour", in.hour, 0, 23},
		{"minute", in.minute, 0, 59}, {"second", in.second, 0, lastSecond},
		{"offset hour", in.offHour, 0, 23}, {"offset minute", in.offMinute, 0, 59},
	} {
		if f.n < f.low || f.n > f.high {
			return fmt.Errorf("%s is %d, want %d to %d", f.name, f.n, f.low, f.high)
		}
	}
	return nil
}

// daysIn returns the number of days of a month, or 31 for a month out of range, which is rejected
// separately.
func daysIn(year, month int) int {
	if month < 1 || month > 12 {
		return 31
	}
	return time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// digits reads n decimal digits from the start of s and returns the rest.
func digits(s string, n int) (v int, rest string, ok bool) {
	if len(s) < n {
		return 0, s, false
	}
	for i := range n {
		if s[i] < '0' || s[i] > '9' {
			return 0, s, false
		}
		v = v*10 + int(s[i]-'0')
	}
	return v, s[n:], true
}

// The calendar of java.util.Date, with which Clojure reads and prints instants. It is Julian before
// 15 October 1582.
const (
	epochJulianDay = 2440588 // Julian day number of 1970-01-01
	gregorianStart = -141427 // 1582-10-15, in days since 1970-01-01
)

// civilDays returns the days from 1970-01-01 to a date.
func civilDays(year, month, day int) int64 {
	if year > 1582 || year == 1582 && (month > 10 || month == 10 && day >= 15) {
		return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC).Unix() / 86400
	}
	a := (14 - month) / 12
	y, m := year+4800-a, month+12*a-3
	return int64(day + (153*m+2)/5 + 365*y + y/4 - 32083 - epochJulianDay)
}

// appendInst appends an instant as Clojure prints it between the quotes of #inst:
// 2024-01-31T12:30:00.000-00:00.
func appendInst(dst []byte, millis int64) []byte {
	days, rest := millis/86400000, millis%86400000
	if rest < 0 {
		days, rest = days-1, rest+86400000
	}
	year, month, day := civilDate(days)
	if year < 1 { // Java prints the year of the era
		year = 1 - year
	}
	dst = appendPadded(dst, year, 4)
	dst = appendPadded(append(dst, '-'), month, 2)
	dst = appendPadded(append(dst, '-'), day, 2)
	dst = appendPadded(append(dst, 'T'), rest/3600000, 2)
	dst = appendPadded(append(dst, ':'), rest/60000%60, 2)
	dst = appendPadded(append(dst, ':'), rest/1000%60, 2)
	dst = appendPadded(append(dst, '.'), rest%1000, 3)
	return append(dst, "-00:00"...)
}

func civilDate(days int64) (year, month, day int64) {
	if days >= gregorianStart {
		y, m, d := time.Unix(days*86400, 0).UTC().Date()
		return int64(y), int64(m), int64(d)
	}
	// Shift by whole Julian cycles of 1461 days, so that the division below is of a positive
	// number.
	cycles := (-days)/1461 + 4
	c := days + cycles*1461 + epochJulianDay + 32082
	y := (4*c + 3) / 1461
	e := c - 1461*y/4
	m := (5*e + 2) / 153
	return y - 4800 + m/10 - 4*cycles, m + 3 - 12*(m/10), e - (153*m+2)/5 + 1
}

func appendPadded(dst []byte, n int64, width int) []byte {
	text := strconv.FormatInt(n, 10)
	for range width - len(text) {
		dst = append(dst, '0')
	}
	return append(dst, text...)
}

// UUIDFrom reads a UUID as java.util.UUID/fromString does: five hexadecimal numbers separated by
// dashes, each truncated to its width.
func (t *Task) UUIDFrom(s string) (Value, error) {
	b, ok := parseUUID(s)
	if !ok {
		return Nil, fmt.Errorf("got %q, want a UUID like 123e4567-e89b-12d3-a456-426614174000", clip(s))
	}
	return t.UUID(b), nil
}

func parseUUID(s string) (b [16]byte, ok bool) {
	if len(s) > 36 {
		return b, false
	}
	parts := strings.Split(s, "-")
	if len(parts) != 5 {
		return b, false
	}
	off := 0
	for i, width := range [...]int{4, 2, 2, 2, 6} {
		n, err := strconv.ParseInt(parts[i], 16, 64)
		if err != nil {
			return b, false
		}
		for j := width - 1; j >= 0; j-- {
			b[off+j] = byte(n)
			n >>= 8
		}
		off += width
	}
	return b, true
}

// clip shortens a string for a message.
func clip(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// get returns the tag or the form of a tagged literal by its key.
func (g *Tagged) get(k, notFound Value) Value {
	switch {
	case Same(k, tagField) && !g.conditional(), Same(k, splicingField) && g.conditional():
		return g.Tag
	case Same(k, formField):
		return g.Form
	}
	return notFound
}

var tagField, formField, splicingField = ConstKeyword("tag"), ConstKeyword("form"), ConstKeyword("splicing?")
