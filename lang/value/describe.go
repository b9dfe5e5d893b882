// This file defines how messages show a value.

package value

// Describe gives a short text of v and its kind for a message: "abc" (string).
func Describe(t *Task, v Value) string {
	switch v.Kind() {
	case KindNil:
		return "nil"
	case KindFn, KindNative, KindProtocolFn, KindMultiFn:
		return "a function"
	}
	return Show(t, v) + " (" + KindName(v.Kind()) + ")"
}
