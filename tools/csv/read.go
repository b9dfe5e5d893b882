// This file defines the tools that read tables.

package csv

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/tools/fs"
)

// ReadArgs are the arguments of csv.read.
type ReadArgs struct {
	Path      string   `json:"path"`
	From      int64    `json:"from,omitempty" jsonschema:"first byte; 0 or :next of the previous window"`
	Limit     int      `json:"limit,omitempty" jsonschema:"maximum number of rows; default 1000"`
	Columns   []string `json:"columns,omitempty" jsonschema:"the names of the columns, for a file without a header line"`
	Separator string   `json:"separator,omitempty" jsonschema:"separator of fields; a comma by default"`
	Encoding  string   `json:"encoding,omitempty" jsonschema:"utf-8 (the default) or latin-1"`
}

// Table is a window of the rows of a CSV file.
type Table struct {
	Columns []string            `json:"columns"`
	Rows    []map[string]string `json:"rows"`
	Next    *int64              `json:"next,omitempty" jsonschema:"start of the next window; absent at the end"`

	fields [][]string // of the rows, in the order of the columns; Rows is for the schema
}

// MarshalJSON writes each row in the order of the columns, which Rows does not have.
func (t Table) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	write := func(v any) {
		if err := enc.Encode(v); err != nil { // it is text
			panic(err)
		}
	}
	b.WriteString(`{"columns":`)
	write(t.Columns)
	b.WriteString(`,"rows":[`)
	for i, fields := range t.fields {
		separate(&b, i, ",{", "{")
		for j, field := range fields {
			separate(&b, j, ",", "")
			write(t.Columns[j])
			b.WriteByte(':')
			write(field)
		}
		b.WriteByte('}')
	}
	b.WriteByte(']')
	if t.Next != nil {
		fmt.Fprintf(&b, `,"next":%d`, *t.Next)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func separate(b *bytes.Buffer, i int, between, first string) {
	if i > 0 {
		first = between
	}
	b.WriteString(first)
}

// maxWindow bounds the bytes of a window, so that a program can go through a file of any
// size in little memory.
const maxWindow = 1 << 20

// reading is a call of csv.read.
type reading struct {
	ReadArgs
	comma rune
	file  *fs.Reader
	most  int64
	line  func(offset int64) int
}

func (t tables) readCSV(ctx context.Context, in ReadArgs) (Table, error) {
	limit, err := fs.CheckWindow(in.From, in.Limit)
	if err != nil {
		return Table{}, err
	}
	comma, err := separator(in.Separator)
	if err != nil {
		return Table{}, err
	}
	file, err := t.files.Reader(ctx, in.Path)
	if err != nil {
		return Table{}, err
	}
	defer file.Close()
	r := &reading{in, comma, file, min(t.files.Most(ctx), maxWindow),
		func(offset int64) int { return t.files.Line(ctx, in.Path, offset) }}
	start, err := r.header()
	if err != nil {
		return Table{}, err
	}
	return r.window(max(start, in.From), limit)
}

// separator returns the character that a program names as separator of fields.
func separator(text string) (rune, error) {
	if text == "" {
		return ',', nil
	}
	r, n := utf8.DecodeRuneInString(text)
	if n != len(text) || r == '"' || r == '\r' || r == '\n' || r == utf8.RuneError {
		return 0, &tool.Error{Code: effect.CodeBadArguments,
			Message: fmt.Sprintf(`got :separator %q, want one character such as ";" or "\t"`, text)}
	}
	return r, nil
}

const byteOrderMark = "\ufeff"

// header reads the names of the columns, unless the program names them, and returns the
// place where rows begin.
func (r *reading) header() (start int64, err error) {
	mark := make([]byte, len(byteOrderMark))
	if n, _ := io.ReadFull(r.file, mark); string(mark[:n]) == byteOrderMark {
		start = int64(n)
	}
	if len(r.Columns) == 0 {
		records, at := r.reader(start, 0)
		fields, err := records.Read()
		if errors.Is(err, io.EOF) {
			return 0, nil
		}
		fields, err = r.record(records, fields, err, start)
		switch {
		case err != nil:
			return 0, err
		case fields == nil:
			return 0, r.tooLong(start)
		}
		r.Columns, start = fields, at()
	}
	seen := make(map[string]bool)
	for i, name := range r.Columns {
		if name == "" {
			name = fmt.Sprintf("column-%d", i+1)
			r.Columns[i] = name
		}
		if seen[name] {
			return 0, &tool.Error{Code: "bad-csv", Message: fmt.Sprintf("%s: two columns have the name %q; name them all "+
				"with :columns", r.file.Shown, name)}
		}
		seen[name] = true
	}
	return start, nil
}

// reader returns the records from an offset on, and a function that returns the offset after the
// last record read.
func (r *reading) reader(from int64, fields int) (*csv.Reader, func() int64) {
	if _, err := r.file.Seek(from, io.SeekStart); err != nil {
		from = r.file.Size // an offset that no file has
	}
	records := csv.NewReader(io.LimitReader(r.file, r.most+1))
	records.Comma, records.FieldsPerRecord = r.comma, fields
	return records, func() int64 { return from + records.InputOffset() }
}

// record returns the fields of the record at an offset; nil if the window ends before the record
// does.
func (r *reading) record(records *csv.Reader, fields []string, err error, at int64) ([]string, error) {
	if records.InputOffset() > r.most {
		return nil, nil
	}
	var bad *csv.ParseError
	switch {
	case errors.As(err, &bad):
		return nil, r.bad(at, bad.Err, len(fields))
	case err != nil:
		return nil, fs.Failure(r.file.Shown, err)
	}
	for i, field := range fields {
		if fields[i], err = fs.Decode(r.file.Shown, []byte(field), at, r.Encoding); err != nil {
			return nil, err
		}
	}
	return fields, nil
}

func (r *reading) bad(at int64, err error, fields int) error {
	what := "a quote stands where none may, or is not closed"
	if errors.Is(err, csv.ErrFieldCount) {
		what = fmt.Sprintf("want as many fields as columns, %d (%.200q), got %d", len(r.Columns), r.Columns, fields)
	}
	line := r.line(at)
	return &tool.Error{Code: "bad-csv", Message: fmt.Sprintf("%s: line %d: %s", r.file.Shown, line, what),
		Data: map[string]any{"line": line, "offset": at}}
}

func (r *reading) tooLong(at int64) error {
	return &tool.Error{Code: "too-large", Message: fmt.Sprintf("%s: line %d: the row has more than %d bytes, which is "+
		"all that a window may have; is a quote not closed?", r.file.Shown, r.line(at), r.most)}
}

// window reads up to limit rows.
func (r *reading) window(from int64, limit int) (Table, error) {
	out := Table{Columns: r.Columns, fields: [][]string{}}
	if out.Columns == nil {
		out.Columns = []string{}
	}
	records, behind := r.reader(from, len(r.Columns))
	at := from
	for range limit + 1 {
		fields, err := records.Read()
		if errors.Is(err, io.EOF) && records.InputOffset() <= r.most {
			return out, nil
		}
		if len(out.fields) == limit {
			break
		}
		fields, err = r.record(records, fields, err, at)
		switch {
		case err != nil:
			return Table{}, err
		case fields == nil && at == from:
			return Table{}, r.tooLong(at)
		case fields == nil:
			out.Next = &at
			return out, nil
		}
		out.fields = append(out.fields, fields)
		at = behind()
	}
	out.Next = &at
	return out, nil
}

// LinesArgs are the arguments of jsonl.read.
type LinesArgs struct {
	Path  string `json:"path"`
	From  int64  `json:"from,omitempty" jsonschema:"first byte; 0 or :next of the previous window"`
	Limit int    `json:"limit,omitempty" jsonschema:"maximum number of lines; default 1000"`
}

// Values is a window of the values of a file with one on each line.
type Values struct {
	Rows []any  `json:"rows"`
	Next *int64 `json:"next,omitempty" jsonschema:"start of the next window; absent at the end"`
}

func (t tables) readLines(ctx context.Context, in LinesArgs) (Values, error) {
	out := Values{Rows: []any{}}
	next, err := t.files.Window(ctx, in.Path, in.From, in.Limit, func(line []byte, at int64) error {
		if at == 0 {
			line = bytes.TrimPrefix(line, []byte(byteOrderMark))
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			return nil
		}
		if err := json.Unmarshal(line, new(json.RawMessage)); err != nil || !utf8.Valid(line) {
			return t.badLine(ctx, in.Path, line, at, err)
		}
		out.Rows = append(out.Rows, json.RawMessage(bytes.Clone(line)))
		return nil
	})
	if err != nil {
		return Values{}, err
	}
	out.Next = next
	return out, nil
}

// badLine is the error of a line that is not JSON, or not even text.
func (t tables) badLine(ctx context.Context, name string, line []byte, at int64, err error) error {
	if err == nil {
		_, err = fs.Decode(name, line, at, "")
		return err
	}
	n := t.files.Line(ctx, name, at)
	return &tool.Error{Code: "bad-json", Message: fmt.Sprintf("%s: line %d is no JSON", name, n), Err: err,
		Data: map[string]any{"line": n, "offset": at}}
}
