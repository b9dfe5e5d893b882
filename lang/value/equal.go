// This file defines Equal, Clojure's =.

package value

// Equal says whether a and b are =: numbers of one category and value,
// sequential collections of equal elements in order, maps of equal entries, sets
// of equal members, records of one type, names and texts that are spelled alike.
// Everything else is equal to itself only.
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
	switch a.h.kind {
	case KindKeyword:
		return a.bits == b.bits && b.h.kind == KindKeyword && equalKeywords(a.AsKeyword(), b.AsKeyword())
	case KindString:
		return b.h.kind == KindString && equalStrings(t, a.AsString().S, b.AsString().S)
	case KindBool, KindChar:
		return false // equal ones have the same header
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
	case KindTagged:
		return b.h.kind == KindTagged && equalTagged(t, a.AsTagged(), b.AsTagged())
	}
	return a.Is(sequential) && b.Is(sequential) && equalSequences(t, a, b)
}

func equalKeywords(a, b *Keyword) bool { return a.Name == b.Name && a.NS == b.NS }

func equalStrings(t *Task, a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	t.Work(int64(len(a) >> 8))
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
	for i := 0; i < n; i++ {
		t.Work(1)
		if !Equal(t, VecAt(a, i), VecAt(b, i)) {
			return false
		}
	}
	return true
}

// equalInOrder walks two sequences together as far as they are equal.
func equalInOrder(t *Task, a, b Value) bool {
	i, j := t.Iter(a), t.Iter(b)
	for {
		x, more := i.Next()
		y, also := j.Next()
		if !more || !also {
			return more == also
		}
		if !Equal(t, x, y) {
			return false
		}
	}
}

// equalMaps looks the keys of a up in b, as clojure.lang.APersistentMap does: a
// sorted b throws for a key that it cannot compare with its own.
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
	if a.h.kind == KindSortedMap && b.h.kind == KindSortedMap && entriesInOrder(t, a, b) {
		return true
	}
	for it := NewMapIter(a); it.Next(); {
		t.Work(1)
		v, ok := t.MapGet(b, it.Key)
		if !ok || !Equal(t, it.Val, v) {
			return false
		}
	}
	return true
}

// entriesInOrder says whether two sorted maps or sets have equal entries in the
// same order, which needs no comparator.
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

// equalSets looks the members of b up in a, as clojure.lang.APersistentSet does:
// a sorted a compares by its comparator, and so finds 1.0 for 1.
func equalSets(t *Task, a, b Value) bool {
	if SetCount(a) != SetCount(b) {
		return false
	}
	t.enter()
	same := sameMembers(t, a, b)
	t.leave()
	return same
}

func sameMembers(t *Task, a, b Value) bool {
	if a.h.kind == KindSortedSet && b.h.kind == KindSortedSet && entriesInOrder(t, a, b) {
		return true
	}
	for it := NewMapIter(b); it.Next(); {
		t.Work(1)
		if _, ok := t.SetGet(a, it.Key); !ok {
			return false
		}
	}
	return true
}

func equalRecords(t *Task, a, b *Record) bool {
	if a.Type != b.Type {
		return false
	}
	t.enter()
	same := equalFields(t, a.Vals, b.Vals) && equalExt(t, a.Ext, b.Ext)
	t.leave()
	return same
}

func equalFields(t *Task, a, b []Value) bool {
	for i := range a {
		if !Equal(t, a[i], b[i]) {
			return false
		}
	}
	return true
}

// equalExt compares the entries that records have beside their fields; no map is
// an empty one.
func equalExt(t *Task, a, b *Header) bool {
	if a == nil || b == nil {
		return (a == nil || MapCount(Of(a)) == 0) && (b == nil || MapCount(Of(b)) == 0)
	}
	return Equal(t, Of(a), Of(b))
}
