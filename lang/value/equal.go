// This file defines Equal, Clojure's =.

package value

// Equal reports whether a and b are =. Numbers are equal if their category and value are equal,
// sequential collections if their elements are equal in order, maps if their entries are, sets if
// their members are, records if they also have the same type, and names and strings if they are
// spelled alike. Any other value is equal to itself only.
func Equal(t *Task, a, b Value) bool {
	if a.h == b.h {
		if a.h == &floatHeader {
			return a.AsFloat() == b.AsFloat() // 0.0 is -0.0, NaN is not NaN
		}
		return a.bits == b.bits
	}
	if a.h == nil || b.h == nil {
		return false
	}
	if b.h.kind == KindObject && a.h.kind != KindObject {
		return t.equalsObject(a, b)
	}
	if b.h.kind == KindJava {
		return t.javaEqual(b, a)
	}
	switch a.h.kind {
	case KindKeyword:
		return a.bits == b.bits && b.h.kind == KindKeyword && equalKeywords(a.AsKeyword(), b.AsKeyword())
	case KindString:
		return b.h.kind == KindString && EqualText(t, a.AsString().S, b.AsString().S)
	case KindBool, KindChar:
		return false // equal ones share a header
	case KindInt, KindFloat, KindBigInt, KindRatio, KindDecimal:
		return numEqual(t, a, b)
	case KindSymbol:
		if b.h.kind != KindSymbol {
			return false
		}
		x, y := a.AsSymbol(), b.AsSymbol()
		return x.hash == y.hash && x.Name == y.Name && x.NS == y.NS
	case KindArrayMap, KindHashMap, KindSortedMap:
		return b.Is(Maps&^(1<<KindRecord)) && equalMaps(t, a, b)
	case KindHashSet, KindSortedSet:
		return b.Is(Sets) && equalSets(t, a, b)
	case KindRecord:
		return b.h.kind == KindRecord && equalRecords(t, a.AsRecord(), b.AsRecord())
	case KindUUID:
		return b.h.kind == KindUUID && a.AsUUID().B == b.AsUUID().B
	case KindInst:
		return b.h.kind == KindInst && a.AsInst().Millis == b.AsInst().Millis
	case KindVar, KindType, KindNamespace:
		return sameName(a, b)
	case KindObject:
		return t.objectEqual(a, b)
	case KindJava:
		return t.javaEqual(a, b)
	case KindTagged:
		return b.h.kind == KindTagged && equalTagged(t, a.asTagged(), b.asTagged())
	}
	return a.Is(sequential) && b.Is(sequential) && equalSequences(t, a, b)
}

// sameName compares values that several objects may represent, by name: vars, namespaces and the
// classes that are not record types.
func sameName(a, b Value) bool {
	if a.h.kind != b.h.kind {
		return false
	}
	switch a.h.kind {
	case KindVar:
		x, y := a.AsVar().Sym, b.AsVar().Sym
		return x.NS == y.NS && x.Name == y.Name
	case KindNamespace:
		return a.AsNamespace().Name == b.AsNamespace().Name
	}
	x, y := a.AsType(), b.AsType()
	return x.Class && y.Class && x.Name == y.Name
}

func equalKeywords(a, b *Keyword) bool { return a.Name == b.Name && a.NS == b.NS }

// EqualText compares strings, and polls.
func EqualText(t *Task, a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	t.Work(int64(len(a) >> 8))
	for len(a) > copiedBytes {
		if a[:copiedBytes] != b[:copiedBytes] {
			return false
		}
		a, b = a[copiedBytes:], b[copiedBytes:]
		t.Look()
	}
	return a == b
}

func equalTagged(t *Task, a, b *Tagged) bool {
	t.enter()
	same := Equal(t, a.Tag, b.Tag) && Equal(t, a.Form, b.Form)
	t.leave()
	return same
}

func equalSequences(t *Task, a, b Value) bool {
	t.enter()
	same := false
	if a.Is(Vectors) && b.Is(Vectors) {
		same = equalVectors(t, a, b)
	} else {
		same = equalInOrder(t, a, b)
	}
	t.leave()
	return same
}

func equalVectors(t *Task, a, b Value) bool {
	n := VecCount(a)
	if n != VecCount(b) {
		return false
	}
	if a.h.kind == KindMapEntry || b.h.kind == KindMapEntry {
		return Equal(t, VecAt(a, 0), VecAt(b, 0)) && Equal(t, VecAt(a, 1), VecAt(b, 1))
	}
	x, y := a.AsVector(), b.AsVector()
	for i := 0; i < n; {
		p, first := x.chunkFor(i)
		q, other := y.chunkFor(i)
		p, q = p[i-first:], q[i-other:]
		m := min(len(p), len(q))
		if same, at := equalBlock(t, p[:m], q[:m]); at >= 0 {
			return t.equalFrom(a, b, i+at)
		} else if !same {
			return false
		}
		i += m
	}
	return true
}

// equalBlock compares blocks of the same length up to an element that is an object, whose index it returns.
func equalBlock(t *Task, a, b []Value) (same bool, object int) {
	t.Work(int64(len(a)))
	for i := range a {
		switch {
		case a[i].h == b[i].h && a[i].bits == b[i].bits && a[i].h != &floatHeader:
		case unlike(a[i], b[i]):
			return false, i
		case !Equal(t, a[i], b[i]):
			return false, -1
		}
	}
	return true, -1
}

// equalValues compares blocks of the same length.
func equalValues(t *Task, a, b []Value) bool {
	t.Work(int64(len(a)))
	for i := range a {
		if a[i].h == b[i].h && a[i].bits == b[i].bits && a[i].h != &floatHeader {
			continue
		}
		if !Equal(t, a[i], b[i]) {
			return false
		}
	}
	return true
}

// equalInOrder walks two sequences together until their elements differ.
func equalInOrder(t *Task, a, b Value) bool {
	i, j := t.Iter(a), t.Iter(b)
	for n := 0; ; n++ {
		x, more := i.Next()
		y, also := j.Next()
		if !more || !also {
			return more == also
		}
		if unlike(x, y) {
			return t.equalFrom(a, b, n)
		}
		if !Equal(t, x, y) {
			return false
		}
	}
}

// equalMaps looks the keys of a up in b, as clojure.lang.APersistentMap does. A sorted b throws for
// a key that it cannot compare with its own, unless a is sorted too.
func equalMaps(t *Task, a, b Value) bool {
	if MapCount(a) != MapCount(b) {
		return false
	}
	t.enter()
	same := sameEntries(t, a, b)
	t.leave()
	return same
}

func sameEntries(t *Task, a, b Value) bool {
	if a.h.kind == KindArrayMap {
		return sameSmallEntries(t, as[ArrayMap](a), b)
	}
	get := t.MapGet
	if a.h.kind == KindSortedMap && b.h.kind == KindSortedMap {
		if entriesInOrder(t, a, b) {
			return true
		}
		if as[SortedMap](b).Cmp.IsNil() {
			get = t.sortedGet
		}
	}
	for it := NewMapIter(a); it.Next(); {
		t.Work(1)
		v, ok := get(b, it.Key)
		if !ok || !Equal(t, it.Val, v) {
			return false
		}
	}
	return true
}

// sameSmallEntries looks the keys and values of a up in b.
func sameSmallEntries(t *Task, a *ArrayMap, b Value) bool {
	n := a.count()
	t.Work(int64(2 * n))
	for i := range n {
		k, x := a.entry(i)
		v, ok := t.MapGet(b, *k)
		if !ok || !Equal(t, *x, v) {
			return false
		}
	}
	return true
}

// equalSets looks the members of b up in a, as clojure.lang.APersistentSet does. A sorted a
// compares by its comparator, and so finds 1.0 for 1.
func equalSets(t *Task, a, b Value) bool {
	if setCount(a) != setCount(b) {
		return false
	}
	t.enter()
	same := sameMembers(t, a, b)
	t.leave()
	return same
}

func sameMembers(t *Task, a, b Value) bool {
	get := t.SetGet
	if a.h.kind == KindSortedSet {
		if b.h.kind == KindSortedSet && entriesInOrder(t, a, b) {
			return true
		}
		if as[SortedSet](a).Cmp.IsNil() {
			get = t.sortedGet
		}
	}
	for it := NewMapIter(b); it.Next(); {
		t.Work(1)
		if _, ok := get(a, it.Key); !ok {
			return false
		}
	}
	return true
}

// entriesInOrder reports whether two sorted maps or sets have equal entries in the same order,
// which needs no comparator.
func entriesInOrder(t *Task, a, b Value) bool {
	x, y := NewMapIter(a), NewMapIter(b)
	for x.Next() && y.Next() {
		t.Work(1)
		if !Equal(t, x.Key, y.Key) || !Equal(t, x.Val, y.Val) {
			return false
		}
	}
	return true
}

// sortedGet looks a key up in a collection sorted by Compare. A key that cannot be compared is
// missing, because Java catches the exception when it compares sorted collections.
func (t *Task) sortedGet(coll, k Value) (Value, bool) {
	low, high := 0, collCount(coll)
	for low < high {
		mid := int(uint(low+high) / 2)
		key, v := EntryAt(coll, mid)
		c, ok := order(t, k, key, false)
		switch {
		case !ok:
			return Nil, false
		case c == 0:
			return v, true
		case c < 0:
			high = mid
		default:
			low = mid + 1
		}
	}
	return Nil, false
}

func equalRecords(t *Task, a, b *Record) bool {
	if a.Type != b.Type {
		return false
	}
	t.enter()
	same := equalValues(t, a.Vals, b.Vals) && equalExt(t, a.Ext, b.Ext)
	t.leave()
	return same
}

// equalExt compares the entries that records have in addition to their fields. A nil map equals an
// empty one.
func equalExt(t *Task, a, b *Header) bool {
	if a == nil || b == nil {
		return (a == nil || MapCount(Of(a)) == 0) && (b == nil || MapCount(Of(b)) == 0)
	}
	return Equal(t, Of(a), Of(b))
}
