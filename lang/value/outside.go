// This file defines what a builtin sees of the world outside of the program: the tools
// of the host.

package value

import "github.com/ptc-lang/ptc/lang/diag"

// Tool is a tool of the host as a program sees it.
type Tool struct {
	Name      string // without tool/
	Doc       string
	Signature string // what it takes and gives, in short
	Sole      string // the argument that a call with one value means; "" if a call needs a map
	Examples  []string
	// StringKeys keeps the keys of objects in its results as strings.
	StringKeys bool
	// Ref is the host's own.
	Ref any
}

// ToolOutcome is what became of a call: the result as JSON, or a failure.
type ToolOutcome struct {
	Result  []byte
	Failure *ToolFailure
}

// ToolFailure is a call that failed.
type ToolFailure struct {
	Kind          diag.Code // of the exception
	Code          string    // the tool's own: "unavailable"
	Message, Hint string
	Retryable     bool
	RetryAfter    int64  // milliseconds that a repetition should wait; 0 if it need not
	Data          []byte // JSON; nil if there is none
	Err           error  // what the tool's function returned; nil if that is not known
}

// Guard is a guard that a body of the program takes.
type Guard struct {
	Kind      GuardKind
	Name      string  // of the host, or the key of the rate
	PerSecond float64 // of a rate
	Burst     int     // of a rate
}

// GuardKind says what a guard excludes.
type GuardKind uint8

// The kinds of guards.
const (
	GuardHost   GuardKind = iota + 1 // others that have the host
	GuardRate                        // nobody; the body begins when the rate allows it
	GuardGlobal                      // others that have it
)

// String gives the name that a program uses.
func (k GuardKind) String() string {
	return [...]string{GuardHost: "host-exclusive", GuardRate: "rate-limited", GuardGlobal: "global-exclusive"}[k]
}
