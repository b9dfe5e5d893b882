// This file defines Realised.

package value

// maxRealised is the depth to which Realised looks, because it uses the Go stack. It takes deeper
// values for realised.
const maxRealised = 200

// Realised reports whether all lazy sequences in v have been computed.
func (t *Task) Realised(v Value) bool { return t.realised(v, 0) }

func (t *Task) realised(v Value, depth int) bool {
	if depth > maxRealised || !v.Is(Colls) {
		return true
	}
	t.Work(1)
	switch v.Kind() {
	case KindList, KindCons, KindChunkedCons, KindLazy:
		return t.realisedSeq(v, depth)
	case KindVector, KindMapEntry:
		for i := range VecCount(v) {
			if !t.realised(VecAt(v, i), depth+1) {
				return false
			}
		}
		return true
	case KindVecSeq:
		return t.realised(Of(&v.AsVecSeq().Vec.Header), depth+1)
	}
	if v.Is(Maps | Sets) {
		for it := NewMapIter(v); it.Next(); {
			if !t.realised(it.Key, depth+1) || !t.realised(it.Val, depth+1) {
				return false
			}
		}
		return true
	}
	return true // ranges and the like
}

// realisedSeq follows a sequence of cells.
func (t *Task) realisedSeq(v Value, depth int) bool {
	for {
		t.Work(1)
		switch v.Kind() {
		case KindList, KindCons:
			c := v.AsCons()
			if !t.realised(c.First, depth+1) {
				return false
			}
			v = Of(c.Rest)
		case KindChunkedCons:
			c := v.AsChunkedCons()
			for _, x := range c.Chunk.Vals[c.Off:c.End] {
				if !t.realised(x, depth+1) {
					return false
				}
			}
			v = Of(c.Rest)
		case KindLazy:
			if v.AsLazy().Fn != nil {
				return false
			}
			v = Of(v.AsLazy().Seq)
		default:
			return t.realised(v, depth+1)
		}
		if v.IsNil() {
			return true
		}
	}
}
