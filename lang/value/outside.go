// This file defines the part of the host that a builtin sees: the tools and guards.

package value

import "github.com/ptc-lang/ptc/lang/diag"

// Tool is a tool of the host as a program sees it.
type Tool struct {
	Name      string // without the prefix tool/
	Doc       string
	Signature string // its arguments and result, in short
	Sole      string // the argument that a single value stands for; "" if a call needs a map
	Examples  []string
	// StringKeys keeps the keys of objects in its results as strings.
	StringKeys bool
	// Ref belongs to the host.
	Ref any
}

// ToolOutcome is the outcome of a call: the result as JSON, or a failure.
type ToolOutcome struct {
	Result  []byte
	Failure *ToolFailure
}

// ToolFailure is a call that failed.
type ToolFailure struct {
	Kind          diag.Code // of the exception
	Code          string    // the tool's own code: "unavailable"
	Message, Hint string
	Retryable     bool
	RetryAfter    int64  // milliseconds to wait before a retry; 0 if none
	Data          []byte // JSON; nil if there is none
	Err           error  // what the tool's function returned; nil if that is not known
}

// Guard is a guard that a body of the program acquires.
type Guard struct {
	Kind      GuardKind
	Name      string  // of the host, or the key of the rate
	PerSecond float64 // of a rate
	Burst     int     // of a rate
}

// GuardKind is the kind of a guard. It determines which other evaluations the guard excludes.
type GuardKind uint8

// The kinds of guards.
const (
	GuardHost   GuardKind = iota + 1 // excludes other evaluations that hold the host
	GuardRate                        // excludes none; the body begins when the rate allows it
	GuardGlobal                      // excludes other evaluations that hold it
)

// String returns the name that a program uses.
func (k GuardKind) String() string {
	return [...]string{GuardHost: "host-exclusive", GuardRate: "rate-limited", GuardGlobal: "global-exclusive"}[k]
}
