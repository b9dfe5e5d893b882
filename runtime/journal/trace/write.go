// This file defines the writer that escapes.

package trace

import (
	"bufio"
	"fmt"
	"html"
	"strings"
)

// writer writes parts of the page. Its errors are those of Flush. Package text/template calls methods by
// name, so with it the linker keeps every exported method of the program: 3.4 MB of ptc.
type writer struct{ *bufio.Writer }

// put writes a format with escaped strings. They must be in text, or in a quoted attribute that is
// not a URL or a script.
func (w writer) put(format string, values ...any) {
	for i, v := range values {
		if s, ok := v.(string); ok {
			values[i] = html.EscapeString(s)
		}
	}
	fmt.Fprintf(w, format, values...)
}

// putText writes an escaped string that must not be in an attribute: quotes, which are frequent in JSON,
// are not escaped.
func (w writer) putText(text string) { inText.WriteString(w, text) }

var inText = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// putIf is put, if the condition holds.
func (w writer) putIf(condition bool, format string, values ...any) {
	if condition {
		w.put(format, values...)
	}
}
