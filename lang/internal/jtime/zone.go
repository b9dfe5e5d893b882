// This file defines zones: their offsets at instants, and of local times.

package jtime

import (
	"strings"
	"sync"
	"time"
)

// zones caches the zones that programs have used, by their names.
var zones sync.Map

// zone returns a zone of the database, nil if there is none.
func zone(name string) *time.Location {
	if len(name) > maxZone {
		return nil
	}
	if z, ok := zones.Load(name); ok {
		return z.(*time.Location)
	}
	if !zoneSet()[name] {
		return nil
	}
	z, err := time.LoadLocation(name)
	if err != nil {
		return nil
	}
	zones.Store(name, z) // there are 597 names
	return z
}

// maxZone is the length of the longest name of a zone.
const maxZone = len("America/Argentina/ComodRivadavia")

// zoneSet has zoneNames.
var zoneSet = sync.OnceValue(func() map[string]bool {
	set := make(map[string]bool)
	for _, name := range strings.Fields(zoneNames) {
		set[name] = true
	}
	return set
})

// IsZone reports whether the database has a zone, such as Europe/Paris.
func IsZone(name string) bool { return zone(name) != nil }

// OffsetAt returns the offset of a zone at an instant.
func OffsetAt(name string, second int64) int64 {
	_, off := time.Unix(second, 0).In(zone(name)).Zone()
	return int64(off)
}

// Resolve returns the offset of a local time in a zone, and the seconds by which the local time is moved out of a gap.
// In an overlap it is preferred if that is valid, or else the earlier offset.
func Resolve(name string, local, preferred int64, prefer bool) (offset, moved int64) {
	before := OffsetAt(name, local-SecondsPerDay)
	after := OffsetAt(name, local+SecondsPerDay)
	var valid []int64
	for _, off := range []int64{before, after} {
		if OffsetAt(name, local-off) == off && (len(valid) == 0 || valid[0] != off) {
			valid = append(valid, off)
		}
	}
	if len(valid) == 0 { // a gap, or two changes within two days
		for _, off := range []int64{OffsetAt(name, local-before), OffsetAt(name, local-after)} {
			if OffsetAt(name, local-off) == off {
				return off, 0
			}
		}
		return after, after - before
	}
	if prefer {
		for _, off := range valid {
			if off == preferred {
				return off, 0
			}
		}
	}
	return valid[0], 0
}

// ZoneName returns the short name of a zone at an instant, such as CET.
func ZoneName(name string, second int64) string {
	short, _ := time.Unix(second, 0).In(zone(name)).Zone()
	return short
}

// ParseOffset parses the offsets that ZoneOffset.of takes.
func ParseOffset(s string) (seconds int64, ok bool) {
	if s == "Z" || s == "z" {
		return 0, true
	}
	if len(s) < 2 || s[0] != '+' && s[0] != '-' {
		return 0, false
	}
	digits := s[1:]
	switch {
	case len(digits) == 1:
		digits = "0" + digits
	case len(digits) == 5 && digits[2] == ':', len(digits) == 8 && digits[2] == ':' && digits[5] == ':':
		digits = strings.ReplaceAll(digits, ":", "")
	}
	if n := len(digits); n != 2 && n != 4 && n != 6 {
		return 0, false
	}
	var parts [3]int64
	for i := 0; i < len(digits); i += 2 {
		a, b := digits[i]-'0', digits[i+1]-'0'
		if a > 9 || b > 9 {
			return 0, false
		}
		parts[i/2] = int64(a)*10 + int64(b)
	}
	seconds = parts[0]*3600 + parts[1]*60 + parts[2]
	if parts[1] > 59 || parts[2] > 59 || seconds > 18*3600 {
		return 0, false
	}
	if s[0] == '-' {
		seconds = -seconds
	}
	return seconds, true
}
