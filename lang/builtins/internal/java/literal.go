// This file defines the reading of the rest of a literal from a reader.

package java

import (
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/value"
)

// TakeLiteral reads from a reader to the end of the literal of a string, and returns what it read, with the closing
// quote.
func TakeLiteral(t *value.Task, reader value.Value) string {
	r := source(t, reader, "read")
	text := rest(r)
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			t.Work(int64(i))
			advance(t, r, i+1)
			return text[:i+1]
		}
	}
	t.FailClass("java.lang.RuntimeException", diag.SyntaxError, "EOF while reading string")
	return ""
}
