// This file defines the arguments of a call as JSON: each value passes unchanged, or is refused with its
// path. Nothing is changed silently.

package jsonio

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// argument is the position of an encoder in the arguments of a call.
type argument struct {
	tool string // "" for a question
	most int    // bytes that the arguments may have
}

// caller names the function that is called.
func (a *argument) caller() string {
	if a.tool == "" {
		return "ask"
	}
	return "tool/" + a.tool
}

// Question returns the argument of ask, a map, as canonical JSON. It passes as the arguments of a call do.
func Question(t *value.Task, question value.Value) string {
	b := t.Buf()
	at := &argument{most: t.Host.ArgumentBytes()}
	e := &encoder{t: t, b: b, Options: Options{Strict: true}, at: at, path: &Path{}}
	e.value(question)
	e.bound()
	return b.Leave()
}

// Arguments returns the arguments of a call as canonical JSON: one object, its keys sorted. A call
// has it as a map, as keys and values, or as a single value if the tool takes only one.
func Arguments(t *value.Task, tool effect.Tool, a []value.Value) string {
	b := t.Buf()
	at := &argument{tool: tool.Name(), most: t.Host.ArgumentBytes()}
	e := &encoder{t: t, b: b, Options: Options{Strict: true}, at: at, path: &Path{}}
	switch {
	case len(a) == 1 && a[0].Is(value.Maps):
		e.value(a[0])
	case len(a) == 1 && tool.Sole() != "" && !a[0].IsNil():
		b.WriteByte('{')
		e.string(tool.Sole())
		b.WriteByte(':')
		e.enter(t.Keyword("", tool.Sole()))
		e.value(a[0])
		b.WriteByte('}')
	case len(a)%2 == 0 && namesAt(a):
		e.value(t.MapOf(a...))
	case len(a) == 1 && tool.Sole() != "" && a[0].IsNil():
		t.FailHint(diag.IllegalArgument, tool.Signature(), "tool/%s: got nil for :%s", tool.Name(), tool.Sole())
	default:
		t.FailHint(diag.IllegalArgument, tool.Signature(), "tool/%s: got %s, want one map of arguments, or names and values",
			tool.Name(), describeArgs(t, a))
	}
	e.bound()
	return b.Leave()
}

// bound fails for arguments that have become too large, before more of an infinite sequence is
// computed.
func (e *encoder) bound() {
	if e.at != nil && e.b.Len() > e.at.most {
		e.t.FailHint(diag.ArgumentTooLarge, "pass less data, or raise the limit (--argument-bytes)",
			"%s: the arguments have more bytes than those of a call may have, %d", e.at.caller(), e.at.most)
	}
}

// wantExact refuses arguments that JSON can't hold exactly. A ratio that equals a double is written
// as one.
func (e *encoder) wantExact(v value.Value) {
	if e.at == nil {
		return
	}
	e.bound()
	switch v.Kind() {
	case value.KindFloat:
		if f := v.AsFloat(); math.IsNaN(f) || math.IsInf(f, 0) {
			e.refuse(v, "one that is finite: JSON has neither NaN nor infinities", "pass it as a string, or leave it out")
		}
	case value.KindRatio:
		if _, exact := v.AsRatio().R.Float64(); !exact {
			e.refuse(v, "one that a double represents exactly",
				"(double x) rounds it; (numerator x) and (denominator x) give its parts")
		}
	case value.KindChar:
		if !utf8.ValidRune(v.AsChar()) {
			e.refuse(v, "a whole one: this is half of a surrogate pair", "pass a string")
		}
	case value.KindBigInt, value.KindDecimal:
		if f := value.ToDouble(e.t, v); math.IsInf(f, 0) {
			e.refuse(v, "one up to 1.8e308, which a schema can be compared with", "pass it as a string: (str x)")
		}
	default:
		if !v.Is(jsonKinds | value.Maps | value.Colls) {
			e.refuse(v, "data", "call the function, or pass the content of the value")
		}
	}
}

// jsonKinds are the kinds of data, except collections, that have JSON.
var jsonKinds = value.Numbers | value.Kinds(value.KindNil, value.KindBool, value.KindChar, value.KindString,
	value.KindKeyword, value.KindSymbol,
	value.KindUUID, value.KindInst)

// wantKey refuses values that can't be the key of an object.
func (e *encoder) wantKey(k value.Value) {
	if k.IsNil() || !k.Is(jsonKinds) {
		e.refuse(k, "a string, keyword or number as the key of a map", "(update-keys m str) makes texts of all keys")
	}
	e.wantExact(k)
}

// refuse fails for the value at the current path. The message has the kind of the value and not the
// value, which may be a secret.
func (e *encoder) refuse(v value.Value, want, hint string) {
	got := "a " + value.KindName(v.Kind())
	switch {
	case v.IsNil():
		got = "nil"
	case strings.ContainsRune("aeiou", rune(got[len("a ")])):
		got = "an " + got[len("a "):]
	}
	e.t.FailHint(diag.IllegalArgument, hint, "%s: argument %s: got %s, want %s", e.at.caller(), e.path.text(e.t), got,
		want)
}

// namesAt reports whether every second value, from the first on, is a name.
func namesAt(a []value.Value) bool {
	for i := 0; i < len(a); i += 2 {
		if !a[i].IsKeyword() && !a[i].IsString() {
			return false
		}
	}
	return true
}

func describeArgs(t *value.Task, a []value.Value) string {
	var parts []string
	for i, v := range a {
		if i == 4 {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, value.Describe(t, v))
	}
	return strings.Join(parts, " and ")
}
