// This file defines the error codes.

package diag

// Code names a kind of error. Codes are API; the wording of messages is not.
type Code string

// The codes. Each has an entry in Catalogue with a program that gives it.
const (
	// The reader.
	SyntaxError    Code = "syntax-error"
	SourceTooLarge Code = "source-too-large"
	NestingTooDeep Code = "nesting-too-deep"

	// The compiler.
	UnknownName    Code = "unknown-name"
	UnknownData    Code = "unknown-data"
	UnknownTool    Code = "unknown-tool"
	BadForm        Code = "bad-form"
	BadArity       Code = "wrong-arity"
	MisplacedRecur Code = "misplaced-recur"
	Unsupported    Code = "unsupported"
	MacroTooDeep   Code = "macro-too-deep"

	// Exceptions, which a program can catch.
	Thrown          Code = "exception"          // ex-info and throw
	WrongType       Code = "wrong-type"         // java.lang.ClassCastException
	NilValue        Code = "nil-value"          // java.lang.NullPointerException
	IllegalArgument Code = "illegal-argument"   // java.lang.IllegalArgumentException
	IllegalState    Code = "illegal-state"      // java.lang.IllegalStateException
	OutOfRange      Code = "index-out-of-range" // java.lang.IndexOutOfBoundsException
	Arithmetic      Code = "arithmetic"         // java.lang.ArithmeticException
	NumberFormat    Code = "number-format"      // java.lang.NumberFormatException
	NotSupported    Code = "unsupported-operation"
	NoMatch         Code = "no-match" // case, condp without a match
	AssertFailed    Code = "assertion-failed"
	NotOwner        Code = "not-owner"
	// CapacityExceeded is the error of a parallel operation that nests deeper than there are
	// workers, or that finds no free slot where it may not run without.
	CapacityExceeded Code = "parallel-capacity-exceeded"
	NotGranted       Code = "not-granted"
	// The codes of a call of a tool that fails.
	ToolFailed       Code = "tool-failed"
	ArgumentTooLarge Code = "argument-too-large"
	GuardHeld        Code = "guard-held"
	GuardBusy        Code = "guard-busy"
	GuardCycle       Code = "guard-cycle"
	GuardTimeout     Code = "guard-timeout"
	GuardConflict    Code = "guard-conflict"
	Failed           Code = "failed" // (fail …)
	// The errors of the queues and policies that a call passes.
	PolicyViolation Code = "policy-violation"
	QueueFull       Code = "queue-full"
	QueueTimeout    Code = "queue-timeout"
	QueueCancelled  Code = "queue-cancelled"

	// The journal. A program cannot catch them.
	Diverged      Code = "divergence"
	InDoubt       Code = "in-doubt"
	JournalFailed Code = "journal-failed"

	// Limits of the run, which a program cannot catch.
	Timeout        Code = "timeout"
	StepsExceeded  Code = "steps-exceeded"
	MemoryExceeded Code = "memory-exceeded"
	DepthExceeded  Code = "depth-exceeded"
	ResultTooLarge Code = "result-too-large"
	CallsExceeded  Code = "calls-exceeded"
	Cancelled      Code = "cancelled"

	// The operator's files.
	BadPolicy Code = "bad-policy"

	// A bug of ours.
	Internal Code = "internal"
)
