// This file tests the account of collections: the charges, the sizes that a mark finds, the memory
// on the Go heap, and that a refused charge leaves nothing half done.

package value

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/ptc-lang/ptc/runtime/limits"
)

// liveOf marks from roots and returns the live bytes.
func liveOf(t *Task, roots ...Value) int64 {
	m := t.BeginMark()
	m.Vals(roots)
	return m.End(0)
}

func ints(n int) []Value {
	vals := make([]Value, n)
	for i := range vals {
		vals[i] = Int(int64(i))
	}
	return vals
}

var accountSizes = []int{0, 1, 2, 5, 8, 9, 17, 32, 33, 64, 100, 1000, 1057, 5000}

// The live size of a collection built in one go, without garbage, equals its charge.
func TestChargedIsLive(tt *testing.T) {
	build := map[string]func(t *Task, n int) Value{
		"vector":      func(t *Task, n int) Value { return t.Vector(ints(n)...) },
		"map literal": func(t *Task, n int) Value { return t.MapLiteral(ints(2 * n)) },
		"array map":   func(t *Task, n int) Value { return t.arrayMapOf(ints(2*n), nil) },
		"hash map":    func(t *Task, n int) Value { return t.HashMapOf(ints(2 * n)) },
		"set":         func(t *Task, n int) Value { return t.SetOf(ints(n)...) },
		"list":        func(t *Task, n int) Value { return t.List(ints(n)...) },
		"seq":         func(t *Task, n int) Value { return t.SeqOf(t.ToVals(t.Range(0, int64(n), 1))) },
	}
	for name, f := range build {
		for _, n := range accountSizes {
			t := newTask()
			t.SetUsed(0)
			v := f(t, n)
			charged := t.Used()
			if name == "seq" && n > 0 {
				charged -= sizeRange
			}
			if live := liveOf(t, v); live != charged {
				tt.Errorf("%s of %d: charged %d, live %d", name, n, charged, live)
			}
		}
	}
}

// sampleColls makes collections by every kind of operation, in turns.
func sampleColls(t *Task, r *rand.Rand, n int) []Value {
	colls := []Value{EmptyVector, EmptyMap, EmptySet, t.SortedMapOf(Nil, nil), t.SortedSetOf(Nil, nil), EmptyQueue}
	for range n {
		i := r.IntN(len(colls))
		c := colls[i]
		if c.Kind() <= KindMapEntry || c.Kind() == KindArrayMap || c.Kind() == KindHashMap || c.Kind() == KindHashSet {
			if r.IntN(3) == 0 {
				c = t.Transient(c)
			}
		}
		for range r.IntN(80) {
			c = randomChange(t, r, c)
		}
		if c.Is(transients) {
			c = t.Persistent(c)
		}
		colls[i] = c
	}
	return colls
}

func randomChange(t *Task, r *rand.Rand, c Value) Value {
	x := Int(r.Int64N(3000))
	remove := r.IntN(3) == 0
	switch c.Kind() {
	case KindVector:
		if n := int(c.AsVector().Count); n > 0 && r.IntN(3) == 0 {
			return t.AssocLast(c, Int(int64(r.IntN(n))), x)
		}
		Disown(c)
		switch {
		case remove && c.AsVector().Count > 0:
			return t.Pop(c)
		case r.IntN(3) == 0 && c.AsVector().Count > 0:
			return t.vecAssoc(c.AsVector(), r.IntN(int(c.AsVector().Count)), x)
		case r.IntN(30) == 0:
			return t.SubVec(c.AsVector(), int(c.AsVector().Count)/3, int(c.AsVector().Count))
		}
		return t.Conj(c, x)
	case KindTransientVector:
		switch n := TCount(c); {
		case remove && n > 0:
			return t.TPop(c)
		case r.IntN(3) == 0 && n > 0:
			return t.TAssoc(c, Int(r.Int64N(int64(n))), x)
		}
		return t.TConj(c, x)
	case KindArrayMap, KindHashMap, KindSortedMap:
		if remove {
			return t.MapDissoc(c, x)
		}
		return t.MapAssoc(c, x, t.CopyString("value"))
	case KindTransientMap:
		if remove {
			return t.TDissoc(c, x)
		}
		return t.TAssoc(c, x, t.CopyString("value"))
	case KindHashSet, KindSortedSet:
		if remove {
			return t.SetDisj(c, x)
		}
		return t.SetConj(c, x)
	case KindTransientSet:
		if remove {
			return t.TDisj(c, x)
		}
		return t.TConj(c, x)
	}
	if remove {
		return t.Pop(c)
	}
	return t.Conj(c, x)
}

// A mark never finds more than was charged, and finds the same again.
func TestLiveIsCharged(tt *testing.T) {
	for seed := range uint64(30) {
		t := newTask()
		t.SetUsed(0)
		colls := sampleColls(t, rand.New(rand.NewPCG(seed, 1)), 100)
		charged := t.Used()
		live := liveOf(t, colls...)
		if live > charged {
			tt.Errorf("seed %d: live %d, charged %d", seed, live, charged)
		}
		if again := liveOf(t, colls...); again != live {
			tt.Errorf("seed %d: second mark %d, first %d", seed, again, live)
		}
	}
}

// The Go heap holds the size that the mark finds.
func TestLiveIsOnHeap(tt *testing.T) {
	if testing.Short() {
		tt.Skip("collects garbage many times")
	}
	t := newTask()
	keep := make([][]Value, 60)
	before := heap()
	for i := range keep {
		keep[i] = sampleColls(t, rand.New(rand.NewPCG(uint64(i), 2)), 200)
	}
	held := heap() - before
	var roots []Value
	for _, colls := range keep {
		roots = append(roots, colls...)
	}
	live := liveOf(t, roots...)
	tt.Logf("live %d, heap %d", live, held)
	// The mark also counts the references to objects in its stack.
	if held > live+live/50+16<<10 || held < live-live/12 {
		tt.Errorf("live %d, heap %d", live, held)
	}
	runtime.KeepAlive(keep)
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// attempt runs f until no charge is refused. Before each attempt it fills the account up to a
// random rest, so that any charge may be the refused one.
func attempt(t *Task, r *rand.Rand, f func()) {
	defer t.SetUsed(0)
	for try := 0; ; try++ {
		t.SetUsed(t.Cap() - r.Int64N(1200))
		if try > 20 {
			t.SetUsed(0)
		}
		if finishes(f) {
			return
		}
	}
}

func finishes(f func()) (ok bool) {
	defer func() {
		if e := recover(); e != nil {
			if _, refused := e.(limits.Refused); !refused {
				panic(e)
			}
		}
	}()
	f()
	return true
}

func TestRefusedChargeChangesNothing(tt *testing.T) {
	for seed := range uint64(60) {
		t, r := newTask(), rand.New(rand.NewPCG(seed, 3))
		start := r.IntN(4) * 400
		v, m, s := EmptyVector, EmptyMap, EmptySet
		var vec []int64
		g := map[any]int64{}
		for i := range start {
			x := int64(i)
			v, m, s = t.Conj(v, Int(x)), t.MapAssoc(m, Int(x), Int(x)), t.SetConj(s, Int(x))
			vec, g[x] = append(vec, x), x
		}
		oldV, oldM, oldS, oldVec, oldG := v, m, s, append([]int64(nil), vec...), clone(g)
		v, m, s = t.Transient(v), t.Transient(m), t.Transient(s)
		for range 1500 {
			k, x := modelKey(t, r, 2000), r.Int64N(5)
			del := r.IntN(2) == 0
			attempt(t, r, func() {
				if del {
					t.TDissoc(m, k)
				} else {
					t.TAssoc(m, k, Int(x))
				}
			})
			attempt(t, r, func() {
				if del {
					t.TDisj(s, k)
				} else {
					t.TConj(s, k)
				}
			})
			if del {
				delete(g, keyOf(k))
			} else {
				g[keyOf(k)] = x
			}
			vec = refusedVectorChange(t, r, v, vec, x)
		}
		t.SetUsed(0)
		v, m, s = t.Persistent(v), t.Persistent(m), t.Persistent(s)
		checkVec(tt, v.AsVector(), vec, true)
		checkMap(tt, t, m, s, g, 2000, r)
		checkVec(tt, oldV.AsVector(), oldVec, true)
		checkMap(tt, t, oldM, oldS, oldG, 2000, r)
	}
}

func refusedVectorChange(t *Task, r *rand.Rand, v Value, vec []int64, x int64) []int64 {
	switch op := r.IntN(10); {
	case op < 4:
		attempt(t, r, func() { t.TConj(v, Int(x)) })
		return append(vec, x)
	case op < 7 && len(vec) > 0:
		i := r.IntN(len(vec))
		attempt(t, r, func() { t.TAssoc(v, Int(int64(i)), Int(x)) })
		vec[i] = x
	case len(vec) > 0:
		attempt(t, r, func() { t.TPop(v) })
		return vec[:len(vec)-1]
	}
	return vec
}

func ExampleTask_Transient() {
	t := newTask()
	m := t.Transient(EmptyMap)
	for i := range int64(3) {
		t.TAssoc(m, Int(i), Int(i*i))
	}
	m = t.Persistent(m)
	for it := NewMapIter(m); it.Next(); {
		fmt.Println(it.Key.AsInt(), it.Val.AsInt())
	}
	// Output:
	// 0 0
	// 1 1
	// 2 4
}
