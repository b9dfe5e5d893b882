// This file defines intrinsics: calls of clojure.core that are instructions.

package compile

import (
	"math"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// intrinsic compiles a call of a builtin to a dedicated instruction. If it can't, it emits
// nothing and returns false.
type intrinsic func(f *fn, args []value.Value, cx ctx) bool

// instruction returns the function that compiles an intrinsic for its value, nil for intrinsics
// that are instructions only in tests.
func instruction(in entry.Intrinsic) intrinsic {
	switch in {
	case entry.IntrinsicAdd:
		return fold(OpAdd)
	case entry.IntrinsicSub:
		return fold(OpSub)
	case entry.IntrinsicMul:
		return fold(OpMul)
	case entry.IntrinsicDiv:
		return divideCall
	case entry.IntrinsicInc:
		return step(1)
	case entry.IntrinsicDec:
		return step(-1)
	case entry.IntrinsicQuot:
		return binary(OpQuot)
	case entry.IntrinsicRem:
		return binary(OpRem)
	case entry.IntrinsicMod:
		return binary(OpMod)
	case entry.IntrinsicLess:
		return binary(OpLt)
	case entry.IntrinsicLessEqual:
		return binary(OpLe)
	case entry.IntrinsicGreater:
		return swapped(OpLt)
	case entry.IntrinsicGreaterEqual:
		return swapped(OpLe)
	case entry.IntrinsicEqual:
		return binary(OpEq)
	case entry.IntrinsicNumEqual:
		return binary(OpNumEq)
	case entry.IntrinsicIdentical:
		return binary(OpSame)
	case entry.IntrinsicNil:
		return unary(OpIsNil)
	case entry.IntrinsicGet:
		return getCall
	case entry.IntrinsicNth:
		return nthCall
	case entry.IntrinsicZero:
		return testCall("zero?", TestZero)
	case entry.IntrinsicEven:
		return testCall("even?", TestEven)
	case entry.IntrinsicOdd:
		return testCall("odd?", TestOdd)
	case entry.IntrinsicSeq:
		return unary(OpSeq)
	case entry.IntrinsicFirst:
		return unary(OpFirst)
	case entry.IntrinsicNext:
		return unary(OpNext)
	case entry.IntrinsicRest:
		return unary(OpRest)
	case entry.IntrinsicDeref:
		return unary(OpDeref)
	case entry.IntrinsicApply:
		return applyCall
	case entry.IntrinsicMethod:
		return methodCall
	case entry.IntrinsicAssoc:
		return assocCall
	case entry.IntrinsicPush:
		return pushCall
	case entry.IntrinsicCons:
		return binary(OpCons)
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

// small returns the addend for an integer operand of + or -, if it fits the instruction.
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

// The tests of OpTest.
const (
	TestZero = iota
	TestEven
	TestOdd
)

// testCall compiles a test of a number.
func testCall(name string, test int) intrinsic {
	return func(f *fn, args []value.Value, cx ctx) bool {
		if len(args) != 1 {
			return false
		}
		f.emit(OpTest, cx.dst, f.operand(args[0]), test)
		f.word(f.native(builtins.Core(name), 1))
		return true
	}
}

// nthCall compiles nth without a default, or with nil, as destructuring calls it. The instruction has
// a second word, because it may call the prelude.
func nthCall(f *fn, args []value.Value, cx ctx) bool {
	op := OpNth
	if len(args) == 2 {
		if head, of, ok := call(args[0]); ok && len(of) == 2 && head.IsSymbol() {
			if e := f.entryOf(head); e != nil && e.NS == CoreNS && e.Name == "iterate" {
				f.expr(f.form("%nth-iterate", of[0], of[1], args[1]), to(cx.dst)) // without cells
				return true
			}
		}
	}
	if len(args) == 3 && args[2].IsNil() {
		if i := args[1]; i.IsInt() && i.AsInt() >= 0 && i.AsInt() <= math.MaxInt16 { // destructuring
			f.emit(OpNthK, cx.dst, f.operand(args[0]), int(i.AsInt()))
			f.word(0)
			return true
		}
		op, args = OpNthOr, args[:2]
	}
	if !binary(op)(f, args, cx) {
		return false
	}
	f.word(0)
	return true
}

// pushCall compiles %push.
func pushCall(f *fn, args []value.Value, cx ctx) bool {
	f.uses(builtins.Core("%push"))
	return binary(OpPush)(f, args, cx)
}

// assocCall compiles assoc of one key. The instruction has a second word, for the value.
func assocCall(f *fn, args []value.Value, cx ctx) bool {
	if len(args) != 3 {
		return false
	}
	coll := f.operand(args[0])
	key := f.operand(args[1])
	val := f.operand(args[2])
	f.uses(builtins.Core("assoc"))
	f.emit(OpAssoc, cx.dst, coll, key)
	f.emit(OpNop, val, 0, 0)
	f.assocs = true
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

// methodCall compiles %invoke-method.
func methodCall(f *fn, args []value.Value, cx ctx) bool {
	base := f.alloc(1)
	f.expr(args[0], to(base))
	f.args(base, args[1:])
	f.emit(OpMethod, base, len(args)-1, cx.dst)
	f.word(f.native(builtins.Core("%invoke-method"), len(args)))
	return true
}
