// This file defines what happens on the goroutine of a call.

package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"strings"
	"unicode/utf8"

	"github.com/ptc-lang/ptc/lang/diag"
)

// invoke calls the function of a tool and checks what it gives.
func (r *Run) invoke(ctx context.Context, in Invocation) (o Outcome) {
	defer func() {
		if p := recover(); p != nil {
			text := shown(p)
			r.opts.Log.Error("tool panicked", "tool", in.Tool.name, "id", in.ID, "panic", text, "stack", string(debug.Stack()))
			o = r.failed(ctx, in, &Error{Code: CodePanic, Message: "it panicked: " + text})
		}
	}()
	result, err := in.Tool.fn(ctx, in.Args)
	if err != nil {
		return r.failed(ctx, in, err)
	}
	if len(result) == 0 {
		result = json.RawMessage("null")
	}
	if f := r.bounded(in, result); f != nil {
		return Outcome{Failure: f}
	}
	r.secrets.note(result, in.Tool.secrets, in.Tool.secretResult)
	if err := in.Tool.checkResult(result); err != nil {
		return r.failed(ctx, in, err)
	}
	return Outcome{Result: result}
}

// failed gives the outcome of a call that failed with an error.
func (r *Run) failed(ctx context.Context, in Invocation, err error) Outcome {
	f := in.Tool.failureOf(ctx, err)
	r.secrets.note(f.Data, in.Tool.secrets, false)
	f.Data = in.Tool.redact(f.Data)
	return Outcome{Failure: f}
}

// bounded refuses a result that is too large.
func (r *Run) bounded(in Invocation, result json.RawMessage) *Failure {
	if most := r.opts.ResultBytes; len(result) > most {
		return failure(diag.ResultTooLarge, CodeTooLarge, "ask for less, or raise the limit (--call-result-bytes)",
			"the result has %d bytes, a call's may have %d", len(result), most)
	}
	if int64(len(result)) > in.Room {
		return failure(diag.MemoryExceeded, CodeTooLarge, "ask for less, keep less, or raise the memory limit",
			"the result has %d bytes, the evaluation has room for %d", len(result), in.Room)
	}
	if in.Tool.check == nil {
		return nil
	}
	// What the evaluation was charged with for reading the arguments is free again.
	need, room := checkSize(len(result), partsOf(result)), in.Room+CheckSize(string(in.Args))
	if need > room {
		return failure(diag.MemoryExceeded, CodeTooLarge, "ask for less, keep less, or raise the memory limit",
			"to check the result of %d bytes takes %d, the evaluation has room for %d", len(result), need, room)
	}
	return nil
}

// growStack has the stack of a new goroutine grow to 8 KB while nothing is on it. Otherwise
// it grows deep in the decoding of JSON, again and again, and each time what is on it is
// moved: a call of BenchmarkCall/go takes 86,000 instructions without this, and 45,000 with it.
//
//go:noinline
func growStack(i int) byte {
	var room [4 << 10]byte
	return room[i]
}

// callInfo is what the function of a tool may know of the call, in its context.
type callInfo struct {
	room int64
	key  string
}

// callKey is that of the callInfo.
type callKey struct{}

// CallID gives an idempotency key for the call that a tool's function was called for: the
// same one when an interrupted run is resumed and the call made again, and that of no
// other call of any run. It is "" outside of a call.
func CallID(ctx context.Context) string {
	call, _ := ctx.Value(callKey{}).(callInfo)
	return call.key
}

// ResultRoom gives how many bytes the result of the call may have at most, so that a
// tool need not gather more; 0 outside of a call.
func ResultRoom(ctx context.Context) int64 {
	call, _ := ctx.Value(callKey{}).(callInfo)
	return call.room
}

// Fits gives an error if a text takes more than the result of the call may have: as JSON it
// is up to six times as long. A tool asks before it gives a text that somebody else has
// chosen, since to encode it takes twice that much memory.
func Fits(ctx context.Context, text string) error {
	call, inside := ctx.Value(callKey{}).(callInfo)
	if size := encodedSize(text); inside && size > call.room {
		return &Error{Code: CodeTooLarge, Message: fmt.Sprintf("the text of %d bytes takes %d as JSON, the result may have %d", len(text), size, call.room)}
	}
	return nil
}

// encodedSize gives how many bytes a text takes as JSON.
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
