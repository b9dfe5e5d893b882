// This file tests the operations on sequences and collections one by one. The expected values are
// those of JVM Clojure 1.11; an expected error is written as its code.

package value

import (
	"math"
	"testing"

	"github.com/ptc-lang/ptc/lang/diag"
)

// result runs f and returns its printed value, or the code of its failure.
func result(t *Task, f func() Value) (text string) {
	defer func() {
		if e := recover(); e != nil {
			thrown, ok := e.(Thrown)
			if !ok {
				panic(e)
			}
			text = string(thrown.Exception.Code)
		}
	}()
	return t.PrStr(f()).AsString().S
}

// collFixture holds the values that the cases start from.
type collFixture struct {
	*Task
	a, b, c, meta        Value // keywords; {:m 1}
	record               Value // #user.R{:a 1, :b 2}
	forced               int   // lazy sequences realised
	m                    Value // {:a 1, :b 2}
	vec100, sorted, keys Value
}

func newFixture() *collFixture {
	t := newTask()
	f := &collFixture{Task: t, a: ConstKeyword("a"), b: ConstKeyword("b"), c: ConstKeyword("c")}
	f.meta = t.MapOf(ConstKeyword("m"), Int(1))
	typ := t.RecordType("user.R", []Value{f.a, f.b}, Nil)
	f.record = t.Record(as[RecordType](typ), []Value{Int(1), Int(2)}, Nil)
	f.m = t.MapOf(f.a, Int(1), f.b, Int(2))
	f.vec100 = t.Vector(ints(100)...)
	f.sorted = t.SortedMapOf(Nil, []Value{Int(3), f.c, Int(1), f.a, Int(2), f.b})
	f.keys = t.MapSeqOf(f.m, SeqKeys, false)
	return f
}

// lazy makes a lazy sequence that counts when it is realised.
func (f *collFixture) lazy(s Value) Value {
	return f.Lazy(ConstNative(Native{Fn: func(*Task, []Value) Value {
		f.forced++
		return s
	}}), false)
}

func (f *collFixture) with(v Value) Value { return WithMeta(f.Task, v, f.meta) }

func (f *collFixture) ints(n int) Value { return f.Vector(ints(n)...) }

func (f *collFixture) queue(n int) Value {
	q := EmptyQueue
	for _, x := range ints(n) {
		q = f.Conj(q, x)
	}
	return q
}

func (f *collFixture) seqs() map[string]Value {
	return map[string]Value{
		"vector":      f.ints(3),
		"vector seq":  f.Seq(f.ints(3)),
		"reverse":     f.RSeq(f.Vector(Int(2), Int(1), Int(0))),
		"list":        f.List(ints(3)...),
		"cons":        f.Cons(Int(0), f.Cons(Int(1), f.Cons(Int(2), Nil))),
		"chunks":      f.ChunkCons(f.Chunk(ints(1)), f.ChunkCons(f.Chunk([]Value{Int(1), Int(2)}), Nil)),
		"lazy":        f.lazy(f.Cons(Int(0), f.lazy(f.Cons(Int(1), f.lazy(f.Cons(Int(2), f.lazy(Nil))))))),
		"lazy lazy":   f.lazy(f.lazy(f.ints(3))),
		"range":       f.Range(0, 3, 1),
		"range down":  f.RSeq(f.Vector(f.ToVals(f.Range(2, -1, -1))...)),
		"set":         f.SortedSetOf(Nil, ints(3)),
		"set seq":     f.Seq(f.SortedSetOf(Nil, ints(3))),
		"set desc":    f.RSeq(f.SortedSetOf(ConstNative(Native{Fn: greater}), ints(3))),
		"keys":        f.MapSeqOf(f.SortedMapOf(Nil, []Value{Int(0), Nil, Int(1), Nil, Int(2), Nil}), SeqKeys, false),
		"vals":        f.MapSeqOf(f.MapOf(f.a, Int(0), f.b, Int(1), f.c, Int(2)), SeqVals, false),
		"record vals": f.Cons(Int(0), f.MapSeqOf(f.record, SeqVals, false)),
		"queue":       f.queue(3),
		"part":        f.SubVec(f.ints(5).AsVector(), 0, 3),
	}
}

func greater(t *Task, args []Value) Value { return Bool(args[0].AsInt() > args[1].AsInt()) }

// Every sequence of 0 1 2 yields the same elements however it is walked.
func TestWalkSequences(tt *testing.T) {
	walks := map[string]func(f *collFixture, s Value) Value{
		"iter": func(f *collFixture, s Value) Value { return f.Vector(f.ToVals(s)...) },
		"next": func(f *collFixture, s Value) Value {
			v := EmptyVector
			for s = f.Seq(s); !s.IsNil(); s = f.Next(s) {
				v = f.Conj(v, f.First(s))
			}
			return v
		},
		"rest": func(f *collFixture, s Value) Value {
			v := EmptyVector
			for ; !f.Seq(s).IsNil(); s = f.Rest(s) {
				v = f.Conj(v, f.First(s))
			}
			return v
		},
		"nth": func(f *collFixture, s Value) Value {
			v := EmptyVector
			if s.Is(Seqs | Vectors) {
				for i := 0; ; i++ {
					x, ok := f.Nth(s, i)
					if !ok {
						return v
					}
					v = f.Conj(v, x)
				}
			}
			return f.ints(3)
		},
		"chunks": func(f *collFixture, s Value) Value {
			v := EmptyVector
			for s = f.Seq(s); !s.IsNil(); {
				vals, rest, ok := f.SeqChunk(s)
				if !ok {
					vals, rest = []Value{f.First(s)}, f.Rest(s)
				}
				for _, x := range vals {
					v = f.Conj(v, x)
				}
				s = f.Seq(rest)
			}
			return v
		},
	}
	for name := range newFixture().seqs() {
		for walk, do := range walks {
			f := newFixture()
			s := f.seqs()[name]
			if got := result(f.Task, func() Value { return do(f, s) }); got != "[0 1 2]" {
				tt.Errorf("%s by %s: %s", name, walk, got)
			}
			if n := f.Count(s); n != 3 {
				tt.Errorf("%s: count %d", name, n)
			}
		}
	}
}

func TestCollectionOperations(tt *testing.T) {
	cases := []struct {
		name string
		do   func(f *collFixture) Value
		want string
	}{
		{"seq of nothing", func(f *collFixture) Value { return f.Seq(f.lazy(f.lazy(Nil))) }, "nil"},
		{"seq of ()", func(f *collFixture) Value { return f.Seq(EmptyList) }, "nil"},
		{"seq of a string", func(f *collFixture) Value { return f.Seq(f.String("aé😀")) }, `(\a \é \😀)`},
		{"rest of a string", func(f *collFixture) Value { return f.Rest(f.String("é😀")) }, `(\😀)`},
		{"seq of a number", func(f *collFixture) Value { return f.Seq(Int(1)) }, string(diag.IllegalArgument)},
		{"first of a map", func(f *collFixture) Value { return f.First(f.m) }, "[:a 1]"},
		{"seq of a record", func(f *collFixture) Value { return f.Seq(f.record) }, "([:a 1] [:b 2])"},
		{"rseq of a sorted map", func(f *collFixture) Value { return f.RSeq(f.sorted) }, "([3 :c] [2 :b] [1 :a])"},
		{"next of rseq", func(f *collFixture) Value { return f.Next(f.RSeq(f.sorted)) }, "([2 :b] [1 :a])"},
		{"rseq of a map", func(f *collFixture) Value { return f.RSeq(f.m) }, string(diag.WrongType)},
		{"rest does not realise", func(f *collFixture) Value {
			f.Rest(f.Cons(Int(1), f.lazy(Nil)))
			f.Rest(f.ChunkCons(f.Chunk(ints(1)), f.lazy(Nil)))
			return Int(int64(f.forced))
		}, "0"},
		{"conj to a lazy one realises it", func(f *collFixture) Value {
			f.Conj(f.lazy(Nil), Int(1))
			return Int(int64(f.forced))
		}, "1"},
		{"count of a long range", func(f *collFixture) Value {
			return Int(int64(f.Count(f.Range(-1<<63, 1<<62, 1<<61))))
		}, "6"},
		{"range to the largest", func(f *collFixture) Value { return f.Range(1<<63-8, 1<<63-1, 5) }, "(9223372036854775800 9223372036854775805)"},

		{"conj nil", func(f *collFixture) Value { return f.Conj(Nil, Int(1)) }, "(1)"},
		{"conj list", func(f *collFixture) Value { return f.Conj(f.List(Int(1)), Int(2)) }, "(2 1)"},
		{"conj entry", func(f *collFixture) Value { return f.Conj(f.Entry(f.a, Int(1)), Int(3)) }, "[:a 1 3]"},
		{"conj map pair", func(f *collFixture) Value { return f.Conj(EmptyMap, f.Vector(f.a, Int(1))) }, "{:a 1}"},
		{"conj map no pair", func(f *collFixture) Value { return f.Conj(EmptyMap, f.ints(1)) }, string(diag.IllegalArgument)},
		{"conj map map", func(f *collFixture) Value { return f.Conj(f.MapOf(f.c, Int(0)), f.m) }, "{:c 0, :a 1, :b 2}"},
		{"conj map seq", func(f *collFixture) Value { return f.Conj(EmptyMap, f.Seq(f.m)) }, "{:a 1, :b 2}"},
		{"conj map nil", func(f *collFixture) Value { return f.Conj(f.m, Nil) }, "{:a 1, :b 2}"},
		{"conj map number", func(f *collFixture) Value { return f.Conj(f.m, Int(1)) }, string(diag.IllegalArgument)},
		{"conj map numbers", func(f *collFixture) Value { return f.Conj(f.m, f.List(Int(1))) }, string(diag.WrongType)},
		{"conj record", func(f *collFixture) Value { return f.Conj(f.record, f.Vector(f.a, Int(5))) }, "#user.R{:a 5, :b 2}"},
		{"conj record short", func(f *collFixture) Value { return f.Conj(f.record, f.ints(1)) }, string(diag.OutOfRange)},
		{"conj number", func(f *collFixture) Value { return f.Conj(Int(1), Int(1)) }, string(diag.WrongType)},

		{"assoc record", func(f *collFixture) Value { return f.Assoc(f.record, f.c, Int(5)) }, "#user.R{:a 1, :b 2, :c 5}"},
		{"dissoc field", func(f *collFixture) Value { return f.MapDissoc(f.record, f.a) }, "{:b 2}"},
		{"dissoc other", func(f *collFixture) Value { return f.MapDissoc(f.Assoc(f.record, f.c, Int(5)), f.c) }, "#user.R{:a 1, :b 2}"},
		{"assoc nil", func(f *collFixture) Value { return f.Assoc(Nil, f.a, Int(1)) }, "{:a 1}"},
		{"assoc vector", func(f *collFixture) Value { return f.Assoc(f.ints(2), Int(2), f.a) }, "[0 1 :a]"},
		{"assoc vector far", func(f *collFixture) Value { return f.Assoc(f.ints(2), Int(3), f.a) }, string(diag.OutOfRange)},
		{"assoc vector key", func(f *collFixture) Value { return f.Assoc(f.ints(2), f.a, f.a) }, string(diag.IllegalArgument)},
		{"assoc entry", func(f *collFixture) Value { return f.Assoc(f.Entry(f.a, Int(1)), Int(0), f.b) }, "[:b 1]"},
		{"assoc list", func(f *collFixture) Value { return f.Assoc(EmptyList, Int(0), f.b) }, string(diag.WrongType)},

		{"get string", func(f *collFixture) Value { return f.Get(f.String("aé😀x"), Int(3), Nil) }, `\x`},
		{"get string float", func(f *collFixture) Value { return f.Get(f.String("abc"), Float(1.5), Nil) }, `\b`},
		{"get vector far", func(f *collFixture) Value { return f.Get(f.ints(2), Int(1<<32), Nil) }, "0"},
		{"get vector float", func(f *collFixture) Value { return f.Get(f.ints(2), Float(1), f.a) }, ":a"},
		{"get number", func(f *collFixture) Value { return f.Get(Int(5), Int(1), f.a) }, ":a"},
		{"get 0.0", func(f *collFixture) Value { return f.Get(f.HashMapOf([]Value{Float(0), f.a}), Float(negZero()), Nil) }, ":a"},
		{"contains list", func(f *collFixture) Value { return Bool(f.Contains(EmptyList, Int(0))) }, string(diag.IllegalArgument)},
		{"contains string key", func(f *collFixture) Value { return Bool(f.Contains(f.String("a"), f.a)) }, string(diag.IllegalArgument)},
		{"nth map", func(f *collFixture) Value { f.Nth(f.m, 0); return Nil }, string(diag.NotSupported)},
		{"count number", func(f *collFixture) Value { f.Count(Int(1)); return Nil }, string(diag.NotSupported)},

		{"empty entry", func(f *collFixture) Value { return f.Empty(f.Entry(f.a, f.b)) }, "nil"},
		{"empty record", func(f *collFixture) Value { return f.Empty(f.record) }, string(diag.NotSupported)},
		{"empty range", func(f *collFixture) Value { return f.Empty(f.Range(0, 3, 1)) }, "()"},
		{"peek", func(f *collFixture) Value {
			return f.Vector(f.Peek(f.ints(3)), f.Peek(f.List(ints(3)...)), f.Peek(f.queue(3)), f.Peek(EmptyVector),
				f.Peek(EmptyList), f.Peek(EmptyQueue))
		}, "[2 0 0 nil nil nil]"},
		{"pop", func(f *collFixture) Value {
			return f.Vector(f.Pop(f.ints(3)), f.Pop(f.List(ints(3)...)), f.Seq(f.Pop(f.queue(3))), f.Pop(f.Entry(f.a, f.b)),
				f.Pop(Nil))
		}, "[[0 1] (1 2) (1 2) [:a] nil]"},
		{"pop []", func(f *collFixture) Value { return f.Pop(EmptyVector) }, string(diag.IllegalState)},
		{"pop ()", func(f *collFixture) Value { return f.Pop(EmptyList) }, string(diag.IllegalState)},
		{"pop set", func(f *collFixture) Value { return f.Pop(EmptySet) }, string(diag.WrongType)},

		{"duplicate key", func(f *collFixture) Value { return f.MapLiteral([]Value{f.a, Nil, f.a, Nil}) }, string(diag.IllegalArgument)},
		{"duplicate nil key", func(f *collFixture) Value { return f.MapLiteral(append(ints(18), Nil, Nil, Nil, Nil)) }, string(diag.IllegalArgument)},
		{"duplicate member", func(f *collFixture) Value { return f.SetLiteral([]Value{Int(1), f.a, Int(1)}) }, string(diag.IllegalArgument)},
		{"array-map twice", func(f *collFixture) Value { return f.ArrayMapOf([]Value{f.a, Int(1), f.b, Int(2), f.a, Int(3)}) }, "{:a 3, :b 2}"},

		{"sorted first key", func(f *collFixture) Value { return f.SortedSetOf(Nil, []Value{EmptyMap}) }, string(diag.WrongType)},
		{"sorted wrong key", func(f *collFixture) Value { return f.SetConj(f.SortedSetOf(Nil, ints(1)), f.a) }, string(diag.WrongType)},
		{"sorted by keyword", func(f *collFixture) Value { return f.SortedSetOf(f.a, nil) }, string(diag.WrongType)},
		{"sorted by predicate", func(f *collFixture) Value { return f.SortedSetOf(ConstNative(Native{Fn: greater}), ints(5)) }, "#{4 3 2 1 0}"},
		{"sorted keeps the key", func(f *collFixture) Value {
			mod3 := ConstNative(Native{Fn: func(_ *Task, a []Value) Value { return Int(a[0].AsInt()%3 - a[1].AsInt()%3) }})
			return f.SortedMapOf(mod3, []Value{Int(1), f.a, Int(4), f.b})
		}, "{1 :b}"},
		{"sorted by halves", func(f *collFixture) Value {
			half := ConstNative(Native{Fn: func(*Task, []Value) Value { return Float(0.5) }})
			return f.SortedMapOf(half, []Value{Int(3), Int(1), Int(1), Int(2)})
		}, "{3 2}"},
		{"sorted by nil", func(f *collFixture) Value {
			return f.SortedSetOf(ConstNative(Native{Fn: func(*Task, []Value) Value { return Nil }}), ints(2))
		}, string(diag.NilValue)},

		{"transient list", func(f *collFixture) Value { return f.Transient(EmptyList) }, string(diag.WrongType)},
		{"transient nil", func(f *collFixture) Value { return f.Transient(Nil) }, string(diag.NilValue)},
		{"conj! vector", func(f *collFixture) Value { return f.TConj(EmptyVector, Nil) }, string(diag.WrongType)},
		{"pop! []", func(f *collFixture) Value { return f.TPop(f.Transient(EmptyVector)) }, string(diag.IllegalState)},
		{"assoc! far", func(f *collFixture) Value { return f.TAssoc(f.Transient(EmptyVector), Int(1), Nil) }, string(diag.OutOfRange)},
		{"conj! map", func(f *collFixture) Value { return f.Persistent(f.TConj(f.Transient(EmptyMap), f.m)) }, "{:a 1, :b 2}"},
		{"transient after persistent!", func(f *collFixture) Value {
			tr := f.Transient(f.m)
			f.Persistent(tr)
			return Int(int64(f.Count(tr)))
		}, string(diag.IllegalState)},
		{"transient of another", func(f *collFixture) Value {
			tr := f.Transient(f.m)
			f.Owner++
			return f.TAssoc(tr, f.a, Nil)
		}, string(diag.NotOwner)},

		{"with-meta number", func(f *collFixture) Value { return WithMeta(f.Task, Int(1), f.meta) }, string(diag.WrongType)},
		{"with-meta entry", func(f *collFixture) Value { return f.with(f.Entry(f.a, f.b)) }, string(diag.WrongType)},
		{"with-meta 1", func(f *collFixture) Value { return WithMeta(f.Task, f.m, Int(1)) }, string(diag.WrongType)},
	}
	for _, c := range cases {
		f := newFixture()
		if got := result(f.Task, func() Value { return c.do(f) }); got != c.want {
			tt.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func negZero() float64 { return math.Copysign(0, -1) }

// Which operations keep metadata.
func TestMetadata(tt *testing.T) {
	f := newFixture()
	t := f.Task
	t.Owner = 7
	for name, v := range f.seqs() {
		if v.Kind() == KindLazy {
			t.Count(v)
		}
		w := f.with(v)
		if !Identical(MetaOf(w), f.meta) || !MetaOf(v).IsNil() || !Equal(t, v, w) || v.Kind() != w.Kind() {
			tt.Errorf("with-meta of %s", name)
		}
	}
	vec, big, list := f.with(f.ints(2)), f.with(f.vec100), f.with(t.List(ints(2)...))
	hash := f.with(t.HashMapOf(ints(2)))
	for name, v := range map[string]Value{
		"conj vector": t.Conj(vec, Nil), "pop vector": t.Pop(vec), "pop to []": t.Pop(t.Pop(vec)), "assoc vector": t.Assoc(vec, Int(0), Nil),
		"conj big": t.Conj(big, Nil), "pop big": t.Pop(big), "assoc big": t.Assoc(big, Int(0), Nil), "empty vector": t.Empty(vec),
		"conj list": t.Conj(list, Nil), "conj ()": t.Conj(f.with(EmptyList), Nil), "empty list": t.Empty(list), "pop last": t.Pop(f.with(t.List(Nil))),
		"assoc map": t.Assoc(f.with(f.m), f.c, Nil), "dissoc map": t.MapDissoc(f.with(f.m), f.a), "dissoc to {}": t.MapDissoc(t.MapDissoc(f.with(f.m), f.a), f.b),
		"dissoc hash": t.MapDissoc(hash, Int(0)), "assoc hash": t.Assoc(hash, f.a, Nil), "empty hash": t.Empty(hash),
		"grown map": growMap(t, f.with(f.m)), "conj set": t.Conj(f.with(EmptySet), Nil), "empty set": t.Empty(f.with(t.SetOf(Nil))),
		"conj sorted": t.Conj(f.with(f.sorted), t.Vector(Int(9), Nil)), "dissoc field": t.MapDissoc(f.with(f.record), f.a),
		"conj queue": t.Conj(f.with(EmptyQueue), Nil), "pop queue": t.Pop(f.with(f.queue(2))), "empty queue": t.Empty(f.with(f.queue(2))),
	} {
		if !Identical(MetaOf(v), f.meta) {
			tt.Errorf("%s: metadata %s", name, t.PrStr(MetaOf(v)).AsString().S)
		}
	}
	for name, v := range map[string]Value{
		"subvec": t.SubVec(big.AsVector(), 1, 100), "rest list": t.Rest(list), "pop list": t.Pop(list), "seq": t.Seq(vec),
		"next": t.Next(f.with(t.Seq(f.ints(3)))), "transient": t.Persistent(t.Transient(vec)), "next range": t.Next(f.with(t.Range(0, 9, 1))),
	} {
		if !MetaOf(v).IsNil() {
			tt.Errorf("%s has metadata", name)
		}
	}
}

func growMap(t *Task, m Value) Value {
	for _, k := range ints(20) {
		m = t.MapAssoc(m, k, k)
	}
	return m
}
