// This file defines printing under *print-dup*: forms that evaluate to the value when they are read.

package value

// dup writes a value that has a form of its own under *print-dup*, and reports whether it does.
func (p *printer) dup(v Value) bool {
	switch v.Kind() {
	case KindArrayMap, KindHashMap, KindSortedMap:
		p.created(v, func() { p.mapEntries(v, "{", "") })
	case KindSortedSet:
		p.created(v, func() { p.sequence(v, "[", "]") })
	case KindRecord:
		if r := v.AsRecord(); r.Ext == nil {
			p.meta(v)
			p.b.WriteByte('#')
			p.b.WriteString(r.Type.Name)
			p.b.WriteByte('[')
			p.nest(func() {
				for i := 0; i < len(r.Vals) && p.element(i, ", "); i++ {
					p.print(r.Vals[i])
				}
			})
			p.b.WriteByte(']')
			return true
		}
		return false
	case KindBigInt:
		if !v.AsBigInt().IsJava() {
			return false
		}
		p.b.WriteString(`#=(java.math.BigInteger. "`)
		p.t.appendNumber(p.b, v)
		p.b.WriteString(`")`)
	case KindType:
		p.b.WriteString("#=" + v.AsType().Name)
	case KindNamespace:
		p.b.WriteString("#=(find-ns " + v.AsNamespace().Name + ")")
	case KindVar:
		p.b.WriteString("#=(var ")
		writeName(p.b, v.AsVar().Sym.NS, v.AsVar().Sym.Name)
		p.b.WriteByte(')')
	default:
		return false
	}
	return true
}

// created writes a call of the static method create of a collection's class.
func (p *printer) created(v Value, elements func()) {
	p.meta(v)
	p.b.WriteString("#=(" + ClassName(v) + "/create ")
	elements()
	p.b.WriteByte(')')
}
