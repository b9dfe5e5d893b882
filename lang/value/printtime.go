// This file prints instants and UUIDs.

package value

import (
	"encoding/hex"
	"time"
)

// writeInst writes 2020-01-02T03:04:05.678-00:00.
func writeInst(b textWriter, millis int64) {
	var a [64]byte
	b.Write(appendInst(a[:0], millis))
}

// writeJavaDate writes Thu Jan 02 03:04:05 UTC 2020, the toString of
// java.util.Date.
func writeJavaDate(b textWriter, millis int64) {
	const day = 24 * 60 * 60 * 1000
	days, rest := millis/day, millis%day
	if rest < 0 {
		days, rest = days-1, rest+day
	}
	year, month, dayOfMonth := civilDate(days)
	if year < 1 { // Java prints the year of the era
		year = 1 - year
	}
	weekday := time.Weekday((days%7 + 11) % 7) // 1970-01-01 was a Thursday
	var a [64]byte
	s := append(a[:0], weekday.String()[:3]...)
	s = append(append(s, ' '), time.Month(month).String()[:3]...)
	s = appendPadded(append(s, ' '), dayOfMonth, 2)
	s = appendPadded(append(s, ' '), rest/3600000, 2)
	s = appendPadded(append(s, ':'), rest/60000%60, 2)
	s = appendPadded(append(s, ':'), rest/1000%60, 2)
	b.Write(appendPadded(append(s, " UTC "...), year, 1))
}

// writeUUID writes 8-4-4-4-12 hexadecimal digits.
func writeUUID(b textWriter, u *[16]byte) {
	var a [36]byte
	at := 0
	for _, part := range [...][]byte{u[:4], u[4:6], u[6:8], u[8:10], u[10:]} {
		if at > 0 {
			a[at] = '-'
			at++
		}
		at += hex.Encode(a[at:], part)
	}
	b.Write(a[:])
}
