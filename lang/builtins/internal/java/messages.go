// This file defines MessageFormat.

package java

import (
	"strconv"
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// MessageFormat is the class of texts with arguments, such as {0}. The only slot is the text.
var MessageFormat = &value.JavaClass{Name: "java.text.MessageFormat"}

// The patterns of numbers in messages.
var numberStyles = [...]struct{ name, pattern string }{{"", "#,##0.###"}, {"integer", "#,##0"}, {"percent", "#,##0%"},
	{"currency", "\u00a4#,##0.00"}}

// argument is the place of an argument in a message: its index, the name of its format and the style of that.
type argument struct {
	index       int
	kind, style string
}

// message reads a pattern. It calls text with the text between the arguments, and arg with the arguments.
func message(t *value.Task, pattern string, text func(string), arg func(argument)) {
	var parts [4]strings.Builder // the text, and an argument's index, kind and style
	part, depth, quoted := 0, 0, false
	flush := func() string {
		s := parts[part].String()
		parts[part].Reset()
		return s
	}
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		switch {
		case part == 0 && c == '\'' && strings.HasPrefix(pattern[i+1:], "'"):
			parts[0].WriteByte(c)
			i++
		case part == 0 && c == '\'':
			quoted = !quoted
		case part == 0 && c == '{' && !quoted:
			text(flush())
			part = 1
		case part == 0:
			parts[0].WriteByte(c)
		case c == '\'':
			quoted = !quoted
			parts[part].WriteByte(c)
		case quoted:
			parts[part].WriteByte(c)
		case c == ' ' && part == 2 && parts[2].Len() == 0:
		case c == ',' && part < 3:
			part++
		case c == '}' && depth == 0:
			arg(argumentOf(t, parts[1].String(), parts[2].String(), parts[3].String()))
			for part = 3; part > 0; part-- {
				parts[part].Reset()
			}
		default:
			depth += strings.Count("{", string(c)) - strings.Count("}", string(c))
			parts[part].WriteByte(c)
		}
	}
	if part > 0 {
		t.Fail(diag.IllegalArgument, "Unmatched braces in the pattern.")
	}
	text(flush())
}

// argumentOf reads the parts of an argument.
func argumentOf(t *value.Task, index, kind, style string) argument {
	n, err := strconv.Atoi(index)
	if err != nil {
		t.Fail(diag.IllegalArgument, "can't parse argument number: %s", index)
	}
	if n < 0 {
		t.Fail(diag.IllegalArgument, "negative argument number: %d", n)
	}
	a := argument{n, strings.ToLower(strings.TrimSpace(kind)), style}
	switch a.kind {
	case "", "number":
	case "date", "time", "choice":
		t.FailHint(diag.NotSupported, "format the argument before, and give the string",
			"MessageFormat: the format %s of an argument is not supported", a.kind)
	default:
		t.Fail(diag.IllegalArgument, "unknown format type: %s", kind)
	}
	if a.kind == "number" {
		for _, s := range numberStyles {
			if strings.ToLower(strings.TrimSpace(style)) == s.name {
				a.style = s.pattern
			}
		}
	}
	return a
}

// formatMessage returns the text of a pattern with arguments, which are an array or nil.
func formatMessage(t *value.Task, pattern string, args value.Value) value.Value {
	if !args.IsNil() && args.Kind() != value.KindArray {
		t.FailWant("MessageFormat", args, "an array of arguments")
	}
	patternBytes(t, pattern)
	b := t.Buf()
	message(t, pattern, b.WriteString, func(a argument) {
		t.Work(8)
		if args.IsNil() || a.index >= args.AsArray().Len() {
			b.WriteString("{" + strconv.Itoa(a.index) + "}")
			return
		}
		argumentText(t, b, a, *args.AsArray().At(a.index))
	})
	return b.Value()
}

// argumentText writes an argument.
func argumentText(t *value.Task, b *value.Buf, a argument, x value.Value) {
	switch {
	case x.IsNil():
		b.WriteString("null")
	case a.kind == "number":
		t.StrTo(b, numberText(t, compileDecimal(t, a.style), x))
	case x.Is(value.Numbers):
		t.StrTo(b, numberText(t, compileDecimal(t, numberStyles[0].pattern), x))
	case x.Kind() == value.KindInst:
		short := t.JavaOf(DateFormat, value.ConstString("M/d/yy, h:mm a"), timeZone(t, "UTC"), value.True)
		t.StrTo(b, formatDate(t, []value.Value{short, x}))
	default:
		t.StrTo(b, x)
	}
}

func messageMethods() []methods {
	return []methods{{[]*value.JavaClass{MessageFormat}, []method{
		{"format", "args", entry.PerByte, "", "", func(t *value.Task, a []value.Value) value.Value {
			return formatMessage(t, a[0].AsJava().Vals[0].AsString().S, a[1])
		}},
		{"toPattern", "", entry.Constant, "", "", func(_ *value.Task, a []value.Value) value.Value {
			return a[0].AsJava().Vals[0]
		}},
	}}}
}

func messageStatics() []entry.Entry {
	return []entry.Entry{
		entry.StaticMethod("MessageFormat", "format", "pattern args", entry.PerByte,
			"Returns a pattern with the elements of an array in place of {0}, {1} and so on.",
			`(java.text.MessageFormat/format "{0} of {1}" (to-array [1 "a"])) => "1 of a"`,
			func(t *value.Task, a []value.Value) value.Value {
				return formatMessage(t, entry.WantText(t, a[0], "MessageFormat/format"), a[1])
			}),
		entry.StaticMethod("new", "MessageFormat", "pattern | pattern locale", entry.PerByte,
			"Returns a format of a text with arguments, {0}, {1} and so on.",
			`(.format (java.text.MessageFormat. "<{0}>") (to-array ["a"])) => "<a>"`,
			func(t *value.Task, a []value.Value) value.Value {
				pattern := entry.WantText(t, a[0], "MessageFormat")
				patternBytes(t, pattern)
				message(t, pattern, func(string) {}, func(argument) {})
				return t.JavaOf(MessageFormat, t.Str(a[0]))
			}),
	}
}
