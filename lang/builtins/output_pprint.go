// This file defines pprint.

package builtins

import (
	"unicode/utf8"

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
	n := value.ToLong(t, a[1]) - int64(a[0].AsString().Len())
	b := t.Buf()
	for ; n > 0; n-- {
		t.Work(1)
		b.WriteByte(' ')
	}
	b.WriteString(a[0].AsString().S)
	return b.Value()
}

func pprint(t *value.Task, a []value.Value) value.Value {
	p := &prettyPrinter{t: t, b: t.Buf()}
	p.print(a[0], 0)
	p.b.WriteByte('\n')
	t.Host.Print(p.b.String())
	return value.Nil
}

// prettyPrinter lays a value out as Clojure's simple dispatch does: a collection
// that fits on the line goes there, another has each element on a line of its own.
type prettyPrinter struct {
	t     *value.Task
	b     *value.Buf
	line  int // where the current line begins in b
	depth int
}

func (p *prettyPrinter) column() int { return utf8.RuneCount(p.b.Bytes()[p.line:]) }

func (p *prettyPrinter) newline(indent int) {
	p.b.WriteByte('\n')
	p.line = p.b.Len()
	for range indent {
		p.b.WriteByte(' ')
	}
}

// flat writes prefix and v on one line if that ends, with after more characters,
// before the margin; otherwise it writes nothing.
func (p *prettyPrinter) flat(prefix string, v value.Value, after int) bool {
	room := rightMargin - p.column() - len(prefix) - after
	if room <= 0 {
		return false
	}
	b := p.t.Buf()
	b.Max = 4 * room
	p.t.PrintTo(b, v, true)
	if b.Full() || utf8.RuneCount(b.Bytes()) >= room {
		return false
	}
	p.b.WriteString(prefix)
	p.b.Write(b.Bytes())
	return true
}

// print writes v; after is how many characters must follow on its last line.
func (p *prettyPrinter) print(v value.Value, after int) {
	p.t.Work(1)
	if !v.Is(value.Colls &^ value.Kinds(value.KindQueue)) {
		p.t.PrintTo(p.b, v, true)
		return
	}
	if p.flat("", v, after) {
		return
	}
	p.depth++
	if p.depth > maxPretty {
		p.t.FailHint(diag.NestingTooDeep, "build a flatter value", "data nested deeper than %d levels", maxPretty)
	}
	switch {
	case v.Is(value.Maps):
		p.entries(v, after)
	case v.Is(value.Sets):
		p.elements(v, "#{", "}", after)
	case v.Is(value.Vectors):
		p.elements(v, "[", "]", after)
	default:
		p.elements(v, "(", ")", after)
	}
	p.depth--
}

func (p *prettyPrinter) elements(v value.Value, open, end string, after int) {
	p.b.WriteString(open)
	indent := p.column()
	vals := p.t.ToVals(v)
	for i, x := range vals {
		if i == len(vals)-1 {
			p.print(x, after+len(end))
			break
		}
		p.print(x, 1)
		p.newline(indent)
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
