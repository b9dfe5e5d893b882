// This file finds the calls of assoc that may change a vector in place. Literals are in own_literal.go.
//
// A vector is owned while one register refers to it, and nothing else. OpAssocLast makes owned vectors: it consumes its
// operand, which nothing reads afterwards, and changes it in place if it is owned. Whether a vector is owned is a fact
// of the vector, not of the code: the first turn of a loop may get one that others refer to, which is copied. The
// compiler only ensures that an owned vector never gets a second reference. So it follows the result of each OpAssoc to
// the instructions that read it:
//
//   - An instruction that only looks at the vector may read it.
//   - OpMove may pass it on if nothing reads its operand afterwards, or make a short-lived second name for it; see
//     peeks. Otherwise OpMove becomes OpShare, which ends the ownership.
//   - OpReturn becomes OpReturnShare.
//   - OpAssocLast may consume it, and OpAssoc ends the ownership.
//   - A literal may take its memory once nothing reads it; see own_literal.go.
//
// If anything else reads the result, such as a call or a closure, the OpAssoc is not changed. An exception in the
// middle of a loop makes no difference: registers that a handler reads are live.

package compile

import (
	"sync"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/value"
)

// maxOwned bounds the calls of assoc in a function that is examined, because the time is proportional to their number
// and to the length of the code.
const maxOwned = 64

// owners examines one function.
type owners struct {
	p        *Proto
	live     *liveness
	handlers []*Handler
	last     map[int]bool // the calls of assoc that may become OpAssocLast, and the literals that are in old
	old      map[int]int  // the literals that may become OpVectorIn, with the register of the vector that they replace
	preds    [][]edge     // see before
	count    func() value.Value
}

// definition is a write of a register, and the instruction after it.
type definition struct{ reg, pc int }

// ownVectors turns calls of assoc into OpAssocLast, and literals into OpVectorIn, where that is possible.
func (f *fn) ownVectors() {
	p := f.proto
	o := &owners{p: p, last: make(map[int]bool)}
	var sites, literals []int
	for pc := 0; pc < len(p.Code); pc += p.operandsAt(pc).size {
		if p.Code[pc].Op() == OpAssoc {
			sites = append(sites, pc)
		} else if f.loops && o.canReuse(pc) {
			literals = append(literals, pc)
		}
	}
	if len(sites)+len(literals) > maxOwned {
		literals = nil
	}
	if len(sites) > maxOwned || len(sites)+len(literals) == 0 {
		return
	}
	f.c.t.Work(int64(len(p.Code) * (len(sites) + 2*len(literals) + 1)))
	o.live = p.computeLiveness()
	if o.live.words == 0 {
		return
	}
	p.live.Store(o.live)
	o.handlers = p.innermostHandlers()
	o.count = sync.OnceValue(func() value.Value { return f.c.preludeFn(builtins.Core("count")) })
	for _, pc := range sites {
		o.last[pc] = o.consumes(pc) && o.clean(o.result(pc))
	}
	o.findReuse(literals)
	for pc := range o.old {
		o.last[pc] = true
	}
	sites = append(sites, literals...)
	o.drop(sites)
	o.rewrite(sites)
}

func (o *owners) result(pc int) definition {
	return definition{int(o.p.Code[pc].A()), pc + o.p.operandsAt(pc).size}
}

// isLive reports whether a register is live before an instruction.
func (o *owners) isLive(reg, pc int) bool { return o.live.at(pc)[reg>>6]>>(reg&63)&1 != 0 }

// consumes reports whether nothing reads the collection of the assoc at pc afterwards, and it is no other operand.
func (o *owners) consumes(pc int) bool {
	in, val := o.p.Code[pc], o.p.Code[pc+1].A()
	return in.B() != in.C() && in.B() != val && (in.B() == in.A() || !o.isLive(int(in.B()), pc+CallSize))
}

// uses visits the instructions at which a definition is live, with whether they read it, until visit returns false.
func (o *owners) uses(d definition, visit func(pc int, reads bool) bool) bool {
	seen := make([]bool, len(o.p.Code))
	todo := []int{d.pc}
	for len(todo) > 0 {
		pc := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if pc < 0 || pc >= len(seen) || seen[pc] || !o.isLive(d.reg, pc) {
			continue
		}
		seen[pc] = true
		e := o.p.operandsAt(pc)
		reads := false
		o.p.reads(pc, &e, func(i int) { reads = reads || i == d.reg })
		if !visit(pc, reads) {
			return false
		}
		if h := o.handlers[pc]; h != nil && int(h.Reg) != d.reg {
			todo = append(todo, int(h.Target))
		}
		if d.reg < e.def || d.reg >= e.def+e.defs {
			todo = append(todo, e.succ[:]...)
		}
	}
	return true
}

// clean reports whether the value of a definition is never read by an instruction that can make another reference to
// it, other than the kinds that rewrite changes.
func (o *owners) clean(d definition) bool {
	return o.uses(d, func(pc int, reads bool) bool {
		if !reads {
			return true
		}
		switch in := o.p.Code[pc]; in.Op() {
		case OpMove, OpShare, OpReturn, OpReturnShare:
			return true
		case OpAssoc, OpAssocLast:
			return int(in.B()) == d.reg && int(in.C()) != d.reg && int(o.p.Code[pc+1].A()) != d.reg
		}
		return o.looks(pc, d.reg)
	})
}

// looks reports whether the instruction at pc keeps no reference to a vector in reg, and passes none to code of the
// program.
func (o *owners) looks(pc, reg int) bool {
	switch in := o.p.Code[pc]; in.Op() {
	case OpNth, OpNthOr, OpGet:
		return int(in.C()) != reg
	case OpNthK, OpGetK, OpJTrue, OpJFalse, OpJNil, OpJNotNil, OpIsNil, OpNot, OpReduced:
		return true
	case OpCallK:
		return value.Identical(o.p.Consts[o.p.Code[pc+1].Wide()], o.count())
	case OpCall:
		return int(in.A()) == reg // a call of the vector
	}
	return false
}

// peeks reports whether a second name for a vector is only looked at, and gone before a vector is changed.
func (o *owners) peeks(d definition) bool {
	return o.uses(d, func(pc int, reads bool) bool {
		return !o.last[pc] && (!reads || o.looks(pc, d.reg))
	})
}

// follow visits the instructions that read the result of an assoc, under any name that OpMove makes for it.
func (o *owners) follow(d definition, visit func(pc, reg int, kept bool)) {
	done := make(map[definition]bool)
	for todo := []definition{d}; len(todo) > 0; {
		d, todo = todo[len(todo)-1], todo[:len(todo)-1]
		if done[d] {
			continue
		}
		done[d] = true
		o.uses(d, func(pc int, reads bool) bool {
			if reads {
				next := o.result(pc)
				kept := o.p.Code[pc].Op() == OpMove && !o.isLive(d.reg, pc+1) && o.clean(next)
				if kept {
					todo = append(todo, next)
				}
				visit(pc, d.reg, kept)
			}
			return true
		})
	}
}

// drop leaves a call unchanged if no other call changes the vector that it makes, and if it changes no
// vector that another call has made.
func (o *owners) drop(sites []int) {
	useful := make(map[int]bool)
	for _, site := range sites {
		if o.last[site] {
			if _, ok := o.old[site]; ok {
				useful[site] = true
			}
			o.follow(o.result(site), func(pc, reg int, _ bool) {
				if o.last[pc] && o.p.Code[pc].Op() == OpAssoc && int(o.p.Code[pc].B()) == reg {
					useful[site], useful[pc] = true, true
				}
			})
		}
	}
	o.last = useful
}

// rewrite changes the calls, and the instructions that read their results.
func (o *owners) rewrite(sites []int) {
	for _, site := range sites {
		if !o.last[site] {
			continue
		}
		if old, ok := o.old[site]; ok {
			in := o.p.Code[site]
			o.p.Code[site] = NewInstr(OpVectorIn, in.A(), in.B(), uint16(old)<<3|(in.C()-1))
		} else {
			o.become(site, OpAssocLast)
		}
		o.follow(o.result(site), func(pc, _ int, kept bool) {
			switch {
			case kept:
			case o.p.Code[pc].Op() == OpReturn:
				o.become(pc, OpReturnShare)
			case o.p.Code[pc].Op() == OpMove && !o.peeks(o.result(pc)):
				o.become(pc, OpShare)
			}
		})
	}
}

func (o *owners) become(pc int, op Op) {
	o.p.Code[pc] = o.p.Code[pc].as(op)
}
