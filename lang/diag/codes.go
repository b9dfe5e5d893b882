// This file defines the error codes.

package diag

// Code names a kind of error. Codes are API; the wording of messages is not.
type Code string

// The codes. Each has an entry in Catalogue with a program that fails with it.
const (
	// Errors of the reader.
	SyntaxError    Code = "syntax-error"
	SourceTooLarge Code = "source-too-large"
	NestingTooDeep Code = "nesting-too-deep"

	// Errors of the compiler.
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
	NoMatch         Code = "no-match" // case or condp without a matching clause
	AssertFailed    Code = "assertion-failed"
	NotOwner        Code = "not-owner"
	// CapacityExceeded is the error of a parallel operation that is nested more deeply than the run
	// has workers, or that finds no free slot in strict mode.
	CapacityExceeded Code = "parallel-capacity-exceeded"
	NotGranted       Code = "not-granted"
	// Failed calls of tools.
	ToolFailed       Code = "tool-failed"
	ArgumentTooLarge Code = "argument-too-large"
	GuardHeld        Code = "guard-held"
	GuardBusy        Code = "guard-busy"
	GuardCycle       Code = "guard-cycle"
	GuardTimeout     Code = "guard-timeout"
	GuardConflict    Code = "guard-conflict"
	// ApprovalRefused is the error of a call that was not approved.
	ApprovalRefused Code = "approval-refused"
	Failed          Code = "failed" // (fail …)
	// Errors of the queues and policies of a call.
	PolicyViolation Code = "policy-violation"
	QueueFull       Code = "queue-full"
	QueueTimeout    Code = "queue-timeout"
	QueueCancelled  Code = "queue-cancelled"

	// Errors of the journal. A program cannot catch them.
	Diverged      Code = "divergence"
	InDoubt       Code = "in-doubt"
	JournalFailed Code = "journal-failed"
	// Parked is the error of a run that waits for pending effects, and was ended until they are settled.
	Parked Code = "parked"

	// Limits of the run. A program cannot catch them.
	Timeout        Code = "timeout"
	StepsExceeded  Code = "steps-exceeded"
	MemoryExceeded Code = "memory-exceeded"
	DepthExceeded  Code = "depth-exceeded"
	ResultTooLarge Code = "result-too-large"
	CallsExceeded  Code = "calls-exceeded"
	Cancelled      Code = "cancelled"

	// Errors in the operator's files.
	BadPolicy Code = "bad-policy"

	// A mistake of the Go program that embeds PTC.
	HostFailed Code = "host-failed"

	// A bug in PTC itself.
	Internal Code = "internal"
)
