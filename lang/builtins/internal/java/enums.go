// This file defines the methods of zones and of the constants of days, months and units.

package java

import (
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/jtime"
	"github.com/ptc-lang/ptc/lang/value"
)

func zoneMethods() []method {
	return []method{
		{"getId", "", entry.Constant, "Returns the name of a zone.", `(.getId (java.time.ZoneId/of "Europe/Paris")) ` +
			`=> "Europe/Paris"`, func(t *value.Task, a []value.Value) value.Value { return t.Str(a[0]) }},
		{"getTotalSeconds", "", entry.Constant, "Returns the seconds of an offset.",
			`(.getTotalSeconds (java.time.ZoneOffset/ofHours 1)) => 3600`, func(t *value.Task, a []value.Value) value.Value {
				return t.WantJava(a[0], ZoneOffset, "getTotalSeconds")[0]
			}},
	}
}

func enumMethods() []method {
	texts := map[*value.JavaClass][]string{DayOfWeek: jtime.DayNames, Month: jtime.MonthNames, ChronoUnit: unitNames,
		ChronoField: fieldConstants}
	ordinal := func(v value.Value) int64 {
		n := v.AsJava().Vals[0].AsInt()
		if v.ClassIs(DayOfWeek) || v.ClassIs(Month) {
			n--
		}
		return n
	}
	cycle := func(sign int64) value.NativeFunc {
		return func(t *value.Task, a []value.Value) value.Value {
			all := constants()[a[0].AsJava().Class.Name]
			return all[jtime.FloorMod(ordinal(a[0])+sign*value.ToLong(t, a[1]), int64(len(all)))]
		}
	}
	return []method{
		{"name", "", entry.Constant, "Returns the name of a constant.", `(.name java.time.Month/MAY) => "MAY"`,
			func(t *value.Task, a []value.Value) value.Value {
				return t.CopyString(texts[a[0].AsJava().Class][ordinal(a[0])])
			}},
		{"ordinal", "", entry.Constant, "Returns the number of a constant, from 0.", `(.ordinal java.time.Month/MAY) => 4`,
			func(_ *value.Task, a []value.Value) value.Value { return value.Int(ordinal(a[0])) }},
		{"getValue", "", entry.Constant, "", "", func(_ *value.Task, a []value.Value) value.Value {
			return a[0].AsJava().Vals[0]
		}},
		{"plus", "n", entry.Constant, "", "", cycle(1)},
		{"minus", "n", entry.Constant, "", "", cycle(-1)},
		{"getDisplayName", "style locale", entry.Constant, "Returns the name of a day or month: the text of a TextStyle.",
			`(.getDisplayName java.time.Month/MAY java.time.format.TextStyle/FULL java.util.Locale/US) => "May"`,
			func(t *value.Task, a []value.Value) value.Value {
				name := jtime.TitleName(texts[a[0].AsJava().Class][ordinal(a[0])])
				switch value.Show(t, a[1]) {
				case "SHORT", "SHORT_STANDALONE":
					name = name[:3]
				case "NARROW", "NARROW_STANDALONE":
					name = name[:1]
				}
				return t.CopyString(name)
			}},
	}
}

// InstantOf returns the Instant of a Date.
func InstantOf(t *value.Task, v value.Value) value.Value { return want(t, v, "toInstant").join(t) }
