// This file tests the memory of lazy sequences that are made cell by cell.

package value

import "testing"

func lazyFixture() (*collFixture, *Fn, *Lazy) {
	f := newFixture()
	fn := f.Fn(&FnCode{}, 2)
	return f, fn, f.Lazy(Of(&fn.Header), true).AsLazy()
}

// TestCellKeepsItsBlock: the block of a lazy sequence and its cell counts once, whichever of the two is found.
func TestCellKeepsItsBlock(t *testing.T) {
	f, _, l := lazyFixture()
	rest := f.RealisedLazy(Nil)
	c := f.CellIn(l, Int(1), rest)
	if c == nil || c.Kind() != KindCons || f.CellIn(l, Int(2), rest) != nil {
		t.Fatalf("the room of a lazy sequence must take one cell, got %v", c)
	}
	l.Fn, l.Seq = nil, &c.Header
	for _, root := range []Value{Of(&c.Header), Of(&l.Header)} {
		mk := f.BeginMark()
		mk.Value(root)
		mk.Value(Of(&c.Header))
		if got, want := mk.End(0), sizeLazyCell+sizeLazy+sizeSpare; got != want {
			t.Errorf("a mark found %d bytes, want %d", got, want)
		}
	}
}

// TestCellInNeedsRoom: only a rest that need not be made a sequence goes into the room, and only its owner writes it.
func TestCellInNeedsRoom(t *testing.T) {
	f, _, l := lazyFixture()
	if f.CellIn(l, Int(1), Nil) != nil || f.CellIn(l, Int(1), f.Vector(Int(1))) != nil {
		t.Error("a rest that is no cell and no lazy sequence must not go into the room")
	}
	rest := f.RealisedLazy(Nil)
	if plain := f.RealisedLazy(Nil); f.CellIn(plain.AsLazy(), Int(1), rest) != nil {
		t.Error("a lazy sequence without room took a cell")
	}
	f.Owner++
	if f.CellIn(l, Int(1), rest) != nil {
		t.Error("an evaluation wrote into the lazy sequence of another")
	}
}

// TestThunkIsUsedAgain: the closure of a lazy sequence that has run once is the next closure of its size. One that ran
// twice, one of another evaluation, and one that a mark came after are not.
func TestThunkIsUsedAgain(t *testing.T) {
	for _, c := range []struct {
		name  string
		runs  int
		after func(f *collFixture)
		again bool
	}{
		{"ran once", 1, func(*collFixture) {}, true},
		{"ran twice", 2, func(*collFixture) {}, false},
		{"before a mark", 1, func(f *collFixture) { f.BeginMark().End(0) }, false},
		{"before another evaluation", 1, func(f *collFixture) { f.DropSpare() }, false},
	} {
		f, fn, _ := lazyFixture()
		for range c.runs {
			f.RunThunk(fn)
		}
		f.EndThunk(fn)
		c.after(f)
		used := f.Used()
		next := f.Fn(&FnCode{}, 2)
		if again := next == fn; again != c.again || (f.Used() == used) != c.again {
			t.Errorf("%s: used again is %v, want %v", c.name, again, c.again)
		}
	}
	f, fn, _ := lazyFixture()
	f.Owner++
	f.RunThunk(fn)
	f.EndThunk(fn)
	if f.Fn(&FnCode{}, 2) == fn {
		t.Error("an evaluation took the closure of another")
	}
}
