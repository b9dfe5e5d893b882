package value

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestConjFirst(t *testing.T) {
	for _, most := range []int{3, 40, 3000} {
		task, r := benchTask(), rand.New(rand.NewPCG(1, uint64(most)))
		v, want, push := EmptyVector, []Value(nil), true
		for i := range 20000 {
			if len(want) == 0 || len(want) == most {
				push = len(want) == 0
			}
			x := Int(int64(i))
			switch end := r.IntN(4) == 0; {
			case push && end:
				v, want = task.Conj(v, x), append(want, x)
			case push:
				v, want = task.ConjFirst(v.AsVector(), x), slices.Insert(want, 0, x)
			case end:
				v, want = task.Pop(v), want[:len(want)-1]
			default:
				v, want = task.SubVec(v.AsVector(), 1, len(want)), want[1:]
			}
			if VecCount(v) != len(want) {
				t.Fatalf("step %d: count %d, want %d", i, VecCount(v), len(want))
			}
			if i%50 == 0 && !Equal(task, v, task.Vector(want...)) {
				t.Fatalf("step %d: got %s, want %s", i, task.PrStr(v).AsString().S, task.PrStr(task.Vector(want...)).AsString().S)
			}
		}
	}
}

// The memory that it takes is linear, also if elements come and go at any size.
func TestConjFirstIsConstant(t *testing.T) {
	for _, n := range []int{33, 1000, 1333, 1500, 20000} {
		task := benchTask()
		v := EmptyVector
		for i := range n {
			v = task.ConjFirst(v.AsVector(), Int(int64(i)))
		}
		for range n {
			v = task.SubVec(task.ConjFirst(v.AsVector(), Nil).AsVector(), 1, n+1)
		}
		for range n - 1 {
			v = task.SubVec(v.AsVector(), 1, VecCount(v))
		}
		if VecAt(v, 0) != Int(0) {
			t.Errorf("%d elements: the last is %s", n, task.PrStr(VecAt(v, 0)).AsString().S)
		}
		if each := task.Used() / int64(n); each > 10000 {
			t.Errorf("%d elements: %d bytes for each", n, each)
		}
	}
}
