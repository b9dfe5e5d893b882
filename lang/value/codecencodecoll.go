// This file defines how Encoder writes collections.

package value

import (
	"strconv"
	"strings"

	"github.com/ptc-lang/ptc/runtime/limits"
)

// vector writes a vector. The offset of a subvec within its first block of 32 values is visible in
// the chunks of its sequence.
func (e *Encoder) vector(v Value) error {
	if err := e.meta(v); err != nil {
		return err
	}
	w := v.AsVector()
	if skip := int(w.start) & vecMask; skip > 0 && w.Count > 0 {
		e.tag(tagSubvec)
		e.uint(skip)
	} else {
		e.tag(tagVector)
	}
	return e.part(w, 0, int(w.Count))
}

// part writes the number of values of a vector from index i up to end, and the values.
func (e *Encoder) part(w *Vector, i, end int) error {
	from := i
	e.uint(end - from)
	for i < end {
		vals, first := w.chunkFor(i)
		for ; i < min(first+len(vals), end); i++ {
			if err := e.element(vals[i-first], i-from); err != nil {
				return err
			}
		}
	}
	return nil
}

// step returns the step of a path to the value of a key.
func step(k Value) string {
	const most = 40
	switch k.Kind() {
	case KindKeyword:
		s := k.AsKeyword()
		if s.NS != "" {
			return ":" + clip(s.NS) + "/" + clip(s.Name)
		}
		return ":" + clip(s.Name)
	case KindString:
		s := k.AsString().S
		if len(s) > most {
			s = strings.ToValidUTF8(s[:most], "") + "…"
		}
		return strconv.Quote(s)
	case KindInt:
		return strconv.FormatInt(k.AsInt(), 10)
	}
	return "a " + KindName(k.Kind())
}

// key writes a key of a map or a member of a set.
func (e *Encoder) key(k Value, what string) error {
	if err := e.value(k); err != nil {
		return at(err, func() string { return what })
	}
	return nil
}

// mapping writes a map or a record.
func (e *Encoder) mapping(v Value) error {
	if err := e.meta(v); err != nil {
		return err
	}
	return e.entries(v)
}

// entries writes a map or a record without its metadata.
func (e *Encoder) entries(v Value) error {
	switch v.Kind() {
	case KindArrayMap:
		if done, err := e.shaped(as[ArrayMap](v)); done {
			return err
		}
		e.tag(tagArrayMap)
	case KindHashMap:
		e.tag(tagHashMap)
	case KindRecord:
		return e.record(v.AsRecord())
	default:
		if as[SortedMap](v).Cmp.h != nil {
			return &Refused{Kind: "sorted map with its own comparator"}
		}
		e.tag(tagSortedMap)
		e.sorted++
		defer func() { e.sorted-- }()
	}
	e.uint(MapCount(v))
	for it := NewMapIter(v); it.Next(); {
		if err := e.key(it.Key, "a key"); err != nil {
			return err
		}
		if err := e.mapValue(v, it); err != nil {
			return err
		}
	}
	return nil
}

// mapValue writes the value of an entry. The values of a sorted map need no order.
func (e *Encoder) mapValue(m Value, it *MapIter) error {
	sorted := e.sorted
	if m.h.kind == KindSortedMap {
		e.sorted = 0
	}
	err := e.value(it.Val)
	e.sorted = sorted
	return at(err, func() string { return step(it.Key) })
}

// shaped writes an array map of up to 8 keywords as its keys, or their number if another map had
// them, and its values. done is false for other maps.
func (e *Encoder) shaped(m *ArrayMap) (done bool, err error) {
	n := m.count()
	if n == 0 || n > maxArray {
		return false, nil
	}
	for i := range n {
		if k, _ := m.entry(i); !k.IsKeyword() {
			return false, nil
		}
	}
	e.tag(tagShape)
	if err = e.shape(m, n); err != nil {
		return true, err
	}
	for i := range n {
		k, x := m.entry(i)
		if err = e.value(*x); err != nil {
			return true, at(err, func() string { return step(*k) })
		}
	}
	return true, nil
}

func (e *Encoder) shape(m *ArrayMap, n int) error {
	var keys [maxArray]int
	known := true
	for i := range n {
		k, _ := m.entry(i)
		w := k.AsKeyword()
		keys[i] = e.names.find(w.NS, w.Name, w.hash-keywordHash)
		known = known && keys[i] >= 0
	}
	var buf [4 * maxArray]byte
	if known {
		name := shapeName(&buf, keys[:n])
		if i := e.shapes.find("", name, textHash(name)); i >= 0 {
			e.uint(i + 1)
			return nil
		}
	}
	e.uint(0)
	e.uint(n)
	for i := range n {
		k, _ := m.entry(i)
		w := k.AsKeyword()
		var err error
		if keys[i], err = e.name(w.NS, w.Name, w.hash-keywordHash); err != nil {
			return err
		}
	}
	name := shapeName(&buf, keys[:n])
	e.charge(limits.BytesSize(len(name)))
	e.shapes.add("", strings.Clone(name), textHash(name), e.charge)
	return nil
}

// record writes a record: its type, its fields and its further entries.
func (e *Encoder) record(r *Record) error {
	if e.sorted > 0 {
		return &Refused{Kind: "record among the keys of a sorted collection"}
	}
	if e.Names.record(r.Type.Name) != r.Type {
		return &Refused{Kind: "record of a type that has no name here: " + clip(r.Type.Name)}
	}
	e.tag(tagRecord)
	if err := e.word(r.Type.Name); err != nil {
		return err
	}
	e.uint(len(r.Vals))
	for i, x := range r.Vals {
		if err := e.value(x); err != nil {
			return at(err, func() string { return step(r.Type.Fields[i]) })
		}
	}
	return e.value(Of(r.Ext))
}

// set writes a set.
func (e *Encoder) set(v Value) error {
	if err := e.meta(v); err != nil {
		return err
	}
	return e.members(v)
}

// members writes a set without its metadata.
func (e *Encoder) members(v Value) error {
	if v.h.kind == KindHashSet {
		e.tag(tagHashSet)
	} else {
		if as[SortedSet](v).Cmp.h != nil {
			return &Refused{Kind: "sorted set with its own comparator"}
		}
		e.tag(tagSortedSet)
		e.sorted++
		defer func() { e.sorted-- }()
	}
	e.uint(setCount(v))
	for it := NewMapIter(v); it.Next(); {
		if err := e.key(it.Key, "a member"); err != nil {
			return err
		}
	}
	return nil
}
