// This file finds the vector literals that may be made in the memory of an older vector.
//
// A loop such as (loop [[a b] …] (recur [b x])) makes a vector in each turn, and never needs that of the turn before.
// OpVectorIn makes an owned vector, see own.go, and takes the memory of another owned one that nothing reads any more.
// Such a vector has no name; it is in a register that is dead and was not written since. The register must not be a
// second name of a vector that lives on under another one, so every write of it that may be the last one is examined:
//
//   - It may be the result of an OpVectorIn or OpAssocLast, or an OpMove that passes ownership on.
//   - It may be an instruction that never has an owned vector as its result, or a parameter.
//   - It must not be an OpMove that makes a second name. Nor may ownership have been passed on from there since, by an
//     OpMove or an assoc, nor may a call have had its window over the register.

package compile

import "slices"

// maxReused is the largest number of values of a vector that is made in place. The machine has vectors of up to this
// length in one block.
const maxReused = 8

// maxOldReg is the first register that OpVectorIn cannot name, because its last operand holds the number of values too.
const maxOldReg = 1 << 13

// writes are the instructions that write the registers of owned vectors.
type writes struct {
	passed map[int]bool // OpMove, with the ownership
	named  map[int]bool // OpMove, which makes a second name
	made   map[int]bool // literals
	regs   []int        // registers that may hold an owned vector
}

// canReuse reports whether the instruction at pc makes a vector that may be one in place.
func (o *owners) canReuse(pc int) bool {
	in, end := o.p.Code[pc], pc+1
	return in.Op() == OpVector && in.C() > 0 && in.C() <= maxReused && end < len(o.p.Code) &&
		o.p.Code[end].Op() != OpReturn
}

// findReuse finds the old registers of the vector literals at sites. A literal without one makes no owned
// vector, so the literals that depend on it are examined again.
func (o *owners) findReuse(sites []int) {
	o.old = make(map[int]int)
	sites = slices.DeleteFunc(slices.Clone(sites), func(pc int) bool { return !o.clean(o.result(pc)) })
	for n := -1; n != len(sites) && len(sites) > 0; {
		n = len(sites)
		w := o.writesOf(sites)
		for pc := range o.last {
			if o.last[pc] {
				o.addWrites(&w, o.result(pc))
			}
		}
		clear(o.old)
		sites = slices.DeleteFunc(sites, func(pc int) bool {
			least := 0
			for _, r := range w.regs {
				if n := o.since(r, pc, &w); n > 0 && (least == 0 || n < least) {
					o.old[pc], least = r, n
				}
			}
			return least == 0
		})
	}
}

// writesOf follows the vectors that the literals at sites make.
func (o *owners) writesOf(sites []int) writes {
	w := writes{passed: make(map[int]bool), named: make(map[int]bool), made: make(map[int]bool)}
	for _, site := range sites {
		w.made[site] = true
		for _, r := range append(o.addWrites(&w, o.result(site)), o.result(site).reg) {
			if r < maxOldReg && !slices.Contains(w.regs, r) {
				w.regs = append(w.regs, r)
			}
		}
	}
	return w
}

// addWrites follows a vector that may be owned, and returns the registers that it is passed to.
func (o *owners) addWrites(w *writes, d definition) (regs []int) {
	o.follow(d, func(pc, _ int, kept bool) {
		switch {
		case o.p.Code[pc].Op() != OpMove:
		case kept:
			w.passed[pc] = true
			regs = append(regs, o.result(pc).reg)
		default:
			w.named[pc] = true
		}
	})
	return regs
}

// since returns 0 if register r holds no owned vector when the instruction at site makes a vector, or may hold one that
// lives on, else the number of instructions that may run between its last write and site. The register that was written
// last is the most likely to hold the vector of the last turn.
func (o *owners) since(r, site int, w *writes) int {
	in := o.p.Code[site]
	if r != int(in.A()) && o.isLive(r, site+1) || r >= int(in.B()) && r < int(in.B())+int(in.C()) {
		return 0
	}
	n, owned := 0, false
	seen := make([]bool, len(o.p.Code)+1)
	for todo := []int{site}; len(todo) > 0; {
		pc := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[pc] {
			continue
		}
		seen[pc] = true
		n++
		if pc == 0 && r >= o.p.Params { // the value that an earlier call has left there
			return 0
		}
		for _, e := range o.before()[pc] {
			does := leaves
			if !e.failed {
				does = o.does(e.pc, r, w)
			}
			switch does {
			case spoils:
				return 0
			case sets:
				owned = owned || w.made[e.pc] || w.passed[e.pc]
			case leaves:
				todo = append(todo, e.pc)
			}
		}
	}
	if !owned {
		return 0
	}
	return n
}

// doing is the use of a register by an instruction.
type doing uint8

const (
	leaves doing = iota // it does not touch it
	sets                // it writes it, with something that may be reused or is not owned
	spoils              // it makes it a second name of a vector
)

func (o *owners) does(pc, r int, w *writes) doing {
	in, e := o.p.Code[pc], o.p.operandsAt(pc)
	switch in.Op() {
	case OpCall, OpCallG, OpCallS, OpCallK, OpCallN, OpMethod, OpMethodN, OpApply:
		if r > int(in.A()) {
			return spoils
		}
	case OpMove, OpShare:
		if w.named[pc] && r == int(in.A()) || w.passed[pc] && r == int(in.B()) {
			return spoils
		}
	case OpAssoc:
		if r == int(in.B()) && r != int(in.A()) { // the result may be the same vector
			return spoils
		}
	case OpIterNext, OpSortNext: // they write nothing when they jump
		return leaves
	}
	if r >= e.def && r < e.def+e.defs {
		return sets
	}
	return leaves
}

// edge is an instruction that may run before another. failed means that it threw an exception, and wrote nothing.
type edge struct {
	pc     int
	failed bool
}

// before returns the instructions that may run before each one.
func (o *owners) before() [][]edge {
	if o.preds == nil {
		o.preds = make([][]edge, len(o.p.Code)+1)
		for pc := 0; pc < len(o.p.Code); {
			e := o.p.operandsAt(pc)
			for _, s := range e.succ {
				if s >= 0 {
					o.preds[s] = append(o.preds[s], edge{pc, false})
				}
			}
			if h := o.handlers[pc]; h != nil {
				o.preds[h.Target] = append(o.preds[h.Target], edge{pc, true})
			}
			pc += e.size
		}
	}
	return o.preds
}
