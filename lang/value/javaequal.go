// This file defines JavaEqual, the method equals of Java's objects.

package value

// JavaEqual reports whether Java's method equals holds for a and b. It is Equal, except that
// numbers are equal only to numbers of their own class. Keys and members are still looked up as
// Clojure does. A record equals any map of equal entries. Like Equal, it panics if values are
// nested too deeply.
func JavaEqual(t *Task, a, b Value) bool {
	switch {
	case a.Is(Numbers):
		return javaEqualNumbers(t, a, b)
	case a.Is(Maps) && b.Kind() == KindObject:
		return t.Host.Futures().Library("%java-equal-maps?", a, b).Truthy()
	case a.Is(Maps):
		return b.Is(Maps) && javaEqualMaps(t, a, b)
	case a.Is(sequential) && b.Is(sequential):
		t.enter()
		same := javaEqualInOrder(t, a, b)
		t.leave()
		return same
	}
	return Equal(t, a, b)
}

func javaEqualNumbers(t *Task, a, b Value) bool {
	if a.Kind() != b.Kind() {
		return false
	}
	switch a.Kind() {
	case KindFloat: // by their bits: -0.0 is not 0.0, NaN is NaN
		return a.bits == b.bits || a.AsFloat() != a.AsFloat() && b.AsFloat() != b.AsFloat()
	case KindBigInt:
		return a.AsBigInt().IsJava() == b.AsBigInt().IsJava() && Equal(t, a, b)
	case KindDecimal:
		return Equal(t, a, b) && a.AsDecimal().D.Scale() == b.AsDecimal().D.Scale()
	}
	return Equal(t, a, b)
}

func javaEqualInOrder(t *Task, a, b Value) bool {
	i, j := t.Iter(a), t.Iter(b)
	for {
		x, more := i.Next()
		y, also := j.Next()
		if !more || !also {
			return more == also
		}
		if !JavaEqual(t, x, y) {
			return false
		}
	}
}

// javaEqualMaps looks the keys of a up in b, as clojure.lang.APersistentMap does.
func javaEqualMaps(t *Task, a, b Value) bool {
	if MapCount(a) != MapCount(b) {
		return false
	}
	get := t.MapGet
	if a.h.kind == KindSortedMap && b.h.kind == KindSortedMap && as[SortedMap](b).Cmp.IsNil() {
		get = t.sortedGet
	}
	t.enter()
	same := true
	for it := NewMapIter(a); same && it.Next(); {
		t.Work(1)
		v, ok := get(b, it.Key)
		same = ok && JavaEqual(t, it.Val, v)
	}
	t.leave()
	return same
}
