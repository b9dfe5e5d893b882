// This file defines the facts of an entry that the compiler, the linter, the formatter and
// the session read. The zero value of each is the safe one: nothing is known.

package entry

import "slices"

// Special is a form that the compiler itself understands.
type Special uint8

// The special forms. The compiler has a function for each of them, except for parts of the syntax
// of others: SpecialCatch to SpecialReserved.
const (
	NotSpecial Special = iota
	SpecialDef
	SpecialIf
	SpecialDo
	SpecialLet
	SpecialLoop
	SpecialRecur
	SpecialFn
	SpecialLetfn
	SpecialQuote
	SpecialVar
	SpecialTry
	SpecialThrow
	SpecialSet
	SpecialCase
	SpecialAnd
	SpecialOr
	SpecialNot // it is also a function
	SpecialWhen
	SpecialWhenNot
	SpecialLazySeq
	SpecialBinding
	SpecialDefmacro
	SpecialNS
	SpecialInNS
	SpecialRequire
	SpecialUse
	SpecialRefer
	SpecialReferClojure
	SpecialAlias
	SpecialCreateNS
	SpecialImport
	SpecialFields
	SpecialDeclare
	SpecialFold
	SpecialNext
	SpecialEnd
	SpecialPure
	SpecialExpecting
	SpecialSort
	SpecialRegex
	SpecialCatch
	SpecialFinally
	SpecialHost     // . and new: calls of methods and constructors
	SpecialReserved // a name that Clojure's compiler reserves
)

// Intrinsic is the instruction to which a call compiles, if there is one for its arguments.
type Intrinsic uint8

// The intrinsics. Those from IntrinsicSome on are instructions in tests only.
const (
	NoIntrinsic Intrinsic = iota
	IntrinsicAdd
	IntrinsicSub
	IntrinsicMul
	IntrinsicDiv
	IntrinsicInc
	IntrinsicDec
	IntrinsicQuot
	IntrinsicRem
	IntrinsicMod
	IntrinsicLess
	IntrinsicLessEqual
	IntrinsicGreater
	IntrinsicGreaterEqual
	IntrinsicEqual
	IntrinsicNumEqual
	IntrinsicIdentical
	IntrinsicNil
	IntrinsicGet
	IntrinsicNth
	IntrinsicSeq
	IntrinsicFirst
	IntrinsicNext
	IntrinsicRest
	IntrinsicDeref
	IntrinsicApply
	IntrinsicMethod
	IntrinsicZero
	IntrinsicEven
	IntrinsicOdd
	IntrinsicAssoc
	IntrinsicCons
	IntrinsicPush
	IntrinsicSome
	IntrinsicPos
	IntrinsicNeg
	IntrinsicNotEqual
)

// Arithmetic reports whether a call with two arguments is an instruction on two numbers, or compares them.
func (e *Entry) Arithmetic() bool {
	return e != nil && e.Intrinsic >= IntrinsicAdd && e.Intrinsic <= IntrinsicGreaterEqual
}

// Compares reports whether a call with two arguments is an instruction that tells which of two numbers is greater.
func (e *Entry) Compares() bool {
	return e != nil && e.Intrinsic >= IntrinsicLess && e.Intrinsic <= IntrinsicGreaterEqual
}

// intrinsicWords are the names of intrinsics in the prelude.
var intrinsicWords = []string{IntrinsicNth: "nth", IntrinsicSeq: "seq", IntrinsicFirst: "first", IntrinsicNext: "next",
	IntrinsicRest: "rest", IntrinsicDeref: "deref", IntrinsicApply: "apply"}

// Fusion is the role of a function in a pipeline that the compiler makes a loop of.
type Fusion uint8

// The stages of pipelines, the functions that compose them, and the consumers of their elements.
const (
	NotFused Fusion = iota
	StageMap
	StageFilter
	StageRemove
	StageKeep
	StageTake
	StageTakeWhile
	ComposesStages
	ConsumerReduce
	ConsumerTransduce
	ConsumerInto
	ConsumerMapv
	ConsumerFilterv
	ConsumerVec
	ConsumerSet
	ConsumerCount
	ConsumerApply
	ConsumerFirst
)

// IsStage reports whether a function makes a stage of a lazy pipeline.
func (f Fusion) IsStage() bool { return f >= StageMap && f <= StageKeep }

// IsTransducer reports whether a function makes a stage as a transducer.
func (f Fusion) IsTransducer() bool { return f >= StageMap && f <= StageTakeWhile }

var fusionWords = []string{StageMap: "map", StageFilter: "filter", StageRemove: "remove", StageKeep: "keep",
	StageTake: "take", StageTakeWhile: "take-while",
	ComposesStages: "composes", ConsumerReduce: "reduce", ConsumerTransduce: "transduce", ConsumerInto: "into",
	ConsumerMapv: "mapv", ConsumerFilterv: "filterv", ConsumerVec: "vec", ConsumerSet: "set", ConsumerCount: "count",
	ConsumerApply: "apply", ConsumerFirst: "first"}

// Doubles is the condition under which Clojure's compiler knows the value of a call to be a
// primitive double.
type Doubles uint8

// The cases.
const (
	DoubleUnknown Doubles = iota
	DoubleAlways
	DoubleOfArgs // if an argument is known to be one
)

// When is the time at which a builtin calls its function arguments.
type When uint8

// The times.
const (
	CallsNone  When = iota // never
	CallsNow               // before it returns
	CallsLater             // when the sequence that it returns is read
	CallsBoth              // before it returns for the first elements, later for the others
)

// Times bounds the number of calls of each function argument by a builtin.
type Times uint8

// The bounds.
const (
	TimesUnknown  Times = iota // no bound
	TimesOnce                  // once
	TimesTwice                 // twice at most
	TimesElements              // once for each element of its arguments
	TimesOption                // the :times of the map that is its first argument, 3 without it
)

// Calls describes how a builtin calls its function arguments.
type Calls struct {
	When  When
	Times Times
	// First and Last are the indexes of the functions among the arguments; Last is ToTheEnd if all
	// arguments from First on are functions. They are set if Times is known.
	First, Last uint8
	// Least is the least number of arguments for which this applies. A call with fewer arguments
	// makes a transducer, or has another meaning.
	Least    uint8
	Parallel bool // the calls are made by workers
	// Passes is the number of arguments of each call by a function over the elements of one collection; 0 for one, or
	// for one of each collection of a function that takes several.
	Passes uint8
}

// MakesTransducer reports whether a call with n arguments returns a transducer that calls the
// function argument.
func (e *Entry) MakesTransducer(n int) bool {
	return n == 1 && e.Calls.Times == TimesElements && e.Calls.First == 0 && e.Calls.Least == 2 && e.Takes(n)
}

// ToTheEnd is the Last of Calls if all further arguments are functions.
const ToTheEnd = 255

var (
	whenWords  = []string{CallsNow: "now", CallsLater: "later", CallsBoth: "both"}
	timesWords = []string{TimesOnce: "once", TimesTwice: "twice", TimesElements: "elements", TimesOption: "option"}
)

// Makes describes how often each call of the function that a builtin returns calls the function
// arguments of the builtin.
type Makes uint8

// The functions that builtins make.
const (
	MakesUnknown  Makes = iota
	MakesComposed       // each once
	MakesRepeated       // each once for every argument
	MakesPartial        // the first argument once, with the others before its own
	MakesFilled         // the first argument once; the others take the place of nil
)

var makesWords = []string{MakesComposed: "composed", MakesRepeated: "repeated", MakesPartial: "partial",
	MakesFilled: "filled"}

// Loop describes how often the body of a macro is evaluated.
type Loop uint8

// The loops.
const (
	LoopUnknown  Loop = iota
	LoopElements      // once for each element of the collections in its bindings
	LoopLazy          // the same, when the sequence that it returns is read
	LoopCount         // as often as the number in its binding
)

// Endless describes the calls that return an infinite sequence.
type Endless uint8

// The calls.
const (
	EndlessNever Endless = iota
	Endless0             // those without arguments
	Endless1             // those with one argument
	Endless2             // those with two arguments
)

// Of reports whether a call with n arguments returns an infinite sequence.
func (e Endless) Of(n int) bool { return e != EndlessNever && int(e) == n+1 }

var endlessWords = []string{Endless0: "0", Endless1: "1", Endless2: "2"}

// Indent describes how the formatter indents a form with the name at its head.
type Indent uint8

// The layouts. With IndentBlock0, 1 and 2 the forms after 0, 1 and 2 arguments are a body, if the
// first of them begins a line.
const (
	IndentCall    Indent = iota // under the first argument
	IndentBody                  // all forms are a body
	IndentBlock0                // do
	IndentBlock1                // when
	IndentBlock2                // catch
	IndentType                  // a body; the lists in it are methods
	IndentExtend                // as IndentBlock1; the lists in it are methods
	IndentProxy                 // as IndentBlock2; the lists in it are methods
	IndentLocalFn               // as IndentBlock1; the lists in the first argument are functions
)

var indentWords = []string{IndentBody: "body", IndentBlock1: "block1"}

// Setting is the setting of the compiler that a dynamic var of the library controls.
type Setting uint8

// The settings.
const (
	NoSetting        Setting = iota
	SettingNS                // the current namespace, which is a constant in compiled code
	SettingUnchecked         // whether arithmetic is compiled without checks
	SettingAssert            // whether assertions are compiled
)

// Facts is a set of facts. A fact without its bit is not known to hold.
type Facts uint32

// The facts, in the order of factWords.
const (
	// DefinesNames: a call defines a name of the program, or changes the meaning of names.
	DefinesNames Facts = 1 << iota
	// BindsFreely: the program may leave out, or rename, each name that a call of the macro binds.
	BindsFreely
	// EndsInBody: the last forms of a call are a body, whose values but the last one are not used.
	EndsInBody
	// Threads: a call of the macro only evaluates the calls in its expansion.
	Threads
	// Unevaluated: the forms of a call are never evaluated.
	Unevaluated
	// ReturnsFns: a call may return a function: an argument, a part of an argument, or a new one.
	ReturnsFns
	// ReturnsFnsOfOne: a call with at most one argument may return a function: a transducer, or the
	// argument.
	ReturnsFnsOfOne
	// Copies: a call returns a changed copy of a collection. The collection itself does not change.
	Copies
	// MakesCells: a call returns a new atom, ref or volatile.
	MakesCells
	// NeverReturns: nothing after a call in the same body is evaluated.
	NeverReturns
	// GuardsBody: the body of the macro runs under the guard with the name of the macro.
	GuardsBody
	// FindsNamed: a call may return the var that its last argument names, even one of the library.
	FindsNamed
	// FindsAny: a call may return any var, or evaluate any form.
	FindsAny
	// ReachesNames: a call may return or run definitions of the program by their names.
	ReachesNames
	// TestsInOrder: a call takes tests and expressions alternately, and evaluates the expression
	// after the first test that holds.
	TestsInOrder
	// Cuts: a call returns at most as many elements as its first argument.
	Cuts
	// TrueAlone and FalseAlone: a call with one argument is true, or false, for any argument.
	TrueAlone
	FalseAlone
	// Texts: a call writes all its arguments as text, or returns their text.
	Texts
	// TakesAny: a parameter named coll takes any value, or values of types that a program adds by extending a protocol.
	TakesAny
	// TestsType: a call is how a program finds the type of its arguments.
	TestsType
)

var factWords = []string{"defines-names", "binds-freely", "ends-in-body", "threads", "unevaluated", "returns-fns",
	"returns-fns-of-one", "copies", "makes-cells", "never-returns", "guards-body", "finds-named", "finds-any",
	"reaches-names",
	"tests-in-order", "cuts", "true-alone", "false-alone", "texts",
	"takes-any", "tests-type"}

// Is reports whether one of the facts holds. None holds for a nil entry.
func (e *Entry) Is(any Facts) bool { return e != nil && e.Facts&any != 0 }

// Reaches reports whether a call may have an effect, or wait, or find functions of the program by their names.
func (e *Entry) Reaches() bool {
	return e.Asks || e.Clock || e.Tool != "" || e.Waits || e.Is(FindsNamed|FindsAny|ReachesNames)
}

// Defines reports whether a call defines a name of the program, or changes the meaning of names.
func (e *Entry) Defines() bool { return e.Is(DefinesNames) }

// IsForm reports whether an entry is a special form that is not a function too, as not is.
func (e *Entry) IsForm() bool { return e.Special != NotSpecial && e.Fn == nil }

// CoreNS is the namespace whose names need no prefix.
const CoreNS = "clojure.core"

// wordOf returns the number of a word in a list.
func wordOf[T ~uint8](words []string, word string) T {
	i := slices.Index(words, word)
	if i < 0 {
		panic("entry: no fact named " + word)
	}
	return T(i)
}

// factsOf returns the set of some words.
func factsOf(words []string) (set Facts) {
	for _, word := range words {
		set |= 1 << wordOf[uint8](factWords, word)
	}
	return set
}
