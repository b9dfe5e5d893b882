// This file defines the instructions of the machine.

package compile

// Op is an operation code.
type Op uint16

// Instr is one instruction: an operation in the lowest 16 bits and three operands of 16 bits above
// it. A, B and C are numbers of registers of the frame unless the operation defines otherwise.
// "word" is the instruction slot after it, which some operations use for more operands. An
// instruction is one number and not a struct, so that one load fetches it, and one register holds it: a
// loop of additions is 13 % faster.
type Instr uint64

// NewInstr makes an instruction.
func NewInstr(op Op, a, b, c uint16) Instr {
	return Instr(op) | Instr(a)<<16 | Instr(b)<<32 | Instr(c)<<48
}

// as returns the instruction with another operation.
func (i Instr) as(op Op) Instr { return i&^0xffff | Instr(op) }

// Op returns the operation.
func (i Instr) Op() Op { return Op(i) }

// A returns the first operand.
func (i Instr) A() uint16 { return uint16(i >> 16) }

// B returns the second operand.
func (i Instr) B() uint16 { return uint16(i >> 32) }

// C returns the third operand.
func (i Instr) C() uint16 { return uint16(i >> 48) }

// CallSize is the size of every calling instruction: itself and one word.
const CallSize = 2

// Off returns the signed jump offset in C, relative to the next instruction.
func (i Instr) Off() int { return int(int16(i >> 48)) }

// Wide returns the 32 bits in B and C.
func (i Instr) Wide() int { return int(i >> 32) }

// The operations. R is the frame's registers, K the constants, G the globals.
const (
	OpNop     Op = iota
	OpMove       // R[A] = R[B]
	OpConst      // R[A] = K[wide]
	OpNil        // R[A] = nil
	OpInt        // R[A] = int(B), signed 16 bits
	OpUp         // R[A] = captured value B
	OpSelf       // R[A] = the running function
	OpGlobal     // R[A] = G[wide]; fails if unbound
	OpDynamic    // R[A] = innermost binding of the dynamic var G[wide]
	OpDef        // G[wide] = R[A]

	OpAdd // R[A] = R[B] + R[C]
	OpSub // R[A] = R[B] - R[C]
	OpMul // R[A] = R[B] * R[C]
	OpDiv // R[A] = R[B] / R[C], which is not zero of any kind
	// OpDivDouble is OpDiv of a double by a number, or the reverse: infinite by zero.
	OpDivDouble
	OpQuot // R[A] = quot R[B] R[C]
	OpRem  // R[A] = rem R[B] R[C]
	OpMod  // R[A] = mod R[B] R[C]
	OpAddI // R[A] = R[B] + int(C), signed 16 bits

	OpLt    // R[A] = R[B] < R[C]
	OpLe    // R[A] = R[B] <= R[C]
	OpEq    // R[A] = R[B] = R[C]
	OpNumEq // R[A] = R[B] == R[C]
	OpNot   // R[A] = not R[B]
	OpIsNil // R[A] = nil? R[B]
	OpSame  // R[A] = identical? R[B] R[C]

	OpJump   // jump by int32(wide)
	OpLoop   // jump back by int32(wide), counting a step
	OpJTrue  // if R[A] jump C
	OpJFalse // unless R[A] jump C
	OpJNil   // if nil? R[A] jump C
	OpJNotNil
	OpJLt // if R[A] < R[B] jump C
	OpJNLt
	OpJLe
	OpJNLe
	OpJEq
	OpJNEq
	OpJLtK // if R[A] < K[B], an int, jump C
	OpJNLtK
	OpJLeK
	OpJNLeK
	OpJGtK
	OpJNGtK
	OpJGeK
	OpJNGeK
	OpJEqK
	OpJNEqK

	OpCall  // R[C] = R[A](R[A+1] … R[A+B])
	OpCallG // R[C] = G[word](R[A+1] … R[A+B])
	OpCallS // R[C] = running function(R[A+1] … R[A+B])
	OpCallN // R[C] = native word(R[A+1] … R[A+B])
	OpCallK // R[C] = K[word], a prelude function (R[A+1] … R[A+B])
	// OpMethodN is R[C] = the method R[A] of R[A+1], an object or a record (R[A+1] … R[A+B]); native word(R[A+1] …
	// R[A+B]) if R[A+1] has no such method. The native function of OpMethod takes R[A] first, and the field R[A] comes
	// before a method that takes more than R[A+1].
	OpMethodN
	OpMethod
	OpApply   // R[C] = R[A](R[A+1] … R[A+B-1], each of R[A+B])
	OpReturn  // return R[A]
	OpThrow   // throw R[A]
	OpClosure // R[A] = closure of function B capturing C values, named by C words
	OpPatch   // captured value B of closure R[A] = R[C]

	OpVector // R[A] = [R[B] … R[B+C-1]]
	// OpVectorIn is OpVector of C&7+1 values, in place of the vector R[C>>3] if that is owned; see own_literal.go.
	OpVectorIn
	OpMap    // R[A] = {R[B] R[B+1] …}, C values
	OpRecord // R[A] = {k R[B], …}, the keys those of the chunk K[C]
	OpSet    // R[A] = #{R[B] …}
	OpLazy   // R[A] = lazy sequence of the function R[B]; unless C is 0, it has an OpCell
	OpPush   // R[A] = R[B], a box, with R[C] appended
	OpCons   // R[A] = cons R[B] R[C]
	OpCell   // R[A] = cons R[B] R[C], which is the value of the function; the function of a lazy sequence may end here
	OpGet    // R[A] = get R[B] R[C]
	OpGetK   // R[A] = get R[B] K[C], a keyword
	OpTest   // R[A] = R[B] passes test C, or native word(R[B]) if it is no integer
	OpNth    // R[A] = nth R[B] R[C]
	OpNthOr  // R[A] = nth R[B] R[C] nil
	OpNthK   // R[A] = nth R[B] C nil
	OpAssoc  // R[A] = assoc R[B] R[C] R[A of the word]
	// OpAssocLast is OpAssoc where nothing reads R[B] afterwards, and R[A] is not shared; see own.go.
	OpAssocLast
	OpShare       // R[A] = R[B], which is shared from now on
	OpReturnShare // return R[A], which is shared from now on

	OpSeq   // R[A] = seq R[B]
	OpFirst // R[A] = first R[B]
	OpNext  // R[A] = next R[B]
	OpRest  // R[A] = rest R[B]

	OpIter     // start an iteration over R[B]: state in R[A], R[A+1], R[A+2]
	OpIterNext // R[B] = next element of the iteration at R[A]; none left: jump C
	OpSortNext // state R[A], R[A+1] the value for the last pair: jump by C with the next pair in R[B+1] R[B+2]
	OpIterRest // R[C] = sequence of R[B], the last element of the iteration at R[A], and the rest after it
	OpReduced  // if R[A] is reduced, R[A] = its value, jump C

	OpDeref  // R[A] = deref R[B]
	OpBind   // push R[B] as the binding of the dynamic var G[word]
	OpUnbind // pop A bindings
	OpSetDyn // innermost binding of the dynamic var G[word] = R[B]
	OpCatch  // R[A] = whether the exception R[B] is of the class K[C]

)
