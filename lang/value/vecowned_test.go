// This file tests owned vectors against slices.

package value

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestOwnedVectors: a vector that is changed in place shares nothing with the vectors that it came from,
// nor with vectors made from it.
func TestOwnedVectors(tt *testing.T) {
	type pair struct {
		v    Value
		want []int64
	}
	sizes := []int{1, 2, 8, 9, 31, 32, 33, 64, 65, 1056, 1057, 2100}
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 5))
		t := newTask()
		all := make([]pair, 6)
		for i := range all {
			n := sizes[r.IntN(len(sizes))]
			all[i].v = t.Vector(ints(n)...)
			for k := range n {
				all[i].want = append(all[i].want, int64(k))
			}
		}
		for range 400 {
			p, q := &all[r.IntN(len(all))], &all[r.IntN(len(all))]
			i, x := r.IntN(len(p.want)), r.Int64N(1000)
			if r.IntN(3) > 0 {
				p.v = t.AssocLast(p.v, Int(int64(i)), Int(x))
				p.want[i] = x
				continue
			}
			Disown(p.v)
			*q = pair{p.v, slices.Clone(p.want)} // a second reference, or a vector made of it
			switch r.IntN(6) {
			case 0:
				q.v, q.want = t.Conj(q.v, Int(x)), append(q.want, x)
			case 1:
				q.v = t.Assoc(q.v, Int(int64(i)), Int(x))
				q.want[i] = x
			case 2:
				if len(q.want) > 1 {
					q.v, q.want = t.Pop(q.v), q.want[:len(q.want)-1]
				}
			case 3:
				q.v, q.want = t.SubVec(q.v.AsVector(), i/2, len(q.want)), q.want[i/2:]
			case 4:
				tr := t.TAssoc(t.Transient(q.v), Int(int64(i)), Int(x))
				q.v = t.Persistent(tr)
				q.want[i] = x
			}
		}
		for n, p := range all {
			for i, want := range p.want {
				if got := VecNth(p.v.AsVector(), i).AsInt(); got != want || int(p.v.AsVector().Count) != len(p.want) {
					tt.Fatalf("seed %d, vector %d: element %d is %d, want %d", seed, n, i, got, want)
				}
			}
		}
	}
}

// TestOwnedIsInPlace: a second change of an owned vector allocates nothing.
func TestOwnedIsInPlace(tt *testing.T) {
	for _, n := range []int{8, 32, 40, 1000, 40000} {
		t := newTask()
		v := t.AssocLast(t.AssocLast(t.Vector(ints(n)...), Int(0), Int(1)), Int(int64(n-1)), Int(2))
		used := t.Used()
		if w := t.AssocLast(t.AssocLast(v, Int(int64(n-1)), Int(3)), Int(0), Int(4)); !Identical(v, w) || t.Used() != used {
			tt.Errorf("%d elements: another vector, or %d more bytes", n, t.Used()-used)
		}
	}
}
