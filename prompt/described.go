// This file defines how descriptions of tools are read. Such tools cannot be called.

package prompt

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// described is a tool in the form of the method tools/list of the Model Context Protocol.
type described struct {
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema"`
	Annotations  struct {
		ReadOnlyHint   bool `json:"readOnlyHint"`
		IdempotentHint bool `json:"idempotentHint"`
	} `json:"annotations"`
}

// ParseTools reads descriptions of tools: the JSON of a result of tools/list, of the Model Context Protocol, or
// the array in it. name stands for the text in errors, which list every invalid tool. The tools are for a card,
// and for compiling; a call of one fails.
func ParseTools(name string, text []byte) ([]*tool.Tool, error) {
	items, err := toolItems(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var all []*tool.Tool
	var errs []error
	for i, item := range items {
		t, err := describedTool(item)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: tools[%d]: %w", name, i, err))
			continue
		}
		all = append(all, t)
	}
	if _, err := tool.NewRegistry(all...); err != nil {
		errs = append(errs, fmt.Errorf("%s: %w", name, err))
	}
	return all, errors.Join(errs...)
}

// toolItems returns the array of tools in a text.
func toolItems(text []byte) ([]json.RawMessage, error) {
	var items []json.RawMessage
	if text = bytes.TrimSpace(text); len(text) > 0 && text[0] == '[' {
		return items, located(text, json.Unmarshal(text, &items))
	}
	var result map[string]json.RawMessage
	if err := json.Unmarshal(text, &result); err != nil {
		return nil, located(text, err)
	}
	list, ok := result["tools"]
	if !ok {
		return nil, fmt.Errorf(`want an array of tools, or an object with one under "tools": got %s`, keysOf(result))
	}
	if err := json.Unmarshal(list, &items); err != nil {
		return nil, errors.New(`"tools" is not an array`)
	}
	return items, nil
}

// located adds the line to an error of the syntax.
func located(text []byte, err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("line %d: not JSON: %w", 1+bytes.Count(text[:min(int(syntax.Offset), len(text))], []byte("\n")),
			err)
	}
	if err != nil {
		return errors.New(`want an array of tools, or an object with one under "tools"`)
	}
	return nil
}

// describedTool reads one tool.
func describedTool(item json.RawMessage) (*tool.Tool, error) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(item, &fields) != nil || fields == nil {
		return nil, errors.New("want an object with name, description and inputSchema")
	}
	for _, needed := range []string{"name", "inputSchema"} {
		if _, ok := fields[needed]; ok {
			continue
		}
		hint := ""
		if best, ok := diag.Suggest(needed, maps.Keys(fields)); ok {
			hint = fmt.Sprintf(": is it %q?", best)
		}
		return nil, fmt.Errorf("there is no %q among %s%s", needed, keysOf(fields), hint)
	}
	var d described
	if err := json.Unmarshal(item, &d); err != nil {
		var typed *json.UnmarshalTypeError
		if errors.As(err, &typed) {
			return nil, fmt.Errorf("%q: got a JSON %s, want a %s", typed.Field, typed.Value, typed.Type)
		}
		return nil, err
	}
	var opts []tool.Option
	switch {
	case d.Annotations.ReadOnlyHint:
		opts = append(opts, tool.ReadOnly())
	case d.Annotations.IdempotentHint:
		opts = append(opts, tool.Idempotent())
	}
	if string(d.OutputSchema) == "null" {
		d.OutputSchema = nil
	}
	t := tool.Dynamic(d.Name, d.Description, d.InputSchema, d.OutputSchema, nil, opts...).Stub()
	_, err := tool.NewRegistry(t)
	return t, err
}

// keysOf lists the keys of an object.
func keysOf(fields map[string]json.RawMessage) string {
	if len(fields) == 0 {
		return "an empty object"
	}
	return strings.Join(slices.Sorted(maps.Keys(fields)), ", ")
}
