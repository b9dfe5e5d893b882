// This file tests that records of one input share their keys and strings, and that such maps behave
// like other maps.

package value

import (
	"fmt"
	"testing"
)

// record makes the i-th map of an input with the interner in.
func record(in *Interner, i int) Value {
	return in.Map([]Value{in.Key("id"), Int(int64(i)), in.Key("ns/dept"), in.String([]string{"north", "south"}[i%2]),
		in.Key("tags"), Nil})
}

// sharedRecord returns a map that shares its keys, and a map with the same entries that does not.
func sharedRecord(tt *testing.T, t *Task) (shared, plain Value) {
	tt.Helper()
	in := NewInterner(t, true)
	for i := range 2 * internAfter {
		shared = record(&in, i)
	}
	if !as[ArrayMap](shared).shared() {
		tt.Fatal("the keys are not shared")
	}
	for it := NewMapIter(shared); it.Next(); {
		plain = t.MapAssoc(plain, it.Key, it.Val)
	}
	if as[ArrayMap](plain).shared() {
		tt.Fatal("the keys of a map built by assoc are shared")
	}
	return shared, plain
}

func TestSharedKeys(tt *testing.T) {
	t := newTask()
	shared, plain := sharedRecord(tt, t)
	id, other := ConstKeyword("id"), ConstKeyword("other")
	ops := map[string]func(m Value) Value{
		"itself":      func(m Value) Value { return m },
		"assoc old":   func(m Value) Value { return t.MapAssoc(m, id, True) },
		"assoc same":  func(m Value) Value { v, _ := t.MapGet(m, id); return t.MapAssoc(m, id, v) },
		"assoc new":   func(m Value) Value { return t.MapAssoc(m, other, True) },
		"dissoc":      func(m Value) Value { return t.MapDissoc(m, id) },
		"dissoc none": func(m Value) Value { return t.MapDissoc(m, other) },
		"transient":   func(m Value) Value { return t.Persistent(t.TAssoc(t.Transient(m), other, True)) },
		"meta":        func(m Value) Value { return WithMeta(t, m, EmptyMap) },
		"grown": func(m Value) Value {
			for i := range 20 {
				m = t.MapAssoc(m, Int(int64(i)), Nil)
			}
			return m
		},
		"sequence": func(m Value) Value { return t.List(t.ToVals(m)...) },
		"rest":     func(m Value) Value { return t.Rest(t.Seq(m)) },
		"missing":  func(m Value) Value { return t.Get(m, Int(3), other) },
		"found": func(m Value) Value {
			k, v, _ := t.MapFind(m, ConstKeyword("ns/dept"))
			return t.pair(k, v)
		},
	}
	for name, op := range ops {
		got, want := op(shared), op(plain)
		if !Equal(t, got, want) || Hash(t, got) != Hash(t, want) || t.PrStr(got).AsString().S != t.PrStr(want).AsString().S {
			tt.Errorf("%s: got %s, want %s", name, t.PrStr(got).AsString().S, t.PrStr(want).AsString().S)
		}
	}
}

// Each record costs one allocation, and its charge equals the size that a mark finds.
func TestRecordsOfOneInput(tt *testing.T) {
	t := newTask()
	in := NewInterner(t, true)
	for i := range 2 * internAfter {
		record(&in, i)
	}
	used, n := t.Used(), 0
	allocs := testing.AllocsPerRun(100, func() { record(&in, n); n++ })
	if allocs != 1 {
		tt.Errorf("%v allocations for a record, want 1", allocs)
	}
	if got, want := (t.Used()-used)/int64(n), arrayMapSize(4); got != want {
		tt.Errorf("a record is charged %d bytes, want %d", got, want)
	}
	keep := record(&in, 1)
	t.SetUsed(0)
	keep = t.RecordMap(pointer[Chunk](as[ArrayMap](keep).kv[0].h), []Value{Int(1), Int(2), Int(3)})
	charged := t.Used()
	keys := as[ArrayMap](keep).kv[0]
	if live := liveOf(t, keep) - liveOf(t, keys); live != charged {
		tt.Errorf("charged %d, live %d", charged, live)
	}
}

func TestInternerTexts(tt *testing.T) {
	t := newTask()
	for _, keywords := range []bool{true, false} {
		in := NewInterner(t, keywords)
		for i := range 5000 { // far more than the table remembers
			text := fmt.Sprintf("text-%d", i%700)
			if got := in.String(text); got.AsString().S != text {
				tt.Fatalf("got %q, want %q", got.AsString().S, text)
			}
			key := in.Key("ns/" + text)
			if keywords && (key.AsKeyword().NS != "ns" || key.AsKeyword().Name != text) || !keywords &&
				key.AsString().S != "ns/"+text {
				tt.Fatalf("got the key %s for %q", t.PrStr(key).AsString().S, text)
			}
		}
		if a, b := in.String("again"), in.String("again"); a.h != b.h {
			tt.Error("equal texts are two objects")
		}
		if a, b := in.Key("again"), in.Key("again"); a.h != b.h {
			tt.Error("equal keys are two objects")
		}
	}
}

// A map with equal keys has no shape.
func TestInternerDuplicateKeys(tt *testing.T) {
	t := newTask()
	in := NewInterner(t, true)
	for range 4 * internAfter {
		m := in.Map([]Value{in.Key("a"), Int(1), in.Key("a"), Int(2)})
		if v, _ := t.MapGet(m, in.Key("a")); MapCount(m) != 1 || v.AsInt() != 2 {
			tt.Fatalf("got %s", t.PrStr(m).AsString().S)
		}
	}
}
