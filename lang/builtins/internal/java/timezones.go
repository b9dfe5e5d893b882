// This file defines the methods of a TimeZone about its offsets.

package java

import (
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/jtime"
	"github.com/ptc-lang/ptc/lang/value"
)

// offsetsIn returns the least and the greatest offset of a zone in 2024, in milliseconds: those of winter and summer.
func offsetsIn(zone value.Value) (least, most int64) {
	for month := range int64(12) {
		offset := zoneOffset(zone, jtime.EpochDay(2024, month+1, 1)*jtime.SecondsPerDay) * 1000
		if month == 0 {
			least, most = offset, offset
		}
		least, most = min(least, offset), max(most, offset)
	}
	return least, most
}

func zoneRuleMethods() []methods {
	of := func(f func(least, most int64) value.Value) value.NativeFunc {
		return func(_ *value.Task, a []value.Value) value.Value { return f(offsetsIn(a[0])) }
	}
	const newYork = `(java.util.TimeZone/getTimeZone "America/New_York")`
	return []methods{{[]*value.JavaClass{TimeZone}, []method{
		{"getRawOffset", "", entry.Constant, "Returns the milliseconds that a TimeZone is from UTC in winter.",
			`(.getRawOffset ` + newYork + `) => -18000000`, of(func(least, _ int64) value.Value { return value.Int(least) })},
		{"useDaylightTime", "", entry.Constant, "Returns true if a TimeZone has summer time.",
			`(.useDaylightTime ` + newYork + `) => true`,
			of(func(least, most int64) value.Value { return value.Bool(most > least) })},
		{"getDSTSavings", "", entry.Constant, "Returns the milliseconds that summer time adds, 0 if there is none.",
			`(.getDSTSavings ` + newYork + `) => 3600000`,
			of(func(least, most int64) value.Value { return value.Int(most - least) })},
		{"inDaylightTime", "date", entry.Constant, "Returns true if a TimeZone has summer time at a Date.",
			`(.inDaylightTime ` + newYork + ` #inst "2024-07-01") => true`, func(t *value.Task, a []value.Value) value.Value {
				if a[1].Kind() != value.KindInst {
					t.FailWant("inDaylightTime", a[1], "a java.util.Date")
				}
				least, _ := offsetsIn(a[0])
				return value.Bool(zoneOffset(a[0], jtime.FloorDiv(a[1].AsInst().Millis, 1000))*1000 > least)
			}},
	}}}
}
