// Package jsonio reads JSON as values of the language, and writes values as JSON: for the functions of the language,
// the arguments and results of tools, and the data and the result of a run. It charges all that it makes to the
// account of the run.
package jsonio

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/num"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// WriteResult writes the result of a run as JSON: keywords without the colon, sets and sequences as arrays,
// values that have no JSON as the string that pr prints. A map with two keys of the same text throws, with
// its path.
func WriteResult(t *value.Task, b *value.Buf, v value.Value, pretty bool) {
	at := &Path{Of: "the result as JSON"}
	(&encoder{t: t, b: b, Options: Options{Pretty: pretty}, path: at, distinct: true}).value(v)
}

// WriteTyped writes a value as WriteResult does, for a reader with types. A whole float of at most 64 bits has no
// point where integer, which is called with the keys and indexes that lead to it, reports that the reader wants
// an integer.
func WriteTyped(t *value.Task, b *value.Buf, v value.Value, integer func(steps []value.Value) bool) {
	at := &Path{Of: "the result as JSON"}
	(&encoder{t: t, b: b, path: at, distinct: true, integer: integer}).value(v)
}

// TextOf returns the string that a value without a JSON form, such as a UUID or a function, becomes in
// WriteResult.
func TextOf(t *value.Task, v value.Value) string {
	switch v.Kind() {
	case value.KindUUID:
		return t.Str(v).AsString().S
	case value.KindInst:
		return isoInstant(v.AsInst().Millis)
	}
	return t.PrStr(v).AsString().S
}

// KeyText returns the string that a key of a map becomes in WriteResult.
func KeyText(t *value.Task, k value.Value) string { return (&encoder{t: t}).keyText(k) }

// Options are those of clojure.data.json and cheshire.
type Options struct {
	Pretty       bool
	Strict       bool // values without JSON throw
	PlainNames   bool // keywords lose their namespace
	EscapeSlash  bool
	EscapeOthers bool // characters beyond ASCII are escaped
}

// Encode returns a value as JSON.
func Encode(t *value.Task, v value.Value, o Options) value.Value {
	e := &encoder{t: t, b: t.Buf(), Options: o}
	e.value(v)
	return e.b.Value()
}

// encoder is the state of encoding a value.
type encoder struct {
	Options
	t     *value.Task
	b     *value.Buf
	depth int
	// at is set for the arguments of a tool: values that JSON can't hold exactly are refused, with
	// their path, the members of objects are sorted by key, and no key occurs twice.
	at       *argument
	path     *Path // of the value that is written; nil if no message needs it
	distinct bool  // no key of an object may occur twice
	// integer, if it is not nil, reports whether the reader wants an integer at a path.
	integer func(steps []value.Value) bool
}

// value writes any value. It is long on purpose: one case per kind.
func (e *encoder) value(v value.Value) {
	e.t.Work(2)
	e.wantExact(v)
	var a [32]byte
	switch v.Kind() {
	case value.KindNil:
		e.b.WriteString("null")
	case value.KindBool, value.KindInt, value.KindDecimal:
		e.t.StrTo(e.b, v)
	case value.KindBigInt:
		e.t.StrTo(e.b, v)
	case value.KindFloat:
		e.float(v.AsFloat())
	case value.KindRatio:
		e.float(value.ToDouble(e.t, v))
	case value.KindString:
		e.string(v.AsString().S)
	case value.KindChar:
		e.string(string(utf8.AppendRune(a[:0], v.AsChar())))
	case value.KindKeyword, value.KindSymbol:
		e.name(v)
	case value.KindUUID, value.KindInst:
		e.string(TextOf(e.t, v))
	case value.KindArrayMap, value.KindHashMap, value.KindSortedMap, value.KindRecord:
		e.object(v)
	case value.KindJava:
		if coll, ok := e.t.JavaColl(v); ok {
			e.value(coll)
			return
		}
		e.string(e.t.Str(v).AsString().S)
	default:
		if v.Is(value.Colls) {
			e.array(v)
			return
		}
		if e.Strict {
			e.t.Fail(diag.IllegalArgument, "Don't know how to write JSON of %s", value.ClassName(v))
		}
		e.printed(func(b *value.Buf) { e.t.PrintTo(b, v, true) })
	}
}

// printed writes the output of write as a string. If the encoder passes text on, it passes this on
// too, because it may be long.
func (e *encoder) printed(write func(b *value.Buf)) {
	e.b.WriteByte('"')
	if e.b.Passes() {
		b := e.t.BufTo(func(p []byte) { e.text(unsafe.String(unsafe.SliceData(p), len(p))) })
		write(b)
		b.Flush()
	} else {
		b := e.t.Buf()
		write(b)
		e.text(b.Value().AsString().S)
	}
	e.b.WriteByte('"')
}

// isoInstant writes an instant as DateTimeFormatter/ISO_INSTANT does.
func isoInstant(millis int64) string {
	layout := "2006-01-02T15:04:05.000Z"
	if millis%1000 == 0 {
		layout = "2006-01-02T15:04:05Z"
	}
	return time.UnixMilli(millis).UTC().Format(layout)
}

func (e *encoder) float(f float64) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		if e.Strict {
			e.t.Fail(diag.IllegalArgument, "JSON error: cannot write Double %v", f)
		}
		e.b.WriteString("null")
		return
	}
	var a [32]byte
	if e.integer != nil && f == math.Trunc(f) && f >= math.MinInt64 && f < math.MaxUint64 && e.integer(e.path.keys) {
		e.b.Write(strconv.AppendFloat(a[:0], f+0, 'f', 0, 64)) // + 0 makes 0 of -0
		return
	}
	e.b.Write(num.AppendDouble(a[:0], f))
}

// name writes a keyword or symbol.
func (e *encoder) name(v value.Value) {
	var ns, name string
	if v.IsKeyword() {
		ns, name = v.AsKeyword().NS, v.AsKeyword().Name
	} else {
		ns, name = v.AsSymbol().NS, v.AsSymbol().Name
	}
	e.b.WriteByte('"')
	if ns != "" && !e.PlainNames {
		e.text(ns)
		e.text("/")
	}
	e.text(name)
	e.b.WriteByte('"')
}

func (e *encoder) string(s string) {
	e.b.WriteByte('"')
	e.text(s)
	e.b.WriteByte('"')
}

// jsonShort are the characters with an escape of one letter.
var jsonShort = [128]byte{'"': '"', '\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't'}

// text writes the contents of a string.
func (e *encoder) text(s string) {
	from := 0
	for i, r := range s {
		if i&7 == 0 {
			e.t.Work(1)
		}
		short := r < utf8.RuneSelf && (jsonShort[r] != 0 || r == '/' && e.EscapeSlash)
		if !short && r >= ' ' && (r < 0x7f || !e.EscapeOthers && r != 0x2028 && r != 0x2029) {
			continue
		}
		e.b.WriteString(s[from:i])
		from = i + utf8.RuneLen(r)
		switch {
		case r == '/':
			e.b.WriteString(`\/`)
		case short:
			e.b.WriteByte('\\')
			e.b.WriteByte(jsonShort[r])
		case r > 0xffff:
			hi, lo := utf16.EncodeRune(r)
			e.unicode(hi)
			e.unicode(lo)
		default:
			e.unicode(r)
		}
	}
	e.b.WriteString(s[from:])
}

func (e *encoder) unicode(r rune) {
	const digits = "0123456789abcdef"
	e.b.Write([]byte{'\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15]})
}

// open begins a collection.
func (e *encoder) open(c byte) {
	e.depth++
	if e.depth > maxDepth {
		e.t.FailHint(diag.NestingTooDeep, "build a flatter value", "JSON nested deeper than %d levels", maxDepth)
	}
	e.b.WriteByte(c)
}

// item comes before each element of a collection.
func (e *encoder) item(first bool) {
	if !first {
		e.b.WriteByte(',')
	}
	if e.Pretty {
		e.line()
	}
}

func (e *encoder) line() {
	e.b.WriteByte('\n')
	for range e.depth {
		e.b.WriteString("  ")
	}
}

func (e *encoder) close(c byte, empty bool) {
	e.depth--
	if e.Pretty && !empty {
		e.line()
	}
	e.b.WriteByte(c)
}

func (e *encoder) array(v value.Value) {
	e.open('[')
	empty, n, held := true, int64(0), e.b.Held()
	e.t.Each(v, func(x value.Value) bool {
		e.item(empty)
		e.enter(value.Int(n))
		e.value(x)
		e.leave()
		e.b.LetGo(held)
		empty = false
		n++
		return true
	})
	e.close(']', empty)
}

func (e *encoder) object(v value.Value) {
	if e.at != nil {
		e.sorted(v)
		return
	}
	if e.distinct && MixedKeys(v) {
		e.path.WantDistinct(e.t, v, e.keyText)
	}
	e.open('{')
	empty, held := true, e.b.Held()
	for it := value.NewMapIter(v); it.Next(); {
		e.item(empty)
		empty = false
		e.key(it.Key)
		e.b.WriteByte(':')
		if e.Pretty {
			e.b.WriteByte(' ')
		}
		e.enter(it.Key)
		e.value(it.Val)
		e.leave()
		e.b.LetGo(held)
	}
	e.close('}', empty)
}

// member is a member of an object, with its key as text.
type member struct {
	key  string
	name value.Value
	val  value.Value
}

// sorted writes an object with its members sorted by key.
func (e *encoder) sorted(v value.Value) {
	n := value.MapCount(v)
	e.t.Charge(limits.ObjectSize(n * int(unsafe.Sizeof(member{}))))
	members := make([]member, 0, n)
	for it := value.NewMapIter(v); it.Next(); {
		e.t.Work(1)
		e.wantKey(it.Key)
		members = append(members, member{e.keyText(it.Key), it.Key, it.Val})
	}
	slices.SortFunc(members, func(a, b member) int {
		e.t.Work(1)
		return value.CompareText(e.t, a.key, b.key)
	})
	e.open('{')
	for i, m := range members {
		if i > 0 && value.CompareText(e.t, m.key, members[i-1].key) == 0 {
			e.t.FailHint(diag.IllegalArgument, "a keyword and a string of the same name are the same key in JSON",
				"tool/%s: argument %s: got the key %q twice in a map", e.at.tool, e.path.text(e.t), m.key)
		}
		e.item(i == 0)
		e.string(m.key)
		e.b.WriteByte(':')
		e.enter(m.name)
		e.value(m.val)
		e.leave()
	}
	e.close('}', n == 0)
}

// keyText returns the text of a key.
func (e *encoder) keyText(k value.Value) string {
	switch k.Kind() {
	case value.KindNil:
		return "null"
	case value.KindString:
		return k.AsString().S
	case value.KindKeyword:
		if s := k.AsKeyword(); s.NS == "" {
			return s.Name
		}
	}
	if k.Is(value.Kinds(value.KindKeyword, value.KindSymbol)) {
		return strings.TrimPrefix(e.t.Str(k).AsString().S, ":")
	}
	return e.t.Str(k).AsString().S
}

func (e *encoder) key(k value.Value) {
	switch k.Kind() {
	case value.KindKeyword, value.KindSymbol:
		e.name(k)
	case value.KindString:
		e.string(k.AsString().S)
	case value.KindNil:
		if e.Strict {
			e.t.Fail(diag.IllegalArgument, "JSON object properties may not be nil")
		}
		e.string("null")
	case value.KindInt:
		e.string(strconv.FormatInt(k.AsInt(), 10))
	default:
		e.printed(func(b *value.Buf) { e.t.StrTo(b, k) })
	}
}

// enter and leave enclose the writing of the value under a key or index.
func (e *encoder) enter(step value.Value) {
	if e.path != nil {
		e.path.Enter(step)
	}
}

func (e *encoder) leave() {
	if e.path != nil {
		e.path.Leave()
	}
}
