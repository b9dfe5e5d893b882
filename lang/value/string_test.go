// This file tests how strings and builders are made.

package value

import (
	"runtime"
	"strings"
	"testing"
)

func TestStringCharge(tt *testing.T) {
	const times = 1000
	t := oracleTask(tt)
	t.SetUsed(0)
	keep := make([]Value, times)
	for n := range 200 {
		text := strings.Repeat("x", n)
		var got, charged int64
		for range 5 { // allocations of the runtime in the meantime count too
			var before, after runtime.MemStats
			used := t.Used()
			runtime.ReadMemStats(&before)
			for i := range keep {
				keep[i] = t.CopyString(text)
			}
			runtime.ReadMemStats(&after)
			if got, charged = int64(after.TotalAlloc-before.TotalAlloc), t.Used()-used; got <= charged+4096 {
				break
			}
		}
		if got > charged+4096 {
			tt.Errorf("%d strings of %d bytes: %d bytes allocated, %d charged", times, n, got, charged)
		}
		if live := liveBytes(t, keep[0]); n > 0 && live != stringSize(n) {
			tt.Errorf("string of %d bytes: %d live, want %d", n, live, stringSize(n))
		}
		t.SetUsed(0)
	}
}

// TestBuilders checks that nested builders do not share a block, and that the block of an ended
// builder is used again.
func TestBuilders(tt *testing.T) {
	t := oracleTask(tt)
	for n := range 100 {
		outer, inner := t.Buf(), t.Buf()
		vals, more := t.ValBuf(), t.ValBuf()
		for i := range n {
			outer.WriteString("outer ")
			inner.WriteString("in ")
			vals.Add(Int(int64(i)))
			more.Add(Int(int64(-i)))
		}
		if got, want := inner.Value().AsString().S, strings.Repeat("in ", n); got != want {
			tt.Fatalf("inner: got %q, want %q", got, want)
		}
		if got, want := outer.Value().AsString().S, strings.Repeat("outer ", n); got != want {
			tt.Fatalf("outer: got %q, want %q", got, want)
		}
		a, row := vals.Vector(), more.Vals()
		b := row.Vals
		if t.Count(a) != n || len(b) != n {
			tt.Fatalf("got %d and %d values, want %d", t.Count(a), len(b), n)
		}
		for i := range n {
			if VecNth(a.AsVector(), i).AsInt() != int64(i) || b[i].AsInt() != int64(-i) {
				tt.Fatalf("wrong value at %d of %d", i, n)
			}
		}
	}
	if t.buf.t != nil || t.vals.t != nil {
		tt.Error("the first builders are still in use")
	}
}
