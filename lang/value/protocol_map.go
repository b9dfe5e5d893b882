// This file defines the parts of a protocol that programs look up: in Clojure a protocol is a map.

package value

import "strings"

// protocolPart returns a part of a protocol, or notFound. Its interface is the protocol itself.
func (t *Task) protocolPart(v, key, notFound Value) Value {
	if !key.IsKeyword() || key.AsKeyword().NS != "" {
		return notFound
	}
	p := v.AsProtocol()
	each := func(f func(method Value, arities Value) Value) Value {
		m := t.Transient(EmptyMap)
		for it := NewMapIter(p.Sigs); it.Next(); {
			if t.Work(1); !strings.HasPrefix(it.Key.AsKeyword().Name, "%") {
				m = t.TAssoc(m, it.Key, f(it.Key, it.Val))
			}
		}
		return t.Persistent(m)
	}
	switch key.AsKeyword().Name {
	case "on":
		return t.Symbol("", strings.ReplaceAll(strings.ReplaceAll(p.Name, "/", "."), "-", "_"))
	case "on-interface":
		return v
	case "impls":
		if MapCount(p.Impls) > 0 {
			return p.Impls
		}
	case "method-map":
		return each(func(method, _ Value) Value { return method })
	case "sigs":
		return each(func(method, arities Value) Value {
			return t.MapOf(ConstKeyword("name"), t.Symbol("", method.AsKeyword().Name), ConstKeyword("arglists"), arities)
		})
	}
	return notFound
}
