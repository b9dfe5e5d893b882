// This file defines the collection operations of objects: their types implement the methods of
// Clojure's interfaces.

package value

// The methods of the interfaces of collections.
var (
	methodCons        = ConstKeyword("cons")
	methodAssoc       = ConstKeyword("assoc")
	methodWithout     = ConstKeyword("without")
	methodDisjoin     = ConstKeyword("disjoin")
	methodContainsKey = ConstKeyword("containsKey")
	methodContains    = ConstKeyword("contains")
	methodEntryAt     = ConstKeyword("entryAt")
	methodGet         = ConstKeyword("get")
	methodPeek        = ConstKeyword("peek")
	methodPop         = ConstKeyword("pop")
	methodEmpty       = ConstKeyword("empty")
	methodRSeq        = ConstKeyword("rseq")
	methodReduce      = ConstKeyword("reduce")
	methodCollReduce  = ConstKeyword("coll-reduce")
	methodIterator    = ConstKeyword("iterator")
	methodSize        = ConstKeyword("size")
	methodFirst       = ConstKeyword("first")
	methodMore        = ConstKeyword("more")
	methodNext        = ConstKeyword("next")
)

// collectFn adds to a vector the elements that an object reduces.
var collectFn = ConstNative(Native{Name: "conj", Min: 2, Max: 2, Fn: func(t *Task, args []Value) Value {
	if args[0].Kind() != KindVector {
		t.failCast("conj", args[0], "clojure.lang.IPersistentVector")
	}
	return t.vecConj(args[0].AsVector(), args[1])
}})

// InterfaceMethod returns the method of an interface that v, an object, implements, or nil if there
// is none. It ignores methods of protocols, whose names belong to the program.
func (t *Task) InterfaceMethod(v, name Value) Value {
	if v.Kind() != KindObject || v.AsObject().Type.own.IsNil() {
		return Nil
	}
	f, _ := t.MapGet(v.AsObject().Type.own, name)
	return f
}

// own calls the method of an interface. ok is false if v does not implement it.
func (t *Task) own(v, name Value, args ...Value) (x Value, ok bool) {
	f := t.InterfaceMethod(v, name)
	if f.IsNil() {
		return Nil, false
	}
	return t.Host.Call(f, append([]Value{v}, args...)...), true
}

// SeqView returns the result of the function seq for v: its sequence, or nil if it is empty. Unlike the result of Seq,
// which native loops walk, it may be an object whose type implements ISeq.
func (t *Task) SeqView(v Value) Value {
	if v.Kind() == KindObject {
		return t.objectSeq(v)
	}
	return t.Seq(v)
}

// ownSeq returns the sequence of s, the result of a method of v. It refuses an object that is no sequence, because
// that would be asked for its sequence in turn, without end if it returns itself.
func (t *Task) ownSeq(v, s Value) Value {
	if s.Kind() == KindObject {
		if t.InterfaceMethod(s, methodFirst).IsNil() {
			t.FailSeq(v)
		}
		return s
	}
	if s.Kind() == KindIterator {
		s = s.AsBox().Vals[0]
	}
	return t.Seq(s)
}

// objectContains reports whether an object has a key or member.
func (t *Task) objectContains(v, k Value) bool {
	has, ok := t.own(v, methodContainsKey, k)
	if !ok {
		has, ok = t.own(v, methodContains, k)
	}
	if !ok {
		t.failContains(v)
	}
	return has.Truthy()
}

// ObjectFind returns the entry of a key in an object. ok is false if the object has no entries.
func (t *Task) ObjectFind(v, k Value) (entry Value, ok bool) { return t.own(v, methodEntryAt, k) }

// ObjectNth returns the element of an object at an index, or notFound. ok is false if the object
// has no indices.
func (t *Task) ObjectNth(v, i, notFound Value) (x Value, ok bool) {
	return t.own(v, methodNth, i, notFound)
}

// cellOf returns a cell with the first element of s, a sequence, before its rest if s is an object. Otherwise it
// returns s.
func (t *Task) cellOf(s Value) Value {
	if s.Kind() != KindObject {
		return s
	}
	return t.Cons(t.viewFirst(s), t.viewRest(s))
}

// isSeq reports whether v is an object whose type implements ISeq.
func (t *Task) isSeq(v Value) bool {
	return v.Kind() == KindObject &&
		t.declares(v, "clojure.lang.ISeq", "clojure.lang.IndexedSeq", "clojure.lang.IChunkedSeq", "clojure.lang.ASeq")
}

// OwnNext returns the result of the method next of v, an object whose type implements ISeq. ok is false for other
// values. The method more is not called: its result may be a lazy sequence that calls next in turn.
func (t *Task) OwnNext(v Value) (next Value, ok bool) {
	if !t.isSeq(v) {
		return Nil, false
	}
	return t.own(v, methodNext)
}

// NextView returns the result of the function next for v: the result of its own method, or else the
// sequence of its rest.
func (t *Task) NextView(v Value) Value {
	if next, ok := t.OwnNext(v); ok {
		return next
	}
	return t.SeqView(t.Rest(v))
}

// viewFirst returns the first element of a sequence that SeqView returned.
func (t *Task) viewFirst(s Value) Value {
	if s.Kind() != KindObject {
		return t.First(s)
	}
	first, _ := t.own(s, methodFirst)
	return first
}

// viewRest returns the rest of s, an object whose type implements ISeq: the result of its method more, or else next.
func (t *Task) viewRest(s Value) Value {
	rest, ok := t.own(s, methodMore)
	if !ok {
		rest, _ = t.own(s, methodNext)
	}
	return rest
}
