// This file defines the reading of the rest of a literal from a reader.

package java

import (
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/value"
)

// ReadLiteral returns the value of the rest of the literal of a string, up to the closing quote, with which it calls
// read. The reader advances afterwards, because a charge that is refused before makes the call begin again.
func ReadLiteral(t *value.Task, reader value.Value, read func(text string) value.Value) value.Value {
	r := source(t, reader, "read")
	text := rest(r)
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			t.Work(int64(i))
			v := read(text[:i+1])
			advance(t, r, i+1)
			return v
		}
	}
	t.FailClass("java.lang.RuntimeException", diag.SyntaxError, "EOF while reading string")
	return value.Nil
}
