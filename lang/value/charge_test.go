package value

// This file checks that numbers, strings and buffers charge at least the bytes that they allocate.

import (
	"fmt"
	"math/big"
	"math/rand"
	"runtime"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/lang/internal/num"
)

// charged calls f and returns the bytes charged and the bytes allocated. If more is allocated than
// charged, it takes the minimum of three runs, as the runtime allocates too.
func charged(t *Task, f func()) (charged, allocated int64) {
	allocated = 1 << 60
	for range 3 {
		var before, after runtime.MemStats
		t.SetUsed(0)
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		charged = t.Used()
		allocated = min(allocated, int64(after.TotalAlloc-before.TotalAlloc))
		if allocated <= charged {
			break
		}
	}
	return charged, allocated
}

func randomBig(r *rand.Rand, bits int) *big.Int {
	n := new(big.Int).Rand(r, new(big.Int).Lsh(big.NewInt(1), uint(bits)))
	return n.SetBit(n, bits-1, 1)
}

// largeNumbers returns numbers of every class with about the given bits.
func largeNumbers(t *Task, r *rand.Rand, bits int) []Value {
	n, d := randomBig(r, bits), randomBig(r, bits)
	return []Value{
		Int(r.Int63()), t.BigInt(n), t.ratio(new(big.Rat).SetFrac(n, d)),
		t.Decimal(num.NewDecimal(n, int32(r.Intn(bits)))), t.Decimal(num.NewDecimal(d, 2)),
	}
}

func TestNumberCharges(tt *testing.T) {
	t := oracleTask(tt)
	r := rand.New(rand.NewSource(1))
	for _, bits := range []int{1, 64, 100, 3000, 100000} {
		vs := largeNumbers(t, r, bits)
		check := func(what string, f func()) {
			class := ""
			c, a := charged(t, func() { class, _ = thrown(t, f) })
			switch {
			case class != "":
				a -= 2048 // for making the message
			case strings.Contains(what, "str"):
				c = 3*c + 64 // a buffer credits the blocks that it outgrew
			}
			if a > c {
				tt.Errorf("%s of %d bits: charged %d, allocated %d", what, bits, c, a)
			}
		}
		for name, op := range binaryOps {
			for i, a := range vs {
				for j, b := range vs {
					if strings.HasPrefix(name, "bit") || !testlevel.Takes(i+j, 6) {
						continue
					}
					check(fmt.Sprintf("(%s %s %s)", name, KindName(a.Kind()), KindName(b.Kind())), func() { op(t, a, b) })
				}
			}
		}
		for name, op := range unaryOps {
			for _, a := range vs {
				check(fmt.Sprintf("(%s %s)", name, KindName(a.Kind())), func() { op(t, a) })
			}
		}
		for _, text := range []string{randomBig(r, min(bits, 13000)).String(),
			"1" + strings.Repeat("0", min(bits, 13000)/4) + "1M", randomBig(r, min(bits, 13000)).String() + "/7"} {
			check("reading", func() { must(t.ParseNumber(text)) })
			check("reading", func() { BigIntOf(t, ConstString(text)) })
			check("reading", func() { ToDecimal(t, ConstString(text)) })
		}
	}
}

func must(v Value, err error) {
	if err != nil {
		panic(err)
	}
}

func TestBufCharges(tt *testing.T) {
	t := oracleTask(tt)
	for _, n := range []int{0, 1, 2, 15, 16, 63, 64, 65, 100, 1000, 5000, 40000, 1 << 20} {
		var v Value
		c, a := charged(t, func() {
			b := t.Buf()
			for b.Len() < n {
				b.WriteString("0123456789"[:min(10, n-b.Len())])
			}
			v = b.Value()
		})
		// The memory that grow credits was allocated too: the blocks before the last.
		if a > 5*c+64 {
			tt.Errorf("Buf of %d: charged %d, allocated %d", n, c, a)
		}
		if live := liveBytes(t, v); live > c || len(v.AsString().S) != n {
			tt.Errorf("Buf of %d: charged %d, live %d, length %d", n, c, live, len(v.AsString().S))
		}
		var row Blocks
		c, a = charged(t, func() {
			b := t.ValBuf()
			for b.Len() < n {
				b.Add(Int(int64(n)))
			}
			row = b.Vals()
		})
		if a > 5*c+64 || row.Len() != n || row.Size() > c {
			tt.Errorf("ValBuf of %d: charged %d, allocated %d, length %d", n, c, a, row.Len())
		}
	}
}

func liveBytes(t *Task, v Value) int64 {
	m := t.BeginMark()
	m.Value(v)
	return m.End(0)
}

func TestBufMax(tt *testing.T) {
	t := oracleTask(tt)
	for max := 1; max < 12; max++ {
		b := t.Buf()
		b.Max = max
		b.WriteString("aé日")
		b.WriteByte('x')
		b.WriteRune('😀')
		full := "aé日x😀"
		if !strings.HasPrefix(full, b.String()) || b.Len() > max {
			tt.Errorf("Max %d: got %q", max, b.String())
		}
		if b.Full() != (max < len(full)) || b.Len()+int(b.Dropped) != len(full) {
			tt.Errorf("Max %d: got %q, %d dropped", max, b.String(), b.Dropped)
		}
	}
	b := t.Buf()
	b.Max = 100
	t.PrintTo(b, t.Range(0, 1<<60, 1), true)
	if !b.Full() || b.Len() != 100 {
		tt.Errorf("printing a long range into 100 bytes: %d bytes", b.Len())
	}
}
