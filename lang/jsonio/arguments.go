// This file defines the arguments of a call as JSON: each value passes as it is, or is
// refused with its place. Nothing is changed silently.

package jsonio

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// argument is where an encoder is in the arguments of a call.
type argument struct {
	tool string
	most int // bytes that the arguments may have
}

// Arguments returns the arguments of a call as canonical JSON: one object, its keys sorted.
// A call hands it over as a map, as keys and values, or as one value, where only one is
// wanted.
func Arguments(t *value.Task, tool effect.Tool, a []value.Value) string {
	b := t.Buf()
	at := &argument{tool: tool.Name(), most: t.Host.ArgumentBytes()}
	e := &encoder{t: t, b: b, Options: Options{Strict: true}, at: at, place: &Place{}}
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
	default:
		t.FailHint(diag.IllegalArgument, tool.Signature(), "tool/%s: got %s, want one map of arguments, or names and values",
			tool.Name(), describeArgs(t, a))
	}
	e.bound()
	return b.Leave()
}

// bound ends arguments that have become too large, before more of an endless sequence is
// computed.
func (e *encoder) bound() {
	if e.at != nil && e.b.Len() > e.at.most {
		e.t.FailHint(diag.ArgumentTooLarge, "pass less data, or raise the limit (--argument-bytes)",
			"tool/%s: the arguments have more bytes than those of a call may have, %d", e.at.tool, e.at.most)
	}
}

// wantExact refuses what JSON can't say, if arguments are written. A ratio that a double
// says exactly is written as one.
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

// jsonKinds are the kinds of data, but for collections, that JSON has something for.
var jsonKinds = value.Numbers | value.Kinds(value.KindNil, value.KindBool, value.KindChar, value.KindString,
	value.KindKeyword, value.KindSymbol,
	value.KindUUID, value.KindInst)

// wantKey refuses what can't be the key of an object.
func (e *encoder) wantKey(k value.Value) {
	if k.IsNil() || !k.Is(jsonKinds) {
		e.refuse(k, "a string, keyword or number as the key of a map", "(update-keys m str) makes texts of all keys")
	}
	e.wantExact(k)
}

// refuse fails for a value at the present place. It says what kind of value that is, and
// not which: it may be a secret.
func (e *encoder) refuse(v value.Value, want, hint string) {
	got := "a " + value.KindName(v.Kind())
	switch {
	case v.IsNil():
		got = "nil"
	case strings.ContainsRune("aeiou", rune(got[len("a ")])):
		got = "an " + got[len("a "):]
	}
	e.t.FailHint(diag.IllegalArgument, hint, "tool/%s: argument %s: got %s, want %s", e.at.tool, e.place.text(e.t), got,
		want)
}

// namesAt reports whether every other value, from the first on, is a name.
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
