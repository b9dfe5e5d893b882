package compile

import (
	"slices"
	"testing"
)

// proto makes a function of hand-written code.
func proto(regs int, code ...Instr) *Proto {
	return &Proto{Regs: regs, Code: code}
}

// liveAt returns the registers live at pc.
func liveAt(p *Proto, pc int, called bool) []int {
	var live []int
	p.Live(pc, called, func(reg int, ok bool) {
		if ok {
			live = append(live, reg)
		}
	})
	return live
}

func TestLiveStraight(t *testing.T) {
	p := proto(4,
		NewInstr(OpInt, 0, 1, 0),
		NewInstr(OpInt, 1, 2, 0),
		NewInstr(OpAdd, 2, 0, 1),
		NewInstr(OpReturn, 2, 0, 0))
	for pc, want := range [][]int{nil, {0}, {0, 1}, {2}} {
		if got := liveAt(p, pc, false); !slices.Equal(got, want) {
			t.Errorf("before %d: live %v, want %v", pc, got, want)
		}
	}
}

// TestLiveLoop checks that a register read in the next turn of a loop stays live
// around the jump back.
func TestLiveLoop(t *testing.T) {
	back := -4
	p := proto(3,
		NewInstr(OpInt, 0, 0, 0),                     // 0: r0 = 0
		NewInstr(OpJFalse, 1, 0, 2),                  // 1: unless r1 go to 4
		NewInstr(OpAdd, 0, 0, 1),                     // 2: r0 = r0 + r1
		Instr(OpLoop)|Instr(uint32(int32(back)))<<32, // 3: back to 0 + …
		NewInstr(OpReturn, 0, 0, 0))
	if got := liveAt(p, 3, false); !slices.Equal(got, []int{1}) {
		t.Errorf("at the jump back: live %v, want [1]: r0 is written again before it is read", got)
	}
	if got := liveAt(p, 2, false); !slices.Equal(got, []int{0, 1}) {
		t.Errorf("in the loop: live %v, want [0 1]", got)
	}
}

// TestLiveCall checks that neither the arguments nor the result of a call are live while it runs.
func TestLiveCall(t *testing.T) {
	p := proto(6,
		NewInstr(OpCall, 2, 1, 1), 0, // r1 = r2(r3)
		NewInstr(OpAdd, 0, 0, 1),
		NewInstr(OpReturn, 0, 0, 0))
	if got := liveAt(p, 0, false); !slices.Equal(got, []int{0, 2, 3}) {
		t.Errorf("before the call: live %v, want [0 2 3]", got)
	}
	if got := liveAt(p, 0, true); !slices.Equal(got, []int{0}) {
		t.Errorf("during the call: live %v, want [0]", got)
	}
}

// TestLiveHandler checks that values that a handler reads are live wherever it may be entered from.
func TestLiveHandler(t *testing.T) {
	p := proto(6,
		NewInstr(OpCall, 3, 0, 1), 0, // 0: r1 = r3()
		NewInstr(OpReturn, 1, 0, 0), // 2
		NewInstr(OpAdd, 2, 2, 0),    // 3: the handler reads r2 and r0, the exception
		NewInstr(OpReturn, 2, 0, 0))
	p.Handlers = []Handler{{Start: 0, End: 2, Target: 3, Reg: 0}}
	if got := liveAt(p, 0, true); !slices.Equal(got, []int{2}) {
		t.Errorf("during the call: live %v, want [2]", got)
	}
	if got := liveAt(p, 2, false); !slices.Equal(got, []int{1}) {
		t.Errorf("behind the region: live %v, want [1]", got)
	}
}

// TestCleared: while a call runs, the frame keeps only the values that are read after it, and not the head
// of a sequence that the call walks.
func TestCleared(t *testing.T) {
	for _, c := range []struct {
		source, callee string
		want           []int
	}{
		{"(fn [xs] (count xs))", "count", nil},
		{"(fn [xs] (let [s (rest xs)] (count s)))", "count", nil},
		{"(fn [xs] (let [s (rest xs) n (count s)] n))", "count", nil},
		{"(fn [xs] (let [n (count xs)] [n xs]))", "count", []int{0}},
		{"(fn [a xs] (let [n (count xs)] [n a]))", "count", []int{0}},
		{"(fn [a xs] (if a (count xs) xs))", "count", nil},
		{"(fn [xs] (loop [s (seq xs)] (if s (recur (drop 1 s)) nil)))", "drop", nil},
		{"(fn [xs] (loop [s (seq xs) n 0] (if s (recur (drop 1 s) n) n)))", "drop", []int{3}},
	} {
		p := codeOf(t, c.source)
		found := false
		each(p, func(pc int, i Instr) {
			if i.Op() != OpCallK || FnOf(p.Consts[p.Code[pc+1].Wide()].AsFn()).Name != c.callee {
				return
			}
			found = true
			if got := liveAt(p, pc, true); !slices.Equal(got, c.want) {
				t.Errorf("%s: registers %v are live during %s, want %v", c.source, got, c.callee, c.want)
			}
		})
		if !found {
			t.Errorf("%s: no call of %s: %s", c.source, c.callee, show(p))
		}
	}
}
