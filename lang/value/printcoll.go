// This file defines the printing of collections and of objects.

package value

import "strconv"

// nest runs f one printing level deeper.
func (p *printer) nest(f func()) {
	p.t.enter()
	f()
	p.t.leave()
}

// descend goes one collection deeper. If *print-level* does not allow it, descend writes # and
// returns false.
func (p *printer) descend() bool {
	if p.Level == 0 {
		p.b.WriteByte('#')
		return false
	}
	p.Level--
	p.t.enter()
	return true
}

func (p *printer) ascend() {
	p.Level++
	p.t.leave()
}

// element writes the separator before the i-th element of a collection. It returns false if the
// printing of the collection ends here.
func (p *printer) element(i int, separator string) bool {
	p.t.Work(1)
	if p.b.Full() {
		return false
	}
	if i > 0 {
		p.b.WriteString(separator)
	}
	if i == p.Length {
		p.b.WriteString("...")
		return false
	}
	return true
}

func (p *printer) sequence(v Value, open, end string) {
	if !p.descend() {
		return
	}
	p.b.WriteString(open)
	i, held := 0, p.b.Held()
	p.t.Each(v, func(x Value) bool {
		if !p.element(i, " ") {
			return false
		}
		if i > 0 && x.Kind() == KindObject && !p.t.Inert && p.Level < 0 {
			p.texts(v, i)
			return false
		}
		i++
		p.print(x)
		p.b.LetGo(held)
		return true
	})
	p.b.WriteString(end)
	p.ascend()
}

// texts prints the elements of a sequence from the one at an index on, an object, before which it has printed the
// separator.
func (p *printer) texts(v Value, i int) {
	n := -1
	if p.Length >= 0 {
		n = p.Length - i + 1
	}
	first := i
	texts := p.t.Host.Futures().Library("%texts-of", v, Int(int64(i)), Int(int64(n)), Bool(p.Readably))
	p.t.Each(texts, func(x Value) bool {
		if i > first && !p.element(i, " ") {
			return false
		}
		i++
		p.b.WriteString(x.AsString().S)
		return true
	})
}

func (p *printer) set(v Value) {
	if !p.descend() {
		return
	}
	p.b.WriteString("#{")
	i, held := 0, p.b.Held()
	for it := NewMapIter(v); it.Next() && p.element(i, " "); i++ {
		p.print(it.Key)
		p.b.LetGo(held)
	}
	p.b.WriteByte('}')
	p.ascend()
}

// plainMap writes a map that is not a record. With *print-namespace-maps*, it writes a namespace
// that all keys share before the map.
func (p *printer) plainMap(v Value) {
	if ns := CommonNamespace(v); ns != "" && p.NamespaceMaps {
		p.mapEntries(v, "#:"+ns+"{", ns)
		return
	}
	p.mapEntries(v, "{", "")
}

// mapEntries writes the entries of a map. If lifted is not "", it writes the keys without their
// namespace.
func (p *printer) mapEntries(v Value, open, lifted string) {
	if !p.descend() {
		return
	}
	p.b.WriteString(open)
	i, held := 0, p.b.Held()
	for it := NewMapIter(v); it.Next() && p.element(i, ", "); i++ {
		if lifted == "" {
			p.print(it.Key)
		} else {
			p.localName(it.Key)
		}
		p.b.WriteByte(' ')
		p.print(it.Val)
		p.b.LetGo(held)
	}
	p.b.WriteByte('}')
	p.ascend()
}

func (p *printer) localName(k Value) {
	if k.IsKeyword() {
		p.b.WriteByte(':')
	}
	_, name := nameOf(k)
	p.b.WriteString(name)
}

// nameOf returns the parts of the name of a keyword or symbol, and "" for other values.
func nameOf(v Value) (ns, name string) {
	switch v.Kind() {
	case KindKeyword:
		return v.AsKeyword().NS, v.AsKeyword().Name
	case KindSymbol:
		return v.AsSymbol().NS, v.AsSymbol().Name
	}
	return "", ""
}

// CommonNamespace returns the namespace of all keys of a map, or "" if they do not share one.
func CommonNamespace(m Value) string {
	common := ""
	for it := NewMapIter(m); it.Next(); {
		ns, _ := nameOf(it.Key)
		if ns == "" || common != "" && ns != common {
			return ""
		}
		common = ns
	}
	return common
}

// meta writes the metadata of v, if *print-meta* is set.
func (p *printer) meta(v Value) {
	if !p.Meta || !p.Readably {
		return
	}
	m := MetaOf(v)
	if MapCount(m) == 0 {
		return
	}
	p.b.WriteByte('^')
	if tag, ok := p.t.MapGet(m, tagKey); ok && tag.Truthy() && MapCount(m) == 1 {
		m = tag
	}
	p.nest(func() { p.print(m) })
	p.b.WriteByte(' ')
}

var tagKey = ConstKeyword("tag")

// object writes a value without a literal: #object[class …], as JVM Clojure does but without the
// address.
func (p *printer) object(v Value) {
	p.meta(v)
	if v.h.kind == KindObject && p.collection(v) {
		return
	}
	p.b.WriteString("#object[")
	switch v.h.kind {
	case KindFn:
		writeFnName(p.b, v.AsFn().Code)
	case KindNative:
		writeNativeName(p.b, v.AsNative().Name)
	case KindAtom, KindRef, KindFuture, KindVolatile, KindReduced, KindDelay:
		p.b.WriteString(ClassName(v))
		p.b.WriteByte(' ')
		p.deref(v)
	case KindQueue:
		p.b.WriteString(ClassName(v))
		p.b.WriteByte(' ')
		p.sequence(v, "(", ")")
	case KindArray:
		p.b.WriteByte('"')
		p.b.WriteString(ClassName(v))
		p.b.WriteByte('"')
	case KindObject:
		p.b.WriteString(ClassName(v))
		if p.t.Inert {
			break
		}
		if text := p.t.ownText(v); text.IsString() {
			p.b.WriteByte(' ')
			p.string(text.AsString().S)
		}
	case KindBuilder, KindMatcher, KindJava:
		p.b.WriteString(ClassName(v))
		p.b.WriteByte(' ')
		p.string(p.t.Str(v).AsString().S)
	case KindMultiFn:
		p.named(v, v.AsMultiFn().Name)
	case KindProtocol:
		p.named(v, v.AsProtocol().Name)
	case KindProtocolFn:
		p.b.WriteString(v.AsProtocolFn().Protocol.Name)
		p.b.WriteByte(' ')
		p.print(v.AsProtocolFn().Method)
	case KindNamespace:
		p.b.WriteString(ClassName(v))
		p.b.WriteByte(' ')
		p.b.WriteString(strconv.Quote(v.AsNamespace().Name))
	default:
		p.b.WriteString(ClassName(v))
	}
	p.b.WriteByte(']')
}

func (p *printer) named(v Value, name string) {
	p.b.WriteString(ClassName(v))
	p.b.WriteByte(' ')
	p.b.WriteString(name)
}

func writeFnName(b textWriter, c *FnCode) {
	name := c.Name
	if name == "" {
		name = "fn"
	}
	writeName(b, c.NS, name)
}

// writeNativeName writes the name of a builtin. A name without a namespace belongs to clojure.core.
func writeNativeName(b textWriter, name string) {
	if ns, _ := SplitName(name); ns == "" {
		b.WriteString("clojure.core/")
	}
	b.WriteString(name)
}

// deref writes the state of a cell as a map of :status and :val.
func (p *printer) deref(v Value) {
	if !p.descend() {
		return
	}
	status, val := "ready", Nil
	switch v.h.kind {
	case KindAtom:
		val = v.AsAtom().Val
	case KindRef:
		val = p.t.RefValue(v)
	case KindFuture:
		status, val = p.t.futureStatus(v)
	case KindVolatile:
		val = v.AsVolatile().Val
	case KindReduced:
		val = v.AsReduced().Val
	case KindDelay:
		d := v.AsDelay()
		switch {
		case !d.Fail.IsNil():
			status, val = "failed", d.Fail
		case d.Fn != nil:
			status = "pending"
		default:
			val = d.Val
		}
	}
	p.b.WriteString("{:status :")
	p.b.WriteString(status)
	p.b.WriteString(", :val ")
	p.print(val)
	p.b.WriteByte('}')
	p.ascend()
}

// exception writes an exception as JVM Clojure does, without positions and trace: the cause and
// data of the innermost exception, and :via with all exceptions, outermost first.
func (p *printer) exception(e *Exception) {
	root := e
	for depth := 0; root.Cause.Kind() == KindException && depth < maxWalk; depth++ {
		root = root.Cause.AsException()
	}
	p.nest(func() {
		p.b.WriteString("#error {\n :cause ")
		p.print(root.Msg)
		if !root.Data.IsNil() {
			p.b.WriteString("\n :data ")
			p.print(root.Data)
		}
		p.b.WriteString("\n :via\n [")
		for x := e; ; x = x.Cause.AsException() {
			p.via(x)
			if x == root || p.b.Full() {
				break
			}
			p.b.WriteString("\n  ")
		}
		p.b.WriteString("]}")
	})
}

func (p *printer) via(e *Exception) {
	p.t.Work(1)
	p.b.WriteString("{:type ")
	p.b.WriteString(e.Class)
	p.b.WriteString("\n   :message ")
	p.print(e.Msg)
	if !e.Data.IsNil() {
		p.b.WriteString("\n   :data ")
		p.print(e.Data)
	}
	p.b.WriteByte('}')
}
