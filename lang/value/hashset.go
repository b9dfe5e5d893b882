// This file defines HashSet.

package value

// HashSet is a set as a hash trie. The member nil is stored separately and comes first.
type HashSet struct {
	Header
	Count  int32
	hash   uint32 // atomic; 0: not computed
	root   *hnode // nil if the set has no member except nil
	Meta   *Header
	hasNil bool
}

var sizeHashSet = objectSize[HashSet]()

// EmptySet is #{}.
var EmptySet = Value{h: &(&HashSet{Header: Header{kind: KindHashSet}}).Header}

// nilMember is a block that holds the member nil.
var nilMember [1]Value

// SetOf makes a set of vals. Equal values are added once.
func (t *Task) SetOf(vals ...Value) Value {
	return t.setOf(vals, nil)
}

// SetLiteral makes the set of a literal. Equal members are an error.
func (t *Task) SetLiteral(vals []Value) Value {
	return t.setOf(vals, t.duplicateKey)
}

// setOf makes a set of vals and calls again with each repeated member.
func (t *Task) setOf(vals []Value, again func(Value)) Value {
	if len(vals) == 0 {
		return EmptySet
	}
	t.Charge(sizeHashSet)
	s := &HashSet{Header: t.header(KindHashSet)}
	b := trieBuilder{nodeEdit: nodeEdit{t: t, edit: t.editToken(), stride: setStride}}
	t.Work(int64(len(vals)))
	for _, x := range vals {
		isNew := !s.hasNil
		if x.h == nil {
			s.hasNil = true
		} else {
			isNew = b.add(x, Nil)
		}
		if !isNew && again != nil {
			again(x)
		}
	}
	s.root = b.root
	s.recount()
	return Value{h: &s.Header}
}

func (s *HashSet) recount() {
	s.Count = 0
	if s.root != nil {
		s.Count = s.root.count
	}
	if s.hasNil {
		s.Count++
	}
}

// find returns the slot of a member, or nil.
func (s *HashSet) find(t *Task, x Value) *Value {
	if x.h == nil {
		if s.hasNil {
			return &nilMember[0]
		}
		return nil
	}
	if s.root == nil {
		return nil
	}
	return s.root.find(t, setStride, hashKey(t, x), x)
}

func (s *HashSet) with(t *Task, root *hnode, hasNil bool) Value {
	t.Charge(sizeHashSet)
	n := &HashSet{Header: t.header(KindHashSet), root: root, hasNil: hasNil, Meta: s.Meta}
	n.recount()
	return Value{h: &n.Header}
}

func (s *HashSet) conj(t *Task, x Value) Value {
	if x.h == nil {
		if s.hasNil {
			return Value{h: &s.Header}
		}
		return s.with(t, s.root, true)
	}
	e := nodeEdit{t: t, key: x, hash: hashKey(t, x), stride: setStride}
	root := e.putRoot(s.root)
	if root == s.root {
		return Value{h: &s.Header}
	}
	return s.with(t, root, s.hasNil)
}

func (s *HashSet) disj(t *Task, x Value) Value {
	switch {
	case s.find(t, x) == nil:
		return Value{h: &s.Header}
	case x.h == nil:
		return s.with(t, s.root, false)
	}
	e := nodeEdit{t: t, key: x, hash: hashKey(t, x), stride: setStride}
	return s.with(t, e.del(s.root, 0), s.hasNil)
}

// SetConj adds a member to a set.
func (t *Task) SetConj(s, x Value) Value {
	if s.h.kind == KindSortedSet {
		return as[SortedSet](s).conj(t, x)
	}
	return as[HashSet](s).conj(t, x)
}

// SetDisj removes a member from a set.
func (t *Task) SetDisj(s, x Value) Value {
	switch s.h.kind {
	case KindSortedSet:
		return as[SortedSet](s).disj(t, x)
	case KindObject:
		rest, ok := t.own(s, methodDisjoin, x)
		if !ok {
			t.failCast("disj", s, "clojure.lang.IPersistentSet")
		}
		return rest
	}
	return as[HashSet](s).disj(t, x)
}

// SetGet returns the member of a set that equals x.
func (t *Task) SetGet(s, x Value) (Value, bool) {
	var p *Value
	if s.h.kind == KindSortedSet {
		p = as[SortedSet](s).find(t, x)
	} else {
		p = as[HashSet](s).find(t, x)
	}
	if p == nil {
		return Nil, false
	}
	return *p, true
}

// setCount returns the number of members of a set.
func setCount(s Value) int {
	if s.h.kind == KindSortedSet {
		return int(as[SortedSet](s).Count)
	}
	return int(as[HashSet](s).Count)
}
