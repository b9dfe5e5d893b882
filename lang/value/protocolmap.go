// This file defines the map view of a protocol: in Clojure a protocol is a map of its parts.

package value

import "strings"

var (
	partOn          = ConstKeyword("on")
	partOnInterface = ConstKeyword("on-interface")
	partSigs        = ConstKeyword("sigs")
	partVar         = ConstKeyword("var")
	partMethodMap   = ConstKeyword("method-map")
	partImpls       = ConstKeyword("impls")
	partName        = ConstKeyword("name")
	partArglists    = ConstKeyword("arglists")
)

// protocolGet returns a part of a protocol.
func (t *Task) protocolGet(v, k, notFound Value) Value {
	p := v.AsProtocol()
	ns, name := SplitName(p.Name)
	switch {
	case Same(k, partOn):
		return t.Symbol("", strings.ReplaceAll(ns, "-", "_")+"."+name)
	case Same(k, partOnInterface):
		return v
	case Same(k, partVar):
		return t.Host.Names().Resolve(ns, t.Symbol("", name))
	case Same(k, partImpls) && MapCount(p.Impls) > 0:
		return p.Impls
	case !Same(k, partSigs) && !Same(k, partMethodMap):
		return notFound
	}
	m := EmptyMap
	for it := NewMapIter(p.Sigs); it.Next(); {
		t.Work(1)
		switch method := it.Key.AsKeyword(); {
		case strings.HasPrefix(method.Name, "%"): // a mark of the library
		case Same(k, partMethodMap):
			m = t.MapAssoc(m, it.Key, it.Key)
		default:
			sig := t.MapOf(partName, t.Symbol("", method.Name), partArglists, WithMeta(t, it.Val, Nil))
			for meta := NewMapIter(MetaOf(it.Val)); meta.Next(); {
				sig = t.MapAssoc(sig, meta.Key, meta.Val)
			}
			m = t.MapAssoc(m, it.Key, sig)
		}
	}
	return m
}
