// This file defines how Decoder reads collections. A collection is built in the shape
// that the order of its encoded elements determines, so every process makes the same objects.

package value

import (
	"strings"

	"github.com/ptc-lang/ptc/runtime/limits"
)

// collection reads a vector, a map or a set.
func (d *Decoder) collection(tag codecTag) Value {
	switch tag {
	case tagVector:
		return d.vector(0)
	case tagSubvec:
		skip := d.uint(vecMask)
		if skip == 0 {
			d.fail("subvec without an offset")
		}
		return d.vector(skip)
	case tagEntry:
		if !d.promise(2) {
			return Nil
		}
		k := d.value()
		return d.t.Entry(k, d.value())
	case tagArrayMap:
		return d.arrayMap()
	case tagShape:
		return d.shaped()
	case tagHashMap:
		return d.hashMap()
	case tagHashSet:
		return d.hashSet()
	case tagRecord:
		return d.record()
	}
	return d.sortedColl(tag == tagSortedMap)
}

// vector reads a vector whose values begin skip places after the start of a block.
func (d *Decoder) vector(skip int) Value {
	n := d.count(1)
	if skip > 0 && n == 0 {
		d.fail("subvec without values")
	}
	if d.err != nil {
		return Nil
	}
	fill := func(block []Value, from int) {
		for i := range block {
			if from+i >= skip {
				block[i] = d.value()
			}
		}
	}
	if skip == 0 {
		return d.t.VectorOf(n, fill)
	}
	var v Value
	if n+skip <= vecWidth {
		vals := d.t.Vals(n + skip)
		fill(vals, 0)
		v = d.t.vectorOfChunk(d.t.Chunk(vals))
	} else {
		v = d.t.bigVector(n+skip, fill)
	}
	v.AsVector().start, v.AsVector().Count = int32(skip), int32(n)
	return v
}

// arrayMap reads an array map that is not shaped.
func (d *Decoder) arrayMap() Value {
	n := d.count(2)
	if 2*n > BlockVals {
		d.fail("%d entries, want at most %d in an array map", n, BlockVals/2)
	}
	if d.err != nil || n == 0 {
		return EmptyMap
	}
	m := d.t.arrayMap(2*n, nil)
	others := n > maxArray
	for i := range m.kv {
		m.kv[i] = d.value()
		others = others || i%2 == 0 && !m.kv[i].IsKeyword()
	}
	if d.err != nil {
		return Nil
	}
	if !others {
		d.fail("map of keywords is not canonical")
	}
	if n <= maxArray {
		for i := 2; i < 2*n; i += 2 {
			if indexOf(d.t, m.kv[:i], m.kv[i]) >= 0 {
				d.fail("duplicate key")
			}
		}
		return Value{h: &m.Header}
	}
	seen := trieBuilder{nodeEdit: nodeEdit{t: d.t, edit: d.t.editToken(), stride: setStride}}
	nils := 0
	for i := 0; i < 2*n; i += 2 {
		if d.t.Work(1); m.kv[i].h == nil {
			nils++
		}
		if nils > 1 || m.kv[i].h != nil && !seen.add(m.kv[i], Nil) {
			d.fail("duplicate key")
		}
	}
	return Value{h: &m.Header}
}

// shaped reads an array map of up to 8 keywords. Maps with the same keys share them.
func (d *Decoder) shaped() Value {
	i := d.uint(len(d.keys))
	if i == 0 {
		i = d.newShape()
	}
	if d.err != nil {
		return Nil
	}
	n := len(d.shapes.list[i-1].name) / 4
	if !d.promise(n) {
		return Nil
	}
	var vals [maxArray]Value
	for j := range n {
		vals[j] = d.value()
	}
	if d.err != nil {
		return Nil
	}
	return d.keys[i-1].Map(d.t, vals[:n])
}

// newShape reads the keys of a map and returns the number of their shape.
func (d *Decoder) newShape() int {
	n := d.uint(maxArray)
	if n == 0 {
		d.fail("map without keys is not canonical")
	}
	var keys [maxArray]Value
	var numbers [maxArray]int
	for i := range n {
		numbers[i] = d.name()
		if d.err != nil {
			return 0
		}
		keys[i] = d.keywordAt(numbers[i])
		for _, before := range numbers[:i] {
			if before == numbers[i] {
				d.fail("duplicate key")
			}
		}
	}
	var buf [4 * maxArray]byte
	name := shapeName(&buf, numbers[:n])
	if d.err != nil || d.shapes.find("", name, textHash(name)) >= 0 {
		d.fail("keys written twice")
		return 0
	}
	d.charge(limits.BytesSize(len(name)))
	d.shapes.add("", strings.Clone(name), textHash(name), d.charge)
	if len(d.keys) == cap(d.keys) {
		size := max(2*cap(d.keys), 1)
		d.charge(int64(size) * leafSize[Shape]())
		known := make([]Shape, len(d.keys), size)
		copy(known, d.keys)
		d.keys = known
	}
	d.keys = append(d.keys, NewShape(keys[:n]))
	return len(d.keys)
}

// trieOrder reads the keys of a hash map or set. It fails for a key that is out of order or occurs
// twice, so that the order of the decoded collection is the order of the data.
type trieOrder struct {
	d    *Decoder
	b    trieBuilder
	n    int
	last uint64
}

// key prepares a key. It returns false for nil, which is not in the trie.
func (o *trieOrder) key(k Value) (hash uint32, inTrie bool) {
	o.n++
	if k.h == nil {
		if o.n > 1 {
			o.d.fail("nil is not the first key")
		}
		return 0, false
	}
	hash = hashKey(o.d.t, k)
	place := trieRank(hash)
	if place < o.last {
		o.d.fail("keys are not in the order of their hashes")
	}
	o.last = place
	return hash, true
}

// put adds an entry.
func (o *trieOrder) put(k, v Value, hash uint32) {
	o.b.key, o.b.val, o.b.hash, o.b.added = k, v, hash, false
	o.b.root = o.b.putRoot(o.b.root)
	if !o.b.added {
		o.d.fail("duplicate key")
	}
}

// trieRank returns the place of a hash in the order of a trie, which compares the lowest 5 bits
// first.
func trieRank(hash uint32) uint64 {
	rank := uint64(0)
	for shift := 0; shift < 35; shift += hashBits {
		rank = rank<<hashBits | uint64(hash)>>shift&31
	}
	return rank
}

func (d *Decoder) trie(stride int) *trieOrder {
	return &trieOrder{d: d, b: trieBuilder{nodeEdit: nodeEdit{t: d.t, edit: d.t.editToken(), stride: stride}}}
}

func (d *Decoder) hashMap() Value {
	n := d.count(2)
	if d.err != nil {
		return Nil
	}
	t := d.t
	t.Charge(sizeHashMap)
	m := &HashMap{Header: t.header(KindHashMap)}
	o := d.trie(mapStride)
	for range n {
		k := d.value()
		v := d.value()
		if d.err != nil {
			return Nil
		}
		if hash, inTrie := o.key(k); !inTrie {
			m.nilEntry = t.Entry(Nil, v).AsEntry()
		} else {
			o.put(k, v, hash)
		}
	}
	m.root = o.b.root
	m.recount()
	return Value{h: &m.Header}
}

func (d *Decoder) hashSet() Value {
	n := d.count(1)
	if d.err != nil || n == 0 {
		return EmptySet
	}
	t := d.t
	t.Charge(sizeHashSet)
	s := &HashSet{Header: t.header(KindHashSet)}
	o := d.trie(setStride)
	for range n {
		x := d.value()
		if d.err != nil {
			return Nil
		}
		if hash, inTrie := o.key(x); !inTrie {
			s.hasNil = true
		} else {
			o.put(x, Nil, hash)
		}
	}
	s.root = o.b.root
	s.recount()
	return Value{h: &s.Header}
}

// sortedColl reads a sorted map or set, whose keys must be in order. The tree has the least height.
func (d *Decoder) sortedColl(isMap bool) Value {
	values := 1
	if isMap {
		values = 2
	}
	n := d.count(values)
	if d.err != nil {
		return Nil
	}
	t := d.t
	keys, vals := t.Blocks(n), Blocks{}
	if isMap {
		vals = t.Blocks(n)
	}
	for i := range n {
		d.sorted++
		k := d.value()
		d.sorted--
		*keys.At(i) = k
		if isMap {
			sorted := d.sorted
			d.sorted = 0
			*vals.At(i) = d.value()
			d.sorted = sorted
		}
		if d.err != nil {
			return Nil
		}
		if k.h != nil && !k.Is(orderedKinds) {
			d.fail("a %s has no order", KindName(k.Kind()))
		} else if i > 0 {
			if c, ok := order(t, *keys.At(i - 1), k, false); !ok || c >= 0 {
				d.fail("keys of a sorted collection are not in order")
			}
		}
	}
	var v Value
	if isMap {
		v = (&SortedMap{}).with(t, t.treeOf(&keys, &vals, 0, n))
		t.Credit(vals.Size())
	} else {
		v = (&SortedSet{}).with(t, t.treeOf(&keys, nil, 0, n))
	}
	t.Credit(keys.Size())
	return v
}

// record reads a record, whose type must be known.
func (d *Decoder) record() Value {
	name := d.word()
	n := d.count(1)
	if d.err != nil {
		return Nil
	}
	if d.sorted > 0 {
		d.fail("record among the keys of a sorted collection")
		return Nil
	}
	typ := d.Names.record(name)
	if typ == nil || len(typ.Fields) != n {
		d.fail("record of type %s with %d fields, which is not known here", clip(name), n)
		return Nil
	}
	vals := d.t.Vals(n)
	for i := range vals {
		vals[i] = d.value()
	}
	ext := d.next()
	if d.err != nil {
		return Nil
	}
	v := d.t.Record(typ, vals, ext)
	if ext.h == nil {
		return v
	}
	if !ext.Is(Kinds(KindArrayMap, KindHashMap)) || MapCount(ext) == 0 || MetaOf(ext).h != nil {
		d.fail("further entries of a record are not canonical")
		return Nil
	}
	for _, f := range typ.Fields {
		if _, ok := d.t.MapGet(ext, f); ok {
			d.fail("field of a record among its further entries")
		}
	}
	return v
}
