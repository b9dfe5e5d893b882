// This file defines printing: pr, print and str of every value.

package value

import (
	"math"
	"strconv"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/num"
)

// PrintOptions are the dynamic variables that affect printing.
type PrintOptions struct {
	Readably      bool // *print-readably*
	Meta          bool // *print-meta*
	NamespaceMaps bool // *print-namespace-maps*
	Length        int  // *print-length*: elements of a collection; negative: all
	Level         int  // *print-level*: nested collections; negative: all
	Dup           bool // *print-dup*
	Plain         bool // print the value itself, ignoring its method of print-method
}

// printer writes values to a buffer.
type printer struct {
	PrintOptions
	t *Task
	b *Buf
}

// PrintTo writes v as pr does, or as print does unless readably is set.
func (t *Task) PrintTo(b *Buf, v Value, readably bool) {
	t.PrintWith(b, v, PrintOptions{Readably: readably, Length: -1, Level: -1})
}

// PrintWith writes v as pr does under options. It stops when the buffer is full.
func (t *Task) PrintWith(b *Buf, v Value, o PrintOptions) {
	p := printer{o, t, b}
	p.print(v)
}

// PrStr returns the result of (pr-str v).
func (t *Task) PrStr(v Value) Value {
	b := t.Buf()
	t.PrintTo(b, v, true)
	return b.Value()
}

// Str returns the result of (str v): "" for nil, and a string unchanged.
func (t *Task) Str(v Value) Value {
	var a [32]byte
	switch v.Kind() {
	case KindString:
		return v
	case KindInt:
		return t.StringOfBytes(strconv.AppendInt(a[:0], v.AsInt(), 10))
	case KindFloat:
		return t.StringOfBytes(num.AppendDouble(a[:0], v.AsFloat()))
	}
	b := t.Buf()
	t.StrTo(b, v)
	text := b.Value()
	if v.Is(Kinds(KindSymbol, KindKeyword)) && text.h != emptyString.h { // which all runs share
		text.h.flags = flagInterned
	}
	return text
}

// StrTo writes v as str does.
func (t *Task) StrTo(b *Buf, v Value) {
	switch v.Kind() {
	case KindNil:
	case KindString:
		b.WriteString(v.AsString().S)
	case KindChar:
		b.WriteRune(v.AsChar())
	case KindInt, KindFloat, KindBigInt, KindRatio, KindDecimal:
		t.appendNumber(b, v)
	case KindRecord, KindObject:
		if text := t.ownText(v); text.IsString() {
			b.WriteString(text.AsString().S)
			return
		}
		t.objectText(b, v)
	case KindLazy, KindQueue, KindTagged:
		t.objectText(b, v)
	case KindRegex:
		b.WriteString(v.AsRegex().Source)
	case KindUUID:
		writeUUID(b, &v.AsUUID().B)
	case KindInst:
		writeJavaDate(b, v.AsInst().Millis)
	case KindException:
		t.strException(b, v.AsException())
	case KindType:
		b.WriteString("class ")
		b.WriteString(v.AsType().Name)
	case KindNamespace:
		b.WriteString(v.AsNamespace().Name)
	case KindBuilder:
		builderTo(b, v)
	case KindMatcher:
		t.matcherTo(b, v)
	case KindJava:
		t.javaTo(b, v)
	default:
		t.PrintWith(b, v, t.PrintOptions(true))
	}
}

// objectText writes the string of a class that inherits toString from Object: its name and
// hashCode.
func (t *Task) objectText(b *Buf, v Value) {
	b.WriteString(ClassName(v))
	b.WriteByte('@')
	b.WriteString(strconv.FormatUint(uint64(uint32(javaHash(t, v))), 16))
}

// ownText returns the result of the method toString of a record's type, or nil if the type has
// none.
func (t *Task) ownText(v Value) Value {
	f := t.Method(v, methodToString)
	if f.IsNil() {
		return Nil
	}
	text := t.Host.Call(f, v)
	if !text.IsString() {
		t.Fail(diag.WrongType, "toString of %s: got %s, want a string", ClassName(v), Describe(t, text))
	}
	return text
}

// strException writes an exception as Java's toString does: its class, its message and, for an
// ex-info, its data.
func (t *Task) strException(b *Buf, e *Exception) {
	b.WriteString(e.Class)
	if !e.Msg.IsNil() {
		b.WriteString(": ")
		t.StrTo(b, e.Msg)
	}
	if !e.Data.IsNil() {
		b.WriteByte(' ')
		t.PrintTo(b, e.Data, true)
	}
}

// print writes v. It is long on purpose: one case per kind.
func (p *printer) print(v Value) {
	b := p.b
	if p.t.PrintMethod != nil && !p.Plain {
		if text := p.t.PrintMethod(p.t, v); text.IsString() {
			b.WriteString(text.AsString().S)
			return
		}
	}
	p.Plain = false
	if p.Dup && p.dup(v) {
		return
	}
	switch v.Kind() {
	case KindNil:
		b.WriteString("nil")
	case KindBool:
		b.WriteString(strconv.FormatBool(v.AsBool()))
	case KindInt, KindRatio:
		p.t.appendNumber(b, v)
	case KindFloat:
		p.float(v)
	case KindBigInt:
		p.t.appendNumber(b, v)
		if !v.AsBigInt().IsJava() {
			b.WriteByte('N')
		}
	case KindDecimal:
		p.t.appendNumber(b, v)
		b.WriteByte('M')
	case KindChar:
		p.char(v.AsChar())
	case KindString:
		p.string(v.AsString().S)
	case KindKeyword:
		b.WriteByte(':')
		writeName(b, v.AsKeyword().NS, v.AsKeyword().Name)
	case KindSymbol:
		p.meta(v)
		writeName(b, v.AsSymbol().NS, v.AsSymbol().Name)
	case KindList, KindCons, KindChunkedCons, KindLazy, KindRange, KindVecSeq, KindStrSeq, KindMapSeq:
		p.meta(v)
		p.sequence(v, "(", ")")
	case KindVector, KindMapEntry:
		p.meta(v)
		p.sequence(v, "[", "]")
	case KindArrayMap, KindHashMap, KindSortedMap:
		p.meta(v)
		p.plainMap(v)
	case KindHashSet, KindSortedSet:
		p.meta(v)
		p.set(v)
	case KindRecord:
		p.meta(v)
		b.WriteByte('#')
		b.WriteString(v.AsRecord().Type.Name)
		p.mapEntries(v, "{", "")
	case KindJava:
		p.javaObject(v)
	case KindRegex:
		p.regex(v.AsRegex().Source)
	case KindUUID:
		b.WriteString(`#uuid "`)
		writeUUID(b, &v.AsUUID().B)
		b.WriteByte('"')
	case KindInst:
		b.WriteString(`#inst "`)
		writeInst(b, v.AsInst().Millis)
		b.WriteByte('"')
	case KindVar:
		p.meta(v)
		b.WriteString("#'")
		writeName(b, v.AsVar().Sym.NS, v.AsVar().Sym.Name)
	case KindType:
		b.WriteString(v.AsType().Name)
	case KindTagged:
		p.nest(func() {
			b.WriteString(v.asTagged().prefix())
			if !v.asTagged().conditional() {
				p.print(v.asTagged().Tag)
				b.WriteByte(' ')
			}
			p.print(v.asTagged().Form)
		})
	case KindException:
		p.exception(v.AsException())
	default:
		p.object(v)
	}
}

func writeName(b textWriter, ns, name string) {
	if ns != "" {
		b.WriteString(ns)
		b.WriteByte('/')
	}
	b.WriteString(name)
}

func (p *printer) float(v Value) {
	f := v.AsFloat()
	switch {
	case math.IsInf(f, 1):
		p.b.WriteString("##Inf")
	case math.IsInf(f, -1):
		p.b.WriteString("##-Inf")
	case f != f:
		p.b.WriteString("##NaN")
	default:
		p.t.appendNumber(p.b, v)
	}
}

// charNames maps the characters that print by name to their names.
var charNames = map[rune]string{'\n': "newline", '\t': "tab", ' ': "space", '\b': "backspace", '\f': "formfeed",
	'\r': "return"}

func (p *printer) char(r rune) {
	if !p.Readably {
		p.b.WriteRune(r)
		return
	}
	p.b.WriteByte('\\')
	if name, ok := charNames[r]; ok {
		p.b.WriteString(name)
		return
	}
	p.b.WriteRune(r)
}

func (p *printer) string(s string) {
	if !p.Readably {
		p.b.WriteString(s)
		return
	}
	p.b.WriteByte('"')
	start := 0
	for i := 0; i < len(s) && !p.b.Full(); i++ {
		if i%textPiece == 0 {
			p.t.Work(int64(min(len(s)-i, textPiece)) >> 4)
		}
		if e := escapes[s[i]]; e != 0 {
			p.b.WriteString(s[start:i])
			p.b.WriteByte('\\')
			p.b.WriteByte(e)
			start = i + 1
		}
	}
	p.b.WriteString(s[start:])
	p.b.WriteByte('"')
}

// escapes maps each byte that a string escapes to the letter after the backslash.
var escapes = [256]byte{'\n': 'n', '\t': 't', '\r': 'r', '"': '"', '\\': '\\', '\f': 'f', '\b': 'b'}

// regex writes a pattern as a literal. It escapes the quotes; inside \Q…\E, it leaves and re-enters
// the quotation to do so.
func (p *printer) regex(source string) {
	p.b.WriteString(`#"`)
	quoting := false
	for i := 0; i < len(source); i++ {
		switch c := source[i]; {
		case c == '\\' && i+1 < len(source):
			next := source[i+1]
			p.b.WriteString(source[i : i+2])
			i++
			if quoting {
				quoting = next != 'E'
			} else {
				quoting = next == 'Q'
			}
		case c == '"' && quoting:
			p.b.WriteString(`\E\"\Q`)
		case c == '"':
			p.b.WriteString(`\"`)
		default:
			p.b.WriteByte(c)
		}
	}
	p.b.WriteByte('"')
}
