// This file changes transient maps and sets.

package value

// transientArray returns the transient of an array map. As in Clojure it becomes a hash map when it
// outgrows 8 entries, or its initial count if that is larger.
func (t *Task) transientArray(m *ArrayMap) Value {
	var buf [2 * maxArray]Value
	pairs := m.pairs(&buf)
	n := len(pairs)
	kv := t.Vals(min(n+8, max(n, 2*maxArray)))[:n]
	copy(kv, pairs)
	t.Charge(sizeTransientMap)
	tm := &TransientMap{Header: t.header(KindTransientMap), count: int32(n / 2), limit: int32(max(n, 2*maxArray)), kv: kv}
	return Value{h: &tm.Header}
}

func (t *Task) persistentMap(m *TransientMap) Value {
	var p Value
	if m.hashed {
		t.Charge(sizeHashMap)
		h := &HashMap{Header: t.header(KindHashMap), Count: m.count, root: m.root, nilEntry: m.nilEntry}
		p = Value{h: &h.Header}
	} else {
		p = t.arrayMapOf(m.kv, nil)
	}
	m.root, m.nilEntry, m.kv, m.done = nil, nil, nil, true
	return p
}

func (m *TransientMap) find(t *Task, k Value) *Value {
	switch {
	case !m.hashed:
		if i := indexOf(t, m.kv, k); i >= 0 {
			return &m.kv[i]
		}
	case k.h == nil:
		if m.nilEntry != nil {
			return &m.nilEntry.Key
		}
	case m.root != nil:
		return m.root.find(t, mapStride, hashKey(t, k), k)
	}
	return nil
}

func (m *TransientMap) assoc(t *Task, k, v Value) {
	if !m.hashed {
		if m.assocArray(t, k, v) {
			return
		}
		m.hash(t)
	}
	if k.h == nil {
		e := t.Entry(Nil, v).AsEntry()
		if m.nilEntry == nil {
			m.count++
		}
		m.nilEntry = e
		return
	}
	e := nodeEdit{t: t, edit: &m.Header, key: k, val: v, hash: hashKey(t, k), stride: mapStride}
	m.root = e.putRoot(m.root)
	if e.added {
		m.count++
	}
}

// assocArray is assoc while the map is a block. It returns false if the block is full.
func (m *TransientMap) assocArray(t *Task, k, v Value) bool {
	if i := indexOf(t, m.kv, k); i >= 0 {
		m.kv[i+1] = v
		return true
	}
	n := len(m.kv)
	if n >= int(m.limit) {
		return false
	}
	if n+2 > cap(m.kv) {
		kv := t.Vals(min(2*n, int(m.limit)))[:n]
		copy(kv, m.kv)
		t.CreditVals(cap(m.kv))
		m.kv = kv
	}
	m.kv = append(m.kv, k, v)
	m.count++
	return true
}

// hash converts a block to a trie.
func (m *TransientMap) hash(t *Task) {
	b := trieBuilder{nodeEdit: nodeEdit{t: t, edit: &m.Header, stride: mapStride}}
	var nilEntry *MapEntry
	for i := 0; i < len(m.kv); i += 2 {
		if m.kv[i].h == nil {
			nilEntry = t.Entry(Nil, m.kv[i+1]).AsEntry()
			continue
		}
		b.add(m.kv[i], m.kv[i+1])
	}
	m.root, m.nilEntry, m.hashed, m.kv = b.root, nilEntry, true, nil
}

// dissoc removes a key. As in Clojure, the last entry of a block moves into the gap.
func (m *TransientMap) dissoc(t *Task, k Value) {
	p := m.find(t, k)
	switch {
	case p == nil:
		return
	case !m.hashed:
		last := len(m.kv) - 2
		i := indexOf(t, m.kv, k)
		copy(m.kv[i:i+2], m.kv[last:])
		clear(m.kv[last:])
		m.kv = m.kv[:last]
	case k.h == nil:
		m.nilEntry = nil
	default:
		e := nodeEdit{t: t, edit: &m.Header, key: k, hash: hashKey(t, k), stride: mapStride}
		m.root = e.del(m.root, 0)
	}
	m.count--
}

func (s *TransientSet) conj(t *Task, x Value) {
	if x.h == nil {
		if !s.hasNil {
			s.hasNil = true
			s.count++
		}
		return
	}
	e := nodeEdit{t: t, edit: &s.Header, key: x, hash: hashKey(t, x), stride: setStride}
	s.root = e.putRoot(s.root)
	if e.added {
		s.count++
	}
}

func (s *TransientSet) disj(t *Task, x Value) {
	if x.h == nil {
		if s.hasNil {
			s.hasNil = false
			s.count--
		}
		return
	}
	hash := hashKey(t, x)
	if s.root == nil || s.root.find(t, setStride, hash, x) == nil {
		return
	}
	e := nodeEdit{t: t, edit: &s.Header, key: x, hash: hash, stride: setStride}
	s.root = e.del(s.root, 0)
	s.count--
}
