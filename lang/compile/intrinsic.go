// This file defines intrinsics: calls of clojure.core that are instructions.

package compile

import (
	"math"

	"github.com/ptc-lang/ptc/lang/value"
)

// intrinsic compiles a call of a builtin to an instruction of its own; it gives
// false, having emitted nothing, where it cannot.
type intrinsic func(f *fn, args []value.Value, cx ctx) bool

// intrinsicNamed gives the intrinsic of a builtin of clojure.core, nil if it has
// none.
func intrinsicNamed(name string) intrinsic {
	switch name {
	case "+":
		return fold(OpAdd)
	case "-":
		return fold(OpSub)
	case "*":
		return fold(OpMul)
	case "/":
		return divideCall
	case "inc":
		return step(1)
	case "dec":
		return step(-1)
	case "quot":
		return binary(OpQuot)
	case "rem":
		return binary(OpRem)
	case "mod":
		return binary(OpMod)
	case "<":
		return binary(OpLt)
	case "<=":
		return binary(OpLe)
	case ">":
		return swapped(OpLt)
	case ">=":
		return swapped(OpLe)
	case "=":
		return binary(OpEq)
	case "==":
		return binary(OpNumEq)
	case "identical?":
		return binary(OpSame)
	case "nil?":
		return unary(OpIsNil)
	case "get":
		return getCall
	case "nth":
		return nthCall
	case "seq":
		return unary(OpSeq)
	case "first":
		return unary(OpFirst)
	case "next":
		return unary(OpNext)
	case "rest":
		return unary(OpRest)
	case "deref":
		return unary(OpDeref)
	case "apply":
		return applyCall
	}
	return nil
}

func unary(op Op) intrinsic {
	return func(f *fn, args []value.Value, cx ctx) bool {
		if len(args) != 1 {
			return false
		}
		f.emit(op, cx.dst, f.operand(args[0]), 0)
		return true
	}
}

func binary(op Op) intrinsic {
	return func(f *fn, args []value.Value, cx ctx) bool {
		if len(args) != 2 {
			return false
		}
		a := f.operand(args[0])
		b := f.operand(args[1])
		f.emit(op, cx.dst, a, b)
		return true
	}
}

func swapped(op Op) intrinsic {
	return func(f *fn, args []value.Value, cx ctx) bool {
		if len(args) != 2 {
			return false
		}
		a := f.operand(args[0])
		b := f.operand(args[1])
		f.emit(op, cx.dst, b, a)
		return true
	}
}

// fold compiles an arithmetic operation on two or more operands from the left.
func fold(op Op) intrinsic {
	return func(f *fn, args []value.Value, cx ctx) bool {
		if len(args) < 2 {
			return false
		}
		acc := f.operand(args[0])
		for i, a := range args[1:] {
			dst := cx.dst
			if i < len(args)-2 {
				dst = f.alloc(1)
			}
			if n, ok := small(a, op); ok {
				f.emit(OpAddI, dst, acc, int(uint16(n)))
			} else {
				f.emit(op, dst, acc, f.operand(a))
			}
			acc = dst
		}
		return true
	}
}

// small gives the addend that an integer operand of + or - stands for, if it
// fits the instruction.
func small(form value.Value, op Op) (int16, bool) {
	if !form.IsInt() || op != OpAdd && op != OpSub {
		return 0, false
	}
	n := form.AsInt()
	if op == OpSub {
		n = -n
	}
	return int16(n), n > math.MinInt16 && n <= math.MaxInt16
}

func step(n int16) intrinsic {
	return func(f *fn, args []value.Value, cx ctx) bool {
		if len(args) != 1 {
			return false
		}
		f.emit(OpAddI, cx.dst, f.operand(args[0]), int(uint16(n)))
		return true
	}
}

// nthCall compiles nth. The instruction has a word behind it, as it may call the
// prelude.
func nthCall(f *fn, args []value.Value, cx ctx) bool {
	if !binary(OpNth)(f, args, cx) {
		return false
	}
	f.word(0)
	return true
}

func getCall(f *fn, args []value.Value, cx ctx) bool {
	if len(args) != 2 {
		return false
	}
	if args[1].IsKeyword() {
		f.emit(OpGetK, cx.dst, f.operand(args[0]), f.constant(args[1]))
		return true
	}
	return binary(OpGet)(f, args, cx)
}

func applyCall(f *fn, args []value.Value, cx ctx) bool {
	if len(args) < 2 {
		return false
	}
	base := f.alloc(1)
	f.expr(args[0], to(base))
	f.args(base, args[1:])
	f.emit(OpApply, base, len(args)-1, cx.dst)
	f.word(0)
	return true
}
