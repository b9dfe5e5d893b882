// This file defines how objects whose types implement the interfaces of collections are compared with collections, and
// printed.

package value

// declares reports whether the definition of an object's type names one of some interfaces.
func (t *Task) declares(v Value, interfaces ...string) bool {
	if v.Kind() != KindObject || v.AsObject().Type.Impls.IsNil() {
		return false
	}
	for it := NewMapIter(v.AsObject().Type.Impls); it.Next(); {
		t.Work(1)
		if it.Key.Kind() != KindType {
			continue
		}
		for _, name := range interfaces {
			if it.Key.AsType().Name == name {
				return true
			}
		}
	}
	return false
}

// equalsObject reports whether a, which is no object, is equal to the object b. A collection decides by the interfaces
// of b, as Clojure's collections do; for any other a, b decides if it is a collection.
func (t *Task) equalsObject(a, b Value) bool {
	switch {
	case a.Is(Maps &^ (1 << KindRecord)):
		return t.equalsMapLike(a, b)
	case a.Is(Sets):
		return t.equalsSetLike(a, b)
	case a.Is(sequential):
		return t.declares(b, "java.util.List", "java.util.Collection", "clojure.lang.Sequential",
			"clojure.lang.IPersistentVector", "clojure.lang.IPersistentList") &&
			equalSequences(t, a, t.RealisedLazy(t.Seq(b)))
	case a.h.kind == KindRecord:
		return false
	}
	f := t.InterfaceMethod(b, methodEquiv)
	return !f.IsNil() && t.declares(b, collectionInterfaces...) && t.Host.Call(f, b, a).Truthy()
}

var collectionInterfaces = []string{"clojure.lang.IPersistentCollection", "clojure.lang.IPersistentMap",
	"clojure.lang.IPersistentVector", "clojure.lang.IPersistentSet", "clojure.lang.ISeq", "clojure.lang.IPersistentStack",
	"clojure.lang.IPersistentList", "clojure.lang.Associative"}

// equalsMapLike reports whether an object has the entries of a map.
func (t *Task) equalsMapLike(m, o Value) bool {
	if !t.declares(o, "java.util.Map") ||
		t.declares(o, "clojure.lang.IPersistentMap") && !t.declares(o, "clojure.lang.MapEquivalence") ||
		MapCount(m) != t.sizeOf(o) {
		return false
	}
	return t.Host.Futures().Library("%equal-entries?", m, o).Truthy()
}

// equalsSetLike reports whether an object has the members of a set.
func (t *Task) equalsSetLike(s, o Value) bool {
	if !t.declares(o, "java.util.Set") || setCount(s) != t.sizeOf(o) {
		return false
	}
	same := true
	t.Each(o, func(x Value) bool {
		_, same = t.SetGet(s, x)
		return same
	})
	return same
}

// sizeOf returns the number of elements of an object by its method size, or else count.
func (t *Task) sizeOf(o Value) int {
	if n, ok := t.own(o, methodSize); ok {
		return int(ToLong(t, n))
	}
	return t.objectCount(o)
}

// brackets returns the brackets between which an object is printed whose type implements the interface of a collection;
// "" for other objects. pairs is set if its elements are entries.
func (t *Task) brackets(o Value) (open, end string, pairs bool) {
	switch {
	case t.declares(o, "clojure.lang.ISeq"):
		return "(", ")", false
	case t.declares(o, "clojure.lang.IPersistentMap", "java.util.Map"):
		return "{", "}", true
	case t.declares(o, "clojure.lang.IPersistentVector"):
		return "[", "]", false
	case t.declares(o, "clojure.lang.IPersistentSet", "java.util.Set"):
		return "#{", "}", false
	case t.declares(o, "java.util.List", "java.util.Collection"):
		return "(", ")", false
	}
	return "", "", false
}

// collection prints an object whose type implements the interface of a collection. ok is false for other objects.
func (p *printer) collection(v Value) (ok bool) {
	open, end, pairs := p.t.brackets(v)
	switch {
	case open == "" || p.t.Inert:
		return false
	case pairs:
		p.entries(v, open, end)
	default:
		p.sequence(v, open, end)
	}
	return true
}

// entries prints the entries of an object between brackets.
func (p *printer) entries(v Value, open, end string) {
	if !p.descend() {
		return
	}
	p.b.WriteString(open)
	i, held := 0, p.b.Held()
	p.t.Each(p.t.PlainEntries(v), func(x Value) bool {
		if !p.element(i, ", ") {
			return false
		}
		i++
		if x.Is(Vectors) && VecCount(x) == 2 {
			p.print(VecAt(x, 0))
			p.b.WriteByte(' ')
			p.print(VecAt(x, 1))
		} else {
			p.print(x)
		}
		p.b.LetGo(held)
		return true
	})
	p.b.WriteString(end)
	p.ascend()
}

// CallOwn calls the method of an interface that the type of v, an object, implements. ok is false if it implements none
// of that name.
func (t *Task) CallOwn(v, name Value, args ...Value) (x Value, ok bool) {
	return t.own(v, name, args...)
}

// CompareBy compares two values by a comparator, or by Compare if it is nil, as a sorted collection does.
func (t *Task) CompareBy(cmp, a, b Value) int { return t.compareBy(cmp, a, b) }
