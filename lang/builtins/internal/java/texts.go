// This file defines DecimalFormat, NumberFormat, SimpleDateFormat and TimeZone.

package java

import (
	"math"
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/jtext"
	"github.com/ptc-lang/ptc/lang/internal/jtime"
	"github.com/ptc-lang/ptc/lang/internal/num"
	"github.com/ptc-lang/ptc/lang/value"
)

// DecimalFormat is the class of patterns of numbers. The slots are the pattern, a map of the settings that methods
// changed, and whether it parses integers only.
var DecimalFormat = &value.JavaClass{Name: "java.text.DecimalFormat"}

// DateFormat is the class of patterns of dates. The slots are the pattern, the zone and whether parse is lenient.
var DateFormat = &value.JavaClass{Name: "java.text.SimpleDateFormat"}

// TimeZone is the class of zones of java.util. The slots are the name, and the offset in seconds if it has no rules.
var TimeZone = &value.JavaClass{Name: "java.util.TimeZone", Data: true,
	Hash: func(t *value.Task, v value.Value) int32 { return value.JavaHash(t, v.AsJava().Vals[0]) }}

const (
	formatPattern = iota
	formatSettings
	formatIntegers
)

const (
	datePattern = iota
	dateZone
	dateLenient
)

const formatException = "java.text.ParseException"

// patternBytes temporarily charges the memory of a pattern and a text.
func patternBytes(t *value.Task, s string) {
	n := int64(len(s))*64 + 4096
	t.Charge(n)
	t.Credit(n)
	t.Work(int64(len(s)) + 16)
}

// changeFormat changes the setting that a method sets.
func changeFormat(d *jtext.Decimal, method string, n int) {
	switch method {
	case "setMinimumFractionDigits":
		d.MinFrac, d.MaxFrac = n, max(d.MaxFrac, n)
	case "setMaximumFractionDigits":
		d.MaxFrac, d.MinFrac = n, min(d.MinFrac, n)
	case "setMinimumIntegerDigits":
		d.MinInt, d.MaxInt = n, max(d.MaxInt, n)
	case "setMaximumIntegerDigits":
		d.MaxInt, d.MinInt = n, min(d.MinInt, n)
	case "setGroupingSize":
		d.GroupSize = n
	case "setRoundingMode":
		d.Mode = num.RoundingMode(n)
	case "setGroupingUsed":
		d.Grouped = n > 0
	}
	if d.Grouping = 0; d.Grouped {
		d.Grouping = d.GroupSize
	}
}

// maxDigits bounds the digits that a program can ask for.
const maxDigits = 1000

// decimalFormat returns the pattern of an object with its settings.
func decimalFormat(t *value.Task, v value.Value) *jtext.Decimal {
	s := v.AsJava().Vals
	d := compileDecimal(t, s[formatPattern].AsString().S)
	t.Each(s[formatSettings], func(e value.Value) bool {
		changeFormat(d, value.VecAt(e, 0).AsString().S, int(value.VecAt(e, 1).AsInt()))
		return true
	})
	return d
}

func compileDecimal(t *value.Task, pattern string) *jtext.Decimal {
	patternBytes(t, pattern)
	d, err := jtext.CompileDecimal(pattern)
	if err != nil {
		t.Fail(diag.IllegalArgument, "%s", err.Error())
	}
	return d
}

func formatNumber(t *value.Task, a []value.Value) value.Value {
	return numberText(t, decimalFormat(t, a[0]), a[1])
}

// numberText returns the text of a number.
func numberText(t *value.Task, d *jtext.Decimal, x value.Value) value.Value {
	if !x.Is(value.Numbers) {
		t.FailHint(diag.IllegalArgument, "want a number", "Cannot format given Object as a Number")
	}
	const digits = 2000 // of a double without an exponent, with the requested ones
	t.Charge(4 * digits)
	t.Credit(4 * digits)
	switch x.Kind() {
	case value.KindInt, value.KindBigInt, value.KindDecimal:
		x := value.ToDecimal(t, x)
		n := num.PlainStringBytes(*x.AsDecimal().D)
		t.Charge(4 * n)
		t.Work(n / 4)
		text := t.CopyString(d.Number(*x.AsDecimal().D))
		t.Credit(4 * n)
		return text
	}
	t.Work(64)
	return t.CopyString(d.Float(value.ToDouble(t, x)))
}

// integers reports whether a format parses integers only.
func integers(v value.Value) bool { return v.AsJava().Vals[formatIntegers].Truthy() }

// infinities are the texts of the infinite numbers.
var infinities = map[string]float64{"∞": math.Inf(1), "-∞": math.Inf(-1)}

func parseNumber(t *value.Task, a []value.Value) value.Value {
	text := entry.WantText(t, a[1], "parse")
	d := decimalFormat(t, a[0])
	const most = 1000
	if len(text) > most {
		t.Fail(diag.IllegalArgument, "parse: got a string of %d bytes, want at most %d", len(text), most)
	}
	patternBytes(t, text)
	if text == "NaN" {
		return value.Float(math.NaN())
	}
	if x, ok := infinities[text]; ok {
		return value.Float(x)
	}
	if integers(a[0]) {
		text, _, _ = strings.Cut(text, ".")
	}
	x, negative, ok := d.Parse(text)
	if !ok {
		t.FailClass(formatException, diag.IllegalArgument, `Unparseable number: "%s"`, text)
	}
	if negative {
		x = x.Neg()
	}
	f := x.ToFloat() / float64(d.Multiplier)
	if negative && x.Sign() == 0 {
		return value.Float(num.Decimal{}.ToFloat() * -1)
	}
	if n, whole := x.Int64(); whole && n%d.Multiplier == 0 && x.Cmp(num.FromInt64(n)) == 0 {
		return value.Int(n / d.Multiplier)
	}
	return value.Float(f)
}

// setFormat makes a method that changes a setting.
func setFormat(name string) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		n := int64(0)
		switch {
		case name == "setRoundingMode":
			mode, ok := num.ParseRoundingMode(t.Str(a[1]).AsString().S)
			if !ok {
				t.FailWant(name, a[1], "a constant of java.math.RoundingMode")
			}
			n = int64(mode)
		case name == "setGroupingUsed":
			n = int64(entry.Btoi(a[1].Truthy()))
		default:
			n = min(max(value.ToInt(t, a[1]), 0), maxDigits)
		}
		s := a[0].AsJava().Vals
		settings := t.Conj(s[formatSettings], t.Vector(t.CopyString(name), value.Int(n)))
		t.Owns(a[0], "format")
		s[formatSettings] = settings
		return value.Nil
	}
}

// applyPattern sets the pattern. All settings except the rounding are those of the pattern.
func applyPattern(t *value.Task, a []value.Value) value.Value {
	compileDecimal(t, entry.WantText(t, a[1], "applyPattern"))
	s, settings := a[0].AsJava().Vals, value.EmptyVector
	t.Each(s[formatSettings], func(e value.Value) bool {
		if value.VecAt(e, 0).AsString().S == "setRoundingMode" {
			settings = t.Conj(settings, e)
		}
		return true
	})
	t.Owns(a[0], "format")
	s[formatPattern], s[formatSettings] = a[1], settings
	return value.Nil
}

func formatMethods() []methods {
	list := []method{
		{"format", "x", entry.PerByte, "", "", formatNumber},
		{"parse", "s", entry.PerByte, "Parses a string by a DecimalFormat or a SimpleDateFormat.",
			`(.parse (java.text.DecimalFormat. "#,##0.00") "1,234.50") => 1234.5`, parseNumber},
		{"toPattern", "", entry.Constant, "Returns the pattern of a format.",
			`(.toPattern (java.text.DecimalFormat. "0.0")) => "#0.0"`, func(t *value.Task, a []value.Value) value.Value {
				return t.CopyString(decimalFormat(t, a[0]).Pattern())
			}},
		{"applyPattern", "pattern", entry.PerByte, "Sets the pattern of a DecimalFormat.",
			`(let [d (java.text.DecimalFormat. "0")] (.applyPattern d "0.0") (.format d 1)) => "1.0"`, applyPattern},
	}
	for _, of := range []struct{ name, arg, doc, value string }{
		{"setMaximumFractionDigits", "n", "Sets the greatest number of digits after the point.", "1"},
		{"setMinimumFractionDigits", "n", "Sets the least number of digits after the point.", "1"},
		{"setMaximumIntegerDigits", "n", "Sets the greatest number of digits before the point.", "1"},
		{"setMinimumIntegerDigits", "n", "Sets the least number of digits before the point.", "1"},
		{"setGroupingSize", "n", "Sets the number of digits between two commas.", "3"},
		{"setGroupingUsed", "on", "Sets whether a number has commas.", "true"},
		{"setRoundingMode", "mode", "Sets the RoundingMode of a DecimalFormat.", "java.math.RoundingMode/UP"},
	} {
		list = append(list, method{of.name, of.arg, entry.Constant, of.doc,
			"(." + of.name + ` (java.text.DecimalFormat. "0") ` + of.value + ") => nil", setFormat(of.name)})
	}
	return []methods{{[]*value.JavaClass{DecimalFormat}, list}, {[]*value.JavaClass{DateFormat}, []method{
		{"format", "date", entry.PerByte, "", "", formatDate},
		{"parse", "s", entry.PerByte, "", "", parseDate},
		{"toPattern", "", entry.Constant, "", "", func(_ *value.Task, a []value.Value) value.Value {
			return a[0].AsJava().Vals[datePattern]
		}},
		{"setTimeZone", "zone", entry.Constant, "Sets the TimeZone of a SimpleDateFormat.",
			`(.setTimeZone (java.text.SimpleDateFormat. "yyyy") (java.util.TimeZone/getTimeZone "UTC")) => nil`,
			func(t *value.Task, a []value.Value) value.Value {
				t.WantJava(a[1], TimeZone, "setTimeZone")
				t.Owns(a[0], "format")
				a[0].AsJava().Vals[dateZone] = a[1]
				return value.Nil
			}},
		{"setLenient", "on", entry.Constant, "Sets whether a SimpleDateFormat parses dates that do not exist.",
			`(.setLenient (java.text.SimpleDateFormat. "yyyy") false) => nil`,
			func(t *value.Task, a []value.Value) value.Value {
				t.Owns(a[0], "format")
				a[0].AsJava().Vals[dateLenient] = value.Bool(a[1].Truthy())
				return value.Nil
			}},
	}}, {[]*value.JavaClass{TimeZone}, []method{
		{"getID", "", entry.Constant, "Returns the name of a TimeZone.",
			`(.getID (java.util.TimeZone/getTimeZone "UTC")) => "UTC"`, func(_ *value.Task, a []value.Value) value.Value {
				return a[0].AsJava().Vals[0]
			}},
		{"getOffset", "millis", entry.Constant, "", "", func(t *value.Task, a []value.Value) value.Value {
			return value.Int(zoneOffset(a[0], jtime.FloorDiv(value.ToLong(t, a[1]), 1000)) * 1000)
		}},
		{"toZoneId", "", entry.Constant, "Returns the ZoneId of a TimeZone.",
			`(str (.toZoneId (java.util.TimeZone/getTimeZone "UTC"))) => "UTC"`,
			func(t *value.Task, a []value.Value) value.Value { return newZone(t, a[0].AsJava().Vals) }},
	}}}
}

// zoneOffset returns the seconds of a zone at a second.
func zoneOffset(zone value.Value, second int64) int64 {
	s := zone.AsJava().Vals
	if !s[1].IsNil() {
		return s[1].AsInt()
	}
	return jtime.OffsetAt(s[0].AsString().S, second)
}

func compileDate(t *value.Task, pattern string) *jtext.Date {
	patternBytes(t, pattern)
	d, err := jtext.CompileDate(pattern)
	if err != nil {
		t.Fail(diag.IllegalArgument, "%s", err.Error())
	}
	return d
}

func formatDate(t *value.Task, a []value.Value) value.Value {
	s := a[0].AsJava().Vals
	d := compileDate(t, s[datePattern].AsString().S)
	millis := int64(0)
	switch {
	case a[1].IsInt():
		millis = a[1].AsInt()
	case a[1].Kind() == value.KindInst:
		millis = a[1].AsInst().Millis
	case a[1].IsNil():
		t.Fail(diag.NilValue, "format: got nil, want a Date")
	default:
		t.FailHint(diag.IllegalArgument, "want a java.util.Date or milliseconds", "Cannot format given Object as a Date")
	}
	second := jtime.FloorDiv(millis, 1000)
	name := s[dateZone].AsJava().Vals[0].AsString().S
	short := name
	if s[dateZone].AsJava().Vals[1].IsNil() {
		short = jtime.ZoneName(name, second)
	}
	long := short
	if name == "UTC" {
		long = "Coordinated Universal Time"
	}
	const most = 1 << 30
	if second > most*86400 || second < -most*86400 {
		t.Fail(diag.IllegalArgument, "format: the date is too far from now")
	}
	return t.CopyString(d.Format(millis, zoneOffset(s[dateZone], second), short, long))
}

func parseDate(t *value.Task, a []value.Value) value.Value {
	text := entry.WantText(t, a[1], "parse")
	s := a[0].AsJava().Vals
	d := compileDate(t, s[datePattern].AsString().S)
	patternBytes(t, "")
	t.Work(int64(len(text)))
	zone := s[dateZone]
	millis, index := d.Parse(text, s[dateLenient].AsBool(), func(local int64) int64 {
		if !zone.AsJava().Vals[1].IsNil() {
			return zoneOffset(zone, 0)
		}
		offset, _ := jtime.Resolve(zone.AsJava().Vals[0].AsString().S, local, 0, false)
		return offset
	})
	if index >= 0 {
		t.FailClass(formatException, diag.IllegalArgument, `Unparseable date: "%s"`, text)
	}
	return t.Inst(millis)
}

// timeZone returns the zone of a name, GMT for an unknown one.
func timeZone(t *value.Task, name string) value.Value {
	if rest, ok := strings.CutPrefix(name, "GMT"); ok && rest != "" {
		if digits := strings.TrimLeft(rest, "+-"); len(digits) == 1 || strings.HasPrefix(digits[min(1, len(digits)):], ":") {
			rest = rest[:1] + "0" + digits
		}
		if offset, ok := jtime.ParseOffset(rest); ok {
			sign, n := "+", offset
			if n < 0 {
				sign, n = "-", -n
			}
			text := []byte{'G', 'M', 'T', sign[0], byte('0' + n/36000), byte('0' + n/3600%10), ':', byte('0' + n/600%6),
				byte('0' + n/60%10)}
			return t.JavaOf(TimeZone, t.CopyString(string(text)), value.Int(offset))
		}
		name = "GMT"
	}
	if name == "GMT" || name != "UTC" && !jtime.IsZone(name) {
		return t.JavaOf(TimeZone, value.ConstString("GMT"), value.Int(0))
	}
	return t.JavaOf(TimeZone, t.CopyString(name), value.Nil)
}

func formatStatics() []entry.Entry {
	newFormat := func(t *value.Task, pattern value.Value) value.Value {
		return t.JavaOf(DecimalFormat, pattern, value.EmptyVector, value.False)
	}
	instance := func(name, pattern, doc, example string) entry.Entry {
		return entry.StaticMethod("NumberFormat", name, "| locale", entry.Constant, doc, "(.format (java.text.NumberFormat/"+
			name+") 1234.5) => "+example, func(t *value.Task, _ []value.Value) value.Value {
			return t.JavaOf(DecimalFormat, value.ConstString(pattern), value.EmptyVector,
				value.Bool(name == "getIntegerInstance"))
		})
	}
	return []entry.Entry{
		entry.StaticMethod("new", "DecimalFormat", "| pattern | pattern symbols", entry.PerByte,
			"Returns a format of numbers by "+
				`a pattern such as "#,##0.00", in the locale en-US.`,
			`(.format (java.text.DecimalFormat. "#,##0.00") 1234.5) => "1,234.50"`,
			func(t *value.Task, a []value.Value) value.Value {
				if len(a) == 0 {
					return newFormat(t, value.ConstString(numberStyles[0].pattern))
				}
				compileDecimal(t, entry.WantText(t, a[0], "DecimalFormat"))
				return newFormat(t, a[0])
			}),
		entry.StaticMethod("new", "DecimalFormatSymbols", "| locale", entry.Constant, "Returns a value for DecimalFormat, "+
			"which always has the symbols of en-US.", `(nil? (java.text.DecimalFormatSymbols.)) => false`,
			func(t *value.Task, _ []value.Value) value.Value { return value.ConstSymbol("", "en_US") }),
		instance("getInstance", "#,##0.###", "Returns a format with commas and up to three digits after the point.",
			`"1,234.5"`),
		instance("getNumberInstance", "#,##0.###", "Returns a format with commas and up to three digits after the point.",
			`"1,234.5"`),
		instance("getIntegerInstance", "#,##0", "Returns a format of whole numbers with commas.", `"1,234"`),
		instance("getPercentInstance", "#,##0%", "Returns a format of percentages.", `"123,450%"`),
		instance("getCurrencyInstance", "\u00a4#,##0.00", "Returns a format of dollars and cents.", `"$1,234.50"`),
		entry.StaticMethod("new", "SimpleDateFormat", "pattern | pattern locale", entry.PerByte,
			"Returns a format of Dates by "+
				"a pattern, in UTC.", `(.format (java.text.SimpleDateFormat. "yyyy-MM-dd") #inst "2024-01-05") => "2024-01-05"`,
			func(t *value.Task, a []value.Value) value.Value {
				compileDate(t, entry.WantText(t, a[0], "SimpleDateFormat"))
				return t.JavaOf(DateFormat, a[0], timeZone(t, "UTC"), value.True)
			}),
		entry.StaticMethod("TimeZone", "getTimeZone", "name", entry.Constant, "Returns the TimeZone of a name, GMT for an "+
			"unknown one.", `(.getID (java.util.TimeZone/getTimeZone "GMT+2")) => "GMT+02:00"`,
			func(t *value.Task, a []value.Value) value.Value {
				return timeZone(t, t.Str(a[0]).AsString().S)
			}),
		entry.StaticMethod("TimeZone", "getDefault", "", entry.Constant, "Returns UTC.",
			`(.getID (java.util.TimeZone/getDefault)) => "UTC"`,
			func(t *value.Task, _ []value.Value) value.Value { return timeZone(t, "UTC") }),
	}
}
