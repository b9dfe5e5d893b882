// This file defines the operations that all kinds of maps support.

package value

// MapCount returns the number of entries of a map.
func MapCount(m Value) int {
	switch m.Kind() {
	case KindArrayMap:
		return as[ArrayMap](m).count()
	case KindHashMap:
		return int(as[HashMap](m).Count)
	case KindSortedMap:
		return int(as[SortedMap](m).Count)
	case KindRecord:
		return as[Record](m).count()
	}
	return 0
}

// entry returns the entry of a key as pointers to its key and value.
func (t *Task) entry(m, k Value) (key, val *Value) {
	var p *Value
	switch m.Kind() {
	case KindArrayMap:
		a := as[ArrayMap](m)
		i := a.find(t, k)
		switch {
		case i < 0:
			return nil, nil
		case a.shared():
			return a.entry(i - 1)
		}
		return &a.kv[i-1], &a.kv[i]
	case KindHashMap:
		p = as[HashMap](m).find(t, k)
	case KindSortedMap:
		p = as[SortedMap](m).find(t, k)
	case KindRecord:
		return as[Record](m).entry(t, k)
	}
	if p == nil {
		return nil, nil
	}
	return p, second(p)
}

// MapGet returns the value of a key in a map; nil is an empty map.
func (t *Task) MapGet(m, k Value) (Value, bool) {
	if m.h != nil && m.h.kind == KindArrayMap {
		a := as[ArrayMap](m)
		if i := a.find(t, k); i >= 0 {
			return a.kv[i], true
		}
		return Nil, false
	}
	if _, v := t.entry(m, k); v != nil {
		return *v, true
	}
	return Nil, false
}

// MapFind returns the entry of a key in a map: the key as stored in the map, and its value.
func (t *Task) MapFind(m, k Value) (key, val Value, ok bool) {
	if kp, v := t.entry(m, k); kp != nil {
		return *kp, *v, true
	}
	return Nil, Nil, false
}

// MapAssoc returns the map with the value of a key set; nil is an empty map.
func (t *Task) MapAssoc(m, k, v Value) Value {
	switch m.Kind() {
	case KindHashMap:
		return as[HashMap](m).assoc(t, k, v)
	case KindSortedMap:
		return as[SortedMap](m).assoc(t, k, v)
	case KindRecord:
		return as[Record](m).assoc(t, k, v)
	case KindNil:
		m = EmptyMap
	}
	return as[ArrayMap](m).assoc(t, k, v)
}

// MapDissoc returns the map without a key. nil stays nil.
func (t *Task) MapDissoc(m, k Value) Value {
	switch m.Kind() {
	case KindArrayMap:
		return as[ArrayMap](m).dissoc(t, k)
	case KindHashMap:
		return as[HashMap](m).dissoc(t, k)
	case KindSortedMap:
		return as[SortedMap](m).dissoc(t, k)
	case KindRecord:
		return as[Record](m).dissoc(t, k)
	case KindObject:
		rest, ok := t.own(m, methodWithout, k)
		if !ok {
			t.failCast("dissoc", m, "clojure.lang.IPersistentMap")
		}
		return rest
	}
	return m
}

// EntryAt returns the i-th entry of a map, or the i-th member of a set twice, in the order of seq.
// i must be in range.
func EntryAt(coll Value, i int) (k, v Value) {
	var p *Value
	switch coll.Kind() {
	case KindArrayMap:
		kp, vp := as[ArrayMap](coll).entry(i)
		return *kp, *vp
	case KindHashMap:
		m := as[HashMap](coll)
		if m.nilEntry != nil {
			if i == 0 {
				return Nil, m.nilEntry.Val
			}
			i--
		}
		p = m.root.entryAt(mapStride, i)
	case KindSortedMap:
		p = &as[SortedMap](coll).root.at(i).key
	case KindRecord:
		return as[Record](coll).entryAt(i)
	case KindHashSet:
		s := as[HashSet](coll)
		if s.hasNil {
			if i == 0 {
				return Nil, Nil
			}
			i--
		}
		x := *s.root.entryAt(setStride, i)
		return x, x
	case KindSortedSet:
		x := as[SortedSet](coll).root.at(i).key
		return x, x
	}
	return *p, *second(p)
}
