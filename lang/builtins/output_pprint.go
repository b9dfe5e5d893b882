// This file defines pprint.

package builtins

import (
	"unicode/utf8"
	"unsafe"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/value"
)

// rightMargin is the column that no line of pprint reaches, as in Clojure.
const rightMargin = 72

// maxPretty bounds the nesting that pprint follows on the Go stack.
const maxPretty = 512

// prettyFunctions print with line breaks.
var prettyFunctions = []Entry{
	{NS: "clojure.pprint", Name: "pprint", Args: "x", Cost: Walks, Fn: pprint,
		Doc: "Prints a value readably, broken into lines of at most 72 characters where it can be.", Examples: []string{`(with-out-str (clojure.pprint/pprint {:a 1})) => "{:a 1}\n"`}},
	{NS: "clojure.core", Name: "%pad-left", Args: "s:string width:num", Cost: PerByte, Private: true, Fn: padLeft,
		Doc: "Gives s with spaces before it, so that it has width characters."},
}

func padLeft(t *value.Task, a []value.Value) value.Value {
	n := value.ToLong(t, a[1]) - int64(t.Length(a[0].AsString()))
	b := t.Buf()
	for ; n > 0; n-- {
		t.Work(1)
		b.WriteByte(' ')
	}
	b.WriteString(a[0].AsString().S)
	return b.Value()
}

func pprint(t *value.Task, a []value.Value) value.Value {
	p := &prettyPrinter{t: t, b: t.Buf(), margin: rightMargin}
	p.print(a[0], 0)
	p.b.WriteByte('\n')
	emit(t, p.b.Leave())
	return value.Nil
}

// Pretty gives the text of a value in lines of at most width characters, where it can
// be broken, for people to read: as pprint, but with as many elements on a line as
// there is room for, if none of them is a collection.
func Pretty(t *value.Task, v value.Value, width int) string {
	p := &prettyPrinter{t: t, b: t.Buf(), margin: width, fill: true}
	p.print(v, 0)
	return p.b.Value().AsString().S
}

// prettyPrinter lays a value out as Clojure's simple dispatch does: a collection
// that fits on the line goes there, another has each element on a line of its own.
type prettyPrinter struct {
	t      *value.Task
	b      *value.Buf
	margin int
	fill   bool // see Pretty
	line   int  // where the current line begins in b
	depth  int
}

func (p *prettyPrinter) column() int {
	line := p.b.Bytes()[p.line:]
	return p.t.RuneCount(unsafe.String(unsafe.SliceData(line), len(line)))
}

func (p *prettyPrinter) newline(indent int) {
	p.b.WriteByte('\n')
	p.line = p.b.Len()
	for range indent {
		p.b.WriteByte(' ')
	}
}

// flat writes prefix and v on one line if that ends, with after more characters,
// before the margin; otherwise it writes nothing. Of the spaces where a line may be
// broken, the first is not counted, as in Clojure.
func (p *prettyPrinter) flat(prefix string, v value.Value, after int) bool {
	room := p.margin + 1 - p.column() - len(prefix) - after
	if room <= 0 {
		return false
	}
	b := p.t.Buf()
	b.Max = 4 * room
	p.line1(b, v, 0)
	if b.Full() || utf8.RuneCount(b.Bytes()) >= room {
		return false
	}
	p.b.WriteString(prefix)
	p.b.Write(b.Bytes())
	return true
}

// prettyMark gives the mark by which a form such as (quote x) is written, and x.
func prettyMark(t *value.Task, v value.Value) (mark string, of value.Value) {
	if !v.Is(value.Seqs) {
		return "", value.Nil
	}
	head := t.First(v)
	if !head.IsSymbol() {
		return "", value.Nil
	}
	switch s := head.AsSymbol(); {
	case s.NS == "" && s.Name == "quote":
		mark = "'"
	case s.NS == "" && s.Name == "var":
		mark = "#'"
	case s.NS == "clojure.core" && s.Name == "deref":
		mark = "@"
	case s.NS == "clojure.core" && s.Name == "unquote":
		mark = "~"
	}
	rest := t.Next(v)
	if mark == "" || rest.IsNil() || !t.Next(rest).IsNil() {
		return "", value.Nil
	}
	return mark, t.First(rest)
}

// line1 writes v on one line to a buffer that may fill up.
func (p *prettyPrinter) line1(b *value.Buf, v value.Value, depth int) {
	if b.Full() || depth > maxPretty {
		return
	}
	mark, of := prettyMark(p.t, v)
	open, end, broken := brackets(v)
	switch {
	case mark != "":
		b.WriteString(mark)
		p.line1(b, of, depth+1)
		return
	case !broken:
		p.t.PrintTo(b, v, true)
		return
	}
	b.WriteString(open)
	first := true
	item := func(separator string, x value.Value) bool {
		if !first {
			b.WriteString(separator)
		}
		first = false
		p.line1(b, x, depth+1)
		return !b.Full()
	}
	if v.Is(value.Maps) {
		for it := value.NewMapIter(v); it.Next() && item(", ", it.Key); {
			item(" ", it.Val)
		}
	} else {
		p.t.Each(v, func(x value.Value) bool { return item(" ", x) })
	}
	b.WriteString(end)
}

// brackets gives what stands around the elements of a collection; ok is false for
// what is written by pr.
func brackets(v value.Value) (open, end string, ok bool) {
	switch {
	case v.Is(value.Maps):
		return "{", "}", true
	case v.Is(value.Sets):
		return "#{", "}", true
	case v.Is(value.Vectors):
		return "[", "]", true
	case v.Is(value.Seqs):
		return "(", ")", true
	}
	return "", "", false
}

// print writes v; after is how many characters must follow on its last line.
func (p *prettyPrinter) print(v value.Value, after int) {
	p.t.Work(1)
	mark, of := prettyMark(p.t, v)
	open, end, broken := brackets(v)
	switch {
	case mark != "":
		p.b.WriteString(mark)
		p.print(of, after)
		return
	case !broken:
		p.t.PrintTo(p.b, v, true)
		return
	case p.flat("", v, after):
		return
	}
	p.depth++
	if p.depth > maxPretty {
		p.t.FailHint(diag.NestingTooDeep, "build a flatter value", "data nested deeper than %d levels", maxPretty)
	}
	if v.Is(value.Maps) {
		p.entries(v, after)
	} else {
		p.elements(v, open, end, after)
	}
	p.depth--
}

func (p *prettyPrinter) elements(v value.Value, open, end string, after int) {
	p.b.WriteString(open)
	indent := p.column()
	last := p.t.Count(v) - 1
	it := p.t.Iter(v)
	lone := true // what stands before needs its line for itself
	for i := range last + 1 {
		x, _ := it.Next()
		rest := 1
		switch {
		case i == last:
			rest = after + len(end)
		case p.fill:
			rest = 0
		}
		_, _, coll := brackets(x)
		if lone || coll || !p.flat(" ", x, rest) {
			if i > 0 {
				p.newline(indent)
			}
			p.print(x, rest)
		}
		lone = coll || !p.fill
	}
	p.b.WriteString(end)
}

// entries writes the entries of a map; a value that does not fit behind its key
// goes to the next line.
func (p *prettyPrinter) entries(m value.Value, after int) {
	p.b.WriteByte('{')
	indent := p.column()
	n := value.MapCount(m)
	for it := value.NewMapIter(m); it.Next(); {
		n--
		rest := len(", ")
		if n == 0 {
			rest = after + 1
		}
		p.print(it.Key, 1)
		if !p.flat(" ", it.Val, rest) {
			p.newline(indent)
			p.print(it.Val, rest)
		}
		if n > 0 {
			p.b.WriteByte(',')
			p.newline(indent)
		}
	}
	p.b.WriteByte('}')
}
