// This file defines the methods of Duration and Period.

package java

import (
	"math/big"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/jtime"
	"github.com/ptc-lang/ptc/lang/value"
)

// span returns a Duration of nanoseconds, which may be more than fit into 64 bits.
func span(t *value.Task, nanos *big.Int) value.Value {
	t.Charge(64)
	second, nano := new(big.Int).DivMod(nanos, big.NewInt(jtime.NanosPerSecond), new(big.Int))
	if !second.IsInt64() {
		t.Fail(diag.Arithmetic, "long overflow")
	}
	return t.JavaOf(Duration, value.Int(second.Int64()), value.Int(nano.Int64()))
}

// nanosOf returns the nanoseconds of a Duration.
func nanosOf(t *value.Task, v value.Value, what string) *big.Int {
	t.Charge(64)
	s := t.WantJava(v, Duration, what)
	n := new(big.Int).Mul(big.NewInt(s[0].AsInt()), big.NewInt(jtime.NanosPerSecond))
	return n.Add(n, big.NewInt(s[1].AsInt()))
}

// unitNanosOf returns the nanoseconds of a unit.
func unitNanosOf(t *value.Task, unit int64) *big.Int {
	if unit > unitDays {
		t.FailClass(unitException, diag.NotSupported, "Unit must not have an estimated duration")
	}
	n := unitLength[unit]
	if unit == unitDays {
		n = jtime.NanosPerDay
	}
	return big.NewInt(n)
}

func durationMethods() []method {
	list := []method{
		{"getSeconds", "", entry.Constant, "Returns the whole seconds of a Duration.",
			`(.getSeconds (java.time.Duration/ofMinutes 2)) => 120`,
			func(_ *value.Task, a []value.Value) value.Value { return a[0].AsJava().Vals[0] }},
		{"getNano", "", entry.Constant, "", "",
			func(_ *value.Task, a []value.Value) value.Value { return a[0].AsJava().Vals[1] }},
		{"plus", "duration | n unit", entry.Constant, "", "", addSpan("plus", 1)},
		{"minus", "duration | n unit", entry.Constant, "", "", addSpan("minus", -1)},
		{"multipliedBy", "n", entry.Constant, "Multiplies a Duration or Period.",
			`(str (.multipliedBy (java.time.Duration/ofSeconds 40) 3)) => "PT2M"`, func(t *value.Task,
				a []value.Value) value.Value {
				n := nanosOf(t, a[0], "multipliedBy")
				return span(t, n.Mul(n, big.NewInt(value.ToLong(t, a[1]))))
			}},
		{"dividedBy", "n", entry.Constant, "Divides a Duration by a number, or by another Duration.",
			`(str (.dividedBy (java.time.Duration/ofMinutes 2) 3)) => "PT40S"`, func(t *value.Task,
				a []value.Value) value.Value {
				n := nanosOf(t, a[0], "dividedBy")
				by := big.NewInt(0)
				if a[1].ClassIs(Duration) {
					by = nanosOf(t, a[1], "dividedBy")
				} else {
					by.SetInt64(value.ToLong(t, a[1]))
				}
				if by.Sign() == 0 {
					t.Fail(diag.Arithmetic, "Cannot divide by zero")
				}
				n.Quo(n, by)
				if a[1].ClassIs(Duration) {
					return value.Int(n.Int64())
				}
				return span(t, n)
			}},
		{"negated", "", entry.Constant, "Negates a Duration or Period.",
			`(str (.negated (java.time.Duration/ofSeconds 1))) => "PT-1S"`, func(t *value.Task, a []value.Value) value.Value {
				n := nanosOf(t, a[0], "negated")
				return span(t, n.Neg(n))
			}},
		{"abs", "", entry.Constant, "", "", func(t *value.Task, a []value.Value) value.Value {
			n := nanosOf(t, a[0], "abs")
			return span(t, n.Abs(n))
		}},
		{"isZero", "", entry.Constant, "Returns true for a Duration or Period of no length.",
			`(.isZero (java.time.Duration/ofSeconds 1)) => false`, func(t *value.Task, a []value.Value) value.Value {
				return value.Bool(nanosOf(t, a[0], "isZero").Sign() == 0)
			}},
		{"isNegative", "", entry.Constant, "Returns true for a negative Duration or Period.",
			`(.isNegative (java.time.Duration/ofSeconds 1)) => false`, func(t *value.Task, a []value.Value) value.Value {
				return value.Bool(nanosOf(t, a[0], "isNegative").Sign() < 0)
			}},
		{"toDays", "", entry.Constant, "Returns the whole days of a Duration.",
			`(.toDays (java.time.Duration/ofHours 49)) => 2`, toUnit(unitDays, 0)},
		{"toDaysPart", "", entry.Constant, "Returns the whole days of a Duration.", "", toUnit(unitDays, 0)},
	}
	for _, u := range []struct {
		unit, part int64
		name       string
	}{{unitHours, 24, "Hours"}, {unitMinutes, 60, "Minutes"}, {unitSeconds, 60, "Seconds"}, {unitMillis, 1000, "Millis"},
		{unitNanos, jtime.NanosPerSecond, "Nanos"}} {
		list = append(list, method{"to" + u.name, "", entry.Constant, "Returns a Duration in units, rounded to zero.", "",
			toUnit(u.unit, 0)}, method{"to" + u.name + "Part", "", entry.Constant,
			"Returns the units of a Duration beside those of the next larger unit.", "", toUnit(u.unit, u.part)})
	}
	for unit := int64(0); unit <= unitDays; unit++ {
		if unit == unitHalfDays {
			continue
		}
		for _, sign := range []int64{1, -1} {
			verb := verbs[sign]
			list = append(list, method{verb + unitTexts[unit], "n", entry.Constant, "", "",
				func(t *value.Task, a []value.Value) value.Value {
					n := new(big.Int).Mul(big.NewInt(sign*value.ToLong(t, a[1])), unitNanosOf(t, unit))
					return span(t, n.Add(n, nanosOf(t, a[0], verb)))
				}})
		}
	}
	return list
}

func addSpan(name string, sign int64) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		var n *big.Int
		if len(a) == 2 {
			n = nanosOf(t, a[1], name)
		} else {
			n = new(big.Int).Mul(big.NewInt(value.ToLong(t, a[1])), unitNanosOf(t, unitOf(t, a[2], name)))
		}
		if sign < 0 {
			n.Neg(n)
		}
		return span(t, n.Add(n, nanosOf(t, a[0], name)))
	}
}

// toUnit makes the method that returns the whole units of a Duration, or their rest.
func toUnit(unit, part int64) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		n := nanosOf(t, a[0], "Duration")
		switch s := a[0].AsJava().Vals; {
		case unit >= unitSeconds: // of the whole seconds, which are rounded down
			by := unitNanosOf(t, unit)
			n.Quo(n.SetInt64(s[0].AsInt()), by.Quo(by, big.NewInt(jtime.NanosPerSecond)))
		case part > 0: // of the nanoseconds, which are never negative
			n.Quo(n.SetInt64(s[1].AsInt()), unitNanosOf(t, unit))
		default:
			n.Quo(n, unitNanosOf(t, unit))
		}
		if part > 0 {
			n.Rem(n, big.NewInt(part))
		}
		if !n.IsInt64() {
			t.Fail(diag.Arithmetic, "long overflow")
		}
		return value.Int(n.Int64())
	}
}

func periodMethods() []method {
	part := func(name string, i int) method {
		return method{name, "", entry.Constant, "Returns a part of a Period.", "",
			func(_ *value.Task, a []value.Value) value.Value { return a[0].AsJava().Vals[i] }}
	}
	scaled := func(by func(t *value.Task, a []value.Value) int64) value.NativeFunc {
		return func(t *value.Task, a []value.Value) value.Value {
			n, s := by(t, a), a[0].AsJava().Vals
			return t.JavaOf(Period, value.Int(s[0].AsInt()*n), value.Int(s[1].AsInt()*n), value.Int(s[2].AsInt()*n))
		}
	}
	add := func(sign int64, name string) value.NativeFunc {
		return func(t *value.Task, a []value.Value) value.Value {
			s, o := a[0].AsJava().Vals, t.WantJava(a[1], Period, name)
			return t.JavaOf(Period, value.Int(s[0].AsInt()+sign*o[0].AsInt()), value.Int(s[1].AsInt()+sign*o[1].AsInt()),
				value.Int(s[2].AsInt()+sign*o[2].AsInt()))
		}
	}
	list := []method{
		part("getYears", 0), part("getMonths", 1), part("getDays", 2),
		{"toTotalMonths", "", entry.Constant, "Returns the months of a Period with those of its years.",
			`(.toTotalMonths (java.time.Period/of 1 2 3)) => 14`, func(_ *value.Task, a []value.Value) value.Value {
				s := a[0].AsJava().Vals
				return value.Int(s[0].AsInt()*12 + s[1].AsInt())
			}},
		{"normalized", "", entry.Constant, "Returns a Period with fewer than 12 months.",
			`(str (.normalized (java.time.Period/of 1 14 3))) => "P2Y2M3D"`, func(t *value.Task, a []value.Value) value.Value {
				s := a[0].AsJava().Vals
				n := s[0].AsInt()*12 + s[1].AsInt()
				return t.JavaOf(Period, value.Int(n/12), value.Int(n%12), s[2])
			}},
		{"multipliedBy", "n", entry.Constant, "", "", scaled(func(t *value.Task, a []value.Value) int64 {
			return value.ToLong(t, a[1])
		})},
		{"negated", "", entry.Constant, "", "", scaled(func(*value.Task, []value.Value) int64 { return -1 })},
		{"plus", "period", entry.Constant, "", "", add(1, "plus")}, {"minus", "period", entry.Constant, "", "",
			add(-1, "minus")},
		{"isZero", "", entry.Constant, "", "", func(_ *value.Task, a []value.Value) value.Value {
			s := a[0].AsJava().Vals
			return value.Bool(s[0].AsInt() == 0 && s[1].AsInt() == 0 && s[2].AsInt() == 0)
		}},
		{"isNegative", "", entry.Constant, "", "", func(_ *value.Task, a []value.Value) value.Value {
			s := a[0].AsJava().Vals
			return value.Bool(s[0].AsInt() < 0 || s[1].AsInt() < 0 || s[2].AsInt() < 0)
		}},
	}
	for i, name := range []string{"Years", "Months", "Days"} {
		for _, sign := range []int64{1, -1} {
			verb := verbs[sign]
			list = append(list, method{verb + name, "n", entry.Constant, "", "",
				func(t *value.Task, a []value.Value) value.Value {
					vals := t.Vals(3)
					copy(vals, a[0].AsJava().Vals)
					vals[i] = value.Int(vals[i].AsInt() + sign*value.ToLong(t, a[1]))
					return t.Java(Period, vals)
				}})
		}
	}
	return list
}

// verbs are the beginnings of the names of methods that add and subtract.
var verbs = map[int64]string{1: "plus", -1: "minus"}
