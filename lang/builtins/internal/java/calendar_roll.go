// This file defines roll of a Calendar.

package java

import (
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/jtime"
	"github.com/ptc-lang/ptc/lang/value"
)

func rollMethods() []methods {
	return []methods{{[]*value.JavaClass{Calendar}, []method{
		{"roll", "field n", entry.Constant, "Adds a number, or 1 for true and -1 for false, to a field of a Calendar, and " +
			"changes no greater field.",
			`(let [c (java.util.GregorianCalendar. 2024 0 31)] (.roll c java.util.Calendar/MONTH 1) (.getTime c)) => ` +
				`#inst "2024-02-29T00:00:00.000-00:00"`, func(t *value.Task, a []value.Value) value.Value {
				n := int64(2*entry.Btoi(a[2].Truthy()) - 1)
				if a[2].Kind() != value.KindBool {
					n = value.ToInt(t, a[2])
				}
				return setCalendar(t, a[0], rolled(t, calendarMillis(t, a[0]), value.ToInt(t, a[1]), n))
			}},
	}}}
}

// rolled returns milliseconds with a field rolled by n.
func rolled(t *value.Task, millis, field, n int64) int64 {
	p := partsOf(millis)
	now := p.field(t, field)
	// least and count are the range of the field.
	least, count := int64(0), int64(0)
	switch field {
	case fieldYear:
		return addField(t, millis, field, n)
	case fieldMonth:
		return addField(t, millis, field, jtime.FloorMod(now+n, 12)-now)
	case fieldDate:
		least, count = 1, jtime.DaysInMonth(p.year, p.month)
	case fieldDayOfYear:
		least, count = 1, 365+int64(entry.Btoi(jtime.IsLeap(p.year)))
	case fieldDayOfWeek:
		least, count = 1, 7
	case fieldAmPm:
		count = 2
	case fieldHour:
		count = 12
	case fieldHourOfDay:
		count = 24
	case fieldMinute, fieldSecond:
		count = 60
	case fieldMillisecond:
		count = 1000
	default:
		t.FailHint(diag.NotSupported, "use add", "roll: the field %s can't be rolled", calendarFields[field])
	}
	to := jtime.FloorMod(now-least+jtime.FloorMod(n, count), count) + least
	return millis + (to-now)*fieldMillis[field]
}
