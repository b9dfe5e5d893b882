// This file tests builders that pass their output on.

package value

import (
	"math/rand"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ptc-lang/ptc/internal/testlevel"
)

// TestBufTo writes strings of all lengths around the size of the block. It checks that the builder passes
// on all of the text, in whole characters, and never holds more than was charged at first.
func TestBufTo(tt *testing.T) {
	t := oracleTask(tt)
	for _, piece := range []string{"x", "é", "日本", "😀", strings.Repeat("aé", 9_999), strings.Repeat("日", 40_000)} {
		for _, ahead := range []int{0, 1, 63, 255, 256, passedBytes - 2, passedBytes - 1, passedBytes} {
			var got strings.Builder
			t.ResetWalk()
			b := t.BufTo(func(p []byte) {
				if !utf8.Valid(p) || len(p) > passedBytes || len(p) == 0 {
					tt.Errorf("%.20q: got a part of %d bytes, want one of whole characters and %d bytes at most", piece, len(p),
						passedBytes)
				}
				got.Write(p)
			})
			held := b.Held()
			want := strings.Repeat(".", ahead)
			for range ahead {
				b.WriteByte('.')
			}
			for range 3 {
				b.WriteString(piece)
				want += piece
			}
			b.Flush()
			if got.String() != want {
				tt.Errorf("%d bytes and %.20q: got %d bytes, want %d", ahead, piece, got.Len(), len(want))
			}
			if b.Held() != held {
				tt.Errorf("%d bytes and %.20q: %d bytes charged while writing", ahead, piece, b.Held()-held)
			}
		}
	}
}

// TestPrintingLetsGo prints numbers whose strings take many times the account to make.
func TestPrintingLetsGo(tt *testing.T) {
	t := oracleTask(tt)
	n := t.BigInt(randomBig(rand.New(rand.NewSource(1)), 60_000))
	var vals []Value
	count := testlevel.Size(200, 1000)
	for range count {
		vals = append(vals, n)
	}
	v := t.Vector(vals...)
	t.ResetWalk()
	size := 0
	b := t.BufTo(func(p []byte) { size += len(p) })
	held := b.Held()
	t.PrintTo(b, v, true)
	b.Flush()
	if b.Held() != held || size < count*60_000*3/10 {
		tt.Errorf("%d bytes written, and %d stay charged", size, b.Held()-held)
	}
}
