// This file defines how messages write numbers and durations.

package diag

import (
	"strconv"
	"strings"
	"time"
)

// Counted writes a number of things: "1 form", "2 forms". The plural of what must be formed by adding an s.
func Counted[T int | int32 | int64](n T, what string) string {
	text := strconv.FormatInt(int64(n), 10) + " " + what
	if n != 1 {
		text += "s"
	}
	return text
}

// Duration writes a duration without units that are 0: 1h instead of 1h0m0s.
func Duration(d time.Duration) string {
	text := d.String()
	for _, unit := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, unit) {
			text = text[:len(text)-2]
		}
	}
	return text
}

// Rounded writes a duration with three digits, and above a minute with its two largest units: 1.23s, 45ms, 2m5s,
// 3h4m.
func Rounded(d time.Duration) string {
	switch abs := d.Abs(); {
	case abs >= time.Hour:
		return Duration(d.Round(time.Minute))
	case abs >= time.Minute:
		return Duration(d.Round(time.Second))
	default:
		unit := time.Duration(1)
		for abs >= 1000*unit {
			unit *= 10
		}
		return Duration(d.Round(unit))
	}
}
