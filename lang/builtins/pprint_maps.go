// This file defines how pprint writes maps.

package builtins

import "github.com/ptc-lang/ptc/lang/value"

// lifted returns the prefix, such as "#:a", before the brace of a map whose keys share a namespace, if
// *print-namespace-maps* is set.
func (p *prettyPrinter) lifted(v value.Value) string {
	if !p.lift || v.Kind() == value.KindRecord || !v.Is(value.Maps) {
		return ""
	}
	if ns := value.CommonNamespace(v); ns != "" {
		return "#:" + ns
	}
	return ""
}

// key returns the written form of a key in a map with the prefix lifted.
func (p *prettyPrinter) key(k value.Value, lifted string) value.Value {
	switch {
	case lifted == "":
		return k
	case k.IsKeyword():
		return p.t.Keyword("", k.AsKeyword().Name)
	}
	return p.t.Symbol("", k.AsSymbol().Name)
}

// entry1 writes an entry of a map on one line; it counts as a level, as in Clojure.
func (p *prettyPrinter) entry1(b *value.Buf, key, val value.Value, depth int) {
	if !p.enter(b) {
		return
	}
	p.line1(b, key, depth+1)
	b.WriteByte(' ')
	p.line1(b, val, depth+1)
	p.level++
}

// entries writes the entries of a map; a value that does not fit after its key
// goes to the next line.
func (p *prettyPrinter) entries(m value.Value, after int) {
	lifted := p.lifted(m)
	p.b.WriteString(lifted + "{")
	indent := p.column()
	n, cut := p.shown(m)
	for it := value.NewMapIter(m); n > 0 && it.Next(); {
		n--
		rest := len(", ")
		if n == 0 && !cut {
			rest = after + 1
		}
		p.entry(p.key(it.Key, lifted), it.Val, indent, rest)
		if n > 0 || cut {
			p.b.WriteByte(',')
			p.newline(indent)
		}
	}
	if cut {
		p.b.WriteString("...")
	}
	p.b.WriteByte('}')
}

func (p *prettyPrinter) entry(key, val value.Value, indent, rest int) {
	if !p.enter(p.b) {
		return
	}
	p.print(key, 1)
	if !p.flat(" ", val, rest) {
		p.newline(indent)
		p.print(val, rest)
	}
	p.level++
}
