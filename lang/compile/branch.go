// This file defines conditions: forms whose value is used only for its truthiness.

package compile

import (
	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// branch compiles a test and returns the jumps that are taken when its truthiness is sense.
// Otherwise control falls through.
func (f *fn) branch(form value.Value, sense bool) []int {
	pos := f.at(form)
	defer func() { f.pos = pos }()
	head, args, ok := call(form)
	if ok && head.IsSymbol() && !f.isLocal(head) && f.isCore(head) && !f.c.noting() {
		if e := builtins.Core(head.AsSymbol().Name); e != nil {
			switch {
			case e.Special == entry.SpecialLet:
				return f.branchLet(form, args, sense)
			case e.Special == entry.SpecialNot && len(args) == 1:
				return f.branch(args[0], !sense)
			case e.Special == entry.SpecialAnd && len(args) > 0:
				return f.branchChain(args, sense, false)
			case e.Special == entry.SpecialOr && len(args) > 0:
				return f.branchChain(args, sense, true)
			}
			if at, ok := f.branchCompare(e.Intrinsic, args, sense); ok {
				return at
			}
		}
	}
	next := f.next
	r := f.operand(form)
	f.next = next
	if sense {
		return []int{f.emit(OpJTrue, r, 0, 0)}
	}
	return []int{f.emit(OpJFalse, r, 0, 0)}
}

// branchLet is branch for the last form of a let.
func (f *fn) branchLet(form value.Value, args []value.Value, sense bool) []int {
	items := f.pairs(form, args, "let")
	scope, next := len(f.locals), f.next
	for i := 0; i < len(items); i += 2 {
		f.name(items[i], "let")
		r := f.operand(items[i+1])
		f.bindInit(items[i], r, f.isDouble(items[i+1]))
	}
	last := value.Nil
	for i, x := range args[1:] {
		if i == len(args)-2 {
			last = x
		} else {
			f.discard(x)
		}
	}
	out := f.branch(last, sense)
	f.locals, f.next = f.locals[:scope], next
	return out
}

// isCore reports whether a symbol means the name of clojure.core.
func (f *fn) isCore(head value.Value) bool {
	s := head.AsSymbol()
	if s.NS == CoreNS {
		return true
	}
	return s.NS == "" && f.c.env.lookup(f.c.env.NS,
		s.Name) < 0 && f.c.env.space().refers[s.Name].ns == "" && f.c.env.space().refersCore(s.Name)
}

// branchChain is branch for and (stop is false) and or (stop is true): the first
// operand whose truth is stop decides.
func (f *fn) branchChain(args []value.Value, sense, stop bool) []int {
	var out, past []int
	for i, a := range args {
		switch {
		case i == len(args)-1:
			out = append(out, f.branch(a, sense)...)
		case sense == stop:
			out = append(out, f.branch(a, sense)...)
		default:
			past = append(past, f.branch(a, stop)...)
		}
	}
	f.patchAll(past)
	return out
}

// comparison describes a test of two operands as a jump: ops[0] jumps when it holds, and ops[1]
// when it does not. The second pair of instructions has an integer constant on the right. swap
// exchanges the operands.
type comparison struct {
	ops, right, left [2]Op
	swap             bool
}

var comparisons = [...]comparison{
	entry.IntrinsicLess:         {[2]Op{OpJLt, OpJNLt}, [2]Op{OpJLtK, OpJNLtK}, [2]Op{OpJGtK, OpJNGtK}, false},
	entry.IntrinsicLessEqual:    {[2]Op{OpJLe, OpJNLe}, [2]Op{OpJLeK, OpJNLeK}, [2]Op{OpJGeK, OpJNGeK}, false},
	entry.IntrinsicGreater:      {[2]Op{OpJLt, OpJNLt}, [2]Op{OpJGtK, OpJNGtK}, [2]Op{OpJLtK, OpJNLtK}, true},
	entry.IntrinsicGreaterEqual: {[2]Op{OpJLe, OpJNLe}, [2]Op{OpJGeK, OpJNGeK}, [2]Op{OpJLeK, OpJNLeK}, true},
	entry.IntrinsicEqual:        {[2]Op{OpJEq, OpJNEq}, [2]Op{OpJEqK, OpJNEqK}, [2]Op{OpJEqK, OpJNEqK}, false},
}

// branchCompare compiles a comparison as one instruction.
func (f *fn) branchCompare(in entry.Intrinsic, args []value.Value, sense bool) ([]int, bool) {
	i := 1
	if sense {
		i = 0
	}
	next := f.next
	defer func() { f.next = next }()
	switch {
	case in == entry.NoIntrinsic:
		return nil, false
	case in == entry.IntrinsicNil && len(args) == 1:
		return []int{f.emit([2]Op{OpJNil, OpJNotNil}[i], f.operand(args[0]), 0, 0)}, true
	case in == entry.IntrinsicSome && len(args) == 1:
		return []int{f.emit([2]Op{OpJNotNil, OpJNil}[i], f.operand(args[0]), 0, 0)}, true
	case in == entry.IntrinsicPos && len(args) == 1:
		return []int{f.emit([2]Op{OpJGtK, OpJNGtK}[i], f.operand(args[0]), f.constant(value.Int(0)), 0)}, true
	case in == entry.IntrinsicNeg && len(args) == 1:
		return []int{f.emit([2]Op{OpJLtK, OpJNLtK}[i], f.operand(args[0]), f.constant(value.Int(0)), 0)}, true
	case in == entry.IntrinsicNotEqual && len(args) == 2:
		return f.branchCompare(entry.IntrinsicEqual, args, !sense)
	}
	if int(in) >= len(comparisons) || comparisons[in].ops[0] == comparisons[in].ops[1] || len(args) != 2 {
		return nil, false
	}
	cmp := comparisons[in]
	if f.comparable(args[1], in) {
		return []int{f.emit(cmp.right[i], f.operand(args[0]), f.constant(args[1]), 0)}, true
	}
	if f.comparable(args[0], in) {
		return []int{f.emit(cmp.left[i], f.operand(args[1]), f.constant(args[0]), 0)}, true
	}
	a, b := f.operand(args[0]), f.operand(args[1])
	if cmp.swap {
		a, b = b, a
	}
	return []int{f.emit(cmp.ops[i], a, b, 0)}, true
}

// comparable reports whether a form can be the constant operand of a comparison:
// any scalar for =, an integer for order.
func (f *fn) comparable(form value.Value, in entry.Intrinsic) bool {
	if form.IsInt() {
		return true
	}
	return in == entry.IntrinsicEqual && form.Is(value.Kinds(value.KindKeyword, value.KindString, value.KindChar,
		value.KindBool, value.KindNil))
}
