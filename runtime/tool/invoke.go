// This file defines the work on the goroutine of a call.

package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/secret"
)

// invoke calls the function of a tool and checks its result.
func (r *Run) invoke(ctx context.Context, in *call) (o returned) {
	defer func() {
		if p := recover(); p != nil {
			text := secret.Show(p)
			r.opts.Log.Error("tool panicked", "tool", in.tool.name, "id", in.ID, "panic", text, "stack", string(debug.Stack()))
			o.Outcome = r.failed(ctx, in, &Error{Code: effect.CodePanic, Message: "it panicked: " + text})
		}
	}()
	result, err := in.tool.fn(ctx, in.Args)
	if err != nil {
		return r.refused(ctx, in, err)
	}
	if len(result) == 0 {
		result = json.RawMessage("null")
	}
	return returned{Outcome: r.checked(ctx, in, result, in.tool.check)}
}

// refused returns the outcome of a call whose function has returned an error.
func (r *Run) refused(ctx context.Context, in *call, err error) returned {
	if l := (*later)(nil); errors.As(err, &l) {
		if in.tool.async && r.opts.Pending != nil {
			return returned{later: l}
		}
		err = errors.New("it returned tool.Pending, but is not declared as tool.Async")
	}
	return returned{Outcome: r.failed(ctx, in, err)}
}

// checked returns the outcome of a call with a result, which must match the schema by, unless that
// is nil.
func (r *Run) checked(ctx context.Context, in *call, result json.RawMessage, by *Schema) effect.Outcome {
	if f := r.bounded(in, result, by); f != nil {
		return effect.Outcome{Failure: f}
	}
	r.secrets.Note(result, in.tool.secrets, in.tool.secretResult)
	if err := in.tool.checkResult(result, by); err != nil {
		return r.failed(ctx, in, err)
	}
	return effect.Outcome{Result: result}
}

// failed returns the outcome of a call that failed with an error.
func (r *Run) failed(ctx context.Context, in *call, err error) effect.Outcome {
	f := in.tool.failureOf(ctx, err)
	r.secrets.Note(f.Data, in.tool.secrets, false)
	f.Data = secret.Redact(f.Data, in.tool.secrets)
	return effect.Outcome{Failure: f}
}

// bounded refuses a result that is too large.
func (r *Run) bounded(in *call, result json.RawMessage, by *Schema) *effect.Failure {
	if most := r.opts.ResultBytes; len(result) > most {
		return failure(diag.ResultTooLarge, effect.CodeTooLarge, "ask for less, or raise the limit (--call-result-bytes)",
			"the result has %d bytes, a call's may have %d", len(result), most)
	}
	if int64(len(result)) > in.Room {
		return failure(diag.MemoryExceeded, effect.CodeTooLarge, "ask for less, keep less, or raise the memory limit",
			"the result has %d bytes, the evaluation has room for %d", len(result), in.Room)
	}
	if by == nil {
		return nil
	}
	// The memory that was charged for reading the arguments is free again.
	need, room := checkSize(len(result), partsOf(result)), in.Room+CheckSize(string(in.Args))
	if need > room {
		return failure(diag.MemoryExceeded, effect.CodeTooLarge, "ask for less, keep less, or raise the memory limit",
			"to check the result of %d bytes takes %d, the evaluation has room for %d", len(result), need, room)
	}
	return nil
}

// growStack makes the stack of a new goroutine grow to 8 KB while it is empty. Otherwise it grows several
// times, deep in the decoding of JSON, and Go moves all frames each time, which more than doubles the
// instructions of a call of BenchmarkCall/go.
//
//go:noinline
func growStack(i int) byte {
	if i == 0 {
		return 0 // the room is not cleared then
	}
	var room [4 << 10]byte
	return room[i]
}

// callInfo is the data of a call in the context of a tool's function.
type callInfo struct {
	room  int64
	key   string
	fence uint64
	allow func(calls int, within time.Duration) // see Allow; nil if the call has no rate limit
}

// callKey is the key of the callInfo in a context.
type callKey struct{}

// infoOf returns the callInfo of a context, if it is that of a call.
func infoOf(ctx context.Context) (info callInfo, inside bool) {
	if ctx == nil {
		return info, false
	}
	info, inside = ctx.Value(callKey{}).(callInfo)
	return info, inside
}

// CallID returns the idempotency key of the call that a tool's function makes. It is the same when
// an interrupted run is resumed and makes the call again; no other call of any run has it. It is ""
// if ctx is not that of a call.
func CallID(ctx context.Context) string {
	call, _ := infoOf(ctx)
	return call.key
}

// Fence returns a number that increases with each call that has the guard of the tool's function, a
// host or the global one. A system that keeps the highest number can refuse the writes of a call
// that has lost its guard. It is 0 without such a guard, and if ctx is not that of a call.
func Fence(ctx context.Context) uint64 {
	call, _ := infoOf(ctx)
	return call.fence
}

// Allow reports how many calls a service still allows within a time, as it has told the tool's function. The rate limit
// of the call, which all runs with the same guards share, is paused for the time if there are none, and otherwise
// lowered to spread them over it. It is never raised above its declaration. Without a rate limit nothing happens.
func Allow(ctx context.Context, calls int, within time.Duration) {
	if call, _ := infoOf(ctx); call.allow != nil && within > 0 {
		call.allow(calls, within)
	}
}

// ResultRoom returns the maximum size of the result of the call in bytes, so that a tool need not
// collect more. It is 0 if ctx is not that of a call.
func ResultRoom(ctx context.Context) int64 {
	call, _ := infoOf(ctx)
	return call.room
}

// Fits returns an error if a string takes more bytes as JSON than the result of the call may have: up to
// six times its length. A tool calls it before it returns a string that it has not made, because encoding takes
// twice as much memory.
func Fits(ctx context.Context, text string) error {
	call, inside := infoOf(ctx)
	if size := encodedSize(text); inside && size > call.room {
		return &Error{Code: effect.CodeTooLarge,
			Message: fmt.Sprintf("the text of %d bytes takes %d as JSON, the result may have %d", len(text), size, call.room)}
	}
	return nil
}

// encodedSize returns how many bytes a string takes as JSON.
func encodedSize(text string) int64 {
	size := int64(len(text)) + 2
	for i, c := range text {
		switch {
		case c == '"' || c == '\\' || c == '\b' || c == '\f' || c == '\n' || c == '\r' || c == '\t':
			size++
		case c < ' ' || c == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd"):
			size += 5
		case c == '\u2028' || c == '\u2029':
			size += 3
		}
	}
	return size
}
