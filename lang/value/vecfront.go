// This file defines how a vector grows at its front.

package value

import "github.com/ptc-lang/ptc/lang/diag"

// ConjFirst returns the vector v with x before its first value. A vector that grows this way has room
// before its values, for half as many: a value that SubVec removes from the front again leaves more room,
// and SubVec copies only when a quarter has been removed. So both are constant on average, in any order.
func (t *Task) ConjFirst(v *Vector, x Value) Value {
	if v.start == 0 {
		n, room := int(v.Count), 0
		if n > vecWidth {
			room = n / 2
		}
		if n+room >= maxCount {
			t.Fail(diag.IllegalArgument, "conj: a vector holds at most %d elements", maxCount)
		}
		t.Work(int64(n / 8))
		vals := t.Vals(room + 1 + n)
		vals[room] = x
		for i := 0; i < n; {
			chunk, first := v.chunkFor(i)
			i += copy(vals[room+1+i:], chunk[i-first:])
		}
		w := t.VectorFrom(vals)
		if room > 0 {
			w.AsVector().start, w.AsVector().Count = int32(room), int32(n+1)
		}
		return w
	}
	w := t.vecAssoc(v, -1, x)
	w.AsVector().start--
	w.AsVector().Count++
	return w
}
