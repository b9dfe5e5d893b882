// This file defines calls of tools and their outcomes.

package effect

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/ptc-lang/ptc/lang/diag"
)

// Tool is a tool of the host, as a program and its compiler know it. It is immutable.
type Tool interface {
	Name() string // without tool/
	Doc() string
	Signature() string // the arguments and the result, in short
	// Sole returns the name of the argument that a call with a single value sets, "" if a call
	// needs a map.
	Sole() string
	Fields() []string // lines about fields of the arguments and the result: bounds, defaults, descriptions
	Examples() []string
	Class() Class
	// Scratch returns a bound on the memory in bytes that preparing a call takes beside its
	// arguments and result.
	Scratch(args string) int64
	// CheckResult returns an error unless a text can be the result of a call.
	CheckResult(result json.RawMessage) error
}

// Call is one call of a tool.
type Call struct {
	ID   string // of the effect: the path of the evaluation and the number of the call in it
	Tool Tool
	Args json.RawMessage // canonical: the fields of objects by name
	// Worker is the number of the worker that makes the call.
	Worker int
	// Room is the free memory of the evaluation in bytes, which bounds the result. The bound of the
	// run holds too.
	Room int64
	// Scoped reports whether the program may continue after the deadline of the context. The call
	// then has an outcome, a failure of kind diag.Timeout.
	Scoped bool
	// Caller is the evaluation that makes the call. It is optional.
	Caller Caller
}

// Caller is an evaluation that makes calls.
type Caller interface {
	Rester
	// Owner returns the owner in whose name guards are taken.
	Owner() Owner
	// Place returns the place of the call in the source.
	Place() string
}

// Ended returns the outcome of a call whose context has ended: the failure that the program sees, or over if
// the evaluation has ended too, so that nothing of the call reaches the program. If the context has not ended, it
// returns f.
func (c *Call) Ended(ctx context.Context, f *Failure) (_ *Failure, over bool) {
	switch {
	case ctx == nil || ctx.Err() == nil:
		return f, false
	case errors.Is(context.Cause(ctx), ErrGuardLost):
		return GuardLost(), false
	case c.Scoped && Late(ctx):
		return &Failure{Kind: diag.Timeout, Code: CodeTimeout,
			Message: "the time of the body around the call was over"}, false
	}
	return f, true
}

// Outcome is how a call ended: with a result, or with a failure.
type Outcome struct {
	Result  json.RawMessage // nil is null
	Failure *Failure        // nil if the call succeeded
}

// Failure is the failure of a call, or of a guard that was refused. Programs see it and journals
// keep it in this form.
type Failure struct {
	Kind      diag.Code `json:"kind" required:"false"` // of the exception
	Code      string    `json:"code" required:"false"` // the tool's own, such as "unavailable"
	Message   string    `json:"message" required:"false"`
	Hint      string    `json:"hint,omitempty"`
	Retryable bool      `json:"retryable,omitempty"`
	// RetryAfter is the least time in milliseconds that a caller should wait before it repeats the
	// call.
	RetryAfter int64           `json:"retry_after_ms,omitempty"`
	Data       json.RawMessage `json:"data,omitempty"`
	// Err is the error of the tool's function, or of the host; nil if the call was refused, or is recorded. It may
	// hold secrets.
	Err error `json:"-"`
}

// The codes of failures that the runtime sets. Tools have codes of their own.
const (
	CodeFailed       = "failed"        // the tool failed without a code
	CodeTimeout      = "timeout"       // the call exceeded the tool's time; may be retried
	CodeCancelled    = "cancelled"     // the call was cancelled by the host
	CodePanic        = "panic"         // the tool has a bug
	CodeBadArguments = "bad-arguments" // the arguments do not match the schema
	CodeBadResult    = "bad-result"    // the result does not match the schema
	CodeTooLarge     = "too-large"     // arguments or result exceed a bound
	CodeStuck        = "stuck"         // too many calls of the run have not ended in time
	CodeGuardLost    = "guard-lost"    // a guard was lost while the call was under way
)

// FailureOf returns the failure that a program sees for an error of Guards or Queues. Such an error
// has a method Failure() *Failure. Any other error is a mistake of the host, of kind
// diag.HostFailed, and the Err of the failure. It returns nil for nil.
func FailureOf(err error) *Failure {
	if err == nil {
		return nil
	}
	var own interface{ Failure() *Failure }
	if errors.As(err, &own) {
		return own.Failure()
	}
	return &Failure{Kind: diag.HostFailed, Code: CodeFailed, Message: err.Error(), Err: err}
}

// Record returns the outcome as a journal keeps it.
func (o Outcome) Record() Record {
	if o.Failure == nil {
		return Record{Result: o.Result}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(o.Failure); err != nil { // its data is JSON, or there is none
		return Record{Error: json.RawMessage(`{"kind":"tool-failed","code":"failed","message":"the failure has no JSON"}`)}
	}
	return Record{Error: b.Bytes()[:b.Len()-1]} // without the newline
}

// Outcome returns the outcome that a record keeps.
func (r Record) Outcome() Outcome {
	if !r.Failed() {
		return Outcome{Result: r.Result}
	}
	f := &Failure{}
	if err := json.Unmarshal(r.Error, f); err != nil {
		f = &Failure{Kind: diag.ToolFailed, Code: CodeFailed, Message: "the recorded failure can't be read: " + err.Error()}
	}
	return Outcome{Failure: f}
}

// Around is called around every call of a tool, after its arguments were checked. next makes the
// call: it passes the policies, takes the locks, waits in the queue, begins the effect in the
// journal and runs the tool. If next is not called, the tool does not run. The program sees, and the
// journal keeps, the outcome that Around returns. Around is not called for a call whose outcome the
// journal has. The call has the arguments of the program: changes of c have no influence.
//
// Around may call next again, to retry. A tool that is ReadOnly or Idempotent is called again each
// time. A tool that writes is called again only if its function has not been called before, such as
// after a refusal by a policy; otherwise next does nothing and returns a failure. Each call of next
// passes the policies, takes the locks and waits in the queue again, and counts against the limits on
// calls of the tool. Between two calls nothing is held. All have the same idempotency key. The journal
// has one effect for all of them: it begins with the first call that reaches the tool, and ends with
// the outcome that Around returns. Concurrent calls of next run one after the other.
//
// The tool gets the values of the context that next is called with, and the call ends when that
// context does. Around must return soon after ctx is done. It is called by many goroutines concurrently.
type Around func(ctx context.Context, c Call, next func(ctx context.Context) Outcome) Outcome
