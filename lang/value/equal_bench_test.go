package value

// This file defines benchmarks of arithmetic, equality, hashing and printing.

import "testing"

func BenchmarkValues(b *testing.B) {
	t := oracleTask(b)
	read := func(s string) Value { return readTable(t, s) }
	v1, v2 := read("[1 2 3 4 5 6 7 8 9 10]"), read("[1 2 3 4 5 6 7 8 9 10]")
	m1, m2 := read("{:a 1 :b 2 :c 3}"), read("{:c 3 :b 2 :a 1}")
	s1, s2 := t.CopyString("the quick brown fox"), t.CopyString("the quick brown fox")
	l1, l2 := read("(1 2 3)"), read("[1 2 3]")
	f, i, n, r, d := Float(1.5), Int(3), read("5N"), read("1/3"), read("1.50M")
	nested := read(`{:name "x" :tags ["a" "b"] :n 12 :pos {:x 1.5 :y -2}}`)
	for name, op := range map[string]func(){
		"add-int":        func() { Add(t, i, i) },
		"add-int-float":  func() { Add(t, i, f) },
		"add-float":      func() { Add(t, f, f) },
		"add-big":        func() { Add(t, n, i) },
		"add-ratio":      func() { Add(t, r, i) },
		"add-decimal":    func() { Add(t, d, d) },
		"div-int":        func() { Div(t, Int(6), i) },
		"lt-int-float":   func() { Lt(t, i, f) },
		"compare-int":    func() { Compare(t, i, Int(4)) },
		"compare-string": func() { Compare(t, s1, s2) },
		"equal-string":   func() { Equal(t, s1, s2) },
		"equal-vector":   func() { Equal(t, v1, v2) },
		"equal-map":      func() { Equal(t, m1, m2) },
		"equal-list-vec": func() { Equal(t, l1, l2) },
		"hash-pair":      func() { Hash(t, t.pair(i, i)) },
		"hash-list":      func() { Hash(t, l1) },
		"hash-map":       func() { as[ArrayMap](m1).hash = 0; Hash(t, m1) },
		"pr-nested":      func() { t.PrStr(nested) },
		"str-int":        func() { t.Str(i) },
		"show-nested":    func() { Show(t, nested) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				t.SetUsed(0)
				op()
			}
		})
	}
}
