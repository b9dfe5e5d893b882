// This file defines TimeUnit.

package java

import (
	"math"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/murmur"
	"github.com/ptc-lang/ptc/lang/value"
)

// TimeUnit is the class of units of time. The only slot is the index of the unit.
var TimeUnit = &value.JavaClass{Name: "java.util.concurrent.TimeUnit", Data: true,
	Text: func(_ *value.Task, b *value.Buf, v value.Value) { b.WriteString(timeUnits[v.AsJava().Vals[0].AsInt()]) },
	Hash: func(_ *value.Task, v value.Value) int32 {
		return murmur.JavaStringHash(timeUnits[v.AsJava().Vals[0].AsInt()])
	},
	Compare: func(_ *value.Task, a, b value.Value) int { return compareOrder(a.AsJava().Vals, b.AsJava().Vals) }}

var (
	timeUnits = []string{"NANOSECONDS", "MICROSECONDS", "MILLISECONDS", "SECONDS", "MINUTES", "HOURS", "DAYS"}
	// unitScale are the nanoseconds of the units.
	unitScale = []int64{1, 1e3, 1e6, 1e9, 60e9, 3600e9, 86400e9}
)

// converted returns n of one unit in another, and the largest or smallest integer if it is beyond.
func converted(n, from, to int64) int64 {
	if from <= to {
		return n / (to / from)
	}
	switch by := from / to; {
	case n > math.MaxInt64/by:
		return math.MaxInt64
	case n < math.MinInt64/by:
		return math.MinInt64
	default:
		return n * by
	}
}

// Millis returns n of a unit in milliseconds, at least 1 if n is positive. ok is false if v is no unit.
func Millis(n int64, v value.Value) (ms int64, ok bool) {
	if !v.ClassIs(TimeUnit) {
		return 0, false
	}
	return max(converted(n, unitScale[v.AsJava().Vals[0].AsInt()], 1e6), min(n, 1)), true
}

func scaleOf(v value.Value) int64 { return unitScale[v.AsJava().Vals[0].AsInt()] }

func unitMethods() []methods {
	to := func(name string, scale int64) method {
		doc, example := "", ""
		if name == "toMicros" {
			doc, example = "Returns a number of a TimeUnit in microseconds.",
				`(.toMicros java.util.concurrent.TimeUnit/SECONDS 1) => 1000000`
		}
		return method{name, "n", entry.Constant, doc, example, func(t *value.Task, a []value.Value) value.Value {
			return value.Int(converted(value.ToLong(t, a[1]), scaleOf(a[0]), scale))
		}}
	}
	return []methods{{[]*value.JavaClass{TimeUnit}, []method{
		to("toNanos", 1), to("toMicros", 1e3), to("toMillis", 1e6), to("toSeconds", 1e9), to("toMinutes", 60e9),
		to("toHours", 3600e9), to("toDays", 86400e9),
		{"convert", "n unit", entry.Constant, "Returns a number of another TimeUnit in this one.",
			`(.convert java.util.concurrent.TimeUnit/MINUTES 120 java.util.concurrent.TimeUnit/SECONDS) => 2`,
			func(t *value.Task, a []value.Value) value.Value {
				t.WantJava(a[2], TimeUnit, "convert")
				return value.Int(converted(value.ToLong(t, a[1]), scaleOf(a[2]), scaleOf(a[0])))
			}},
		{"name", "", entry.Constant, "", "", func(t *value.Task, a []value.Value) value.Value { return t.Str(a[0]) }},
		{"ordinal", "", entry.Constant, "", "", func(_ *value.Task, a []value.Value) value.Value {
			return a[0].AsJava().Vals[0]
		}},
	}}}
}

func unitStatics() []entry.Entry {
	unit := func(t *value.Task, i int) value.Value { return t.JavaOf(TimeUnit, value.Int(int64(i))) }
	return []entry.Entry{
		entry.PureStatic("TimeUnit", "valueOf", "name", entry.Constant, "Returns the TimeUnit of a name.",
			`(str (java.util.concurrent.TimeUnit/valueOf "SECONDS")) => "SECONDS"`,
			func(t *value.Task, a []value.Value) value.Value {
				name := entry.WantText(t, a[0], "TimeUnit/valueOf")
				for i, of := range timeUnits {
					if of == name {
						return unit(t, i)
					}
				}
				t.Fail(diag.IllegalArgument, "No enum constant java.util.concurrent.TimeUnit.%s", name)
				return value.Nil
			}),
		entry.PureStatic("TimeUnit", "values", "", entry.Constant, "Returns a vector of all TimeUnits.",
			`(count (java.util.concurrent.TimeUnit/values)) => 7`, func(t *value.Task, _ []value.Value) value.Value {
				vals := make([]value.Value, len(timeUnits))
				for i := range vals {
					vals[i] = unit(t, i)
				}
				return t.Vector(vals...)
			}),
	}
}
