// This file tests sorted maps and sets against a model.

package value

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// checkTree checks the counts and the balance of a tree.
func checkTree(tt *testing.T, n *tnode) int32 {
	if n == nil {
		return 0
	}
	l, r := checkTree(tt, n.left), checkTree(tt, n.right)
	if l+r+1 != n.count {
		tt.Fatalf("count %d of %d and %d", n.count, l, r)
	}
	if l+r > 1 && (l+1 > treeDelta*(r+1) || r+1 > treeDelta*(l+1)) {
		tt.Fatalf("out of balance: %d and %d", l, r)
	}
	return n.count
}

func TestSortedModel(tt *testing.T) {
	t := newTask()
	r := rand.New(rand.NewPCG(5, 6))
	for _, keys := range []int64{10, 200, 5000} {
		m, s, g := t.SortedMapOf(Nil, nil), t.SortedSetOf(Nil, nil), map[int64]int64{}
		for step := range 6000 {
			k, x := r.Int64N(keys), r.Int64N(3)
			if step%1000 > 500 && r.IntN(3) > 0 {
				m, s = t.MapDissoc(m, Int(k)), t.SetDisj(s, Int(k))
				delete(g, k)
			} else {
				m, s = t.MapAssoc(m, Int(k), Int(x)), t.SetConj(s, Int(k))
				g[k] = x
			}
			if step%100 == 0 {
				checkSorted(tt, t, m, s, g, r)
			}
		}
	}
}

func checkSorted(tt *testing.T, t *Task, m, s Value, g map[int64]int64, r *rand.Rand) {
	tt.Helper()
	checkTree(tt, as[SortedMap](m).root)
	checkTree(tt, as[SortedSet](s).root)
	var ks []int64
	for k := range g {
		ks = append(ks, k)
	}
	slices.Sort(ks)
	if MapCount(m) != len(ks) || setCount(s) != len(ks) {
		tt.Fatalf("counts %d %d, want %d", MapCount(m), setCount(s), len(ks))
	}
	checkOrder(tt, t, m, ks, g)
	checkOrder(tt, t, s, ks, nil)
	i := r.IntN(len(ks) + 1)
	j := i + r.IntN(len(ks)-i+1)
	checkTree(tt, as[SortedMap](t.SortedPart(m, i, j)).root)
	checkOrder(tt, t, t.SortedPart(m, i, j), ks[i:j], g)
	checkOrder(tt, t, t.SortedPart(s, i, j), ks[i:j], nil)
	k := r.Int64N(5000)
	at, found := slices.BinarySearch(ks, k)
	if p, ok := t.SortedPlace(m, Int(k)); p != at || ok != found {
		tt.Fatalf("place of %d: %d %v, want %d %v", k, p, ok, at, found)
	}
}

// checkOrder checks that a collection has the keys, and a map their values, forwards from any key
// and backwards.
func checkOrder(tt *testing.T, t *Task, coll Value, ks []int64, g map[int64]int64) {
	tt.Helper()
	i := 0
	for it := NewMapIter(coll); it.Next(); i++ {
		k, v := EntryAt(coll, i)
		if it.Key.AsInt() != ks[i] || k != it.Key || v != it.Val || g != nil && v.AsInt() != g[ks[i]] {
			tt.Fatalf("entry %d", i)
		}
	}
	if i != len(ks) {
		tt.Fatalf("%d entries, want %d", i, len(ks))
	}
	mode := SeqKeys
	s := t.MapSeqOf(coll, mode, true)
	for it := t.Iter(s); ; {
		x, ok := it.Next()
		if !ok {
			break
		}
		i--
		if x.AsInt() != ks[i] {
			tt.Fatalf("backwards at %d", i)
		}
	}
	if i != 0 {
		tt.Fatalf("%d entries less backwards", i)
	}
}
