// This file tests vectors, maps and sets against models, and holds the helpers of the tests of
// collections.

package value

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ptc-lang/ptc/internal/testlevel"
)

type testHost struct {
	Host
	t *Task
}

// Binding reports that no dynamic var is bound.
func (testHost) Binding(string) (Value, bool) { return Nil, false }

func (h testHost) Call(f Value, args ...Value) Value { return f.AsNative().Fn(h.t, args) }
func (h testHost) Force(l *Lazy) {
	s := pointer[Native](l.Fn).Fn(h.t, nil)
	l.Fn, l.Seq = nil, s.h
}
func (h testHost) Print(string) {}

var testContext = context.Background()

const testTimeout = time.Hour

func newTask() *Task {
	t := &Task{Owner: 7}
	t.Start(testContext, 4<<30, 1<<60, testTimeout)
	t.Host = testHost{t: t}
	return t
}

func TestVectorModel(tt *testing.T) {
	t := newTask()
	r := rand.New(rand.NewPCG(1, 2))
	type ver struct {
		v Value
		m []int64
	}
	for _, size := range []int{3, 40, 1100, 40000} {
		vers := []ver{{EmptyVector, nil}}
		if size > 100 {
			var vals []Value
			var m []int64
			for i := 0; i < size; i++ {
				vals = append(vals, Int(int64(i)))
				m = append(m, int64(i))
			}
			vers = append(vers, ver{t.Vector(vals...), m})
		}
		for step := range testlevel.Size(1000, 3000) {
			cur := vers[r.IntN(len(vers))]
			v := cur.v.AsVector()
			m := append([]int64(nil), cur.m...)
			x := r.Int64()
			var nv Value
			switch op := r.IntN(12); {
			case op < 5:
				nv = cur.v
				for k := r.IntN(70); k >= 0; k-- {
					nv = t.vecConj(nv.AsVector(), Int(x))
					m = append(m, x)
				}
			case op < 7 && len(m) > 0:
				i := r.IntN(len(m))
				nv = t.vecAssoc(v, i, Int(x))
				m[i] = x
			case op < 8 && len(m) > 0:
				nv = cur.v
				for k := r.IntN(min(len(m), 70)); k >= 0; k-- {
					nv = t.vecPop(nv.AsVector())
					m = m[:len(m)-1]
				}
			case op < 10 && len(m) > 0:
				from := r.IntN(min(len(m), 100))
				to := len(m) - r.IntN(min(len(m)-from, 1000)+1)
				if to < from {
					to = from
				}
				nv = t.SubVec(v, from, to)
				m = m[from:to]
			default:
				tv := t.Transient(cur.v)
				for k := r.IntN(100); k >= 0; k-- {
					x := r.Int64()
					switch op := r.IntN(6); {
					case op < 2:
						t.TConj(tv, Int(x))
						m = append(m, x)
					case op < 4 && len(m) > 0:
						i := r.IntN(len(m))
						t.TAssoc(tv, Int(int64(i)), Int(x))
						m[i] = x
					case len(m) > 0:
						t.TPop(tv)
						m = m[:len(m)-1]
					}
				}
				nv = t.Persistent(tv)
			}
			checkVec(tt, nv.AsVector(), m, step%50 == 0)
			checkVec(tt, v, cur.m, step%50 == 0)
			vers = append(vers, ver{nv, m})
			if len(vers) > 60 {
				i := r.IntN(len(vers))
				vers[i] = vers[len(vers)-1]
				vers = vers[:len(vers)-1]
			}
		}
		for _, c := range vers {
			checkVec(tt, c.v.AsVector(), c.m, true)
		}
	}
}

func checkVec(tt *testing.T, v *Vector, m []int64, all bool) {
	tt.Helper()
	if int(v.Count) != len(m) {
		tt.Fatalf("count %d want %d", v.Count, len(m))
	}
	checkVecShape(tt, v)
	if all {
		for i := range m {
			if VecNth(v, i).AsInt() != m[i] {
				tt.Fatalf("at %d", i)
			}
		}
	}
	i := 0
	vectorItems(v, func(vals []Value) bool {
		for _, x := range vals {
			if x.AsInt() != m[i] {
				tt.Fatalf("item %d", i)
			}
			i++
		}
		return true
	})
	if i != len(m) {
		tt.Fatalf("items %d want %d", i, len(m))
	}
}

// clashes are strings whose hashes collide, for modelKey.
var clashes = []string{"AaAa", "BBBB", "AaBB", "BBAa"}

func modelKey(t *Task, r *rand.Rand, n int) Value {
	switch i := r.IntN(n); {
	case i == 0:
		return Nil
	case i < 5:
		return t.String(clashes[i-1])
	case i < 9:
		return t.String(clashes[i-5] + "Aa")
	case i < 12:
		return t.Keyword("", string(rune('a'+i)))
	default:
		return Int(int64(i))
	}
}

func keyOf(v Value) any {
	switch v.Kind() {
	case KindNil:
		return nil
	case KindString:
		return v.AsString().S
	case KindKeyword:
		return [2]string{v.AsKeyword().Name}
	}
	return v.AsInt()
}

func clone[K comparable, V any](m map[K]V) map[K]V {
	c := make(map[K]V, len(m))
	for k, v := range m {
		c[k] = v
	}
	return c
}

func TestMapModel(tt *testing.T) {
	t := newTask()
	r := rand.New(rand.NewPCG(1, 2))
	type ver struct {
		m, s Value
		g    map[any]int64
	}
	for _, keys := range []int{6, 14, 50, 1000} {
		vers := []ver{{EmptyMap, EmptySet, map[any]int64{}}}
		for step := range testlevel.Size(500, 4000) {
			cur := vers[r.IntN(len(vers))]
			g := clone(cur.g)
			m, s := cur.m, cur.s
			trans := r.IntN(2) == 0
			if trans {
				m, s = t.Transient(m), t.Transient(s)
			}
			for n := r.IntN(60); n >= 0; n-- {
				k, x := modelKey(t, r, keys), r.Int64N(3)
				del := r.IntN(3) == 0 && step%100 > 10
				switch {
				case !del && trans:
					m, s = t.TAssoc(m, k, Int(x)), t.TConj(s, k)
				case !del:
					m, s = t.MapAssoc(m, k, Int(x)), t.SetConj(s, k)
				case trans:
					m, s = t.TDissoc(m, k), t.TDisj(s, k)
				default:
					m, s = t.MapDissoc(m, k), t.SetDisj(s, k)
				}
				if del {
					delete(g, keyOf(k))
				} else {
					g[keyOf(k)] = x
				}
				if trans && (TCount(m) != len(g) || TCount(s) != len(g)) {
					tt.Fatalf("transient counts %d %d want %d", TCount(m), TCount(s), len(g))
				}
			}
			if trans {
				m, s = t.Persistent(m), t.Persistent(s)
			}
			checkMap(tt, t, m, s, g, keys, r)
			if step%20 == 0 {
				checkMap(tt, t, cur.m, cur.s, cur.g, keys, r)
			}
			vers = append(vers, ver{m, s, g})
			if len(vers) > 40 {
				i := r.IntN(len(vers))
				vers[i] = vers[len(vers)-1]
				vers = vers[:len(vers)-1]
			}
		}
		for _, c := range vers {
			checkMap(tt, t, c.m, c.s, c.g, keys, r)
		}
	}
}

func checkMap(tt *testing.T, t *Task, m, s Value, g map[any]int64, keys int, r *rand.Rand) {
	tt.Helper()
	if MapCount(m) != len(g) || setCount(s) != len(g) {
		tt.Fatalf("counts %d %d want %d", MapCount(m), setCount(s), len(g))
	}
	checkTries(tt, t, m, s)
	i := 0
	for it := NewMapIter(m); it.Next(); i++ {
		k, v := EntryAt(m, i)
		if !Identical(k, it.Key) || !Identical(v, it.Val) {
			tt.Fatalf("EntryAt %d of %d", i, len(g))
		}
		if x, ok := g[keyOf(k)]; !ok || x != v.AsInt() {
			tt.Fatalf("entry %v", keyOf(k))
		}
		if v, ok := t.MapGet(m, k); !ok || v.AsInt() != g[keyOf(k)] {
			tt.Fatalf("get %v", keyOf(k))
		}
	}
	if i != len(g) {
		tt.Fatalf("iterated %d want %d", i, len(g))
	}
	i = 0
	for it := NewMapIter(s); it.Next(); i++ {
		k, _ := EntryAt(s, i)
		if !Identical(k, it.Key) {
			tt.Fatalf("set EntryAt %d of %d", i, len(g))
		}
		if _, ok := g[keyOf(k)]; !ok {
			tt.Fatalf("member %v", keyOf(k))
		}
	}
	if i != len(g) {
		tt.Fatalf("iterated %d want %d", i, len(g))
	}
	for n := 0; n < 10; n++ {
		k := modelKey(t, r, keys)
		_, want := g[keyOf(k)]
		if _, ok := t.MapGet(m, k); ok != want {
			tt.Fatalf("has %v: %v", keyOf(k), ok)
		}
		if _, ok := t.SetGet(s, k); ok != want {
			tt.Fatalf("set has %v: %v", keyOf(k), ok)
		}
	}
	from := r.IntN(len(g) + 1)
	var it MapIter
	it.init(m, from)
	for i := from; i < len(g); i++ {
		k, _ := EntryAt(m, i)
		if !it.Next() || !Identical(k, it.Key) {
			tt.Fatalf("iteration from %d at %d of %d", from, i, len(g))
		}
	}
	if it.Next() {
		tt.Fatal("iteration too long")
	}
}
