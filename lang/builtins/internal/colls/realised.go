// This file defines the natives that the prelude uses for realised collections, which are in memory as a
// whole.

package colls

import (
	"github.com/ptc-lang/ptc/lang/builtins/internal/strs"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

var heldNatives = []entry.Entry{
	{NS: "clojure.core", Name: "%held?", Args: "x", Private: true, Cost: entry.Constant, Fn: isHeld,
		Doc: "Returns true if a short look at x finds no lazy sequence, so that a native may walk all of it."},
	{NS: "clojure.core", Name: "%bulk?", Args: "to from", Private: true, Cost: entry.Constant, Fn: isBulk,
		Doc: "Returns true if %into may add from to to: it is held, and no comparator of the program has to be called."},
	{NS: "clojure.core", Name: "%editable?", Args: "x", Private: true, Cost: entry.Constant, Fn: isEditable,
		Doc: "Returns true if x has a transient form."},
	{NS: "clojure.core", Name: "%sorted-into", Args: "coll sorted", Private: true, Cost: entry.PerElement, Fn: sortedInto,
		Doc: "Returns the sorted elements of coll. An array is sorted in place."},
	{NS: "clojure.core", Name: "%like", Args: "coll x", Private: true, Cost: entry.PerElement, Fn: likeColl,
		Doc: "x with the metadata of coll."},
	{NS: "clojure.core", Name: "%count", Args: "coll", Private: true, Cost: entry.PerElement, Fn: countHeld,
		Doc: "Returns the count of a realised collection, else nil."},
	{NS: "clojure.core", Name: "%last", Args: "coll:seqable", Private: true, Cost: entry.PerElement, Fn: lastHeld,
		Doc: "Returns the last element of a realised collection."},
	{NS: "clojure.core", Name: "%nth", Args: "coll i | coll i not-found", Private: true, Cost: entry.PerElement,
		Fn:  nthHeld,
		Doc: "Returns the i-th element of a realised collection."},
	{NS: "clojure.core", Name: "%out-of-range", Args: "i", Private: true, Cost: entry.Constant, Fn: failRange,
		Doc: "Fails because a sequence has no i-th element."},
	{NS: "clojure.core", Name: "%vec", Args: "coll", Private: true, Cost: entry.PerElement, Fn: vecHeld,
		Doc: "Returns a vector of the elements of a realised collection."},
	{NS: "clojure.core", Name: "%set", Args: "coll:seqable", Private: true, Cost: entry.PerElement, Fn: setHeld,
		Doc: "Returns a set of the elements of a realised collection."},
	{NS: "clojure.core", Name: "%into", Args: "to from", Private: true, Cost: entry.PerElement, Fn: intoHeld,
		Doc: "Returns the collection to with the elements of from, which is realised, added."},
	{NS: "clojure.core", Name: "%zipmap", Args: "keys:seqable vals:seqable", Private: true, Cost: entry.PerElement,
		Fn:  zipHeld,
		Doc: "Returns a map of keys to vals, which are realised."},
	{NS: "clojure.core", Name: "%frequencies", Args: "coll:seqable", Private: true, Cost: entry.PerElement,
		Fn:  frequenciesHeld,
		Doc: "Returns a map from each element of a realised collection to the number of times it occurs."},
	{NS: "clojure.core", Name: "%count!", Args: "m:transient x", Private: true, Cost: entry.Constant, Fn: countBang,
		Doc: "Adds 1 to the number of x in a transient map. Returns the map."},
	{NS: "clojure.core", Name: "%group!", Args: "m:transient k x", Private: true, Cost: entry.Constant, Fn: groupBang,
		Doc: "Appends x to the transient vector of k in a transient map. Returns the map."},
	{NS: "clojure.core", Name: "%groups", Args: "m:map", Private: true, Cost: entry.PerElement, Fn: groups,
		Doc: "Returns a map whose values are transient vectors with the vectors made persistent."},
}

// maxLook is the maximum number of parts of a sequence that held inspects.
const maxLook = 4

// held reports whether the first maxLook parts of a value contain no lazy sequence.
func held(t *value.Task, v value.Value) bool {
	for range maxLook {
		switch v.Kind() {
		case value.KindLazy:
			l := t.LocalCopy(v.AsLazy())
			if l.Fn != nil {
				return false
			}
			v = value.Of(l.Seq)
		case value.KindCons:
			v = value.Of(v.AsCons().Rest)
		case value.KindChunkedCons:
			v = value.Of(v.AsChunkedCons().Rest)
		default:
			return true
		}
	}
	return false
}

func wantSeqable(t *value.Task, v value.Value) {
	if !v.Is(value.Seqables) {
		t.FailSeq(v)
	}
}

func isHeld(t *value.Task, args []value.Value) value.Value { return value.Bool(held(t, args[0])) }

func isBulk(t *value.Task, args []value.Value) value.Value {
	return value.Bool(held(t, args[1]) && !args[0].Is(SortedKinds))
}

// SortedKinds are the kinds of sorted collections.
var SortedKinds = value.Kinds(value.KindSortedMap, value.KindSortedSet)

func isEditable(_ *value.Task, args []value.Value) value.Value {
	return value.Bool(args[0].Is(editable))
}

func likeColl(t *value.Task, args []value.Value) value.Value {
	return withMetaOf(t, args[0], args[1])
}

// sortedInto puts the sorted elements of an array of objects into it, as Clojure sorts it in place,
// and returns them; for other collections it returns them with the metadata.
func sortedInto(t *value.Task, args []value.Value) value.Value {
	if args[0].Kind() != value.KindArray || args[0].AsArray().Elem.Primitive() {
		return withMetaOf(t, args[0], args[1])
	}
	t.Owns(args[0], "array")
	row, a := t.BlocksOf(args[1]), args[0].AsArray()
	a.Move(t, 0, &row, 0, min(a.Len(), row.Len()))
	return args[1]
}

func countHeld(t *value.Task, args []value.Value) value.Value {
	if !held(t, args[0]) {
		return value.Nil
	}
	return value.Int(int64(t.Count(args[0])))
}

func lastHeld(t *value.Task, args []value.Value) value.Value {
	coll := args[0]
	if coll.Is(value.Vectors | value.Kinds(value.KindRange, value.KindVecSeq)) {
		x, _ := t.Nth(coll, t.Count(coll)-1)
		return x
	}
	last := value.Nil
	t.Each(coll, func(x value.Value) bool {
		last = x
		return true
	})
	return last
}

func nthHeld(t *value.Task, args []value.Value) value.Value {
	i := value.ToInt(t, args[1])
	if len(args) == 3 {
		if x, ok := t.ObjectNth(args[0], value.Int(i), args[2]); ok {
			return x
		}
		if args[0].Kind() == value.KindMatcher && !strs.HasGroup(args[0], i) {
			return args[2]
		}
		if i < 0 { // of anything, as in Clojure
			return args[2]
		}
	}
	x, ok := t.Nth(args[0], int(i))
	switch {
	case ok:
		return x
	case len(args) == 3:
		return args[2]
	case args[0].IsNil():
		return value.Nil
	}
	if args[0].IsString() || args[0].Kind() == value.KindBuilder {
		e := t.NewException(diag.OutOfRange, "String index out of range: "+value.Show(t, args[1]))
		e.Class = "java.lang.StringIndexOutOfBoundsException"
		t.Throw(e)
	}
	return failRange(t, args[1:])
}

func failRange(t *value.Task, args []value.Value) value.Value {
	t.FailHint(diag.OutOfRange, "pass a third argument to nth as the value for a missing element",
		"nth: index %s is out of range", value.Show(t, args[0]))
	return value.Nil
}

func vecHeld(t *value.Task, args []value.Value) value.Value {
	coll := args[0]
	switch {
	case coll.Kind() == value.KindVector:
		if value.MetaOf(coll).IsNil() {
			return coll
		}
		return value.WithMeta(t, coll, value.Nil)
	case coll.Kind() == value.KindMapEntry:
		return coll
	case !coll.Is(value.Seqables):
		e := t.NewException(diag.IllegalArgument, "Unable to convert: class "+value.ClassName(coll)+" to Object[]")
		e.Class, e.Hint = "java.lang.RuntimeException", value.SeqHint(t, coll)
		t.Throw(e)
	}
	return vectorOf(t, coll)
}

// vectorOf returns the elements of a seqable value as a vector.
func vectorOf(t *value.Task, coll value.Value) value.Value {
	coll = t.Elements(coll)
	it := t.Iter(coll)
	return t.VectorOf(t.Count(coll), func(block []value.Value, _ int) {
		for i := range block {
			block[i], _ = it.Next()
		}
	})
}

func setHeld(t *value.Task, args []value.Value) value.Value {
	coll := args[0]
	if coll.Is(value.Sets) {
		if value.MetaOf(coll).IsNil() {
			return coll
		}
		return value.WithMeta(t, coll, value.Nil)
	}
	return addTo(t, t.Transient(value.EmptySet), coll)
}

// addTo adds the elements of coll to a transient and makes it persistent.
func addTo(t *value.Task, tr, coll value.Value) value.Value {
	t.Each(coll, func(x value.Value) bool {
		t.TConj(tr, x)
		return true
	})
	return t.Persistent(tr)
}

func intoHeld(t *value.Task, args []value.Value) value.Value {
	to, from := args[0], args[1]
	if to.Is(editable) {
		return withMetaOf(t, to, addTo(t, t.Transient(to), from))
	}
	t.Each(from, func(x value.Value) bool {
		to = t.Conj(to, x)
		return true
	})
	return to
}

func zipHeld(t *value.Task, args []value.Value) value.Value {
	tm := t.Transient(value.EmptyMap)
	ks, vs := t.Iter(args[0]), t.Iter(args[1])
	for {
		k, ok := ks.Next()
		if !ok {
			break
		}
		v, ok := vs.Next()
		if !ok {
			break
		}
		t.TAssoc(tm, k, v)
	}
	return t.Persistent(tm)
}

func frequenciesHeld(t *value.Task, args []value.Value) value.Value {
	tm := t.Transient(value.EmptyMap)
	t.Each(args[0], func(x value.Value) bool {
		addOne(t, tm, x)
		return true
	})
	return t.Persistent(tm)
}

func addOne(t *value.Task, tm, x value.Value) {
	n, ok := t.TGet(tm, x)
	if !ok {
		n = value.Int(0)
	}
	t.TAssoc(tm, x, value.Int(n.AsInt()+1))
}

func countBang(t *value.Task, args []value.Value) value.Value {
	addOne(t, args[0], args[1])
	return args[0]
}

func groupBang(t *value.Task, args []value.Value) value.Value {
	group, ok := t.TGet(args[0], args[1])
	if ok {
		t.TConj(group, args[2])
		return args[0]
	}
	group = t.Transient(value.EmptyVector)
	t.TConj(group, args[2])
	return t.TAssoc(args[0], args[1], group)
}

func groups(t *value.Task, args []value.Value) value.Value {
	tm := t.Transient(args[0])
	t.Work(int64(value.MapCount(args[0])))
	for it := value.NewMapIter(args[0]); it.Next(); {
		t.TAssoc(tm, it.Key, t.Built(it.Val))
	}
	return t.Persistent(tm)
}
