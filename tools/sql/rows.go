// This file defines how rows become JSON.

package sql

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// rowWriter writes rows as a list of objects, whose keys are in the order of the columns,
// within its bounds.
type rowWriter struct {
	maxRows, maxBytes int
	limit             int // ends the rows there, if above 0

	columns [][]byte // each as JSON, with its colon
	buf     []byte
	rows    int
}

// begin says which columns follow. A second call begins the rows of the next statement of
// a batch, which has the same ones.
func (w *rowWriter) begin(columns []string) error {
	if w.columns != nil || len(columns) == 0 {
		return nil
	}
	seen := make(map[string]bool, len(columns))
	for _, c := range columns {
		if seen[c] {
			return &tool.Error{Code: CodeBadStatement, Message: fmt.Sprintf("two columns are called %q: name one of them "+
				"with AS", c)}
		}
		seen[c] = true
		key, err := json.Marshal(c)
		if err != nil {
			return err
		}
		w.columns = append(w.columns, append(key, ':'))
	}
	return nil
}

// full reports whether the rows that were asked for are there.
func (w *rowWriter) full() bool { return w.limit > 0 && w.rows >= w.limit }

// row writes a row, whose values value appends as JSON.
func (w *rowWriter) row(value func(buf []byte, column int) ([]byte, error)) error {
	if w.rows == w.maxRows {
		return &tool.Error{Code: CodeTooMany,
			Message: fmt.Sprintf("there are more than %s: ask for fewer with LIMIT or :limit, or let the database count and "+
				"sum", diag.Counted(w.maxRows, "row"))}
	}
	w.rows++
	w.buf = append(w.buf, ',')
	for i, key := range w.columns {
		if i == 0 {
			w.buf = append(w.buf, '{')
		} else {
			w.buf = append(w.buf, ',')
		}
		w.buf = append(w.buf, key...)
		var err error
		if w.buf, err = value(w.buf, i); err != nil {
			return err
		}
		if len(w.buf) > w.maxBytes {
			return &tool.Error{Code: CodeTooLarge,
				Message: fmt.Sprintf("got more than %d bytes in %s: ask for fewer rows or columns", w.maxBytes,
					diag.Counted(w.rows, "row"))}
		}
	}
	w.buf = append(w.buf, '}')
	return nil
}

// text returns the list.
func (w *rowWriter) text() json.RawMessage {
	if len(w.buf) == 0 {
		return json.RawMessage("[]")
	}
	w.buf[0] = '[' // for the comma before the first row
	return append(w.buf, ']')
}

// appendString appends a text; bytes that are no UTF-8 become U+FFFD.
func appendString(buf []byte, s []byte) []byte {
	const hex = "0123456789abcdef"
	buf = append(buf, '"')
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '"' || c == '\\':
			buf = append(buf, '\\', c)
		case c < 0x20:
			buf = append(buf, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		case c < utf8.RuneSelf:
			buf = append(buf, c)
		default:
			r, size := utf8.DecodeRune(s[i:])
			buf = utf8.AppendRune(buf, r)
			i += size
			continue
		}
		i++
	}
	return append(buf, '"')
}

func appendBlob(buf, blob []byte) []byte {
	buf = append(buf, '"')
	buf = base64.StdEncoding.AppendEncode(buf, blob)
	return append(buf, '"')
}

// appendFloat appends a number, or the text of one that JSON lacks.
func appendFloat(buf []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(buf, `"NaN"`...)
	case math.IsInf(f, 1):
		return append(buf, `"Infinity"`...)
	case math.IsInf(f, -1):
		return append(buf, `"-Infinity"`...)
	}
	n := len(buf)
	buf = strconv.AppendFloat(buf, f, 'g', -1, 64)
	for _, c := range buf[n:] {
		if c == '.' || c == 'e' {
			return buf
		}
	}
	return append(buf, ".0"...) // a float stays one, as 1.0 does in Clojure
}
