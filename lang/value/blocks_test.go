// This file tests arrays of values in several blocks.

package value

import "testing"

// lengths are the lengths around the ends of blocks.
var lengths = []int{0, 1, 8, BlockVals - 1, BlockVals, BlockVals + 1, 2 * BlockVals, 2*BlockVals + 77}

func TestBlocks(tt *testing.T) {
	t := newTask()
	for _, n := range lengths {
		var pushed Blocks
		made := t.Blocks(n)
		for i := range n {
			pushed.Push(t, Int(int64(i)))
			*made.At(i) = Int(int64(i))
		}
		of, next := t.BlocksOf(t.Range(0, int64(n), 1)), 0
		for name, b := range map[string]Blocks{"made": made, "pushed": pushed, "of a range": of,
			"copied": t.CopyBlocks(&made)} {
			if b.Len() != n {
				tt.Fatalf("%s: %d values, want %d", name, b.Len(), n)
			}
			next = 0
			for from, vals := range b.All() {
				if from != next || len(vals) > BlockVals {
					tt.Fatalf("%s: a block of %d at %d, want it at %d", name, len(vals), from, next)
				}
				for i := range vals {
					if vals[i].AsInt() != int64(next) || b.At(next) != &vals[i] {
						tt.Fatalf("%s: place %d has %d", name, next, vals[i].AsInt())
					}
					next++
				}
			}
			v := b.Vector(t, min(3, n))
			if c := t.Count(v); c != n-min(3, n) || c > 0 && VecNth(v.AsVector(), c-1).AsInt() != int64(n-1) {
				tt.Fatalf("%s: a vector of %d", name, c)
			}
			if c := t.Count(b.Onto(t, Nil)); c != n {
				tt.Fatalf("%s: a sequence of %d, want %d", name, c, n)
			}
		}
	}
}

// Move works for ranges that begin and end in any blocks.
func TestBlocksMove(tt *testing.T) {
	t := newTask()
	n := 2*BlockVals + 77
	src := t.BlocksOf(t.Range(0, int64(n), 1))
	for _, c := range []struct{ to, from, end int }{{0, 0, n}, {5, 0, n - 5}, {0, 5, n}, {BlockVals - 1, BlockVals + 1, n},
		{7, 9, 9}, {3, 2 * BlockVals, n}} {
		dst := t.Blocks(n)
		dst.Move(t, c.to, &src, c.from, c.end)
		for i := range n {
			want := Nil
			if i >= c.to && i < c.to+c.end-c.from {
				want = Int(int64(i - c.to + c.from))
			}
			if *dst.At(i) != want {
				tt.Fatalf("%v: place %d has %v", c, i, *dst.At(i))
			}
		}
	}
}

// The charge of an array equals the live size that a mark finds, however it grew.
func TestBlocksChargedIsLive(tt *testing.T) {
	for _, n := range lengths {
		t := newTask()
		t.SetUsed(0)
		var b Blocks
		for i := range n {
			b.Push(t, Int(int64(i)))
		}
		box := t.BoxOf(b)
		if charged, live := t.Used(), liveOf(t, box); live != charged || live != sizeBox+b.Size() {
			tt.Errorf("%d values: charged %d, live %d, size %d", n, charged, live, b.Size())
		}
		for b.Len() > 0 {
			was := b.Len()
			b.DropFirst(t, min(was, BlockVals-3))
			if b.Len() != max(0, was-(BlockVals-3)) || b.Len() > 0 && b.At(b.Len()-1).AsInt() != int64(n-1) {
				tt.Fatalf("%d values: %d are left of %d", n, b.Len(), was)
			}
		}
	}
}
