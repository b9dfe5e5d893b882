package table

import (
	"hash/maphash"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAgainstMap puts in and takes out at random, many values and few by turns. The
// hashes are few, so that many want the same place, or one at the end.
func TestAgainstMap(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 3))
		hashes := 1 + r.Uint64N(300)
		keys := make([]Key, 400)
		for i := range keys {
			keys[i] = Key{1<<63 | r.Uint64N(hashes)*r.Uint64N(3), strconv.Itoa(i)}
		}
		x, want := New[int](), map[Key]int{}
		for step := range 4_000 {
			k := keys[r.IntN(len(keys))]
			place, found := x.Find(k)
			if found {
				x.Remove(place)
				delete(want, k)
			} else if step/500%2 == 0 || r.IntN(8) == 0 {
				want[k] = 1 + step
				x.Put(place, k, 1+step)
			}
			if step%200 == 0 {
				compare(t, &x, keys, want)
			}
		}
	}
}

func compare(t *testing.T, x *Table[int], keys []Key, want map[Key]int) {
	t.Helper()
	var values []int
	for _, k := range keys {
		v, here := want[k]
		if _, found := x.Find(k); found != here || x.Get(k) != v {
			t.Fatalf("%v: got %v, %v, want %v, %v", k, x.Get(k), found, v, here)
		}
		if here {
			values = append(values, v)
		}
	}
	require.Equal(t, len(want), x.Len())
	slices.Sort(values)
	require.Equal(t, values, slices.Sorted(x.All()))
	for range x.All() {
		break // is heeded
	}
	for _, s := range x.slots {
		if s.Hash == 0 && s != (slot[int]{}) {
			t.Fatalf("a free slot keeps %v", s)
		}
	}
}

// TestShrink: a table that was large leaves little behind, and one that was not keeps
// what it has.
func TestShrink(t *testing.T) {
	x, seed := New[int](), maphash.MakeSeed()
	fill := func(n int) (slots int) {
		for i := range n {
			k := KeyOf(seed, strconv.Itoa(i))
			place, _ := x.Find(k)
			x.Put(place, k, i)
		}
		slots = len(x.slots)
		for i := range n {
			place, found := x.Find(KeyOf(seed, strconv.Itoa(i)))
			require.True(t, found)
			x.Remove(place)
		}
		return slots
	}
	require.Equal(t, 16_384, fill(10_000))
	require.Len(t, x.slots, keepSlots)
	kept := &x.slots[0]
	fill(keepSlots / 4 * 3)
	fill(1)
	require.Same(t, kept, &x.slots[0])
}
