// This file defines the shapes of inputs, which the card shows without values.

package prompt

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/ptc-lang/ptc/runtime/tool"
)

// Only a part of an input, which may be large, is examined: its upper levels and the first elements of each
// array and object are enough for a program.
const (
	maxLevels   = 6 // one more than the notation shows
	maxElements = 1000
)

// maxRecord is how many members of one type an object has at most that is a record. One with
// more is a table: its keys are data.
const maxRecord = 16

// maxShape bounds the shape of one input, in bytes: beyond it the lower levels are left out.
const maxShape = 600

// shapeOf returns the shape of an input in the notation of the signatures of tools:
// [{:id int :name string?}]. A value without a JSON form is any.
func shapeOf(input any) string {
	known := Shape(input)
	if known == nil {
		return "any"
	}
	return known.Brief(maxShape)
}

// Shape returns a schema of the properties that the values in an input, or in a sample of it, have in
// common; nil for a value without a JSON form. ptc.Options.DataShapes takes it. It covers the first
// thousand elements of each array.
func Shape(input any) *tool.Schema {
	text, ok := input.(json.RawMessage)
	if !ok {
		text, _ = json.Marshal(input)
	}
	if !json.Valid(text) {
		return nil
	}
	s := &shape{}
	s.see(text, 0)
	text, err := json.Marshal(s.schema())
	if err != nil {
		return nil
	}
	known, err := tool.ParseSchema(text)
	if err != nil {
		return nil
	}
	return known
}

// shape holds the properties that the values in one place of an input have in common.
type shape struct {
	seen    int      // values
	types   []string // by the names of JSON Schema
	objects int
	members map[string]*shape // of the objects
	element *shape            // of the arrays
}

// see takes a value into account.
func (s *shape) see(text json.RawMessage, level int) {
	s.seen++
	kind := typeOf(text)
	s.is(kind)
	switch {
	case level >= maxLevels:
	case kind == "object":
		s.seeObject(text, level)
	case kind == "array":
		s.seeArray(text, level)
	}
}

// typeOf returns the type of a JSON text. A number is an integer if it becomes one in a program.
func typeOf(text json.RawMessage) string {
	text = bytes.TrimLeft(text, " \t\r\n")
	switch c := text[0]; {
	case c == '{':
		return "object"
	case c == '[':
		return "array"
	case c == '"':
		return "string"
	case c == 't', c == 'f':
		return "boolean"
	case c == 'n':
		return "null"
	case bytes.ContainsAny(text, ".eE"):
		return "number"
	}
	return "integer"
}

// is notes a type. Among other numbers, integers are not a separate type.
func (s *shape) is(kind string) {
	if kind == "number" {
		s.types = slices.DeleteFunc(s.types, func(t string) bool { return t == "integer" })
	}
	if !slices.Contains(s.types, kind) && !(kind == "integer" && slices.Contains(s.types, "number")) {
		s.types = append(s.types, kind)
	}
}

func (s *shape) seeObject(text json.RawMessage, level int) {
	var object map[string]json.RawMessage
	if json.Unmarshal(text, &object) != nil {
		return
	}
	s.objects++
	names := slices.Sorted(maps.Keys(object))
	for _, name := range names[:min(len(names), maxElements)] {
		s.member(name).see(object[name], level+1)
	}
}

func (s *shape) member(name string) *shape {
	if s.members == nil {
		s.members = make(map[string]*shape)
	}
	if s.members[name] == nil {
		s.members[name] = &shape{}
	}
	return s.members[name]
}

func (s *shape) seeArray(text json.RawMessage, level int) {
	var array []json.RawMessage
	if json.Unmarshal(text, &array) != nil {
		return
	}
	if s.element == nil {
		s.element = &shape{}
	}
	for _, value := range array[:min(len(array), maxElements)] {
		s.element.see(value, level+1)
	}
}

// merge adds the properties of another shape.
func (s *shape) merge(o *shape) {
	s.seen += o.seen
	s.objects += o.objects
	for _, kind := range o.types {
		s.is(kind)
	}
	for name, m := range o.members {
		s.member(name).merge(m)
	}
	if o.element != nil {
		if s.element == nil {
			s.element = &shape{}
		}
		s.element.merge(o.element)
	}
}

// schema returns the shape as a JSON Schema.
func (s *shape) schema() map[string]any {
	schema := make(map[string]any)
	if slices.Sort(s.types); len(s.types) == 1 {
		schema["type"] = s.types[0]
	} else if len(s.types) > 1 {
		schema["type"] = s.types
	}
	if s.element != nil {
		schema["items"] = s.element.schema()
	}
	if len(s.members) == 0 {
		return schema
	}
	if values := s.table(); values != nil {
		schema["additionalProperties"] = values.schema()
		return schema
	}
	properties, required := make(map[string]any), []string{}
	for _, name := range slices.Sorted(maps.Keys(s.members)) {
		m := s.members[name]
		properties[name] = m.schema()
		if m.seen == s.objects {
			required = append(required, name)
		}
	}
	schema["properties"], schema["required"] = properties, required
	return schema
}

// table returns the shape of the values if the objects are tables, nil if they are records.
func (s *shape) table() *shape {
	if len(s.members) <= maxRecord {
		return nil
	}
	values := &shape{}
	for _, m := range s.members {
		values.merge(m)
	}
	if len(values.types) > 1 {
		return nil
	}
	return values
}
