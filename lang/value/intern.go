// This file defines Interner, which makes equal keys and short strings of one input share one
// object, and lets records with the same keys share their keys.

package value

import (
	"strings"
)

// Interner remembers recent keys and short strings of an input. Records have the same keys, and
// many of their strings have few values: a department, a status, a day. One object for all of them
// takes less memory and is hashed once. Among strings with the same slot in the table, the last one
// is remembered. So the table stays small however large the input is, and the charges depend on the
// input only.
type Interner struct {
	t        *Task
	keywords bool
	keys     [internedKeys][keyWays]Value // a bucket for each hash
	copied   int
	texts    *[internedTexts]Value
	maps     int
	shapes   *[MaxRecord + 1][internedShapes]Shape // by the number of keys
}

const (
	internedKeys  = 64
	keyWays       = 2
	internedTexts = 256
	// maxInterned is the length of the longest string that is remembered. Longer ones are rarely
	// equal.
	maxInterned = 32
	// internedShapes is the number of remembered shapes for each number of keys.
	internedShapes = 2
	// internAfter is the number of strings, or maps, after which the interner starts to remember
	// them. A small input does not need the table.
	internAfter = 16
)

var (
	sizeTexts  = leafSize[[internedTexts]Value]()
	sizeShapes = leafSize[[MaxRecord + 1][internedShapes]Shape]()
)

// NewInterner returns an interner whose keys are keywords or strings. It returns a value, to avoid
// an allocation.
func NewInterner(t *Task, keywords bool) Interner { return Interner{t: t, keywords: keywords} }

// textHash returns a hash for the tables of an interner: FNV-1.
func textHash(s string) uint32 {
	h := uint32(len(s))
	for i := range len(s) {
		h = h*16777619 ^ uint32(s[i])
	}
	return h ^ h>>16
}

// Key returns the key for text, which it copies.
func (n *Interner) Key(text string) Value {
	row := &n.keys[textHash(text)%internedKeys]
	for _, k := range row {
		if n.isKey(k, text) {
			return k
		}
	}
	k := n.newKey(text)
	row[1], row[0] = row[0], k
	return k
}

func (n *Interner) newKey(text string) Value {
	if n.keywords {
		ns, name := SplitName(text)
		n.t.Charge(sizeKeywordOf(ns, name))
		return n.t.keyword(strings.Clone(ns), strings.Clone(name))
	}
	return n.t.CopyString(text)
}

func (n *Interner) isKey(v Value, text string) bool {
	switch {
	case v.IsString():
		return v.AsString().S == text
	case v.IsKeyword():
		k := v.AsKeyword()
		if k.NS == "" {
			return k.Name == text
		}
		return len(text) == len(k.NS)+1+len(k.Name) && text[:len(k.NS)] == k.NS && text[len(k.NS)+1:] == k.Name
	}
	return false
}

// String returns a string value for text, which it copies.
func (n *Interner) String(text string) Value {
	if len(text) > maxInterned {
		return n.t.CopyString(text)
	}
	if n.texts == nil {
		if n.copied++; n.copied <= internAfter {
			return n.t.CopyString(text)
		}
		n.t.Charge(sizeTexts)
		n.texts = new([internedTexts]Value)
	}
	slot := &n.texts[textHash(text)%internedTexts]
	if slot.h == nil || pointer[String](slot.h).S != text {
		*slot = n.t.CopyString(text)
	}
	return *slot
}

// Map makes a map of keys and values, as MapOf does. The keys must come from Key.
func (n *Interner) Map(kvs []Value) Value {
	size := len(kvs) / 2
	if n.maps++; n.maps <= internAfter || size == 0 || size > MaxRecord {
		return n.t.MapOf(kvs...)
	}
	if n.shapes == nil {
		n.t.Charge(sizeShapes)
		n.shapes = new([MaxRecord + 1][internedShapes]Shape)
	}
	known := &n.shapes[size]
	var vals [MaxRecord]Value
	for i := range known {
		if known[i].fits(kvs) {
			for j := range size {
				vals[j] = kvs[2*j+1]
			}
			return known[i].Map(n.t, vals[:size])
		}
	}
	m := n.t.MapOf(kvs...)
	if MapCount(m) == size {
		known[1] = known[0]
		known[0] = Shape{used: true}
		for j := range size {
			known[0].keys[j] = kvs[2*j]
		}
	}
	return m
}

// Shape holds the keys, distinct and at most MaxRecord, of a possibly large number of maps. The
// first of these maps has its own keys; the others share a chunk.
type Shape struct {
	keys  [MaxRecord]Value
	used  bool
	chunk *Chunk // nil before the second map
}

// NewShape returns the shape of keys.
func NewShape(keys []Value) Shape {
	var s Shape
	copy(s.keys[:], keys)
	return s
}

// fits reports whether the keys of kvs are those of s: the same objects in the same order. No key
// may be nil.
func (s *Shape) fits(kvs []Value) bool {
	for i := 0; i < len(kvs); i += 2 {
		if s.keys[i/2].h != kvs[i].h {
			return false
		}
	}
	return true
}

// Map makes a map of values for all keys of s.
func (s *Shape) Map(t *Task, vals []Value) Value {
	if !s.used && len(vals) > 0 {
		s.used = true
		m := t.arrayMap(2*len(vals), nil)
		for i, v := range vals {
			m.kv[2*i], m.kv[2*i+1] = s.keys[i], v
		}
		return Value{h: &m.Header}
	}
	if s.chunk == nil {
		keys := t.Vals(len(vals))
		copy(keys, s.keys[:])
		s.chunk = t.Chunk(keys)
	}
	return t.RecordMap(s.chunk, vals)
}
