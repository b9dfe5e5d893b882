// This file measures the collections, in ns per element.

package value

import (
	"strconv"
	"syscall"
	"testing"
	"time"
)

// cpuTime returns the processor time of the process. Other load on the machine affects it less than
// wall time.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// perElement runs f in a loop and reports the processor time per element.
func perElement(b *testing.B, n int, f func()) {
	start := cpuTime()
	for b.Loop() {
		f()
	}
	b.ReportMetric(float64(cpuTime()-start)/float64(b.N)/float64(n), "cpu-ns/elem")
	b.ReportMetric(0, "ns/op")
}

var sink Value

func keywords(t *Task, n int) []Value {
	ks := make([]Value, n)
	for i := range ks {
		ks[i] = t.Keyword("", "key"+strconv.Itoa(i))
	}
	return ks
}

// benchTask returns a task that never fills its account.
func benchTask() *Task {
	t := newTask()
	t.Start(testContext, 1<<62, 1<<62, testTimeout)
	return t
}

func BenchmarkMapGetKeyword(b *testing.B) {
	for _, n := range []int{2, 4, 8, 32, 1000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			t := benchTask()
			ks := keywords(t, n)
			m := EmptyMap
			for _, k := range ks {
				m = t.MapAssoc(m, k, k)
			}
			perElement(b, n, func() {
				for _, k := range ks {
					sink, _ = t.MapGet(m, k)
				}
			})
		})
	}
}

func benchKeys(kind string, t *Task, n int) []Value {
	ks := make([]Value, n)
	for i := range ks {
		switch kind {
		case "int":
			ks[i] = Int(int64(i))
		case "str":
			ks[i] = t.String("name" + strconv.Itoa(i))
			Hash(t, ks[i])
		}
	}
	return ks
}

func BenchmarkMapGet(b *testing.B) {
	for _, kind := range []string{"int", "str"} {
		for _, n := range []int{8, 100, 10_000, 100_000} {
			b.Run(kind+strconv.Itoa(n), func(b *testing.B) {
				t := benchTask()
				ks := benchKeys(kind, t, n)
				m := t.Transient(EmptyMap)
				for _, k := range ks {
					t.TAssoc(m, k, k)
				}
				m = t.Persistent(m)
				perElement(b, n, func() {
					for _, k := range ks {
						sink, _ = t.MapGet(m, k)
					}
				})
			})
		}
	}
}

func BenchmarkMapAssoc(b *testing.B) {
	for _, kind := range []string{"int", "str"} {
		for _, n := range []int{8, 100, 10_000, 100_000} {
			b.Run(kind+strconv.Itoa(n), func(b *testing.B) {
				t := benchTask()
				ks := benchKeys(kind, t, n)
				perElement(b, n, func() {
					m := EmptyMap
					for _, k := range ks {
						m = t.MapAssoc(m, k, k)
					}
					sink = m
				})
			})
		}
	}
}

func BenchmarkTransientAssoc(b *testing.B) {
	for _, kind := range []string{"int", "str"} {
		for _, n := range []int{4, 8, 100, 10_000, 100_000} {
			b.Run(kind+strconv.Itoa(n), func(b *testing.B) {
				t := benchTask()
				ks := benchKeys(kind, t, n)
				perElement(b, n, func() {
					m := t.Transient(EmptyMap)
					for _, k := range ks {
						t.TAssoc(m, k, k)
					}
					sink = t.Persistent(m)
				})
			})
		}
	}
}

func BenchmarkTransientUpdate(b *testing.B) {
	t := benchTask()
	ks := benchKeys("int", t, 1000)
	m := t.Transient(EmptyMap)
	for _, k := range ks {
		t.TAssoc(m, k, k)
	}
	perElement(b, len(ks), func() {
		for _, k := range ks {
			x, _ := t.TGet(m, k)
			t.TAssoc(m, k, Int(x.AsInt()+1))
		}
	})
}

func BenchmarkVecConj(b *testing.B) {
	for _, n := range []int{4, 100, 100_000} {
		b.Run("persistent"+strconv.Itoa(n), func(b *testing.B) {
			t := benchTask()
			perElement(b, n, func() {
				v := EmptyVector
				for i := range n {
					v = t.vecConj(v.AsVector(), Int(int64(i)))
				}
				sink = v
			})
		})
		b.Run("transient"+strconv.Itoa(n), func(b *testing.B) {
			t := benchTask()
			perElement(b, n, func() {
				v := t.Transient(EmptyVector)
				for i := range n {
					t.TConj(v, Int(int64(i)))
				}
				sink = t.Persistent(v)
			})
		})
	}
}

func BenchmarkVecPair(b *testing.B) {
	t := benchTask()
	perElement(b, 1, func() { sink = t.Vector(True, False) })
}

func benchVector(t *Task, n int) Value {
	v := t.Transient(EmptyVector)
	for i := range n {
		t.TConj(v, Int(int64(i)))
	}
	return t.Persistent(v)
}

func BenchmarkVecNth(b *testing.B) {
	for _, n := range []int{8, 1000, 100_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			t := benchTask()
			v := benchVector(t, n).AsVector()
			perElement(b, n, func() {
				for i := range n {
					sink = VecNth(v, i)
				}
			})
		})
	}
}

func BenchmarkVecAssoc(b *testing.B) {
	for _, n := range []int{8, 1000, 100_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			t := benchTask()
			v := benchVector(t, n)
			perElement(b, n, func() {
				for i := range n {
					v = t.vecAssoc(v.AsVector(), i, True)
				}
			})
		})
	}
}

func BenchmarkIterate(b *testing.B) {
	t := benchTask()
	const n = 10_000
	m, small := EmptyMap, EmptyMap
	for i := range n {
		m = t.MapAssoc(m, Int(int64(i)), Nil)
	}
	for i := range 5 {
		small = t.MapAssoc(small, Int(int64(i)), Nil)
	}
	b.Run("hashmap", func(b *testing.B) {
		perElement(b, n, func() {
			for it := NewMapIter(m); it.Next(); {
				sink = it.Key
			}
		})
	})
	b.Run("smallmap", func(b *testing.B) {
		perElement(b, 5, func() {
			for it := NewMapIter(small); it.Next(); {
				sink = it.Key
			}
		})
	})
	sorted := EmptySorted(t)
	for i := range n {
		sorted = t.MapAssoc(sorted, Int(int64(i)), Nil)
	}
	b.Run("sortedmap", func(b *testing.B) {
		perElement(b, n, func() {
			for it := NewMapIter(sorted); it.Next(); {
				sink = it.Key
			}
		})
	})
	for name, coll := range map[string]Value{"vector": benchVector(t, n), "range": t.Range(0, n, 1), "entries": m,
		"list": t.List(t.ToVals(benchVector(t, n))...)} {
		b.Run(name, func(b *testing.B) {
			perElement(b, n, func() {
				for it := t.Iter(coll); ; {
					x, ok := it.Next()
					if !ok {
						break
					}
					sink = x
				}
			})
		})
	}
}

func EmptySorted(t *Task) Value { return t.SortedMapOf(Nil, nil) }

func BenchmarkSortedAssoc(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			t := benchTask()
			perElement(b, n, func() {
				m := EmptySorted(t)
				for i := range n {
					m = t.MapAssoc(m, Int(int64(i*7919%n)), Nil)
				}
				sink = m
			})
		})
	}
}
