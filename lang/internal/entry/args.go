// This file defines helpers of the functions of entries: how they are made of functions of Go, and how they check
// and convert arguments.

package entry

import (
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/value"
)

// Unary makes a builtin of a function of one value.
func Unary(f func(t *value.Task, a value.Value) value.Value) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value { return f(t, a[0]) }
}

// Binary makes a builtin of a function of two values.
func Binary(f func(t *value.Task, a, b value.Value) value.Value) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value { return f(t, a[0], a[1]) }
}

// Identity returns its argument.
func Identity(_ *value.Task, x value.Value) value.Value { return x }

// IsKind makes the function of a predicate that tests for kinds.
func IsKind(kinds value.KindSet) value.NativeFunc {
	return func(_ *value.Task, args []value.Value) value.Value { return value.Bool(args[0].Is(kinds)) }
}

// WantChars returns the string of a CharSequence argument.
func WantChars(t *value.Task, v value.Value, what string) string {
	if s, ok := t.Chars(v); ok {
		return s.AsString().S
	}
	return WantText(t, v, what)
}

// AsString returns the string of a CharSequence, and any other value unchanged.
func AsString(t *value.Task, v value.Value) value.Value {
	if s, ok := t.Chars(v); ok {
		return s
	}
	return v
}

// WantText returns the string of an argument for which Java's compiler requires one.
func WantText(t *value.Task, v value.Value, what string) string {
	switch {
	case v.IsString():
		return v.AsString().S
	case v.IsNil():
		t.Fail(diag.NilValue, "%s: got nil, want a string", what)
	}
	t.Fail(diag.WrongType, "%s: got %s, want a string", what, value.Describe(t, v))
	return ""
}

// Btoi returns 1 for true and 0 for false.
func Btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
