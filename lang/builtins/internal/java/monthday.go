// This file defines MonthDay.

package java

import (
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/jtime"
	"github.com/ptc-lang/ptc/lang/value"
)

// MonthDay is the class of days of a year that is not known. The slots are the month and the day.
var MonthDay = timeClass("MonthDay", func(b []byte, s []value.Value) []byte {
	two := func(n int64) []byte { return append(b, byte('0'+n/10), byte('0'+n%10)) }
	b = append(b, "--"...)
	b = two(s[0].AsInt())
	b = append(b, '-')
	return two(s[1].AsInt())
}, func(s []value.Value) int32 { return int32(s[0].AsInt())<<6 + int32(s[1].AsInt()) }, func(a, b []value.Value) int {
	if c := a[0].AsInt() - b[0].AsInt(); c != 0 {
		return int(c)
	}
	return int(a[1].AsInt() - b[1].AsInt())
})

// newMonthDay makes a MonthDay if there is such a day in a leap year.
func newMonthDay(t *value.Task, month, day int64) value.Value {
	failTime(t, jtime.CheckDate(2024, month, day))
	return t.JavaOf(MonthDay, value.Int(month), value.Int(day))
}

func monthDayMethods() []methods {
	const christmas = `(java.time.MonthDay/of 12 25)`
	part := func(i int) value.NativeFunc {
		return func(_ *value.Task, a []value.Value) value.Value { return a[0].AsJava().Vals[i] }
	}
	order := func(sign int) value.NativeFunc {
		return func(t *value.Task, a []value.Value) value.Value {
			t.WantJava(a[1], MonthDay, "MonthDay")
			return value.Bool(MonthDay.Compare(t, a[0], a[1])*sign > 0)
		}
	}
	exists := func(v value.Value, year int64) bool {
		s := v.AsJava().Vals
		return s[1].AsInt() <= jtime.DaysInMonth(year, s[0].AsInt())
	}
	return []methods{{[]*value.JavaClass{MonthDay}, []method{
		{"getMonthValue", "", entry.Constant, "", "", part(0)},
		{"getMonth", "", entry.Constant, "", "", func(_ *value.Task, a []value.Value) value.Value {
			return constants()[Month.Name][a[0].AsJava().Vals[0].AsInt()-1]
		}},
		{"getDayOfMonth", "", entry.Constant, "", "", part(1)},
		{"isBefore", "other", entry.Constant, "", "", order(-1)},
		{"isAfter", "other", entry.Constant, "", "", order(1)},
		{"isValidYear", "year", entry.Constant, "Returns true if a MonthDay exists in a year.",
			`(.isValidYear (java.time.MonthDay/of 2 29) 2023) => false`, func(t *value.Task, a []value.Value) value.Value {
				return value.Bool(exists(a[0], value.ToLong(t, a[1])))
			}},
		{"atYear", "year", entry.Constant,
			"Returns the date of a MonthDay in a year. The 29th of February may become the 28th.",
			`(str (.atYear ` + christmas + ` 2024)) => "2024-12-25"`, func(t *value.Task, a []value.Value) value.Value {
				s, year := a[0].AsJava().Vals, value.ToLong(t, a[1])
				day := s[1].AsInt()
				if !exists(a[0], year) {
					day = 28
				}
				return temporal{class: LocalDate, day: dateOf(t, []value.Value{a[1], s[0], value.Int(day)})}.join(t)
			}},
		{"withMonth", "n", entry.Constant, "", "", func(t *value.Task, a []value.Value) value.Value {
			month := value.ToLong(t, a[1])
			failTime(t, jtime.CheckDate(2024, month, 1))
			return newMonthDay(t, month, min(a[0].AsJava().Vals[1].AsInt(), jtime.DaysInMonth(2024, month)))
		}},
		{"withDayOfMonth", "n", entry.Constant, "", "", func(t *value.Task, a []value.Value) value.Value {
			return newMonthDay(t, a[0].AsJava().Vals[0].AsInt(), value.ToLong(t, a[1]))
		}},
	}}}
}

func monthDayStatics() []entry.Entry {
	return []entry.Entry{
		entry.PureStatic("MonthDay", "of", "month day", entry.Constant, "Returns a day of an unknown year.",
			`(str (java.time.MonthDay/of 2 29)) => "--02-29"`, func(t *value.Task, a []value.Value) value.Value {
				return newMonthDay(t, monthOf(t, a[0]), value.ToLong(t, a[1]))
			}),
		entry.PureStatic("MonthDay", "parse", "text", entry.Constant, "Parses a text such as --12-25.",
			`(str (java.time.MonthDay/parse "--12-25")) => "--12-25"`, func(t *value.Task, a []value.Value) value.Value {
				s := entry.WantText(t, a[0], "MonthDay/parse")
				digit := func(i int) int64 {
					if i >= len(s) || s[i] < '0' || s[i] > '9' {
						return 99 // no day has it
					}
					return int64(s[i] - '0')
				}
				month, day := digit(2)*10+digit(3), digit(5)*10+digit(6)
				if len(s) != 7 || s[:2] != "--" || s[4] != '-' || month < 1 || month > 12 || day < 1 ||
					day > jtime.DaysInMonth(2024, month) {
					t.FailClass(parseException, diag.IllegalArgument, "Text '%s' could not be parsed: want a text such as --12-25", s)
				}
				return newMonthDay(t, month, day)
			}),
		entry.PureStatic("MonthDay", "from", "x", entry.Constant, "Returns the month and the day of a date.",
			`(str (java.time.MonthDay/from (java.time.LocalDate/of 2024 1 31))) => "--01-31"`,
			func(t *value.Task, a []value.Value) value.Value {
				if a[0].ClassIs(MonthDay) {
					return a[0]
				}
				x := want(t, a[0], "MonthDay/from")
				month, _ := x.get("MonthOfYear")
				day, ok := x.get("DayOfMonth")
				if !ok {
					failTime(t, "Unable to obtain MonthDay from TemporalAccessor: "+t.Str(a[0]).AsString().S)
				}
				return newMonthDay(t, month, day)
			}),
	}
}
