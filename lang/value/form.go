// This file defines the operations on forms that the compiler needs, and converts exceptions to
// errors.

package value

import (
	"iter"

	"github.com/ptc-lang/ptc/lang/diag"
)

// RealisedItems returns the elements of a sequence, all of which must be realised: a form that was
// read, or built by a macro. ok is false if a part is not realised.
func RealisedItems(form Value) (items []Value, ok bool) {
	for {
		switch form.Kind() {
		case KindNil:
			return items, true
		case KindList, KindCons:
			c := form.AsCons()
			if c.kind == KindList && c.Count == 0 {
				return items, true
			}
			items = append(items, c.First)
			form = Of(c.Rest)
		case KindChunkedCons:
			c := form.AsChunkedCons()
			items = append(items, c.Chunk.Vals[c.Off:c.End]...)
			form = Of(c.Rest)
		case KindLazy:
			if form.AsLazy().Fn != nil {
				return items, false
			}
			form = Of(form.AsLazy().Seq)
		case KindVecSeq:
			s := form.AsVecSeq()
			for i := int(s.Index); i >= 0 && i < int(s.Vec.Count); i += int(s.Step) {
				items = append(items, VecNth(s.Vec, i))
			}
			return items, true
		case KindMapSeq:
			s := form.AsMapSeq()
			coll := Of(s.Coll)
			if s.Mode == SeqEntries && !coll.Is(Sets) {
				return items, false // of entries, which only a task makes
			}
			for i := int(s.Index); i < collCount(coll); i++ {
				items = append(items, mapSeqPart(s, coll, i))
			}
			return items, true
		default:
			return items, false
		}
	}
}

// mapSeqPart returns the i-th key or value of a collection, in the direction of a sequence of them.
func mapSeqPart(s *MapSeq, coll Value, i int) Value {
	if s.Desc {
		i = collCount(coll) - 1 - i
	}
	k, v := EntryAt(coll, i)
	if s.Mode == SeqVals {
		return v
	}
	return k
}

// Items returns the elements of a vector or set form.
func Items(form Value) []Value {
	switch form.Kind() {
	case KindVector:
		v := form.AsVector()
		items := make([]Value, 0, v.Count)
		for i := range int(v.Count) {
			items = append(items, VecNth(v, i))
		}
		return items
	case KindMapEntry:
		return []Value{form.AsEntry().Key, form.AsEntry().Val}
	case KindHashSet, KindSortedSet:
		var items []Value
		for it := NewMapIter(form); it.Next(); {
			items = append(items, it.Key)
		}
		return items
	}
	items, _ := RealisedItems(form)
	return items
}

// FormItems returns the elements of a vector or list form.
func FormItems(form Value) ([]Value, bool) {
	if form.Is(Vectors) {
		return Items(form), true
	}
	return RealisedItems(form)
}

// Leaves returns the elements of a collection form; for a map, its keys and values.
func Leaves(form Value) iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if form.Is(Maps) {
			for it := NewMapIter(form); it.Next(); {
				if !yield(it.Key) || !yield(it.Val) {
					return
				}
			}
			return
		}
		for _, x := range Items(form) {
			if !yield(x) {
				return
			}
		}
	}
}

// GetName returns the value of the keyword name in a map form, or nil if it is missing.
func GetName(m Value, name string) Value {
	for it := NewMapIter(m); it.Next(); {
		if it.Key.IsKeyword() && it.Key.AsKeyword().Name == name && it.Key.AsKeyword().NS == "" {
			return it.Val
		}
	}
	return Nil
}

// Var returns a new var with metadata, a map or nil. index is that of its global, or -1 for a
// builtin with the value root.
func (t *Task) Var(sym Value, index int32, root, meta Value) Value {
	t.Charge(sizeVar)
	return Value{h: &(&Var{Header: t.header(KindVar), Sym: sym.AsSymbol(), Index: index, Root: root, Meta: meta.h}).Header}
}

// maxCauses bounds the chain of causes that an error keeps.
const maxCauses = 20

// ErrorOf converts an exception to an error.
func ErrorOf(t *Task, e *Exception) *diag.Error {
	return errorOf(t, e, maxCauses)
}

func errorOf(t *Task, e *Exception, causes int) *diag.Error {
	err := &diag.Error{Code: e.Code, Class: e.Class, Span: e.Span, Hint: e.Hint}
	if e.Way != nil {
		err.Frames, err.Elements, err.Err = e.Way.Frames, e.Way.Elements, e.Way.Err
	}
	if e.Msg.IsString() {
		err.Message = e.Msg.AsString().S
	}
	if !e.Data.IsNil() {
		err.Data = Show(t, e.Data)
	}
	if e.Cause.Kind() == KindException && causes > 0 {
		err.Cause = errorOf(t, e.Cause.AsException(), causes-1)
	}
	return err
}

// Holders are the kinds that print the value they hold.
var Holders = Kinds(KindAtom, KindRef, KindFuture, KindVolatile, KindDelay, KindReduced, KindException)

// Realise computes every lazy part of v, and of the values printed with it.
func Realise(t *Task, v Value) { realise(t, v, false) }

// RealiseForm computes every lazy part of a form, and of its metadata: the compiler reads both.
func RealiseForm(t *Task, form Value) { realise(t, form, true) }

func realise(t *Task, v Value, form bool) {
	if form && v.Is(Colls|Kinds(KindSymbol)) {
		realise(t, MetaOf(v), true)
	}
	if !v.Is(Colls | Holders) {
		return
	}
	t.enter()
	defer t.leave()
	for v.Kind() == KindException { // a chain of causes may be long
		t.Work(1)
		realise(t, v.AsException().Data, form)
		v = v.AsException().Cause
	}
	if v.IsNil() {
		return
	}
	if v.Is(Holders) {
		realise(t, held(t, v), form)
		return
	}
	if v.Is(Maps) {
		for it := NewMapIter(v); it.Next(); {
			realise(t, it.Key, form)
			realise(t, it.Val, form)
		}
		return
	}
	if v.Kind() == KindRange || v.Kind() == KindStrSeq {
		return
	}
	for it := t.Iter(v); ; {
		x, ok := it.Next()
		if !ok {
			return
		}
		t.Work(1)
		realise(t, x, form)
	}
}

// held returns the value that a cell holds.
func held(t *Task, v Value) Value {
	switch v.Kind() {
	case KindAtom:
		return v.AsAtom().Val
	case KindRef:
		return t.RefValue(v)
	case KindFuture:
		_, x := t.futureStatus(v)
		return x
	case KindVolatile:
		return v.AsVolatile().Val
	case KindReduced:
		return v.AsReduced().Val
	}
	if d := v.AsDelay(); d.Fail.IsNil() {
		return d.Val
	} else {
		return d.Fail
	}
}

// Size counts the elements of realised nested data, including the data itself.
func Size(t *Task, v Value) int {
	if !v.Is(Colls) {
		return 1
	}
	t.enter()
	n := 1
	if v.Is(Maps) {
		for it := NewMapIter(v); it.Next(); {
			n += Size(t, it.Key) + Size(t, it.Val)
		}
	} else {
		t.Each(v, func(x Value) bool {
			n += Size(t, x)
			return true
		})
	}
	t.leave()
	return n
}
