// This file defines the operations that call methods of many objects. Each asks the machine once, for a function of the
// prelude that does so for all of them, because a builtin runs again after each of its requests.

package value

var (
	methodGetKey   = ConstKeyword("getKey")
	methodGetValue = ConstKeyword("getValue")
)

// EntryPart returns the key or the value of an object whose type implements java.util.Map$Entry. ok is false for other
// values.
func (t *Task) EntryPart(v Value, mode SeqMode) (x Value, ok bool) {
	name := methodGetValue
	if mode == SeqKeys {
		name = methodGetKey
	}
	f := t.Method(v, name) // an interface of the program may have declared it
	if f.IsNil() || !t.declares(v, "java.util.Map$Entry", "clojure.lang.IMapEntry") {
		return Nil, false
	}
	return t.Host.Call(f, v), true
}

// PlainEntries returns the elements of a seqable value, with objects as entries of maps.
func (t *Task) PlainEntries(coll Value) Value { return t.Host.Futures().Library("%entries-of", coll) }

// LazyParts returns the lazy sequence of the keys or values of a seqable value, nil if it is empty. It asks for one
// entry at a time, like Clojure.
func (t *Task) LazyParts(coll Value, mode SeqMode) Value {
	name := "%vals-of"
	if mode == SeqKeys {
		name = "%keys-of"
	}
	return t.Host.Futures().Library(name, coll)
}

// entryOf returns the key and value of e, an entry that conj or conj! adds to a map.
func (t *Task) entryOf(who string, e Value) (key, val Value) {
	if e.Kind() == KindMapEntry {
		return e.AsEntry().Key, e.AsEntry().Val
	}
	key, ok := t.EntryPart(e, SeqKeys)
	if !ok {
		t.failCast(who, e, "java.util.Map$Entry")
	}
	val, _ = t.EntryPart(e, SeqVals)
	return key, val
}

// unlike reports whether the comparison of a and b calls a method of an object.
func unlike(a, b Value) bool {
	return (a.Kind() == KindObject || b.Kind() == KindObject) && a.h != b.h
}

// equalFrom compares two sequences from an index on.
func (t *Task) equalFrom(a, b Value, i int) bool {
	return t.Host.Futures().Library("%equal-from?", a, b, Int(int64(i))).Truthy()
}

// objects returns the sequence of v, an object, as cells. It asks for twice as many elements each time.
func (it *Iter) objects(v Value) Value {
	s := it.t.objectSeq(v)
	if s.Kind() != KindObject {
		return s
	}
	it.ahead = max(1, 2*min(it.ahead, maxPart))
	return it.t.Host.Futures().Library("%cells-of", s, Int(int64(it.ahead)))
}

// EachHash calls f with the hashes of the elements of a seqable value in order.
func (t *Task) EachHash(coll Value, f func(h int32)) {
	i, objects := 0, false
	t.Each(coll, func(x Value) bool {
		if objects = x.Kind() == KindObject; objects {
			return false
		}
		f(int32(Hash(t, x)))
		i++
		return true
	})
	if objects {
		t.Each(t.Host.Futures().Library("%hashes-from", coll, Int(int64(i))), func(h Value) bool {
			f(int32(h.AsInt()))
			return true
		})
	}
}
