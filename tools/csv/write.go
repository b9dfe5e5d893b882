// This file defines the tools that write tables.

package csv

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// WriteArgs are the arguments of csv.write and csv.append.
type WriteArgs struct {
	Path      string   `json:"path"`
	Rows      []any    `json:"rows" jsonschema:"maps or lists of strings, numbers, true, false, nil"`
	Columns   []string `json:"columns,omitempty" jsonschema:"columns in order; by default sorted keys"`
	Separator string   `json:"separator,omitempty" jsonschema:"separator of fields; a comma by default"`
}

// UnmarshalJSON keeps numbers as they are written.
func (a *WriteArgs) UnmarshalJSON(text []byte) error {
	type plain WriteArgs
	return decode(text, (*plain)(a))
}

// ValuesArgs are the arguments of jsonl.write and jsonl.append.
type ValuesArgs struct {
	Path string `json:"path"`
	Rows []any  `json:"rows" jsonschema:"the values, one for each line"`
}

// UnmarshalJSON keeps numbers as they are written.
func (a *ValuesArgs) UnmarshalJSON(text []byte) error {
	type plain ValuesArgs
	return decode(text, (*plain)(a))
}

func decode(text []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	return dec.Decode(into)
}

func (t tables) writeCSV(ctx context.Context, in WriteArgs) (int64, error) {
	columns := in.Columns
	if len(columns) == 0 {
		columns = keys(in.Rows)
	}
	text, err := in.format(columns, true)
	if err != nil {
		return 0, err
	}
	return t.files.Write(ctx, in.Path, text)
}

func (t tables) appendCSV(ctx context.Context, in WriteArgs) (int64, error) {
	return t.files.Append(ctx, in.Path, func(size int64) ([]byte, error) {
		columns := in.Columns
		if len(columns) == 0 {
			columns = keys(in.Rows)
		}
		if size == 0 {
			return in.format(columns, true)
		}
		if len(columns) == 0 { // lists, of a file without names
			text, err := in.format(nil, false)
			if err != nil {
				return nil, err
			}
			return t.onNewLine(ctx, in.Path, size, text)
		}
		known, err := t.readCSV(ctx, ReadArgs{Path: in.Path, Separator: in.Separator, Limit: 1})
		if err != nil {
			return nil, err
		}
		if len(in.Columns) > 0 && !slices.Equal(in.Columns, known.Columns) {
			return nil, &tool.Error{Code: effect.CodeBadArguments,
				Message: fmt.Sprintf("%s has the columns %.200q, got :columns %.200q", in.Path, known.Columns, in.Columns)}
		}
		text, err := in.format(known.Columns, false)
		if err != nil {
			return nil, err
		}
		return t.onNewLine(ctx, in.Path, size, text)
	})
}

// onNewLine begins a text with the end of a line if the file does not end with one.
func (t tables) onNewLine(ctx context.Context, name string, size int64, text []byte) ([]byte, error) {
	file, err := t.files.Reader(ctx, name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	last := make([]byte, 1)
	if _, err := file.Seek(size-1, io.SeekStart); err != nil {
		return nil, err
	}
	if _, err := io.ReadFull(file, last); err != nil {
		return nil, err
	}
	if last[0] != '\n' {
		text = append([]byte("\n"), text...)
	}
	return text, nil
}

// keys returns the keys of all rows that are maps, in order.
func keys(rows []any) []string {
	all := make(map[string]bool)
	for _, row := range rows {
		if row, ok := row.(map[string]any); ok {
			for key := range row {
				all[key] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// format returns the rows as text, below a line with the names of the columns if there
// are any and header says so.
func (a *WriteArgs) format(columns []string, header bool) ([]byte, error) {
	comma, err := separator(a.Separator)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	w := csv.NewWriter(&text)
	w.Comma = comma
	if header && len(columns) > 0 {
		err = w.Write(columns)
	}
	for i, row := range a.Rows {
		fields, bad := fieldsOf(row, columns)
		if bad != nil {
			return nil, &tool.Error{Code: effect.CodeBadArguments, Message: fmt.Sprintf("[:rows %d]: %v", i, bad)}
		}
		err = errors.Join(err, writeRow(w, &text, fields))
	}
	w.Flush()
	return text.Bytes(), errors.Join(err, w.Error())
}

// writeRow writes a row. A row of one empty field would be an empty line, which is no
// row to who reads it.
func writeRow(w *csv.Writer, text *bytes.Buffer, fields []string) error {
	if len(fields) != 1 || fields[0] != "" {
		return w.Write(fields)
	}
	w.Flush()
	text.WriteString("\"\"\n")
	return w.Error()
}

// fieldsOf returns the texts of a row in the order of the columns.
func fieldsOf(row any, columns []string) ([]string, error) {
	fields := make([]string, 0, len(columns))
	switch row := row.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(row)) {
			if !slices.Contains(columns, key) {
				return nil, fmt.Errorf("got the key %q, want keys among the columns %.200q", key, columns)
			}
		}
		for _, key := range columns {
			text, err := fieldText(row[key])
			if err != nil {
				return nil, fmt.Errorf("%q: %w", key, err)
			}
			fields = append(fields, text)
		}
	case []any:
		if len(columns) > 0 && len(row) != len(columns) {
			return nil, fmt.Errorf("want one field for each column (%d), got %d", len(columns), len(row))
		}
		for j, v := range row {
			text, err := fieldText(v)
			if err != nil {
				return nil, fmt.Errorf("%d: %w", j, err)
			}
			fields = append(fields, text)
		}
	default:
		return nil, errors.New("got a single value, want a map or a list of fields")
	}
	return fields, nil
}

func fieldText(v any) (string, error) {
	switch v := v.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case bool:
		return fmt.Sprint(v), nil
	case json.Number:
		return v.String(), nil
	}
	return "", errors.New("got a collection, want a string, a number, true, false or nil; json/write or str/join " +
		"makes a string")
}

func (t tables) writeLines(ctx context.Context, in ValuesArgs) (int64, error) {
	text, err := in.format()
	if err != nil {
		return 0, err
	}
	return t.files.Write(ctx, in.Path, text)
}

func (t tables) appendLines(ctx context.Context, in ValuesArgs) (int64, error) {
	text, err := in.format()
	if err != nil {
		return 0, err
	}
	return t.files.Append(ctx, in.Path, func(size int64) ([]byte, error) {
		if size == 0 {
			return text, nil
		}
		return t.onNewLine(ctx, in.Path, size, text)
	})
}

// format returns the values as text, one a line.
func (a *ValuesArgs) format() ([]byte, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	for _, row := range a.Rows {
		if err := enc.Encode(row); err != nil {
			return nil, err
		}
	}
	return text.Bytes(), nil
}
