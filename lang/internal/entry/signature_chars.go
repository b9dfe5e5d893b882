// This file defines parameters that take any java.lang.CharSequence. The builtin gets its string.

package entry

import "github.com/ptc-lang/ptc/lang/value"

// charSequences are the kinds that may be a CharSequence. An object is one if its type implements
// it.
var charSequences = value.Kinds(value.KindString, value.KindBuilder, value.KindObject)

// onStrings returns fn with a conversion to strings of the arguments whose parameters have the kind
// chars. Strings cost nothing.
func (e *Entry) onStrings(fn value.NativeFunc) value.NativeFunc {
	chars := charSequences
	orNil := chars | value.Kinds(value.KindNil)
	return func(t *value.Task, args []value.Value) value.Value {
		copied := false
		s := e.signature(len(args))
		for i, a := range args {
			kinds := s.Kinds[min(i, len(s.Kinds)-1)]
			if kinds != chars && kinds != orNil || a.IsString() || a.IsNil() {
				continue
			}
			text, ok := t.Chars(a)
			if !ok {
				e.failKind(t, s, i, a)
			}
			if !copied {
				own := t.Vals(len(args))
				copy(own, args)
				args, copied = own, true
			}
			args[i] = text
		}
		return fn(t, args)
	}
}
