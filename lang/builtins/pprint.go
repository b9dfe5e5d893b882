// This file defines pprint.

package builtins

import (
	"unicode/utf8"
	"unsafe"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// rightMargin is the column that lines of pprint do not reach, as in Clojure.
const rightMargin = 72

// maxPretty bounds the nesting that pprint follows on the Go stack.
const maxPretty = 512

// prettyFunctions print with line breaks.
var prettyFunctions = []entry.Entry{
	{NS: "clojure.pprint", Name: "pprint", Args: "x | x writer", Cost: entry.Walks, Fn: pprint,
		Doc: "Prints a value readably to a writer, or to *out*, broken into lines of at most 72 characters where it can be.",
		Examples: []string{`(with-out-str (clojure.pprint/pprint {:a 1})) => "{:a 1}\n"`,
			`(let [w (java.io.StringWriter.)] (clojure.pprint/pprint [1] w) (str w)) => "[1]\n"`,
			"(clojure.pprint/pprint 1 2) !wrong-type"}},
	{NS: "clojure.core", Name: "%pad-left", Args: "s:string width:num", Cost: entry.PerByte, Private: true, Fn: padLeft,
		Doc: "Returns s padded with spaces on the left to width characters."},
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
	b := t.Buf()
	if by, ok := t.Host.Binding("clojure.pprint/*print-pprint-dispatch*"); ok && !by.IsNil() && !isLayout(by) {
		b.WriteString(prettyBy(t, by, a[0]))
	} else {
		layOut(t, b, a[0], false)
	}
	b.WriteByte('\n')
	if len(a) == 2 {
		return writeText(t, a[1], b.Value())
	}
	emit(t, b.Leave())
	return value.Nil
}

// layOut writes the text of a value for pprint. If plain is true, the method of simple-dispatch for the value itself is
// ignored.
func layOut(t *value.Task, b *value.Buf, v value.Value, plain bool) {
	o := t.PrintOptions(true)
	p := &prettyPrinter{t: t, b: b, margin: rightMargin, length: o.Length, level: o.Level, methods: prettyMethods(t),
		lift: o.NamespaceMaps}
	if v, ok := t.Host.Binding("clojure.pprint/*print-suppress-namespaces*"); ok {
		p.local = v.Truthy()
	}
	if m, ok := t.Host.Binding("clojure.pprint/*print-right-margin*"); ok {
		p.margin = marginOf(t, m)
	}
	if plain {
		p.plain = v
	}
	p.print(v, 0)
}

// maxMargin is the margin of lines that have no limit.
const maxMargin = 1 << 30

// marginOf returns the margin that *print-right-margin* is bound to.
func marginOf(t *value.Task, v value.Value) int {
	switch {
	case v.IsNil():
		return maxMargin
	case !v.IsInt() || v.AsInt() < 0:
		t.Fail(diag.IllegalArgument, "pprint: *print-right-margin* is %s, want a number of columns or nil",
			value.Describe(t, v))
	}
	return int(min(v.AsInt(), maxMargin))
}

// Pretty returns the text of a value for people, in lines of at most width characters if it can be
// broken. It differs from pprint in that a line has as many elements as fit, if none of them is a
// collection.
func Pretty(t *value.Task, v value.Value, width int) string {
	p := &prettyPrinter{t: t, b: t.Buf(), margin: width, fill: true, length: -1, level: -1}
	p.print(v, 0)
	return p.b.Value().AsString().S
}

// prettyPrinter lays out a value as Clojure's simple dispatch does: a collection that fits stays on the
// line, and any other has each element on a separate line.
type prettyPrinter struct {
	t      *value.Task
	b      *value.Buf
	margin int
	fill   bool // see Pretty
	line   int  // where the current line begins in b
	depth  int
	length int // *print-length*: elements of a collection; below 0: all
	level  int // *print-level*: levels that may still be entered; below 0: all

	methods *value.MultiFn // the program's methods of simple-dispatch, nil if there are none
	plain   value.Value    // a value whose method is ignored
	local   bool           // *print-suppress-namespaces*
	lift    bool           // *print-namespace-maps*
}

// enter goes one level deeper; it writes # and returns false if *print-level* forbids.
func (p *prettyPrinter) enter(b *value.Buf) bool {
	if p.level == 0 {
		b.WriteByte('#')
		return false
	}
	p.level--
	return true
}

// shown returns how many elements of a collection are printed, and whether ... replaces the others.
func (p *prettyPrinter) shown(v value.Value) (n int, cut bool) {
	if p.length < 0 {
		return p.t.Count(v), false
	}
	p.t.Each(v, func(value.Value) bool { // the sequence may be infinite
		cut = n == p.length
		if !cut {
			n++
		}
		return !cut
	})
	return n, cut
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

// flat writes prefix and v on one line if the line, with after more characters, ends before the
// margin. Otherwise it writes nothing. The first space at which a line may be broken is not
// counted, as in Clojure.
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

// prettyMark returns the mark by which a form such as (quote x) is written, and x.
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
	if p.byMethod(b, v) {
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
		p.atom(b, v)
		return
	}
	if !p.enter(b) {
		return
	}
	lifted := p.lifted(v)
	b.WriteString(lifted + open)
	n := 0
	item := func(separator string) bool {
		if n > 0 {
			b.WriteString(separator)
		}
		if n++; n > p.length && p.length >= 0 {
			b.WriteString("...")
			return false
		}
		return !b.Full()
	}
	if v.Is(value.Maps) {
		for it := value.NewMapIter(v); it.Next() && item(", "); {
			p.entry1(b, p.key(it.Key, lifted), it.Val, depth)
		}
	} else {
		p.t.Each(v, func(x value.Value) bool {
			if !item(" ") {
				return false
			}
			p.line1(b, x, depth+1)
			return true
		})
	}
	b.WriteString(end)
	p.level++
}

// atom writes a value that is no collection.
func (p *prettyPrinter) atom(b *value.Buf, v value.Value) {
	if p.local && v.IsSymbol() {
		b.WriteString(v.AsSymbol().Name)
		return
	}
	p.t.PrintTo(b, v, true)
}

// brackets returns the brackets of a collection; ok is false for a value that pr prints.
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

// print writes v; after is the number of characters that follow on its last line.
func (p *prettyPrinter) print(v value.Value, after int) {
	p.t.Work(1)
	if p.byMethod(p.b, v) {
		return
	}
	mark, of := prettyMark(p.t, v)
	open, end, broken := brackets(v)
	switch {
	case mark != "":
		p.b.WriteString(mark)
		p.print(of, after)
		return
	case !broken:
		p.atom(p.b, v)
		return
	case p.flat("", v, after) || !p.enter(p.b):
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
	p.level++
}

func (p *prettyPrinter) elements(v value.Value, open, end string, after int) {
	p.b.WriteString(open)
	indent := p.column()
	n, cut := p.shown(v)
	last := n - 1
	if cut {
		last = n
	}
	it := p.t.Iter(v)
	lone := true // the previous element needs a separate line
	for i := range n {
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
	if cut {
		if n > 0 {
			p.newline(indent)
		}
		p.b.WriteString("...")
	}
	p.b.WriteString(end)
}
