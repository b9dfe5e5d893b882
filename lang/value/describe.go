// This file defines how messages show a value.

package value

// Describe returns a short string for messages that shows v and its kind: "abc" (string).
func Describe(t *Task, v Value) string {
	switch v.Kind() {
	case KindNil:
		return "nil"
	case KindNative:
		return "the function " + v.AsNative().Name
	case KindFn:
		if name := v.AsFn().Code.Name; name != "" && name[0] != '%' {
			return "the function " + name
		}
		return "a function"
	case KindProtocolFn, KindMultiFn:
		return "a function"
	}
	return Show(t, v) + " (" + KindName(v.Kind()) + ")"
}
